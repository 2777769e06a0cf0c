"""A turn or an agent goes on only as long as the credential that asked for it holds."""

import asyncio

import pytest

from builtin_plugins.ai.models import JsonFormat
from builtin_plugins.ai.tests.agent_tools import PATH, call
from guildhall_sdk.services.jobs import Jobs

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

# Well within the minute that a job is leased for: the end of one whose lease is over counts for nothing.
SOON = 30
CHAT = "/api/ai/chat"
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
FORMAT = {"type": "json_schema", "json_schema": {"name": "number", "schema": SCHEMA}}


async def revoke(shop, client):
    (token,) = (await shop.acme.owner.get("/api/tokens")).json()["items"]
    assert (await shop.acme.owner.delete(f"/api/tokens/{token['id']}")).status_code == 204


async def expire(shop, client):
    shop.clock.advance(seconds=SOON)


async def remove(shop, client):
    assert (await shop.acme.owner.delete(f"/api/members/{client.user_id}")).status_code == 204


async def suspend(shop, client):
    suspended = await shop.operator.post(f"/api/orgs/{shop.acme.org_id}/suspend")
    assert suspended.status_code == 200


async def suspend_person(shop, client):
    suspended = await shop.acme.org_owner.post(f"/api/org/members/{client.user_id}/suspend")
    assert suspended.is_success, suspended.text


async def demote(shop, client):
    changed = await shop.acme.owner.patch(f"/api/members/{client.user_id}", {"role": "viewer"})
    assert changed.status_code == 200


EACH = [
    (revoke, "credential_revoked", 401),
    (expire, "credential_expired", 401),
    (remove, "person_removed", 401),
    (suspend, "org_suspended", 402),
    (suspend_person, "person_suspended", 403),
    (demote, "permission_denied", 403),
]
ENDS = pytest.mark.parametrize(("end", "code", "status"), EACH)
# By a credential and by a role; the others end what a job does as well, above.
SOME_ENDS = pytest.mark.parametrize(
    ("end", "code", "status"),
    [one if one[0] in (revoke, demote) else pytest.param(*one, marks=pytest.mark.long_form) for one in EACH],
)


async def somebody(shop):
    """Somebody with a session, and the same person with an API token that ends soon."""
    session = await shop.join(shop.acme, "member")
    return session, await shop.with_token(session, expires_at=shop.clock.now_ms() + SOON * 1000)


async def ended_job(shop, job_id):
    await shop.drain_jobs()
    async with shop.server.data.read() as reader:
        return await shop.server.service(Jobs).get(reader, shop.acme.id, job_id)


@ENDS
async def test_an_agent_in_the_background_ends_with_the_credential_that_asked(
    shop, workbench, end, code, status
):
    _, token = await somebody(shop)
    for _ in range(2):
        shop.model.say("", tool_calls=[call("wait_here")])
    job = (await token.post(PATH, {"prompt": "Go.", "background": True})).json()
    await workbench.begun.wait()
    await end(shop, token)
    workbench.go_on.set()
    ended = await ended_job(shop, job["id"])
    assert (ended.state, ended.error.code) == ("cancelled", code)
    # What a person asked for ends at once with them, what a credential asked for before its next step.
    done = [] if end is suspend_person else ["waited"]
    assert [step["result"] for step in ended.result["steps"]] == done
    assert (len(shop.model.calls), workbench.waiting) == (1, 1)


@SOME_ENDS
async def test_an_agent_that_is_waited_for_ends_as_a_new_request_would_be_answered(
    shop, workbench, end, code, status
):
    _, token = await somebody(shop)
    for _ in range(2):
        shop.model.say("", tool_calls=[call("wait_here")])
    posted = asyncio.create_task(token.post(PATH, {"prompt": "Go."}))
    await workbench.begun.wait()
    await end(shop, token)
    workbench.go_on.set()
    answer = await posted
    assert (answer.status_code, len(shop.model.calls)) == (status, 1)
    assert [step["result"] for step in answer.json()["steps"]] == ["waited"]


@SOME_ENDS
async def test_a_stream_of_an_agent_ends_by_the_same_refusal(shop, workbench, end, code, status):
    _, token = await somebody(shop)
    for _ in range(2):
        shop.model.say("", tool_calls=[call("wait_here")])
    reading = asyncio.create_task(events_of(token))
    await workbench.begun.wait()
    await end(shop, token)
    workbench.go_on.set()
    # What a person asked for ends at once with them, what a credential asked for before its next step.
    *steps, last = await reading
    assert {step.event for step in steps} <= {"step"}
    assert (last.event, last.data["status"]) == ("error", status)
    assert len(shop.model.calls) == 1


