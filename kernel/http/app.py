"""The Quart application: it owns the lifespan; requests go straight to the dispatcher.

`asgi_http_class` is Quart's own place to put another handling of HTTP. Ours speaks ASGI directly:
it keeps the socket's backpressure for uploads and costs half of the stock request context.
"""

from typing import Any

from quart import Quart
from quart.asgi import ASGIHTTPConnection

from kernel.http.dispatch import Dispatcher


def create_app(dispatcher: Dispatcher) -> Quart:
    class DispatchedConnection(ASGIHTTPConnection):
        async def __call__(self, receive: Any, send: Any) -> None:
            await dispatcher(self.scope, receive, send)

    app = Quart("guildhall", static_folder=None)
    app.asgi_http_class = DispatchedConnection
    return app
