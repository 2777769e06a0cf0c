"""One database: the only way to it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from guildhall_sdk import Actor, Row, Statement
from guildhall_sdk.engines.engine import (
    DatabaseEngine,
    DatabaseOptions,
    DatabaseUnreachable,
)
from guildhall_sdk.engines.pools import Pool, WriteCondition
from guildhall_sdk.services.server import SlowStatement
from kernel.db import scopes
from kernel.db.scopes import AuditSink, LockedReadOf, ReadScope, Recheck, Unusable, WriteScope
from kernel.db.slow_statements import NOT_WATCHED, SlowStatements
from kernel.scope import CALLERS, OWN, scoped

# For whoever waits for an answer. Beyond the patience for a lock, so that its refusal comes first.
STATEMENT_SECONDS = 10.0
_NOT_CONNECTED: Any = Unusable("the database is not connected")
_PING = Statement("ping", "SELECT 1", "SELECT 1")

#: Takes what is to be open to writing and, where it is known, the version of access.
ConditionOf = Callable[..., WriteCondition]


class Database:
    """One database, opened by the engine for its URL; how is said by the options."""

    def __init__(
        self,
        engine: DatabaseEngine,
        options: DatabaseOptions,
        *,
        audit_sink: AuditSink | None = None,
        condition_of: ConditionOf | None = None,
        locked_read_of: LockedReadOf | None = None,
        slow: SlowStatements = NOT_WATCHED,
    ) -> None:
        self.slow = slow
        self.engine = engine
        #: What the engine opens: of scopes once it is connected, and asked for all that is no scope.
        self.pool = engine.open(options, CALLERS)
        self._pool: Pool = _NOT_CONNECTED
        self._audit_sink = audit_sink
        self._condition_of = condition_of
        # It saves a round trip where other processes write as well; who is alone knows what it would read.
        self._locked_read_of = locked_read_of if self.shared_by_processes else None
        self.write_scopes = 0

    async def connect(self) -> None:
        """Raises `DatabaseUnreachable` with one line for the operator."""
        try:
            await self.pool.connect()
        except (DatabaseUnreachable, asyncio.CancelledError):
            raise
        except Exception as error:
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise DatabaseUnreachable(f"{self.place} cannot be reached: {reason}") from error
        self._pool = self.pool

    async def disconnect(self) -> None:
        """Waits a moment for the scopes still open; what is not committed by then is rolled back."""
        if self._pool is not _NOT_CONNECTED:
            await self.pool.disconnect()
            self._pool = _NOT_CONNECTED

    @property
    def dialect(self) -> str:
        """The dialect that its engine shares with others; ask the engine for what it can do instead."""
        return self.engine.dialects[-1]

    @property
    def shared_by_processes(self) -> bool:
        """Whether other server processes may be on this database at the same time."""
        return self.engine.one_process_only is None

    def read(self) -> ReadScope:
        """Opens a scope of statements, each in a snapshot of its own."""
        kind = ReadScope if self._pool.replica is None else scopes.LaggingReadScope
        return kind(self._pool, _slow=self.slow)

    async def read_rows(self, statement: Statement, **binds: Any) -> Sequence[Row]:
        """Reads by one statement, in a scope of its own where that takes one."""
        session = self._pool.shared_session
        if session is not None and not isinstance(scopes.write_scope.get(), WriteScope):
            began = perf_counter()
            try:
                return await session.rows(statement, binds)
            finally:
                if perf_counter() - began > self.slow.seconds:
                    self.slow.report(statement, perf_counter() - began)
        async with self.read() as reader:
            return await reader.all(statement, **binds)

    async def write_rows(self, statement: Statement, **binds: Any) -> Sequence[Row]:
        """Writes by one statement, in a transaction of its own; returns the rows that it returns."""
        async with self.write() as writer:
            return await writer.all(statement, **binds)

    def write(
        self,
        actor: Actor | None = None,
        *,
        within: str | None = None,
        alone: bool = False,
        apart: bool = False,
        durable: bool = True,
        version: str | None = None,
        recheck: Recheck | None = None,
    ) -> WriteScope:
        """Opens a transaction; what it records in the audit trail names `actor`.

        It is refused, and nothing is changed, unless what `within` names is open to writing; `alone` has no
        other write within it meanwhile. What it reads of others may be on its way to the disk; with `apart`
        it is there. Not `durable`, it ends before its own change is. Where the version of access is another
        than `version`, it does `recheck` before its first statement.
        """
        self.write_scopes += 1
        condition = None
        if within is not None:
            if self._condition_of is None:
                raise RuntimeError("this database was opened without conditions for writing")
            condition = self._condition_of(within, *([version] if version else []))
            condition = replace(condition, alone=True) if alone else condition
        return WriteScope(
            self._pool,
            actor,
            self._audit_sink,
            condition,
            apart=apart,
            durable=durable,
            locked_read_of=self._locked_read_of,
            recheck=recheck,
            slow=self.slow,
        )

    async def flush(self) -> None:
        """Returns once everything that could be read before this call is durable."""
        await self._pool.flush()

    async def prepare(self, statements: Sequence[Statement]) -> Sequence[str | None]:
        """Returns for each statement what the database says against it, or None; none is run."""
        return await self._pool.prepare(statements)

    async def ping(self) -> None:
        """Raises unless the database answers; whoever asks, it never waits for a company's share."""
        with scoped(account=OWN):
            await self.read_rows(_PING)

    @property
    def place(self) -> str:
        """The place of the database, in words for an operator."""
        return self.pool.place

    @property
    def folder(self) -> Path | None:
        """The folder of the database's file, where it is a file of this machine."""
        return self.pool.folder

    @property
    def slow_counts(self) -> Mapping[tuple[str, ...], int]:
        return self.slow.counts

    def slow_statements(self) -> Sequence[SlowStatement]:
        """Returns the last slow statements of this process, the newest first."""
        return self.slow.last()
