"""A replica of the PostgreSQL database: asked for what may lag, and not while it is away or behind."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

import asyncpg

from builtin_plugins.postgresql.connect import connect
from builtin_plugins.postgresql.connections import keeps_settings, pool_arguments
from builtin_plugins.postgresql.pool import PostgresPool
from builtin_plugins.postgresql.replica_lag import ReplicaLag, follows, has_parted, is_ahead
from guildhall_sdk import Problem, Row, Statement
from guildhall_sdk.engines.engine import Callers, DatabaseBusy, DatabaseOptions

_log = logging.getLogger("guildhall.db")
# Nobody waits for it longer than that: the database itself would have answered by then.
_PATIENCE_SECONDS = 1.0
_AWAY_SECONDS = 5.0
_REPLAYED = (
    "SELECT CASE WHEN pg_is_in_recovery() THEN"
    " COALESCE(CAST(pg_last_wal_replay_lsn() AS TEXT), '0/0') END AS replayed"
)
_LEDGER = "SELECT COUNT(*) FROM schema_ledger"
_POSITION = "SELECT CAST(pg_current_wal_lsn() AS TEXT)"
_FIND_POSITION = Statement("position", _POSITION, _POSITION)
# Of which cluster a log is, and of which of its timelines: a promotion begins another. A standby may not name
# the file that it replays: its timeline is that of what it receives, which not every role may see, or of the
# last checkpoint that it knows.
_FOLLOWED = "GREATEST(timeline_id, (SELECT received_tli FROM pg_stat_wal_receiver))"
_HISTORY = (
    "SELECT system_identifier || '/' || CASE WHEN pg_is_in_recovery()"
    f" THEN lpad(upper(to_hex({_FOLLOWED})), 8, '0')"
    " ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS history"
    " FROM pg_control_system(), pg_control_checkpoint()"
)
_FIND_HISTORY = Statement("history", _HISTORY, _HISTORY)
# A database has the same number at every standby of its cluster.
_NUMBER = "SELECT CAST(oid AS TEXT) AS number FROM pg_database WHERE datname = current_database()"
_FIND_NUMBER = Statement("database_number", _NUMBER, _NUMBER)
_LOOKED_AT = f"SELECT * FROM ({_REPLAYED}) AS log, ({_HISTORY}) AS cluster, ({_NUMBER}) AS place"
_LOOK = Statement("replayed", _LOOKED_AT, _LOOKED_AT)
# What it has received says nothing: one that is cut off from the database receives nothing more.
_HAS_REACHED = "SELECT pg_last_wal_replay_lsn() >= CAST($1::TEXT AS PG_LSN)"
_SINCE_LAST = "SELECT EXTRACT(EPOCH FROM now() - pg_last_xact_replay_timestamp())"
# One that follows is there by then, whatever is written meanwhile.
_LOOKS, _NEXT_LOOK_SECONDS = 50, 0.02


class Replica:
    """Opens its connections when they are needed, so that a server starts without it.

    `of_database` reads a value at the database itself. Further than `max_lag_seconds` behind where the log of
    that ends, the replica is not asked.
    """

    def __init__(
        self,
        url: str,
        options: DatabaseOptions,
        callers: Callers,
        of_database: Callable[[Statement], Awaitable[str]],
    ) -> None:
        self._options = replace(options, url=url, direct_url=None, patience=_PATIENCE_SECONDS)
        self._callers = callers
        self._pool: PostgresPool | None = None
        self._away_until = float("-inf")
        self._is_away = False
        self._of_database = of_database
        self._max_lag_seconds = options.replica_lag_seconds
        self._lag: ReplicaLag | None = None

    async def follow(self) -> None:
        """Looks every few seconds how far the replica is behind, until it is cancelled."""
        while self._max_lag_seconds:
            await asyncio.sleep(self._known_lag().pause_seconds)
            await self.measure_lag()

    async def measure_lag(self) -> None:
        """Measures how far the replica is behind."""
        now, lag = asyncio.get_running_loop().time, self._known_lag()
        if not self._max_lag_seconds:
            return
        with suppress(Problem):  # the database itself is away: nobody is answered
            at, position = now(), await self._of_database(_FIND_POSITION)
            rows = await self._query(_LOOK, {}, _PATIENCE_SECONDS)
            if rows is not None:
                self._note_origin(lag, await self._is_of_another(rows[0], position))
                if not lag.is_of_another:
                    lag.note(at, position, rows[0]["replayed"])
        if lag.has_changed(now()):
            action = "db.replica_behind" if lag.is_behind else "db.replica_caught_up"
            seconds = round(lag.seconds(now()), 1)
            fields = {"seconds": seconds, "max_seconds": self._max_lag_seconds}
            _log.warning(action, extra={"fields": fields})

    def _note_origin(self, lag: ReplicaLag, is_of_another: bool) -> None:
        if is_of_another and not lag.is_of_another:
            detail = "promoted, another's, or with what the database never wrote: see guildhall doctor"
            _log.warning("db.replica_of_another", extra={"fields": {"detail": detail}})
        lag.is_of_another = is_of_another

    async def _is_of_another(self, seen: Row, position: str) -> bool:
        """Tells whether the replica was promoted or is another's, or the database put back from a backup."""
        replayed, history = seen["replayed"], await self._of_database(_FIND_HISTORY)
        if replayed is None:
            return has_parted(seen["history"], history)
        if not follows(seen["history"], history) or seen["number"] != await self._of_database(_FIND_NUMBER):
            return True
        return is_ahead(replayed, position) and is_ahead(replayed, await self._of_database(_FIND_POSITION))

    @property
    def lag_seconds(self) -> float | None:
        """How far the replica is behind at the most, in seconds; None where nobody looks."""
        if not self._max_lag_seconds:
            return None
        return self._known_lag().seconds(asyncio.get_running_loop().time())

    @property
    def in_use(self) -> bool:
        """Whether the replica is asked now."""
        now = asyncio.get_running_loop().time()
        return now >= self._away_until and self._known_lag().allows(now)

    def _known_lag(self) -> ReplicaLag:
        if self._lag is None:
            self._lag = ReplicaLag(self._max_lag_seconds, asyncio.get_running_loop().time())
        return self._lag

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row] | None:
        """Returns the rows, or None where the replica cannot give them."""
        return await self._query(statement, binds, self._longest_answer()) if self.in_use else None

    async def _query(
        self, statement: Statement, binds: Mapping[str, Any], seconds: float
    ) -> Sequence[Row] | None:
        now = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(seconds):
                rows = await self._rows(statement, binds)
        except Exception as error:
            if isinstance(error, DatabaseBusy) and error.__cause__ is None:
                return None  # it is there, and has no turn to give
            if isinstance(error.__cause__, asyncpg.QueryCanceledError):
                raise  # for what takes too long here the database would take as long again
            # It is away, or behind in its schema, or gave the statement up for what it had to catch up with.
            self._away_until = now + _AWAY_SECONDS
            if not self._is_away:
                fields = {"error": type(error).__name__, "statement": statement.name}
                _log.warning("db.replica_away", extra={"fields": fields})
            self._is_away = True
            return None
        if self._is_away:
            _log.warning("db.replica_back", extra={"fields": {}})
            self._is_away = False
        return rows

    def _longest_answer(self) -> float:
        """Returns the seconds after which it is taken to hang, as a machine without its network does.

        One that was away is not waited for again until it has answered.
        """
        patience = self._options.patience
        return patience if self._is_away else patience + self._options.statement_seconds

    async def _rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        if self._pool is None:
            opened = await _open_pool(self._options)
            if self._pool is None:
                self._pool = PostgresPool(self._options, self._callers, opened)
            else:  # nobody waits for another who opens it, as that may take all the time there is
                opened.terminate()
        session = self._pool.session()
        try:
            return await session.rows(statement, binds)
        finally:
            await session.close()

    async def close(self) -> None:
        if self._pool is not None:
            await self._pool.drain()
            self._pool = None


