"""Prompts as callers write them, made into the messages of a turn."""

from collections.abc import Mapping, Sequence
from typing import Any

from guildhall_sdk import InvalidRequest, NotFound, Principal, Reader
from guildhall_sdk.services import Repository

MAX_DOCUMENT_CHARACTERS = 200_000
# Of all documents together: a body of a few names must not become a turn of fifty megabytes.
MAX_TOTAL_CHARACTERS = 2_000_000


async def messages_of(
    repository: Repository,
    reader: Reader,
    principal: Principal,
    prompt: str | Sequence[Mapping[str, Any]],
    system: str | None,
    history: Sequence[Mapping[str, str]] = (),
) -> list[dict[str, Any]]:
    """The messages; a document becomes its text. Raises `InvalidRequest` that names the part.

    `history` is what was said before, by its caller's account: the server keeps no conversation.
    """
    messages: list[dict[str, Any]] = [] if system is None else [{"role": "system", "content": system}]
    messages += [{"role": said["role"], "content": said["text"]} for said in history]
    if isinstance(prompt, str):
        content: Any = prompt
    else:
        content, left = [], MAX_TOTAL_CHARACTERS
        for number, part in enumerate(prompt):
            content.append(await _part(repository, reader, principal, number, part))
            if part["type"] == "object" and (left := left - len(content[-1]["text"])) < 0:
                raise InvalidRequest.at(
                    f"/prompt/{number}/object_id",
                    f"is one too many: all have more than {MAX_TOTAL_CHARACTERS:,} characters",
                )
    return [*messages, {"role": "user", "content": content}]


async def _part(
    repository: Repository, reader: Reader, principal: Principal, number: int, part: Mapping[str, Any]
) -> dict[str, Any]:
    if part["type"] != "object":
        return dict(part)
    pointer = f"/prompt/{number}/object_id"
    try:
        text = await repository.text(reader, principal, part["object_id"])
    except NotFound:
        raise InvalidRequest.at(pointer, "there is no such document that you may read") from None
    if text is None:
        raise InvalidRequest.at(
            pointer, "has no text that could be read; ask again when its text_status is indexed"
        )
    return {"type": "text", "text": text[:MAX_DOCUMENT_CHARACTERS]}
