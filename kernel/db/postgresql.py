"""PostgreSQL: one asyncpg connection for the length of a scope."""

import asyncio
import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import asyncpg

from guildhall_sdk import Row, Statement, Unavailable
from kernel.db.conditions import WriteCondition
from kernel.db.errors import busy

POOL_SIZE = 10
_STALE_AFTER_SECONDS = 300
_PASSING = (
    asyncpg.TransactionRollbackError,
    asyncpg.LockNotAvailableError,
    asyncpg.InvalidCachedStatementError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    # Our scopes never use a connection twice at once, so this is one the server has cut off.
    asyncpg.InternalClientError,
    OSError,
)
# A TimeoutError is an OSError too.
_DRIVER_ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)
_BEGIN = "BEGIN READ WRITE"
_SERIALIZE = Statement("serialize", "SELECT 1", "SELECT pg_advisory_xact_lock(CAST(:number AS BIGINT))")


def _lock_number(key: str) -> int:
    """Two keys that share a number only wait for each other needlessly."""
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big", signed=True)


@lru_cache(maxsize=4096)
def _begin_holding(keys: tuple[str, ...]) -> str:
    """One round trip for both; everybody takes the locks in the same order, so that nobody crosses."""
    locks = ", ".join(f"pg_advisory_xact_lock_shared({_lock_number(key)})" for key in sorted(keys))
    return f"{_BEGIN}; SELECT {locks}"


class PostgresRow(asyncpg.Record):
    """A record that is the mapping it is typed as; the plain one iterates by value."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys())


def pool_options(url: str, patience: float) -> dict[str, Any]:
    """What `databases` passes on to asyncpg's pool."""
    return {
        "dsn": url,
        "min_size": 1,
        "max_size": POOL_SIZE,
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
            "lock_timeout": str(int(patience * 1000)),
            # Short statements by index: planning each anew, or compiling it, costs more than running it.
            "plan_cache_mode": "force_generic_plan",
            "jit": "off",
        },
    }


async def _prepare(connection: asyncpg.Connection) -> None:
    """SUM and AVG give plain numbers, as they do on SQLite."""
    await connection.set_type_codec("numeric", schema="pg_catalog", encoder=str, decoder=_plain_number)


def _plain_number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdigit() else float(text)


class PostgresPool:
    """Keeps the connections of asyncpg's pool in slots of our own.

    Giving one back is then a plain call that no cancellation can interrupt, and costs no round trip:
    there is nothing to reset, since we set nothing per session, and LISTEN on no pooled connection.
    """

    def __init__(self, opened: "asyncpg.Pool[Any]", patience: float) -> None:
        self._opened = opened
        self._patience = patience
        self.waited_seconds = 0.0
        self._slots: asyncio.LifoQueue[tuple[Any, float]] = asyncio.LifoQueue()
        for _ in range(POOL_SIZE):
            self._slots.put_nowait((None, 0.0))

    def reader(self) -> "PostgresReadChannel":
        return PostgresReadChannel(self)

    async def writer(self, condition: WriteCondition | None = None) -> "PostgresWriteChannel":
        if condition is None:
            return PostgresWriteChannel(self)
        return PostgresWriteChannel(self, _begin_holding(condition.held), condition)

    async def migrator(self) -> "PostgresWriteChannel":
        return PostgresWriteChannel(self, begin=f"{_BEGIN}; SET LOCAL lock_timeout = 0")

    async def take(self) -> Any:
        """A connection outside a transaction."""
        kept, since = await self._free_slot()
        try:
            if kept is not None:
                age = asyncio.get_running_loop().time() - since
                if age < _STALE_AFTER_SECONDS and not _is_lost(kept):
                    return kept
                _discard(kept)
            return await self._opened.acquire(timeout=self._patience)
        except BaseException:
            self._slots.put_nowait((None, 0.0))
            raise

    def give_back(self, connection: Any) -> None:
        self._slots.put_nowait((connection, asyncio.get_running_loop().time()))

    async def roll_back(self, connection: Any) -> None:
        """Gives a connection back whose state is unknown; to be run to its end whoever is cancelled."""
        try:
            if not _is_lost(connection):
                await connection.execute("ROLLBACK", timeout=self._patience)
        except _DRIVER_ERRORS:
            _discard(connection)
        finally:
            self.give_back(connection)

    async def drain(self) -> None:
        """Waits a moment for the scopes still open, then closes every connection."""
        try:
            for _ in range(POOL_SIZE):
                connection, _since = await self._free_slot()
                if connection is not None:
                    await self._retire(connection)
            async with asyncio.timeout(self._patience):
                await self._opened.close()
        except (Unavailable, TimeoutError):
            self._opened.terminate()

    async def _retire(self, connection: Any) -> None:
        try:
            await self._opened.release(connection, timeout=self._patience)
        except _DRIVER_ERRORS:
            _discard(connection)

    async def _free_slot(self) -> tuple[Any, float]:
        if not self._slots.empty():
            return self._slots.get_nowait()
        asked = time.monotonic()
        try:
            async with asyncio.timeout(self._patience):
                return await self._slots.get()
        except TimeoutError:
            raise busy("Every connection to the database is in use.") from None
        finally:
            self.waited_seconds += time.monotonic() - asked


