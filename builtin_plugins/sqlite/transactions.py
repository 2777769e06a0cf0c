"""A write scope on SQLite: one part of the transaction that a group of them shares."""

import asyncio
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import monotonic, thread_time
from typing import TYPE_CHECKING, Any

from builtin_plugins.sqlite.statements import (
    LockTaken,
    all_or_nothing,
    at_savepoint,
    begin,
    begin_unless_locked,
    fetch,
    run_script,
    translated,
)
from guildhall_sdk import Row, Statement
from guildhall_sdk.engines.pools import LockedRead, WriteCondition, nothing
from libs.pooling import Pending

if TYPE_CHECKING:
    from builtin_plugins.sqlite.write_group import WriteGroup

_LONG_STATEMENT_SECONDS = 0.005


class SqliteTransaction:
    """One scope's part of a transaction; beginning it and the first statement share a hop to the thread.

    What is quick needs no hop: it does not wait for the disk, which is written to by the commit. Nor does it
    wait for a lock, which only another process can have: where one does, the thread waits for it. But after a
    statement that took a while it may have to finish that one's work: the full-text index writes what it was
    given with what comes next.
    """

    def __init__(
        self, group: "WriteGroup", holder: str, condition: WriteCondition | None, statement_seconds: float
    ) -> None:
        self.holder = holder
        self.since = monotonic()
        self.begun = False
        self._group = group
        self._thread = group.thread
        self._condition = condition
        self._statement_seconds = statement_seconds
        # Changed by whoever has the connection.
        self._entered = self._has_savepoint = False

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        if statement.quick and self._may_go_at_once():
            self.begun = True
            try:
                return self._thread.call_on_loop(self._at_once, statement.sqlite, binds)
            except LockTaken:
                pass
            except sqlite3.DatabaseError as error:
                raise translated(error) from error
        # To stop a statement that writes takes everybody's changes along.
        stoppable = not self._group.is_open or statement.sqlite.startswith("SELECT")
        return await self._call(fetch, statement.sqlite, binds, stoppable=stoppable)

    async def script(self, text: str) -> None:
        await self._call(run_script, text, stoppable=True)

    async def lock(self, key: str, along: LockedRead | None = None) -> Row | None:
        """Transactions are exclusive already."""
        return None

    async def savepoint(self, name: str, *, again: bool) -> None:
        if again:
            await self.rows(at_savepoint(f"RELEASE {name}"), {})
        await self.rows(at_savepoint(f"SAVEPOINT {name}"), {})

    async def roll_back_to(self, name: str) -> None:
        await self.rows(at_savepoint(f"ROLLBACK TO {name}"), {})

    async def commit(self, then: Callable[[], None] = nothing, *, durable: bool = True) -> None:
        if not self.begun:
            self._group.leave(self)
            then()
            return
        pending = Pending(then)
        self._group.end_well(self, pending)
        if durable:
            await pending.wait()
        else:
            pending.let_go()

    async def rollback(self, *, refusing: bool = False) -> None:
        if not self.begun:
            self._group.leave(self)
            return
        pending = Pending(nothing) if refusing else None
        try:
            await asyncio.shield(self._group.end_badly(self, pending))
        except sqlite3.DatabaseError as error:
            raise translated(error) from error
        if pending is not None:
            await pending.wait()

    def undo(self, connection: sqlite3.Connection) -> bool:
        """Undoes this transaction; returns whether the changes of others are still there."""
        if self._entered and connection.in_transaction:
            with all_or_nothing(connection):
                connection.execute("ROLLBACK TO member" if self._has_savepoint else "ROLLBACK")
        return connection.in_transaction

    def _may_go_at_once(self) -> bool:
        if self._group.had_long or not self._thread.idle:
            return False
        return self._entered or self._condition is None or self._condition.statement.quick

    async def _call(self, work: Callable[..., list[Any]], *arguments: Any, stoppable: bool) -> list[Any]:
        self.begun = True
        try:
            return await self._thread.call(
                self._timed, work, *arguments, seconds=self._statement_seconds, stoppable=stoppable
            )
        except sqlite3.DatabaseError as error:
            raise translated(error) from error

    def _timed(
        self, connection: sqlite3.Connection, work: Callable[..., list[Any]], *arguments: Any
    ) -> list[Any]:
        began = thread_time()
        try:
            return self._inside(connection, work, *arguments)
        finally:
            self._group.had_long |= thread_time() - began > _LONG_STATEMENT_SECONDS

    def _at_once(self, connection: sqlite3.Connection, text: str, binds: Mapping[str, Any]) -> list[Any]:
        """Runs a statement on the loop's thread; raises `LockTaken` where that would have to wait."""
        if not self._entered:
            self._enter(connection, partial(begin_unless_locked, patience=self._group.patience))
        return self._inside(connection, fetch, text, binds)

    def _inside(
        self, connection: sqlite3.Connection, work: Callable[..., list[Any]], *arguments: Any
    ) -> list[Any]:
        if not self._entered:
            self._enter(connection, begin)
        elif not connection.in_transaction:
            raise RuntimeError("the transaction has ended inside its scope; nothing was committed")
        return work(connection, *arguments)

    def _enter(self, connection: sqlite3.Connection, begin: Callable[[sqlite3.Connection], None]) -> None:
        self._has_savepoint = connection.in_transaction
        if self._has_savepoint:
            # Here the full-text index writes what the one before gave it.
            with all_or_nothing(connection):
                if self._group.has_savepoint:
                    connection.execute("RELEASE member")
                connection.execute("SAVEPOINT member")
        else:
            begin(connection)
        self._group.has_savepoint = self._has_savepoint
        self._group.had_long = False
        self._entered = True
        if self._condition is not None:
            (found,) = fetch(connection, self._condition.statement.sqlite, self._condition.binds)
            self._condition.check(found)
