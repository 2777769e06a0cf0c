"""What a model is told: what was said before in the branch, documents by their text, and passages."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from builtin_plugins.conversations.conversation import Conversation
from builtin_plugins.conversations.message import Message, sql, text_of
from builtin_plugins.conversations.showing import load_messages
from guildhall_sdk import Host, InvalidRequest, NotFound, PermissionDenied, Principal, Problem
from guildhall_sdk.services.repository import Repository

# Of what was said before, the newest that fit; the question itself always does.
_MAX_MESSAGES = 200
_MAX_BYTES = 4 * 1024 * 1024
_MAX_CHARACTERS = 400_000
MAX_DOCUMENT_CHARACTERS = 200_000
_MAX_DOCUMENTS_CHARACTERS = 1_000_000
_GONE = "[A document that cannot be read any more.]"
_UNREAD = ("pending", "stale")


class Asked(NamedTuple):
    """A question with what was said before it, as a model is told it."""

    question: str
    messages: Sequence[Mapping[str, Any]]


def system_of(*texts: str | None) -> list[dict[str, Any]]:
    """Returns the message that says how to answer, of these texts; none where there is none."""
    told = "\n\n".join(text for text in texts if text)
    return [{"role": "system", "content": told}] if told else []


async def asked_of(host: Host, principal: Principal, conversation: Conversation, answer: Message) -> Asked:
    """Returns what an answer is asked with. A document that nobody has read yet is read. Not inside a scope.

    Raises `InvalidRequest` for a document of the question that the asker may not read.
    """
    assert answer.parent_id is not None
    async with host.data.read() as reader:
        rows = await reader.all(
            sql.branch,
            leaf=answer.parent_id,
            conversation_id=conversation.id,
            org_id=conversation.org_id,
            limit=_MAX_MESSAGES,
        )
        total = 0
        ids: list[str] = []
        for row in rows:
            total += row["size"]
            if ids and total > _MAX_BYTES:
                break
            ids.append(row["id"])
        branch = await load_messages(reader, conversation.org_id, conversation.id, ids)
    by_id = {message.id: message for message in branch}
    told: list[Mapping[str, Any]] = []
    left = _MAX_CHARACTERS
    for place, message_id in enumerate(ids):
        message = by_id[message_id]
        content = await _content(host, principal, message, is_question=place == 0)
        left -= _length(content)
        if place and left < 0:
            break
        if content:
            told.insert(0, {"role": message.role, "content": content})
    return Asked(text_of(by_id[answer.parent_id].parts), told)


def _length(content: str | Sequence[Mapping[str, Any]]) -> int:
    if isinstance(content, str):
        return len(content)
    return sum(len(part.get("text", "")) for part in content)


async def _content(
    host: Host, principal: Principal, message: Message, *, is_question: bool
) -> str | list[dict[str, Any]]:
    """Returns a message as a model is told it: a text alone as it is, else its parts."""
    if message.role == "assistant" or all(part["type"] == "text" for part in message.parts):
        return message.text
    parts: list[dict[str, Any]] = []
    left = _MAX_DOCUMENTS_CHARACTERS
    for place, part in enumerate(message.parts):
        if part["type"] == "object":
            text = await _document(host, principal, part["object_id"], place, is_question=is_question)
            text = text[: min(left, MAX_DOCUMENT_CHARACTERS)]
            left -= len(text)
            parts.append({"type": "text", "text": text})
        elif part["type"] == "text":
            parts.append({"type": "text", "text": part["text"]})
        else:
            parts.append(dict(part))
    return parts


async def _document(
    host: Host, principal: Principal, object_id: str, place: int, *, is_question: bool
) -> str:
    repository = host.service(Repository)
    if not is_question:
        try:
            async with host.data.read() as reader:
                return await repository.text(reader, principal, object_id) or _GONE
        except Problem:
            return _GONE
    try:
        read = await repository.read_text(principal, object_id)
    except (NotFound, PermissionDenied):
        raise _unreadable(place) from None
    if read.text is None:
        raise InvalidRequest.at(f"/prompt/{place}/object_id", "has no text that could be read; name another")
    return read.text


async def check_documents(host: Host, principal: Principal, parts: Sequence[Mapping[str, Any]]) -> bool:
    """Returns whether a document waits to be read; raises `InvalidRequest` for one that cannot be had."""
    unread = False
    for place, part in enumerate(parts):
        if part["type"] != "object":
            continue
        try:
            async with host.data.read() as reader:
                found = await host.service(Repository).get(reader, principal, part["object_id"])
        except (NotFound, PermissionDenied):
            raise _unreadable(place) from None
        unread |= found.text_status in _UNREAD
    return unread


def _unreadable(place: int) -> InvalidRequest:
    return InvalidRequest.at(f"/prompt/{place}/object_id", "there is no such document that you may read")
