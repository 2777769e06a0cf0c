"""Read and write scopes: how long a connection is held, and what a scope's end does."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import KW_ONLY, dataclass, field
from time import perf_counter
from typing import Any, Final, Literal, NamedTuple, Protocol

from guildhall_sdk import Actor, Row, Statement
from guildhall_sdk.engines.pools import LockedRead, Pool, ReadSession, Transaction, WriteCondition
from kernel.db.slow_statements import NOT_WATCHED, SlowStatements

_ENDED: Final = "ended"
#: The write scope of this work, or that it has ended: what is read from then on is not from a replica.
write_scope: ContextVar["WriteScope | Literal['ended'] | None"] = ContextVar("write_scope", default=None)


class AuditEntry(NamedTuple):
    """One event, buffered until right before its transaction commits."""

    action: str
    target_type: str | None
    target_id: str | None
    detail: Mapping[str, Any]
    actor: Actor | None


class AccessMoved(Exception):
    """Raised before a transaction's first statement where who may do what has changed since it was known."""


#: Checks the caller again where access has moved.
Recheck = Callable[["ScopedWriter"], Awaitable[object]]
AuditSink = Callable[["ScopedWriter", Sequence[AuditEntry]], Awaitable[None]]


LockedReadOf = Callable[[Actor | None], LockedRead | None]


