"""SQLite: one writer connection and a few readers, each with a thread of its own."""

import asyncio
import sqlite3
from collections.abc import Mapping, Sequence
from functools import partial
from math import inf
from typing import Any

from databases import DatabaseURL
from databases.interfaces import DatabaseBackend

from guildhall_sdk import Row, Statement
from kernel.db.accounts import current_account
from kernel.db.conditions import WriteCondition
from kernel.db.damage import check_after_crash
from kernel.db.errors import DatabaseUnreachable
from kernel.db.fair_slots import FairSlots, slots_for_long
from kernel.db.sqlite_file import FileLock, database_path, prepare_file
from kernel.db.sqlite_quick import BriefReads
from kernel.db.sqlite_statements import fetch, prepare_all, translated
from kernel.db.sqlite_thread import SqliteThread
from kernel.db.sqlite_transactions import SqliteWriteChannel, WriteGroup

READERS = 6
READERS_OF_ONE = 3
LONG_AT_ONCE = 3


class SqliteBackend(DatabaseBackend):
    """The pool that `databases` opens and closes for us instead of its connection per call."""

    def __init__(self, url: DatabaseURL, *, shared: bool, patience: float, statement_seconds: float) -> None:
        self._path = database_path(url)
        self._patience = patience
        self._statement_seconds = statement_seconds
        self._shared = shared
        self._lock: FileLock | None = None
        self._threads: list[SqliteThread] = []
        self._brief: BriefReads | None = None
        self._reader: SqliteReadChannel
        self._group: WriteGroup
        self._readers: FairSlots

    async def connect(self) -> None:
        prepare_file(self._path, must_exist=self._shared)
        if not self._shared:
            self._lock = FileLock(self._path)
        try:
            if self._lock is not None and self._lock.unclean:
                await asyncio.to_thread(check_after_crash, self._path)
            # The writer comes first: it is the one that may turn the file into a WAL database.
            for last_pragma in ("", *["PRAGMA query_only=ON"] * READERS):
                self._threads.append(await self._open(last_pragma))
        except BaseException as error:
            await self.disconnect()
            if isinstance(error, sqlite3.Error):
                raise DatabaseUnreachable(f"the database {self._path} cannot be opened: {error}") from error
            raise
        self._group = WriteGroup(self._threads[0], self._patience)
        self._readers = FairSlots(
            READERS,
            share=READERS_OF_ONE,
            reserve=1,
            patience=self._patience,
            refusal="The database is busy with your company's other requests.",
        )
        self._brief = BriefReads(self._connection("PRAGMA query_only=ON", patience=0))
        self._reader = SqliteReadChannel(
            self._threads[1:],
            self._brief,
            self._readers,
            slots_for_long(LONG_AT_ONCE, self._patience),
            self._statement_seconds,
        )

    async def disconnect(self) -> None:
        if self._brief is not None:
            self._brief.close()
            self._brief = None
        while self._threads:
            await self._threads.pop().close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    async def drain(self) -> None:
        """Commits what waits for it; closing a thread finishes its statements and rolls back what is open."""
        await self._group.close()

    @property
    def waited_seconds(self) -> float:
        return self._group.waited_seconds + self._readers.waited_seconds

    def reader(self) -> "SqliteReadChannel":
        return self._reader

    async def writer(
        self, condition: WriteCondition | None = None, *, apart: bool = False
    ) -> SqliteWriteChannel:
        """Write scopes are exclusive already: whichever keys the condition shares, nobody else holds them."""
        seconds = self._statement_seconds if current_account.get().limited else inf
        return await self._group.writer(condition, seconds, apart=apart)

    async def flush(self) -> None:
        """Nothing to do: nobody but a write scope reads what is not durable yet."""

    async def prepare(self, statements: Sequence[Statement]) -> Sequence[str | None]:
        texts = [statement.sqlite for statement in statements]
        try:
            return await self._threads[-1].call(prepare_all, texts)
        except sqlite3.DatabaseError as error:
            raise translated(error) from error

    async def migrator(self) -> SqliteWriteChannel:
        """A connection of its own with foreign keys off: rebuilding a table must not cascade."""
        end_turn = await self._group.alone()
        try:
            thread = await self._open("PRAGMA foreign_keys=OFF")
        except BaseException:
            end_turn()
            raise

        def end() -> None:
            thread.close()
            end_turn()

        return await WriteGroup(thread, self._patience, end).writer()

    async def _open(self, last_pragma: str) -> SqliteThread:
        return await SqliteThread(lambda: self._connection(last_pragma, self._patience)).open()

    def _connection(self, last_pragma: str, patience: float) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path,
            isolation_level=None,
            timeout=patience,
            cached_statements=1024,
            check_same_thread=False,
        )
        if connection.execute("PRAGMA journal_mode=WAL").fetchone()[0] != "wal":
            raise sqlite3.OperationalError("its file system has no shared memory for a WAL")
        for pragma in (
            "PRAGMA synchronous=FULL",
            "PRAGMA foreign_keys=ON",
            "PRAGMA temp_store=MEMORY",
            "PRAGMA cache_size=-16000",
            last_pragma,
        ):
            connection.execute(pragma)
        return connection


class SqliteReadChannel:
    """Borrows a reader for one statement at a time, so a scope that idles holds nothing."""

    def __init__(
        self,
        threads: Sequence[SqliteThread],
        brief: BriefReads,
        slots: FairSlots,
        for_long: FairSlots,
        statement_seconds: float,
    ) -> None:
        self._brief = brief
        self._slots = slots
        self._for_long = for_long
        self._statement_seconds = statement_seconds
        self._idle = list(threads)

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        if statement.quick or (current_account.get().limited and not statement.long):
            found = self._brief.rows(statement, binds)
            if found is not None:
                return found
        if statement.long:
            async with self._for_long.held(current_account.get().holder):
                return await self._fetch(statement, binds)
        return await self._fetch(statement, binds)

    async def _fetch(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        account = current_account.get()
        await self._slots.take(account.holder)
        thread = self._idle.pop()
        try:
            seconds = self._statement_seconds if account.limited else inf
            return await thread.call(fetch, statement.sqlite, binds, seconds=seconds)
        except sqlite3.DatabaseError as error:
            raise translated(error) from error
        finally:
            # One that was given up on is still at it for a moment, on its company's account.
            thread.when_idle(partial(self._give_back, thread, account.holder))

    def _give_back(self, thread: SqliteThread, holder: str) -> None:
        self._idle.append(thread)
        self._slots.give_back(holder)

    async def close(self) -> None:
        """Shared by all read scopes: there is nothing to give back."""
