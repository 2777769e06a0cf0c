"""A model that is asked too much: callers are told when to come again, and jobs wait by themselves."""

import asyncio

import pytest

from builtin_plugins.ai import sources
from builtin_plugins.ai.agent import turns
from builtin_plugins.ai.tests.agent_tools import PATH as AGENT
from builtin_plugins.ai.tests.agent_tools import call
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.services.models import ModelBusy

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

CHAT, STREAM = "/api/ai/chat", "/api/ai/chat/stream"
PROMPT = {"prompt": "Count."}
LATER = {"Retry-After": "120"}


def busy(hall, times=1, status=429, headers=LATER):
    for _ in range(times):
        hall.model.fail(status, "slow down", headers)


async def job_of(client, job):
    return (await client.get(f"/api/jobs/{job['id']}")).json()


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (CHAT, PROMPT),
        (STREAM, PROMPT),
        (AGENT, PROMPT),
        ("/api/translate", {"text": "Good morning", "target": "nl"}),
    ],
)
async def test_a_caller_is_told_when_to_come_again_and_pays_nothing(modelled, used, path, body):
    member = modelled.acme.member
    for status in (429, 503):
        busy(modelled, status=status)
        answer = await member.post(path, body)
        assert (answer.status_code, answer.json()["code"]) == (503, "model_busy")
        assert answer.headers["retry-after"] == "120"
    assert await used(member) == (0, 0, 0)


@pytest.mark.parametrize(
    ("status", "headers", "answered", "after"),
    [
        (429, {}, 503, "30"),
        (429, {"Retry-After": "soon"}, 503, "30"),
        (429, {"Retry-After": "0"}, 503, "1"),
        (429, {"Retry-After": "2.5"}, 503, "3"),
        (503, {"Retry-After": "999999"}, 503, "3600"),
        (503, {"Retry-After": "1000000000"}, 503, "3600"),
        (429, {"Retry-After": "9" * 400}, 503, "30"),
        (
            503,
            {"Retry-After": "Wed, 21 Oct 2026 07:28:30 GMT", "Date": "Wed, 21 Oct 2026 07:28:00 GMT"},
            503,
            "30",
        ),
        (503, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 503, "1"),
        (503, {}, 502, None),
        (503, {"Retry-After": "soon"}, 502, None),
        (500, LATER, 502, None),
    ],
)
async def test_the_time_is_the_providers_within_bounds(modelled, used, status, headers, answered, after):
    busy(modelled, status=status, headers=headers)
    answer = await modelled.acme.member.post(CHAT, PROMPT)
    assert (answer.status_code, answer.headers.get("retry-after")) == (answered, after)
    assert (await used(modelled.acme.member))[0] == (0 if answered == 503 else 1)


@pytest.mark.every_database
@pytest.mark.parametrize("path", [CHAT, AGENT])
async def test_a_turn_in_the_background_is_put_off_and_uses_up_no_attempt(modelled, used, path):
    hall, member = modelled, modelled.acme.member
    busy(hall, times=2)
    hall.model.say("one two")
    job = (await member.post(path, {**PROMPT, "background": True})).json()
    for calls in (1, 2):
        await hall.drain_jobs()
        waiting = await job_of(member, job)
        assert (waiting["state"], waiting["attempt"]) == ("queued", 0)
        assert waiting["error"]["code"] == "model_busy"
        hall.clock.advance(seconds=119)
        await hall.drain_jobs()
        assert (len(hall.model.calls), await used(member)) == (calls, (0, 0, 0))
        hall.clock.advance(seconds=1)
    await hall.drain_jobs()
    ended = await job_of(member, job)
    assert (ended["state"], ended["attempt"], ended["result"]["reply"]) == ("succeeded", 1, "one two")
    assert (await used(member))[0] == 1


