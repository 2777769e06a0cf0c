"""Conversations and their folders, without HTTP: making, changing, listing, forking and deleting them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from builtin_plugins.conversations import conversation as conversations
from builtin_plugins.conversations.asking import Place, end_turns, find, parts_of
from builtin_plugins.conversations.choosing import choose_model
from builtin_plugins.conversations.conversation import (
    FOLDER_PREFIX,
    ID_PREFIX,
    Conversation,
    search_words,
    sql,
    title_of,
)
from builtin_plugins.conversations.events import list_changed, notify
from builtin_plugins.conversations.message import Message, NewMessage, insert, public_tool, text_of
from builtin_plugins.conversations.message import sql as messages
from builtin_plugins.conversations.showing import load_messages
from guildhall_sdk import Conflict, InvalidRequest, NotFound, Principal, Reader, Writer, new_id, rfc3339
from guildhall_sdk.replies import encode_cursor
from guildhall_sdk.retention import Retained, days_setting

MAX_CONVERSATIONS, MAX_FOLDERS = 10_000, 200
#: What a fork takes over of a branch.
MAX_FORKED = 1_000
_OWNERS = ("folder_id", "pinned")
_LAST = "~"

KEEP_DAYS = days_setting(
    "keep_conversations_days",
    what="conversations in which nothing is written any more",
    default=0,
    variable="SERVICE_KEEP_CONVERSATIONS_DAYS",
)


async def page(
    reader: Reader, caller: Principal, query: Mapping[str, Any], after: str | None, fetched: int, now_ms: int
) -> tuple[list[dict[str, Any]], str | None]:
    """Returns the caller's own conversations, pinned ones first, or what others share with them."""
    pinned, updated_at, last = _position(after)
    q = search_words(query.get("q", ""))
    where: dict[str, Any] = {
        "user_id": caller.user_id,
        "my_team": caller.team_id,
        "org_id": caller.org_id,
        "updated_at": updated_at,
        "last": last,
        "limit": fetched,
    }
    if query.get("shared") == "1":
        rows = await reader.all(sql.shared_page, **where, q=q, now=now_ms)
    else:
        where |= {"team_id": caller.team_id, "pinned": pinned, "folder_id": query.get("folder")}
        rows = await (reader.all(sql.own_found, **where, q=q) if q else reader.all(sql.own_page, **where))
    found = [Conversation.of(row) for row in rows[: fetched - 1]]
    more = found[-1] if len(rows) == fetched and found else None
    cursor = None if more is None else f"{int(more.pinned)}.{more.updated_at}.{more.id}"
    shown = [one.public(caller, now_ms) for one in found]
    return shown, None if cursor is None else encode_cursor(cursor)


def _position(after: str | None) -> tuple[int, int, str]:
    pinned, _, rest = (after or "2.0.").partition(".")
    updated_at, _, last = rest.partition(".")
    if not (
        pinned in ("0", "1", "2") and updated_at.isascii() and updated_at.isdigit() and len(updated_at) < 16
    ):
        raise InvalidRequest.at("?cursor", "is not a cursor that this list gave; start without one")
    return (2, 2**53, _LAST) if pinned == "2" else (int(pinned), int(updated_at), last)


async def create(place: Place, body: Mapping[str, Any]) -> Conversation:
    """Makes a conversation of the caller's own, with what was said elsewhere where that is given."""
    caller, now_ms = place.caller, place.now_ms
    await place.writer.serialize(f"conversations.{caller.user_id}")
    many = await place.writer.value(
        sql.many_of_owner, user_id=caller.user_id, team_id=caller.team_id, org_id=caller.org_id
    )
    if many >= MAX_CONVERSATIONS:
        raise Conflict(
            f"You have {MAX_CONVERSATIONS:,} conversations; delete some first.", code="too_many_conversations"
        )
    await _check(place, body)
    said: Sequence[Mapping[str, Any]] = body.get("messages", ())
    title = body.get("title", "").strip() or (title_of(text_of(parts_of(said[0]["text"]))) if said else "")
    conversation_id = new_id(ID_PREFIX, now_ms)
    await place.writer.run(
        sql.insert_conversation,
        id=conversation_id,
        org_id=caller.org_id,
        team_id=caller.team_id,
        owner_id=caller.user_id,
        folder_id=body.get("folder_id"),
        pinned=int(body.get("pinned", False)),
        named=int(bool(body.get("title", "").strip())),
        title=title,
        title_words=search_words(title),
        model=body.get("model"),
        system=body.get("system"),
        now=now_ms,
    )
    parent_id = None
    for number, one in enumerate(said):
        new = NewMessage(parent_id, one["role"], parts_of(one["text"]))
        where = (caller.org_id, conversation_id)
        parent_id = await insert(place.writer, where, caller.user_id, new, now_ms - len(said) + number)
    if parent_id is not None:
        await _grown(place, conversation_id, parent_id, len(said))
    place.writer.audit("conversation.created", ("conversation", conversation_id))
    list_changed(place.writer, place.host, caller.user_id)
    return await conversations.find(place.writer, caller, conversation_id, now_ms)


