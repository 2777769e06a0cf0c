"""The connections to PostgreSQL: how they are opened, who is given one, and for how long."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from math import inf, isfinite
from typing import Any

import asyncpg

from guildhall_sdk import Unavailable
from kernel.db.accounts import SERVER
from kernel.db.fair_slots import Places, places_for_long

_STALE_AFTER_SECONDS = 300
# A TimeoutError is an OSError too.
DRIVER_ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)


class PostgresRow(asyncpg.Record):
    """A record that is the mapping it is typed as; the plain one iterates by value."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys())


def pool_options(url: str, patience: float, size: int, statement_seconds: float) -> dict[str, Any]:
    """What `databases` passes on to asyncpg's pool."""
    limit = {"statement_timeout": _milliseconds(statement_seconds)} if isfinite(statement_seconds) else {}
    return {
        "dsn": url,
        "min_size": 1,
        "max_size": size,
        # Our own slots decide how long a connection lives; every statement is one of a fixed few hundred.
        "max_inactive_connection_lifetime": 0,
        "statement_cache_size": 1024,
        "max_cached_statement_lifetime": 0,
        "record_class": PostgresRow,
        "init": _prepare,
        "timeout": patience,
        "server_settings": {
            "default_transaction_isolation": "read committed",
            "default_transaction_read_only": "on",
            "lock_timeout": _milliseconds(patience),
            **limit,
            # Short statements by index: planning each anew, or compiling it, costs more than running it.
            "plan_cache_mode": "force_generic_plan",
            "jit": "off",
        },
    }


def _milliseconds(seconds: float) -> str:
    return str(int(seconds * 1000))


def _reserve(size: int) -> int:
    """How many connections companies leave to the server and to requests at their gates."""
    return 0 if size < 3 else 1 if size < 6 else max(2, size // 5)


async def _prepare(connection: asyncpg.Connection) -> None:
    """SUM and AVG give plain numbers, as they do on SQLite."""
    await connection.set_type_codec("numeric", schema="pg_catalog", encoder=str, decoder=_plain_number)


def _plain_number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdigit() else float(text)


class Connections:
    """Keeps the connections of asyncpg's pool in stacks of our own.

    Giving one back is then a plain call that no cancellation can interrupt, and costs no round trip:
    there is nothing to reset, since we LISTEN on no pooled connection and set nothing per session, but how
    long a statement may take: that tells the two stacks apart.
    """

    def __init__(
        self, opened: "asyncpg.Pool[Any]", patience: float, size: int, statement_seconds: float = inf
    ) -> None:
        self._opened = opened
        self._patience = patience
        self._size = size
        self._limits = isfinite(statement_seconds)
        self._set_limit = {
            True: f"SET statement_timeout = {_milliseconds(statement_seconds) if self._limits else 0}",
            False: "SET statement_timeout = 0",
        }
        # Without it companies can have every connection, for longer than anybody else waits for one.
        self.has_reserve = _reserve(size) > 0
        self._places = Places(
            size,
            # With more, one company could keep every processor of a small machine busy.
            share=max(1, size // 3),
            reserve=_reserve(size),
            patience=patience,
            refusal="Every connection to the database that you may use is in use.",
        )
        self.for_long = places_for_long(max(1, size // 3), patience)
        self._count = 0
        self._idle: dict[bool, list[tuple[Any, float]]] = {True: [], False: []}

    @property
    def waited_seconds(self) -> float:
        return self._places.waited_seconds

    async def take(self, holder: str, *, limited: bool) -> Any:
        """A connection outside a transaction, on whose statements the limit lies or not."""
        if not self._places.take_at_once(holder):
            await self._places.take(holder)
        try:
            return await self._connection(limited and self._limits)
        except BaseException:
            self._places.give_back(holder)
            raise

    def give_back(self, connection: Any, holder: str, *, limited: bool) -> None:
        self._idle[limited and self._limits].append((connection, asyncio.get_running_loop().time()))
        self._places.give_back(holder)

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
        try:
            for _ in range(self._size):
                if not self._places.take_at_once(SERVER):
                    await self._places.take(SERVER)
            for connection, _since in [*self._idle[True], *self._idle[False]]:
                await self._retire(connection)
            async with asyncio.timeout(self._patience):
                await self._opened.close()
        except (Unavailable, TimeoutError):
            self._opened.terminate()

    async def _connection(self, limited: bool) -> Any:
        """One that was kept, else a new one, else one of the other stack."""
        kept = self._idle[limited]
        if not kept:
            if self._count < self._size:
                return await self._open(limited)
            kept = self._idle[not limited]
        connection, since = kept.pop()
        try:
            if asyncio.get_running_loop().time() - since < _STALE_AFTER_SECONDS and not is_lost(connection):
                if kept is not self._idle[limited]:
                    await connection.execute(self._set_limit[limited], timeout=self._patience)
                return connection
        except BaseException as error:
            self._drop(connection)
            if not isinstance(error, DRIVER_ERRORS):
                raise
        else:
            self._drop(connection)
        return await self._open(limited)

    async def _open(self, limited: bool) -> Any:
        self._count += 1
        connection = None
        try:
            connection = await self._opened.acquire(timeout=self._patience)
            if limited is not self._limits:
                await connection.execute(self._set_limit[limited], timeout=self._patience)
        except BaseException:
            self._drop(connection)
            raise
        return connection

    def _drop(self, connection: Any) -> None:
        self._count -= 1
        if connection is not None:
            _discard(connection)

    async def _retire(self, connection: Any) -> None:
        try:
            await self._opened.release(connection, timeout=self._patience)
        except DRIVER_ERRORS:
            _discard(connection)


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
