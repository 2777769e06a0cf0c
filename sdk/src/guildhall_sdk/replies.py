"""Replies of handlers, and pages whose cursor names the last row of the page before."""

import base64
import binascii
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, TypeVar

from guildhall_sdk.errors import InvalidRequest
from guildhall_sdk.ids import time_in
from guildhall_sdk.schema import Schema, integer, string


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: a JSON body unless `content`, `stream` or `events` says otherwise.

    `secret_id` marks an answer that carries a secret shown once, by the id of its resource: such an answer is
    never stored for a replay. `prefetch` waits for the first of the `events`. `before_sending` is awaited
    when the answer is kept for repeats, and before the caller gets it.
    """

    body: Any = None
    status: int = 200
    _: KW_ONLY
    headers: Mapping[str, str] = field(default_factory=dict)
    etag: str | None = None
    secret_id: str | None = None
    content: bytes | None = None
    content_type: str = "application/json"
    stream: AsyncIterator[bytes] | None = None
    events: "AsyncIterator[ServerSentEvent] | None" = None
    prefetch: bool = False
    before_sending: Callable[[], Awaitable[None]] | None = None


def created(body: Any, location: str, *, etag: str | None = None, secret_id: str | None = None) -> Reply:
    """Returns a reply with 201, and where the new resource is."""
    return Reply(body, 201, headers={"Location": location}, etag=etag, secret_id=secret_id)


def accepted(body: Any, location: str | None = None) -> Reply:
    """Returns a reply with 202, for work that goes on after the answer."""
    return Reply(body, 202, headers={"Location": location} if location else {})


def no_content() -> Reply:
    """Returns a reply with 204 and no body."""
    return Reply(status=204)


def page(items: list[Any], next_cursor: str | None, **beside: Any) -> Reply:
    """Returns a reply with one page: `items`, `next_cursor`, and the fields in `beside`."""
    return Reply({"items": items, "next_cursor": next_cursor, **beside})


EVENT_STREAM = "text/event-stream"
# A proxy that collects an answer before it passes it on would keep the events.
_UNBUFFERED = {"X-Accel-Buffering": "no"}
_UNFIT = re.compile("[\r\n\0]")


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
        for name, given in (("event", self.event), ("id", self.id)):
            if given is not None and (not isinstance(given, str) or _UNFIT.search(given)):
                raise ValueError(f"the {name} of an event must be text on one line")


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


Row = TypeVar("Row")

PAGE_QUERY: Mapping[str, Schema] = {
    "limit": integer(1, 200, default=50, description="How many items at the most"),
    "cursor": string(max_length=512, description="`next_cursor` of the page before"),
}


def encode_cursor(key: str) -> str:
    """Makes an opaque cursor of the key of a page's last row."""
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def decode_cursor(cursor: str | None) -> str | None:
    """Returns the key in a cursor, or None for None; raises `InvalidRequest` for one that is malformed."""
    if cursor is None:
        return None
    try:
        key = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeError, ValueError):
        key = ""
    if not key or not key.isprintable():
        raise InvalidRequest.at("?cursor", "is not a cursor that this list gave; start without one")
    return key


def page_bounds(query: Mapping[str, Any]) -> tuple[str | None, int]:
    """Returns the key to start after, and how many rows to fetch: one more than shown, to see the end."""
    return decode_cursor(query.get("cursor")), int(query.get("limit", 50)) + 1


def time_bounds(query: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Returns `from` and `to` in milliseconds, None where one is not given; raises `InvalidRequest`."""
    since, until = time_in(query, "from", mark="?"), time_in(query, "to", mark="?")
    if since is not None and until is not None and since > until:
        raise InvalidRequest.at("?from", "lies behind ?to; exchange them")
    return since, until


def cut_page(rows: Sequence[Row], fetched: int, key: Callable[[Row], str]) -> tuple[list[Row], str | None]:
    """Returns the rows to show, and the cursor of the next page or None at the end."""
    limit = fetched - 1
    rows_of_page = list(rows[:limit])
    return rows_of_page, encode_cursor(key(rows_of_page[-1])) if len(rows) > limit else None
