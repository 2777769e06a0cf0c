"""What moves runs finds each by its key, with plans of PostgreSQL that were made while there were no runs."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from builtin_plugins.workflows.runs.statements import approval_sql, map_sql, sql, sweeping_sql, wait_sql
from guildhall_sdk import Statement, load_queries
from libs.sql_binds import numbered
from tests.growth.effort import CachedPlans, steps_on_sqlite

filling = load_queries(Path(__file__).with_name("runs.sql"))
RUNS, EACH = 1_000, 10
ASKED = [f"run_{number}" for number in range(1, 21)]
# Of each that is asked for: its run, its step, its item, an older version of one of them.
ROWS_OF_ONE = 8
STEPS_OF_ONE = 60


def _of_each(*rest: Any) -> str:
    return json.dumps([[run_id, *rest] for run_id in ASKED])


def statements(team_id: str) -> list[tuple[Statement, Mapping[str, Any]]]:
    ids = json.dumps(ASKED)
    return [
        (sql.lock_runs, {"ids": ids}),
        (sql.inputs, {"ids": ids}),
        (sql.step_calls, {"team_id": team_id, "calls": _of_each(1)}),
        (sql.end_steps, {"ends": _of_each(1, None, 2, "succeeded", "{}"), "now": 1}),
        (sql.move_runs, {"runs": _of_each(1, 1, 1), "now": 1}),
        (sql.end_runs, {"runs": _of_each(1, 1, 1, "succeeded"), "now": 1}),
        (map_sql.item_calls, {"team_id": team_id, "calls": _of_each(1, 1)}),
        (map_sql.end_items, {"ends": _of_each(1, 1, 0, "succeeded", "{}")}),
        (map_sql.begin_items, {"begun": _of_each(1, 2, "job_1")}),
        (map_sql.count_items, {"counts": _of_each(2, 1, 0, 0, 0, 0)}),
    ]


async def test_what_moves_runs_looks_at_those_alone(hall: Any) -> None:
    who, url = hall.acme.owner.person, hall.server.settings.database_url
    asked = statements(who.team_id)
    plans = None if hall.database == "sqlite" else await CachedPlans.made(url, asked)
    known = {"runs": RUNS, "each": EACH, "org_id": who.org_id, "team_id": who.team_id, "user_id": who.user_id}
    async with hall.server.data.write() as writer:
        for statement in (filling.runs, filling.steps, filling.items):
            await writer.run(statement, **{name: known[name] for name in numbered(statement.postgresql)[1]})
    if plans is None:
        path = url.removeprefix("sqlite:///")
        efforts = {one.name: steps_on_sqlite(path, one, binds) for one, binds in asked}
        limit = STEPS_OF_ONE * len(ASKED)
    else:
        efforts = {one.name: await plans.rows(one, binds) for one, binds in asked}
        limit = ROWS_OF_ONE * len(ASKED)
        await plans.close()
    assert all(efforts.values())
    assert {name: spent for name, spent in efforts.items() if spent > limit} == {}


WAITING = 10_000
# Steps of SQLite's machine in tens, or rows of PostgreSQL, that each look for work takes more.
MORE = 10


async def test_approvals_that_wait_cost_whoever_looks_for_work_nothing(hall: Any) -> None:
    who, url = hall.acme.owner.person, hall.server.settings.database_url
    now = hall.server.clock.now_ms()
    looks: list[tuple[Statement, Mapping[str, Any]]] = [
        (wait_sql.next_due, {}),
        (wait_sql.due, {"now": now, "limit": 50}),
        (wait_sql.lost_children, {"limit": 50}),
        (sweeping_sql.resting, {"before": now, "after": "", "limit": 100}),
        (approval_sql.first_reminder, {}),
        (approval_sql.to_remind, {"now": now, "limit": 50}),
    ]
    known = {"runs": WAITING, "org_id": who.org_id, "team_id": who.team_id, "user_id": who.user_id}
    plans = None if hall.database == "sqlite" else await CachedPlans.made(url, looks)

    async def efforts() -> Mapping[str, int]:
        if plans is not None:
            return {one.name: await plans.rows(one, binds) for one, binds in looks}
        path = url.removeprefix("sqlite:///")
        return {one.name: steps_on_sqlite(path, one, binds) for one, binds in looks}

    before = await efforts()
    async with hall.server.data.write() as writer:
        for name in ("runs", "waiting_steps", "waiting_runs", "waits", "approvals"):
            statement = getattr(filling, name)
            await writer.run(statement, **{one: known[one] for one in numbered(statement.postgresql)[1]})
    more = {name: spent - before[name] for name, spent in (await efforts()).items()}
    if plans is not None:
        await plans.close()
    assert {name: spent for name, spent in more.items() if spent > MORE} == {}
    # What waits has no job: a claim reads as much as in a hall without any.
    jobs = Statement("jobs", "SELECT COUNT(*) FROM jobs", "SELECT COUNT(*) FROM jobs")
    async with hall.server.data.read() as reader:
        assert await reader.value(jobs) == 0
    listed = (await hall.acme.admin.get("/api/approvals?mine=1&limit=5")).json()
    assert len(listed["items"]) == 5
