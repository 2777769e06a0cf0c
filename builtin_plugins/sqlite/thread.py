"""A connection to SQLite on a thread of its own, so that the event loop never waits for the disk."""

import asyncio
import os
import sqlite3
import sys
import time
from collections.abc import Callable
from functools import partial
from math import inf
from threading import get_native_id
from typing import Any, TypeVar

import aiosqlite

Result = TypeVar("Result")

# How many steps of SQLite's machine, some ten milliseconds, a statement may still take that is to stop.
_STEPS_BETWEEN_LOOKS = 500_000


class SqliteThread:
    """Runs functions on the thread of an aiosqlite connection, one after the other.

    One whose call was cancelled is skipped, or stopped where its statement is; so is one that takes longer
    than it may: SQLite then raises that it was interrupted.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], niceness: int = 0) -> None:
        """Prepares the thread; with a `niceness` the loop goes before it where both want a processor."""
        self._connect = connect
        self._niceness = niceness
        self._connection: sqlite3.Connection
        self._aiosqlite = aiosqlite.Connection(self._open, iter_chunk_size=0)
        # A process that dies on its way must not wait for this thread.
        self._aiosqlite._thread.daemon = True
        self._loop = asyncio.get_running_loop()
        self._current: asyncio.Future[Any] = self._loop.create_future()
        self._deadline = inf
        self._stoppable = True
        self._pending = 0
        self._on_idle: Callable[[], None] | None = None
        self.closed = False

    async def open(self) -> "SqliteThread":
        try:
            await self._aiosqlite
        except BaseException:
            # It was told to end, and says so to the loop, which must not be closed by then.
            await asyncio.to_thread(self._aiosqlite._thread.join)
            raise
        return self

    def call(
        self,
        work: Callable[..., Result],
        *arguments: Any,
        seconds: float = inf,
        stoppable: bool = True,
    ) -> asyncio.Future[Result]:
        """Runs `work(connection, *arguments)` on the thread, for so long at most.

        What is not `stoppable` goes on to its end, or that limit, also when its call is cancelled.
        """
        if self.closed:
            raise RuntimeError("the database is not connected")
        future: asyncio.Future[Result] = self._loop.create_future()
        future.add_done_callback(self._ended)
        self._pending += 1
        # What `aiosqlite` runs its own calls by; they are coroutines, and one that was not awaited yet
        # would lose its place to a later one.
        self._aiosqlite._tx.put_nowait(
            (future, partial(self._run, future, seconds, stoppable, work, arguments))
        )
        return future

    @property
    def idle(self) -> bool:
        """Whether the thread has nothing to do, not even what was cancelled."""
        return self._pending == 0

    def when_idle(self, callback: Callable[[], None]) -> None:
        """Calls it once the thread has nothing to do: at once, or when it has let go of what it does."""
        if self.idle:
            callback()
        else:
            self._on_idle = callback

    def call_on_loop(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Runs it right here, on the loop's thread; only for what is quick, and only while idle."""
        if self.closed:
            raise RuntimeError("the database is not connected")
        self._deadline = inf
        return work(self._connection, *arguments)

    def close(self) -> asyncio.Future[Any]:
        """Finishes what was called before; an open transaction is rolled back."""
        self.closed = True
        closing = self._aiosqlite.stop()
        assert closing is not None  # there is a loop
        return closing

    def _open(self) -> sqlite3.Connection:
        if self._niceness and sys.platform == "linux":  # elsewhere it would be the whole process's
            os.setpriority(os.PRIO_PROCESS, get_native_id(), os.nice(0) + self._niceness)
        self._connection = self._connect()
        self._connection.set_progress_handler(self._is_to_stop, _STEPS_BETWEEN_LOOKS)
        return self._connection

    def _is_to_stop(self) -> bool:
        return (self._stoppable and self._current.cancelled()) or time.monotonic() > self._deadline

    def _run(
        self,
        future: asyncio.Future[Any],
        seconds: float,
        stoppable: bool,
        work: Callable[..., Any],
        arguments: tuple[Any, ...],
    ) -> Any:
        if future.cancelled():
            return None
        self._current, self._deadline, self._stoppable = future, time.monotonic() + seconds, stoppable
        return work(self._connection, *arguments)

    def _ended(self, future: asyncio.Future[Any]) -> None:
        if future.cancelled() and not self.closed:
            # The thread may still be at it, and is done with it when it comes to this.
            self.call(_nothing)
        self._pending -= 1
        if self._on_idle is not None and self.idle:
            callback, self._on_idle = self._on_idle, None
            callback()


def _nothing(_: sqlite3.Connection) -> None: ...
