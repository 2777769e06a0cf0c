"""Turns in the background: a job that can be followed and taken up again, metered once."""

import json

import pytest

from guildhall_sdk.dimensions import Quotas

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

PATH = "/api/ai/chat"
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
FORMAT = {"type": "json_schema", "json_schema": {"name": "number", "schema": SCHEMA}}
PROMPT = {"prompt": "Count.", "background": True}


@pytest.fixture
async def hall(share_hall):
    """A hall whose own model is scripted."""
    async with share_hall(with_model=True) as opened:
        yield opened


def chunk(text):
    body = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    return f"data: {json.dumps(body)}\n\n".encode()


async def asked(client, **more):
    answer = await client.post(PATH, {**PROMPT, **more})
    assert answer.status_code == 202, answer.text
    return answer.json()


async def followed(client, job_id, seen=None):
    """The events of a job that ends, each as its id, name and data."""
    headers = {} if seen is None else {"Last-Event-ID": seen}
    async with client.events("GET", f"/api/jobs/{job_id}/events", headers=headers) as events:
        return [(event.id, event.event, event.data) async for event in events]


async def first(client, job_id, name):
    """The first event of this name of a job that goes on."""
    async with client.events("GET", f"/api/jobs/{job_id}/events") as events:
        return await anext(event async for event in events if event.event == name)


async def test_a_turn_in_the_background_answers_with_its_job_and_is_metered_when_it_runs(hall, used):
    member = hall.acme.member
    hall.model.say("one two three")
    answer = await member.post(PATH, PROMPT)
    job = answer.json()
    assert (answer.status_code, answer.headers["location"]) == (202, f"/api/jobs/{job['id']}")
    assert (job["kind"], job["payload"]) == ("ai.chat", {"prompt": "Count."})
    ended = (await member.get(f"/api/jobs/{job['id']}?wait=30")).json()
    usage = {"prompt_tokens": 1, "completion_tokens": 3, "total_tokens": 4}
    rest = {"model": "scripted", "executor": "local", "simulated": False, "finish_reason": "stop"}
    assert ended["result"] == {"reply": "one two three", "usage": usage, **rest}
    assert await used(member) == (1, 4, 0)
    (number, name, data), (last, done, fields) = await followed(member, job["id"])
    assert (name, data, done) == ("delta", {"text": "one two three"}, "done")
    assert fields == {"usage": usage, **rest}
    assert (int(number), int(last)) == (1, 2)


@pytest.mark.own_server
async def test_a_follower_takes_it_up_behind_what_they_saw_also_when_it_is_over(hall):
    member = hall.acme.member
    hall.model.hang(chunk("one "))
    job = await asked(member)
    seen = await first(member, job["id"], "delta")
    assert (seen.data, hall.model.calls[0].left.is_set()) == ({"text": "one "}, False)  # who left, left
    hall.model.say("ready")
    over = await asked(member)
    await member.get(f"/api/jobs/{over['id']}?wait=30")
    events = await followed(member, over["id"])
    assert await followed(member, over["id"], events[0][0]) == events[1:]
    path, last = f"/api/jobs/{over['id']}/events", events[-1][0]
    assert (await member.get(path, headers={"Last-Event-ID": last})).status_code == 204
    refused = await member.get(path, headers={"Last-Event-ID": "x"})
    assert (refused.status_code, "Last-Event-ID" in refused.json()["detail"]) == (400, True)


async def test_those_who_follow_are_woken_as_it_goes_on(hall):
    member = hall.acme.member
    hall.model.send(*(chunk(f"{number} ") for number in range(1000)), b"data: [DONE]\n\n")
    job = await asked(member)
    events = await followed(member, job["id"])
    assert "".join(data["text"] for _, name, data in events if name == "delta").split()[:3] == ["0", "1", "2"]
    assert len(events) < 20


async def test_what_the_model_did_wrong_is_the_error_of_the_job(hall, used):
    member = hall.acme.member
    for _ in range(2):
        hall.model.say("no number")
    job = await asked(member, response_format=FORMAT)
    ended = (await member.get(f"/api/jobs/{job['id']}?wait=30")).json()
    assert (ended["state"], ended["error"]["code"], ended["attempt"]) == ("failed", "model_format", 1)
    ((_, name, problem),) = await followed(member, job["id"])
    assert (name, problem["code"], problem["status"]) == ("error", "model_format", 502)
    assert (await used(member))[0] == 1
    hall.model.fail(500)
    job = await asked(member)
    ended = (await member.get(f"/api/jobs/{job['id']}?wait=30")).json()
    assert (ended["state"], ended["error"]["code"]) == ("failed", "model_unavailable")


async def test_an_answer_that_had_to_be_repaired_is_the_result(hall):
    member = hall.acme.member
    hall.model.say("no number")
    hall.model.say('{"n": 3}')
    job = await asked(member, response_format=FORMAT)
    ended = (await member.get(f"/api/jobs/{job['id']}?wait=30")).json()
    assert (ended["result"]["parsed"], ended["result"]["repaired"]) == ({"n": 3}, True)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"executor": "nobody"}, 400, "unknown_executor"),
        ({"response_format": {**FORMAT, "json_schema": {"name": "x", "schema": {"type": 7}}}}, 400, None),
        ({"prompt": [{"type": "object", "object_id": "obj_nobodys"}]}, 400, "invalid_request"),
        ({"background": "yes"}, 400, "invalid_request"),
        ({"prompt": "x" * 300_000}, 413, "too_large"),
    ],
)
async def test_what_a_turn_is_refused_for_is_refused_before_it_is_queued(hall, body, status, code):
    refused = await hall.operator.post(PATH, {**PROMPT, **body})
    assert (refused.status_code, refused.json()["code"]) == (status, code or "invalid_request")
    assert (await hall.operator.get("/api/jobs")).json()["items"] == []
    assert hall.model.calls == []


