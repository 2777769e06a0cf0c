"""The connections to PostgreSQL: how they are opened, who is given one, and for how long."""

import asyncio
import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from math import isfinite
from typing import Any

import asyncpg

from builtin_plugins.postgresql.connect import connect
from guildhall_sdk.engines.engine import GATES, SERVER, Callers, DatabaseBusy, DatabaseOptions, busy
from libs.pooling import FairSlots, First, IdleConnectionWaiters, LongStatements

_STALE_AFTER_SECONDS = 300
# A process that stands still in a transaction holds its locks no longer than that, and so holds up nobody for
# more than that and the patience for a lock. Whoever is alive is never idle for so long between statements.
IDLE_TRANSACTION_SECONDS = 4.0
_OPENED_WITHIN_SECONDS = 5.0
_IDLE_LIMIT = "idle_in_transaction_session_timeout"
#: For a transaction that holds its lock while something outside the database happens, which must not go on
#: without the lock.
NO_IDLE_LIMIT = f"SET LOCAL {_IDLE_LIMIT} = 0"
_PLAN_CACHE_MODE = "force_generic_plan"
_FIRST = First(SERVER, GATES)
_LONG_REFUSAL = "Other long questions of your company are being answered; ask again in a moment."
# A TimeoutError is an OSError too.
DRIVER_ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)


