"""One TCP connection, from its first byte to its end.

Hypercorn's own `TCPServer` waits for ever for a client that does not read, starts a task after every
answer to close the connection should nothing follow, and leaves a task behind when requests follow the
answer that was the last. Here a connection has no timer of its own: the acceptor checks each one
every second.
"""

import asyncio
import select
import socket
import struct
from collections.abc import Iterable
from contextlib import suppress
from typing import SupportsIndex

from hypercorn.asyncio.task_group import TaskGroup
from hypercorn.events import Closed, Event, RawData, Updated

from libs.listener.protocol import PlainProtocol, Serving

KEEP_ALIVE_SECONDS = 5.0
HEAD_SECONDS = 10.0
STALLED_SECONDS = 60.0
# Whoever still sends what was refused is heard out: until it is silent for so long, or for so long in all.
LINGER_SECONDS = 1.0
LINGERED_SECONDS = 30.0
# What asyncio takes from a socket in one go.
_RECEIVED_AT_ONCE = 256 * 1024
_SENT_AT_ONCE = 1024 * 1024
_UNSENT_IN_PROCESS = 32 * 1024
_UNSENT_IN_SYSTEM = 256 * 1024


class Reader(asyncio.StreamReader):
    """A stream that tells whether something has come since whoever reads it said that nothing is unread."""

    has_unread = False

    def feed_data(self, data: Iterable[SupportsIndex]) -> None:
        self.has_unread = True
        super().feed_data(data)


class Connection:
    """Bytes in, bytes out, and when it is over."""

    def __init__(
        self,
        serving: Serving,
        client: tuple[str, int],
        reader: Reader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._serving = serving
        self._client = client
        self._loop = asyncio.get_running_loop()
        self._reader = reader
        self._writer = writer
        writer.transport.set_write_buffer_limits(high=_UNSENT_IN_PROCESS)
        _bound_unsent(writer)
        self._turn = asyncio.Lock()
        self._holder = serving.policy.new_holder(client[0])
        self._protocol: PlainProtocol
        self._reading: asyncio.Task[None] | None = None
        now = self._loop.time()
        self._idle_since: float | None = now
        self._head_since: float | None = None
        self._written = self._taken = 0
        self._taken_at = now
        self._ended = self._answered_last = False

    async def run(self) -> None:
        try:
            async with TaskGroup(self._loop) as tasks:
                self._protocol = PlainProtocol(
                    self._serving,
                    tasks,
                    client=self._client,
                    holder=self._holder,
                    server=_own_address(self._writer),
                    send=self._send,
                    is_lost=self._writer.transport.is_closing,
                )
                tasks.spawn(self._read)
        except Exception as error:
            self._serving.policy.log.error("connection.failed", exc=error)
        finally:
            await self._close()

    def check_timeouts(self, now: float) -> None:
        """Ends what is idle, or too slow with its head; cuts what takes nothing of its answer."""
        waiting = self._writer.transport.get_write_buffer_size()
        taken = self._written - waiting
        if not waiting or taken != self._taken:
            self._taken, self._taken_at = taken, now
        elif now - self._taken_at >= STALLED_SECONDS:
            self._serving.policy.log.info("connection.stalled", bytes_unread=waiting)
            self.cut()
        if self._idle_since is None:
            return
        if self._head_since is None:
            over = now - self._idle_since >= KEEP_ALIVE_SECONDS and not self._has_unread()
        else:
            over = now - self._head_since >= HEAD_SECONDS
        if over:
            self.end()

    def is_idle(self, now: float, seconds: float) -> bool:
        """Tells whether no request is under way, nor began to come, nor ended within so long."""
        since = self._idle_since if self._head_since is None else self._head_since
        return self._idle_since is not None and now - (since or 0) >= seconds and not self._has_unread()

    def _has_unread(self) -> bool:
        """Tells whether something came that was not looked at yet: a loop that was busy may find it too late.

        It may be in the system still, or here, with the task that reads about to be woken.
        """
        return self._reader.has_unread or _is_readable(self._writer)

    def end(self) -> None:
        """Ends the connection without another answer; what is unsent still goes out."""
        if self._ended:
            return
        self._ended = True
        with suppress(OSError, RuntimeError):
            self._writer.write_eof()
        if self._reading is not None and self._reading is not asyncio.current_task():
            self._reading.cancel()

    def cut(self) -> None:
        """Cuts the connection at once; the application hears that its caller is gone.

        It is reset: else the system would keep what is unsent, and go on trying to send it.
        """
        with suppress(OSError, ValueError):  # of one that is closed, uvloop's socket has no descriptor
            self._writer.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
            )
        self._writer.transport.abort()

    async def _read(self) -> None:
        self._reading = asyncio.current_task()
        while not self._ended and not self._reader.at_eof():
            try:
                data = await self._reader.read(_RECEIVED_AT_ONCE)
            except OSError:
                break
            self._reader.has_unread = False
            if self._idle_since is not None and self._head_since is None:
                self._head_since = self._loop.time()
            await self._holder.take_turn()
            await self._protocol.handle(RawData(data))
        await self._protocol.handle(Closed())

    async def _send(self, event: Event) -> None:
        kind = type(event)  # `isinstance` takes ten times as long for these: their base is an ABC
        if kind is RawData:
            data = event.data  # type: ignore[attr-defined]
            try:
                # Piece by piece, and none before the one before it is as good as sent.
                async with self._turn:
                    view = memoryview(data)
                    for start in range(0, len(data), _SENT_AT_ONCE):
                        piece = view[start : start + _SENT_AT_ONCE]
                        self._writer.write(piece)
                        self._written += len(piece)
                        await self._writer.drain()
                        if self._writer.transport.is_closing():  # cut while it waited: `drain` says nothing
                            raise ConnectionResetError
            except (ConnectionError, RuntimeError):
                await self._protocol.handle(Closed())
                self.end()  # what else was asked for is not read: nobody would hear the answer
        elif kind is Closed:
            self._answered_last = True
            self.end()
        elif kind is Updated:
            self._idle_since = self._loop.time() if event.idle else None  # type: ignore[attr-defined]
            self._head_since = None

    async def _close(self) -> None:
        with suppress(OSError):
            if self._answered_last:
                await self._linger()
        self._writer.close()
        with suppress(Exception):
            await self._writer.wait_closed()

    async def _linger(self) -> None:
        """Reads what still comes before closing: unread bytes would take the answer back from its reader.

        A server that stops waits for no more than it takes a caller to notice.
        """
        until = self._loop.time() + LINGERED_SECONDS
        with suppress(TimeoutError):
            while (left := until - self._loop.time()) > 0:
                async with asyncio.timeout(min(left, LINGER_SECONDS)):
                    if not await self._reader.read(_RECEIVED_AT_ONCE):
                        return
                if self._serving.stopping.is_set():
                    until = min(until, self._loop.time() + LINGER_SECONDS)


def _bound_unsent(writer: asyncio.StreamWriter) -> None:
    """Keeps what waits in the system small too; what is on its way to a fast reader is not limited."""
    with suppress(OSError, AttributeError, ValueError):
        writer.get_extra_info("socket").setsockopt(
            socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT_IN_SYSTEM
        )


def _is_readable(writer: asyncio.StreamWriter) -> bool:
    descriptor = writer.get_extra_info("socket").fileno()
    if descriptor < 0:
        return False
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    return bool(waiting.poll(0))


def _own_address(writer: asyncio.StreamWriter) -> tuple[str, int] | None:
    address = writer.get_extra_info("sockname")
    return None if address is None else (address[0], address[1])
