"""A thread for one SQLite connection, so that the event loop never waits for the disk."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

Result = TypeVar("Result")
Job = tuple[asyncio.Future[Any], Callable[..., Any], tuple[Any, ...]]

# How many steps of SQLite's machine, some ten milliseconds, a cancelled statement may still take.
_STEPS_BETWEEN_LOOKS = 500_000


class Lane:
    """Runs what it is given in order; a cancelled call is skipped, or stopped where its statement is."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect
        self._connection: sqlite3.Connection | None = None
        self._loop = asyncio.get_running_loop()
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._awaited: asyncio.Future[Any] = self._loop.create_future()
        self._closed = False
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

    def call(self, work: Callable[..., Result], *arguments: Any) -> asyncio.Future[Result]:
        """Runs `work(connection, *arguments)` on the thread."""
        if self._closed:
            raise RuntimeError("the database is not connected")
        future: asyncio.Future[Result] = self._loop.create_future()
        self._under_way += 1
        self._jobs.put((future, work, arguments))
        return future

    @property
    def idle(self) -> bool:
        """Whether the thread has nothing to do, not even what was cancelled."""
        return self._under_way == 0

    def at_once(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Runs it right here, on the loop's thread; only for what is quick, and only while idle."""
        if self._closed:
            raise RuntimeError("the database is not connected")
        return work(self._connection, *arguments)

    def close(self) -> asyncio.Future[None]:
        """Finishes what was given before; an open transaction is rolled back."""
        closing = self.call(self._close)
        self._closed = True
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
        return self._awaited.cancelled()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            self._do(*job)
            del job

    def _do(self, future: asyncio.Future[Any], work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        if future.cancelled():
            self._tell(future, future.set_result, None)
            return
        self._awaited = future
        try:
            outcome = work(self._connection, *arguments)
        except BaseException as error:
            self._tell(future, future.set_exception, error)
        else:
            self._tell(future, future.set_result, outcome)

    def _tell(self, future: asyncio.Future[Any], settle: Callable[[Any], None], outcome: Any) -> None:
        # A closed loop raises: then nobody waits for an answer any more.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._settle, future, settle, outcome)

    def _settle(self, future: asyncio.Future[Any], settle: Callable[[Any], None], outcome: Any) -> None:
        self._under_way -= 1
        if not future.done():
            settle(outcome)
