"""The connections to PostgreSQL: how they are opened, who is given one, and for how long."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from math import inf, isfinite
from typing import Any

import asyncpg

from kernel.db.accounts import SERVER
from kernel.db.errors import DatabaseBusy
from kernel.db.fair_slots import FairSlots, slots_for_long

_STALE_AFTER_SECONDS = 300
# A TimeoutError is an OSError too.
DRIVER_ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)


class PostgresRow(asyncpg.Record):
    """A record that is the mapping it is typed as; the plain one iterates by value."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys())


class PooledConnection(asyncpg.Connection):
    """Knows its statement timeout: nothing else is ever set for longer than a transaction."""

    __slots__ = ("timeout_ms",)
    timeout_ms: int

    async def set_statement_timeout(self, milliseconds: int) -> None:
        """Sets it, which takes a round trip, unless it is what it was."""
        if self.timeout_ms != milliseconds:
            await self.execute(f"SET statement_timeout = {milliseconds}")
            self.timeout_ms = milliseconds


def pool_options(url: str, patience: float, size: int, statement_seconds: float) -> dict[str, Any]:
    """What `databases` passes on to asyncpg's pool."""
    timeout_ms = _milliseconds(statement_seconds)

    async def prepare(connection: PooledConnection) -> None:
        """SUM and AVG give plain numbers, as they do on SQLite."""
        connection.timeout_ms = timeout_ms
        await connection.set_type_codec("numeric", schema="pg_catalog", encoder=str, decoder=_plain_number)

    return {
        "dsn": url,
        "min_size": 1,
        "max_size": size,
        # How long one lives is said below; every statement is one of a fixed few hundred.
        "max_inactive_connection_lifetime": 0,
        "statement_cache_size": 1024,
        "max_cached_statement_lifetime": 0,
        "connection_class": PooledConnection,
        "record_class": PostgresRow,
        "init": prepare,
        "timeout": patience,
        "server_settings": {
            "default_transaction_isolation": "read committed",
            "default_transaction_read_only": "on",
            "lock_timeout": str(_milliseconds(patience)),
            "statement_timeout": str(timeout_ms),
            # Short statements by index: planning each anew, or compiling it, costs more than running it.
            "plan_cache_mode": "force_generic_plan",
            "jit": "off",
        },
    }


def _milliseconds(seconds: float) -> int:
    """As PostgreSQL takes it, for which none is no limit."""
    return int(seconds * 1000) if isfinite(seconds) else 0


def _plain_number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _reserve(size: int) -> int:
    """How many connections companies leave to the server and to requests at their gates."""
    return 0 if size < 3 else 1 if size < 6 else max(2, size // 5)


class Connections:
    """Says who may have one of the connections of asyncpg's pool, and keeps those that nobody has.

    Giving one back to asyncpg's own pool takes a task, even where there is nothing to reset: see
    docs/decisions/postgresql-connections.md. Here it is a plain call that no cancellation can interrupt.
    """

    def __init__(
        self, pool: "asyncpg.Pool[Any]", patience: float, size: int, statement_seconds: float = inf
    ) -> None:
        self._pool = pool
        self._patience = patience
        self._size = size
        self._timeout_ms = _milliseconds(statement_seconds)
        # Without it companies can have every connection, for longer than anybody else waits for one.
        self.has_reserve = _reserve(size) > 0
        self._slots = FairSlots(
            size,
            # With more, one company could keep every processor of a small machine busy.
            share=max(1, size // 3),
            reserve=_reserve(size),
            patience=patience,
            refusal="Every connection to the database that you may use is in use.",
        )
        self.for_long = slots_for_long(max(1, size // 3), patience)
        self._idle: list[tuple[Any, float]] = []

    @property
    def waited_seconds(self) -> float:
        return self._slots.waited_seconds

    async def take(self, holder: str, *, limited: bool) -> Any:
        """A connection outside a transaction, on whose statements the limit lies or not."""
        await self._slots.take(holder)
        timeout_ms = self._timeout_ms if limited else 0
        connection: Any = None
        try:
            connection = self._take_idle(timeout_ms) or await self._pool.acquire()
            await connection.set_statement_timeout(timeout_ms)
        except BaseException:
            if connection is not None:
                _discard(connection)
            self._slots.give_back(holder)
            raise
        return connection

    def _take_idle(self, timeout_ms: int) -> Any:
        """The last one given back that has this timeout; another's when no more may be opened."""
        now = asyncio.get_running_loop().time()
        for index in reversed(range(len(self._idle))):
            connection, since = self._idle[index]
            if now - since > _STALE_AFTER_SECONDS or is_lost(connection):
                del self._idle[index]
                _discard(connection)
            elif connection.timeout_ms == timeout_ms:
                return self._idle.pop(index)[0]
        return self._idle.pop()[0] if len(self._idle) > self._slots.free else None

    def give_back(self, connection: Any, holder: str) -> None:
        self._idle.append((connection, asyncio.get_running_loop().time()))
        self._slots.give_back(holder)

    async def roll_back(self, connection: Any, holder: str) -> None:
        """Gives a connection back whose state is unknown; to be run to its end whoever is cancelled."""
        try:
            if not is_lost(connection):
                await connection.execute("ROLLBACK", timeout=self._patience)
        except DRIVER_ERRORS:
            _discard(connection)
        finally:
            self.give_back(connection, holder)

    async def drain(self) -> None:
        """Waits a moment for the scopes still open, then closes every connection."""
        try:
            for _ in range(self._size):
                await self._slots.take(SERVER)
        except DatabaseBusy:
            self._pool.terminate()
            return
        for connection, _since in self._idle:
            _discard(connection)
        await self._pool.close()


def is_lost(connection: Any) -> bool:
    """One that closed under us was taken back by asyncpg's pool, and has no other answer than that."""
    try:
        return bool(connection.is_closed())
    except asyncpg.InterfaceError:
        return True


def _discard(connection: Any) -> None:
    """Makes asyncpg's pool count it out: it does not when a connection broke without a goodbye."""
    with suppress(asyncpg.InterfaceError):
        connection.terminate()
