"""Pull workers over HTTP: claiming, holding, ending, and what a stale one cannot do."""

import asyncio

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

LANE = "x.integrator-demo.lane-report"
WORDS = "x.example-tools.word-count"
GOOD = {"lane": "hamburg-shanghai", "days": 32}


@pytest.fixture
def queue():
    async def queue(client, lane="hamburg-shanghai", **fields):
        response = await client.post("/api/jobs", {"kind": LANE, "payload": {"lane": lane}, **fields})
        assert response.status_code == 202, response.text
        return response.json()["id"]

    return queue


@pytest.fixture
def claim():
    async def claim(client, status=200, **fields):
        response = await client.post("/api/workers/claim", {"kinds": [LANE], **fields})
        assert response.status_code == status, response.text
        return response.json() if status == 200 else None

    return claim


@pytest.fixture
def executor():
    """`await executor(hall)`: a client with the worker token of a new executor of Acme's, and the executor.

    `company=None` makes one for all companies.
    """

    async def executor(hall, company="acme", name="gpu"):
        bound = {"org_id": getattr(hall, company).org_id} if company else {}
        body = {"name": name, "mode": "pull", **bound}
        made = (await hall.operator.post("/api/executors", body)).json()
        return hall.bearer(made["worker_token"]), made

    return executor


async def report(client, job, verb="complete", **body):
    sent = {"claim_token": job["claim_token"], **({"result": GOOD} if verb == "complete" else {}), **body}
    return await client.post(f"/api/workers/jobs/{job['id']}/{verb}", sent)


async def state(client, job_id):
    return (await client.get(f"/api/jobs/{job_id}")).json()


@pytest.mark.every_database
async def test_a_worker_claims_holds_and_completes(jobs_hall, queue, claim, executor):
    hall = jobs_hall
    worker, made = await executor(hall)
    job_id = await queue(hall.acme.member)
    job = await claim(worker)
    assert job["id"] == job_id
    assert job["kind"] == LANE
    assert job["payload"] == {"lane": "hamburg-shanghai"}
    assert (job["attempt"], job["team_id"], job["lease"]["seconds"]) == (1, hall.acme.team_id, 60)
    running = await state(hall.acme.member, job_id)
    assert (running["state"], running["executor"]) == ("running", made["name"])
    hall.clock.advance(seconds=40)
    beat = await report(worker, job, "heartbeat", progress=0.25)
    assert beat.status_code == 200
    assert beat.json()["lease"]["expires_at"] > job["lease"]["expires_at"]
    assert (await state(hall.acme.member, job_id))["progress"] == 0.25
    hall.clock.advance(seconds=40)
    assert (await report(worker, job)).status_code == 200
    done = await state(hall.acme.member, job_id)
    assert (done["state"], done["result"], done["error"]) == ("succeeded", GOOD, None)


async def test_completing_again_with_the_token_that_landed_is_no_error(jobs_hall, queue, claim, executor):
    hall = jobs_hall
    worker, _ = await executor(hall)
    job_id = await queue(hall.acme.member)
    job = await claim(worker)
    for days in (32, 33):
        answer = await report(worker, job, result={"lane": "x", "days": days})
        assert answer.status_code == 200
    assert (await state(hall.acme.member, job_id))["result"]["days"] == 32
    stale = await report(worker, job, "fail", error="too late")
    assert (stale.status_code, stale.json()["code"]) == (409, "stale_claim")


@pytest.mark.every_database
async def test_a_worker_puts_a_job_off_without_using_up_an_attempt(jobs_hall, queue, claim, executor):
    hall = jobs_hall
    worker, _ = await executor(hall)
    job_id = await queue(hall.acme.member)
    job = await claim(worker)
    for _ in range(2):
        answer = await report(worker, job, "fail", error="The endpoint is busy.", retry_after=30)
        assert answer.status_code == 200
    found = await state(hall.acme.member, job_id)
    assert (found["state"], found["attempt"]) == ("queued", 0)
    assert await claim(worker, 204) is None
    hall.clock.advance(seconds=30)
    await hall.drain_jobs()
    assert (await claim(worker))["attempt"] == 1


async def test_nothing_to_claim_is_204(jobs_hall, claim, executor):
    worker, _ = await executor(jobs_hall)
    assert await claim(worker, 204) is None


