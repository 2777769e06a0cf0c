"""Answers, refusals in the words of S3, and the headers that they carry."""

from collections.abc import AsyncIterator, Mapping

from builtin_plugins.s3.wire.answers import error_answer
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
    FeatureDisabled,
    Forbidden,
    InvalidRequest,
    NotFound,
    PaymentRequired,
    Problem,
    Reply,
    TooLarge,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
    UserError,
)
from guildhall_sdk.adapters import HeaderLines

XML = "application/xml"
_LENGTH = "Content-Length"
_NO_HEADERS: Mapping[str, str] = {}

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


def s3_reply(
    status: int = 200,
    headers: Mapping[str, str] = _NO_HEADERS,
    body: bytes = b"",
    *,
    stream: AsyncIterator[bytes] | None = None,
    length: int | None = None,
) -> Reply:
    """Returns an answer with a body, or a stream of `length` bytes; without one, as long as it comes.

    Header values are text of Latin-1: what a client sent of its own goes back byte for byte.
    """
    own = headers if length is None else {**headers, _LENGTH: str(length)}
    return Reply(status=status, headers=own, content=body, stream=stream)


def xml(body: bytes, headers: Mapping[str, str] | None = None, status: int = 200) -> Reply:
    return s3_reply(status, {"Content-Type": XML, **(headers or {})}, body)


def header_lines(reply: Reply, request_id: str) -> HeaderLines:
    """Returns the header lines of every answer and its own, its length at the end."""
    own = _UNLESS_STORED | {name.lower(): value for name, value in reply.headers.items()}
    length = own.pop(_LENGTH.lower(), None)
    if length is None and reply.stream is None:
        length = str(len(reply.content or b""))
    lines = [
        *_ALWAYS,
        (b"x-request-id", request_id.encode()),
        (b"x-amz-request-id", request_id.encode()),
        (b"x-amz-id-2", request_id.encode()),
        *((name.encode(), value.encode("latin-1", "replace")) for name, value in own.items()),
    ]
    if length is not None and reply.status not in (204, 304):
        lines.append((b"content-length", length.encode()))
    return lines


def refused(problem: Problem, path: str, request_id: str) -> Reply:
    """Returns a refusal as the document that S3 has for it."""
    error = as_s3_error(problem)
    if error.status == 304:
        return s3_reply(304, error.headers)
    return xml(error_answer(error, path, request_id), error.headers, error.status)


def as_s3_error(refusal: Problem) -> S3Error:
    """Returns a refusal as an S3 error; another's key is refused like all that is not the caller's."""
    match refusal:
        case S3Error():
            return refusal
        case NotFound():
            return NoSuchKey()
        case FeatureDisabled(extras={"feature": "s3"}):
            return AccessDenied("S3 is switched off for this team; an admin can turn it on.")
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
