"""What a reader is shown of messages: those of a branch or all, as far as they may read what is cited."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from builtin_plugins.conversations.citations import readable_sources
from builtin_plugins.conversations.conversation import Conversation
from builtin_plugins.conversations.message import Message, sql
from guildhall_sdk import Host, Principal, Reader
from guildhall_sdk.replies import encode_cursor

#: Of a branch, what is shown at once; the others are asked for.
SHOWN_OF_BRANCH = 30
# A page of the longest messages would not fit in memory many times over; a cursor leads on from anywhere.
MAX_PAGE_BYTES = 2 * 1024 * 1024


async def show_branch(
    reader: Reader, host: Host, caller: Principal, conversation: Conversation, leaf: str | None, fetched: int
) -> tuple[list[dict[str, Any]], str | None]:
    """Returns the end of the branch up to `leaf`, oldest first, and the message before it, if any."""
    if leaf is None:
        return [], None
    rows = await reader.all(
        sql.branch,
        leaf=leaf,
        conversation_id=conversation.id,
        org_id=conversation.org_id,
        limit=fetched,
    )
    taken = _within(rows)
    ids = [row["id"] for row in reversed(taken)]
    messages = await show_messages(reader, host, caller, conversation.id, ids)
    messages.sort(key=lambda message: ids.index(message["id"]))
    return messages, taken[-1]["parent_id"] if taken else None


async def show_all(
    reader: Reader, host: Host, caller: Principal, conversation: Conversation, after: str, fetched: int
) -> tuple[list[dict[str, Any]], str | None]:
    """Returns a page of all messages in the order in which they were written, and the cursor of the next."""
    rows = await reader.all(
        sql.ids_after,
        conversation_id=conversation.id,
        org_id=conversation.org_id,
        after=after,
        limit=fetched,
    )
    taken = _within(rows[: fetched - 1])
    messages = await show_messages(reader, host, caller, conversation.id, [row["id"] for row in taken])
    more = len(taken) < len(rows)
    return messages, encode_cursor(taken[-1]["id"]) if more else None


def _within(rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Returns the first of the rows, as many as make a page; one at the least."""
    total = 0
    for place, row in enumerate(rows):
        total += row["size"]
        if total > MAX_PAGE_BYTES and place:
            return rows[:place]
    return rows


async def load_messages(
    reader: Reader, org_id: str, conversation_id: str, ids: Sequence[str]
) -> Sequence[Message]:
    """Returns messages by id, in the order in which they were written."""
    if not ids:
        return ()
    rows = await reader.all(
        sql.by_ids, conversation_id=conversation_id, org_id=org_id, ids=json.dumps(list(ids))
    )
    return [Message.of(row) for row in rows]


async def show_messages(
    reader: Reader, host: Host, caller: Principal, conversation_id: str, ids: Sequence[str]
) -> list[dict[str, Any]]:
    """Returns messages by id as the caller, who may read the conversation, is shown them."""
    found = await load_messages(reader, caller.org_id, conversation_id, ids)
    if not found:
        return []
    where = {"conversation_id": conversation_id, "org_id": caller.org_id}
    running = [one.id for one in found if one.state == "running"]
    said: defaultdict[str, str] = defaultdict(str)
    if running:
        for row in await reader.all(sql.said, **where, ids=json.dumps(running)):
            said[row["message_id"]] += json.loads(row["data"])["text"]
    cited = {(one["type"], one["id"]) for message in found for one in message.citations}
    readable = await readable_sources(host, caller, cited)
    siblings = await _siblings(reader, where, found)
    return [
        message.public(caller.user_id, readable, said.get(message.id), siblings[message.parent_id or ""])
        for message in found
    ]


async def _siblings(
    reader: Reader, where: Mapping[str, str], found: Iterable[Message]
) -> Mapping[str, Sequence[str]]:
    """Returns by parent the messages below it; "" stands for none."""
    parents = {message.parent_id for message in found}
    rows = await reader.all(
        sql.siblings,
        **where,
        parents=json.dumps(sorted(filter(None, parents))),
        with_first=int(None in parents),
    )
    siblings: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        siblings[row["parent_id"]].append(row["id"])
    return siblings
