"""One file: writers take turns, and readers do."""

import asyncio
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from guildhall_sdk import Row, Statement
from guildhall_sdk.engines.engine import Callers, DatabaseOptions, DatabaseUnreachable, busy, took_too_long
from guildhall_sdk.engines.pools import LockedRead, Pool, WriteCondition, nothing

Result = TypeVar("Result")
_STEPS_BETWEEN_LOOKS = 50_000


class Thread:
    """A connection that one thread uses."""

    def __init__(self, path: Path, last_pragma: str) -> None:
        self._path, self._last_pragma = path, last_pragma
        self._executor: ThreadPoolExecutor
        self._connection: sqlite3.Connection
        self._deadline = inf

    async def call(self, work: Callable[..., Result], *arguments: Any, seconds: float = inf) -> Result:
        """Runs `work(connection, *arguments)`, for so long at most."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._executor, self._run, seconds, work, arguments)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                raise took_too_long() from error
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                raise busy("Another process writes just now.") from error
            raise

    def open(self) -> None:
        self._executor = ThreadPoolExecutor(1)
        self._connection = connection = sqlite3.connect(
            self._path, isolation_level=None, check_same_thread=False
        )
        connection.set_progress_handler(lambda: monotonic() > self._deadline, _STEPS_BETWEEN_LOOKS)
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", self._last_pragma):
            connection.execute(f"PRAGMA {pragma}")

    def close(self) -> None:
        self._executor.shutdown()
        self._connection.close()

    def _run(self, seconds: float, work: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
        self._deadline = monotonic() + seconds
        return work(self._connection, *arguments)


class PlainPool(Pool):
    def __init__(
        self, path: Path, dialects: Sequence[str], options: DatabaseOptions, callers: Callers
    ) -> None:
        self.path, self.dialects, self.options, self.callers = path, dialects, options, callers
        self.writer, self.reader = Thread(path, "user_version"), Thread(path, "query_only=ON")
        self.turn = asyncio.Lock()
        self._waited = 0.0

    async def connect(self) -> None:
        if self.options.shared and not self.path.is_file():
            raise DatabaseUnreachable(f"there is no database at {self.path}")
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            for thread in (self.writer, self.reader):
                thread.open()
        except (OSError, sqlite3.Error) as error:
            raise DatabaseUnreachable(f"{self.place} cannot be opened: {error}") from error

    async def disconnect(self) -> None:
        for thread in (self.writer, self.reader):
            thread.close()

    @property
    def waited_seconds(self) -> float:
        return self._waited

    @property
    def place(self) -> str:
        return f"the database {self.path}"

    @property
    def folder(self) -> Path:
        return self.path.parent

    def session(self) -> "PlainSession":
        return PlainSession(self)

    async def transaction(
        self, condition: WriteCondition | None = None, *, apart: bool = False
    ) -> "PlainTransaction":
        await self._take_turn()
        return PlainTransaction(self, condition)

    async def migration(self) -> "PlainTransaction":
        await self._take_turn()
        await self.writer.call(_execute, "PRAGMA foreign_keys=OFF")
        return PlainTransaction(self, None)

    async def prepare(self, statements: Sequence[Statement]) -> Sequence[str | None]:
        return [await self.reader.call(_fault, one.spelled(self.dialects)) for one in statements]

    def limit(self) -> float:
        """Returns how long a statement may take for whoever runs it now."""
        return self.options.statement_seconds if self.callers.current().account.limited else inf

    async def _take_turn(self) -> None:
        began = monotonic()
        try:
            async with asyncio.timeout(self.options.patience):
                await self.turn.acquire()
        except TimeoutError:
            raise busy("The database is busy with other writes.") from None
        finally:
            self._waited += monotonic() - began


class PlainSession:
    def __init__(self, pool: PlainPool) -> None:
        self._pool = pool

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        text = statement.spelled(self._pool.dialects)
        return await self._pool.reader.call(_fetch, text, binds, seconds=self._pool.limit())

    async def close(self) -> None: ...


class PlainTransaction:
    """It has the writer's turn from the beginning, and begins with the first statement."""

    def __init__(self, pool: PlainPool, condition: WriteCondition | None) -> None:
        self._pool = pool
        self._condition = condition
        self._begun = False

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        await self._begin()
        text = statement.spelled(self._pool.dialects)
        return await self._pool.writer.call(_fetch, text, binds, seconds=self._pool.limit())

    async def script(self, text: str) -> None:
        await self._begin()
        await self._pool.writer.call(_run_script, text)

    async def lock(self, *keys: str, along: LockedRead | None = None) -> Row | None:
        """Transactions are exclusive already."""
        return None

    async def savepoint(self, name: str, *, again: bool) -> None:
        await self._begin()
        if again:
            await self._pool.writer.call(_execute, f"RELEASE {name}")
        await self._pool.writer.call(_execute, f"SAVEPOINT {name}")

    async def roll_back_to(self, name: str) -> None:
        await self._pool.writer.call(_execute, f"ROLLBACK TO {name}")

    async def commit(self, then: Callable[[], None] = nothing, *, durable: bool = True) -> None:
        await asyncio.shield(asyncio.ensure_future(self._end("COMMIT", then)))

    async def rollback(self, *, refusing: bool = False) -> None:
        await asyncio.shield(asyncio.ensure_future(self._end("ROLLBACK", nothing)))

    async def _begin(self) -> None:
        if self._begun:
            return
        self._begun = True
        await self._pool.writer.call(_execute, "BEGIN IMMEDIATE")
        if self._condition is not None:
            text = self._condition.statement.spelled(self._pool.dialects)
            found = await self._pool.writer.call(_fetch, text, self._condition.binds)
            for row in found:
                self._condition.refuse(row)

    async def _end(self, how: str, then: Callable[[], None]) -> None:
        """Ends it to the end, whoever is cancelled, and passes the turn on."""
        try:
            await self._pool.writer.call(_end, how)
            await self._pool.writer.call(_execute, "PRAGMA foreign_keys=ON")
        finally:
            self._pool.turn.release()
        then()


def _execute(connection: sqlite3.Connection, text: str) -> None:
    connection.execute(text)


def _end(connection: sqlite3.Connection, how: str) -> None:
    if connection.in_transaction:
        connection.execute(how)


def _fetch(connection: sqlite3.Connection, text: str, binds: Mapping[str, Any]) -> list[dict[str, Any]]:
    *first, last = _statements(text)
    for statement in first:
        connection.execute(statement, dict(binds))
    cursor = connection.execute(last, dict(binds))
    rows = cursor.fetchall()
    names = [column[0] for column in cursor.description] if rows else []
    return [dict(zip(names, row, strict=True)) for row in rows]


def _run_script(connection: sqlite3.Connection, text: str) -> None:
    for statement in _statements(text):
        connection.execute(statement)
    if not connection.in_transaction:
        raise RuntimeError("it ends the transaction it runs in")


def _statements(text: str) -> Iterator[str]:
    start = 0
    for position, character in enumerate(text):
        if character == ";" and sqlite3.complete_statement(text[start : position + 1]):
            yield text[start : position + 1]
            start = position + 1
    if text[start:].strip():
        yield text[start:]


def _fault(connection: sqlite3.Connection, text: str) -> str | None:
    try:
        for statement in _statements(text):
            connection.execute(f"EXPLAIN {statement}", defaultdict[str, None](lambda: None)).close()
    except sqlite3.Error as error:
        return str(error)
    return None
