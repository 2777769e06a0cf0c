"""Rows of the route table, Quart blueprints, folders of files, and protocols beside the API."""

import json
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, cast

from guildhall_sdk.context import Call, Host
from guildhall_sdk.data import Reader
from guildhall_sdk.errors import Problem
from guildhall_sdk.principal import Principal
from guildhall_sdk.replies import Reply
from guildhall_sdk.schema import Schema
from guildhall_sdk.settings import Setting

if TYPE_CHECKING:
    from quart import Blueprint

Handler = Callable[[Call], Awaitable[Any]]

DEFAULT_MAX_BODY = 1024 * 1024
# Of what nobody has signed in for.
PUBLIC_MAX_BODY = 64 * 1024


class Auth(Enum):
    """The class of a route: who may call it at all."""

    PUBLIC = "P"
    BEARER = "B"
    PROVISION = "PV"
    SUPERADMIN = "SA"
    ORG_ADMIN = "OA"


class Body(Enum):
    """The form in which the body reaches the handler."""

    JSON = "json"
    #: As it arrives, by `call.stream()`.
    RAW = "raw"
    #: All of it as bytes in `call.body`, within `max_body`: a message of another protocol.
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Route:
    """A row of the route table.

    `handler` is `async (call: Call) -> Reply`, or the name of one that `declare_handlers` gives; what it
    returns that is no `Reply` is answered as JSON with `status`. A `path` without a leading `/` is mounted
    under `/api/x/<plugin id>/`, behind sign-in and a permission, and matched after all others.
    `resource_decides` says that the resource itself may admit a caller whom the role would not (its owner, a
    grant): the permission gate then only checks the credential's scope, and the service decides. On a row
    without a permission a credential with a scope only reads; on a judged one it writes too, and the service
    keeps it to what it made itself. `unscoped` asks for a session or a token without a scope. `query` None
    gives the handler every parameter as text; else it gets the described ones, checked. `also_statuses` are
    those that it may answer with instead of `status`: 204 for nothing, 206 for a part. `also_answers` names
    content types that a caller can ask for instead, by `Accept`. `raw_wildcard` gives the handler of a
    `*name` whatever was sent there, to be judged by it: nothing at all, U+0000, and bytes that are no UTF-8
    as lone surrogates. Else such a path names nothing: 404. `max_body` is the most bytes that it takes;
    untold, 64 KiB on a public row and 1 MiB on any other. `while_suspended` lets a write through while the
    company or the tenant is suspended (login, 2FA …). `cors` lets pages of every other origin call it and
    read each answer, refusals too; the preflight is answered for it. They send no cookies, which nothing here
    uses: a caller is who holds a token. `limit` is for public rows: so many calls a minute from one address,
    in all server processes together. `instead` is a sentence for who tries another method on the path. A row
    that stands `last` is matched after all others, and after such rows of a longer path. `refusal` gives
    further members of each refusal, for clients that look for another form than that of problems, or the
    whole of it as a `Reply`, unless a caller accepts `application/problem+json`.
    `resource_metadata` is the path of RFC 9728's metadata, which a 401 of the row names.
    """

    method: str
    path: str
    handler: Any
    doc: str
    auth: Auth = Auth.BEARER
    _: KW_ONLY
    permission: str | None = None
    feature: str | None = None
    body: Schema | None = None
    body_kind: Body = Body.JSON
    query: Mapping[str, Schema] | None = field(default_factory=dict)
    reply: Schema | None = None
    status: int = 200
    max_body: int = 0
    resource_decides: bool = False
    while_suspended: bool = False
    session_only: bool = False
    unscoped: bool = False
    content_type: str = "application/json"
    also_answers: Sequence[str] = ()
    also_statuses: Sequence[int] = ()
    raw_wildcard: bool = False
    cors: bool = False
    limit: int = 0
    instead: str = ""
    last: bool = False
    refusal: Callable[[Problem], Mapping[str, Any] | Reply] | None = None
    resource_metadata: str = ""

    def __post_init__(self) -> None:
        if not self.max_body:
            max_body = PUBLIC_MAX_BODY if self.auth is Auth.PUBLIC else DEFAULT_MAX_BODY
            object.__setattr__(self, "max_body", max_body)


#: A plugin that does not ship with Guildhall declares no row below these.
RESERVED_PREFIXES = frozenset(json.loads(Path(__file__).with_name("reserved.json").read_text("utf-8")))


@dataclass(frozen=True, slots=True, kw_only=True)
class BlueprintRoutes:
    """A Quart blueprint, mounted under `/api/x/<plugin id>/`; for `declare_routes`, among rows.

    Each of its rules becomes a row of the table, with this permission and feature: a handler runs after the
    same gates as any other. The first line of its docstring is the row's doc line.
    """

    blueprint: "Blueprint"
    permission: str
    feature: str | None = None
    max_body: int = DEFAULT_MAX_BODY


def current_call() -> Call:
    """Returns the call that a handler of a blueprint answers; outside of one it raises `RuntimeError`."""
    from quart import g

    return cast(Call, g.call)


