"""Jobs over HTTP: queueing, looking, waiting, cancelling, and who may see what."""

import asyncio

import pytest

from guildhall_sdk import rfc3339

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

WORDS = "x.example-tools.word-count"
LANE = "x.integrator-demo.lane-report"
FAR_OFF = "2100-01-01T00:00:00Z"


@pytest.fixture
def queue():
    async def queue(client, kind=WORDS, payload=None, **fields):
        body = {"kind": kind, "payload": payload or {"text": "one two three"}, **fields}
        response = await client.post("/api/jobs", body)
        assert response.status_code == 202, response.text
        return response.json()

    return queue


async def test_a_job_is_queued_done_and_read_with_its_result(jobs_hall, queue):
    client = jobs_hall.acme.member
    response = await client.post("/api/jobs", {"kind": WORDS, "payload": {"text": "one two three"}})
    job = response.json()
    assert response.status_code == 202
    assert response.headers["location"] == f"/api/jobs/{job['id']}"
    assert job["id"].startswith("job_")
    assert {name: job[name] for name in ("kind", "state", "attempt", "max_attempts", "result", "error")} == {
        "kind": WORDS,
        "state": "queued",
        "attempt": 0,
        "max_attempts": 5,
        "result": None,
        "error": None,
    }
    done = (await client.get(f"/api/jobs/{job['id']}?wait=20")).json()
    assert done["state"] == "succeeded"
    assert done["result"] == {"words": 3, "characters": 13}
    assert done["payload"] == {"text": "one two three"}
    assert (done["executor"], done["attempt"], done["progress"]) == ("local", 1, 1)
    assert done["created_at"] <= done["started_at"] <= done["finished_at"]
    assert (done["team_id"], done["user_id"]) == (client.team_id, client.user_id)


async def test_waiting_gives_a_job_that_does_not_end_as_it_is(jobs_hall, queue):
    job = await queue(jobs_hall.acme.member, run_at=FAR_OFF)
    response = await jobs_hall.acme.member.get(f"/api/jobs/{job['id']}?wait=0.05")
    assert (response.status_code, response.json()["state"]) == (200, "queued")


async def test_waiting_ends_with_the_job_and_not_before(jobs_hall, queue):
    client = jobs_hall.acme.member
    job = await queue(client, run_at=FAR_OFF)
    waiting = asyncio.create_task(client.get(f"/api/jobs/{job['id']}?wait=30"))
    await asyncio.sleep(0)
    assert (await client.post(f"/api/jobs/{job['id']}/cancel")).status_code == 200
    assert (await waiting).json()["state"] == "cancelled"


@pytest.mark.parametrize(
    ("body", "code", "pointer"),
    [
        ({}, "invalid_request", "/kind"),
        ({"kind": "x.nobody.nothing"}, "unknown_kind", None),
        ({"kind": "ai.turn", "payload": {}}, "unknown_kind", None),
        ({"kind": WORDS, "payload": {}}, "invalid_request", "/payload/text"),
        ({"kind": WORDS}, "invalid_request", "/payload/text"),
        ({"kind": WORDS, "payload": {"text": 7}}, "invalid_request", "/payload/text"),
        ({"kind": WORDS, "payload": {"text": "a", "more": 1}}, "invalid_request", "/payload/more"),
        ({"kind": WORDS, "payload": {"text": "a"}, "run_at": "tomorrow"}, "invalid_request", "/run_at"),
        ({"kind": WORDS, "payload": {"text": "a"}, "run_at": "2030-01-01"}, "invalid_request", "/run_at"),
        (
            {"kind": WORDS, "payload": {"text": "a"}, "run_at": "9999-12-31T23:59:59-14:00"},
            "invalid_request",
            "/run_at",
        ),
        ({"kind": WORDS, "payload": {"text": "a"}, "priority": 101}, "invalid_request", "/priority"),
        ({"kind": WORDS, "payload": {"text": "a"}, "priority": 1.5}, "invalid_request", "/priority"),
        ({"kind": WORDS, "payload": {"text": "a"}, "user_id": "usr_1"}, "invalid_request", "/user_id"),
    ],
)
async def test_a_job_that_cannot_be_is_refused_and_nothing_is_queued(jobs_hall, body, code, pointer):
    client = jobs_hall.acme.member
    response = await client.post("/api/jobs", body)
    problem = response.json()
    assert (response.status_code, problem["code"]) == (400, code)
    assert pointer is None or pointer in [error["pointer"] for error in problem["errors"]]
    assert (await client.get("/api/jobs")).json()["items"] == []


