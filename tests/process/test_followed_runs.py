"""Runs that are followed on two servers of one database, of which one is killed: nothing is missed."""

import asyncio
import json
import signal

import pytest

from tests.process.conftest import serving

ITEMS = 120
SPEC = {
    "slug": "many",
    "start": "m",
    "max_steps": 200,
    "inputs": {"list": {"type": "array"}},
    "steps": [{"name": "m", "kind": "map", "over": {"$from": "input.list"}, "tool": "repo_list_unindexed"}],
}
SETTINGS = {"SERVICE_LEASE_SECONDS": "4"}


async def events(http, run_id, after):
    """Yields the events behind that one until the stream ends, or its server dies."""
    headers = {"Last-Event-ID": after} if after else {}
    async with http.stream("GET", f"/api/runs/{run_id}/events", headers=headers) as stream:
        assert stream.status_code == 200
        event = {}
        async for line in stream.aiter_lines():
            if line:
                name, _, value = line.partition(":")
                event[name] = value.strip()
            elif "data" in event:
                yield event["id"], event["event"], json.loads(event["data"])
                event = {}


@pytest.mark.hall_databases("postgresql")
async def test_whoever_follows_a_run_on_a_server_that_is_killed_goes_on_at_another(
    hall_sites, hall_database, bearer
):
    async with hall_sites.lease(hall_database) as site, serving(site, **SETTINGS) as other:
        owner = site.people.acme.team.people["owner"]
        async with bearer(other, owner) as http, serving(site, **SETTINGS) as mortal:
            assert (await http.post("/api/workflows", json=SPEC)).status_code == 201
            async with bearer(mortal, owner) as near:
                started = await near.post("/api/workflows/many/run", json={"input": {"list": [0] * ITEMS}})
                run_id = started.json()["id"]
                whole = asyncio.create_task(collected(http, run_id))
                seen = [await anext(events(near, run_id, ""))]
                mortal.signal(signal.SIGKILL)
                await mortal.exit_code()
            seen += await collected(http, run_id, seen[-1][0])
            for told in (await whole, seen):
                assert [kind for _, kind, _ in told[-2:]] == ["step", "done"]
                ids = [int(number) for number, _, _ in told]
                assert ids == sorted(set(ids))
                assert told[-2][2]["items"] == {"total": ITEMS, "done": ITEMS, "failed": 0}
                assert told[-1][2]["state"] == "succeeded"
            behind = {"Last-Event-ID": seen[-1][0]}
            assert (await http.get(f"/api/runs/{run_id}/events", headers=behind)).status_code == 204


async def collected(http, run_id, after=""):
    async with asyncio.timeout(60):
        return [event async for event in events(http, run_id, after)]
