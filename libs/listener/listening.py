"""Listening on an address, from the first connection to the last.

How many connections there may be at once, who is accepted, and how a listener stops so that no request is
lost: told to stop, it goes on accepting and answering until nobody sends it work any more, or for a while;
every answer closes its connection by then. Then the listener closes, and what is under way is finished.
Idle connections are closed last: not before they had the time to send what is on its way.
"""

import asyncio
import errno
import resource
import socket
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from libs.listener.connection import Connection, Reader
from libs.listener.policy import Log, PlainLog, Policy, raw_answer
from libs.listener.protocol import Serving
from libs.listener.sockets import ignore_beginnings

PER_ADDRESS = 512
# The database, the log, plugins and whatever else needs a descriptor while all connections are taken.
RESERVED_DESCRIPTORS = 128
# A connection needs a second descriptor when it sends or takes a file.
_DESCRIPTORS_EACH = 2
_MAX_DESCRIPTORS = 1_048_576
_LOGGED_AGAIN_SECONDS = 60.0

CHECK_SECONDS = 1.0
_ACCEPTED_AT_ONCE = 64
# Of a socket that other processes share: the next connection is for whoever is free.
_ACCEPTED_OF_SHARED = 1
_CHECKED_AT_ONCE = 1000
_AGAIN_SECONDS = 1.0
_MAX_REFUSING = 64
_REFUSING_SECONDS = 1.0
_GOODBYE_SECONDS = 1.0

QUIET_SECONDS = 1.0
ACCEPTING_SECONDS = 10.0
_DRAINING_CHECK_SECONDS = 0.02
# Who was told so far that they may come has come by then.
_COMING_SECONDS = 0.2


