"""What a handler is given: the request, the caller, the database, the services."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeVar

from guildhall_sdk.data import Data, Reader, Writer
from guildhall_sdk.principal import Actor, Principal

Service = TypeVar("Service")


class Clock(Protocol):
    """The one source of time; tests put their own here."""

    def now_ms(self) -> int: ...

    def steady_ms(self) -> int:
        """Like `now_ms` when the server started, and since then without a jump: to measure how long."""
        ...


class PublicSettings(Protocol):
    """The settings that plugins may read."""

    @property
    def base_url(self) -> str: ...

    @property
    def home(self) -> str: ...

    @property
    def multitenant(self) -> bool: ...

    @property
    def hosted(self) -> bool: ...

    @property
    def session_ttl(self) -> int: ...

    @property
    def demo(self) -> bool: ...

    @property
    def version(self) -> str: ...

    @property
    def s3_domain(self) -> str | None: ...

    @property
    def s3_rate_limit(self) -> int: ...

    @property
    def repo_unconfined(self) -> bool: ...


class Host(Protocol):
    """The running server, as lifecycle hooks and services see it."""

    @property
    def data(self) -> Data: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def settings(self) -> PublicSettings: ...

    def service(self, protocol: type[Service]) -> Service:
        """The one service registered for a protocol of `guildhall_sdk.services`."""
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

    def service(self, protocol: type[Service]) -> Service: ...

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

    @property
    def now_ms(self) -> int: ...

    def read(self) -> AbstractAsyncContextManager[Reader]:
        """A scope to read the plugin's tables, each statement in a snapshot of its own."""
        ...

    def write(self) -> AbstractAsyncContextManager[Writer]:
        """One transaction: committed when the scope ends well, and else nothing has changed."""
        ...

    def service(self, protocol: type[Service]) -> Service: ...
