"""Reading a body from the socket: counted, bounded and not for ever."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

from guildhall_sdk import InvalidRequest, Problem, TooLarge

Receive = Callable[[], Awaitable[Mapping[str, Any]]]

PATIENCE_SECONDS = 10.0
MINIMUM_RATE = 8 * 1024


class SlowBody(Problem):
    status = 408
    code = "slow_body"
    title = "The body came too slowly"


class ClientGone(Exception):
    """The caller hung up; there is nobody to answer."""


def refuse_by_length(headers: Mapping[str, str], limit: int) -> None:
    """Refuses a body by its announced length, before a byte of it is read."""
    announced = headers.get("content-length", "0")
    if not (announced.isascii() and announced.isdigit()):
        raise InvalidRequest("Content-Length is not a number.")
    if int(announced) > limit:
        raise _too_large(limit)


async def read_body(receive: Receive, limit: int) -> bytes:
    """The whole body, at most `limit` bytes."""
    message = await receive()
    if not message.get("more_body"):
        return _chunk(message, limit)
    parts = [_chunk(message, limit)]
    async for chunk in stream_body(receive, limit - len(parts[0]), limit):
        parts.append(chunk)
    return b"".join(parts)


async def stream_body(receive: Receive, room: int, limit: int) -> AsyncIterator[bytes]:
    """Chunks as they come, never faster than they are read; a trickle is cut off."""
    loop = asyncio.get_running_loop()
    taken, waited = 0, 0.0
    while True:
        asked = loop.time()
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                message = await receive()
        except TimeoutError:
            raise SlowBody("The body stopped arriving; send it again.") from None
        waited += loop.time() - asked
        chunk = _chunk(message, limit)
        taken += len(chunk)
        if taken > room:
            raise _too_large(limit)
        if waited > PATIENCE_SECONDS and taken < waited * MINIMUM_RATE:
            raise SlowBody("The body arrived too slowly; send it again.")
        if chunk:
            yield chunk
        if not message.get("more_body"):
            return


def _chunk(message: Mapping[str, Any], limit: int) -> bytes:
    if message["type"] == "http.disconnect":
        raise ClientGone
    chunk: bytes = message.get("body", b"")
    if len(chunk) > limit:
        raise _too_large(limit)
    return chunk


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The body is larger than the {limit} bytes that this route takes.", limit=limit)
