"""A thread for one SQLite connection, so that the event loop never waits for the disk."""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from math import inf
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

Result = TypeVar("Result")
Done = Callable[[asyncio.Future[Any]], None]
Job = tuple[asyncio.Future[Any], Done | None, float, bool, Callable[..., Any], tuple[Any, ...]]

# How many steps of SQLite's machine, some ten milliseconds, a statement may still take that is to stop.
_STEPS_BETWEEN_LOOKS = 500_000


class Lane:
    """Runs what it is given in order; a cancelled call is skipped, or stopped where its statement is.

    So is one that takes longer than it may: SQLite then raises that it was interrupted.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect
        self._connection: sqlite3.Connection | None = None
        self._loop = asyncio.get_running_loop()
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._awaited: asyncio.Future[Any] = self._loop.create_future()
        self._until = inf
        self._stoppable = True
        self._on_idle: Callable[[], None] | None = None
        self.closed = False
        self._under_way = 0
        # A process that dies on its way must not wait for this thread.
        Thread(target=self._work, name="sqlite", daemon=True).start()

    async def open(self) -> "Lane":
        try:
            await self.call(self._open)
        except BaseException:
            self.close()
            raise
        return self

    def call(
        self,
        work: Callable[..., Result],
        *arguments: Any,
        seconds: float = inf,
        stoppable: bool = True,
        done: Done | None = None,
    ) -> asyncio.Future[Result]:
        """Runs `work(connection, *arguments)` on the thread, for so long at most.

        What is not `stoppable` goes on to its end, or that limit, also when its call is cancelled. `done` is
        called on the loop, before whoever waits for the future.
        """
        if self.closed:
            raise RuntimeError("the database is not connected")
        future: asyncio.Future[Result] = self._loop.create_future()
        self._under_way += 1
        self._jobs.put((future, done, seconds, stoppable, work, arguments))
        return future

    @property
    def idle(self) -> bool:
        """Whether the thread has nothing to do, not even what was cancelled."""
        return self._under_way == 0

    def when_idle(self, then: Callable[[], None]) -> None:
        """Calls `then` once the thread has nothing to do: at once, or when it has let go of what it does."""
        if self.idle:
            then()
        else:
            self._on_idle = then

    def at_once(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Runs it right here, on the loop's thread; only for what is quick, and only while idle."""
        if self.closed:
            raise RuntimeError("the database is not connected")
        self._until = inf
        return work(self._connection, *arguments)

    def close(self) -> asyncio.Future[None]:
        """Finishes what was given before; an open transaction is rolled back."""
        closing = self.call(self._close)
        self.closed = True
        self._jobs.put(None)
        return closing

    def _open(self, _: None) -> None:
        self._connection = self._connect()
        self._connection.set_progress_handler(self._is_given_up, _STEPS_BETWEEN_LOOKS)

    def _close(self, connection: sqlite3.Connection | None) -> None:
        self._connection = None
        if connection is not None:
            connection.close()

    def _is_given_up(self) -> bool:
        return (self._stoppable and self._awaited.cancelled()) or time.monotonic() > self._until

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            self._do(*job)
            del job

    def _do(
        self,
        future: asyncio.Future[Any],
        done: Done | None,
        seconds: float,
        stoppable: bool,
        work: Callable[..., Any],
        arguments: tuple[Any, ...],
    ) -> None:
        if future.cancelled():
            self._tell(future, done, future.set_result, None)
            return
        self._awaited, self._until, self._stoppable = future, time.monotonic() + seconds, stoppable
        try:
            outcome = work(self._connection, *arguments)
        except BaseException as error:
            self._tell(future, done, future.set_exception, error)
        else:
            self._tell(future, done, future.set_result, outcome)

    def _tell(
        self, future: asyncio.Future[Any], done: Done | None, settle: Callable[[Any], None], outcome: Any
    ) -> None:
        # A closed loop raises: then nobody waits for an answer any more.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._settle, future, done, settle, outcome)

    def _settle(
        self, future: asyncio.Future[Any], done: Done | None, settle: Callable[[Any], None], outcome: Any
    ) -> None:
        self._under_way -= 1
        if not future.done():
            settle(outcome)
        if done is not None:
            done(future)
        if self._on_idle is not None and self.idle:
            then, self._on_idle = self._on_idle, None
            then()
