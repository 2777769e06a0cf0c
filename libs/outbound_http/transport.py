"""The HTTP client. Import it at the first use: a server that calls nobody starts without httpcore."""

import ssl
from collections.abc import AsyncGenerator, AsyncIterable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from functools import cache, lru_cache
from typing import cast
from urllib.parse import urlsplit

import certifi
import httpcore

from libs.outbound_http.bounded import HttpFault, HttpTimeout
from libs.outbound_http.endpoints import Resolve
from libs.outbound_http.network import AsyncioNetwork, PinnedNetwork

_USER_AGENT = b"guildhall"
_TIMEOUTS = {"timeout": {"connect": 10.0}}
# Some servers refuse these without a length.
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
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
        # How many requests run at once is for their caller to say: a limit on connections lets one silent
        # host hold up all others.
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
            if body or method in _WITH_BODY:
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

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers by name in lower case; lines of one name are joined by commas."""
        found: dict[str, str] = {}
        for key, value in self._response.headers:
            name, text = key.decode("latin-1").lower(), value.decode("latin-1")
            found[name] = f"{found[name]}, {text}" if name in found else text
        return found

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


def open_client(checked: Resolve | None = None) -> PooledClient:
    """Returns a client of its own; it goes to the addresses alone that `checked` gives for a host, if any."""
    return PooledClient(AsyncioNetwork() if checked is None else PinnedNetwork(checked))


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
    """Returns an address that was let through, and what stands in the Host header for it."""
    parts = urlsplit(url)
    host = (parts.hostname or "").encode("ascii")
    query = f"?{parts.query}" if parts.query else ""
    target = f"{parts.path or '/'}{query}".encode("ascii")
    return (
        httpcore.URL(scheme=parts.scheme.encode("ascii"), host=host, port=parts.port, target=target),
        parts.netloc.encode("ascii"),
    )
