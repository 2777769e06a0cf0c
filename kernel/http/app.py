"""The Quart applications: requests go straight to the pipeline, as rows or by an adapter.

`asgi_http_class` is Quart's own place to put another handling of HTTP. Ours speaks ASGI directly:
it keeps the socket's backpressure for uploads and costs half of the stock request context.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

from quart import Quart
from quart.asgi import ASGIHTTPConnection

from guildhall_sdk import Unavailable
from guildhall_sdk.ids import request_id
from guildhall_sdk.routes import Asgi, Receive, Send
from guildhall_sdk.services.server import NOT_READY, STARTING
from kernel.config import Network
from kernel.http.replies import encoded, header_lines, problem_reply, send_reply
from libs.addresses import Proxies

PEER = "guildhall.peer"  # of a scope: who holds the connection, where the client is somebody behind them
_READY = "/ready"


def create_app(rows: Asgi, adapted: Mapping[str, Asgi]) -> Quart:
    """Makes the application; `adapted` are other protocols by the prefix of their paths."""
    prefixes = tuple(adapted.items())

    async def answer(scope: Mapping[str, Any], receive: Any, send: Any) -> None:
        path: str = scope["path"]
        for prefix, application in prefixes:
            if path.startswith(prefix) and path[len(prefix) : len(prefix) + 1] in ("", "/"):
                await application({**scope, "root_path": prefix}, receive, send)
                return
        await rows(scope, receive, send)

    return answered_by(answer if prefixes else rows)


def answered_by(application: Asgi) -> Quart:
    class DispatchedConnection(ASGIHTTPConnection):
        async def __call__(self, receive: Any, send: Any) -> None:
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
        reply = encoded(problem_reply(problem, made))
        headers = header_lines(reply, made, private=False)
        await send_reply(send, reply, headers, head=scope["method"] == "HEAD")


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