async def test_a_model_that_is_busy_for_a_day_fails_the_job(modelled):
    hall, member = modelled, modelled.acme.member
    busy(hall, times=30, headers={"Retry-After": "3600"})
    job = (await member.post(CHAT, {**PROMPT, "background": True})).json()
    for _ in range(25):
        await hall.drain_jobs()
        hall.clock.advance(hours=1)
    ended = await job_of(member, job)
    assert (ended["state"], ended["error"]["code"]) == ("failed", "model_busy")
    async with member.events("GET", f"/api/jobs/{job['id']}/events") as events:
        last = [event async for event in events][-1]
    assert (last.event, last.data["code"], last.data["status"]) == ("error", "model_busy", 503)


async def test_an_agent_whose_tools_have_run_waits_within_its_job(shop, monkeypatch):
    """Begun anew, it would have its tools do everything again."""
    waits = []

    async def pause(seconds):
        waits.append(seconds)

    member = shop.acme.member
    shop.model.say("", tool_calls=[call("shout", {"text": "hello"})])
    busy(shop, times=2)
    shop.model.say("It said HELLO.")
    monkeypatch.setattr(turns, "pause", pause)
    job = (await member.post(AGENT, {"prompt": "Shout.", "background": True})).json()
    await shop.drain_jobs()
    ended = await job_of(member, job)
    assert (ended["state"], ended["result"]["reply"]) == ("succeeded", "It said HELLO.")
    assert (len(ended["result"]["steps"]), waits) == (1, [120, 120])


async def test_an_agent_that_would_wait_longer_than_it_may_run_says_what_its_tools_did(shop):
    member = shop.acme.member
    for background in (True, False):
        shop.model.say("", tool_calls=[call("shout", {"text": "hello"})])
        busy(shop, headers={"Retry-After": "3600"})
        answer = await member.post(AGENT, {"prompt": "Shout.", "background": background})
        if background:
            await shop.drain_jobs()
            ended = await job_of(member, answer.json())
            assert (ended["state"], ended["error"]["code"]) == ("failed", "model_busy")
        else:
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "3600")
            assert answer.json()["steps"][0]["result"] == "HELLO"


@pytest.mark.own_server
async def test_a_worker_whose_model_is_busy_puts_the_turn_off_and_its_caller_is_told(modelled, monkeypatch):
    hall, operator = modelled, modelled.operator
    made = (await operator.post("/api/executors", {"name": "gpu", "mode": "pull", "model": "m"})).json()
    worker = hall.bearer(made["worker_token"])
    monkeypatch.setattr(sources, "_WAIT_SECONDS", 0.05)

    async def claim_and_put_off(seconds):
        claim = await worker.post("/api/workers/claim", {"kinds": ["ai.turn"], "max_wait": 20})
        turn = claim.json()
        fault = {"code": ModelBusy.code, "message": "busy"}
        failed = {"claim_token": turn["claim_token"], "error": fault, "retry_after": seconds}
        assert (await worker.post(f"/api/workers/jobs/{turn['id']}/fail", failed)).status_code == 200
        return turn

    asked = asyncio.create_task(operator.post(CHAT, {**PROMPT, "executor": "gpu"}))
    turn = await claim_and_put_off(600)
    answer = await asked
    assert (answer.status_code, answer.json()["code"]) == (503, "model_busy")
    assert 590 <= int(answer.headers["retry-after"]) <= 600
    assert (await job_of(operator, turn))["state"] == "cancelled"
    job = (await operator.post(CHAT, {**PROMPT, "executor": "gpu", "background": True})).json()
    await claim_and_put_off(600)
    await hall.drain_jobs()
    waiting = await job_of(operator, job)
    assert (waiting["state"], waiting["attempt"], waiting["error"]["code"]) == ("queued", 0, "model_busy")


async def test_our_own_limit_is_answered_as_before(modelled):
    async with modelled.server.data.write() as writer:
        quotas, team = modelled.server.service(Quotas), modelled.acme.id
        await quotas.set_limit(writer, "team", team, "ai.requests", "hour", 0)
    answer = await modelled.acme.member.post(CHAT, PROMPT)
    assert (answer.status_code, answer.json()["code"]) == (429, "quota_exceeded")