async def _grown(place: Place, conversation_id: str, last_id: str, many: int) -> None:
    await place.writer.run(
        sql.grown,
        id=conversation_id,
        org_id=place.caller.org_id,
        message_id=last_id,
        added=many,
        now=place.now_ms,
        title="",
        title_words="",
    )


async def _check(place: Place, body: Mapping[str, Any]) -> None:
    """Raises for a folder or a model that the caller does not have."""
    if (
        body.get("folder_id") is not None
        and await folder(place.writer, place.caller, body["folder_id"]) is None
    ):
        raise InvalidRequest.at("/folder_id", "is no folder of yours")
    if body.get("model") is not None:
        await choose_model(place.host, place.writer, place.caller, body["model"])


async def change(place: Place, conversation_id: str, body: Mapping[str, Any]) -> Conversation:
    """Changes the named fields; where it stands in the list is its owner's alone."""
    right = "manage" if any(name in body for name in _OWNERS) else "edit"
    before = await conversations.hold(place.writer, place.caller, conversation_id, place.now_ms, right)
    if not body:
        return before
    await _check(place, body)
    title = body["title"].strip() if "title" in body else before.title
    current_id = before.current_id
    if "current_id" in body:
        await find(place.writer, before, body["current_id"], "/current_id")
        current_id = await place.writer.value(
            messages.newest_below,
            id=body["current_id"],
            conversation_id=before.id,
            org_id=before.org_id,
        )
    changed = replace(
        before,
        title=title,
        named=before.named or bool("title" in body and title),
        folder_id=body.get("folder_id", before.folder_id),
        pinned=body.get("pinned", before.pinned),
        model=body.get("model", before.model),
        system=body.get("system", before.system),
        current_id=current_id,
    )
    await place.writer.run(
        sql.update_conversation,
        id=changed.id,
        org_id=changed.org_id,
        folder_id=changed.folder_id,
        pinned=int(changed.pinned),
        named=int(changed.named),
        title=changed.title,
        title_words=search_words(changed.title),
        model=changed.model,
        system=changed.system,
        current_id=changed.current_id,
    )
    place.writer.audit("conversation.updated", ("conversation", changed.id), detail={"fields": sorted(body)})
    list_changed(place.writer, place.host, changed.owner_id, place.caller.user_id)
    return changed


async def delete(place: Place, conversation_id: str) -> None:
    """Deletes a conversation with all its messages; answers that are being written end."""
    conversation = await conversations.hold(
        place.writer, place.caller, conversation_id, place.now_ms, "manage"
    )
    await end_turns(place.host, place.writer, conversation)
    await place.writer.run(sql.delete_conversation, id=conversation.id, org_id=conversation.org_id)
    place.writer.audit("conversation.deleted", ("conversation", conversation.id))
    notify(place.writer, place.host, conversation.id)
    list_changed(place.writer, place.host, conversation.owner_id)


