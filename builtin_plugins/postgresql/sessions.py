"""The sessions and transactions of scopes: one asyncpg connection for the length of each."""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import asyncpg

from builtin_plugins.postgresql.connections import DRIVER_ERRORS, NO_IDLE_LIMIT, is_lost
from builtin_plugins.postgresql.lock_waits import lock_timeout
from guildhall_sdk import Row, Statement
from guildhall_sdk.engines.engine import SERVER, busy, took_too_long
from guildhall_sdk.engines.pools import LockedRead, WriteCondition, nothing
from libs.sql_binds import numbered

if TYPE_CHECKING:
    from builtin_plugins.postgresql.pool import PostgresPool

_PASSING = (
    asyncpg.TransactionRollbackError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.InvalidCachedStatementError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    # Our scopes never use a connection twice at once, so this is one the server has cut off.
    asyncpg.InternalClientError,
    OSError,
)
BEGIN = "BEGIN READ WRITE"
_BEGIN_POOLED = "BEGIN ISOLATION LEVEL READ COMMITTED"
# The transaction is over and its locks are free, but a crash of the database would still undo it.
_COMMIT_BEFORE_FLUSH = "SET LOCAL synchronous_commit TO off; COMMIT"
NOT_NOW = "The database cannot take this just now."


def lock_number(key: str) -> int:
    """Returns the number of a key's lock; two keys that share one only wait for each other needlessly."""
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big", signed=True)


# The scopes that this task, or the one that started it, is in.
_innermost: ContextVar["PostgresSession | None"] = ContextVar("innermost_session", default=None)


class PostgresSession:
    """Takes a connection at the first statement; the statements of one scope follow one another."""

    def __init__(self, pool: "PostgresPool") -> None:
        self._pool = pool
        self._connection: Any = None
        self._turn = asyncio.Lock()
        self._clean = True
        self._holder = SERVER
        self._limited = False
        self._waits_for = ""
        self._outer = _innermost.get()
        _innermost.set(self)

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        text, names = numbered(statement.postgresql)
        self._waits_for = statement.name
        call = ("fetch", text, *(binds[name] for name in names))
        if statement.long and self._connection is None:
            # Before it takes a connection: whoever has to wait keeps none from the others.
            async with self._pool.for_long.held(self._pool.caller().account.holder):
                return await self._run(*call)  # type: ignore[no-any-return]
        return await self._run(*call)  # type: ignore[no-any-return]

    async def execute(self, text: str) -> str:
        """Runs statements without binds; returns what the last one says it did."""
        return await self._run("execute", text)  # type: ignore[no-any-return]

    async def fault(self, statement: Statement) -> str | None:
        """Returns why the server cannot prepare the statement, or None."""
        # The driver leaves open the transaction in which a statement is prepared that never runs.
        self._clean = False
        try:
            await self._run(
                "prepare", numbered(statement.postgresql)[0], **({"name": ""} if self._pool.pooled else {})
            )
        except asyncpg.PostgresError as error:
            return str(error)
        return None

    async def close(self) -> None:
        if _innermost.get() is self:
            _innermost.set(self._outer)
        self._outer = None
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._clean:
            self._pool.give_back(connection, self._holder, limited=self._limited)
        else:
            await asyncio.shield(self._pool.roll_back(connection, self._holder, limited=self._limited))

    async def _run(self, method: str, *arguments: Any, **options: Any) -> Any:
        """Calls the method of the connection, which it takes first."""
        async with self._turn:
            try:
                if self._connection is None:
                    await self._begin()
                return await self._call(method, *arguments, **options)
            except BaseException as error:
                self._clean = False
                if isinstance(error, DRIVER_ERRORS):
                    raise self._translated(error) from error
                raise

    async def _begin(self) -> None:
        account = self._pool.caller().account
        # Whoever holds one already goes on with the server's right of way: waiting for the share of a company
        # whose others all do the same would never end.
        nested = self._is_nested()
        self._holder = SERVER if nested else account.holder
        self._limited = account.limited
        self._connection = await self._pool.take(self._holder, limited=self._limited, nested=nested)

    async def _call(self, method: str, *arguments: Any, **options: Any) -> Any:
        """Calls the method of the connection; where that is pooled, in a transaction for this call alone."""
        call = getattr(self._connection, method)
        if not self._pool.pooled:
            return await call(*arguments, **options)
        first = "" if self._clean else "ROLLBACK; "
        settings = self._pool.settings(limited=self._limited)
        await self._connection.execute(f"{first}{_BEGIN_POOLED} READ ONLY; {settings}")
        self._clean = False
        answer = await call(*arguments, **options)
        await self._connection.execute("ROLLBACK")
        self._clean = True
        return answer

    def _is_nested(self) -> bool:
        outer = self._outer
        while outer is not None:
            if outer._connection is not None and outer._pool is self._pool:
                return True
            outer = outer._outer
        return False

    def _translated(self, error: Exception) -> Exception:
        """Turns a passing error into a 503; anything else is a defect of ours and stays what it is."""
        lost = isinstance(error, asyncpg.InterfaceError) and (
            self._connection is None or is_lost(self._connection)
        )
        if isinstance(error, asyncpg.QueryCanceledError):
            return took_too_long()
        if isinstance(error, asyncpg.LockNotAvailableError):
            self._pool.lock_waits.note(self._waits_for)
            return lock_timeout()
        if lost or isinstance(error, _PASSING):
            return busy(NOT_NOW)
        return error


