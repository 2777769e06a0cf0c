"""Server-sent events: a reply that goes on for as long as its source has events."""

import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from guildhall_sdk.replies import Reply

EVENT_STREAM = "text/event-stream"
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


def event_stream(source: AsyncIterator[ServerSentEvent], *, prefetch: bool = False) -> Reply:
    """Returns the reply of a row with `content_type=EVENT_STREAM`.

    The source is asked for its next event while the one before is sent, and closed when the caller is gone or
    the server stops. A `Problem` that it raises becomes the last event, `error`.

    With `prefetch` the answer waits for the first event, and a problem before it has a status of its own.
    One that takes longer than 15 seconds is not waited for: comments keep the stream alive from then on.
    Such a stream is an answer that ends by itself: a server that stops serves it while it drains, where
    others are ended at once.
    """
    return Reply(events=source, prefetch=prefetch, headers=_UNBUFFERED, content_type=EVENT_STREAM)
