"""HTTP in and out: one message, or a batch where the revision has them."""

import logging
from collections.abc import AsyncIterator, Sequence
from itertools import repeat
from typing import Any
from urllib.parse import urlsplit

from builtin_plugins.mcp_server import versions
from builtin_plugins.mcp_server.messages import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    Caller,
    RpcError,
    id_in,
    read_message,
    refusal,
)
from builtin_plugins.mcp_server.methods import answer, longest_answer
from builtin_plugins.mcp_server.routes import MAX_BATCH
from guildhall_sdk import Call, Forbidden, InvalidRequest, PermissionDenied, Problem, Reply
from guildhall_sdk.errors import InvalidJson
from libs.fair_slots import BODIES
from libs.request_body import ClientGone
from libs.strict_json import JsonFault, decode_json, decode_steps, encode_steps, encode_text

# What is longer is read on a thread, in the company's turn.
_SMALL_BYTES = 32 * 1024
_log = logging.getLogger("guildhall.mcp-server")


async def answer_message(call: Call) -> Reply:
    _check_origin(call)
    _check_scope(call)
    value = await _decoded(call)
    caller = Caller(call)
    if isinstance(value, list):
        return await _answer_batch(caller, value)
    try:
        message = read_message(value)
    except RpcError as error:
        raise _no_message(error) from None
    held = longest_answer(message.method)
    caller.hold_bytes(held)
    try:
        revision = versions.revision_of(call.headers, message)
        result = await answer(caller, message, revision)
    except RpcError as error:
        return Reply(refusal(message.id, error), error.status)
    if result is None:
        return _accepted()
    return Reply(content=await _encoded(caller, message.result(result), held))


async def _answer_batch(caller: Caller, values: Sequence[Any]) -> Reply:
    try:
        if versions.named_revision(caller.headers) != versions.WITH_BATCHES:
            raise RpcError(INVALID_REQUEST, "Invalid request: this revision has no batches", status=400)
        if not 1 <= len(values) <= MAX_BATCH:
            why = f"Invalid request: a batch holds 1 to {MAX_BATCH} messages"
            raise RpcError(INVALID_REQUEST, why, status=400)
    except RpcError as error:
        raise _no_message(error) from None
    caller.count_messages(len(values))
    held = [longest_answer(value.get("method") if isinstance(value, dict) else None) for value in values]
    caller.hold_bytes(sum(held))
    answers = []
    for value, longest in zip(values, held, strict=True):
        found = await _answer_one(caller, value)
        if found is None:
            caller.settle_bytes(longest, 0)
        else:
            answers.append(await _encoded(caller, found, longest))
        del found  # as bytes it is there already
    return Reply(stream=_array(answers)) if answers else _accepted()


async def _encoded(caller: Caller, value: Any, held: int) -> bytes:
    """Encodes an answer on a thread, in steps, and counts what it came to."""
    text = await BODIES.run_steps(caller.principal.org_id, encode_steps(value, encode_text))
    content = text.encode("utf-8", "replace")
    caller.settle_bytes(held, len(content))
    return content


async def _array(items: list[bytes]) -> AsyncIterator[bytes]:
    """Yields a JSON array of what is encoded already, and lets go of each item that was sent."""
    before = b"["
    for item in map(items.pop, repeat(0, len(items))):
        yield before + item
        before = b","
    yield b"]"


async def _answer_one(caller: Caller, value: Any) -> dict[str, Any] | None:
    """Answers one message of a batch; none of them fails the others."""
    message_id = id_in(value)
    try:
        message = read_message(value)
        if message.method == "initialize":
            raise RpcError(INVALID_REQUEST, "Invalid request: initialize is no part of a batch")
        result = await answer(caller, message, versions.WITH_BATCHES)
    except RpcError as error:
        return refusal(message_id, error)
    except ClientGone:
        raise
    except Exception:
        _log.exception("message.failed", extra={"action": "message.failed"})
        return refusal(message_id, RpcError(INTERNAL_ERROR, "Internal error; the log holds the details"))
    return None if result is None else message.result(result)


async def _decoded(call: Call) -> Any:
    body: bytes = call.body
    try:
        if len(body) <= _SMALL_BYTES:
            return decode_json(body)
        return await BODIES.run_steps(call.principal.org_id, decode_steps(body))
    except JsonFault as fault:
        error = RpcError(PARSE_ERROR, f"Parse error: {fault.detail}", status=400)
        raise InvalidJson(fault.detail, errors=fault.errors, **refusal(None, error)) from None


def _no_message(error: RpcError) -> Problem:
    """Returns a problem for clients of HTTP that is an error for those of JSON-RPC."""
    return InvalidRequest(error.message, **refusal(None, error))


def _accepted() -> Reply:
    return Reply(status=202, content=b"", content_type="text/plain")


def _check_origin(call: Call) -> None:
    """Refuses a page of another site, whatever name it found this server by."""
    origin = call.headers.get("origin")
    if origin is None:
        return
    own = urlsplit(call.host.settings.base_url)
    if origin.lower() != f"{own.scheme}://{own.netloc}".lower():
        raise Forbidden("Pages of another origin are not answered here.", code="origin_refused")


def _check_scope(call: Call) -> None:
    """Refuses a scope that names no permission: nothing could be answered."""
    scope = call.principal.credential.scope
    if scope is not None and not scope:
        raise Forbidden("The scope of this credential is empty.", code=PermissionDenied.code)


HANDLERS = {"answer_message": answer_message}
