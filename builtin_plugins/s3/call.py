"""One signed request past its gates: what the operations are given, and how they answer."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager

from builtin_plugins.s3.keys import Caller
from builtin_plugins.s3.wire.answers import error_answer
from builtin_plugins.s3.wire.errors import (
    AccessControlListNotSupported,
    AccessDenied,
    EntityTooLarge,
    InternalError,
    InvalidArgument,
    InvalidBucketName,
    NoSuchKey,
    NoSuchVersion,
    OperationAborted,
    QuotaExceeded,
    S3Error,
    SlowDown,
    Unimplemented,
)
from builtin_plugins.s3.wire.form import UploadForm
from builtin_plugins.s3.wire.request import S3Request
from builtin_plugins.s3.wire.sigv4 import MADE_WITH, Signature
from guildhall_sdk import (
    Call,
    Conflict,
    Forbidden,
    Host,
    InvalidRequest,
    NotFound,
    Principal,
    Problem,
    Reader,
    Reply,
    TooLarge,
    TooManyRequests,
    Unavailable,
    UserError,
    Writer,
)
from guildhall_sdk.errors import FeatureDisabled, PaymentRequired, Unauthenticated
from guildhall_sdk.routes import HeaderLines, RequestBody
from guildhall_sdk.services.identity import Credentials
from guildhall_sdk.services.repository import Repository

FIRES_TRIGGERS = "workflows:run"
TRUE_LISTS = frozenset({"private", "bucket-owner-full-control", "bucket-owner-read"})
_REFUSED = (
    "x-amz-object-lock-",
    "x-amz-server-side-encryption",
    "x-amz-copy-source-server-side-encryption",
    "x-amz-website-redirect-location",
    "x-amz-write-offset-bytes",
)
_WRITE = "files:write"


class S3Call:
    """One request of S3: `signature` and `caller` are there once it is verified, the rest past its gates.

    `form` is there if the request is one.
    """

    signature: Signature
    caller: Caller
    call: Call
    host: Host
    principal: Principal
    team_id: str
    read: Callable[[], AbstractAsyncContextManager[Reader]]
    #: Opens a transaction; refused while the company is suspended, or if the key has been revoked.
    write: Callable[[], AbstractAsyncContextManager[Writer]]

    def __init__(self, request: S3Request, request_body: RequestBody, repository: Repository) -> None:
        self.request = request
        self.repository = repository
        self.request_body = request_body
        self.form: UploadForm | None = None

    def enter(self, call: Call) -> None:
        """Begins the operation.

        Refuses another's bucket, or an owner that is not its team, for those who want to be sure.
        """
        request, team_id = self.request, self.caller.principal.team_id
        if request.key and not request.bucket:
            raise InvalidBucketName()
        expected = request.extensions.get("x-amz-expected-bucket-owner", team_id)
        if request.bucket not in ("", self.caller.bucket) or expected != team_id:
            raise AccessDenied()
        self.call, self.host, self.read, self.write = call, call.host, call.read, call.write
        self.principal, self.team_id = self.caller.principal, team_id

    @property
    def request_id(self) -> str:
        return self.call.request_id

    @property
    def bucket(self) -> str:
        return self.caller.bucket

    @property
    def key(self) -> str:
        return self.request.key

    @property
    def arguments(self) -> Mapping[str, str]:
        return self.request.arguments

    @property
    def fires_triggers(self) -> bool:
        return self.principal.scope_allows(FIRES_TRIGGERS)

    @property
    def now_ms(self) -> int:
        return self.host.clock.now_ms()

    @property
    def version_id(self) -> str | None:
        version_id = self.arguments.get("versionId")
        if version_id is not None and "\0" in version_id:
            raise NoSuchVersion()
        return version_id or None

    def check_reach(self, key: str) -> None:
        if not key.startswith(self.caller.prefix):
            raise AccessDenied("The access key is limited to another prefix.")


async def check_maker(host: Host, reader: Reader, request: S3Request) -> None:
    """Refuses a link that was made with an API token which is gone."""
    token_id = request.arguments.get(MADE_WITH)
    if token_id is None:
        return
    if "\0" in token_id or not await host.service(Credentials).alive(reader, token_id):
        raise AccessDenied("The token that this link was made with has been revoked.")


def check_promises(call: S3Call) -> None:
    """Refuses headers that ask for something, unless it is true anyway; they are never ignored."""
    extensions = call.request.extensions
    check_access_list(call)
    if extensions.get("x-amz-storage-class", "STANDARD") != "STANDARD":
        raise Unimplemented("The only storage class is STANDARD.")
    for name in extensions:
        if name.startswith(_REFUSED):
            raise Unimplemented(f"{name} is not offered here.")


def check_access_list(call: S3Call) -> None:
    """Refuses an access list, unless it says what is always so: who may read is said in Guildhall."""
    extensions = call.request.extensions
    if extensions.get("x-amz-acl", "private") not in TRUE_LISTS:
        raise AccessControlListNotSupported()
    for name in extensions:
        if name.startswith("x-amz-grant-"):
            raise AccessControlListNotSupported()


async def check_writable(call: S3Call, key: str, *, short: bool = False) -> None:
    """Checks the right before any bytes are taken; the repository judges again when it writes."""
    call.check_reach(key)
    call.repository.check_key(key)
    who = call.principal
    if who.org_suspended or not who.scope_allows(_WRITE):
        raise AccessDenied()
    if not short:
        async with call.read() as reader:
            await call.repository.check_right(reader, who, call.team_id, key)


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
    own = dict(_UNLESS_STORED)
    for name, value in reply.headers.items():
        own[name.lower()] = value
    length = own.pop(_LENGTH.lower(), None)
    if length is None and reply.stream is None:
        length = str(len(reply.content or b""))
    lines = [
        *_ALWAYS,
        (b"x-request-id", request_id.encode()),
        (b"x-amz-request-id", request_id.encode()),
        (b"x-amz-id-2", request_id.encode()),
    ]
    for name, value in own.items():
        lines.append((name.encode(), value.encode("latin-1", "replace")))
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
