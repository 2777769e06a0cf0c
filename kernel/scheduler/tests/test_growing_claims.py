"""A claim looks at the teams whose turn it is, and not at all that wait."""

import asyncio

import pytest

from bench.job_books import opened_books
from guildhall_testing.postgres import session_server
from kernel.scheduler.statements import sql
from tests.growth.effort import analyze, rows_on_postgresql, steps_on_sqlite

CLAIMED, FEW, MANY = 20, 100, 1_000
BINDS = {"pool": "local", "team_id": None, "awaited_only": 0, "max_rows": CLAIMED}


def effort_of(runner: asyncio.Runner, url: str, teams: int) -> int:
    with opened_books(runner, url, teams) as books:
        runner.run(books.queue(MANY))
        if url.startswith("sqlite"):
            return steps_on_sqlite(url.removeprefix("sqlite:///"), sql.lock_lanes, BINDS)
        runner.run(analyze(url))
        return runner.run(rows_on_postgresql(url, sql.lock_lanes, BINDS))


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_claim_costs_no_more_where_many_teams_wait(database, tmp_path):
    def url(teams):
        if database == "sqlite":
            return f"sqlite:///{tmp_path / str(teams)}.db"
        return session_server().create_database()

    with asyncio.Runner() as runner:
        few, many = (effort_of(runner, url(teams), teams) for teams in (FEW, MANY))
    assert many < 2 * few
