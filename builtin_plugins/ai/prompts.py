"""Prompts as callers write them, made into turns, and the reply as the API shows it."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from builtin_plugins.ai.metering import estimated_prompt, estimated_tokens
from builtin_plugins.ai.settings import IMAGE_URLS
from builtin_plugins.ai.sources import wants_json
from guildhall_sdk import Host, InvalidRequest, NotFound, PermissionDenied, Principal
from guildhall_sdk.services.models import (
    DEFAULT_MAX_TOKENS,
    DEFAULT_MODEL,
    MemberModels,
    ModelChoice,
    ModelReply,
    ModelTurn,
    TokenUsage,
)
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.stored_objects import TextPending

MAX_DOCUMENT_CHARACTERS = 200_000
# Of all documents together: a body of a few names must not become a turn of fifty megabytes.
MAX_TOTAL_CHARACTERS = 2_000_000
#: For so long a turn waits until the documents of its prompt are read.
READING_SECONDS = 30.0
READING = {"type": "status", "text": "reading"}
_AGAIN_SECONDS = 5
_UNREAD = ("pending", "stale")

Prompt = str | Sequence[Mapping[str, Any]]


class Content(NamedTuple):
    """What a prompt holds; `unread` says that a document's text is not in it, as it waits to be read."""

    parts: Any
    unread: bool = False


def messages_of(
    content: Any, system: str | None, history: Sequence[Mapping[str, str]] = ()
) -> list[dict[str, Any]]:
    """Returns the messages. `history` is what the caller says was said before: the server stores none."""
    messages: list[dict[str, Any]] = [] if system is None else [{"role": "system", "content": system}]
    messages += [{"role": said["role"], "content": said["text"]} for said in history]
    return [*messages, {"role": "user", "content": content}]


async def check_prompt(host: Host, principal: Principal, prompt: Prompt) -> Content:
    """Returns the content as far as it can be had at once; a document becomes its text.

    Raises `InvalidRequest` that names the part: a picture or a document that is not taken.
    """
    return await _content(host, principal, prompt, wait=False)


async def read_prompt(host: Host, principal: Principal, prompt: Prompt) -> Any:
    """Returns the whole content; documents are read that nobody has read yet. Not inside a scope.

    Raises what `check_prompt` raises, and `TextPending` where that takes too long.
    """
    try:
        async with asyncio.timeout(READING_SECONDS):
            return (await _content(host, principal, prompt, wait=True)).parts
    except TimeoutError:
        raise TextPending(
            "A document of the prompt is still being read; try again.", _AGAIN_SECONDS
        ) from None


async def _content(host: Host, principal: Principal, prompt: Prompt, *, wait: bool) -> Content:
    if isinstance(prompt, str):
        return Content(prompt)
    parts: list[dict[str, Any]] = []
    unread, left = False, MAX_TOTAL_CHARACTERS
    for number, part in enumerate(prompt):
        if part["type"] != "object":
            _check_picture(host, number, part)
            parts.append(dict(part))
            continue
        text = await _text(host, principal, f"/prompt/{number}/object_id", part["object_id"], wait=wait)
        unread |= text is None
        parts.append({"type": "text", "text": (text or "")[:MAX_DOCUMENT_CHARACTERS]})
        if (left := left - len(parts[-1]["text"])) < 0:
            raise InvalidRequest.at(
                f"/prompt/{number}/object_id",
                f"is one too many: all have more than {MAX_TOTAL_CHARACTERS:,} characters",
            )
    return Content(parts, unread)


def _check_picture(host: Host, number: int, part: Mapping[str, Any]) -> None:
    """Refuses an address in place of a picture: the model's server would fetch it from where it stands."""
    if part["type"] != "image_url" or part["image_url"]["url"].startswith("data:"):
        return
    if not host.setting(IMAGE_URLS):
        raise InvalidRequest.at(
            f"/prompt/{number}/image_url/url", "must be the picture itself, as a data: address"
        )