class Unusable:
    """A stand-in for what is not there any more, or not yet: each use of it raises."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(self._reason)


_ENDED_SESSION: Any = Unusable("this scope has ended: its reader or writer cannot be used any more")


class RunsStatements(Protocol):
    """What a reader reads by: a session, a transaction, or a copy of the tables."""

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]: ...


class ScopedReader:
    """The reader of one scope."""

    _session: RunsStatements
    _slow: SlowStatements = NOT_WATCHED

    async def one(self, statement: Statement, **binds: Any) -> Row | None:
        rows = await self.all(statement, **binds)
        return rows[0] if rows else None

    async def all(self, statement: Statement, **binds: Any) -> Sequence[Row]:
        began = perf_counter()
        try:
            return await self._session.rows(statement, binds)
        finally:
            if perf_counter() - began > self._slow.seconds:
                self._slow.report(statement, perf_counter() - began)

    async def value(self, statement: Statement, **binds: Any) -> Any:
        row = await self.one(statement, **binds)
        return None if row is None else next(iter(row.values()))


@dataclass(eq=False)
class ScopedWriter(ScopedReader):
    """The writer of one scope: its transaction, and what must happen right before the commit."""

    _session: Transaction
    _actor: Actor | None
    _sink: AuditSink | None
    _locked_read_of: LockedReadOf | None = None
    _recheck: Recheck | None = None
    #: Whether nobody else writes until this ends.
    exclusive: bool = False
    #: The version of access that is checked before the first statement; None where none is.
    access: str | None = None
    #: What was read along with the last lock; others may have changed it since.
    locked_row: Row | None = None
    _entries: list[AuditEntry] = field(default_factory=list)
    _failed: bool = False
    _after_commit: list[Callable[[], None]] = field(default_factory=list)
    _slow: SlowStatements = NOT_WATCHED
    # How many savepoints are entered, and how many the transaction still has.
    _depth: int = 0
    _savepoints: int = 0

    async def all(self, statement: Statement, **binds: Any) -> Sequence[Row]:
        began = perf_counter()
        try:
            return await self._session.rows(statement, binds)
        except BaseException as error:
            await self._recheck_or_fail(error)
            return await self.all(statement, **binds)
        finally:
            if perf_counter() - began > self._slow.seconds:
                self._slow.report(statement, perf_counter() - began)

    async def run(self, statement: Statement, **binds: Any) -> None:
        await self.all(statement, **binds)

    async def serialize(self, *keys: str) -> None:
        if self.exclusive:
            return
        along = None if self._locked_read_of is None else self._locked_read_of(self._actor)
        try:
            self.locked_row = await self._session.lock(*keys, along=along)
        except BaseException as error:
            await self._recheck_or_fail(error)
            await self.serialize(*keys)

    async def _recheck_or_fail(self, error: BaseException) -> None:
        """Returns where access moved and the caller may go on, so that the statement is run; else raises."""
        if not isinstance(error, AccessMoved) or self._recheck is None:
            self._failed = True
            raise error
        self.access = None
        await self._recheck(self)

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        """Opens a savepoint; one that is left well is released with the next, or by the commit.

        That saves a round trip for each.
        """
        self._depth += 1
        depth, name = self._depth, f"part_{self._depth}"
        failed, entries, to_tell = self._failed, len(self._entries), len(self._after_commit)
        try:
            await self._set_savepoint(name, again=self._savepoints >= depth)
            self._savepoints = depth
            yield
        except BaseException:
            if self._savepoints >= depth:
                await self._session.roll_back_to(name)
                self._failed, self._savepoints = failed, depth
                del self._entries[entries:], self._after_commit[to_tell:]
            raise
        finally:
            self._depth -= 1

    async def _set_savepoint(self, name: str, *, again: bool) -> None:
        try:
            await self._session.savepoint(name, again=again)
        except BaseException as error:
            self._savepoints = 0
            await self._recheck_or_fail(error)
            await self._session.savepoint(name, again=again)

    def after_commit(self, tell: Callable[[], None]) -> None:
        self._after_commit.append(tell)

    def audit(
        self,
        action: str,
        target: tuple[str, str] | None = None,
        *,
        detail: Mapping[str, Any] | None = None,
        actor: Actor | None = None,
    ) -> None:
        if self._sink is None:
            raise RuntimeError("this database was opened without an audit sink")
        target_type, target_id = target or (None, None)
        self._entries.append(
            AuditEntry(action, target_type, target_id, dict(detail or {}), actor or self._actor)
        )

    def committed(self) -> None:
        for tell in self._after_commit:
            tell()

    async def settle(self) -> None:
        """Does what is left before the commit; the audit rows come last, so their lock is short."""
        if self._entries and self._sink is not None:
            await self._sink(self, self._entries)
        if self._failed:
            # PostgreSQL would roll back without a word, SQLite would commit the rest: neither is meant.
            raise RuntimeError(
                "a statement of this write scope failed and was passed over; nothing was changed"
            )


@dataclass(eq=False)
class ReadScope(ScopedReader):
    """Gives itself as the reader; inside this task's own write scope, that scope's writer."""

    _pool: Pool
    _session: ReadSession = _ENDED_SESSION
    _slow: SlowStatements = NOT_WATCHED

    async def __aenter__(self) -> ScopedReader:
        outer = write_scope.get()
        if isinstance(outer, WriteScope):
            outer = await outer.after_giving_way()
            if outer is not None and outer.writer is not None and outer.belongs_to(self._pool):
                return outer.writer
        self._session = self._pool.shared_session or self._pool.session()
        return self

    async def __aexit__(self, *error: object) -> None:
        session, self._session = self._session, _ENDED_SESSION
        if session is not _ENDED_SESSION and session is not self._pool.shared_session:
            await session.close()


class LaggingReadScope(ReadScope):
    """A read scope that leaves to a replica what may lag."""

    async def all(self, statement: Statement, **binds: Any) -> Sequence[Row]:
        replica = self._pool.replica
        if statement.may_lag and replica is not None and write_scope.get() is None:
            rows = await replica.rows(statement, binds)
            if rows is not None:
                return rows
        return await super().all(statement, **binds)


@dataclass(eq=False)
class WriteScope:
    """One transaction: committed at a clean end, rolled back at any other."""

    _pool: Pool
    _actor: Actor | None
    _sink: AuditSink | None
    _condition: WriteCondition | None = None
    _: KW_ONLY
    apart: bool = False
    durable: bool = True
    locked_read_of: LockedReadOf | None = None
    recheck: Recheck | None = None
    slow: SlowStatements = NOT_WATCHED
    _task: "asyncio.Task[Any] | None" = None
    _outer: "WriteScope | None" = None
    _transaction: Transaction = _ENDED_SESSION
    writer: ScopedWriter | None = None
    give_way: Callable[[], Awaitable[object]] | None = None

    def put_off(self, give_way: Callable[[], Awaitable[object]]) -> ScopedWriter:
        """Ends the scope for its user, uncommitted; `give_way` commits it before another scope opens."""
        assert self.writer is not None
        last = copy(self.writer)
        self.writer._session, self.writer.exclusive = _ENDED_SESSION, False
        self.writer, self.give_way = last, give_way
        return last

    def belongs_to(self, pool: Pool) -> bool:
        return self._pool is pool and self._task is asyncio.current_task()

    async def __aenter__(self) -> ScopedWriter:
        outer = write_scope.get()
        if isinstance(outer, WriteScope):
            self._outer = outer = await outer.after_giving_way()
            if outer is not None and outer.writer is not None and outer._pool is self._pool:
                raise RuntimeError(
                    "a write scope is open already: pass its writer on"
                    if outer.belongs_to(self._pool)
                    else "a task started inside a write scope cannot write before that scope has ended"
                )
        self._transaction = await self._pool.transaction(self._condition, apart=self.apart)
        self._task = asyncio.current_task()
        given = (self._transaction, self._actor, self._sink, self.locked_read_of, self.recheck)
        access = None if self._condition is None else self._condition.binds.get("version")
        self.writer = ScopedWriter(*given, exclusive=self._pool.exclusive, access=access, _slow=self.slow)
        write_scope.set(self)
        return self.writer

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        writer = self.writer
        assert writer is not None
        try:
            if error is None:
                try:
                    await writer.settle()
                except BaseException as failure:
                    await self._transaction.rollback(refusing=isinstance(failure, Exception))
                    raise
                await self._transaction.commit(writer.committed, durable=self.durable)
            else:
                await self._transaction.rollback(refusing=isinstance(error, Exception))
        finally:
            writer._session, writer.exclusive = _ENDED_SESSION, False
            self.writer = None
            write_scope.set(self._outer or _ENDED)
            self._outer = None

    async def after_giving_way(self) -> "WriteScope | None":
        """Returns the write scope that this task is in; one whose commit was put off makes room first."""
        if self.give_way is None or self.writer is None:
            return self
        await self.give_way()
        scope = write_scope.get()
        return scope if isinstance(scope, WriteScope) else None
