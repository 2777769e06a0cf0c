"""A turn or an agent in the background can be stopped; what it has produced is kept and metered."""

import json

import pytest

from builtin_plugins.ai.tests.agent_tools import PATH, call
from builtin_plugins.ai.tests.test_background import chunk, first
from tests.processes import second_process

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

CHAT = "/api/ai/chat"


async def asked(client, path, **more):
    answer = await client.post(path, {"prompt": "Go.", "background": True, **more})
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


async def ended(client, job_id):
    return (await client.get(f"/api/jobs/{job_id}?wait=30")).json()


@pytest.mark.every_database
async def test_a_turn_that_is_stopped_keeps_what_it_said(shop, used):
    member = shop.acme.member
    shop.model.hang(chunk("Once upon a time "))
    job_id = await asked(member, CHAT)
    await first(member, job_id, "delta")
    stopped = await member.post(f"/api/jobs/{job_id}/stop")
    assert (stopped.status_code, stopped.headers["location"]) == (202, f"/api/jobs/{job_id}")
    job = await ended(member, job_id)
    assert (job["state"], job["error"], job["attempt"]) == ("cancelled", None, 1)
    assert (job["result"]["reply"], job["result"]["finish_reason"]) == ("Once upon a time ", "stopped")
    await shop.model.calls[0].left.wait()
    requests, tokens, running = await used(member)
    assert (requests, tokens, running) == (1, job["result"]["usage"]["total_tokens"], 0)
    async with member.events("GET", f"/api/jobs/{job_id}/events") as events:
        seen = [(event.event, event.data) async for event in events]
    assert seen[0] == ("delta", {"text": "Once upon a time "})
    assert (seen[-1][0], seen[-1][1]["code"]) == ("error", "cancelled")


@pytest.mark.every_database
async def test_a_turn_of_somebody_who_is_suspended_ends_at_once_and_says_why(shop, used):
    person = await shop.join(shop.acme, "member")
    shop.model.hang(chunk("Once upon a time "))
    job_id = await asked(person, CHAT)
    await first(person, job_id, "delta")
    path = f"/api/org/members/{person.user_id}/suspend"
    assert (await shop.acme.org_owner.post(path)).status_code == 200
    job = await ended(shop.acme.owner, job_id)
    assert (job["state"], job["error"]["code"], job["attempt"]) == ("cancelled", "person_suspended", 1)
    await shop.model.calls[0].left.wait()


@pytest.mark.parametrize("tool", ["wait_here", "linger"])
@pytest.mark.every_database
async def test_an_agent_that_is_stopped_ends_its_tools_and_keeps_its_steps(shop, workbench, tool):
    """Also where a tool does not obey."""
    member = shop.acme.member
    shop.model.say("", tool_calls=[call("shout", {"text": "first"})])
    shop.model.say("Wait. ", tool_calls=[call(tool)])
    job_id = await asked(member, PATH)
    await workbench.begun.wait()
    assert (await member.post(f"/api/jobs/{job_id}/stop")).status_code == 202
    await workbench.ended.wait()
    job = await ended(member, job_id)
    assert job["state"] == "cancelled"
    assert [step["result"] for step in job["result"]["steps"]] == ["FIRST"]
    assert len(shop.model.calls) == 2
    workbench.go_on.set()


async def test_its_owner_and_who_may_cancel_it_stop_a_job_and_nobody_else(shop, workbench):
    member, other = shop.acme.member, await shop.join(shop.acme, "member")
    workbench.wanted = 2
    for _ in range(2):
        shop.model.say("", tool_calls=[call("wait_here")])
    jobs = [await asked(member, PATH) for _ in range(2)]
    await workbench.begun.wait()
    path = f"/api/jobs/{jobs[0]}/stop"
    refused = await other.post(path)
    assert (refused.status_code, refused.json()["permission"]) == (403, "settings:manage")
    scoped = await shop.with_token(member, scope=["chat:use"])
    assert (await scoped.post(path)).status_code == 403
    assert (await shop.globex.owner.post(path)).status_code == 404
    assert (await shop.acme.owner.post(path)).status_code == 202
    assert (await member.post(f"/api/jobs/{jobs[1]}/stop")).status_code == 202
    assert {(await ended(member, job_id))["state"] for job_id in jobs} == {"cancelled"}


@pytest.mark.every_database
async def test_what_does_not_run_is_not_stopped(shop, limit_jobs):
    member = shop.acme.member
    await limit_jobs(shop, 0)
    waiting = await asked(member, CHAT)
    refused = await member.post(f"/api/jobs/{waiting}/stop")
    assert (refused.status_code, refused.json()["code"]) == (409, "not_stoppable")
    assert "cancel" in refused.json()["detail"]
    await limit_jobs(shop, 5)
    over = await ended(member, waiting)
    assert over["state"] == "succeeded"
    refused = await member.post(f"/api/jobs/{waiting}/stop")
    assert (refused.status_code, refused.json()["code"]) == (409, "not_stoppable")
    assert (await member.post("/api/jobs/job_none/stop")).status_code == 404


@pytest.mark.own_server
@pytest.mark.hall_databases("postgresql")
async def test_a_job_of_another_process_is_stopped(shop, workbench):
    member = shop.acme.member
    shop.model.say("", tool_calls=[call("wait_here")])
    job_id = await asked(member, PATH)
    await workbench.begun.wait()
    async with second_process(shop) as process:
        assert (await process(member, "POST", f"/api/jobs/{job_id}/stop")).status_code == 202
        await workbench.ended.wait()
        job = (await process(member, "GET", f"/api/jobs/{job_id}?wait=30")).json()
    assert (job["state"], job["result"]["steps"]) == ("cancelled", [])
    assert json.dumps(job["error"]) == "null"