def check_pictures(host: Host, turn: ModelTurn) -> None:
    """Refuses an address in place of a picture: the model's server would fetch it from where it stands."""
    for place, message in enumerate(turn.messages):
        content = message.get("content")
        for number, part in enumerate(content if isinstance(content, list) else ()):
            picture = part.get("image_url")
            url = picture.get("url") if isinstance(picture, Mapping) else None
            if part.get("type") != "image_url" or (isinstance(url, str) and url.startswith("data:")):
                continue
            if not (host.setting(IMAGE_URLS) and isinstance(url, str)):
                raise InvalidRequest.at(
                    f"/messages/{place}/content/{number}/image_url/url",
                    "must be the picture itself, as a data: address",
                )


async def _text(host: Host, principal: Principal, pointer: str, object_id: str, *, wait: bool) -> str | None:
    """Returns the text of a document; None for one that is still to be read, where nobody waits."""
    repository = host.service(Repository)
    try:
        if wait:
            read = await repository.read_text(principal, object_id)
            text, status, why = read.text, read.found.text_status, read.reason
        else:
            async with host.data.read() as reader:
                text = await repository.text(reader, principal, object_id)
                status = (await repository.get(reader, principal, object_id)).text_status
            why = None
    except (NotFound, PermissionDenied):
        raise InvalidRequest.at(pointer, "there is no such document that you may read") from None
    if text is not None:
        return text
    if status in _UNREAD and not wait:
        return None
    raise InvalidRequest.at(pointer, f"{why or 'has no text that could be read'}; name another document")


class Reached(NamedTuple):
    """Where a turn goes: an executor by name, None is the hall's own, and the model that is asked for."""

    executor: str | None
    model: str | None = None


async def reach(host: Host, principal: Principal, body: Mapping[str, Any]) -> Reached:
    """Returns where a body wants to go, by `executor` or by `model`; raises `NotFound` `unknown_model`."""
    if "model" not in body:
        return Reached(body.get("executor"))
    if "executor" in body:
        raise InvalidRequest.at("/model", "must not stand beside executor")
    models = host.find_service(MemberModels)
    if models is None:
        if body["model"] != DEFAULT_MODEL:
            raise NotFound("There is no such model that you may use.", code="unknown_model")
        return Reached(None)
    async with host.data.read() as reader:
        found = await models.named(reader, principal, body["model"])
    return Reached(found.executor, found.model)


async def check_turn(host: Host, principal: Principal, body: Mapping[str, Any]) -> Content:
    """Returns the content of a prompt as far as it is there; raises why the body or the caller is refused."""
    if "executor" in body and not principal.may("instance:manage"):
        raise PermissionDenied("instance:manage")
    await reach(host, principal, body)
    return await check_prompt(host, principal, body["prompt"])


async def turn_of(
    host: Host, principal: Principal, body: Mapping[str, Any], content: Content | None = None
) -> ModelTurn:
    """Returns the turn that a body asks for; a document that nobody has read yet is read. Not inside a scope.

    Raises what `check_turn` raises, which gave the `content`, and `TextPending`.
    """
    if content is None:
        content = await check_turn(host, principal, body)
    parts = await read_prompt(host, principal, body["prompt"]) if content.unread else content.parts
    return ModelTurn(
        messages=messages_of(parts, body.get("system"), body.get("history", ())),
        response_format=body.get("response_format"),
        max_tokens=body.get("max_tokens", DEFAULT_MAX_TOKENS),
        temperature=body.get("temperature"),
        model=(await reach(host, principal, body)).model,
    )


def answered_in_part(text: str, choice: ModelChoice, turn: ModelTurn) -> dict[str, Any]:
    """Returns a reply that was stopped, as far as it came."""
    usage = TokenUsage(estimated_prompt(turn), estimated_tokens(text) if text else 0, estimated=True)
    return {
        "reply": text,
        "model": choice.model,
        "executor": choice.executor,
        "simulated": choice.simulated,
        "finish_reason": "stopped",
        "usage": usage.public(),
    }


def answered(reply: ModelReply, turn: ModelTurn) -> dict[str, Any]:
    """Returns a reply as the API shows it."""
    fields: dict[str, Any] = {
        "reply": reply.text,
        "model": reply.model,
        "executor": reply.executor,
        "simulated": reply.simulated,
        "finish_reason": reply.finish_reason,
        "usage": reply.usage.public(),
    }
    if reply.reasoning:
        fields["reasoning"] = reply.reasoning
    if wants_json(turn) and reply.schema_error is None:
        fields["parsed"] = reply.parsed
    if reply.repaired:
        fields["repaired"] = True
    return fields