async def fork(place: Place, conversation_id: str, message_id: str) -> Conversation:
    """Makes a conversation of the caller's own of a branch up to a message.

    Of somebody else's tools it has the names alone; who may read what is cited is asked anew of each reader.
    """
    source = await conversations.find(place.writer, place.caller, conversation_id, place.now_ms)
    last = await find(place.writer, source, message_id, "/message_id")
    if last.is_under_way:
        raise Conflict("This answer is still being written; wait for it, or stop it.", code="turn_running")
    made = await create(place, {"title": source.title, "system": source.system})
    rows = await place.writer.all(
        messages.branch,
        leaf=last.id,
        conversation_id=source.id,
        org_id=source.org_id,
        limit=MAX_FORKED + 1,
    )
    if len(rows) > MAX_FORKED:
        raise Conflict(f"A branch of more than {MAX_FORKED:,} messages cannot be forked.", code="too_long")
    ids = [row["id"] for row in reversed(rows)]
    parent_id: str | None = None
    for first in range(0, len(ids), 50):
        found = {
            one.id: one
            for one in await load_messages(place.writer, source.org_id, source.id, ids[first : first + 50])
        }
        for number, message_id in enumerate(ids[first : first + 50], first):
            new = _copied(found[message_id], parent_id, place.caller)
            where = (source.org_id, made.id)
            at_ms = place.now_ms - len(ids) + number
            parent_id = await insert(place.writer, where, place.caller.user_id, new, at_ms)
    assert parent_id is not None
    await _grown(place, made.id, parent_id, len(ids))
    list_changed(place.writer, place.host, place.caller.user_id)
    place.writer.audit("conversation.forked", ("conversation", made.id), detail={"from": source.id})
    return await conversations.find(place.writer, place.caller, made.id, place.now_ms)


def _copied(message: Message, parent_id: str | None, caller: Principal) -> NewMessage:
    own = message.author_id == caller.user_id
    return NewMessage(
        parent_id,
        message.role,
        message.parts,
        state=message.state,
        asked=message.asked,
        model=message.model,
        usage=message.usage,
        tools=message.tools if own else [public_tool(call, whole=False) for call in message.tools],
        citations=message.citations,
    )


async def folders(
    reader: Reader, caller: Principal, after: str | None, fetched: int
) -> tuple[list[dict[str, Any]], str | None]:
    """Returns the caller's folders, the oldest first."""
    rows = await reader.all(sql.folders, **_own(caller), after=after or "", limit=fetched)
    shown = [_folder(row) for row in rows[: fetched - 1]]
    return shown, encode_cursor(shown[-1]["id"]) if len(rows) == fetched and shown else None


async def folder(reader: Reader, caller: Principal, folder_id: str) -> dict[str, Any] | None:
    """Returns a folder of the caller's, or None."""
    row = await reader.one(sql.folder, id=folder_id, **_own(caller))
    return None if row is None else _folder(row)


async def make_folder(place: Place, name: str) -> dict[str, Any]:
    await place.writer.serialize(f"conversations.{place.caller.user_id}")
    if await place.writer.value(sql.many_folders, **_own(place.caller)) >= MAX_FOLDERS:
        raise Conflict(f"You have {MAX_FOLDERS} folders; delete some first.", code="too_many_folders")
    made = {"id": new_id(FOLDER_PREFIX, place.now_ms), "name": _name(name)}
    await place.writer.run(sql.insert_folder, **_own(place.caller), **made, now=place.now_ms)
    return {**made, "created_at": rfc3339(place.now_ms)}


async def rename_folder(place: Place, folder_id: str, name: str) -> dict[str, Any]:
    await place.writer.run(sql.rename_folder, id=folder_id, name=_name(name), **_own(place.caller))
    found = await folder(place.writer, place.caller, folder_id)
    if found is None:
        raise NotFound()
    return found


async def delete_folder(place: Place, folder_id: str) -> None:
    """Deletes a folder; the conversations in it stay."""
    if await folder(place.writer, place.caller, folder_id) is None:
        raise NotFound()
    await place.writer.run(sql.delete_folder, id=folder_id, **_own(place.caller))


def _name(name: str) -> str:
    if not name.strip():
        raise InvalidRequest.at("/name", "takes a few letters that can be read")
    return name.strip()


def _own(caller: Principal) -> dict[str, str]:
    return {"user_id": caller.user_id, "team_id": caller.team_id, "org_id": caller.org_id}


def _folder(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": row["id"], "name": row["name"], "created_at": rfc3339(row["created_at"])}


async def _count(reader: Reader, before: int) -> int:
    return int(await reader.value(sql.count_old, before=before))


async def _delete_old(writer: Writer, before: int, limit: int) -> int:
    return len(await writer.all(sql.delete_old, before=before, limit=limit))


OLD = Retained(
    name="conversations",
    title="conversations in which nothing is written any more",
    keep_days=KEEP_DAYS,
    count=_count,
    delete_expired=_delete_old,
)
