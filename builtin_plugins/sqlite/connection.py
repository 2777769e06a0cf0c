"""A connection to SQLite, on a thread of its own, so that the event loop never waits for the disk.

How statements run on it, and what its errors mean.
"""

import asyncio
import os
import sqlite3
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import repeat
from math import inf
from operator import itemgetter
from threading import get_native_id
from typing import Any, TypeVar

import aiosqlite

from guildhall_sdk import Problem, Statement
from guildhall_sdk.engines.engine import GATES, SERVER, DatabaseDamaged, busy, took_too_long
from libs.pooling import First

Result = TypeVar("Result")
Begin = Callable[[sqlite3.Connection], None]

# How many steps of SQLite's machine, some ten milliseconds, a statement may still take that is to stop.
_STEPS_BETWEEN_LOOKS = 500_000
_name = itemgetter(0)  # of a column as its cursor describes it
#: Who goes before all companies, on every thread.
FIRST = First(SERVER, GATES)
_BEGIN = "BEGIN IMMEDIATE"
# What may be tried on the event loop, after how many steps of SQLite's machine it is looked at, which are ten
# microseconds while what it reads is in memory, and how often it goes to the thread before it is tried again.
_MOMENT_SECONDS = 0.001
_STEPS_IN_A_MOMENT = 500
_PASSED_OVER = 10
_PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
}
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class SqliteThread:
    """Runs functions on the thread of an aiosqlite connection, one after the other.

    One whose call was cancelled is skipped, or stopped where its statement is; so is one that takes longer
    than it may: SQLite then raises that it was interrupted.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], niceness: int = 0) -> None:
        """Prepares the thread; with a `niceness` the loop goes before it where both want a processor."""
        self._connect = connect
        self._niceness = niceness
        #: For the thread; for the loop too, and for what is quick alone, while nothing is pending.
        self.connection: sqlite3.Connection
        self.brief_reads = BriefReads(self)
        self._aiosqlite = aiosqlite.Connection(self._open, iter_chunk_size=0)
        # A process that dies on its way must not wait for this thread.
        self._aiosqlite._thread.daemon = True
        self._loop = asyncio.get_running_loop()
        self._current: asyncio.Future[Any] = self._loop.create_future()
        self._deadline = inf
        self._stoppable = True
        #: How many calls the thread has not let go of, cancelled ones included.
        self.pending = 0
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
        self.pending += 1
        # What `aiosqlite` runs its own calls by; they are coroutines, and one that was not awaited yet
        # would lose its place to a later one.
        self._aiosqlite._tx.put_nowait(
            (future, partial(self._run, future, seconds, stoppable, work, arguments))
        )
        return future

    def when_idle(self, callback: Callable[[], None]) -> None:
        """Calls it once the thread has nothing to do: at once, or when it has let go of what it does."""
        if self.pending:
            self._on_idle = callback
        else:
            callback()

    def close(self) -> asyncio.Future[Any]:
        """Finishes what was called before; an open transaction is rolled back."""
        self.closed = True
        closing = self._aiosqlite.stop()
        assert closing is not None  # there is a loop
        return closing

    def _open(self) -> sqlite3.Connection:
        if self._niceness and sys.platform == "linux":  # elsewhere it would be the whole process's
            os.setpriority(os.PRIO_PROCESS, get_native_id(), os.nice(0) + self._niceness)
        self.connection = self._connect()
        self.watch()
        return self.connection

    def watch(self) -> None:
        """Has what the thread runs stopped in time."""
        self.connection.set_progress_handler(self._is_to_stop, _STEPS_BETWEEN_LOOKS)

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
        try:
            return work(self.connection, *arguments)
        finally:
            self._deadline = inf

    def _ended(self, future: asyncio.Future[Any]) -> None:
        if future.cancelled() and not self.closed:
            # The thread may still be at it, and is done with it when it comes to this.
            self.call(_nothing)
        self.pending -= 1
        if self._on_idle is not None and not self.pending:
            callback, self._on_idle = self._on_idle, None
            callback()


class TookLonger(Exception):
    """What was tried on the event loop takes longer than a moment, and was stopped."""


class BriefReads:
    """Tries what only reads on the event loop, while the thread has nothing to do.

    What took longer than a moment goes to the thread for a while.
    """

    def __init__(self, thread: SqliteThread) -> None:
        self._thread = thread
        self._passed_over: dict[str, int] = {}

    def attempt_at(self, statement: Statement) -> Callable[..., list[Any]] | None:
        """Returns what fetches the rows or raises `TookLonger`; None for what is not tried."""
        text = statement.sqlite
        if statement.long or not text.startswith("SELECT"):
            return None
        left = self._passed_over.pop(text, 0)
        if left > 1:
            self._passed_over[text] = left - 1
        return None if left else self._fetch

    def _fetch(self, connection: sqlite3.Connection, text: str, binds: Mapping[str, Any]) -> list[Any]:
        """Fetches unless it takes longer; then the transaction is as it was, as a read changes nothing."""
        until = time.monotonic() + _MOMENT_SECONDS
        connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS_IN_A_MOMENT)
        try:
            return fetch(connection, text, binds)
        except sqlite3.OperationalError as error:
            if _code(error) != sqlite3.SQLITE_INTERRUPT:
                raise
            self._passed_over[text] = _PASSED_OVER
            raise TookLonger from None
        finally:
            self._thread.watch()


def _nothing(_: sqlite3.Connection) -> None: ...


class LockTaken(Exception):
    """Raised when another process writes just now: whoever wants to has to wait."""


def fetch(connection: sqlite3.Connection, sql: str, binds: Mapping[str, Any]) -> list[Any]:
    """Runs a statement and returns rows as dicts, which cost less where most columns are read by name."""
    *first, last = statements_in(sql)
    for statement in first:
        connection.execute(statement, binds)
    cursor = connection.execute(last, binds)
    rows = cursor.fetchall()
    names = [*map(_name, cursor.description)] if rows else ()
    return [*map(dict, map(zip, repeat(names), rows))]


def prepare_all(connection: sqlite3.Connection, texts: Sequence[str]) -> list[str | None]:
    """Compiles each without running it; of each that cannot be compiled, why."""
    return [_fault(connection, text) for text in texts]


@lru_cache(maxsize=4096)
def statements_in(text: str) -> Sequence[str]:
    """Returns the statements of a text, which run one after the other; most are one."""
    return tuple(split_statements(text)) if ";" in text else (text,)


def _fault(connection: sqlite3.Connection, text: str) -> str | None:
    try:
        for statement in statements_in(text):
            connection.execute(f"EXPLAIN {statement}", defaultdict(lambda: None)).close()
    except sqlite3.DatabaseError as error:
        if isinstance(translated(error), Problem):
            raise
        return str(error)
    except sqlite3.Warning as error:  # of more than one statement
        return str(error)
    return None


def run_script(connection: sqlite3.Connection, text: str) -> list[Any]:
    """Runs the statements of a migration; raises when they leave the transaction or break a foreign key."""
    for statement in split_statements(text):
        connection.execute(statement)
    if not connection.in_transaction:
        raise RuntimeError("it ends the transaction it runs in")
    if orphan := connection.execute("PRAGMA foreign_key_check").fetchone():
        raise sqlite3.IntegrityError(f"it leaves rows in {orphan[0]} that point at nothing in {orphan[2]}")
    return []


def split_statements(text: str) -> Iterator[str]:
    """Cuts at the semicolons that end a statement; SQLite itself knows quotes, comments and triggers."""
    start = 0
    for position, character in enumerate(text):
        if character == ";" and sqlite3.complete_statement(text[start : position + 1]):
            yield text[start : position + 1]
            start = position + 1
    if text[start:].strip():
        yield text[start:]


def begin(connection: sqlite3.Connection, patience: float) -> None:
    """Begins a transaction that may write; waits so long for whoever does so now."""
    connection.execute(f"PRAGMA busy_timeout={int(patience * 1000)}")
    connection.execute(_BEGIN)


def begin_unless_locked(connection: sqlite3.Connection) -> None:
    """Begins a transaction that may write without a wait. Raises `LockTaken`."""
    connection.execute("PRAGMA busy_timeout=0")
    try:
        connection.execute(_BEGIN)
    except sqlite3.OperationalError as error:
        if _code(error) == sqlite3.SQLITE_BUSY:
            raise LockTaken from None
        raise


def commit(connection: sqlite3.Connection) -> None:
    """Commits, or leaves no transaction open."""
    if not connection.in_transaction:
        raise RuntimeError("the transaction has ended inside its scope; nothing was committed")
    try:
        connection.execute("COMMIT")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def translated(error: sqlite3.DatabaseError) -> Exception:
    """Turns a passing error into a 503; what is neither that nor damage is a defect of ours and stays."""
    code = _code(error)
    if code == sqlite3.SQLITE_INTERRUPT:
        return took_too_long()
    if code in _PASSING:
        full = code == sqlite3.SQLITE_FULL
        return busy("The database cannot take this just now; nothing was changed.", disk_full=full)
    if code in _DAMAGE or str(error).startswith("Could not decode to UTF-8"):
        return DatabaseDamaged(str(error).partition(" column")[0])
    return error


def _code(error: BaseException) -> int | None:
    """Returns the primary error code, without what SQLite adds to it."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


@lru_cache(maxsize=256)
def at_savepoint(text: str) -> Statement:
    return Statement("savepoint", text, text, quick=True)


@contextmanager
def all_or_nothing(connection: sqlite3.Connection) -> Iterator[None]:
    """Undoes all changes where the block fails: what was undone of whom could not be told."""
    try:
        yield
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def shared_failure(error: BaseException, *, alone: bool) -> BaseException:
    """Returns the error for one whose commit failed with others; a defect may be another's, and passes."""
    problem = translated(error) if isinstance(error, sqlite3.DatabaseError) else error
    if problem is not error or alone:
        return problem
    return busy("The database could not take this along with other changes; nothing was changed.")
