"""Servers that are killed outright while schedules come due: each time starts its workflow once."""

import asyncio
import signal
from contextlib import AsyncExitStack

import pytest

from guildhall_sdk.ids import parse_rfc3339
from tests.process.conftest import serving

# One that is undone half-way is made once: the suite shows that in one server.
pytestmark = pytest.mark.long_form

SCHEDULES = 4
STEP = {"name": "find", "kind": "tool", "tool": "repo_list_unindexed"}
SPEC = {"slug": "find", "start": "find", "steps": [STEP]}
SETTINGS = {"SERVICE_LEASE_SECONDS": "4"}
PATH = "/api/schedules"


async def answered(call):
    answer = await call
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


async def runs_of(http):
    runs, cursor = [], ""
    while cursor is not None:
        page = await answered(http.get(f"/api/runs?limit=200{cursor}"))
        runs += page["items"]
        cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
    return runs


async def grown(http, many):
    """Returns when so many runs more have started."""
    before = len(await runs_of(http))
    async with asyncio.timeout(60):
        while len(await runs_of(http)) < before + many:  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.02)


async def test_each_time_starts_once_whoever_is_killed_when(hall_sites, hall_database, bearer):
    async with hall_sites.lease(hall_database) as site, AsyncExitStack() as stack:
        owner = site.people.acme.team.people["owner"]
        shared = hall_database == "postgresql"
        async with serving(site, **SETTINGS) as server, bearer(server, owner) as http:
            await answered(
                http.post("/api/workflows", json={"slug": "find", "start": "find", "steps": [STEP]})
            )
            new = {"workflow_slug": "find", "every_seconds": 1, "missed": "all", "overlap": "queue"}
            made = [await answered(http.post(PATH, json=new)) for _ in range(SCHEDULES)]
            if shared:
                other = await stack.enter_async_context(serving(site, **SETTINGS))
            await grown(http, 2)
            server.signal(signal.SIGKILL)
            await server.exit_code()
        async with serving(site, **SETTINGS) as server, bearer(server, owner) as http:
            await grown(http, SCHEDULES + 1)
            if shared:
                other.signal(signal.SIGKILL)
                await other.exit_code()
                await grown(http, SCHEDULES + 1)
            for one in made:
                await answered(http.patch(f"{PATH}/{one['id']}", json={"enabled": False}))
            runs = await runs_of(http)
            for one in made:
                last = (await answered(http.get(f"{PATH}/{one['id']}")))["last_at"]
                times = (parse_rfc3339(last) - parse_rfc3339(one["created_at"])) // 1000
                assert sum(run["trigger_id"] == one["id"] for run in runs) == times > 1
