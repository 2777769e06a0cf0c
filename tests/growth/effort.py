"""What a statement costs the database, as a number that no load of the machine can change."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import asyncpg

from guildhall_sdk import Statement
from libs.sql_binds import numbered

_STEPS = 10


def steps_on_sqlite(path: str, statement: Statement, binds: Mapping[str, Any]) -> int:
    """Tens of steps of SQLite's machine."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    connection = sqlite3.connect(path)
    try:
        # The schema is read first, which is larger with every table that there is.
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        connection.set_progress_handler(count, _STEPS)
        connection.execute(statement.sqlite, binds).fetchall()
    finally:
        connection.close()
    return steps


async def rows_on_postgresql(url: str, statement: Statement, binds: Mapping[str, Any]) -> int:
    """Rows that were looked at, with the plan that a server of ours gets."""
    plans = await CachedPlans.made(url, [(statement, binds)])
    try:
        return await plans.rows(statement, binds)
    finally:
        await plans.close()


async def analyze(url: str) -> None:
    """Gathers statistics, as the server's own upkeep does before long."""
    connection = await asyncpg.connect(url)
    await connection.execute("ANALYZE")
    await connection.close()


async def pretend_more_rows(url: str, times: int) -> None:
    """Has PostgreSQL plan as where there are so many times the rows that it counted."""
    connection = await asyncpg.connect(url)
    await connection.execute(
        "UPDATE pg_class SET reltuples = reltuples * $1"
        " WHERE reltuples > 0 AND relnamespace = CAST('public' AS regnamespace)",
        times,
    )
    await connection.close()


class CachedPlans:
    """Plans that PostgreSQL makes once and keeps for a connection, as it does for a server of ours."""

    def __init__(self, connection: "asyncpg.Connection[Any]") -> None:
        self._connection = connection

    @classmethod
    async def made(cls, url: str, asked: Sequence[tuple[Statement, Mapping[str, Any]]]) -> "CachedPlans":
        """Has the statements planned with the tables as they are now."""
        connection = await asyncpg.connect(url, server_settings={"plan_cache_mode": "force_generic_plan"})
        for statement, binds in asked:
            await connection.execute(f'PREPARE "{statement.name}" AS {numbered(statement.postgresql)[0]}')
            await connection.fetch(f"EXPLAIN {_execution(statement, binds)}")
        return cls(connection)

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> int:
        """Returns how many rows a statement looks at; what it changes is undone."""
        change = self._connection.transaction()
        await change.start()
        try:
            plan = await self._connection.fetchval(
                f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {_execution(statement, binds)}"
            )
        finally:
            await change.rollback()
        return int(sum(map(_rows_read, nodes_of(json.loads(plan)[0]["Plan"]))))

    async def close(self) -> None:
        await self._connection.close()


def _execution(statement: Statement, binds: Mapping[str, Any]) -> str:
    names = numbered(statement.postgresql)[1]
    values = ", ".join(_literal(binds[name]) for name in names)
    return f'EXECUTE "{statement.name}"({values})' if names else f'EXECUTE "{statement.name}"'


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"


def nodes_of(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from nodes_of(inner)


def _rows_read(node: Mapping[str, Any]) -> float:
    """Of a scan: whatever it gave, and whatever it looked at in vain."""
    if "Scan" not in node["Node Type"] or "Relation Name" not in {*node, *_index_names(node)}:
        return 0
    in_vain = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return float((node["Actual Rows"] + in_vain) * node["Actual Loops"])


def _index_names(node: Mapping[str, Any]) -> set[str]:
    return {"Relation Name"} if "Index Name" in node else set()
