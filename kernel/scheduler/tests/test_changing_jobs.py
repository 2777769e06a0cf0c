"""Whoever changes a few jobs reads these alone, also while PostgreSQL believes that there are hardly any."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import asyncpg
import pytest

from bench.job_books import KIND, opened_books
from guildhall_sdk import Statement
from guildhall_testing.postgres import session_server
from kernel.scheduler.statements import sql
from tests.growth.effort import CachedPlans

TEAMS = 100
JOBS = 2_000
FEW = 5
MAX_READ = 100
PARKED = {"pool": "local", "team_id": "team_0", "max_rows": FEW}
TIMES = {"now": 1, "wall": 1, "lease_ms": 60_000}


@pytest.fixture(scope="module")
def busy() -> Any:
    """Yields a database half of whose jobs run, with the ids of both halves; nobody gathered statistics."""
    url = session_server().create_database()
    with asyncio.Runner() as runner, opened_books(runner, url, TEAMS) as books:
        runner.run(books.queue(JOBS))
        yield (url, *runner.run(_half_running(url)))


async def _half_running(url: str) -> tuple[list[str], list[str]]:
    connection = await asyncpg.connect(url)
    try:
        ids = [row["id"] for row in await connection.fetch("SELECT id FROM jobs ORDER BY id")]
        waiting, running = ids[: JOBS // 2], ids[JOBS // 2 :]
        await connection.execute(
            "UPDATE jobs SET state = 'running', attempt = 1, claim_token = '1.token', lease_until = 9e15 "
            "WHERE id = ANY ($1)",
            running,
        )
        return waiting, running
    finally:
        await connection.close()


def _asked(waiting: list[str], running: list[str]) -> list[tuple[Statement, Mapping[str, Any]]]:
    held = json.dumps([[one, "1.token", None] for one in running])
    named = {"token": "1.token", "retry": 1, "code": "x", "message": "x", "wait_ms": 1, "max_ms": 10**6}
    ends = json.dumps([{"id": one, "poisoned": 0, "lapses": 0, **named} for one in running])
    claimed = json.dumps([[one, "token", "exe_local", "local"] for one in waiting])
    vtimes = json.dumps([[f"team_{number}", 7.5] for number in range(FEW)])
    taken = {"pool": "local", "lanes": vtimes, "in_process": 1, "process_id": None}
    return [
        (sql.take, {**taken, "jobs": claimed, **TIMES}),
        (sql.give_back, {"jobs": held, **TIMES}),
        (sql.extend, {"jobs": held, "own": 1, **TIMES}),
        (sql.complete, {"ends": held, **TIMES}),
        (sql.end_otherwise, {"ends": ends, **TIMES}),
        (sql.take_away, {"jobs": ends, **TIMES}),
        (sql.park, {**PARKED, "pools": json.dumps({KIND: "off/plugin:x/"})}),
        (sql.cancel_waiting, {"ids": json.dumps(waiting), "team_id": "team_0", **TIMES}),
    ]


async def test_a_few_jobs_are_found_by_their_keys(busy: Any) -> None:
    url, waiting, running = busy
    asked = _asked(waiting[:FEW], running[:FEW])
    plans = await CachedPlans.made(url, asked)
    try:
        read = {statement.name: await plans.rows(statement, binds) for statement, binds in asked}
    finally:
        await plans.close()
    assert {name: rows for name, rows in read.items() if rows > MAX_READ} == {}
    assert min(read.values()) > 0
