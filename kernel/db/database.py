"""The door: the only way to the database."""

import asyncio
from collections.abc import Sequence
from math import inf
from pathlib import Path

from guildhall_sdk import Actor, Statement
from kernel.db.accounts import own_work
from kernel.db.announcements import Announcements, Channel, Heard, Line, Silence
from kernel.db.backend import Dialect, Pool, WriteChannel
from kernel.db.conditions import ConditionOf
from kernel.db.damage import find_damage
from kernel.db.entries import AuditSink
from kernel.db.errors import DatabaseDamaged, DatabaseUnreachable
from kernel.db.registration import register
from kernel.db.scopes import ReadScope, WriteScope
from kernel.db.sqlite_file import database_path

PATIENCE = 5.0
POOL_SIZE = 10
# For whoever waits for an answer. Beyond the patience for a lock, so that its refusal comes first.
STATEMENT_SECONDS = 10.0

_PING = Statement("ping", "SELECT 1", "SELECT 1")


class Database:
    """One database. `shared` opens a SQLite file beside the server that owns it, for short commands.

    `statement_seconds` is how long a statement may take for a request; nothing else is stopped.
    """

    def __init__(
        self,
        url: str,
        *,
        audit_sink: AuditSink | None = None,
        condition_of: ConditionOf | None = None,
        shared: bool = False,
        patience: float = PATIENCE,
        pool_size: int = POOL_SIZE,
        statement_seconds: float = inf,
    ) -> None:
        self.dialect: Dialect
        self._registered, self.dialect = register(
            url, shared=shared, patience=patience, size=pool_size, statement_seconds=statement_seconds
        )
        self._patience = patience
        self._pool_size = pool_size
        self._statement_seconds = statement_seconds
        self._line = Line(url)
        self._audit_sink = audit_sink
        self._condition_of = condition_of
        self._open_pool: Pool | None = None
        self.write_scopes = 0

    async def connect(self) -> None:
        """Raises `DatabaseUnreachable` with one line for the operator."""
        try:
            await self._registered.connect()
        except (DatabaseUnreachable, asyncio.CancelledError):
            raise
        except Exception as error:
            raise DatabaseUnreachable(self._why(error)) from error
        self._open_pool = self._registered.pool(self._patience, self._pool_size, self._statement_seconds)

    async def disconnect(self) -> None:
        """Waits a moment for the scopes still open; what is not committed by then is rolled back."""
        if self._open_pool is not None:
            await self._open_pool.drain()
            self._open_pool = None
        await self._registered.disconnect()

    def read(self) -> ReadScope:
        """Statements, each in a snapshot of its own."""
        return ReadScope(self._pool)

    def write(
        self, actor: Actor | None = None, *, within: str | None = None, apart: bool = False
    ) -> WriteScope:
        """One transaction; what it records in the audit trail is told of `actor`.

        It is refused, and nothing is changed, unless what `within` names is open to writing. What it reads of
        others may be on its way to the disk; with `apart` it is there.
        """
        self.write_scopes += 1
        if within is None:
            return WriteScope(self._pool, actor, self._audit_sink, apart=apart)
        if self._condition_of is None:
            raise RuntimeError("this database was opened without conditions for writing")
        return WriteScope(self._pool, actor, self._audit_sink, self._condition_of(within), apart=apart)

    async def flush(self) -> None:
        """Returns once everything that could be read before this call is durable."""
        await self._pool.flush()

    async def prepare(self, statements: Sequence[Statement]) -> Sequence[str | None]:
        """Of each statement what the database says against it, or None; none is run."""
        return await self._pool.prepare(statements)

    async def migrator(self) -> WriteChannel:
        """A transaction that may change the schema."""
        return await self._pool.migrator()

    def announcements(self, channel: str, heard: Heard) -> Announcements:
        """A channel to the other processes that use this database; `heard` is called with their words."""
        return Silence() if self.dialect == "sqlite" else Channel(self._line, channel, heard)

    async def hold(self, key: str) -> None:
        """A lock that others can see this process hold until it dies or lets go; nothing on SQLite."""
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
        """Where it is, in words for an operator."""
        url = self._registered.url
        if self.dialect == "sqlite":
            return f"the database {url.database}"
        return f"the database {url.database} at {url.hostname or 'localhost'}"

    @property
    def folder(self) -> Path | None:
        """Where its file lies, of one that is a file of this machine."""
        return database_path(self._registered.url).parent if self.dialect == "sqlite" else None

    async def check(self) -> None:
        """Reads the whole file of SQLite, and raises `DatabaseDamaged`; PostgreSQL looks after its own."""
        if self.dialect == "sqlite":
            path = database_path(self._registered.url)
            reason = await asyncio.to_thread(find_damage, path, thorough=False)
            if reason is not None:
                raise DatabaseDamaged(reason, f"the database {path}")

    @property
    def waited_seconds(self) -> float:
        """How long scopes waited: for their turn on SQLite, for a connection on PostgreSQL."""
        return self._pool.waited_seconds

    @property
    def _pool(self) -> Pool:
        if self._open_pool is None:
            raise RuntimeError("the database is not connected")
        return self._open_pool

    def _why(self, error: Exception) -> str:
        """Never the URL itself, which holds the password; nor a parser's words, which may quote it."""
        if isinstance(error, ValueError):
            return "the database URL is not well formed; percent-encode what is special in its password"
        reason = (str(error) or type(error).__name__).splitlines()[0]
        return f"{self.place} cannot be reached: {reason}"
