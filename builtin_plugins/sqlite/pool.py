"""SQLite: one connection that writes and a few that read, each with a thread of its own."""

import asyncio
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from builtin_plugins.sqlite.connection import FIRST, SqliteThread, fetch, prepare_all, translated
from builtin_plugins.sqlite.file import (
    FileLock,
    check_after_crash,
    connect,
    database_path,
    find_damage,
    owner_of,
    prepare_file,
)
from builtin_plugins.sqlite.write_group import SqliteTransaction, WriteGroup
from guildhall_sdk import Row, Statement
from guildhall_sdk.engines.engine import Callers, DatabaseDamaged, DatabaseOptions, DatabaseUnreachable, busy
from guildhall_sdk.engines.pools import Pool, WriteCondition
from libs.pooling import FairSlots, IdleConnectionWaiters, LongStatements

_READ_ONLY = "PRAGMA query_only=ON"
# Whoever waits for a long read is not the only one: the loop goes first, and serves the others.
_NICENESS_OF_READERS = 5
# For how long the connection of a migration is there for the next: a first start has a hundred in a row.
_NEXT_MIGRATION_SECONDS = 0.1
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


class SqlitePool(Pool):
    """The connections to one file; a server that owns it keeps others from opening it, but for commands."""

    exclusive = True

    def __init__(self, options: DatabaseOptions, callers: Callers) -> None:
        self._path = database_path(options.url)
        self._options = options
        self._callers = callers
        self._patience = options.patience
        self._shared = options.shared
        self._lock: FileLock | None = None
        self._threads: list[SqliteThread] = []
        self._closing: set[asyncio.Future[Any]] = set()
        self._migrating: SqliteThread | None = None
        self._quick: QuickReads | None = None
        self._reads: SqliteReads
        self._group: WriteGroup

    async def connect(self) -> None:
        prepare_file(self._path, must_exist=self._shared)
        if not self._shared:
            self._lock = FileLock(self._path)
        try:
            if self._lock is not None and self._lock.unclean:
                await asyncio.to_thread(check_after_crash, self._path)
            # The writer comes first: it is the one that may turn the file into a WAL database.
            self._threads.append(await self._open(""))
            self._threads.append(await self._open(_READ_ONLY, _NICENESS_OF_READERS))
        except BaseException as error:
            await self._close()
            if isinstance(error, sqlite3.Error):
                raise DatabaseUnreachable(f"the database {self._path} cannot be opened: {error}") from error
            raise
        self._group = WriteGroup(self._threads[0], self._options, self._callers.current)
        self._quick = QuickReads(connect(self._path, _READ_ONLY, patience=0))
        self.shared_session = self._reads = SqliteReads(
            self._threads[1], self._open_reader, self._quick, self._options, self._callers
        )

    async def disconnect(self) -> None:
        """Commits what waits for it; closing a thread finishes its statements and rolls back what is open."""
        await self._group.close()
        await self._close()

    async def _close(self) -> None:
        if self._quick is not None:
            self._quick.close()
            self._quick = None
        while self._threads:
            await self._threads.pop().close()
        self._end_migrating()
        await asyncio.gather(*self._closing)
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    @property
    def waited_seconds(self) -> float:
        return self._group.turns.waited_seconds + self._reads.waited_seconds

    @property
    def place(self) -> str:
        return f"the database {self._path}"

    @property
    def folder(self) -> Path:
        return self._path.parent

    @property
    def owned_by_server(self) -> bool:
        return owner_of(self._path) is not None

    async def check(self) -> None:
        """Reads the whole file."""
        reason = await asyncio.to_thread(find_damage, self._path, thorough=False)
        if reason is not None:
            raise DatabaseDamaged(reason, self.place)

    def session(self) -> SqliteReads:
        return self._reads

    async def transaction(
        self, condition: WriteCondition | None = None, *, apart: bool = False
    ) -> SqliteTransaction:
        """Transactions are exclusive already: whichever keys the condition shares, nobody else holds them."""
        return await self._group.transaction(condition, apart=apart)

    async def migration(self) -> SqliteTransaction:
        """Opens a connection of its own with foreign keys off: rebuilding a table must not cascade.

        Migrations in a row share it.
        """
        end_turn = await self._group.alone()
        thread, self._migrating = self._migrating, None
        try:
            thread = thread or await self._open("PRAGMA foreign_keys=OFF")
        except BaseException:
            end_turn()
            raise

        def end() -> None:
            self._migrating = thread
            if self._quick is None:  # closed meanwhile
                self._end_migrating()
            else:
                asyncio.get_running_loop().call_later(_NEXT_MIGRATION_SECONDS, self._end_migrating)
            end_turn()

        unlimited = replace(self._options, statement_seconds=inf)
        return await WriteGroup(thread, unlimited, self._callers.current, end).transaction()

    def _end_migrating(self) -> None:
        """Closes the connection of migrations, unless one has it just now."""
        if self._migrating is not None:
            closing = self._migrating.close()
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
            self._migrating = None

    async def prepare(self, statements: Sequence[Statement]) -> Sequence[str | None]:
        texts = [statement.sqlite for statement in statements]
        try:
            return await self._threads[-1].call(prepare_all, texts)
        except sqlite3.DatabaseError as error:
            raise translated(error) from error

    async def _open_reader(self) -> SqliteThread:
        reader = await self._open(_READ_ONLY, _NICENESS_OF_READERS)
        if self._quick is None:  # closed meanwhile
            await reader.close()
            raise RuntimeError("the database is not connected")
        self._threads.append(reader)
        return reader

    async def _open(self, last_pragma: str, niceness: int = 0) -> SqliteThread:
        return await SqliteThread(partial(connect, self._path, last_pragma, self._patience), niceness).open()