#: What a page may load unless it says otherwise: what this server itself serves, and nothing inline.
PAGE_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """A folder served below `path`, behind the same gates as a row. Matched after every row.

    `index` is served for a folder. `fallback` names the file that answers for a page that is no file, as an
    application with routes of its own in the browser wants it; never for a name with a dot. Where the page is
    made for each request, `render` is the handler that answers instead, and only to a browser that opens a
    page. At `/` nothing below `/api/` is a page. `hashed` names a folder below which names change with their
    content: a public one is cached for ever. Other public files are cached for `max_age` seconds; with 0 a
    browser asks each time.
    What needs a caller is never cached. `csp` is the Content-Security-Policy of every file. `cors` lets pages
    of other origins read them, as fonts need it.
    """

    #: Where: `/shelf` or `/`.
    path: str
    #: What: files below it, no symbolic links, and nothing whose name begins with a dot.
    folder: Path
    #: One line for the API's documentation.
    doc: str
    auth: Auth = Auth.PUBLIC
    permission: str | None = None
    feature: str | None = None
    index: str = "index.html"
    fallback: str | None = None
    render: Callable[[Any], Awaitable[Reply]] | None = None
    hashed: str | None = None
    max_age: int = 0
    csp: str = PAGE_CSP
    cors: bool = False


Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Asgi = Callable[[Mapping[str, Any], Receive, Send], Awaitable[None]]
HeaderLines = Sequence[tuple[bytes, bytes]]
Parsed = TypeVar("Parsed")


class RequestBody(Protocol):
    """The body of one request, read at most once; one that is too long or too slow is refused."""

    async def read(self, limit: int) -> bytes:
        """Returns the whole body, at most `limit` bytes."""

    def stream(self, limit: int) -> AsyncIterator[bytes]:
        """Yields chunks as they come, never faster than they are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """The principal that a credential stands for; each write asks `look_up` whether they still are.

    `remembered` is what `Call.remembered` knows of them from earlier requests. Before `until`, a write asks
    only where the version of `published_access` is another than `version`, which was read with them.
    """

    principal: Principal
    look_up: Callable[[Reader], Awaitable[Principal | None]]
    remembered: dict[Callable[..., Any], Any] = field(default_factory=dict)
    version: str = ""
    until: float = 0


class Claim(NamedTuple):
    """A credential as a request shows it. Its rate is checked by `key` before `verify` is called.

    `verify` raises the `Problem` for a credential that does not hold.
    """

    key: str
    verify: Callable[[], Awaitable[Verified]]


class Operation(NamedTuple):
    """An operation of a protocol: the row that its gates read. `run` is called past them.

    One without a `permission` leaves the decision to the resource. One that `writes` is refused while the
    company is suspended. A `public` one needs no credential: its caller has a stranger's share.
    """

    name: str
    run: Callable[[Call, Any], Awaitable[Reply]]
    permission: str | None = None
    feature: str | None = None
    writes: bool = True
    public: bool = False


class ProtocolAdapter(ABC, Generic[Parsed]):
    """Reads requests of one protocol and writes its answers; all between is the server's pipeline.

    A refusal raised by `read`, `operation` or `claim` counts against the caller's address.
    """

    #: For how many seconds the next bytes of a body are waited for.
    patience_seconds: float = 10.0

    @abstractmethod
    def too_large(self, limit: int) -> Problem:
        """Returns the refusal of a body that is longer than this."""

    @abstractmethod
    def too_slow(self) -> Problem:
        """Returns the refusal of a body that stopped arriving, or arrives too slowly."""

    @abstractmethod
    def read(self, scope: Mapping[str, Any], body: RequestBody) -> Parsed:
        """Parses the head of a request, which is an ASGI scope with the adapter's prefix in `root_path`."""

    @abstractmethod
    def operation(self, parsed: Parsed) -> Operation:
        """Returns the operation that a request asks for."""

    @abstractmethod
    async def claim(self, parsed: Parsed, address: str) -> Claim | None:
        """Returns the credential that a request shows, or None where it shows none."""

    @abstractmethod
    def refuse(self, problem: Problem, scope: Mapping[str, Any], request_id: str) -> Reply:
        """Returns the answer that says the problem in this protocol; one of status 500 is a fault here."""

    @abstractmethod
    def headers(self, reply: Reply, request_id: str) -> HeaderLines:
        """Returns all header lines of an answer, in their order."""

    async def finish(self, parsed: Parsed, reply: Reply) -> Reply:
        """Returns the answer or refusal as it is sent; what it adds may depend on the request."""
        return reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """A protocol below `prefix` on the main listener and, with `bind`, at the root of a listener of its own.

    `protocol` makes what reads and writes it, and the pipeline does the rest: slots, request id, rates,
    authentication, suspension, feature, permission, log and counts. `app` brings a whole ASGI application
    in its place, whose callers have a stranger's share whoever they are. `bind` is the setting of the
    address, one of the plugin's own; where its default is taken, the prefix alone is served. `rate_limit` is
    the setting of how many requests a credential has in a minute; without, as many as in the API. The one
    at `/` gets the paths that no row takes, but for those below `/api/`; what it does not find there is left
    to pages at the root, the console's among them.
    """

    name: str
    prefix: str
    title: str
    protocol: Callable[[Host], ProtocolAdapter[Any]] | None = None
    app: Callable[[Host], Asgi] | None = None
    bind: Setting[str] | None = None
    rate_limit: Setting[int] | None = None

    @property
    def counted_as(self) -> str:
        """The metric of its requests, by operation and status."""
        return f"guildhall_{self.name.replace('-', '_')}_requests_total"
