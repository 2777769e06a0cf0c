"""Servers that are killed while steps of every kind run, wait and end: no run lost, and none doubled."""

import json
import os
import random
import signal

import pytest

from guildhall_testing.site_databases import opened_site
from tests.workflows.mortal_runs import RUNS, Life
from tests.workflows.test_killed_runs import lives_until_it_dies_or_is_done

SOAKING = int(os.environ.get("SOAK_ROUNDS", "0"))
PLACES = 3
# So many statements, commits and answers have the ends of the jobs and waits of one life, about.
LAST = 240


async def check_kinds(site):
    async with opened_site(site) as opened:
        runs = await opened.rows(
            "SELECT id, slug, state, steps_used, error_code, parent_run, waits FROM runs"
        )
        assert {run["state"] for run in runs} == {"succeeded"}, runs
        whole = [run for run in runs if run["slug"] == "kinds"]
        # Whoever began a run within another began one for each.
        assert sorted(run["parent_run"] for run in runs if run["slug"] == "inner") == sorted(
            run["id"] for run in whole
        )
        assert len(whole) >= RUNS
        assert {run["steps_used"] for run in whole} == {7}
        assert await opened.value("SELECT COUNT(*) FROM run_waits") == 0
        assert await opened.value("SELECT COUNT(*) FROM approvals WHERE open = 1") == 0
        assert await opened.value("SELECT COUNT(*) FROM approvals") == len(whole)
        live = "SELECT COUNT(*) FROM jobs WHERE state IN ('scheduled', 'queued', 'running')"
        assert await opened.value(live) == 0
        last = {}
        for call in await opened.rows("SELECT place, token FROM calls ORDER BY number"):
            last[call["place"]] = call["token"]
        for run in whole:
            rows = await opened.rows(
                "SELECT name, state, output FROM run_steps WHERE run_id = :id", id=run["id"]
            )
            assert len(rows) == 8, rows
            steps = {row["name"]: row for row in rows}
            outputs = {name: json.loads(row["output"] or "null") for name, row in steps.items()}
            assert outputs["t"] == {"result": 5}
            assert outputs["z"]["result"]["token"] == last[f"{run['id']}/z/"]
            assert outputs["b"]["result"]["token"] == last[f"{run['id']}/b/"]
            assert outputs["p"]["result"] == [outputs["w"], outputs["sub"]]
            [inner] = [one for one in runs if one["parent_run"] == run["id"]]
            assert outputs["sub"]["result"]["result"]["token"] == last[f"{inner['id']}/in/"]
            assert outputs["ask"]["result"]["decision"] == "approve"
            assert steps["bad"]["state"] == "failed"


@pytest.mark.short_on("sqlite")
async def test_a_server_killed_anywhere_loses_and_doubles_no_step_of_any_kind(site, give_birth):
    places = range(1, LAST) if SOAKING else random.sample(range(1, LAST), PLACES)
    for boundary in places:
        await lives_until_it_dies_or_is_done(give_birth(Life(boundary, "kinds")))
    server = give_birth(Life(flow="kinds"))
    await server.hears("idle")
    assert await server.end(signal.SIGTERM) == 0
    await check_kinds(site)


@pytest.mark.hall_databases("postgresql")
async def test_two_servers_of_which_one_is_killed_end_each_wait_once(site, give_birth):
    one = give_birth(Life(flow="kinds"))
    other = give_birth(Life(random.randint(1, LAST // 2), "kinds"))
    await lives_until_it_dies_or_is_done(other)
    one.forget()
    await one.hears("idle")
    assert await one.end(signal.SIGTERM) == 0
    await check_kinds(site)
