"""The listening socket and the connections that came through it."""

import asyncio
import errno
import socket
from contextlib import suppress

from kernel.http.connection import Connection
from kernel.http.limits import ConnectionLimits
from kernel.http.refusals import Refusal
from kernel.http.serving import Serving
from kernel.logs import get_logger

LOOK_SECONDS = 1.0
_ACCEPTED_AT_ONCE = 64
_LOOKED_AT_ONCE = 1000
_AGAIN_SECONDS = 1.0
_MAX_REFUSING = 64
_REFUSING_SECONDS = 1.0
_GOODBYE_SECONDS = 1.0
_log = get_logger("http")


class Acceptor:
    """Accepts in the order of arrival; one connection too many is told so and closed."""

    def __init__(self, listener: socket.socket, serving: Serving, limits: ConnectionLimits) -> None:
        listener.setblocking(False)
        self._listener = listener
        self._serving = serving
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._again: asyncio.TimerHandle | None = None
        self._exhausted = False
        self._connections: dict[asyncio.Task[None], Connection | None] = {}
        self._refusing: set[asyncio.Task[None]] = set()
        self._looking = asyncio.create_task(self._look(), name="looking at connections")
        self._loop.add_reader(listener, self._accept)

    def __len__(self) -> int:
        return len(self._connections)

    @property
    def connections(self) -> list[Connection]:
        return [connection for connection in self._connections.values() if connection is not None]

    def end_idle(self, seconds: float) -> None:
        now = self._loop.time()
        for connection in self.connections:
            if connection.is_idle(now, seconds):
                connection.end()

    def close_listener(self) -> None:
        """Whoever got through to us by now is still served."""
        if self._listener.fileno() < 0:
            return
        self._loop.remove_reader(self._listener)
        if self._again is not None:
            self._again.cancel()
        while self._accept_one():
            pass
        self._listener.close()

    async def close(self) -> None:
        """Cuts what is left."""
        self.close_listener()
        for connection in self.connections:
            connection.cut()
        left = [*self._connections, *self._refusing]
        if left:
            await asyncio.wait(left, timeout=_GOODBYE_SECONDS)
        for task in (*left, self._looking):
            task.cancel()
        await asyncio.gather(*left, self._looking, return_exceptions=True)

    def _accept(self) -> None:
        for _ in range(_ACCEPTED_AT_ONCE):
            if not self._accept_one():
                return

    def _accept_one(self) -> bool:
        """Whether there may be more."""
        try:
            accepted, peer = self._listener.accept()
        except (BlockingIOError, InterruptedError):
            return False
        except ConnectionAbortedError:
            return True
        except OSError as error:
            self._rest(error)
            return False
        self._exhausted = False
        accepted.setblocking(False)
        if self._limits.enter(peer[0]):
            task = self._loop.create_task(self._serve(accepted, (peer[0], peer[1])))
            self._connections[task] = None
            task.add_done_callback(lambda done: self._forget(done, peer[0]))
        elif len(self._refusing) < _MAX_REFUSING:
            refusing = self._loop.create_task(self._refuse(accepted))
            self._refusing.add(refusing)
            refusing.add_done_callback(self._refusing.discard)
        else:
            with accepted, suppress(OSError):
                accepted.send(self._refusal())
        return True

    def _rest(self, error: OSError) -> None:
        """Out of descriptors or memory: asking again at once would only keep the loop busy."""
        if not self._exhausted:
            name = errno.errorcode.get(error.errno or 0, "?")
            _log.error("connections.not_accepted", reason=error.strerror, errno=name)
        self._exhausted = True
        self._loop.remove_reader(self._listener)
        self._again = self._loop.call_later(_AGAIN_SECONDS, self._accept_again)

    def _accept_again(self) -> None:
        self._again = None
        self._loop.add_reader(self._listener, self._accept)

    def _forget(self, task: "asyncio.Task[None]", address: str) -> None:
        del self._connections[task]
        self._limits.leave(address)

    async def _serve(self, accepted: socket.socket, peer: tuple[str, int]) -> None:
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        try:
            transport, _ = await self._loop.connect_accepted_socket(lambda: protocol, accepted)
        except OSError:
            accepted.close()
            return
        writer = asyncio.StreamWriter(transport, protocol, reader, self._loop)
        connection = Connection(self._serving, peer, reader, writer)
        task = asyncio.current_task()
        assert task is not None
        self._connections[task] = connection
        await connection.run()

    async def _refuse(self, accepted: socket.socket) -> None:
        """Reads what the caller sends, so that the answer reaches it; but not for long."""
        with accepted, suppress(OSError):
            async with asyncio.timeout(_REFUSING_SECONDS):
                await self._loop.sock_sendall(accepted, self._refusal())
                accepted.shutdown(socket.SHUT_WR)
                while await self._loop.sock_recv(accepted, 16 * 1024):
                    pass

    def _refusal(self) -> bytes:
        return Refusal.of_connection().raw(self._serving.config.response_headers("h11"))

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            for number, connection in enumerate(self.connections, 1):
                connection.look(self._loop.time())
                if number % _LOOKED_AT_ONCE == 0:
                    await asyncio.sleep(0)