class PoolWithReplica(PostgresPool):
    """A pool beside a replica; a server starts without it, and looks for it as soon as it is connected."""

    def __init__(self, options: DatabaseOptions, callers: Callers) -> None:
        super().__init__(options, callers)
        assert options.replica_url is not None
        self.replica: Replica = Replica(options.replica_url, options, callers, self._value)

    async def connect(self) -> None:
        await super().connect()
        with suppress(Exception):  # whoever follows it tells why; until then it is not asked
            await self.replica.measure_lag()

    async def disconnect(self) -> None:
        await self.replica.close()
        await super().disconnect()

    async def _value(self, statement: Statement) -> str:
        session = self.session()
        try:
            (row,) = await session.rows(statement, {})
            return str(next(iter(row.values())))
        finally:
            await session.close()


async def lag_of(url: str, database_url: str, max_seconds: int) -> str:
    """Asks the replica how far it is behind the database; returns it in words for an operator.

    Raises `ReplicaBehind` or `ReplicaBehindPooler` where a server would not ask it.
    """
    seconds = _PATIENCE_SECONDS * 5
    options = DatabaseOptions(url=url, pool_size=1, patience=seconds, statement_seconds=seconds)
    (await _open_pool(options)).terminate()
    try:
        async with _connected(database_url, "primary") as database, _connected(url, "any") as replica:
            return await _lag_between(database, replica, max_seconds)
    except asyncpg.InsufficientPrivilegeError as error:
        return _left_out(str(error), max_seconds)


