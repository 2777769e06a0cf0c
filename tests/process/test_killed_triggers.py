"""A server that is killed outright between an upload and its delivery, and during it: each fires once."""

import asyncio
import signal
from collections import Counter

import pytest

from tests.process.conftest import serving

# On SQLite the next server takes up at once what was left; here its lease has to lapse.
pytestmark = pytest.mark.hall_databases("postgresql")

TRIGGERS = 8
STEP = {"name": "find", "kind": "tool", "tool": "repo_list_unindexed"}
SETTINGS = {"SERVICE_LEASE_SECONDS": "4"}


async def answered(call):
    answer = await call
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


async def runs_of(http):
    """Every run, as its trigger and the object that it is about."""
    runs, cursor = [], ""
    while cursor is not None:
        page = await answered(http.get(f"/api/runs?limit=200{cursor}"))
        runs += page["items"]
        cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
    return runs


async def until(true):
    async with asyncio.timeout(90):
        while not await true():  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.02)


async def test_each_matching_trigger_runs_once_for_each_version_that_was_acknowledged(
    hall_sites, hall_database, bearer
):
    written = []

    async def upload(http):
        number = len(written)
        made = await answered(http.put(f"/api/repo/in/{number % 4}.txt", content=f"{number}".encode()))
        written.append((made["id"], made["version"]))

    async with hall_sites.lease(hall_database) as site:
        owner = site.people.acme.team.people["owner"]
        async with serving(site, **SETTINGS) as server, bearer(server, owner) as http:
            spec = {"slug": "find", "start": "find", "steps": [STEP]}
            await answered(http.post("/api/workflows", json=spec))
            new = [{"workflow_slug": "find", "match_prefix": "in/"}] * TRIGGERS
            triggers = [(await answered(http.post("/api/doc-triggers", json=one)))["id"] for one in new]
            await upload(http)
            await upload(http)
            server.signal(signal.SIGKILL)  # between the uploads and their delivery
            await server.exit_code()
        async with serving(site, **SETTINGS) as server, bearer(server, owner) as http:
            await until(lambda: runs_of(http))
            before = len(await runs_of(http))
            for _ in range(3):
                await upload(http)
            await until(lambda: grown(http, before))
            server.signal(signal.SIGKILL)  # during a delivery
            await server.exit_code()
        async with serving(site, **SETTINGS) as server, bearer(server, owner) as http:
            await upload(http)
            await until(lambda: all_ended(http, TRIGGERS * len(written)))
            runs = await runs_of(http)
            counted = Counter()
            for trigger_id in triggers:
                shown = await answered(http.get(f"/api/doc-triggers/{trigger_id}"))
                assert {fire["outcome"] for fire in shown["fires"]} == {"started"}
                fired = sorted((fire["object_id"], fire["version"]) for fire in shown["fires"])
                assert fired == sorted(written)
                counted.update(fire["run_id"] for fire in shown["fires"])
            assert set(counted.values()) == {1}
            assert sorted(counted) == sorted(run["id"] for run in runs)


async def grown(http, before):
    return len(await runs_of(http)) > before


async def all_ended(http, many):
    runs = await runs_of(http)
    return len(runs) >= many and all(run["state"] != "running" for run in runs)
