"""SQLite: one writer connection and a few readers, each with a thread of its own."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from time import monotonic
from typing import Any

from databases import DatabaseURL
from databases.interfaces import DatabaseBackend

from guildhall_sdk import Row, Statement
from kernel.db.accounts import current_account
from kernel.db.conditions import WriteCondition
from kernel.db.damage import check_after_crash
from kernel.db.errors import DatabaseDamaged, DatabaseUnreachable, busy, took_too_long
from kernel.db.files import FileLock, database_path, prepare_file
from kernel.db.lane import Lane
from kernel.db.places import Places, places_for_long

READERS = 6
READERS_OF_ONE = 3
LONG_AT_ONCE = 3
_LONG_STATEMENT_SECONDS = 0.005
_PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
}
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class SqliteBackend(DatabaseBackend):
    """The pool that `databases` opens and closes for us instead of its connection per call."""

    def __init__(self, url: DatabaseURL, *, shared: bool, patience: float, statement_seconds: float) -> None:
        self._path = database_path(url)
        self._patience = patience
        self._statement_seconds = statement_seconds
        self._shared = shared
        self._lock: FileLock | None = None
        self._lanes: list[Lane] = []
        self._at_hand: sqlite3.Connection | None = None
        self._reader: SqliteReadChannel
        self._turns: Places
        self._readers: Places

    async def connect(self) -> None:
        prepare_file(self._path, must_exist=self._shared)
        if not self._shared:
            self._lock = FileLock(self._path)
        try:
            if self._lock is not None and self._lock.unclean:
                await asyncio.to_thread(check_after_crash, self._path)
            # The writer comes first: it is the one that may turn the file into a WAL database.
            for last_pragma in ("", *["PRAGMA query_only=ON"] * READERS):
                self._lanes.append(await self._open(last_pragma))
        except BaseException as error:
            await self.disconnect()
            if isinstance(error, sqlite3.Error):
                raise DatabaseUnreachable(f"the database {self._path} cannot be opened: {error}") from error
            raise
        self._turns = Places(
            1, share=1, reserve=0, patience=self._patience, refusal="The database is busy with other writes."
        )
        self._readers = Places(
            READERS,
            share=READERS_OF_ONE,
            reserve=1,
            patience=self._patience,
            refusal="The database is busy with your company's other requests.",
        )
        self._at_hand = self._connection("PRAGMA query_only=ON", patience=0)
        self._reader = SqliteReadChannel(
            self._lanes[1:],
            self._at_hand,
            self._readers,
            places_for_long(LONG_AT_ONCE, self._patience),
            self._statement_seconds,
        )

    async def disconnect(self) -> None:
        if self._at_hand is not None:
            self._at_hand.close()
            self._at_hand = None
        while self._lanes:
            await self._lanes.pop().close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    async def drain(self) -> None:
        """Nothing to wait for: closing a lane finishes its statements and rolls back what is open."""

    @property
    def waited_seconds(self) -> float:
        return self._turns.waited_seconds + self._readers.waited_seconds

    def reader(self) -> "SqliteReadChannel":
        return self._reader

    async def writer(self, condition: WriteCondition | None = None) -> "SqliteWriteChannel":
        """Write scopes are exclusive already: whichever keys the condition shares, nobody else holds them."""
        end_turn = await self._take_turn()
        seconds = self._statement_seconds if current_account.get().limited else inf
        return SqliteWriteChannel(self._lanes[0], end_turn, condition, seconds)

    async def migrator(self) -> "SqliteWriteChannel":
        """A connection of its own with foreign keys off: rebuilding a table must not cascade."""
        end_turn = await self._take_turn()
        try:
            lane = await self._open("PRAGMA foreign_keys=OFF")
        except BaseException:
            end_turn()
            raise

        def end() -> None:
            lane.close()
            end_turn()

        return SqliteWriteChannel(lane, end)

    async def _take_turn(self) -> Callable[[], None]:
        """Gives what ends the turn again."""
        holder = current_account.get().holder
        if not self._turns.take_at_once(holder):
            await self._turns.take(holder)
        return partial(self._turns.give_back, holder)

    async def _open(self, last_pragma: str) -> Lane:
        return await Lane(lambda: self._connection(last_pragma, self._patience)).open()

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
        lanes: Sequence[Lane],
        at_hand: sqlite3.Connection,
        places: Places,
        for_long: Places,
        statement_seconds: float,
    ) -> None:
        self._at_hand = at_hand
        self._places = places
        self._for_long = for_long
        self._statement_seconds = statement_seconds
        self._idle = list(lanes)

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        if statement.quick:
            # Without patience: whatever it would have to wait for is waited for on a thread instead.
            with suppress(sqlite3.DatabaseError):
                return fetch(self._at_hand, statement.sqlite, binds)
        if statement.long:
            async with self._for_long.place(current_account.get().holder):
                return await self._fetch(statement, binds)
        return await self._fetch(statement, binds)

    async def _fetch(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        account = current_account.get()
        if not self._places.take_at_once(account.holder):
            await self._places.take(account.holder)
        lane = self._idle.pop()
        try:
            seconds = self._statement_seconds if account.limited else inf
            return await lane.call(fetch, statement.sqlite, binds, seconds=seconds)
        except sqlite3.DatabaseError as error:
            raise _translated(error) from error
        finally:
            # One that was given up on is still at it for a moment, on its company's account.
            lane.when_idle(partial(self._give_back, lane, account.holder))

    def _give_back(self, lane: Lane, holder: str) -> None:
        self._idle.append(lane)
        self._places.give_back(holder)

    async def close(self) -> None:
        """Shared by all read scopes: there is nothing to give back."""


class SqliteWriteChannel:
    """The writer for one transaction; BEGIN and the first statement share a hop to its thread.

    What is quick needs no hop, once there is a transaction: it cannot wait for a lock any more. Neither
    does it wait for the disk, which is written to by the commit. But after a statement that took a while it
    may have to finish that one's work: the full-text index writes what it was given with what comes next.
    """

    def __init__(
        self,
        lane: Lane,
        give_back: Callable[[], None],
        condition: WriteCondition | None = None,
        statement_seconds: float = inf,
    ) -> None:
        self._lane = lane
        self._give_back = give_back
        self._statement_seconds = statement_seconds
        self._begin = _begin_and if condition is None else partial(_begin_if, condition)
        self._begun = self._had_long = False

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        if statement.quick and self._begun and not self._had_long and self._lane.idle:
            try:
                return self._lane.at_once(_go_on, fetch, statement.sqlite, binds)
            except sqlite3.DatabaseError as error:
                raise _translated(error) from error
        return await self._call(fetch, statement.sqlite, binds)

    async def script(self, text: str) -> None:
        await self._call(_run_script, text)

    async def serialize(self, key: str) -> None:
        """Write scopes are exclusive already."""

    async def commit(self) -> None:
        await self._end("COMMIT")

    async def rollback(self) -> None:
        await self._end("ROLLBACK")

    async def _call(self, work: Callable[..., list[Any]], *arguments: Any) -> list[Any]:
        first, self._begun = not self._begun, True
        began = monotonic()
        try:
            begin = self._begin if first else _go_on
            return await self._lane.call(begin, work, *arguments, seconds=self._statement_seconds)
        except sqlite3.DatabaseError as error:
            raise _translated(error) from error
        finally:
            self._had_long |= monotonic() - began > _LONG_STATEMENT_SECONDS

    async def _end(self, how: str) -> None:
        if not self._begun:
            self._give_back()
            return
        try:
            ending = self._lane.call(_finish, how)
        except RuntimeError:
            self._give_back()
            raise
        # Whoever is cancelled meanwhile: it runs to its end, and only then somebody else has the turn.
        ending.add_done_callback(lambda _: self._give_back())
        try:
            await asyncio.shield(ending)
        except sqlite3.DatabaseError as error:
            raise _translated(error) from error


def _begin_and(connection: sqlite3.Connection, work: Callable[..., list[Any]], *arguments: Any) -> list[Any]:
    connection.execute("BEGIN IMMEDIATE")
    return work(connection, *arguments)


def _begin_if(
    condition: WriteCondition,
    connection: sqlite3.Connection,
    work: Callable[..., list[Any]],
    *arguments: Any,
) -> list[Any]:
    connection.execute("BEGIN IMMEDIATE")
    (found,) = fetch(connection, condition.statement.sqlite, condition.binds)
    condition.judge(found)
    return work(connection, *arguments)


def _go_on(connection: sqlite3.Connection, work: Callable[..., list[Any]], *arguments: Any) -> list[Any]:
    if not connection.in_transaction:
        raise RuntimeError("the transaction has ended inside its scope; nothing was committed")
    return work(connection, *arguments)


def fetch(connection: sqlite3.Connection, sql: str, binds: Mapping[str, Any]) -> list[Any]:
    """Rows as dicts: whoever reads most columns by name would pay more for looking each of them up."""
    cursor = connection.execute(sql, binds)
    rows = cursor.fetchall()
    names = [column[0] for column in cursor.description] if rows else ()
    return [dict(zip(names, row, strict=True)) for row in rows]


def _run_script(connection: sqlite3.Connection, text: str) -> list[Any]:
    for statement in split_statements(text):
        connection.execute(statement)
    if not connection.in_transaction:
        raise RuntimeError("it ends the transaction it runs in")
    if orphan := connection.execute("PRAGMA foreign_key_check").fetchone():
        raise sqlite3.IntegrityError(f"it leaves rows in {orphan[0]} that point at nothing in {orphan[2]}")
    return []


def _finish(connection: sqlite3.Connection, how: str) -> None:
    if not connection.in_transaction:
        if how == "COMMIT":
            raise RuntimeError("the transaction has ended inside its scope; nothing was committed")
        return
    try:
        connection.execute(how)
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def split_statements(text: str) -> Iterator[str]:
    """Cuts at the semicolons that end a statement; SQLite itself knows quotes, comments and triggers."""
    start = 0
    for position, character in enumerate(text):
        if character == ";" and sqlite3.complete_statement(text[start : position + 1]):
            yield text[start : position + 1]
            start = position + 1
    if text[start:].strip():
        yield text[start:]


def _translated(error: sqlite3.DatabaseError) -> Exception:
    """A passing trouble becomes a 503; what is neither that nor damage is a defect of ours and stays."""
    code = getattr(error, "sqlite_errorcode", None)
    if code == sqlite3.SQLITE_INTERRUPT:
        return took_too_long()
    if code is not None and code & 0xFF in _PASSING:
        return busy("The database cannot take this just now; nothing was changed.")
    if (code is not None and code & 0xFF in _DAMAGE) or str(error).startswith("Could not decode to UTF-8"):
        return DatabaseDamaged(str(error).partition(" column")[0])
    return error
