"""One database: the only way to it."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import databases

from guildhall_sdk import Actor, Statement
from kernel.db.accounts import own_work
from kernel.db.announcements import Channel, Line, OnMessage, SilentChannel
from kernel.db.backend import ConditionOf, Dialect, LockedReadOf, Pool, Replica, Transaction
from kernel.db.errors import DatabaseDamaged, DatabaseUnreachable
from kernel.db.scopes import AuditSink, ReadScope, WriteScope
from kernel.db.sqlite_file import database_path, find_damage, owner_of

PATIENCE = 5.0
POOL_SIZE = 10
REPLICA_LAG_SECONDS = 60
# For whoever waits for an answer. Beyond the patience for a lock, so that its refusal comes first.
STATEMENT_SECONDS = 10.0

# What the driver says of these quotes no password.
_OPTIONS_OF_URL = ("ssl", "certificate", "target_session_attrs", "TLS version")
_SIGNS_OF_POOLER = ("unsupported startup parameter", "prepared statement")
_BEHIND_POOLER = (
    "is behind a pooler such as pgbouncer, which keeps no session: "
    "set SERVICE_DATABASE_DIRECT_URL to the address of PostgreSQL itself"
)
_PING = Statement("ping", "SELECT 1", "SELECT 1")
# It tells of each connect with the URL, and hides a password only in the usual place in it.
logging.getLogger("databases").setLevel(logging.WARNING)


class _Databases(databases.Database):
    """`databases` with our pools in place of its connection and thread per call."""

    SUPPORTED_BACKENDS = {  # noqa: RUF012 - an attribute of the parent
        "sqlite": "kernel.db.sqlite:SqliteBackend",
        "postgresql": "kernel.db.connections:PostgresBackend",
        "postgres": "kernel.db.connections:PostgresBackend",
    }


class Database:
    """One database. `shared` opens a SQLite file beside the server that owns it, for short commands.

    `statement_seconds` is how long a statement may take for a request; nothing else is stopped. With a
    `direct_url`, `url` leads through a pooler: what outlasts a transaction goes past it. What may lag is read
    at `replica_url`, where there is one.
    """

    def __init__(
        self,
        url: str,
        *,
        audit_sink: AuditSink | None = None,
        condition_of: ConditionOf | None = None,
        locked_read_of: LockedReadOf | None = None,
        shared: bool = False,
        patience: float = PATIENCE,
        pool_size: int = POOL_SIZE,
        statement_seconds: float = inf,
        direct_url: str | None = None,
        replica_url: str | None = None,
        replica_lag_seconds: int = REPLICA_LAG_SECONDS,
    ) -> None:
        self.dialect: Dialect
        self._pooled = direct_url is not None
        self._limits = (patience, pool_size, statement_seconds)
        options: dict[str, Any]
        # The drivers are imported where they are needed: a server on SQLite does not load the other one.
        match databases.DatabaseURL(url).dialect:
            case "sqlite":
                self.dialect = "sqlite"
                options = {"shared": shared, "patience": patience, "statement_seconds": statement_seconds}
            case "postgresql" | "postgres":
                from kernel.db.connections import pool_options

                self.dialect = "postgresql"
                options = pool_options(url, *self._limits, pooled=self._pooled)
            case _:
                raise DatabaseUnreachable("the database URL must begin with sqlite:// or postgresql://")
        self._url = url
        # Of several hosts and a password it makes a URL for its log, and fails; the pool has its own.
        of_file = self.dialect == "sqlite"
        self._databases = _Databases(url if of_file else f"postgresql://{urlsplit(url).path}", **options)
        self._line = Line(direct_url or url)
        self._audit_sink = audit_sink
        self._condition_of = condition_of
        self._locked_read_of = locked_read_of
        self._open_pool: Pool | None = None
        self._replica: Replica | None = None
        if replica_url is not None:
            from kernel.db.replica import Replica as OpenedReplica

            self._replica = OpenedReplica(
                replica_url, pool_size, statement_seconds, self._value, replica_lag_seconds
            )
        self.write_scopes = 0

    async def connect(self) -> None:
        """Raises `DatabaseUnreachable` with one line for the operator."""
        try:
            await self._databases.connect()
            await self._check_sessions()
        except (DatabaseUnreachable, asyncio.CancelledError):
            raise
        except Exception as error:
            raise DatabaseUnreachable(self._why(error)) from error
        # Private, but they hold what was opened. The public way, `connection()`, costs three locks per scope,
        # compiles every statement through SQLAlchemy and ties a connection to a task.
        backend: Any = self._databases._backend
        if self.dialect == "sqlite":
            self._open_pool = backend
        else:
            from kernel.db.postgresql import PostgresPool

            self._open_pool = PostgresPool(backend._pool, *self._limits, pooled=self._pooled)
        if self._replica is not None:
            with suppress(Exception):  # whoever follows it tells why; until then it is not asked
                await self._replica.look()

    @property
    def replica(self) -> Replica | None:
        return self._replica

    async def _value(self, statement: Statement) -> str:
        async with ReadScope(self._pool) as reader:
            return str(await reader.value(statement))

    async def _check_sessions(self) -> None:
        """Raises where sessions do not last because a pooler stands in between, and nobody said so."""
        if self.dialect == "sqlite" or self._pooled:
            return
        from kernel.db.connections import keeps_settings

        backend: Any = self._databases._backend
        if not await keeps_settings(backend._pool):
            backend._pool.terminate()
            raise DatabaseUnreachable(f"{self.place} {_BEHIND_POOLER}")

    async def disconnect(self) -> None:
        """Waits a moment for the scopes still open; what is not committed by then is rolled back."""
        if self._replica is not None:
            await self._replica.close()
        if self._open_pool is not None:
            await self._open_pool.drain()
            self._open_pool = None
        await self._databases.disconnect()

    def read(self) -> ReadScope:
        """Opens a scope of statements, each in a snapshot of its own."""
        return ReadScope(self._pool, self._replica)

    def write(
        self,
        actor: Actor | None = None,
        *,
        within: str | None = None,
        alone: bool = False,
        apart: bool = False,
        durable: bool = True,
    ) -> WriteScope:
        """Opens a transaction; what it records in the audit trail names `actor`.

        It is refused, and nothing is changed, unless what `within` names is open to writing; `alone` has no
        other write within it meanwhile. What it reads of others may be on its way to the disk; with `apart`
        it is there. Not `durable`, it ends before its own change is.
        """
        self.write_scopes += 1
        condition = None
        if within is not None:
            if self._condition_of is None:
                raise RuntimeError("this database was opened without conditions for writing")
            condition = self._condition_of(within)
            condition = replace(condition, alone=True) if alone else condition
        return WriteScope(
            self._pool,
            actor,
            self._audit_sink,
            condition,
            apart=apart,
            durable=durable,
            locked_read_of=self._locked_read_of,
        )

    async def flush(self) -> None:
        """Returns once everything that could be read before this call is durable."""
        await self._pool.flush()

    async def prepare(self, statements: Sequence[Statement]) -> Sequence[str | None]:
        """Returns for each statement what the database says against it, or None; none is run."""
        return await self._pool.prepare(statements)

    async def migration(self) -> Transaction:
        """Opens a transaction that may change the schema."""
        return await self._pool.migration()

    def announcements(self, channel: str, on_message: OnMessage) -> SilentChannel:
        """Opens a channel to the other processes on this database; `on_message` gets their words."""
        return SilentChannel() if self.dialect == "sqlite" else Channel(self._line, channel, on_message)

    async def hold(self, key: str) -> None:
        """Takes a lock that others see until this process dies or lets go; does nothing on SQLite."""
        if self.dialect == "postgresql":
            await self._line.hold(key)

    async def let_go(self, key: str) -> None:
        if self.dialect == "postgresql":
            await self._line.let_go(key)

    async def ping(self) -> None:
        """Raises unless the database answers; whoever asks, it never waits for a company's share."""
        with own_work():
            async with self.read() as reader:
                await reader.one(_PING)

    @property
    def place(self) -> str:
        """The place of the database, in words for an operator."""
        if self.dialect == "sqlite":
            return f"the database {self._databases.url.database}"
        from kernel.db.postgresql_connect import described_hosts

        return f"the database {self._databases.url.database} at {described_hosts(self._url)}"

    @property
    def folder(self) -> Path | None:
        """The folder of the database's file, where it is a file of this machine."""
        return database_path(self._databases.url).parent if self.dialect == "sqlite" else None

    @property
    def owned_by_server(self) -> bool:
        """Whether a server that lives owns the file; False where the database is none."""
        return self.dialect == "sqlite" and owner_of(database_path(self._databases.url)) is not None

    async def check(self) -> None:
        """Reads the whole file of SQLite, and raises `DatabaseDamaged`; PostgreSQL looks after its own."""
        if self.dialect == "sqlite":
            path = database_path(self._databases.url)
            reason = await asyncio.to_thread(find_damage, path, thorough=False)
            if reason is not None:
                raise DatabaseDamaged(reason, f"the database {path}")

    @property
    def waited_seconds(self) -> float:
        """The seconds that scopes have waited: for their turn on SQLite, for a connection on PostgreSQL."""
        return self._pool.waited_seconds

    @property
    def _pool(self) -> Pool:
        if self._open_pool is None:
            raise RuntimeError("the database is not connected")
        return self._open_pool

    def _why(self, error: Exception) -> str:
        """Explains an error without the URL, which has the password, and without a parser's quotes of it."""
        reason = (str(error) or type(error).__name__).splitlines()[0]
        if isinstance(error, ValueError) and not isinstance(error, OSError):
            if any(word in reason for word in _OPTIONS_OF_URL):
                return f"the database URL cannot be used: {reason}"
            return "the database URL is not well formed; percent-encode what is special in its password"
        if any(sign in reason for sign in _SIGNS_OF_POOLER):
            return f"{self.place} {_BEHIND_POOLER}"
        return f"{self.place} cannot be reached: {reason}"
