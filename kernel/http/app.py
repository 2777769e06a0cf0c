"""The Quart applications: requests go straight to the dispatcher, or to a mount.

`asgi_http_class` is Quart's own place to put another handling of HTTP. Ours speaks ASGI directly:
it keeps the socket's backpressure for uploads and costs half of the stock request context.
"""

import asyncio
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network
from typing import Any

from quart import Quart
from quart.asgi import ASGIHTTPConnection

from guildhall_sdk import Unavailable
from guildhall_sdk.ids import request_id
from guildhall_sdk.mounts import Asgi, Receive, Send
from guildhall_sdk.services.readiness import NOT_READY
from kernel.config import Network
from kernel.db.accounts import UNAUTHENTICATED, current_account
from kernel.db.scopes import has_written
from kernel.http.replies import encoded, problem_reply, send_reply
from kernel.readiness import STARTING
from libs.addresses import Address, parse_address

PEER = "guildhall.peer"  # of a scope: who holds the connection, where the client is somebody behind them
_FORWARDED_FOR = b"x-forwarded-for"
_MAPPED_BITS = 96
_BRACKETED = re.compile(r"\[([^\[\]]*)\](?::[0-9]{1,5})?")
_WITH_PORT = re.compile(r"([0-9.]+):[0-9]{1,5}")
_READY = "/ready"


def create_app(dispatcher: Asgi, mounts: Mapping[str, Asgi] | None = None) -> Quart:
    """Makes the application; `mounts` are other protocols by the prefix of their paths."""
    prefixes = tuple((mounts or {}).items())

    async def answer(scope: Mapping[str, Any], receive: Any, send: Any) -> None:
        path: str = scope["path"]
        for prefix, mounted in prefixes:
            if path.startswith(prefix) and path[len(prefix) : len(prefix) + 1] in ("", "/"):
                await mounted({**scope, "root_path": prefix}, receive, send)
                return
        await dispatcher(scope, receive, send)

    return answered_by(answer if prefixes else dispatcher)


def answered_by(application: Asgi) -> Quart:
    class DispatchedConnection(ASGIHTTPConnection):
        async def __call__(self, receive: Any, send: Any) -> None:
            current_account.set(UNAUTHENTICATED)
            has_written.set(False)
            await application(self.scope, receive, send)

    app = Quart("guildhall", static_folder=None)
    app.asgi_http_class = DispatchedConnection
    return app


class StartingApp:
    """Stands in for the application until `serve` gives it: `/ready` says so, everybody else waits."""

    def __init__(self) -> None:
        self._started = asyncio.Event()
        self._app: Any = None

    def serve(self, app: Asgi | Quart) -> None:
        self._app = app
        self._started.set()

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        if self._app is None and scope["path"] == _READY:
            await self._refuse(scope, send)
            return
        await self._started.wait()
        await self._app(scope, receive, send)

    async def _refuse(self, scope: Mapping[str, Any], send: Send) -> None:
        made = request_id("", time.time_ns() // 1_000_000)
        problem = Unavailable(STARTING.detail, code=NOT_READY, reason=STARTING.reason)
        head = scope["method"] == "HEAD"
        await send_reply(
            send, encoded(problem_reply(problem, made)), request_id=made, private=False, head=head
        )


def behind_proxies(application: Asgi, trusted: Sequence[Network]) -> Asgi:
    """Returns the application, with the caller's own address as the `client` of every request."""
    if not trusted:
        return application
    proxies = Proxies(trusted)

    async def answer(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        client = scope.get("client")
        if client is not None:
            address = proxies.caller(client[0], scope["headers"])
            if address != client[0]:
                scope = {**scope, "client": (address, 0), PEER: client[0]}
        await application(scope, receive, send)

    return answer


class Proxies:
    """The proxies that the operator trusts to say whose request it is; nobody else is believed."""

    def __init__(self, trusted: Sequence[Network]) -> None:
        self._networks = tuple(_plain(network) for network in trusted)
        self._is_trusted = lru_cache(maxsize=4096)(self._stands_in_one)

    def caller(self, connected: str, headers: Sequence[tuple[bytes, bytes]]) -> str:
        """Returns the first address from the right that is no proxy of ours.

        Each hop is reported by the one to its right. So nothing that stands left of the caller counts, nor
        what is left of a word that is no address.
        """
        hop = parse_address(connected)
        if hop is None or not self._is_trusted(hop):
            return connected
        for word in _from_the_right(headers):
            address = _parse_hop(word)
            if address is None:
                break
            hop = address
            if not self._is_trusted(hop):
                break
        return str(hop)

    def trusts(self, connected: str) -> bool:
        hop = parse_address(connected)
        return hop is not None and self._is_trusted(hop)

    def _stands_in_one(self, address: Address) -> bool:
        return any(address in network for network in self._networks)


def _plain(network: Network) -> Network:
    """Returns an IPv4-mapped network as IPv4, as addresses are read too."""
    mapped = network.network_address.ipv4_mapped if isinstance(network, IPv6Network) else None
    if mapped is None or network.prefixlen < _MAPPED_BITS:
        return network
    return IPv4Network((int(mapped), network.prefixlen - _MAPPED_BITS))


def _from_the_right(headers: Sequence[tuple[bytes, bytes]]) -> Iterator[str]:
    """Yields the hops from the right; several lines of the header are one list."""
    for name, value in reversed(headers):
        if name == _FORWARDED_FOR:
            yield from reversed(value.decode("latin-1").split(","))


def _parse_hop(word: str) -> Address | None:
    """Parses a hop such as `192.0.2.7`, `192.0.2.7:567`, `2001:db8::7` or `[2001:db8::7]:567`."""
    text = word.strip(" \t")
    with_port = _BRACKETED.fullmatch(text) or _WITH_PORT.fullmatch(text)
    return parse_address(with_port[1] if with_port else text)
