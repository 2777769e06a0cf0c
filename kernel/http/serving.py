"""What all connections of one listener share."""

import asyncio
import logging
import time

from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.asyncio.worker_context import WorkerContext
from hypercorn.config import Config
from quart import Quart

from guildhall_sdk.mounts import Asgi

# They tell a proxy how we are; they do not tell that it still sends us work.
_PROBES = (b"/ready", b"/health")


class Serving:
    """The application, how it is served, and whether the listener is stopping."""

    def __init__(self, app: Asgi | Quart, stopping: asyncio.Event, *, secure: bool) -> None:
        self.app = ASGIWrapper(app)  # type: ignore[arg-type]
        self.stopping = stopping
        self.config = _ServingConfig(secure=secure)
        self.context = WorkerContext(None)
        self._loop = asyncio.get_running_loop()
        self.last_request_at = 0.0

    def note_request(self, target: bytes) -> None:
        if target not in _PROBES:
            self.last_request_at = self._loop.time()


class _ServingConfig(Config):
    """`secure` tells browsers, with every answer there is, to come by TLS alone."""

    def __init__(self, *, secure: bool) -> None:
        super().__init__()
        self.accesslog = None
        self.errorlog = logging.getLogger("hypercorn.error")
        self.include_server_header = False
        self.h11_max_incomplete_size = 32 * 1024
        self._always = [(b"strict-transport-security", b"max-age=31536000")] if secure else []
        self._made_at, self._made = 0, self._always

    def response_headers(self, protocol: str) -> list[tuple[bytes, bytes]]:
        """Made once a second: only the date in them changes."""
        second = int(time.time())
        if second != self._made_at:
            self._made_at, self._made = second, [*super().response_headers(protocol), *self._always]
        return self._made