async def test_the_team_sees_its_jobs_and_only_their_user_what_is_in_them(jobs_hall, queue):
    hall = jobs_hall
    job = await queue(hall.acme.member, payload={"text": "between us"})
    await hall.drain_jobs()
    own = (await hall.acme.member.get(f"/api/jobs/{job['id']}")).json()
    seen = (await hall.acme.owner.get(f"/api/jobs/{job['id']}")).json()
    assert (own["payload"], own["result"]) == ({"text": "between us"}, {"words": 2, "characters": 10})
    assert (seen["payload"], seen["result"], seen["state"]) == (None, None, "succeeded")
    (listed,) = (await hall.acme.owner.get("/api/jobs")).json()["items"]
    assert listed == seen
    assert (await hall.globex.owner.get(f"/api/jobs/{job['id']}")).status_code == 404
    assert (await hall.globex.owner.get("/api/jobs")).json()["items"] == []
    # Another team's operator is another team's too.
    assert (await hall.operator.get(f"/api/jobs/{job['id']}?wait=1")).status_code in (200, 404)


@pytest.mark.every_database
async def test_jobs_are_listed_newest_first_by_state_and_kind(jobs_hall, queue):
    hall, client = jobs_hall, jobs_hall.acme.member
    done = [(await queue(client))["id"] for _ in range(3)]
    await hall.drain_jobs()
    later = (await queue(client, run_at=FAR_OFF))["id"]
    lane = (await queue(client, LANE, {"lane": "hamburg-shanghai"}))["id"]

    async def ids(query):
        response = await client.get(f"/api/jobs{query}")
        assert response.status_code == 200, response.text
        return [item["id"] for item in response.json()["items"]]

    assert await ids("") == [lane, later, *reversed(done)]
    assert await ids("?state=succeeded") == list(reversed(done))
    assert await ids("?state=queued") == [lane, later]
    assert await ids(f"?state=queued&kind={LANE}") == [lane]
    assert await ids("?state=failed") == []
    assert (await client.get("/api/jobs?state=lost")).status_code == 400
    first = (await client.get("/api/jobs?limit=2")).json()
    assert [item["id"] for item in first["items"]] == [lane, later]
    assert await ids(f"?limit=2&cursor={first['next_cursor']}") == [done[2], done[1]]


async def test_cancelling_is_for_queued_jobs_by_their_user_or_a_manager(jobs_hall, queue):
    hall = jobs_hall
    colleague = await hall.join(hall.acme, "member")
    mine = await queue(hall.acme.member, run_at=FAR_OFF)
    path = f"/api/jobs/{mine['id']}/cancel"
    refused = await colleague.post(path)
    assert (refused.status_code, refused.json()["permission"]) == (403, "settings:manage")
    assert (await hall.globex.owner.post(path)).status_code == 404
    cancelled = await hall.acme.member.post(path)
    assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")
    again = await hall.acme.member.post(path)
    assert (again.status_code, again.json()["code"]) == (409, "not_queued")
    managed = await queue(hall.acme.member, run_at=FAR_OFF)
    assert (await hall.acme.owner.post(f"/api/jobs/{managed['id']}/cancel")).status_code == 200
    done = await queue(hall.acme.member)
    await hall.drain_jobs()
    late = await hall.acme.member.post(f"/api/jobs/{done['id']}/cancel")
    assert (late.status_code, late.json()["code"]) == (409, "not_queued")


