"""SQLite: one connection that writes and a few that read, each with a thread of its own."""

import asyncio
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

from builtin_plugins.sqlite.connection import SqliteThread, prepare_all, translated
from builtin_plugins.sqlite.file import (
    FileLock,
    check_after_crash,
    database_path,
    find_damage,
    owner_of,
    prepare_file,
)
from builtin_plugins.sqlite.reads import QuickReads, SqliteReads
from builtin_plugins.sqlite.write_group import SqliteTransaction, WriteGroup
from guildhall_sdk import Statement
from guildhall_sdk.engines.engine import Callers, DatabaseDamaged, DatabaseOptions, DatabaseUnreachable
from guildhall_sdk.engines.pools import Pool, WriteCondition

_READ_ONLY = "PRAGMA query_only=ON"
# Whoever waits for a long read is not the only one: the loop goes first, and serves the others.
_NICENESS_OF_READERS = 5


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
        self._quick = QuickReads(self._connection(_READ_ONLY, patience=0))
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
        """Opens a connection of its own with foreign keys off: rebuilding a table must not cascade."""
        end_turn = await self._group.alone()
        try:
            thread = await self._open("PRAGMA foreign_keys=OFF")
        except BaseException:
            end_turn()
            raise

        def end() -> None:
            closing = thread.close()
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
            end_turn()

        unlimited = replace(self._options, statement_seconds=inf)
        return await WriteGroup(thread, unlimited, self._callers.current, end).transaction()

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
        return await SqliteThread(lambda: self._connection(last_pragma, self._patience), niceness).open()

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
