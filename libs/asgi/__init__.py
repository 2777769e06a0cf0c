"""ASGI applications put together, and what the headers of a request say of where it comes from."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

__all__ = ["Asgi", "Deferred", "behind", "first_found", "is_from_other_site", "joined_headers"]

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Asgi = Callable[[Mapping[str, Any], Receive, Send], Awaitable[None]]
#: Returns the caller's own address, by that of the connection and the header lines.
CallerOf = Callable[[str, Sequence[tuple[bytes, bytes]]], str]
_READS = ("GET", "HEAD")
_NOT_FOUND = 404
_OWN_SITE = frozenset({"same-origin", "none"})


class Deferred:
    """Stands in for an application until `serve` gives it: `starting` answers at `probe`, all others wait."""

    def __init__(self, probe: str, starting: Asgi) -> None:
        self._probe = probe
        self._starting = starting
        self._started = asyncio.Event()
        self._app: Any = None

    def serve(self, app: Any) -> None:
        self._app = app
        self._started.set()

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        if self._app is None and scope["path"] == self._probe:
            await self._starting(scope, receive, send)
            return
        await self._started.wait()
        await self._app(scope, receive, send)


def first_found(first: Asgi, second: Asgi) -> Asgi:
    """Returns an application that lets `second` answer what the first finds nothing to read for (404)."""

    async def answer(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["method"] not in _READS:
            await first(scope, receive, send)
            return
        found = True

        async def send_what_was_found(message: Mapping[str, Any]) -> None:
            nonlocal found
            if message["type"] == "http.response.start" and message["status"] == _NOT_FOUND:
                found = False
            if found:
                await send(message)

        await first(scope, receive, send_what_was_found)
        if not found:
            await second(scope, receive, send)

    return answer


def behind(application: Asgi, caller_of: CallerOf, peer_key: str) -> Asgi:
    """Returns the application, with the caller's own address as the `client` of every request.

    Whoever holds the connection stands in the scope under `peer_key`, where that is somebody else.
    """

    async def answer(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        client = scope.get("client")
        if client is not None:
            address = caller_of(client[0], scope["headers"])
            if address != client[0]:
                scope = {**scope, "client": (address, 0), peer_key: client[0]}
        await application(scope, receive, send)

    return answer


def joined_headers(lines: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    """Returns the headers by name; several lines of one name are one list.

    Of two, the last alone might be the caller's, behind that of a proxy.
    """
    headers: dict[str, str] = {}
    for raw_name, raw_value in lines:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def is_from_other_site(headers: Mapping[str, str], own_host: str) -> bool:
    """Tells whether a page of another site than the host in `Host`, or `own_host`, sent a request."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        return site not in _OWN_SITE
    return origin is not None and _host_of(origin) not in (headers.get("host", ""), own_host)


def _host_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None
