"""Connections of httpcore on asyncio's own transports, and the check of where they may lead.

httpcore comes with a network on anyio, whose cancel scopes around each read and write cost more than the
reading and writing; `docs/decisions/httpcore-network.md` has the figures.
"""

import asyncio
import socket
import ssl
from collections import deque
from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest
from typing import Any, cast

import httpcore

from libs.outbound_http.endpoints import Resolve

# Of a request: a head and a body that are no more leave in one write.
_HELD_BYTES = 64 * 1024
# Of an answer that nobody reads as fast as it comes.
_UNREAD_BYTES = 256 * 1024
_NEXT_ADDRESS_SECONDS = 0.25

# Of `getaddrinfo`: the family, the address and what else nobody here needs.
_Found = tuple[Any, Any, int, str, Any]


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
                connected = await _first_connected(host, port)
                _, received = await loop.create_connection(_Received, sock=connected)
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
        raise httpcore.UnsupportedProtocol("hosts are reached over TCP")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def _first_connected(host: str, port: int) -> socket.socket:
    """Connects to the first address of a name that takes it, and tries the next beside one that is slow.

    asyncio does so by itself ("happy eyeballs"), and uvloop does not.
    """
    loop = asyncio.get_running_loop()
    left = deque(_by_turns(await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
    attempts: set[asyncio.Task[socket.socket]] = set()
    failure: BaseException = OSError("the name has no address")
    try:
        while left or attempts:
            if left:
                attempts.add(loop.create_task(_connected(left.popleft())))
            patience = _NEXT_ADDRESS_SECONDS if left else None
            done, _ = await asyncio.wait(attempts, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            for attempt in done:
                attempts.remove(attempt)
                if (error := attempt.exception()) is None:
                    return attempt.result()
                failure = error
        raise failure
    finally:
        for attempt in attempts:
            attempt.cancel()
            attempt.add_done_callback(_let_go)


async def _connected(found: _Found) -> socket.socket:
    family, _, _, _, address = found
    connecting = socket.socket(family, socket.SOCK_STREAM)
    try:
        connecting.setblocking(False)
        await asyncio.get_running_loop().sock_connect(connecting, address)
    except BaseException:
        connecting.close()
        raise
    return connecting


def _by_turns(found: Sequence[_Found]) -> Sequence[_Found]:
    """Puts the addresses of both families in turn, beginning with the one that the system puts first."""
    first = [one for one in found if one[0] == found[0][0]]
    others = [one for one in found if one[0] != found[0][0]]
    return [one for one in chain.from_iterable(zip_longest(first, others)) if one is not None]


def _let_go(attempt: "asyncio.Task[socket.socket]") -> None:
    """Closes a connection that came too late."""
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().close()


class PinnedNetwork(AsyncioNetwork):
    """Connects to addresses that `checked` gives, and no others; names stay for TLS and the Host header."""

    def __init__(self, checked: Resolve) -> None:
        self._checked = checked

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            addresses = await self._checked(host, port)
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
        """Returns what arrived, as soon as something did; nothing at the end."""
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
        self.transport = cast(asyncio.Transport, transport)  # uvloop's have another class

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
