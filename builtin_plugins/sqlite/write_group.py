"""The writing connection of SQLite: one scope after the other, and those in a row share a commit."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from time import monotonic, thread_time
from typing import Any

from builtin_plugins.sqlite.connection import (
    FIRST,
    Begin,
    LockTaken,
    SqliteThread,
    TookLonger,
    all_or_nothing,
    at_savepoint,
    begin,
    begin_unless_locked,
    commit,
    fetch,
    run_script,
    shared_failure,
    translated,
)
from guildhall_sdk import Row, Statement
from guildhall_sdk.engines.engine import Caller, DatabaseOptions, busy
from guildhall_sdk.engines.pools import LockedRead, WriteCondition, nothing
from libs.pooling import FairSlots, Pending

MAX_MEMBERS = 64
# For how long others may join before whoever ended first gets their commit.
MAX_WAIT_SECONDS = 0.01
_LONG_STATEMENT_SECONDS = 0.005
_log = logging.getLogger("guildhall.db")


@dataclass(slots=True, eq=False)
class SqliteTransaction:
    """One scope's part of a transaction; beginning it and the first statement share a hop to the thread.

    What is quick needs no hop: it does not wait for the disk, which is written to by the commit. Nor does it
    wait for a lock, which only another process can have: where one does, the thread waits for it. Other reads
    are tried without a hop. But after a statement that took a while the next may have to finish that one's
    work: the full-text index writes what it was given with what comes next.
    """

    _group: "WriteGroup"
    _thread: SqliteThread
    holder: str
    _condition: WriteCondition | None
    _statement_seconds: float
    since: float
    begun: bool = False
    # Changed by whoever has the connection.
    _entered: bool = False
    _has_savepoint: bool = False

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        sql, thread = statement.sqlite, self._thread
        may_go_at_once = not thread.pending and not self._group.had_long and not thread.closed
        begins_quickly = self._entered or self._condition is None or self._condition.statement.quick
        work = fetch if statement.quick else thread.brief_reads.attempt_at(statement)
        if work is not None and may_go_at_once and begins_quickly:
            self.begun = True
            try:
                return self._inside(thread.connection, begin_unless_locked, work, sql, binds)
            except (LockTaken, TookLonger):
                pass
            except sqlite3.DatabaseError as error:
                raise translated(error) from error
        # To stop a statement that writes takes everybody's changes along.
        stoppable = not self._group.waiting or sql.startswith("SELECT")
        return await self._call(fetch, sql, binds, stoppable=stoppable)

    async def script(self, text: str) -> None:
        await self._call(run_script, text, stoppable=True)

    async def lock(self, *keys: str, along: LockedRead | None = None) -> Row | None:
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
            await pending.outcome
        else:
            pending.outcome.cancel()

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
            await pending.outcome

    def undo(self, connection: sqlite3.Connection) -> bool:
        """Undoes this transaction; returns whether the changes of others are still there."""
        if self._entered and connection.in_transaction:
            with all_or_nothing(connection):
                connection.execute("ROLLBACK TO member" if self._has_savepoint else "ROLLBACK")
        return connection.in_transaction

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
            return self._inside(connection, self._group.begin, work, *arguments)
        finally:
            self._group.had_long |= thread_time() - began > _LONG_STATEMENT_SECONDS

    def _inside(
        self, connection: sqlite3.Connection, begin: Begin, work: Callable[..., list[Any]], *arguments: Any
    ) -> list[Any]:
        """Runs it in the transaction, which begins by `begin` where this is the first of it."""
        if not self._entered:
            self._enter(connection, begin)
        elif not connection.in_transaction:
            raise RuntimeError("the transaction has ended inside its scope; nothing was committed")
        return work(connection, *arguments)

    def _enter(self, connection: sqlite3.Connection, begin: Begin) -> None:
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
            for found in fetch(connection, self._condition.statement.sqlite, self._condition.binds):
                self._condition.refuse(found)


class WriteGroup:
    """The connection that writes: whose turn it is, and who waits for the commit of its transaction.

    A scope that ended well leaves its changes in the open transaction and passes its turn on; the next one
    works in a savepoint. When nobody is next, or enough wait, or they have waited long enough, one commit
    serves them all. Nobody hears of success before it. `when_idle` is called when nothing is left to do.
    """

    def __init__(
        self,
        thread: SqliteThread,
        options: DatabaseOptions,
        caller: Callable[[], Caller],
        when_idle: Callable[[], None] = nothing,
    ) -> None:
        self.thread = thread
        self._caller = caller
        self._statement_seconds = options.statement_seconds
        #: Begins a transaction, and waits for its lock where another process has it.
        self.begin: Begin = partial(begin, patience=options.patience)
        self._when_idle = when_idle
        self.turns = FairSlots(
            1,
            share=1,
            reserve=0,
            patience=options.patience,
            refuse=partial(busy, "The database is busy with other writes."),
            first=FIRST,
            when_free=self._nobody_is_next,
        )
        self._current: SqliteTransaction | None = None
        #: Whose changes are in the transaction, and who wait for its commit.
        self.waiting: list[Pending] = []
        self._overdue: asyncio.TimerHandle | None = None
        self._is_overdue = False
        # Of the connection, and changed by whoever has it: the thread, or the loop while that is idle.
        self.has_savepoint = False
        self.had_long = False

    async def transaction(
        self, condition: WriteCondition | None = None, *, apart: bool = False
    ) -> SqliteTransaction:
        """Opens a transaction in the group; `apart` begins a new one, which others may still join."""
        account = self._caller().account
        await self.turns.take(account.holder)
        if apart:
            await self._commit_before(account.holder)
        seconds = self._statement_seconds if account.limited else inf
        self._current = SqliteTransaction(
            self, self.thread, account.holder, condition, seconds, since=monotonic()
        )
        return self._current

    async def alone(self) -> Callable[[], None]:
        """Takes the turn with everything committed, and returns the function that ends it."""
        holder = self._caller().account.holder
        await self.turns.take(holder)
        await self._commit_before(holder)
        return partial(self.turns.give_back, holder)

    def leave(self, transaction: SqliteTransaction) -> None:
        """Ends the turn. What waits commits first, unless others join it."""
        self._current = None
        if self.waiting and not self._may_grow(transaction):
            self._commit(transaction.holder)
        else:
            self.turns.give_back(transaction.holder)

    def end_well(self, transaction: SqliteTransaction, pending: Pending) -> None:
        """Ends the turn; whoever waits for the pending change hears when it is durable."""
        self.waiting.append(pending)
        self.leave(transaction)
        if self.waiting and self._overdue is None:
            self._overdue = asyncio.get_running_loop().call_later(MAX_WAIT_SECONDS, self._has_waited)

    def end_badly(self, transaction: SqliteTransaction, pending: Pending | None) -> "asyncio.Future[bool]":
        """Ends the turn when the future is done: then the changes of the scope are undone.

        Whoever is pending hears when those are durable that it may have seen.
        """
        try:
            # Whoever is cancelled meanwhile: it runs to its end, and only then somebody else has the turn.
            undoing = self.thread.call(transaction.undo)
        except RuntimeError:
            self.leave(transaction)
            raise
        undoing.add_done_callback(partial(self._undone, transaction, pending))
        return undoing

    async def close(self) -> None:
        """Commits what waits. A scope that is in the middle loses its own changes, as it would anyway."""
        if self.waiting:
            begun = [self._current] if self._current is not None and self._current.begun else []
            undoing = [self.thread.call(transaction.undo) for transaction in begun]
            await asyncio.gather(*undoing, self._commit(None), return_exceptions=True)

    async def _commit_before(self, holder: str) -> None:
        """Commits what waits, for a holder who has the turn and begins after that."""
        try:
            if self.waiting:
                await asyncio.wait([self._commit(None)])
        except BaseException:
            self.turns.give_back(holder)
            raise

    def _may_grow(self, transaction: SqliteTransaction) -> bool:
        """Tells whether somebody is next, and those who wait have not waited enough."""
        return (
            bool(self.turns.waiting)
            and not self._is_overdue
            and len(self.waiting) < MAX_MEMBERS
            and monotonic() - transaction.since < MAX_WAIT_SECONDS
            and not self.thread.pending
            and not self.thread.closed
            and self.thread.connection.in_transaction
        )

    def _nobody_is_next(self) -> None:
        """Commits what waits also where whoever was next has given up."""
        if self.waiting:
            self._commit(None)
        else:
            self._when_idle()

    def _has_waited(self) -> None:
        """Commits before the one whose turn it is begins, or else after it has ended."""
        self._is_overdue = True
        if self._current is None or not self._current.begun:
            self._commit(None)

    def _commit(self, holder: str | None) -> "asyncio.Future[None]":
        """Ends the turn of the holder when it is done."""
        waiting = self._take_waiting()
        try:
            committing = self.thread.call(commit)
        except RuntimeError as error:
            committing = asyncio.get_running_loop().create_future()
            committing.set_exception(error)
        committing.add_done_callback(partial(self._committed, waiting, holder))
        return committing

    def _committed(
        self, waiting: Sequence[Pending], holder: str | None, committing: "asyncio.Future[None]"
    ) -> None:
        self._settle(waiting, committing.exception())
        if holder is not None:
            self.turns.give_back(holder)

    def _undone(
        self, transaction: SqliteTransaction, pending: Pending | None, undoing: "asyncio.Future[bool]"
    ) -> None:
        error = undoing.exception()
        if self.waiting and error is None and undoing.result():
            self.waiting += [pending] if pending is not None else []
            self.leave(transaction)
            return
        # SQLite has rolled everything back, as it does when it cannot write or is stopped while it does.
        lost = error or busy("The database cannot take this just now; nothing was changed.")
        self._settle(self._take_waiting(), lost)
        if pending is not None:
            pending.succeed()
        self.leave(transaction)

    def _take_waiting(self) -> list[Pending]:
        waiting, self.waiting = self.waiting, []
        self._is_overdue = False
        if self._overdue is not None:
            self._overdue.cancel()
            self._overdue = None
        return waiting

    def _settle(self, waiting: Sequence[Pending], error: BaseException | None) -> None:
        if error is not None and len(waiting) > 1:
            fields = {"scopes": len(waiting), "error": f"{type(error).__name__}: {error}"}
            _log.error("db.commit_failed", extra={"fields": fields})
        for pending in waiting:
            if error is None:
                pending.succeed()
            else:
                pending.fail(shared_failure(error, alone=len(waiting) == 1))
