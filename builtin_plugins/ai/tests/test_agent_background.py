"""The agent in the background: its steps and its text can be followed, and its result is the job's."""

import pytest

from builtin_plugins.ai.tests.agent_tools import PATH, call
from guildhall_sdk.dimensions import Quotas

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

CALL = {"id": "call_1", "type": "function"}


async def test_a_run_in_the_background_can_be_followed_and_is_kept(modelled, used):
    hall, member = modelled, modelled.acme.member
    function = {"name": "word_count", "arguments": '{"text": "one two"}'}
    hall.model.say("", tool_calls=[{**CALL, "function": function}])
    hall.model.say("Two words.")
    queued = await member.post(PATH, {"prompt": "Count: one two", "background": True})
    assert (queued.status_code, queued.json()["kind"]) == (202, "ai.agent")
    await hall.drain_jobs()
    job = (await member.get(f"/api/jobs/{queued.json()['id']}")).json()
    assert (job["state"], job["result"]["reply"], len(job["result"]["steps"])) == (
        "succeeded",
        "Two words.",
        1,
    )
    async with member.events("GET", f"/api/jobs/{job['id']}/events") as events:
        seen = [(event.event, event.data) async for event in events]
    assert [name for name, _ in seen if name != "delta"] == ["step", "done"]
    assert "".join(data["text"] for name, data in seen if name == "delta") == "Two words."
    assert (await used(member))[0] == 2


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"prompt": "x", "tools": ["nobody"]}, 400, "unknown_tool"),
        ({"prompt": "x", "executor": "local"}, 403, "permission_denied"),
    ],
)
async def test_what_cannot_be_run_is_refused_at_once(modelled, body, status, code):
    refused = await modelled.acme.member.post(PATH, {**body, "background": True})
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert (await modelled.acme.member.get("/api/jobs")).json()["items"] == []


async def test_one_that_a_quota_stops_half_way_does_not_begin_anew(shop, used):
    """What its tools did is done; its followers see what that was."""
    member = shop.acme.member
    async with shop.server.data.write() as writer:
        await shop.server.service(Quotas).set_limit(writer, "team", shop.acme.id, "ai.requests", "hour", 1)
    shop.model.say("", tool_calls=[call("shout", {"text": "hello"})])
    queued = (await member.post(PATH, {"prompt": "Shout.", "background": True})).json()
    await shop.drain_jobs()
    job = (await member.get(f"/api/jobs/{queued['id']}")).json()
    assert (job["state"], job["error"]["code"]) == ("failed", "quota_exceeded")
    async with member.events("GET", f"/api/jobs/{job['id']}/events") as events:
        seen = [(event.event, event.data) async for event in events]
    assert [name for name, _ in seen] == ["step", "error"]
    assert (seen[0][1]["result"], seen[1][1]["status"]) == ("HELLO", 429)
    assert len(shop.model.calls) == 1


@pytest.mark.own_server
async def test_a_turn_inside_a_tool_shares_the_place_of_the_job_and_is_metered_once(shop, used):
    member = shop.acme.member
    made = (await shop.operator.post("/api/executors", {"name": "far", "mode": "pull", "model": "m"})).json()
    worker = shop.bearer(made["worker_token"])
    async with shop.server.data.write() as writer:
        quotas = shop.server.service(Quotas)
        await quotas.set_limit(writer, "team", shop.acme.id, "jobs.concurrency", "none", 1)
        await quotas.set_limit(writer, "team", shop.acme.id, "ai.concurrency", "none", 1)
    shop.model.say("", tool_calls=[call("consult")])
    shop.model.say("Far away they say so too.")
    queued = (await member.post(PATH, {"prompt": "Ask around.", "background": True})).json()
    claim = {"kinds": ["ai.turn"], "max_wait": 20}
    claimed = await worker.post("/api/workers/claim", claim)
    assert claimed.status_code == 200
    turn = claimed.json()
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    result = {"claim_token": turn["claim_token"], "result": {"reply": "So be it.", "usage": usage}}
    assert (await worker.post(f"/api/workers/jobs/{turn['id']}/complete", result)).status_code == 200
    job = (await member.get(f"/api/jobs/{queued['id']}?wait=20")).json()
    assert (job["state"], job["result"]["steps"][0]["result"]) == ("succeeded", "So be it.")
    assert await used(member) == (3, job["result"]["usage"]["total_tokens"] + 7, 0)
