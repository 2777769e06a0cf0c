"""Answering while the server still starts: `/ready` says so, and everybody else waits for the end of it."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from quart import Quart

from guildhall_sdk import Unavailable
from guildhall_sdk.ids import request_id
from guildhall_sdk.mounts import Asgi, Receive, Send
from guildhall_sdk.services.readiness import NOT_READY
from kernel.http.problems import problem_reply
from kernel.http.sending import Sender, encoded
from kernel.readiness import STARTING

_READY = "/ready"


class StartingApp:
    """Stands in for the application until `serve` gives it."""

    def __init__(self) -> None:
        self._started = asyncio.Event()
        self._app: Any = None
        self._sender = Sender()

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
        await self._sender.send(
            send, encoded(problem_reply(problem, made)), request_id=made, private=False, head=head
        )