async def test_a_job_runs_when_its_time_has_come(jobs_hall, queue):
    hall, client = jobs_hall, jobs_hall.acme.member
    job = await queue(client, run_at=rfc3339(hall.clock.now_ms() + 3_600_000))
    await hall.drain_jobs()
    assert (await client.get(f"/api/jobs/{job['id']}")).json()["state"] == "queued"
    hall.clock.advance(hours=1)
    await hall.drain_jobs()
    assert (await client.get(f"/api/jobs/{job['id']}")).json()["state"] == "succeeded"


async def test_the_same_idempotency_key_queues_one_job(jobs_hall):
    client, body = jobs_hall.acme.member, {"kind": WORDS, "payload": {"text": "once"}}
    first, second = [
        await client.post("/api/jobs", body, headers={"Idempotency-Key": "only-once"}) for _ in range(2)
    ]
    assert first.status_code == second.status_code == 202
    assert first.json()["id"] == second.json()["id"]
    assert len((await client.get("/api/jobs")).json()["items"]) == 1


async def test_running_jobs_count_as_concurrency(jobs_hall, queue):
    hall, client = jobs_hall, jobs_hall.acme.member
    await queue(client, LANE, {"lane": "hamburg-shanghai"})
    worker = await hall.join(hall.acme, "worker")
    claim = await worker.post("/api/workers/claim", {"kinds": [LANE]})
    assert claim.status_code == 200, claim.text

    async def used():
        items = (await hall.acme.owner.get("/api/usage")).json()["items"]
        return {item["level"]: item["used"] for item in items if item["dimension"] == "jobs.concurrency"}

    assert await used() == {"org": 1, "team": 1}
    job = claim.json()
    body = {"claim_token": job["claim_token"], "result": {"lane": "hamburg-shanghai", "days": 32}}
    assert (await worker.post(f"/api/workers/jobs/{job['id']}/complete", body)).status_code == 200
    assert await used() == {"org": 0, "team": 0}


async def test_a_team_at_its_cap_waits_for_room(jobs_hall, queue):
    hall, client = jobs_hall, jobs_hall.acme.member
    limit = {"dimension": "jobs.concurrency", "limit": 1, "window": "none"}
    answer = await hall.operator.post(f"/api/orgs/{hall.acme.org_id}/quota", limit)
    assert answer.status_code == 200, answer.text
    for _ in range(2):
        await queue(client, LANE, {"lane": "hamburg-shanghai"})
    worker = await hall.join(hall.acme, "worker")
    first = await worker.post("/api/workers/claim", {"kinds": [LANE]})
    assert first.status_code == 200
    assert (await worker.post("/api/workers/claim", {"kinds": [LANE]})).status_code == 204
    body = {"claim_token": first.json()["claim_token"], "error": "no ship"}
    assert (await worker.post(f"/api/workers/jobs/{first.json()['id']}/fail", body)).status_code == 200
    assert (await worker.post("/api/workers/claim", {"kinds": [LANE]})).status_code == 200


@pytest.mark.own_server
async def test_a_server_that_stops_answers_whoever_waits_for_a_job_with_the_job(hall, queue):
    scheduler = hall.server.declared.scheduler
    job = await queue(hall.acme.member, run_at=FAR_OFF)
    wait = asyncio.create_task(hall.acme.member.get(f"/api/jobs/{job['id']}?wait=30"))
    while job["id"] not in scheduler.signals.end_watch._waiting:  # noqa: ASYNC110
        await asyncio.sleep(0)
    await scheduler.wind_down(0)
    answer = await asyncio.wait_for(wait, 60)
    assert (answer.status_code, answer.json()["state"]) == (200, "queued")
