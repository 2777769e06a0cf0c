"""The writing connection of SQLite: one scope after the other, and those in a row share a commit."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from operator import attrgetter
from time import monotonic

from builtin_plugins.sqlite.reads import FIRST
from builtin_plugins.sqlite.statements import commit, translated
from builtin_plugins.sqlite.thread import SqliteThread
from builtin_plugins.sqlite.transactions import SqliteTransaction
from guildhall_sdk.engines.engine import SERVER, Account, busy
from guildhall_sdk.engines.pools import WriteCondition, nothing
from libs.pooling import FairSlots, Pending

MAX_MEMBERS = 64
# For how long others may join before whoever ended first gets their commit.
MAX_WAIT_SECONDS = 0.01
_log = logging.getLogger("guildhall.db")
_in_transaction = attrgetter("in_transaction")


class WriteGroup:
    """The connection that writes: whose turn it is, and who waits for the commit of its transaction.

    A scope that ended well leaves its changes in the open transaction and passes its turn on; the next one
    works in a savepoint. When nobody is next, or enough wait, or they have waited long enough, one commit
    serves them all. Nobody hears of success before it. `when_idle` is called when nothing is left to do.
    """

    def __init__(
        self,
        thread: SqliteThread,
        patience: float,
        account: Callable[[], Account],
        when_idle: Callable[[], None] = nothing,
    ) -> None:
        self.thread = thread
        self._account = account
        self.patience = patience
        self._when_idle = when_idle
        self._turns = FairSlots(
            1,
            share=1,
            reserve=0,
            patience=patience,
            refuse=partial(busy, "The database is busy with other writes."),
            first=FIRST,
            when_free=self._nobody_is_next,
        )
        self._current: SqliteTransaction | None = None
        self._waiting: list[Pending] = []
        self._overdue: asyncio.TimerHandle | None = None
        self._is_overdue = False
        # Of the connection, and changed by whoever has it: the thread, or the loop while that is idle.
        self.has_savepoint = False
        self.had_long = False

    @property
    def waited_seconds(self) -> float:
        return self._turns.waited_seconds

    @property
    def is_open(self) -> bool:
        """Whether changes of others are in the transaction, who wait for its commit."""
        return bool(self._waiting)

    async def transaction(
        self, condition: WriteCondition | None = None, statement_seconds: float = inf, *, apart: bool = False
    ) -> SqliteTransaction:
        """Opens a transaction in the group; `apart` begins a new one, which others may still join."""
        holder = await self._take_turn(committed=apart)
        self._current = SqliteTransaction(self, holder, condition, statement_seconds)
        return self._current

    async def alone(self) -> Callable[[], None]:
        """Takes the turn with everything committed, and returns the function that ends it."""
        holder = await self._take_turn(committed=True)
        return partial(self._turns.give_back, holder)

    def leave(self, transaction: SqliteTransaction) -> None:
        """Ends the turn of a scope that did nothing."""
        self._current = None
        self._turns.give_back(transaction.holder)

    def end_well(self, transaction: SqliteTransaction, pending: Pending) -> None:
        """Ends the turn; whoever waits for the pending change hears when it is durable."""
        self._waiting.append(pending)
        self._pass_on(transaction)
        if self._waiting and self._overdue is None:
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
        if self._waiting:
            begun = [self._current] if self._current is not None and self._current.begun else []
            undoing = [self.thread.call(transaction.undo) for transaction in begun]
            await asyncio.gather(*undoing, self._commit(None), return_exceptions=True)

    async def _take_turn(self, *, committed: bool) -> str:
        """Waits for it; `committed` begins after the commit of those before."""
        holder = self._account().holder
        await self._turns.take(holder)
        try:
            if committed and self._waiting:
                await asyncio.wait([self._commit(None)])
        except BaseException:
            self._turns.give_back(holder)
            raise
        return holder

    def _pass_on(self, transaction: SqliteTransaction) -> None:
        """Passes the turn on, to be joined by others, or commits first where those who wait waited enough."""
        self._current = None
        if self._may_grow(transaction):
            self._turns.give_back(transaction.holder)
        else:
            self._commit(transaction.holder)

    def _may_grow(self, transaction: SqliteTransaction) -> bool:
        return (
            not self._is_overdue
            and len(self._waiting) < MAX_MEMBERS
            and monotonic() - transaction.since < MAX_WAIT_SECONDS
            and self.thread.idle
            and not self.thread.closed
            and self.thread.call_on_loop(_in_transaction)
        )

    def _nobody_is_next(self) -> None:
        if self._waiting:
            self._turns.take_at_once(SERVER)
            self._commit(SERVER)
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
            self._turns.give_back(holder)

    def _undone(
        self, transaction: SqliteTransaction, pending: Pending | None, undoing: "asyncio.Future[bool]"
    ) -> None:
        error = undoing.exception()
        if self._waiting and error is None and undoing.result():
            self._waiting += [pending] if pending is not None else []
            self._pass_on(transaction)
            return
        # SQLite has rolled everything back, as it does when it cannot write or is stopped while it does.
        lost = error or busy("The database cannot take this just now; nothing was changed.")
        self._settle(self._take_waiting(), lost)
        if pending is not None:
            pending.succeed()
        self.leave(transaction)

    def _take_waiting(self) -> list[Pending]:
        waiting, self._waiting = self._waiting, []
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
                pending.fail(_failure(error, alone=len(waiting) == 1))


def _failure(error: BaseException, *, alone: bool) -> BaseException:
    """Returns the error for one whose commit failed with others; a defect may be another's, and passes."""
    problem = translated(error) if isinstance(error, sqlite3.DatabaseError) else error
    if problem is not error or alone:
        return problem
    return busy("The database could not take this along with other changes; nothing was changed.")
