"""Servers of which one is killed while people decide: each approval counts once, and its run goes on once."""

import asyncio
import signal
from collections import Counter
from contextlib import AsyncExitStack

import httpx

from tests.process.conftest import serving

APPROVALS = 12
SETTINGS = {"SERVICE_LEASE_SECONDS": "4"}
PATH = "/api/approvals?limit=100"


def spec(people):
    ask = {
        "name": "ask",
        "kind": "approve",
        "title": "Pay?",
        "people": people,
        "rejected": "no",
        "next": "yes",
    }
    yes = {"name": "yes", "kind": "tool", "tool": "repo_list_unindexed", "end": True}
    return {"slug": "pay", "start": "ask", "steps": [ask, yes, {**yes, "name": "no"}]}


async def answered(call):
    answer = await call
    assert answer.status_code in (200, 201, 202), answer.text
    return answer.json()


async def until(condition):
    async with asyncio.timeout(90):
        while not await condition():  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.05)


async def decide_all(clients, approvals, on_first=lambda: None):
    """Has everybody decide everything at once; returns the decisions that were said to count."""
    counted = []

    async def decide(number, client, approval):
        decision = "approve" if number % 2 else "reject"
        try:
            answer = await client.post(f"/api/approvals/{approval}", json={"decision": decision})
        except httpx.TransportError:
            return  # killed before it answered
        assert answer.status_code in (200, 409, 503), answer.text
        if answer.status_code == 200:
            counted.append((approval, decision))
            on_first()

    await asyncio.gather(*(decide(n, one, each) for each in approvals for n, one in enumerate(clients)))
    return counted


async def test_each_approval_is_decided_once_whoever_is_killed_meanwhile(hall_sites, hall_database, bearer):
    async with hall_sites.lease(hall_database) as site, AsyncExitStack() as stack:
        team = site.people.acme.team.people
        people = [team["owner"], team["admin"]]

        async def begin():
            server = await stack.enter_async_context(serving(site, **SETTINGS))
            return server, [await stack.enter_async_context(bearer(server, who)) for who in people]

        mortal, clients = await begin()
        others = [] if hall_database == "sqlite" else (await begin())[1]
        http = clients[0]
        await answered(http.post("/api/workflows", json=spec([who.user_id for who in people])))
        for _ in range(APPROVALS):
            await answered(http.post("/api/workflows/pay/run", json={}))

        async def all_ask():
            return len((await answered(http.get(PATH)))["items"]) == APPROVALS

        await until(all_ask)
        asked = [(one["id"], one["run_id"]) for one in (await answered(http.get(PATH)))["items"]]
        approvals = [approval for approval, _ in asked]
        # It dies as soon as it says that something counts.
        counted = await decide_all(
            [*clients, *others], approvals[: APPROVALS // 2], lambda: mortal.signal(signal.SIGKILL)
        )
        await mortal.exit_code()
        clients = others or (await begin())[1]
        counted += await decide_all(clients, approvals)
        http = clients[0]

        async def all_ended():
            runs = (await answered(http.get("/api/runs?limit=100")))["items"]
            return len(runs) == APPROVALS and all(run["state"] == "succeeded" for run in runs)

        await until(all_ended)
        assert counted
        assert {*Counter(approval for approval, _ in counted).values()} == {1}
        said = dict(counted)
        trail = await answered(http.get("/api/audit?action=approval.decided&limit=100"))
        decided = {one["target"]["id"]: one["detail"]["decision"] for one in trail["items"]}
        assert len(decided) == len(trail["items"]) == APPROVALS
        assert said.items() <= decided.items()
        for approval, run_id in asked:
            steps = (await answered(http.get(f"/api/runs/{run_id}")))["steps"]
            which = "yes" if decided[approval] == "approve" else "no"
            assert [(step["name"], step["state"]) for step in steps] == [
                ("ask", "succeeded"),
                (which, "succeeded"),
            ]