def _is_lost(connection: Any) -> bool:
    """One that closed under us was taken back by asyncpg's pool, and has no other answer than that."""
    try:
        return bool(connection.is_closed())
    except asyncpg.InterfaceError:
        return True


def _discard(connection: Any) -> None:
    """Makes asyncpg's pool count it out: it does not when a connection broke without a goodbye."""
    with suppress(asyncpg.InterfaceError):
        connection.terminate()


class PostgresReadChannel:
    """Takes a connection at the first statement; the statements of one scope follow one another."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool
        self._connection: Any = None
        self._turn = asyncio.Lock()
        self._clean = True

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        sql, names = statement.numbered
        values = [binds[name] for name in names]
        return await self._run(lambda connection: connection.fetch(sql, *values))  # type: ignore[no-any-return]

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._clean:
            self._pool.give_back(connection)
        else:
            await asyncio.shield(asyncio.ensure_future(self._pool.roll_back(connection)))

    async def _run(self, work: Callable[[Any], Any]) -> Any:
        async with self._turn:
            try:
                if self._connection is None:
                    await self._take()
                return await work(self._connection)
            except _DRIVER_ERRORS as error:
                self._clean = False
                raise self._translated(error) from error
            except BaseException:
                self._clean = False
                raise

    async def _take(self) -> None:
        self._connection = await self._pool.take()

    def _translated(self, error: Exception) -> Exception:
        """A passing trouble becomes a 503; anything else is a defect of ours and stays what it is."""
        lost = isinstance(error, asyncpg.InterfaceError) and (
            self._connection is None or _is_lost(self._connection)
        )
        if lost or isinstance(error, _PASSING):
            return busy("The database cannot take this just now.")
        return error


class PostgresWriteChannel(PostgresReadChannel):
    """One transaction, begun at the first statement."""

    def __init__(
        self, pool: PostgresPool, begin: str = _BEGIN, condition: WriteCondition | None = None
    ) -> None:
        super().__init__(pool)
        self._begin = begin
        self._condition = condition

    async def script(self, text: str) -> None:
        await self._run(lambda connection: connection.execute(text))
        if not self._connection.is_in_transaction():
            raise RuntimeError("it ends the transaction it runs in")

    async def serialize(self, key: str) -> None:
        await self.rows(_SERIALIZE, {"number": _lock_number(key)})

    async def commit(self) -> None:
        if self._connection is None:
            return
        try:
            tag = await self._run(lambda connection: connection.execute("COMMIT"))
        finally:
            await self.close()
        if tag != "COMMIT":
            raise RuntimeError("PostgreSQL rolled the transaction back instead of committing it")

    async def rollback(self) -> None:
        self._clean = False
        await self.close()

    async def _take(self) -> None:
        await super()._take()
        await self._connection.execute(self._begin)
        if self._condition is not None:
            # A statement of its own: its snapshot is younger than the locks that BEGIN waited for.
            sql, names = self._condition.statement.numbered
            binds = self._condition.binds
            self._condition.judge(await self._connection.fetchrow(sql, *(binds[name] for name in names)))
