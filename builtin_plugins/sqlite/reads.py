"""Reads of SQLite: quick ones on the event loop's own thread, the others on a thread that is free."""

import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any

from builtin_plugins.sqlite.connection import SqliteThread, fetch, translated
from guildhall_sdk import Row, Statement
from guildhall_sdk.engines.engine import GATES, SERVER, Callers, DatabaseOptions, busy
from libs.pooling import FairSlots, First, IdleConnectionWaiters, LongStatements

READERS = 6
READERS_OF_ONE = 3
LONG_AT_ONCE = 3
_QUICK_SECONDS = 0.001
# Some ten microseconds of SQLite's machine, while what it reads is in memory.
_STEPS_BETWEEN_LOOKS = 500
# How often a statement that took too long goes to a thread at once before it is tried here again: once, and
# four times as often whenever it is late again. A machine that is busy with others makes the quickest late.
_LONGER_EACH_TIME = 4
_MAX_PASSED_OVER = 200
_REMEMBERED = 1_000
FIRST = First(SERVER, GATES)
_LONG_REFUSAL = "Other long questions of your company are being answered; ask again in a moment."


class QuickReads:
    """Gives the rows of a statement that takes a moment, for which waking a thread would cost more.

    One that takes longer is stopped and given up. The connection must have no patience: whatever a statement
    would wait for is waited for elsewhere.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._deadline = 0.0
        self._late: dict[str, _Late] = {}
        connection.set_progress_handler(self._is_late, _STEPS_BETWEEN_LOOKS)

    def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row] | None:
        """Returns the rows, or None where another connection has to read them or report the error."""
        if self._late and self._is_passed_over(statement.sqlite):
            return None
        self._deadline = time.monotonic() + _QUICK_SECONDS
        try:
            found = fetch(self._connection, statement.sqlite, binds)
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
                self._read_schema()
                self._pass_over(statement.sqlite)
            return None
        if self._late:
            self._late.pop(statement.sqlite, None)
        return found

    def close(self) -> None:
        self._connection.close()

    def _is_late(self) -> bool:
        return time.monotonic() > self._deadline

    def _read_schema(self) -> None:
        """Reads the schema to its end, which the first statement does, and the first after a change to it.

        Where that takes longer than a statement may, each would be stopped in it, and none come to its end.
        """
        self._deadline = inf
        with suppress(sqlite3.DatabaseError):
            self._connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()

    def _is_passed_over(self, text: str) -> bool:
        late = self._late.get(text)
        if late is None or not late.left:
            return False
        late.left -= 1
        return True

    def _pass_over(self, text: str) -> None:
        before = self._late.pop(text, None)
        if len(self._late) >= _REMEMBERED:
            del self._late[next(iter(self._late))]
        times = 1 if before is None else min(before.times * _LONGER_EACH_TIME, _MAX_PASSED_OVER)
        self._late[text] = _Late(times, times)


@dataclass(slots=True)
class _Late:
    """A statement that took too long: how often it is passed over, and how often it still is."""

    times: int
    left: int


class SqliteReads:
    """The session of all read scopes: each borrows a thread for one statement, so that idling holds none.

    The first thread is there, and others are opened when that many are needed at once: each reads the schema.
    """

    def __init__(
        self,
        first: SqliteThread,
        open_another: Callable[[], Awaitable[SqliteThread]],
        quick: QuickReads,
        options: DatabaseOptions,
        callers: Callers,
    ) -> None:
        self._idle = [first]
        self._waiters = IdleConnectionWaiters()
        self._open_another = open_another
        self._quick = quick
        self._statement_seconds = options.statement_seconds
        self._caller = callers.current
        self._slots = FairSlots(
            READERS,
            share=READERS_OF_ONE,
            reserve=1,
            patience=options.patience,
            refuse=partial(busy, "The database is busy with your company's other requests."),
            first=FIRST,
        )
        for_long = FairSlots(
            LONG_AT_ONCE,
            share=1,
            reserve=0,
            patience=options.patience,
            refuse=partial(busy, _LONG_REFUSAL),
            first=FIRST,
        )
        self._for_long = LongStatements(for_long, callers.another_since)

    @property
    def waited_seconds(self) -> float:
        return self._slots.waited_seconds

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        account = self._caller().account
        if statement.long:
            async with self._for_long.held(account.holder):
                return await self._on_thread(statement, binds)
        if statement.quick or account.limited:
            found = self._quick.rows(statement, binds)
            if found is not None:
                return found
        return await self._on_thread(statement, binds)

    async def close(self) -> None:
        """Does nothing: there is nothing to give back."""

    async def _on_thread(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        account = self._caller().account
        await self._slots.take(account.holder)
        try:
            thread = self._take_idle() or await self._take_other()
        except BaseException as error:
            self._slots.give_back(account.holder)
            if isinstance(error, sqlite3.DatabaseError):
                raise translated(error) from error
            raise
        try:
            seconds = self._statement_seconds if account.limited else inf
            return await thread.call(fetch, statement.sqlite, binds, seconds=seconds)
        except sqlite3.DatabaseError as error:
            raise translated(error) from error
        finally:
            # One that was given up on is still at it for a moment, on its company's account.
            thread.when_idle(partial(self._give_back, thread, account.holder))

    def _take_idle(self) -> SqliteThread | None:
        return self._idle.pop() if self._idle else None

    async def _take_other(self) -> SqliteThread:
        """Opens a thread; background work waits a moment for one that somebody else has now."""
        thread = await self._waiters.wait_for(self._take_idle) if self._caller().background else None
        return thread or await self._open_another()

    def _give_back(self, thread: SqliteThread, holder: str) -> None:
        self._idle.append(thread)
        self._slots.give_back(holder)
        self._waiters.notify()