async def _lag_between(
    database: "asyncpg.Connection[Any]", replica: "asyncpg.Connection[Any]", max_seconds: int
) -> str:
    limit = f", at most {max_seconds} s" if max_seconds else ""
    is_standby = await replica.fetchval("SELECT pg_is_in_recovery()")
    if not is_standby and has_parted(await replica.fetchval(_HISTORY), await database.fetchval(_HISTORY)):
        return _left_out("it was promoted; make it a standby of the database anew", max_seconds)
    if is_standby and not await _is_standby_of(replica, database):
        return _left_out("it is a standby of another database", max_seconds)
    if await replica.fetchval(_LEDGER) < await database.fetchval(_LEDGER):
        raise ReplicaBehind("its schema is that of an earlier version")
    if not is_standby:
        return "it is no standby: make sure that what is written reaches it"
    position = await database.fetchval(_POSITION)
    for _ in range(_LOOKS):
        if await replica.fetchval(_HAS_REACHED, position):
            if is_ahead(await replica.fetchval(_REPLAYED), await database.fetchval(_POSITION)):
                return _left_out("it has what the database never wrote; make it one anew", max_seconds)
            return f"0.0 s behind{limit}"
        await asyncio.sleep(_NEXT_LOOK_SECONDS)
    seconds = await replica.fetchval(_SINCE_LAST)
    if seconds is None:
        return "has replayed nothing yet"
    if 0 < max_seconds < seconds:
        raise ReplicaBehind(f"it is {seconds:.1f} s behind, more than {max_seconds} s")
    return f"{seconds:.1f} s behind{limit}"


async def _is_standby_of(replica: "asyncpg.Connection[Any]", database: "asyncpg.Connection[Any]") -> bool:
    if not follows(await replica.fetchval(_HISTORY), await database.fetchval(_HISTORY)):
        return False
    return bool(await replica.fetchval(_NUMBER) == await database.fetchval(_NUMBER))


def _left_out(reason: str, max_seconds: int) -> str:
    """Raises `ReplicaBehind`; without a limit nobody looks, and the replica is asked all the same."""
    if max_seconds:
        raise ReplicaBehind(reason)
    return f"{reason}: it is asked all the same, as the limit is 0"


class ReplicaBehind(Exception):
    """The replica is too far behind, has a history of its own, or the schema of an earlier version."""


class ReplicaBehindPooler(Exception):
    """A pooler such as pgbouncer keeps no session: name the replica itself."""

    def __init__(self) -> None:
        super().__init__("it is behind a pooler such as pgbouncer; give the address of the replica itself")


async def _open_pool(options: DatabaseOptions) -> "asyncpg.Pool[Any]":
    """Opens a pool as a server has it; raises `ReplicaBehindPooler`."""
    arguments = {
        **pool_arguments(options),
        "connect": partial(connect, wants="any"),
        "min_size": 0,
        "timeout": options.patience,
    }
    pool = await asyncpg.create_pool(**arguments)
    try:
        async with asyncio.timeout(options.patience):
            keeps_session = await keeps_settings(pool)
        if not keeps_session:
            raise ReplicaBehindPooler
    except BaseException as error:
        pool.terminate()
        if isinstance(error, asyncpg.ProtocolViolationError):  # it takes no setting of a session
            raise ReplicaBehindPooler from error
        raise
    return pool


@asynccontextmanager
async def _connected(url: str, wants: str) -> "AsyncIterator[asyncpg.Connection[Any]]":
    seconds = _PATIENCE_SECONDS * 5
    connection = await connect(url, wants=wants, timeout=seconds, command_timeout=seconds)
    try:
        yield connection
    finally:
        await connection.close(timeout=seconds)
