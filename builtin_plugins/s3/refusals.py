"""The server's own refusals in the words of S3."""

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
    PaymentRequired,
    Problem,
    TooLarge,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
    UserError,
)


def as_s3_error(refusal: S3Error | Problem) -> S3Error:
    """A key that someone else holds is refused like everything that is not the caller's."""
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
