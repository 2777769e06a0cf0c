"""Answers, refusals in the words of S3, and how they get on the wire."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass, field

from builtin_plugins.s3.wire.errors import (
    AccessDenied,
    EntityTooLarge,
    InternalError,
    InvalidArgument,
    NoSuchKey,
    OperationAborted,
    QuotaExceeded,
    S3Error,
    SlowDown,
)
from guildhall_sdk import (
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    Problem,
    TooLarge,
    TooManyRequests,
    Unavailable,
    UserError,
)
from guildhall_sdk.errors import PaymentRequired, Unauthenticated
from guildhall_sdk.mounts import Send
from guildhall_sdk.request_body import RequestBody

XML = "application/xml"
_WATCHED_FROM = 1024 * 1024

# What people store is shown to others from our own address: it must not run there.
_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; sandbox"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
)
# A link carries its signature in the query, where a cache on the way sees nothing of a credential.
# Whether a page from elsewhere sees an answer depends on where the page comes from.
_UNLESS_STORED = {"cache-control": "private, no-store", "vary": "Authorization, Origin"}


@dataclass(frozen=True, slots=True)
class S3Answer:
    """A body, or a stream of `length` bytes; without a `length`, as long as it comes.

    Header values are text of Latin-1: what a client sent of its own goes back byte for byte.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    stream: AsyncIterator[bytes] | None = None
    length: int | None = None


def xml(body: bytes, headers: Mapping[str, str] | None = None, status: int = 200) -> S3Answer:
    return S3Answer(status, {"Content-Type": XML, **(headers or {})}, body)


async def send_answer(
    send: Send, answer: S3Answer, request_body: RequestBody, request_id: str, *, head: bool
) -> None:
    own = _UNLESS_STORED | {name.lower(): value for name, value in answer.headers.items()}
    lines = [
        *_ALWAYS,
        (b"x-request-id", request_id.encode()),
        (b"x-amz-request-id", request_id.encode()),
        (b"x-amz-id-2", request_id.encode()),
        *((name.encode(), value.encode("latin-1", "replace")) for name, value in own.items()),
    ]
    length = len(answer.body) if answer.stream is None and answer.length is None else answer.length
    if length is not None and answer.status not in (204, 304):
        lines.append((b"content-length", str(length).encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": lines})
    if answer.stream is None or head:
        body = b"" if head or answer.status in (204, 304) else answer.body
        await send({"type": "http.response.body", "body": body, "more_body": False})
        return
    await _send_stream(send, answer.stream, request_body, watched=length is None or length > _WATCHED_FROM)


async def _send_stream(
    send: Send, stream: AsyncIterator[bytes], request_body: RequestBody, *, watched: bool
) -> None:
    """Sends a stream until the caller is gone: a server would take all of a long one to its end."""
    gone = asyncio.ensure_future(request_body.hung_up()) if watched else None
    try:
        async for chunk in stream:
            if gone is not None and gone.done():
                return
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    finally:
        if gone is not None:
            gone.cancel()
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()


def as_s3_error(refusal: S3Error | Problem) -> S3Error:
    """Returns a refusal as an S3 error; another's key is refused like all that is not the caller's."""
    match refusal:
        case S3Error():
            return refusal
        case NotFound():
            return NoSuchKey()
        case Conflict(code="key_taken") | Forbidden() | PaymentRequired() | Unauthenticated():
            return AccessDenied()
        case Conflict():
            return OperationAborted()
        case TooManyRequests(code="queue_full" | "rate_limited"):
            return SlowDown(refusal.detail, headers=refusal.headers)
        case TooManyRequests():
            return QuotaExceeded(refusal.detail)
        case UserError() | InvalidRequest():
            return InvalidArgument(refusal.detail)
        case TooLarge():
            return EntityTooLarge()
        case Unavailable():
            return SlowDown("The server cannot do this at the moment; try again.")
    return InternalError()
