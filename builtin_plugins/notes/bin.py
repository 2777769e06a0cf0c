"""The bin: what is deleted lies there for a while, and can be taken out again."""

from builtin_plugins.notes import service
from builtin_plugins.notes.note import (
    DELETE,
    STORAGE,
    TYPE,
    JsonAndEtag,
    Neighbours,
    Note,
    findable,
    publish,
    sql,
)
from builtin_plugins.notes.service import CheckIfMatch
from guildhall_sdk import Conflict, NotFound, Principal, Reader, Writer
from guildhall_sdk.retention import FOR_EVER, Retained, days_setting
from guildhall_sdk.services.search import PreparedText

#: Notes of one owner that lie in a team's bin at most: they count as nobody's storage.
MAX_NOTES = 500
_DAY_MS = 24 * 3600 * 1000

KEEP_DELETED_DAYS = days_setting(
    "keep_deleted_notes_days",
    what="deleted notes",
    default=30,
    variable="SERVICE_KEEP_DELETED_NOTES_DAYS",
)


def floor(now_ms: int, days: int) -> int:
    """Returns the time before which what was deleted is gone."""
    return 0 if days == FOR_EVER else now_ms - days * _DAY_MS


async def put(
    writer: Writer,
    neighbours: Neighbours,
    caller: Principal,
    note_id: str,
    check_if_match: CheckIfMatch,
    now_ms: int,
) -> None:
    """Deletes a note, which lies in the bin from then on and takes no storage."""
    note = await service.find_to_change(writer, caller, note_id, DELETE, check_if_match)
    await writer.run(sql.put_in_bin, id=note_id, org_id=caller.org_id, now=now_ms, user_id=caller.user_id)
    await neighbours.index.remove(writer, TYPE, note_id)
    writer.audit("note.deleted", ("note", note_id))
    await publish(writer, neighbours, caller, note, "deleted")
    await neighbours.quotas.adjust(writer, caller.org_id, note.team_id, STORAGE, -note.stored_bytes)
    full = await writer.all(
        sql.oldest_in_bin, owner_id=note.owner_id, team_id=note.team_id, max_notes=MAX_NOTES
    )
    for row in full:
        await writer.run(sql.delete_note, id=row["id"], org_id=caller.org_id)


async def delete_forever(
    writer: Writer, caller: Principal, note_id: str, check_if_match: CheckIfMatch, oldest: int
) -> None:
    """Deletes what lies in the bin for good; raises `Conflict` `not_deleted` for what does not."""
    await service.lock(writer, note_id)
    note = await service.find(writer, caller, note_id)
    note.require(DELETE, note.rights_of(caller))
    if note.deleted_at is None:
        raise Conflict("The note is not in the bin; delete it first.", code="not_deleted")
    _check_there(note, oldest)
    check_if_match(note.etag)
    await writer.run(sql.delete_note, id=note_id, org_id=caller.org_id)
    writer.audit("note.deleted_forever", ("note", note_id))


async def text_to_index(reader: Reader, caller: Principal, note_id: str) -> str:
    """Returns the text that the index gets again, for a caller who may take the note out of the bin."""
    note = await service.find(reader, caller, note_id)
    note.require(DELETE, note.rights_of(caller))
    return note.body


async def restore(
    writer: Writer,
    neighbours: Neighbours,
    caller: Principal,
    note_id: str,
    *,
    check_if_match: CheckIfMatch,
    oldest: int,
    prepared: PreparedText | None,
) -> JsonAndEtag:
    """Takes a note out of the bin, and of the storage again; one that is not in there stays as it is."""
    await service.lock(writer, note_id)
    note = await service.find(writer, caller, note_id)
    note.require(DELETE, note.rights_of(caller))
    if note.deleted_at is None:
        return await service.json_and_etag(writer, caller, note)
    _check_there(note, oldest)
    check_if_match(note.etag)
    await writer.run(sql.take_out_of_bin, id=note_id, org_id=caller.org_id)
    restored = await service.find(writer, caller, note_id)
    await neighbours.index.put(writer, findable(restored, prepared, new=True))
    writer.audit("note.restored", ("note", note_id))
    await publish(writer, neighbours, caller, note, "restored")
    await neighbours.quotas.adjust(writer, caller.org_id, note.team_id, STORAGE, note.stored_bytes)
    return await service.json_and_etag(writer, caller, restored)


def _check_there(note: Note, oldest: int) -> None:
    if note.deleted_at is not None and note.deleted_at <= oldest:
        raise NotFound()


async def _count(reader: Reader, before: int) -> int:
    return int(await reader.value(sql.count_binned, before=before))


async def _delete_old(writer: Writer, before: int, limit: int) -> int:
    return len(await writer.all(sql.delete_binned, before=before, limit=limit))


DELETED_NOTES = Retained(
    name="deleted_notes",
    title="notes in the bin",
    keep_days=KEEP_DELETED_DAYS,
    count=_count,
    delete_expired=_delete_old,
)