class PostgresTransaction(PostgresSession):
    """One transaction, begun at the first statement.

    Where others of its company write as well, they wait for locks that it holds until it has committed: for
    what is counted of it and the end of its audit chain. It then commits without waiting for the disk, which
    frees them, and waits for the disk afterwards, together with whoever else does.
    """

    def __init__(
        self, pool: "PostgresPool", first: str = BEGIN, condition: WriteCondition | None = None
    ) -> None:
        super().__init__(pool)
        self._first = self._own_first = first
        self._condition = condition
        self._company: str | None = None

    async def script(self, text: str) -> None:
        await self.execute(text)
        if not self._connection.is_in_transaction():
            raise RuntimeError("it ends the transaction it runs in")

    async def lock(self, *keys: str, along: LockedRead | None = None) -> Row | None:
        if along is None or len(keys) > 1:
            await self._take_locks(keys)
            return None
        self._waits_for = keys[0]
        text, names = numbered(along.statement.postgresql)
        binds = {**along.binds, "number": lock_number(keys[0])}
        values = [binds[name] for name in names]
        # Twice in one round trip: the first waits and sees what was there before that, the second does not.
        rows = await self._run("fetchmany", text, [values, values])
        return rows[-1]  # type: ignore[no-any-return]

    async def _take_locks(self, keys: Sequence[str]) -> None:
        """Takes locks, in their order, in one round trip; those that come first with the beginning."""
        self._waits_for = keys[-1]
        taking = "; ".join(f"SELECT pg_advisory_xact_lock({lock_number(key)})" for key in keys)
        if self._connection is None:
            self._first = f"{self._first}; {taking}"
            await self._run("")
        else:
            await self.execute(taking)

    async def savepoint(self, name: str, *, again: bool) -> None:
        await self.execute(f"RELEASE SAVEPOINT {name}; SAVEPOINT {name}" if again else f"SAVEPOINT {name}")

    async def roll_back_to(self, name: str) -> None:
        await self.execute(f"ROLLBACK TO SAVEPOINT {name}")
        self._clean = True  # whatever went wrong since is undone

    async def commit(self, then: Callable[[], None] = nothing, *, durable: bool = True) -> None:
        if self._connection is None:
            await self.close()
            then()
            return
        company = self._company
        together = company is not None and self._pool.writers[company] > 1 and self._pool.has_reserve
        try:
            tag = await self.execute("COMMIT" if durable and not together else _COMMIT_BEFORE_FLUSH)
        finally:
            await self.close()
        if tag != "COMMIT":
            raise RuntimeError("PostgreSQL rolled the transaction back instead of committing it")
        if durable and together:
            await self._pool.flushes.wait(then)
        else:
            then()

    async def rollback(self, *, refusing: bool = False) -> None:
        self._clean = False
        await self.close()

    async def close(self) -> None:
        if self._company is not None:
            self._pool.writers[self._company] -= 1
            if not self._pool.writers[self._company]:
                del self._pool.writers[self._company]
            self._company = None
        await super().close()

    async def _begin(self) -> None:
        if self._company is None:
            self._company = self._pool.caller().account.holder
            self._pool.writers[self._company] += 1
        await super()._begin()
        first = self._waits_for
        if self._first == self._own_first:
            self._waits_for = "open to writing"
        await self._connection.execute(self._begin_text())
        self._waits_for = first
        if self._condition is not None:
            # A statement of its own: its snapshot is younger than the locks that BEGIN waited for.
            sql, names = numbered(self._condition.statement.postgresql)
            binds = self._condition.binds
            found = await self._connection.fetchrow(sql, *(binds[name] for name in names))
            if found is not None:
                self._condition.refuse(found)

    def _begin_text(self) -> str:
        if not self._pool.pooled:
            return self._first
        settings = self._pool.settings(limited=self._limited)
        return self._first.replace(BEGIN, f"{_BEGIN_POOLED} READ WRITE; {settings}", 1)

    async def _call(self, method: str, *arguments: Any, **options: Any) -> Any:
        if not method:  # a lock was taken with the beginning, and there is no more to do
            return None
        return await getattr(self._connection, method)(*arguments, **options)


class ApartTransaction(PostgresTransaction):
    """A transaction that waits for what it has read to be durable before it shows it.

    It does something outside the database while it holds its lock. So it keeps the lock for as long as its
    process is there: one that is frozen, and wakes, must not go on without it.
    """

    _is_alone = False

    def _begin_text(self) -> str:
        return f"{super()._begin_text()}; {NO_IDLE_LIMIT}"

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        rows = await super().rows(statement, binds)
        if rows or not statement.postgresql.startswith(("INSERT", "UPDATE", "DELETE")):
            await self._pool.flush()
        return rows

    async def lock(self, *keys: str, along: LockedRead | None = None) -> Row | None:
        await self._take_locks(keys)
        return None

    async def close(self) -> None:
        try:
            await super().close()
        finally:
            if self._is_alone:
                self._is_alone = False
                self._pool.apart.release()

    async def _begin(self) -> None:
        if not self._is_alone:
            await self._pool.apart.acquire()
            self._is_alone = True
        await super()._begin()
