"""The HTTP clients of executors. Imported at the first use: the server starts without httpcore."""

import ssl
from collections.abc import AsyncGenerator, AsyncIterable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from functools import cache, lru_cache
from typing import cast
from urllib.parse import urlsplit

import certifi
import httpcore

from builtin_plugins.executors.answers import HttpFault, HttpTimeout
from builtin_plugins.executors.endpoints import Resolve
from builtin_plugins.executors.network import AsyncioNetwork, PinnedNetwork

_USER_AGENT = b"guildhall"
_TIMEOUTS = {"timeout": {"connect": 10.0}}
_FAULTS = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.UnsupportedProtocol,
    httpcore.ConnectionNotAvailable,
    UnicodeEncodeError,
)


@cache
def _trust() -> ssl.SSLContext:
    """Returns whose certificates are believed; reading them takes long, and they are the same for all."""
    return ssl.create_default_context(cafile=certifi.where())


class PooledClient:
    """Implements `HttpClient` by httpcore: it keeps connections, and uses no proxy of the environment.

    How long a call may take is for the caller to say, but for the connection.
    """

    def __init__(self, network: httpcore.AsyncNetworkBackend) -> None:
        # How many turns run at once is for quotas to say: a limit on connections lets one silent endpoint
        # hold up all others.
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=_trust(),
            max_connections=None,
            max_keepalive_connections=40,
            keepalive_expiry=30,
            network_backend=network,
        )

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> "PooledAnswer":
        with _own_faults():
            target, host = _parsed(url)
            sent = [(b"Host", host), (b"User-Agent", _USER_AGENT)]
            sent += [(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()]
            if body:
                sent.append((b"Content-Length", b"%d" % len(body)))
            request = httpcore.Request(method, target, headers=sent, content=body, extensions=_TIMEOUTS)
            return PooledAnswer(await self._pool.handle_async_request(request))

    async def aclose(self) -> None:
        await self._pool.aclose()


class PooledAnswer:
    """Implements `HttpAnswer`."""

    __slots__ = ("_response", "status")

    def __init__(self, response: httpcore.Response) -> None:
        self._response = response
        self.status = response.status

    def header(self, name: str) -> str:
        wanted = name.encode("ascii")
        found = [value for key, value in self._response.headers if key.lower() == wanted]
        return b", ".join(found).decode("latin-1")

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        with _own_faults():
            stream = cast("AsyncIterable[bytes]", self._response.stream)
            async with aclosing(cast("AsyncGenerator[bytes, None]", aiter(stream))) as parts:
                async for part in parts:
                    yield part

    async def aclose(self) -> None:
        with _own_faults():
            await self._response.aclose()


def open_client(pinned_by: Resolve | None = None) -> PooledClient:
    """Returns a client of its own; with a resolver it goes to public addresses alone."""
    return PooledClient(AsyncioNetwork() if pinned_by is None else PinnedNetwork(pinned_by))


@contextmanager
def _own_faults() -> Iterator[None]:
    try:
        yield
    except httpcore.TimeoutException as fault:
        raise HttpTimeout(str(fault)) from fault
    except _FAULTS as fault:
        raise HttpFault(str(fault)) from fault


@lru_cache(maxsize=256)
def _parsed(url: str) -> tuple[httpcore.URL, bytes]:
    """Returns an address that `parse_endpoint` let through, and what stands in the Host header for it."""
    parts = urlsplit(url)
    host = (parts.hostname or "").encode("ascii")
    target = (parts.path or "/").encode("ascii")
    return (
        httpcore.URL(scheme=parts.scheme.encode("ascii"), host=host, port=parts.port, target=target),
        parts.netloc.encode("ascii"),
    )
