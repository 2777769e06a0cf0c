"""Servers that are killed between any two statements of a step's end: every run ends, each output once.

SOAK_ROUNDS sets at how many of the places; `make soak` takes them all.
"""

import asyncio
import json
import os
import random
import signal

import pytest

from guildhall_testing import postgres
from guildhall_testing.site_databases import opened_site
from tests import commands
from tests.workflows.mortal_runs import ITEMS, RUNS, LongMap, live_dying

SOAKING = int(os.environ.get("SOAK_ROUNDS", "0"))
PLACES = 3
# So many statements, commits and answers have the ends of the jobs of one life, about.
LAST = 60
# What the end of a step's job consists of.
OF_EACH_END = {
    "complete_whole",
    "lock_runs",
    "end_steps",
    "end_items",
    "count_items",
    "end_map",
    "lane",
    "insert_jobs",
    "insert_steps",
    "insert_begun_steps",
    "insert_items",
    "move_runs",
    "end_runs",
    "commit",
    "answer",
}


async def check_runs(site):
    """All runs ended well, none is stuck, and nothing was called again once its output was recorded."""
    asked = await asyncio.to_thread(commands.run, site.environment(), ["workflows", "stuck"])
    assert (asked.returncode, asked.output) == (0, "")
    async with opened_site(site) as opened:
        runs = await opened.rows("SELECT id, state, steps_used, error_code FROM runs")
        assert {(run["state"], run["steps_used"]) for run in runs} == {("succeeded", ITEMS + 2)}, runs
        assert len(runs) >= RUNS
        live = "SELECT COUNT(*) FROM jobs WHERE state IN ('scheduled', 'queued', 'running')"
        assert await opened.value(live) == 0
        last = {}
        for call in await opened.rows("SELECT place, token FROM calls ORDER BY number"):
            last[call["place"]] = call["token"]
        for run in runs:
            rows = await opened.rows(
                "SELECT name, output FROM run_steps WHERE run_id = :id ORDER BY number", id=run["id"]
            )
            assert [row["name"] for row in rows] == ["a", "m", "fork", "z"]
            a, m, _, z = [json.loads(row["output"]) for row in rows]
            assert a["result"]["token"] == last[f"{run['id']}/a/"]
            assert z["result"] == {"token": last[f"{run['id']}/z/"], "before": m["results"]}
            assert m["results"] == [
                {"result": {"token": last[f"{run['id']}/m/{index}"], "before": a["result"]["token"]}}
                for index in range(ITEMS)
            ]


@pytest.mark.short_on("postgresql")
async def test_a_server_killed_between_any_two_statements_of_a_steps_end_loses_and_repeats_nothing(
    site, give_birth
):
    if SOAKING:
        await die_everywhere(give_birth)
    else:
        for boundary in random.sample(range(1, LAST + 1), PLACES):
            await lives_until_it_dies_or_is_done(give_birth(live_dying(boundary)))
    server = give_birth()
    await server.hears("idle")
    assert await server.end(signal.SIGTERM) == 0
    await check_runs(site)


async def die_everywhere(give_birth):
    """Dies at every boundary that a life has, in turn, and at every statement.

    A life that had less to do than that is followed by one with all of it.
    """
    seen, boundary = set(), 1
    while place := await dies_at(give_birth, boundary):
        seen.add(place)
        boundary += 1
    for name in sorted(OF_EACH_END - seen):
        assert await dies_at(give_birth, name) == name


async def dies_at(give_birth, boundary):
    return await lives_until_it_dies_or_is_done(
        give_birth(live_dying(boundary))
    ) or await lives_until_it_dies_or_is_done(give_birth(live_dying(boundary)))


async def lives_until_it_dies_or_is_done(server):
    """Returns where it killed itself, if it did."""
    place = None
    try:
        while (said := await server._next()) != "idle":
            if said.startswith("dies "):
                place = said.removeprefix("dies ")
    except EOFError:
        pass
    else:
        await server.end(signal.SIGKILL)
    server.process.join(60)
    assert server.process.exitcode == -signal.SIGKILL
    return place


async def restart_database(sites):
    """PostgreSQL ends and begins again; nobody makes a database there meanwhile."""
    for copying in sites._next.values():
        await asyncio.wrap_future(copying)
    server = postgres.session_server()
    await asyncio.to_thread(server.halt)
    await asyncio.to_thread(server.launch)


@pytest.mark.hall_databases("postgresql")
async def test_a_database_that_is_restarted_while_runs_are_recovered_costs_none_of_them(
    site, give_birth, hall_sites
):
    await lives_until_it_dies_or_is_done(give_birth(live_dying(random.randint(1, LAST // 4))))
    server = give_birth()
    await server.hears("ready")
    for _ in range(SOAKING or 1):
        await restart_database(hall_sites)
        await server.hears("")
    await server.hears("idle")
    assert await server.end(signal.SIGTERM) == 0
    await check_runs(site)


@pytest.mark.hall_databases("postgresql")
async def test_a_server_that_drains_beside_a_new_one_hands_its_runs_over(site, give_birth):
    old = give_birth()
    await old.hears("called")
    new = give_birth()
    await new.hears("ready")
    old.signal(signal.SIGTERM)
    await old.hears("stopped")
    await new.hears("idle")
    assert await new.end(signal.SIGTERM) == 0
    await check_runs(site)


@pytest.mark.hall_databases("postgresql")
async def test_a_killed_server_beside_another_leaves_its_runs_to_that_one(site, give_birth):
    pair = [give_birth(), give_birth(live_dying(random.randint(1, LAST)))]
    await lives_until_it_dies_or_is_done(pair[1])
    # It may have been idle before the other one came with runs of its own.
    pair[0].forget()
    await pair[0].hears("idle")
    assert await pair[0].end(signal.SIGTERM) == 0
    await check_runs(site)


async def test_a_long_map_takes_little_memory_and_gives_its_results_in_order(site, give_birth):
    """With `make soak` it has ten thousand items, the most that a map takes."""
    server = give_birth(LongMap(10_000 if SOAKING else 1_500))
    assert int(await server.hears("grown")) <= 32 * 1024
