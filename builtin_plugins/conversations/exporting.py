"""A conversation as a file: the branch that is shown as Markdown, or all of it as JSON."""

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from builtin_plugins.conversations.conversation import Conversation
from builtin_plugins.conversations.message import sql
from builtin_plugins.conversations.showing import show_all, show_messages
from guildhall_sdk import Host, Principal
from guildhall_sdk.replies import decode_cursor

_PAGE = 50
_MAX_BRANCH = 100_000


async def as_json(host: Host, caller: Principal, conversation: Conversation) -> AsyncIterator[bytes]:
    """Yields the conversation with all its messages, as the caller is shown them."""
    head = json.dumps(conversation.public(caller, host.clock.now_ms()), ensure_ascii=False)
    yield f'{head[:-1]}, "messages": ['.encode("utf-8", "replace")
    after, lead = "", ""
    while True:
        # Outside of the scope: whoever reads slowly holds nothing.
        async with host.data.read() as reader:
            shown, cursor = await show_all(reader, host, caller, conversation, after, _PAGE + 1)
        for message in shown:
            yield f"{lead}\n{json.dumps(message, ensure_ascii=False)}".encode("utf-8", "replace")
            lead = ","
        if cursor is None:
            break
        after = decode_cursor(cursor) or ""
    yield b"\n]}\n"


async def as_markdown(host: Host, caller: Principal, conversation: Conversation) -> AsyncIterator[bytes]:
    """Yields the branch that is shown, oldest first."""
    yield f"# {_line(conversation.title) or conversation.id}\n".encode("utf-8", "replace")
    ids: list[str] = []
    if conversation.current_id is not None:
        async with host.data.read() as reader:
            rows = await reader.all(
                sql.branch,
                leaf=conversation.current_id,
                conversation_id=conversation.id,
                org_id=conversation.org_id,
                limit=_MAX_BRANCH,
            )
        ids = [row["id"] for row in reversed(rows)]
    for first in range(0, len(ids), _PAGE):
        async with host.data.read() as reader:
            shown = await show_messages(reader, host, caller, conversation.id, ids[first : first + _PAGE])
        for message in sorted(shown, key=lambda one: ids.index(one["id"])):
            yield _markdown(message).encode("utf-8", "replace")


def _markdown(message: Mapping[str, Any]) -> str:
    who = message["author"]["name"] if message["role"] == "user" else message["model"] or "assistant"
    lines = [f"\n## {_line(who)}, {message['created_at']}\n"]
    for part in message["parts"]:
        if part["type"] == "text":
            lines.append(part["text"])
        elif part["type"] == "object":
            lines.append(f"[document {part['object_id']}]")
        else:
            lines.append("[picture]")
    lines += [f"> {_line(call['name'])}: {call['state']}" for call in message["tools"]]
    for one in message["citations"]:
        if one["quote"] is not None:
            lines.append(f"[{one['n']}] {_line(one.get('title') or one['id'])}: {_line(one['quote'])}")
    return "\n\n".join(lines) + "\n"


def _line(text: str) -> str:
    return " ".join(text.split())
