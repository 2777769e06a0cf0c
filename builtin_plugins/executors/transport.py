"""The HTTP clients of executors. Imported at the first use: the server starts without httpx."""

import json
import logging
from collections.abc import Iterable, Mapping
from functools import lru_cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpcore
import httpx

from builtin_plugins.executors.endpoints import Resolve, public_addresses

_CONNECT_SECONDS = 10.0
_USER_AGENT = "guildhall"
# How many turns run at once is for quotas to say: a limit here lets one silent endpoint hold up all others.
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=40, keepalive_expiry=30)


class PinnedNetwork(httpcore.AsyncNetworkBackend):
    """Connects to addresses that were judged, and to nothing else; names stay for TLS and the Host header."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            addresses = await public_addresses(host, port, self._resolve)
        except OSError as error:
            raise httpcore.ConnectError("the name does not resolve") from error
        failure: Exception = httpcore.ConnectError("no address")
        for address in addresses:
            try:
                return await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        raise httpcore.UnsupportedProtocol("an executor is reached over TCP")

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class _PinnedTransport(httpx.AsyncHTTPTransport):
    """httpx offers no way to choose the network, so its pool is made here."""

    def __init__(self, resolve: Resolve) -> None:
        context = httpx.create_ssl_context(trust_env=False)
        super().__init__(verify=context, trust_env=False)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context,
            max_connections=_LIMITS.max_connections,
            max_keepalive_connections=_LIMITS.max_keepalive_connections,
            keepalive_expiry=_LIMITS.keepalive_expiry,
            network_backend=PinnedNetwork(resolve),
        )


def open_client(pinned_by: Resolve | None = None) -> httpx.AsyncClient:
    """No redirects, no proxy of the environment, no cookies; with a resolver, public addresses alone.

    How long a call may take is for the caller to say.
    """
    logging.getLogger("httpx").setLevel(logging.WARNING)
    transport = (
        httpx.AsyncHTTPTransport(limits=_LIMITS, trust_env=False)
        if pinned_by is None
        else _PinnedTransport(pinned_by)
    )
    return httpx.AsyncClient(
        transport=transport,
        trust_env=False,
        follow_redirects=False,
        timeout=httpx.Timeout(None, connect=_CONNECT_SECONDS),
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        headers={"User-Agent": _USER_AGENT},
    )


def post_request(url: str, sent: Mapping[str, Any], headers: Mapping[str, str]) -> httpx.Request:
    """As `build_request` of a client makes it, in half the time: that parses and merges all there is."""
    own = {"User-Agent": _USER_AGENT, "Content-Type": "application/json"}
    body = json.dumps(sent, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    return httpx.Request("POST", _parsed(url), headers={**own, **headers}, content=body)


_parsed = lru_cache(maxsize=256)(httpx.URL)
