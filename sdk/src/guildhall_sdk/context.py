"""What a handler is given: the request, the caller, the database, the services."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from guildhall_sdk.background import BackgroundWork
from guildhall_sdk.data import Data, Reader, Writer
from guildhall_sdk.news import News
from guildhall_sdk.principal import Actor, Principal
from guildhall_sdk.settings import Setting, Value

Service = TypeVar("Service")


class ServiceMissing(LookupError):
    """Nobody offers the service that was asked for; the message says what to do about it."""


class Clock(Protocol):
    """The one source of time; tests put their own here."""

    def now_ms(self) -> int: ...

    def steady_ms(self) -> int:
        """Like `now_ms` when the server started, and since then without a jump: to measure how long."""
        ...


class PublicSettings(Protocol):
    """The settings of the server itself that plugins may read; their own come by `setting(…)`."""

    @property
    def base_url(self) -> str: ...

    @property
    def data(self) -> Path:
        """The folder of what the server keeps."""
        ...

    @property
    def multitenant(self) -> bool: ...

    @property
    def hosted(self) -> bool: ...

    @property
    def lease_seconds(self) -> int:
        """How long a worker holds a job without a sign of life."""
        ...

    @property
    def version(self) -> str: ...


class Host(Protocol):
    """The running server as one plugin sees it: what it begins here, and announces, is its own."""

    @property
    def data(self) -> Data: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def settings(self) -> PublicSettings: ...

    def setting(self, setting: Setting[Value]) -> Value:
        """The value of a setting that a plugin declares; raises `LookupError` for any other."""
        ...

    def service(self, protocol: Callable[..., Service]) -> Service:
        """The one service registered for a protocol; raises `ServiceMissing` where there is none."""
        ...

    def find_service(self, protocol: Callable[..., Service]) -> Service | None:
        """The service of a plugin that may not be there, or None."""
        ...

    def background(self, name: str, run: Callable[[], Awaitable[object]]) -> BackgroundWork:
        """Runs work beside requests and jobs until it returns; one that fails is logged and begun again.

        It is begun again after a second, then two, at most sixty. When the server stops it is cancelled and
        awaited before `on_stop`. What a request begins counts for the company of the request.
        """
        ...

    def news(self, channel: str) -> News:
        """Small announcements between this plugin's parts in all processes; no other plugin hears them."""
        ...


class RequestContext(Protocol):
    """One request past its gates. `body` and `query` are already validated by the row."""

    @property
    def request_id(self) -> str: ...

    @property
    def method(self) -> str: ...

    @property
    def path(self) -> str: ...

    @property
    def params(self) -> Mapping[str, str]: ...

    @property
    def query(self) -> Mapping[str, Any]: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    @property
    def body(self) -> Any: ...

    @property
    def address(self) -> str: ...

    @property
    def principal(self) -> Principal: ...

    @property
    def signed_in(self) -> bool: ...

    @property
    def host(self) -> Host: ...

    @property
    def now_ms(self) -> int: ...

    def read(self) -> AbstractAsyncContextManager[Reader]: ...

    def write(self, actor: Actor | None = None) -> AbstractAsyncContextManager[Writer]: ...

    def setting(self, setting: Setting[Value]) -> Value: ...

    def service(self, protocol: Callable[..., Service]) -> Service: ...

    def require(self, permission: str) -> None:
        """Raises `PermissionDenied` unless the caller holds the permission."""
        ...

    def check_if_match(self, etag: str) -> None:
        """Raises `PreconditionFailed` when the caller read another state; call it inside the write."""
        ...

    async def hung_up(self) -> None:
        """Comes back when the caller is gone; for whoever makes them wait."""
        ...

    def stream(self) -> AsyncIterator[bytes]:
        """The raw body of a `Body.RAW` row, as it arrives and never faster than it is read."""
        ...


class ExtensionCall(Protocol):
    """What the handler of an extension route receives: past its gates, `body` and `query` validated."""

    @property
    def params(self) -> Mapping[str, str]: ...

    @property
    def query(self) -> Mapping[str, Any]: ...

    @property
    def body(self) -> Any: ...

    @property
    def principal(self) -> Principal: ...

    def setting(self, setting: Setting[Value]) -> Value: ...

    @property
    def now_ms(self) -> int: ...

    def read(self) -> AbstractAsyncContextManager[Reader]:
        """A scope to read the plugin's tables, each statement in a snapshot of its own."""
        ...

    def write(self) -> AbstractAsyncContextManager[Writer]:
        """One transaction: committed when the scope ends well, and else nothing has changed."""
        ...

    def service(self, protocol: Callable[..., Service]) -> Service: ...
