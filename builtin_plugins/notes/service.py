"""The work on notes, without HTTP, and the service `Notes` for other plugins."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from builtin_plugins.notes import listing
from builtin_plugins.notes.listing import ListQuery
from builtin_plugins.notes.note import (
    MANAGE,
    READ,
    SHARED,
    STORAGE,
    WRITE,
    JsonAndEtag,
    Neighbours,
    Note,
    findable,
    given_tags,
    publish,
    sql,
    store_tags,
    tags_as_stored,
    title_key,
)
from guildhall_sdk import (
    Host,
    InvalidRequest,
    NotFound,
    PermissionDenied,
    Principal,
    Reader,
    Row,
    Writer,
)
from guildhall_sdk.services.notifications import Notice, notify
from guildhall_sdk.services.search import PreparedText
from guildhall_sdk.subscriptions import NoteChanged

#: Old versions of one note that are kept, beside the one that it has; they count as nobody's storage.
MAX_VERSIONS = 100
MAX_VERSION_BYTES = 16 * 1024 * 1024
#: For so long after a version began what its writer autosaves goes into it.
AUTOSAVE_MS = 10 * 60 * 1000

CheckIfMatch = Callable[[str], None]


async def read(
    reader: Reader, caller: Principal, note_id: str, *, across_company: bool = False
) -> JsonAndEtag:
    note = await find_readable(reader, caller, note_id, across_company=across_company)
    return await json_and_etag(reader, caller, note, across_company=across_company)


async def find_readable(
    reader: Reader, caller: Principal, note_id: str, *, across_company: bool = False
) -> Note:
    note = await _find(reader, caller, note_id)
    note.require(READ, note.rights_of(caller, across_company=across_company))
    return note


async def list_page(
    reader: Reader, caller: Principal, after: str | None, fetched: int, query: ListQuery
) -> tuple[list[dict[str, Any]], str | None]:
    found = await listing.page(reader, caller, after, fetched, query)
    rights = {note.id: note.rights_of(caller, across_company=query.across_company) for note in found.notes}
    shares = await _shares(reader, caller, [note for note in found.notes if MANAGE in rights[note.id]])
    return [note.to_json(rights[note.id], shares.get(note.id)) for note in found.notes], found.next_cursor


async def text_to_index(
    reader: Reader, caller: Principal, note_id: str, fields: Mapping[str, Any], check_if_match: CheckIfMatch
) -> str:
    """Returns the text that the index gets of a note after this change, for a caller who may make it."""
    note = await _find(reader, caller, note_id)
    note.require(WRITE, note.rights_of(caller))
    check_if_match(note.etag)
    title, body = fields.get("title", note.title), fields.get("body", note.body)
    return "" if (title, body) == (note.title, note.body) else body


class Change(NamedTuple):
    """What is to be stored of a note, and whether somebody is still typing it."""

    fields: Mapping[str, Any]
    prepared: PreparedText | None = None
    autosave: bool = False


async def update(
    writer: Writer,
    neighbours: Neighbours,
    caller: Principal,
    note_id: str,
    change: Change,
    *,
    check_if_match: CheckIfMatch,
    now_ms: int,
) -> JsonAndEtag:
    """Changes a note; only the owner and holders of notes:manage decide who sees it.

    What is autosaved goes into the version that the same person began by autosaving some minutes before: the
    trail has that beginning alone.
    """
    fields, autosave = change.fields, change.autosave
    note = await find_to_change(writer, caller, note_id, WRITE, check_if_match)
    if fields.get("visibility", note.visibility) != note.visibility:
        note.require(MANAGE, note.rights_of(caller))
    joined = False
    if fields:
        joined = autosave and await _is_open(writer, caller, note, now_ms)
        await _store(writer, caller, note, fields, now_ms, autosave=autosave, joined=joined)
        if not joined or "visibility" in fields:
            writer.audit("note.updated", ("note", note_id), detail={"fields": sorted(fields)})
    changed = await _find(writer, caller, note_id)
    if fields:
        seen = note if note.visibility == "team" else changed
        await publish(writer, neighbours, caller, seen, "updated")
    if (changed.title, changed.body) != (note.title, note.body):
        await neighbours.index.put(writer, findable(changed, change.prepared))
    growth = changed.stored_bytes - note.stored_bytes
    await neighbours.quotas.adjust(writer, caller.org_id, note.team_id, STORAGE, growth)
    return await json_and_etag(writer, caller, changed)


async def _is_open(writer: Writer, caller: Principal, note: Note, now_ms: int) -> bool:
    """Tells whether what the caller autosaves goes into the version that the note has."""
    if note.version_by != caller.user_id or now_ms - note.version_at >= AUTOSAVE_MS:
        return False
    return bool(await writer.value(sql.autosaved, id=note.id, org_id=caller.org_id))


async def _store(
    writer: Writer,
    caller: Principal,
    note: Note,
    fields: Mapping[str, Any],
    now_ms: int,
    *,
    autosave: bool,
    joined: bool,
) -> None:
    """Stores the fields; the text as it was becomes an old version, unless what is new joins it."""
    whose = {"id": note.id, "org_id": caller.org_id}
    title, body, tags = fields.get("title"), fields.get("body"), given_tags(fields)
    stored_tags = None if tags is None else tags_as_stored(tags)
    pairs = ((title, note.title), (body, note.body), (stored_tags, note.tags))
    if not joined and any(new not in (None, old) for new, old in pairs):
        await writer.run(sql.store_version, **whose)
        begun = {"now": now_ms, "user_id": caller.user_id, "autosaved": int(autosave)}
        await writer.run(sql.begin_version, **whose, **begun)
        limits = {"max_versions": MAX_VERSIONS, "max_bytes": MAX_VERSION_BYTES}
        await writer.run(sql.drop_old_versions, id=note.id, **limits)
    await writer.run(
        sql.update_note,
        **whose,
        title=title,
        title_key=None if title is None else title_key(title),
        body=body,
        tags=stored_tags,
        size=None if body is None else len(body.encode()),
        visibility=fields.get("visibility"),
        now=now_ms,
    )
    if tags is not None:
        await store_tags(writer, caller.org_id, note.id, tags)


async def share(
    writer: Writer,
    neighbours: Neighbours,
    caller: Principal,
    note_id: str,
    fields: Mapping[str, Any],
    *,
    check_if_match: CheckIfMatch,
    now_ms: int,
) -> JsonAndEtag:
    """Shares a note; nobody gives more than they hold themselves, but for reading."""
    note = await find_to_change(writer, caller, note_id, MANAGE, check_if_match)
    user_id, permission = fields["user_id"], fields["permission"]
    if permission not in note.rights_of(caller) | {READ}:
        raise PermissionDenied(permission, f"Only who holds {permission} on this note can give it.")
    if user_id == note.owner_id:
        raise InvalidRequest.at("/user_id", "owns this note already")
    if await writer.one(sql.colleague, user_id=user_id, org_id=caller.org_id) is None:
        raise InvalidRequest.at("/user_id", "is nobody in your company")
    await writer.run(
        sql.put_share, id=note_id, user_id=user_id, org_id=caller.org_id, permission=permission, now=now_ms
    )
    await writer.run(sql.bump_revision, id=note_id, org_id=caller.org_id)
    await _tell_of_share(writer, neighbours.host, caller, note, user_id)
    writer.audit("note.shared", ("note", note_id), detail={"user_id": user_id, "permission": permission})
    await publish(writer, neighbours, caller, note, "shared")
    return await json_and_etag(writer, caller, await _find(writer, caller, note_id))


async def _tell_of_share(writer: Writer, host: Host, caller: Principal, note: Note, user_id: str) -> None:
    notice = Notice(
        kind=SHARED,
        org_id=note.org_id,
        team_id=note.team_id,
        people=[user_id],
        by=caller.user_id,
        params={"by": caller.display_name, "title": note.title},
        link=f"/notes/{note.id}",
    )
    await notify(host, writer, notice)


async def unshare(
    writer: Writer,
    neighbours: Neighbours,
    caller: Principal,
    note_id: str,
    fields: Mapping[str, Any],
    check_if_match: CheckIfMatch,
) -> None:
    note = await find_to_change(writer, caller, note_id, MANAGE, check_if_match)
    user_id = fields["user_id"]
    if await writer.one(sql.delete_share, id=note_id, user_id=user_id, org_id=caller.org_id) is None:
        raise NotFound("The note is not shared with that person.")
    await writer.run(sql.bump_revision, id=note_id, org_id=caller.org_id)
    writer.audit("note.unshared", ("note", note_id), detail={"user_id": user_id})
    await publish(writer, neighbours, caller, note, "unshared", also=user_id)


async def find(reader: Reader, caller: Principal, note_id: str) -> Note:
    """Returns a note of the company, also one that lies in the bin; raises `NotFound`."""
    row = await reader.one(sql.note, id=note_id, org_id=caller.org_id, user_id=caller.user_id)
    if row is None:
        raise NotFound()
    return Note.from_row(row)


async def _find(reader: Reader, caller: Principal, note_id: str) -> Note:
    note = await find(reader, caller, note_id)
    if note.deleted_at is not None:
        raise NotFound()
    return note


async def find_to_change(
    writer: Writer, caller: Principal, note_id: str, right: str, check_if_match: CheckIfMatch
) -> Note:
    """Returns the note as it is until the transaction ends, for a caller who may do this to it."""
    await lock(writer, note_id)
    note = await _find(writer, caller, note_id)
    note.require(right, note.rights_of(caller))
    check_if_match(note.etag)
    return note


async def lock(writer: Writer, note_id: str) -> None:
    """Locks a note until the transaction ends."""
    await writer.serialize(f"note:{note_id}")


async def json_and_etag(
    reader: Reader, caller: Principal, note: Note, *, across_company: bool = False
) -> JsonAndEtag:
    rights = note.rights_of(caller, across_company=across_company)
    shares = await _shares(reader, caller, [note] if MANAGE in rights else [])
    return note.to_json(rights, shares.get(note.id)), note.etag


async def _shares(reader: Reader, caller: Principal, notes: Sequence[Note]) -> Mapping[str, list[Row]]:
    """Returns with whom each note is shared, of those whose shares the caller may see."""
    shares: dict[str, list[Row]] = {note.id: [] for note in notes}
    if shares:
        for row in await reader.all(sql.shares, ids=json.dumps(list(shares)), org_id=caller.org_id):
            shares[row["note_id"]].append(row)
    return shares


async def may_hear(host: Host, reader: Reader, principal: Principal, payload: NoteChanged) -> bool:
    """Tells whether somebody may hear of a note: who may read it, be it in the bin."""
    try:
        note = await find(reader, principal, payload.note_id)
    except NotFound:
        return False
    return READ in note.rights_of(principal)
