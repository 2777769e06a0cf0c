"""A plugin whose answers take long, and raw connections to it."""

import asyncio
import socket
from urllib.parse import urlsplit

import pytest

from guildhall_sdk import Auth, Plugin, Reply, Route, hookimpl

KIB = 1024


class Slow:
    """Streams without an end, or waits until it is told."""

    PLUGIN = Plugin("slow", "Slow", "0.1.0", "Takes its time.")

    def __init__(self) -> None:
        self.released, self.over = asyncio.Event(), asyncio.Event()
        self.streaming = self.chunks = self.waiting = 0

    async def flood(self, call):
        return Reply(stream=self._chunks(), content_type="application/octet-stream")

    async def silence(self, call):
        return Reply(stream=self._one_chunk(), content_type="application/octet-stream")

    async def _one_chunk(self):
        self.streaming += 1
        try:
            yield b"first"
            await self.released.wait()
            yield b"last"
        finally:
            self.streaming -= 1
            self.over.set()

    async def last(self, call):
        return Reply({}, headers={"Connection": "close"})

    async def wait(self, call):
        self.waiting += 1
        await self.released.wait()
        self.waiting -= 1
        return Reply({})

    async def _chunks(self):
        self.streaming += 1
        try:
            while not self.released.is_set():
                self.chunks += 1
                yield b"x" * 256 * KIB
        finally:
            self.streaming -= 1

    @hookimpl
    def declare_routes(self):
        stream = {"content_type": "application/octet-stream"}
        return [
            Route("GET", "/api/flood", "flood", "Flood", auth=Auth.PUBLIC, **stream),
            Route("GET", "/api/silence", "silence", "Silence", auth=Auth.PUBLIC, **stream),
            Route("GET", "/api/last", "last", "The last answer", auth=Auth.PUBLIC),
            Route("GET", "/api/wait", "wait", "Wait"),
        ]

    @hookimpl
    def declare_handlers(self):
        return {"flood": self.flood, "silence": self.silence, "last": self.last, "wait": self.wait}


@pytest.fixture
def slow():
    return Slow()


@pytest.fixture
async def slow_hall(open_hall, slow, monkeypatch):
    """A hall with the slow plugin that soon loses its patience."""
    monkeypatch.setattr("libs.listener.listening.CHECK_SECONDS", 0.02)
    monkeypatch.setattr("libs.listener.connection.STALLED_SECONDS", 0.5)
    async with open_hall(slow) as hall:
        yield hall
        slow.released.set()


@pytest.fixture
def connect():
    """`reader, writer = await connect(hall)`: with little room for what is not read."""

    async def connect(hall):
        address = urlsplit(hall.base_url)
        own = socket.socket()
        own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 * KIB)
        own.setblocking(False)
        await asyncio.get_running_loop().sock_connect(own, (address.hostname, address.port))
        return await asyncio.open_connection(sock=own, limit=4 * KIB)

    return connect


@pytest.fixture
def eventually():
    """`await eventually(lambda: …)`: until it holds; fails after 20 s."""

    async def eventually(condition):
        async with asyncio.timeout(60):
            while not condition():  # noqa: ASYNC110 - nothing tells when the server is that far
                await asyncio.sleep(0.01)

    return eventually
