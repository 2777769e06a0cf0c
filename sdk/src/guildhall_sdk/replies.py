"""Replies of handlers."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guildhall_sdk.events import ServerSentEvent


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: a JSON body unless `content`, `stream` or `events` says otherwise.

    `secret_id` marks an answer that carries a secret shown once, by the id of its resource: such an answer is
    never stored for a replay. `prefetch` waits for the first of the `events`. `before_sending` is awaited
    when the answer is kept for repeats, and before the caller gets it: such as `Remembered.settle`.
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
