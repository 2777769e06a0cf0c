"""A caller who leaves the agent stops it, and tools that wait hold nothing that others need."""

import asyncio

import pytest

from builtin_plugins.ai.tests.agent_tools import PATH, call

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

WITHIN_SECONDS = 20
RUNS, CALLS = 13, 8
ACCEPTS = pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])


async def leave(posted):
    posted.cancel()
    await asyncio.wait({posted})


@ACCEPTS
@pytest.mark.parametrize("tool", ["wait_here", "linger"])
async def test_leaving_ends_the_tools_that_run(shop, workbench, used, accept, tool):
    shop.model.say("", tool_calls=[call("shout", {"text": "first"})])
    shop.model.say("", tool_calls=[call("wait_here"), call(tool), call("wait_here")])
    workbench.wanted = 3
    posted = asyncio.create_task(shop.acme.member.post(PATH, {"prompt": "Wait."}, headers={"Accept": accept}))
    await workbench.begun.wait()
    await leave(posted)
    async with asyncio.timeout(WITHIN_SECONDS):
        await workbench.ended.wait()
    workbench.go_on.set()
    assert (await used(shop.acme.member))[::2] == (2, 0)
    assert len(shop.model.calls) == 2


@ACCEPTS
async def test_leaving_ends_the_turn_and_what_was_used_is_metered(shop, used, accept):
    shop.model.say("", tool_calls=[call("shout", {"text": "on"})])
    shop.model.hang()
    posted = asyncio.create_task(shop.acme.member.post(PATH, {"prompt": "Wait."}, headers={"Accept": accept}))
    async with asyncio.timeout(60):
        while len(shop.model.calls) < 2:
            await shop.anonymous.get("/health")
    await leave(posted)
    async with asyncio.timeout(WITHIN_SECONDS):
        await shop.model.calls[1].left.wait()
    async with asyncio.timeout(WITHIN_SECONDS):
        # Settled a moment after; and what is reserved may be read a moment late.
        while (counted := await used(shop.acme.member))[::2] != (2, 0):
            pass
    assert counted[1] > 0


async def test_a_call_that_was_left_is_audited(shop, workbench):
    shop.model.say("", tool_calls=[call("wait_here")])
    posted = asyncio.create_task(shop.acme.member.post(PATH, {"prompt": "Wait."}))
    await workbench.begun.wait()
    await leave(posted)
    async with asyncio.timeout(60):
        while True:
            items = (await shop.acme.owner.get("/api/audit")).json()["items"]
            if found := [item["detail"] for item in items if item["action"] == "tool.called"]:
                break
    assert found == [{"outcome": "cancelled"}]


@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
async def test_a_hundred_calls_that_wait_keep_nobody_else_waiting(shop, workbench):
    workbench.wanted = RUNS * CALLS
    for _ in range(RUNS):
        shop.model.say("", tool_calls=[call("wait_here")] * CALLS)
    runs = [asyncio.create_task(shop.acme.member.post(PATH, {"prompt": "Wait."})) for _ in range(RUNS)]
    async with asyncio.timeout(60):
        await workbench.begun.wait()
        for client in (shop.acme.member, shop.globex.member):
            for path in ("/api/whoami", "/api/notes", "/api/tools"):
                assert (await client.get(path)).status_code == 200
        written = await shop.globex.member.post("/api/notes", {"title": "Meanwhile", "body": "x"})
        assert written.status_code == 201
    workbench.go_on.set()
    for answer in await asyncio.gather(*runs):
        assert [step["result"] for step in answer.json()["steps"]] == ["waited"] * CALLS
