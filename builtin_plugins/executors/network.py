"""Connections of httpcore on asyncio's own transports, and the judgement where they may lead.

httpcore comes with a network on anyio, whose cancel scopes around each read and write cost more than the
reading and writing; `docs/decisions/httpcore-network.md` has the figures.
"""

import asyncio
import ssl
from collections.abc import Iterable
from typing import Any

import httpcore

from builtin_plugins.executors.endpoints import Resolve, public_addresses

# Of a request: a head and a body that are no more leave in one write.
_HELD_BYTES = 64 * 1024
# Of an answer that nobody reads as fast as it comes.
_UNREAD_BYTES = 256 * 1024
_NEXT_FAMILY_SECONDS = 0.25


class AsyncioNetwork(httpcore.AsyncNetworkBackend):
    """Connects over TCP to wherever it is told to."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeout):
                _, received = await loop.create_connection(
                    _Received, host, port, happy_eyeballs_delay=_NEXT_FAMILY_SECONDS
                )
        except TimeoutError as error:
            raise httpcore.ConnectTimeout("no connection in time") from error
        except OSError as error:
            raise httpcore.ConnectError("no connection") from error
        return AsyncioStream(received)

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        raise httpcore.UnsupportedProtocol("an executor is reached over TCP")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class PinnedNetwork(AsyncioNetwork):
    """Connects to addresses that were judged, and to nothing else; names stay for TLS and the Host header."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve

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
                return await super().connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


class AsyncioStream(httpcore.AsyncNetworkStream):
    """One connection. What is written leaves with the next read: a request is one packet, head and body."""

    def __init__(self, received: "_Received") -> None:
        self._received = received
        self._held: list[bytes] = []
        self._held_bytes = 0

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._held:
            self._send()
        if timeout is None:
            return await self._received.take(max_bytes)
        try:
            async with asyncio.timeout(timeout):
                return await self._received.take(max_bytes)
        except TimeoutError as error:
            raise httpcore.ReadTimeout("nothing came in time") from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._held.append(buffer)
        self._held_bytes += len(buffer)
        if self._held_bytes <= _HELD_BYTES:
            return
        self._send()
        try:
            async with asyncio.timeout(timeout):
                await self._received.until_sent()
        except TimeoutError as error:
            raise httpcore.WriteTimeout("nothing was taken in time") from error

    async def aclose(self) -> None:
        """Lets go at once: an endpoint that goes on answering must hear that nobody listens."""
        self._held = []
        self._received.transport.abort()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            async with asyncio.timeout(timeout):
                await self._received.start_tls(ssl_context, server_hostname)
        except TimeoutError as error:
            await self.aclose()
            raise httpcore.ConnectTimeout("no TLS in time") from error
        except OSError as error:  # those of ssl are some of these
            await self.aclose()
            raise httpcore.ConnectError("no TLS") from error
        except BaseException:
            await self.aclose()
            raise
        return self

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":
            return self._received.is_readable
        return self._received.transport.get_extra_info(info)

    def _send(self) -> None:
        held, self._held, self._held_bytes = self._held, [], 0
        self._received.send(held[0] if len(held) == 1 else b"".join(held))


class _Received(asyncio.Protocol):
    """What has arrived on a connection and nobody has read yet."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._unread = b""
        self._ended = False
        self._failure: Exception | None = None
        self._reader: asyncio.Future[None] | None = None
        self._writer: asyncio.Future[None] | None = None
        self._reading_paused = self._writing_paused = False

    @property
    def is_readable(self) -> bool:
        """Whether there is something to read, be it the end: of a connection that nobody uses, its end."""
        return self._ended or bool(self._unread)

    async def take(self, max_bytes: int) -> bytes:
        """What arrived, as soon as something did; nothing at the end."""
        while not self._unread and not self._ended:
            self._reader = self._loop.create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        if self._failure is not None and not self._unread:
            raise httpcore.ReadError("the connection broke") from self._failure
        taken, self._unread = self._unread[:max_bytes], self._unread[max_bytes:]
        if self._reading_paused and not self._unread and not self._ended:
            self._reading_paused = False
            self.transport.resume_reading()
        return taken

    def send(self, data: bytes) -> None:
        """Sends it, unless the connection has ended: whoever reads next hears of that, or why."""
        if not self._ended:
            self.transport.write(data)

    async def until_sent(self) -> None:
        while self._writing_paused and not self._ended:
            self._writer = self._loop.create_future()
            try:
                await self._writer
            finally:
                self._writer = None

    async def start_tls(self, ssl_context: ssl.SSLContext, server_hostname: str | None) -> None:
        secured = await self._loop.start_tls(
            self.transport, self, ssl_context, server_hostname=server_hostname
        )
        if secured is None:
            raise ConnectionResetError
        self.transport = secured

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._unread = self._unread + data if self._unread else bytes(data)
        if len(self._unread) > _UNREAD_BYTES and not self._reading_paused:
            self._reading_paused = True
            self.transport.pause_reading()
        _wake(self._reader)

    def eof_received(self) -> None:
        self._ended = True
        _wake(self._reader)

    def connection_lost(self, error: Exception | None) -> None:
        self._ended, self._failure = True, error
        _wake(self._reader)
        _wake(self._writer)

    def pause_writing(self) -> None:
        self._writing_paused = True

    def resume_writing(self) -> None:
        self._writing_paused = False
        _wake(self._writer)


def _wake(waiter: "asyncio.Future[None] | None") -> None:
    if waiter is not None and not waiter.done():
        waiter.set_result(None)
