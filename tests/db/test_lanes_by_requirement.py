"""Lanes of a database with jobs in it are carried over, each to what its jobs need."""

from pathlib import Path

import pytest

import kernel
from kernel.db import MigrationSource, migrate
from kernel.testing.databases import database_at
from kernel.testing.postgres import session_server
from tests.db.conftest import statement

MIGRATIONS = Path(kernel.__file__).with_name("migrations")
BEFORE = 23
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
LANES = "SELECT team_id, requirement, vtime, active, held FROM job_lanes ORDER BY team_id, requirement"


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
async def test_lanes_are_carried_over(database: str, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'x.db'}" if database == "sqlite" else session_server().create_database()
    earlier = tmp_path / "earlier"
    earlier.mkdir()
    for path in MIGRATIONS.glob("*.sql"):
        if int(path.name[:4]) <= BEFORE:
            (earlier / path.name).write_bytes(path.read_bytes())
    data = database_at(url)
    await data.connect()
    try:
        await migrate(data, [MigrationSource("kernel", earlier)], 0)
        async with data.write() as writer:
            for text in FILL:
                await writer.run(statement(text))
            for number, (team_id, requirement, state) in enumerate(JOBS):
                job = {"id": f"job_{number}", "team_id": team_id, "requirement": requirement, "state": state}
                await writer.run(statement(JOB), **job)
        await migrate(data, [MigrationSource("kernel", MIGRATIONS)], 0)
        async with data.read() as reader:
            lanes = [tuple(row.values()) for row in await reader.all(statement(LANES))]
    finally:
        await data.disconnect()
    assert lanes == [("one", "", 3.5, 1, 1), ("one", "large", 3.5, 1, 1), ("two", "", 2, 0, 0)]
