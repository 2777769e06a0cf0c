"""Lanes of a database with jobs in it are carried over, each to what its jobs need."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import kernel
from guildhall_sdk import Writer
from guildhall_testing.clock import FakeClock
from guildhall_testing.databases import database_at, statement
from guildhall_testing.postgres import session_server
from guildhall_testing.site_databases import drop_audit_events
from kernel.db.database import Database
from kernel.db.migrations import migrate
from kernel.scheduler.tests.scheduler_env import SchedulerProcess, remote
from kernel.tenancy.suspension import open_to_writing
from libs.migration_files import MigrationSource

MIGRATIONS = Path(kernel.__file__).with_name("migrations")
FILL = [
    "INSERT INTO orgs (id, slug, name, plan, created_at) VALUES ('org', 'org', 'Company', 'team', 0)",
    "INSERT INTO job_companies (org_id) VALUES ('org')",
    "INSERT INTO teams (id, org_id, slug, name, created_at) VALUES ('one', 'org', 'one', 'One', 0)",
    "INSERT INTO teams (id, org_id, slug, name, created_at) VALUES ('two', 'org', 'two', 'Two', 0)",
    "INSERT INTO job_lanes (pool, team_id, org_id, vtime, active, held)"
    " VALUES ('local', 'one', 'org', 3.5, 1, 1), ('local', 'two', 'org', 2, 0, 0)",
]
LARGE = ("one", "large", "queued")
JOBS = [LARGE, LARGE, ("one", None, "queued"), ("two", "old", "failed")]
JOB = (
    "INSERT INTO jobs (id, org_id, team_id, user_id, kind, pool, state, priority, run_at, max_attempts,"
    " payload, created_at, requirement)"
    " VALUES (:id, 'org', :team_id, 'usr', 'x.y.z', 'local', :state, 0, 0, 1, '{}', 0,"
    " CAST(:requirement AS TEXT))"
)
LANES = "SELECT team_id, requirement, vtime, active, blocked_by FROM job_lanes ORDER BY team_id, requirement"


RUNNING = [
    *FILL[:-1],
    "INSERT INTO orgs (id, slug, name, plan, created_at) VALUES ('off', 'off', 'Suspended', 'team', 0)",
    "INSERT INTO job_companies (org_id, suspended_at) VALUES ('off', 1)",
    "INSERT INTO teams (id, org_id, slug, name, created_at) VALUES ('three', 'off', 'three', 'Three', 0)",
    "INSERT INTO job_lanes (pool, team_id, org_id, vtime, active, held)"
    " VALUES ('x.y.z', 'one', 'org', 1, 1, 1), ('x.y.z', 'three', 'off', 1, 1, 1)",
    "INSERT INTO jobs (id, org_id, team_id, user_id, kind, pool, state, priority, run_at, max_attempts,"
    " payload, created_at, within, lender, claim_token, lease_until, in_process)"
    " VALUES ('job_parent', 'org', 'one', 'usr', 'x.y.z', 'x.y.z', 'running', 5, 0, 3, '{}', 0, NULL, NULL,"
    " '1.token', 1, 1),"
    " ('job_child', 'org', 'one', 'usr', 'x.y.z', 'x.y.z', 'queued', 0, 0, 3, '{}', 0, 'job_parent',"
    " 'job_parent', NULL, NULL, 0)",
]


@asynccontextmanager
async def carried_over(
    database: str, folder: Path, before: int, fill: Callable[[Writer], Awaitable[None]]
) -> AsyncIterator[Database]:
    """Yields a database that was filled under the schema of then, and is under that of today."""
    url = f"sqlite:///{folder / 'x.db'}" if database == "sqlite" else session_server().create_database()
    earlier = folder / "earlier"
    earlier.mkdir()
    for path in MIGRATIONS.glob("*.sql"):
        if int(path.name[:4]) <= before:
            (earlier / path.name).write_bytes(path.read_bytes())
    data = database_at(url, audit_sink=drop_audit_events, condition_of=open_to_writing)
    await data.connect()
    try:
        await migrate(data, [MigrationSource("kernel", earlier)], 0)
        async with data.write() as writer:
            await fill(writer)
        await migrate(data, [MigrationSource("kernel", MIGRATIONS)], 0)
        yield data
    finally:
        await data.disconnect()


async def lanes_of(data: Database) -> list[tuple[Any, ...]]:
    async with data.read() as reader:
        return [tuple(row.values()) for row in await reader.all(statement(LANES))]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
async def test_lanes_are_carried_over(database: str, tmp_path: Path) -> None:
    async def fill(writer: Writer) -> None:
        for text in FILL:
            await writer.run(statement(text))
        for number, (team_id, requirement, state) in enumerate(JOBS):
            job = {"id": f"job_{number}", "team_id": team_id, "requirement": requirement, "state": state}
            await writer.run(statement(JOB), **job)

    async with carried_over(database, tmp_path, 23, fill) as data:
        lanes = await lanes_of(data)
    assert lanes == [("one", "", 3.5, 1, "limit"), ("one", "large", 3.5, 1, "limit"), ("two", "", 2, 0, None)]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
async def test_a_queue_in_which_jobs_ran_and_waited_for_others_goes_on(database: str, tmp_path: Path) -> None:
    async def fill(writer: Writer) -> None:
        for text in RUNNING:
            await writer.run(statement(text))

    async with carried_over(database, tmp_path, 32, fill) as data:
        assert await lanes_of(data) == [("one", "", 1, 1, "limit"), ("three", "", 1, 1, "suspension")]
        process = SchedulerProcess(data, FakeClock(), [remote("x.y.z")], 60)
        await process.scheduler.upkeep.take_up_left_over()
        await process.tick()
        assert (await process.claimed(kinds=["x.y.z"])).id == "job_child"
        assert (await process.claimed(kinds=["x.y.z"])).id == "job_parent"
        assert await lanes_of(data) == [("one", "", 3, 1, None), ("three", "", 1, 1, "suspension")]
