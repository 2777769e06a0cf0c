"""Protocols of plugins beside the API, such as S3: how their requests are read and their answers written."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from guildhall_sdk.settings import Setting

if TYPE_CHECKING:
    from guildhall_sdk.context import Call, Host
    from guildhall_sdk.data import Reader
    from guildhall_sdk.errors import Problem
    from guildhall_sdk.principal import Principal
    from guildhall_sdk.replies import Reply

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
    """The principal that a credential stands for; each write asks `look_up` whether they still are."""

    principal: "Principal"
    look_up: "Callable[[Reader], Awaitable[Principal | None]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A credential as a request shows it. Its rate is checked by `key` before `verify` is called.

    `verify` raises the `Problem` for a credential that does not hold.
    """

    key: str
    verify: Callable[[], Awaitable[Verified]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An operation of a protocol: the row that its gates read. `run` is called past them.

    One without a `permission` leaves the decision to the resource. One that `writes` is refused while the
    company is suspended. A `public` one needs no credential: its caller has a stranger's share.
    """

    name: str
    run: "Callable[[Call, Any], Awaitable[Reply]]"
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
    def too_large(self, limit: int) -> "Problem":
        """Returns the refusal of a body that is longer than this."""

    @abstractmethod
    def too_slow(self) -> "Problem":
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
    def refuse(self, problem: "Problem", scope: Mapping[str, Any], request_id: str) -> "Reply":
        """Returns the answer that says the problem in this protocol; one of status 500 is a fault here."""

    @abstractmethod
    def headers(self, reply: "Reply", request_id: str) -> HeaderLines:
        """Returns all header lines of an answer, in their order."""

    async def finish(self, parsed: Parsed, reply: "Reply") -> "Reply":
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
    protocol: "Callable[[Host], ProtocolAdapter[Any]] | None" = None
    app: "Callable[[Host], Asgi] | None" = None
    bind: Setting[str] | None = None
    rate_limit: Setting[int] | None = None
