"""The Quart applications: requests go straight to the pipeline, as rows or by an adapter.

`asgi_http_class` is Quart's own place to put another handling of HTTP. Ours speaks ASGI directly:
it keeps the socket's backpressure for uploads and costs half of the stock request context.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

from quart import Quart

from guildhall_sdk import Unavailable
from guildhall_sdk.routes import Asgi, Receive, Send
from guildhall_sdk.services.server import NOT_READY, STARTING
from kernel.http.replies import Refusal
from libs.addresses import Network, Proxies
from libs.asgi import Deferred, behind

PEER = "guildhall.peer"  # of a scope: who holds the connection, where the client is somebody behind them
_NONE: Mapping[str, Asgi] = {}


def create_app(rows: Asgi, adapted: Mapping[str, Asgi] = _NONE) -> Quart:
    """Makes the application; `adapted` are other protocols by the prefix of their paths."""
    prefixes = tuple(adapted.items())

    def handle(_: Quart, scope: Mapping[str, Any]) -> Any:
        path: str = scope["path"]
        for prefix, application in prefixes:
            if path.startswith(prefix) and path[len(prefix) : len(prefix) + 1] in ("", "/"):
                return partial(application, {**scope, "root_path": prefix})
        return partial(rows, scope)

    app: Any = Quart("guildhall", static_folder=None)
    app.asgi_http_class = handle
    return cast(Quart, app)


class StartingApp(Deferred):
    """Stands in for the application until `serve` gives it: `/ready` says so, everybody else waits."""

    def __init__(self) -> None:
        super().__init__("/ready", _say_starting)


async def _say_starting(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
    refusal = Refusal.of(Unavailable(STARTING.detail, code=NOT_READY, reason=STARTING.reason))
    await send({"type": "http.response.start", "status": refusal.status, "headers": refusal.headers})
    content = b"" if scope["method"] == "HEAD" else refusal.body
    await send({"type": "http.response.body", "body": content, "more_body": False})


def behind_proxies(application: Asgi, trusted: Sequence[Network]) -> Asgi:
    """Returns the application, with the caller's own address as the `client` of every request."""
    return behind(application, Proxies(trusted).caller, PEER) if trusted else application