async def test_a_stream_takes_no_background_and_the_kind_is_not_queued_by_itself(hall):
    assert (await hall.acme.member.post(f"{PATH}/stream", PROMPT)).status_code == 400
    queued = await hall.acme.member.post("/api/jobs", {"kind": "ai.chat", "payload": {"prompt": "x"}})
    assert (queued.status_code, queued.json()["code"]) == (400, "unknown_kind")


async def test_without_room_it_waits_and_uses_up_no_attempt(hall, limit, used):
    member = hall.acme.member
    await limit(hall.acme, "ai.requests", 0, "hour")
    job = await asked(member)
    await hall.drain_jobs()
    waiting = (await member.get(f"/api/jobs/{job['id']}")).json()
    assert (waiting["state"], waiting["attempt"], hall.model.calls) == ("queued", 0, [])
    await limit(hall.acme, "ai.requests", 5, "hour")
    hall.clock.advance(hours=1)
    await hall.drain_jobs()
    assert (await member.get(f"/api/jobs/{job['id']}")).json()["state"] == "succeeded"
    assert (await used(member))[0] == 1


async def test_the_end_of_one_that_is_cancelled_is_no_fault_of_the_server(hall, limit, used):
    member = hall.acme.member
    await limit(hall.acme, "ai.requests", 0, "hour")
    job = await asked(member)
    await hall.drain_jobs()
    assert (await member.post(f"/api/jobs/{job['id']}/cancel")).status_code == 200
    ((_, name, problem),) = await followed(member, job["id"])
    assert (name, problem["code"], problem["status"]) == ("error", "cancelled", 409)
    assert await used(member) == (0, 0, 0)


async def test_only_the_jobs_own_user_follows_and_with_a_scope_only_who_asked(hall):
    member = hall.acme.member
    job = await asked(member)
    path = f"/api/jobs/{job['id']}/events"
    scoped = await hall.with_token(member, scope=["chat:use"])
    for other in (hall.acme.owner, hall.globex.owner, scoped):
        assert (await other.get(path)).status_code == 404
    own = await asked(scoped)
    await hall.drain_jobs()
    assert (await followed(scoped, own["id"]))[-1][1] == (await followed(member, own["id"]))[-1][1] == "done"


async def test_it_acts_with_the_rights_that_its_user_has_when_it_runs(hall, limit):
    guest = await hall.join(hall.acme)
    await limit(hall.acme, "ai.requests", 0, "hour")
    job = await asked(guest)
    await hall.drain_jobs()
    await limit(hall.acme, "ai.requests", None, "hour")
    await hall.acme.owner.patch(f"/api/members/{guest.user_id}", {"role": "viewer"})
    hall.clock.advance(hours=1)
    await hall.drain_jobs()
    ((_, name, problem),) = await followed(guest, job["id"])
    assert (name, problem["code"], problem["status"]) == ("error", "permission_denied", 403)
    assert hall.model.calls == []


async def test_while_the_feature_is_off_none_is_taken(hall):
    await hall.set_feature(hall.acme, "chat", False)
    refused = await hall.acme.member.post(PATH, PROMPT)
    assert (refused.status_code, refused.json()["code"]) == (403, "feature_disabled")


@pytest.mark.own_server
async def test_with_a_worker_that_pulls_it_shares_its_place_and_is_metered_once(hall, used):
    operator = hall.operator
    made = (await operator.post("/api/executors", {"name": "gpu", "mode": "pull", "model": "m"})).json()
    worker = hall.bearer(made["worker_token"])
    async with hall.server.data.write() as writer:
        quotas = hall.server.service(Quotas)
        await quotas.set_limit(writer, "team", operator.team_id, "jobs.concurrency", "none", 1)
    job = await asked(operator, executor="gpu")
    claimed = (await worker.post("/api/workers/claim", {"kinds": ["ai.turn"], "max_wait": 20})).json()
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    result = {"claim_token": claimed["claim_token"], "result": {"reply": "one two", "usage": usage}}
    assert (await worker.post(f"/api/workers/jobs/{claimed['id']}/complete", result)).status_code == 200
    assert [data.get("text") for _, _, data in await followed(operator, job["id"])] == ["one two", None]
    assert await used(operator) == (1, 7, 0)
    assert (job["executor"], (await operator.get(f"/api/jobs/{job['id']}")).json()["executor"]) == (
        "gpu",
        "gpu",
    )


@pytest.mark.every_database
@pytest.mark.parametrize("path", [PATH, "/api/agent"])
async def test_its_job_names_its_executor_before_and_after(hall, path):
    job = (await hall.acme.member.post(path, PROMPT)).json()
    await hall.drain_jobs()
    ended = (await hall.acme.member.get(f"/api/jobs/{job['id']}")).json()
    assert (job["executor"], ended["executor"]) == ("local", "local")


@pytest.mark.every_database
async def test_its_use_is_that_of_the_credential_that_asked(hall):
    owner = hall.acme.owner
    issued = (await owner.post("/api/tokens", {"name": "nightly"})).json()
    for client in (owner, owner.bearing(issued["token"])):
        await asked(client)
        await hall.drain_jobs()
    items = (await owner.get("/api/usage?by=token")).json()["items"]
    assert {item["id"]: (item["name"], item["requests"]) for item in items} == {
        "session": ("session", 1),
        issued["id"]: ("nightly", 1),
    }