class PostgresRow(asyncpg.Record):
    """A record that is the mapping it is typed as; the plain one iterates by value."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys())


def pool_arguments(options: DatabaseOptions) -> dict[str, Any]:
    """Returns what asyncpg's pool takes.

    A connection that is pooled by somebody in between lasts for a transaction: it keeps no statement and no
    setting, so each transaction says its own.
    """
    arguments = _arguments(options)
    if options.direct_url is not None:
        arguments |= {
            "connect": partial(connect, pooled=True),
            "statement_cache_size": 0,
            "server_settings": {},
            "init": _prepare_pooled,
        }
    return arguments


def _arguments(options: DatabaseOptions) -> dict[str, Any]:
    return {
        "dsn": options.url,
        "connect": connect,
        "min_size": 1,
        "max_size": options.pool_size,
        # How long one lives is said below; every statement is one of a fixed few hundred.
        "max_inactive_connection_lifetime": 0,
        "statement_cache_size": 1024,
        "max_cached_statement_lifetime": 0,
        "record_class": PostgresRow,
        "init": _prepare,
        # To open one takes what it takes: whoever is impatient for a lock is not for that.
        "timeout": max(options.patience, _OPENED_WITHIN_SECONDS),
        "server_settings": {
            "default_transaction_isolation": "read committed",
            "default_transaction_read_only": "on",
            "lock_timeout": str(_milliseconds(options.patience)),
            "statement_timeout": str(_milliseconds(options.statement_seconds)),
            _IDLE_LIMIT: str(_milliseconds(IDLE_TRANSACTION_SECONDS)),
            "application_name": f"guildhall {socket.gethostname()} {os.getpid()}",
            # Short statements by index: planning each anew, or compiling it, costs more than running it.
            "plan_cache_mode": _PLAN_CACHE_MODE,
            "jit": "off",
        },
    }


async def keeps_settings(pool: "asyncpg.Pool[Any]") -> bool:
    """Tells whether connections have the settings they were opened with; through most poolers they do not.

    A connection that does not answer is not given back: that would wait for it too.
    """
    connection = await pool.acquire()
    try:
        mode = await connection.fetchval("SHOW plan_cache_mode")
    except BaseException:
        _discard(connection)
        raise
    await pool.release(connection)
    return bool(mode == _PLAN_CACHE_MODE)


def _milliseconds(seconds: float) -> int:
    """Returns seconds as PostgreSQL takes a limit, for which none is 0."""
    return int(seconds * 1000) if isfinite(seconds) else 0


async def _prepare(connection: "asyncpg.Connection[Any]") -> None:
    """Makes SUM and AVG give plain numbers, as they do on SQLite."""
    await connection.set_type_codec("numeric", schema="pg_catalog", encoder=str, decoder=_plain_number)


async def _prepare_pooled(connection: "asyncpg.Connection[Any]") -> None:
    async with connection.transaction():
        await _prepare(connection)


def _plain_number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _reserve(size: int) -> int:
    """Returns how many connections companies leave to the server and to requests at their gates."""
    return 0 if size < 3 else 1 if size < 6 else max(2, size // 5)


class Connections:
    """Says who may have one of the connections of asyncpg's pool, and keeps those that nobody has.

    Giving one back to asyncpg's own pool takes a task, even where there is nothing to reset: see
    docs/decisions/postgresql-connections.md. Here it is a plain call that no cancellation can interrupt.
    """

    def __init__(self, options: DatabaseOptions, callers: Callers) -> None:
        self.options = options
        self.pooled = options.direct_url is not None
        self.caller = callers.current
        self._pool: asyncpg.Pool[Any]
        self._patience = patience = options.patience
        self._size = size = options.pool_size
        self._timeout_ms = _milliseconds(options.statement_seconds)
        # Without it companies can have every connection, for longer than anybody else waits for one.
        self.has_reserve = _reserve(size) > 0
        self._slots = FairSlots(
            size,
            # With more, one company could keep every processor of a small machine busy.
            share=max(1, size // 3),
            reserve=_reserve(size),
            patience=patience,
            refuse=partial(busy, "Every connection to the database that you may use is in use."),
            first=_FIRST,
        )
        for_long = FairSlots(
            max(1, size // 3),
            share=1,
            reserve=0,
            patience=patience,
            refuse=partial(busy, _LONG_REFUSAL),
            first=_FIRST,
        )
        self.for_long = LongStatements(for_long, callers.another_since)
        # How long a statement may take is all that a session sets: those with a limit, and those without.
        self._idle: dict[bool, list[tuple[Any, float]]] = {True: [], False: []}
        self._waiters = IdleConnectionWaiters()

    @property
    def waited_seconds(self) -> float:
        return self._slots.waited_seconds

    async def take(self, holder: str, *, limited: bool, nested: bool = False) -> Any:
        """Returns a connection outside a transaction, with or without a limit on its statements.

        Background work waits a moment for one that others have before it opens another, unless `nested`:
        then what it holds may be what it would wait for.
        """
        await self._slots.take(holder)
        try:
            connection = self._take_idle(limited)
            if connection is None and self.caller().background and not nested:
                connection = await self._take_returned(limited)
            return connection or await self._take_other(limited)
        except BaseException:
            self._slots.give_back(holder)
            raise

    def _take_idle(self, limited: bool) -> Any:
        """Returns the last connection given back that is not stale, or None."""
        while self._idle[limited]:
            connection, since = self._idle[limited].pop()
            if asyncio.get_running_loop().time() - since < _STALE_AFTER_SECONDS and not is_lost(connection):
                return connection
            _discard(connection)
        return None

    async def _take_returned(self, limited: bool) -> Any:
        """Returns a connection that somebody else has now, or None."""
        if self._slots.free == self._size - 1:  # nobody else has any
            return None
        return await self._waiters.wait_for(partial(self._take_idle, limited))

    async def _take_other(self, limited: bool) -> Any:
        """Opens a connection, or takes one with the other limit where no more may be opened."""
        full = len(self._idle[not limited]) > self._slots.free
        connection = self._take_idle(not limited) if full else None
        is_new = connection is None
        connection = connection or await self._pool.acquire()
        if not (is_new and limited) and not self.pooled:
            await self._set_limit(connection, limited)
        return connection

    def settings(self, *, limited: bool) -> str:
        """Returns the statements that a transaction of a pooled connection begins with."""
        timeout_ms = self._timeout_ms if limited else 0
        limits = {
            "statement_timeout": timeout_ms,
            "lock_timeout": _milliseconds(self._patience),
            _IDLE_LIMIT: _milliseconds(IDLE_TRANSACTION_SECONDS),
            "jit": "off",
        }
        return "; ".join(f"SET LOCAL {name} = {value}" for name, value in limits.items())

    async def _set_limit(self, connection: Any, limited: bool) -> None:
        timeout_ms = self._timeout_ms if limited else 0
        try:
            await connection.execute(f"SET statement_timeout = {timeout_ms}", timeout=self._patience)
        except BaseException:
            _discard(connection)
            raise

    def give_back(self, connection: Any, holder: str, *, limited: bool) -> None:
        self._idle[limited].append((connection, asyncio.get_running_loop().time()))
        self._slots.give_back(holder)
        self._waiters.notify()

    async def roll_back(self, connection: Any, holder: str, *, limited: bool) -> None:
        """Gives a connection back whose state is unknown; to be run to its end whoever is cancelled."""
        try:
            if not is_lost(connection):
                await connection.execute("ROLLBACK", timeout=self._patience)
        except DRIVER_ERRORS:
            _discard(connection)
        finally:
            self.give_back(connection, holder, limited=limited)

    async def drain(self) -> None:
        """Waits a moment for the scopes still open, then closes every connection."""
        taken = 0
        try:
            while taken < self._size:
                await self._slots.take(SERVER)
                taken += 1
            async with asyncio.timeout(self._patience):
                for connection, _since in (*self._idle[True], *self._idle[False]):
                    with suppress(*DRIVER_ERRORS):
                        await self._pool.release(connection)
                await self._pool.close()
        except (DatabaseBusy, TimeoutError):
            self._pool.terminate()
        finally:
            self._idle = {True: [], False: []}
            for _ in range(taken):
                self._slots.give_back(SERVER)


def is_lost(connection: Any) -> bool:
    """Tells whether a connection closed under us: asyncpg's pool then took it back, and it only says so."""
    try:
        return bool(connection.is_closed())
    except asyncpg.InterfaceError:
        return True


def _discard(connection: Any) -> None:
    """Makes asyncpg's pool count it out: it does not when a connection broke without a goodbye."""
    with suppress(asyncpg.InterfaceError):
        connection.terminate()
