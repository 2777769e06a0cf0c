"""The Quart applications: requests go straight to the dispatcher, or to a mount.

`asgi_http_class` is Quart's own place to put another handling of HTTP. Ours speaks ASGI directly:
it keeps the socket's backpressure for uploads and costs half of the stock request context.
"""

from collections.abc import Mapping
from typing import Any

from quart import Quart
from quart.asgi import ASGIHTTPConnection

from guildhall_sdk.mounts import Asgi
from kernel.db.accounts import AT_THE_GATES, current_account


def create_app(dispatcher: Asgi, mounts: Mapping[str, Asgi] | None = None) -> Quart:
    """`mounts` are other protocols by the prefix of their paths."""
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
            current_account.set(AT_THE_GATES)
            await application(self.scope, receive, send)

    app = Quart("guildhall", static_folder=None)
    app.asgi_http_class = DispatchedConnection
    return app