async def events_of(client):
    headers = {"Accept": "text/event-stream"}
    async with client.events("POST", PATH, {"prompt": "Go."}, headers=headers) as events:
        return [event async for event in events]


@SOME_ENDS
async def test_no_tool_is_called_after_the_end_was_answered(shop, workbench, end, code, status):
    """The ninth call of one turn waits for the eight before it."""
    _, token = await somebody(shop)
    workbench.wanted = 8
    shop.model.say("", tool_calls=[*[call("wait_here")] * 8, call("shout", {"text": "late"})])
    job = (await token.post(PATH, {"prompt": "Go.", "background": True})).json()
    await workbench.begun.wait()
    await end(shop, token)
    workbench.go_on.set()
    assert (await ended_job(shop, job["id"])).error.code == code
    items = (await shop.acme.owner.get("/api/audit")).json()["items"]
    called = [item["target"]["id"] for item in items if item["action"] == "tool.called"]
    assert "shout" not in called and "wait_here" in called


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (revoke, "credential_revoked"),
        pytest.param(expire, "credential_expired", marks=pytest.mark.long_form),
        pytest.param(remove, "person_removed", marks=pytest.mark.long_form),
    ],
)
@pytest.mark.every_database
async def test_what_waits_is_not_begun_for_a_credential_that_ended(shop, limit_jobs, end, code):
    _, token = await somebody(shop)
    await limit_jobs(shop, 0)
    job = (await token.post(CHAT, {"prompt": "Go.", "background": True})).json()
    await end(shop, token)
    await limit_jobs(shop, 10)
    ended = await ended_job(shop, job["id"])
    assert (ended.state, ended.error.code, shop.model.calls) == ("cancelled", code, [])


async def test_an_answer_is_not_repaired_for_a_credential_that_ended(shop, used, monkeypatch):
    session, token = await somebody(shop)
    check = JsonFormat.check

    async def check_and_revoke(*given):
        checked = await check(*given)
        await revoke(shop, token)
        return checked

    monkeypatch.setattr(JsonFormat, "check", check_and_revoke)
    shop.model.say('{"n": "no number"}')
    answer = await token.post(CHAT, {"prompt": "Count.", "response_format": FORMAT})
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
    assert len(shop.model.calls) == 1
    requests, tokens, _ = await used(session)
    assert requests == 1 and tokens > 0


async def sign_out(shop, client):
    assert (await client.post("/api/logout")).status_code == 204


@pytest.mark.parametrize("leave", [sign_out, expire])
@pytest.mark.parametrize("background", [True, False])
async def test_a_session_that_is_signed_out_or_expires_ends_nothing_that_it_asked_for(
    shop, workbench, leave, background
):
    person = await shop.join(shop.acme, "member")
    session = await shop.with_token(person, kind="session", expires_at=shop.clock.now_ms() + SOON * 1000)
    shop.model.say("", tool_calls=[call("wait_here")])
    shop.model.say("There it is.")
    posted = asyncio.create_task(session.post(PATH, {"prompt": "Go.", "background": background}))
    await workbench.begun.wait()
    await leave(shop, session)
    assert (await session.get("/api/whoami")).status_code == 401
    workbench.go_on.set()
    answer = (await posted).json()
    reply = (await ended_job(shop, answer["id"])).result["reply"] if background else answer["reply"]
    assert reply == "There it is."


@pytest.mark.every_database
async def test_a_session_that_is_revoked_ends_what_it_asked_for(shop, workbench):
    person = await shop.join(shop.acme, "member")
    session = await shop.with_token(person, kind="session", expires_at=shop.clock.now_ms() + SOON * 1000)
    for _ in range(2):
        shop.model.say("", tool_calls=[call("wait_here")])
    job = (await session.post(PATH, {"prompt": "Go.", "background": True})).json()
    await workbench.begun.wait()
    (own,) = [item for item in (await session.get("/api/sessions")).json()["items"] if item["current"]]
    assert (await person.delete(f"/api/sessions/{own['id']}")).status_code == 204
    workbench.go_on.set()
    ended = await ended_job(shop, job["id"])
    assert (ended.state, ended.error.code) == ("cancelled", "credential_revoked")