async def test_a_waiting_worker_is_woken_by_the_job(jobs_hall, queue, claim, executor):
    hall = jobs_hall
    worker, _ = await executor(hall)
    waiting = asyncio.create_task(claim(worker, max_wait=30))
    await asyncio.sleep(0.05)  # not for the outcome: so that it usually waits already
    job_id = await queue(hall.acme.member)
    assert (await waiting)["id"] == job_id


@pytest.mark.parametrize("token", [None, "", "1.0123456789abcdef01234567", "2.x", "not a token"])
@pytest.mark.parametrize("verb", ["heartbeat", "complete", "fail"])
async def test_without_the_current_token_nothing_changes(jobs_hall, queue, claim, executor, token, verb):
    hall = jobs_hall
    worker, _ = await executor(hall)
    job_id = await queue(hall.acme.member)
    await claim(worker)
    before = await state(hall.acme.member, job_id)
    body = {"heartbeat": {}, "complete": {"result": GOOD}, "fail": {"error": "x"}}[verb]
    for sent in ({**body, "claim_token": token}, body):
        answer = await worker.post(f"/api/workers/jobs/{job_id}/{verb}", sent)
        assert (answer.status_code, answer.json()["code"]) == (409, "stale_claim")
    assert await state(hall.acme.member, job_id) == before


@pytest.mark.every_database
async def test_a_lapsed_claim_lands_nothing_on_the_attempt_after_it(jobs_hall, queue, claim, executor):
    hall = jobs_hall
    worker, _ = await executor(hall)
    job_id = await queue(hall.acme.member)
    first = await claim(worker)
    hall.clock.advance(seconds=61)
    assert (await report(worker, first)).status_code == 409
    await hall.drain_jobs()
    waiting = await state(hall.acme.member, job_id)
    assert (waiting["state"], waiting["error"]["code"]) == ("queued", "worker_lost")
    hall.clock.advance(minutes=1)
    await hall.drain_jobs()
    second = await claim(worker)
    assert (second["id"], second["attempt"]) == (job_id, 2)
    for verb, body in (("heartbeat", {}), ("complete", {}), ("fail", {"error": "x"})):
        assert (await report(worker, first, verb, **body)).status_code == 409
    assert (await report(worker, second)).status_code == 200


@pytest.mark.parametrize(
    "result", [None, [], "fine", {}, {"lane": "x"}, {"lane": "x", "days": -1}, {"lane": "x", "days": True}]
)
async def test_a_result_that_the_kind_refuses_leaves_the_job_held(jobs_hall, queue, claim, executor, result):
    hall = jobs_hall
    worker, _ = await executor(hall)
    job_id = await queue(hall.acme.member)
    job = await claim(worker)
    refused = await report(worker, job, result=result)
    assert (refused.status_code, refused.json()["code"]) == (422, "result_rejected")
    assert (await state(hall.acme.member, job_id))["state"] == "running"
    stale = await report(worker, {**job, "claim_token": "1.x"}, result=result)
    assert stale.status_code == 409
    assert (await report(worker, job)).status_code == 200


async def test_failing_ends_a_job_unless_another_attempt_is_asked_for(jobs_hall, queue, claim, executor):
    hall = jobs_hall
    worker, _ = await executor(hall)
    ended = await queue(hall.acme.member)
    assert (await report(worker, await claim(worker), "fail", error="no ship")).status_code == 200
    failed = await state(hall.acme.member, ended)
    assert (failed["state"], failed["error"]) == ("failed", {"code": "failed", "message": "no ship"})
    retried = await queue(hall.acme.member)
    error = {"code": "storm", "message": "Come back later."}
    assert (await report(worker, await claim(worker), "fail", error=error, retry=True)).status_code == 200
    waiting = await state(hall.acme.member, retried)
    assert (waiting["state"], waiting["error"], waiting["attempt"]) == ("queued", error, 1)
    await claim(worker, 204)
    hall.clock.advance(minutes=1)
    await hall.drain_jobs()
    assert (await claim(worker))["attempt"] == 2


@pytest.mark.own_server
async def test_a_company_bound_executor_is_offered_that_companys_jobs_alone(
    jobs_hall, queue, claim, executor
):
    hall = jobs_hall
    bound, _ = await executor(hall, "globex")
    anybodys, _ = await executor(hall, None, name="anybody")
    theirs = await queue(hall.acme.member)
    await claim(bound, 204)
    job = await claim(anybodys)
    assert job["id"] == theirs
    for verb, body in (("heartbeat", {}), ("complete", {}), ("fail", {"error": "x"})):
        assert (await report(bound, job, verb, **body)).status_code == 404
    own = await queue(hall.globex.member)
    assert (await claim(bound))["id"] == own


