"""Reading server-sent events as a browser does."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx

PATIENCE_SECONDS = 60
# Of a stream without an end, so much is enough to judge it.
_ENOUGH_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedEvent:
    """One event; `event` is `message` where none was named."""

    event: str
    text: str
    id: str | None

    @property
    def data(self) -> Any:
        return json.loads(self.text)


async def received_events(response: httpx.Response) -> AsyncIterator[ReceivedEvent]:
    """Yields the events of an open response as they come; comments are left out."""
    if response.status_code != httpx.codes.OK:
        await response.aread()
        raise AssertionError(f"answered {response.status_code} {response.text[:300]}")
    name, lines, last_id = "message", list[str](), None
    async for line in _within(PATIENCE_SECONDS, response.aiter_lines()):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            lines.append(value)
        elif field == "id":
            last_id = value
        elif not line:
            if lines:
                yield ReceivedEvent(event=name, text="\n".join(lines), id=last_id)
            name, lines = "message", []


async def _within(seconds: float, lines: AsyncIterator[str]) -> AsyncIterator[str]:
    """Raises `TimeoutError` where nothing but comments comes for so long."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while True:
        try:
            async with asyncio.timeout_at(deadline):
                line = await anext(lines)
        except StopAsyncIteration:
            return
        if line and not line.startswith(":"):
            deadline = loop.time() + seconds
        yield line


async def read_until_idle(response: httpx.Response, seconds: float) -> bytes:
    """Reads until the stream ends, falls silent for so long, or has said enough to be judged."""
    content, chunks = bytearray(), response.aiter_bytes()
    while len(content) < _ENOUGH_BYTES:
        try:
            async with asyncio.timeout(seconds):
                content += await anext(chunks)
        except (StopAsyncIteration, TimeoutError):
            break
    return bytes(content)
