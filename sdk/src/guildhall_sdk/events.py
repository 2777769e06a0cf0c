"""Server-sent events: a reply that goes on for as long as its source has events."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from guildhall_sdk.context import RequestContext
from guildhall_sdk.errors import Unavailable
from guildhall_sdk.replies import Reply
from guildhall_sdk.request_body import ClientGone
from guildhall_sdk.services.readiness import NOT_READY, Readiness
from guildhall_sdk.streams import close

EVENT_STREAM = "text/event-stream"
# As long as a stream is silent at most: then a comment has to keep it alive, and so its head goes out.
FIRST_EVENT_SECONDS = 15.0
# A proxy that collects an answer before it passes it on would keep the events.
_UNBUFFERED = {"X-Accel-Buffering": "no"}
_LINE_END = re.compile("\r\n|\r|\n")
_UNFIT = re.compile("[\r\n\0]")
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSentEvent:
    """One event. `data` is sent as JSON; `text`, where it is given, is sent in its place as it is.

    `event` is its name, and `id` what a client that comes back sends as `Last-Event-ID`; a line break or a
    U+0000 in either is a `ValueError`, because what follows would pass for another event.
    """

    data: Any = None
    event: str | None = None
    id: str | None = None
    text: str | None = None

    def __post_init__(self) -> None:
        if self.event is not None and not (isinstance(self.event, str) and _is_name(self.event)):
            raise ValueError("the event of an event must be text on one line")
        if self.id is not None and (not isinstance(self.id, str) or _UNFIT.search(self.id)):
            raise ValueError("the id of an event must be text on one line")

    def encode(self) -> bytes:
        """The event as bytes on the wire; raises `TypeError` or `ValueError` for data that is no JSON."""
        head = "" if self.id is None else f"id: {self.id}\n"
        if self.event:
            head += f"event: {self.event}\n"
        if self.text is None:  # JSON has no line breaks of its own
            data = f"data: {_ENCODER.encode(self.data)}"
        else:
            data = "\n".join(f"data: {line}" for line in _LINE_END.split(self.text))
        return f"{head}{data}\n\n".encode("utf-8", "replace")


@lru_cache(maxsize=256)
def _is_name(text: str) -> bool:
    return _UNFIT.search(text) is None


def event_stream(source: AsyncIterator[ServerSentEvent]) -> Reply:
    """Returns the reply of a row with `content_type=EVENT_STREAM`.

    The source is asked for its next event while the one before is sent, and closed when the caller is gone or
    the server stops. A `Problem` that it raises becomes the last event, `error`.
    """
    return Reply(events=source, headers=_UNBUFFERED, content_type=EVENT_STREAM)


async def prefetch_first(
    ctx: RequestContext, source: AsyncIterator[ServerSentEvent]
) -> AsyncIterator[ServerSentEvent]:
    """Waits for the first event, and returns an iterator of all: a problem before it has a status of its own.

    Should the caller leave or the server stop meanwhile, the source is closed and the wait ends. One that
    takes longer than 15 seconds is not waited for: comments keep the stream alive from then on.
    """
    first = asyncio.ensure_future(_first_of(source))
    gone = asyncio.ensure_future(ctx.hung_up())
    stopping = asyncio.ensure_future(ctx.service(Readiness).until_stopping())
    handed_over = False
    try:
        over, _ = await asyncio.wait(
            {first, gone, stopping}, timeout=FIRST_EVENT_SECONDS, return_when=asyncio.FIRST_COMPLETED
        )
        if first in over:
            first.result()
        if first in over or not over:
            handed_over = True
            return _after(first, source)
    finally:
        await _end(gone, stopping, *(() if handed_over else (first,)))
    await close(source)
    if gone.cancelled():
        raise Unavailable("The server is stopping; ask another one.", code=NOT_READY, reason="draining")
    raise ClientGone


async def _first_of(source: AsyncIterator[ServerSentEvent]) -> ServerSentEvent | None:
    return await anext(source, None)


async def _after(
    first: "asyncio.Future[ServerSentEvent | None]", rest: AsyncIterator[ServerSentEvent]
) -> AsyncIterator[ServerSentEvent]:
    try:
        event = await first
        if event is not None:
            yield event
        async for event in rest:
            yield event
    finally:
        await _end(first)
        await close(rest)


async def _end(*waits: "asyncio.Future[Any]") -> None:
    for wait in waits:
        wait.cancel()
    await asyncio.gather(*waits, return_exceptions=True)