async def test_a_person_with_the_role_worker_claims_for_their_own_team(jobs_hall, queue, claim):
    hall = jobs_hall
    worker = await hall.join(hall.acme, "worker")
    await queue(hall.globex.member)
    await claim(worker, 204)
    job_id = await queue(hall.acme.member)
    job = await claim(worker)
    assert job["id"] == job_id
    assert (await report(await hall.join(hall.globex, "worker"), job)).status_code == 404
    assert (await report(worker, job)).status_code == 200


async def test_local_kinds_are_not_offered_and_unknown_ones_refused(jobs_hall, executor):
    hall = jobs_hall
    worker, _ = await executor(hall)
    assert (await worker.post("/api/workers/claim", {"kinds": [WORDS]})).status_code == 204
    unknown = await worker.post("/api/workers/claim", {"kinds": [LANE, "x.nobody.nothing"]})
    assert (unknown.status_code, unknown.json()["code"]) == (400, "unknown_kind")
    assert unknown.json()["kinds"] == ["x.nobody.nothing"]
    for body in ({}, {"kinds": []}, {"kinds": [LANE], "max_wait": 31}, {"kinds": [LANE], "max_wait": -1}):
        assert (await worker.post("/api/workers/claim", body)).status_code == 400


async def test_whoever_does_not_hold_a_job_reports_nothing_about_it(jobs_hall, queue, claim, executor):
    """Not even with the token of the one who does."""
    hall = jobs_hall
    holder, _ = await executor(hall)
    job_id = await queue(hall.acme.member)
    job = await claim(holder)
    other, _ = await executor(hall, name="gpu-2")
    person = await hall.join(hall.acme, "worker")
    token = {"claim_token": job["claim_token"]}
    for client in (other, person, hall.operator):
        for verb, told in (("heartbeat", {}), ("complete", {"result": {}}), ("fail", {"error": "no"})):
            response = await client.post(f"/api/workers/jobs/{job_id}/{verb}", token | told)
            assert response.status_code == (404 if client is hall.operator else 409), (client, verb)
    assert (await state(hall.acme.member, job_id))["state"] == "running"
    assert (await report(holder, job)).status_code == 200
    assert (await report(other, job)).status_code == 409


@pytest.mark.every_database
async def test_a_retired_executors_jobs_go_to_others(jobs_hall, queue, claim, executor):
    hall = jobs_hall
    first, made = await executor(hall)
    job_id = await queue(hall.acme.member)
    job = await claim(first)
    assert (await hall.operator.delete(f"/api/executors/{made['id']}")).status_code == 204
    assert (await report(first, job)).status_code == 401
    assert (await state(hall.acme.member, job_id))["state"] == "queued"
    second, _ = await executor(hall, name="gpu-2")
    again = await claim(second)
    assert (again["id"], again["attempt"]) == (job_id, 2)
    assert (await report(second, job)).status_code == 409
    assert (await report(second, again)).status_code == 200


@pytest.mark.every_database
@pytest.mark.own_server
async def test_while_a_company_is_suspended_its_jobs_are_not_offered_but_may_end(
    jobs_hall, queue, claim, executor
):
    hall = jobs_hall
    worker, _ = await executor(hall, None)
    person = await hall.join(hall.acme, "worker")
    await queue(hall.acme.member)
    held = await claim(worker)
    await queue(hall.acme.member)
    await hall.suspend(hall.acme)
    await claim(worker, 204)
    await claim(person, 204)
    other = await queue(hall.globex.member)
    assert (await claim(worker))["id"] == other
    assert (await report(worker, held, "heartbeat")).status_code == 200
    assert (await report(worker, held)).status_code == 200
    refused = await hall.acme.member.post("/api/jobs", {"kind": LANE, "payload": {"lane": "x"}})
    assert (refused.status_code, refused.json()["code"]) == (402, "org_suspended")
    await hall.resume(hall.acme)
    assert (await claim(worker))["team_id"] == hall.acme.team_id


async def test_a_workers_token_opens_the_worker_routes_alone(jobs_hall, executor):
    worker, _ = await executor(jobs_hall)
    for method, path in (
        ("GET", "/api/jobs"),
        ("GET", "/api/whoami"),
        ("GET", "/api/notes"),
        ("POST", "/api/jobs"),
        ("GET", "/api/executors"),
        ("GET", "/api/x/example-tools/word-count"),
    ):
        assert (await worker.request(method, path)).status_code == 403, path
