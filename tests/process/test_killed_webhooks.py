"""Servers that are killed outright while webhooks come and go: nothing is lost, and ids stay the same."""

import asyncio
import json
import signal
from collections import Counter
from contextlib import AsyncExitStack

import pytest

from tests.process.conftest import serving
from tests.told_server import ToldServer

# What is undone half-way is done again: the suite shows that in one server.
pytestmark = pytest.mark.long_form

NOTES, MESSAGES = 12, 12
STEP = {"name": "find", "kind": "tool", "tool": "repo_list_unindexed"}
SETTINGS = {"SERVICE_LEASE_SECONDS": "4", "SERVICE_ORG_PRIVATE_ENDPOINTS": "on", "SERVICE_RATE_LIMIT": "0"}


async def answered(call):
    answer = await call
    assert answer.status_code in (200, 201, 202), answer.text
    return answer.json()


@pytest.fixture
async def receiver():
    told = ToldServer()
    await told.start()
    yield told
    await told.stop()


async def until(condition):
    async with asyncio.timeout(90):
        while not await condition():  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.05)


async def test_each_event_comes_with_one_id_and_each_message_starts_one_run(
    hall_sites, hall_database, bearer, receiver
):
    async with hall_sites.lease(hall_database) as site, AsyncExitStack() as stack:
        owner = site.people.acme.team.people["owner"]
        made = []
        async with serving(site, **SETTINGS) as server, bearer(server, owner) as http:
            if hall_database == "postgresql":
                await stack.enter_async_context(serving(site, **SETTINGS))
            await answered(
                http.post("/api/workflows", json={"slug": "find", "start": "find", "steps": [STEP]})
            )
            new = {"url": f"{receiver.url}/in", "events": ["note.changed"]}
            await answered(http.post("/api/webhooks", json=new))
            hook = await answered(
                http.post("/api/hooks-in", json={"workflow_slug": "find", "scheme": "none"})
            )

            async def write(number):
                note = {"title": f"Tar {number}", "visibility": "team"}
                made.append((await answered(http.post("/api/notes", json=note)))["id"])

            for number in range(NOTES // 2):
                await write(number)

            async def come():
                return len(receiver.requests) >= NOTES // 2

            await until(come)
            receiver.silent = True
            for number in range(NOTES // 2):
                await write(number)

            async def hangs():
                return len(receiver.requests) > NOTES // 2

            await until(hangs)
            sending = [
                asyncio.create_task(
                    http.post(f"/hooks/{hook['id']}", json={}, headers={"webhook-id": f"m{number}"})
                )
                for number in range(MESSAGES)
            ]
            await asyncio.sleep(0.01)
            server.signal(signal.SIGKILL)
            await server.exit_code()
            await asyncio.gather(*sending, return_exceptions=True)
        receiver.silent = False
        async with serving(site, **SETTINGS) as server, bearer(server, owner) as http:
            repeats = [
                await answered(
                    http.post(f"/hooks/{hook['id']}", json={}, headers={"webhook-id": f"m{number}"})
                )
                for number in range(MESSAGES)
            ]
            runs = (await answered(http.get("/api/runs?limit=200")))["items"]
            started = Counter(run["id"] for run in runs if run["trigger_id"] == hook["id"])
            assert started == Counter(one["run_id"] for one in repeats)

            async def delivered():
                path = "/api/webhooks/" + (await answered(http.get("/api/webhooks")))["items"][0]["id"]
                items = (await answered(http.get(f"{path}/deliveries?limit=200")))["items"]
                return len(items) == NOTES and {one["state"] for one in items} == {"delivered"}

            await until(delivered)
    ids = {}
    for _, headers, body in receiver.requests:
        ids.setdefault(json.loads(body)["data"]["note_id"], set()).add(headers["webhook-id"])
    assert ids.keys() == {*made}
    assert {len(one) for one in ids.values()} == {1}
