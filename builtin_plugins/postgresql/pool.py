"""The pool of one PostgreSQL database: how it is opened, and what its scopes share."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

import asyncpg
from databases import DatabaseURL

from builtin_plugins.postgresql.announcements import Channel, Line
from builtin_plugins.postgresql.connect import described_hosts
from builtin_plugins.postgresql.connections import (
    Connections,
    keeps_settings,
    pool_arguments,
)
from builtin_plugins.postgresql.lock_waits import LockWaits
from builtin_plugins.postgresql.sessions import (
    BEGIN,
    NOT_NOW,
    ApartTransaction,
    PostgresSession,
    PostgresTransaction,
    lock_number,
)
from guildhall_sdk import Statement
from guildhall_sdk.engines.engine import Callers, DatabaseOptions, DatabaseUnreachable, busy
from guildhall_sdk.engines.pools import OnMessage, Pool, WriteCondition
from libs.pooling import Flushes

# The smallest transaction whose commit waits for the log up to here, in the way the database is set up to.
_FLUSH_POOLED = "SELECT pg_logical_emit_message(true, 'guildhall', ''); COMMIT"
_FLUSH = f"{BEGIN}; {_FLUSH_POOLED}"
# What the driver says of these quotes no password.
_OPTIONS_OF_URL = ("ssl", "certificate", "target_session_attrs", "TLS version")
_SIGNS_OF_POOLER = ("unsupported startup parameter", "prepared statement")
_BEHIND_POOLER = (
    "is behind a pooler such as pgbouncer, which keeps no session: "
    "set SERVICE_DATABASE_DIRECT_URL to the address of PostgreSQL itself"
)


@lru_cache(maxsize=4096)
def _begin_with_locks(shared: tuple[str, ...], alone: str | None = None) -> str:
    """Returns one statement that begins and takes the locks, in one order so that nobody deadlocks."""
    locks = ", ".join(
        f"pg_advisory_xact_lock{'' if key == alone else '_shared'}({lock_number(key)})"
        for key in sorted(shared)
    )
    return f"{BEGIN}; SELECT {locks}"


class PostgresPool(Connections, Pool):
    """Scopes, each with a connection of its own."""

    def __init__(
        self, options: DatabaseOptions, callers: Callers, opened: "asyncpg.Pool[Any] | None" = None
    ) -> None:
        super().__init__(options, callers)
        if opened is not None:
            self._pool = opened
        self.writers: Counter[str] = Counter()
        self.flushes = Flushes(self._flush, callers.own_context, partial(busy, NOT_NOW))
        self.lock_waits = LockWaits(self.session, callers.own_context)
        # One at a time: whoever is apart holds a connection and needs another one.
        self.apart = asyncio.Lock()
        self._line = Line(options.direct_url or options.url)
        self._url = DatabaseURL(options.url)

    async def connect(self) -> None:
        try:
            self._pool = await asyncpg.create_pool(**pool_arguments(self.options))
            await self._check_sessions()
        except (DatabaseUnreachable, asyncio.CancelledError):
            raise
        except Exception as error:
            raise DatabaseUnreachable(self._why(error)) from error

    async def disconnect(self) -> None:
        await self.drain()

    async def _check_sessions(self) -> None:
        """Raises where sessions do not last because a pooler stands in between, and nobody said so."""
        if not self.pooled and not await keeps_settings(self._pool):
            self._pool.terminate()
            raise DatabaseUnreachable(f"{self.place} {_BEHIND_POOLER}")

    @property
    def place(self) -> str:
        return f"the database {self._url.database} at {described_hosts(self.options.url)}"

    def announcements(self, channel: str, on_message: OnMessage) -> Channel:
        return Channel(self._line, channel, on_message)

    async def hold(self, key: str) -> None:
        await self._line.hold(key)

    async def let_go(self, key: str) -> None:
        await self._line.let_go(key)

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

    def session(self) -> PostgresSession:
        return PostgresSession(self)

    async def transaction(
        self, condition: WriteCondition | None = None, *, apart: bool = False
    ) -> PostgresTransaction:
        kind = ApartTransaction if apart else PostgresTransaction
        if condition is None:
            return kind(self)
        alone = condition.held[0] if condition.alone else None
        return kind(self, _begin_with_locks(condition.held, alone), condition)

    async def flush(self) -> None:
        await self.flushes.wait()

    async def prepare(self, statements: Sequence[Statement]) -> Sequence[str | None]:
        session = PostgresSession(self)
        try:
            return [await session.fault(statement) for statement in statements]
        finally:
            await session.close()

    async def migration(self) -> PostgresTransaction:
        """Opens a transaction in which no trigger waits for the commit: else it could alter no table."""
        at_once = "SET LOCAL lock_timeout = 0; SET CONSTRAINTS ALL IMMEDIATE"
        return PostgresTransaction(self, f"{BEGIN}; {at_once}")

    async def drain(self) -> None:
        await self.flushes.settled(self._patience)
        await super().drain()

    async def _flush(self) -> None:
        session = PostgresTransaction(self) if self.pooled else PostgresSession(self)
        try:
            await session.execute(_FLUSH_POOLED if self.pooled else _FLUSH)
        finally:
            await session.close()
