"""The arguments of handlers: the request, the caller, the database, the services."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from guildhall_sdk.data import Data, Reader, Writer
from guildhall_sdk.principal import Actor, Principal
from guildhall_sdk.settings import Setting, Value


class BackgroundWork(Protocol):
    """Work that a plugin began beside requests and jobs, by `host.background`."""

    @property
    def ended(self) -> bool:
        """Whether the work has returned or was cancelled; work that failed will begin again, and has not."""

    async def cancel(self) -> None:
        """Cancels the work, and returns when it has ended or has kept running for ten seconds."""

    async def wait(self) -> None:
        """Returns when the work has ended."""


MAX_NEWS_BYTES = 3_500


class News(Protocol):
    """One channel of one plugin. An announcement arrives at most once: a lost or busy connection loses some.

    What must not be lost is written to the database; news says when to read it.
    """

    def announce(self, payload: Mapping[str, Any]) -> None:
        """Announces the payload to every listener, in this process and the others, without waiting.

        Inside a transaction use `writer.after_commit(lambda: news.announce(…))`, so that nobody hears of what
        is rolled back. The payload is an object of at most `MAX_NEWS_BYTES` as JSON, else a `ValueError`.
        """

    def listen(self) -> AbstractContextManager[AsyncIterator[Mapping[str, Any] | None]]:
        """Listens until its block ends: `with news.listen() as announcements:`.

        Inside, `async for announcement in announcements:`. A slow listener misses the oldest, and reads None
        in their place: then read what there is.
        """


Service = TypeVar("Service")


class ServiceMissing(LookupError):
    """Raised when no plugin offers a service; the message says what to do about it."""


class Clock(Protocol):
    """The source of time; tests have their own."""

    def now_ms(self) -> int:
        """Returns the time of day in milliseconds since the epoch."""

    def steady_ms(self) -> int:
        """Returns milliseconds that never jump, for measuring durations; at the start they equal `now_ms`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicSettings:
    """The settings of the server itself that plugins may read; a plugin reads its own by `setting`."""

    #: The address that the server is reached at from outside.
    base_url: str
    #: The folder of what the server keeps.
    data: Path
    #: The name of the blob store that holds the bytes of files.
    blob_store: str
    #: Whether operators can manage companies over the API; where not, their routes answer 404.
    multitenant: bool
    #: Whether the instance is in hosted mode: provisioned by a token, not set up by its first visitor.
    hosted: bool
    #: The seconds for which a worker holds a job without renewing its lease.
    lease_seconds: int
    #: The version of Guildhall.
    version: str


class ServiceHost(Protocol):
    """Where settings and services are found: a running server, or an instance that a command runs for."""

    @property
    def settings(self) -> PublicSettings:
        """The settings of the server that plugins may read."""

    def setting(self, setting: Setting[Value]) -> Value:
        """Returns the value of a setting that a plugin declares; raises `LookupError` for any other."""

    def service(self, protocol: Callable[..., Service]) -> Service:
        """Returns the service registered for a protocol; raises `ServiceMissing` where there is none."""

    def find_service(self, protocol: Callable[..., Service]) -> Service | None:
        """Returns the service registered for a protocol, or None where there is none."""


class Host(ServiceHost, Protocol):
    """The running server as one plugin sees it; its background work and its news are the plugin's own."""

    @property
    def data(self) -> Data:
        """The database."""

    @property
    def clock(self) -> Clock:
        """The source of time."""

    def background(self, name: str, run: Callable[[], Awaitable[object]]) -> BackgroundWork:
        """Runs work beside requests and jobs until it returns; work that fails is logged and begun again.

        It is begun again after a second, then two, at most sixty. When the server stops it is cancelled and
        awaited before `on_stop`. What a request begins counts for the company of the request.
        """

    def news(self, channel: str) -> News:
        """Returns a channel for announcements between this plugin's parts, in all server processes."""

    def host_of(self, plugin_id: str) -> "Host":
        """Returns the host of another plugin, to call a function with that it declares by a hook of yours."""


class Call(Protocol):
    """One request that has passed its gates; the row has validated `body` and `query`.

    Every handler takes one, and nothing else.
    """

    #: The id of the request, as its answer and the log name it.
    request_id: str
    method: str
    path: str
    #: The parameters of the path, by name.
    params: Mapping[str, str]
    #: The parameters of the query, by name, as the row describes them.
    query: Mapping[str, Any]
    #: The query as it came, without its question mark.
    raw_query: bytes
    #: The headers of the request, by name in small letters.
    headers: Mapping[str, str]
    #: The body as the row describes it: decoded JSON unless the row says otherwise.
    body: Any
    #: The address of the caller, behind trusted proxies.
    address: str

    @property
    def principal(self) -> Principal:
        """The caller."""

    @property
    def signed_in(self) -> bool:
        """Whether the request has a caller; a public row serves those without one too."""

    #: The running server.
    host: Host
    #: The time of day in milliseconds since the epoch.
    now_ms: int

    def read(self) -> AbstractAsyncContextManager[Reader]:
        """Opens a scope to read the database, each statement in a snapshot of its own."""

    def write(
        self, actor: Actor | None = None, *, alone: bool = False
    ) -> AbstractAsyncContextManager[Writer]:
        """Opens a transaction, which commits when its scope ends well and else changes nothing.

        Audit events name the caller, unless `actor` names somebody else. `alone` waits for the company's
        other writes, and those to come wait for it.
        """

    async def remembered(self, load: "Callable[[Call], Awaitable[Value]]") -> Value:
        """Returns what `load`, a function of a module, gave for this caller in an earlier request, or now.

        It is called again once anything changes about people, teams, roles, switches, companies or
        credentials, and at least every minute: for an answer that is made of those alone.
        """

    def setting(self, setting: Setting[Value]) -> Value:
        """Returns the value of a setting that a plugin declares; raises `LookupError` for any other."""

    def service(self, protocol: Callable[..., Service]) -> Service:
        """Returns the service registered for a protocol; raises `ServiceMissing` where there is none."""

    def require(self, permission: str) -> None:
        """Raises `PermissionDenied` unless the caller holds the permission."""

    def check_if_match(self, etag: str) -> None:
        """Raises `PreconditionFailed` when the caller read another state; call it inside the write."""

    def count_calls(self, count: int) -> None:
        """Counts further calls against the caller's rate, where one request carries several.

        Raises `TooManyRequests`, and then counts none of them.
        """

    def hold_bytes(self, size: int) -> None:
        """Counts memory that a long answer will take until it is sent, before it is collected.

        Raises `TooManyRequests` where the company's other requests already hold too much.
        """

    def settle_bytes(self, held: int, size: int) -> None:
        """Corrects what `hold_bytes` counted, once the size is known."""

    async def hung_up(self) -> None:
        """Returns when the caller has closed the connection; for handlers that make the caller wait."""

    def stream(self) -> AsyncIterator[bytes]:
        """Yields the raw body of a `Body.RAW` row as it arrives, never faster than it is read."""