def raise_descriptor_limit() -> None:
    """Raises the limit of open files to what the system lets this process have: 1,024 are few."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MAX_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _MAX_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def max_open_connections() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    descriptors = _MAX_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft
    return max(descriptors - RESERVED_DESCRIPTORS, _DESCRIPTORS_EACH) // _DESCRIPTORS_EACH


class ConnectionLimits:
    """Counts the connections of all listeners of a process.

    `key_of` gives what connections from an address are counted by. An address that is `exempt`, such as that
    of a proxy that speaks for many, may have all the room; `hint` says in the log how to make one so.
    """

    def __init__(
        self,
        *,
        key_of: Callable[[str], str] = str,
        exempt: Callable[[str], bool] = lambda address: False,
        hint: str = "",
        log: Log | None = None,
    ) -> None:
        self._key_of = key_of
        self._is_exempt = exempt
        self._hint = hint
        self._log = log or PlainLog()
        self._max_open = max_open_connections()
        # One address alone must not be able to take all the room.
        self._max_per_address = min(PER_ADDRESS, max(1, self._max_open // 2))
        self._by_address: Counter[str] = Counter()
        self._logged_at = float("-inf")
        self.open = 0
        self.refused = 0

    def enter(self, address: str) -> bool:
        """Tells whether one more from there may be open; if so, call `leave` when it is closed."""
        key = self._key_of(address)
        crowded = self._by_address[key] >= self._max_per_address and not self._is_exempt(address)
        if crowded or self.open >= self._max_open:
            self._refuse(key, crowded=crowded)
            return False
        self.open += 1
        self._by_address[key] += 1
        return True

    def leave(self, address: str) -> None:
        key = self._key_of(address)
        self.open -= 1
        self._by_address[key] -= 1
        if not self._by_address[key]:
            del self._by_address[key]

    def _refuse(self, key: str, *, crowded: bool) -> None:
        self.refused += 1
        now = time.monotonic()
        if now - self._logged_at < _LOGGED_AGAIN_SECONDS:
            return
        self._logged_at = now
        if crowded:
            limit = self._max_per_address
            self._log.warning("connections.refused", address=key, limit=limit, hint=self._hint)
        else:
            hint = "raise the limit of open files of this process"
            self._log.error("connections.refused", open=self.open, limit=self._max_open, hint=hint)


class Acceptor:
    """Accepts in the order of arrival; one connection too many is told so and closed."""

    def __init__(
        self, listener: socket.socket, serving: Serving, limits: ConnectionLimits, *, shared: bool = False
    ) -> None:
        listener.setblocking(False)
        self._is_shared = shared
        self._at_once = _ACCEPTED_OF_SHARED if shared else _ACCEPTED_AT_ONCE
        self._listener = listener
        self._serving = serving
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._again: asyncio.TimerHandle | None = None
        self._exhausted = False
        self._connections: dict[asyncio.Task[None], Connection | None] = {}
        self._refusing: set[asyncio.Task[None]] = set()
        self._checking = asyncio.create_task(self._check_timeouts(), name="checking connections")
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

    def let_nobody_in(self) -> None:
        """Ignores who would connect from now on: they are refused when they ask again, without the listener.

        The system would connect them for as long as it listens, and cut off whom we did not accept in time,
        with what they have sent by then. A listener of others too goes on letting in for those.
        """
        if self._is_shared or self._listener.fileno() < 0:
            return
        ignore_beginnings(self._listener)

    def close_listener(self) -> None:
        """Closes the listener; connections that got through by now are still served."""
        if self._listener.fileno() < 0:
            return
        self.let_nobody_in()
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
        for task in (*left, self._checking):
            task.cancel()
        await asyncio.gather(*left, self._checking, return_exceptions=True)

    def _accept(self) -> None:
        for _ in range(self._at_once):
            if not self._accept_one():
                return

    def _accept_one(self) -> bool:
        """Accepts one connection; returns whether there may be more."""
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
        """Pauses when out of descriptors or memory: trying at once would only keep the loop busy."""
        if not self._exhausted:
            name = errno.errorcode.get(error.errno or 0, "?")
            self._serving.policy.log.error("connections.not_accepted", reason=error.strerror, errno=name)
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
        reader = Reader()
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
        headers = self._serving.config.response_headers("h11")
        return raw_answer(self._serving.policy.refuse_connection(), headers)

    async def _check_timeouts(self) -> None:
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            for number, connection in enumerate(self.connections, 1):
                connection.check_timeouts(self._loop.time())
                if number % _CHECKED_AT_ONCE == 0:
                    await asyncio.sleep(0)


@dataclass(frozen=True, slots=True, eq=False)
class Drain:
    """`seconds` is for all of it; `quiet` how long nobody must have asked; `at_once` cuts it short."""

    seconds: float = 3.0
    quiet: float = 0.0
    at_once: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, acceptor: Acceptor, serving: Serving) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()

        def is_quiet() -> bool:
            now = loop.time()
            return now - began >= self.quiet and now - serving.last_request_at >= self.quiet

        def is_empty() -> bool:
            acceptor.end_idle(self.quiet)
            return not len(acceptor)

        await self._until(is_quiet, began + min(ACCEPTING_SECONDS, self.seconds / 2))
        acceptor.let_nobody_in()
        coming = loop.time() + min(_COMING_SECONDS, self.quiet)
        await self._until(lambda: False, min(coming, began + self.seconds))
        acceptor.close_listener()
        await self._until(is_empty, began + self.seconds)
        if len(acceptor):
            after = round(loop.time() - began, 1)
            serving.policy.log.warning("drain.cut", connections=len(acceptor), after_seconds=after)

    async def _until(self, condition: Callable[[], bool], deadline: float) -> None:
        while not (self.at_once.is_set() or condition()):
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left, _DRAINING_CHECK_SECONDS)):
                    await self.at_once.wait()


async def listen(
    app: Any,
    listener: socket.socket,
    stopping: asyncio.Event,
    *,
    policy: Policy | None = None,
    limits: ConnectionLimits | None = None,
    drain: Drain | None = None,
    shared: bool = False,
) -> None:
    """Serves an ASGI application until `stopping` is set, and then what is under way; `drain` says how long.

    A `shared` listener is one that other processes accept from as well.
    """
    serving = Serving(app, stopping, policy or Policy())
    acceptor = Acceptor(listener, serving, limits or ConnectionLimits(), shared=shared)
    try:
        await stopping.wait()
        await (drain or Drain()).run(acceptor, serving)
    finally:
        await acceptor.close()
