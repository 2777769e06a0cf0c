"""How runs end before their end: cancelled, retried, looked after; and how they are followed."""

import asyncio

import pytest

from builtin_plugins.workflows.runs.ending import RunSweeper
from builtin_plugins.workflows.runs.engine import RunEngine
from builtin_plugins.workflows.runs.preparation import _Admission
from builtin_plugins.workflows.runs.statements import STEP_KIND, sweeping_sql
from builtin_plugins.workflows.tests.conftest import each, ref, tool
from guildhall_sdk import Unavailable, UserError
from guildhall_sdk.services.jobs import JobLimits
from guildhall_sdk.services.models import Models, ModelTurn

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


async def stuck(hall):
    async with hall.server.data.read() as reader:
        return [row["id"] for row in await reader.all(sweeping_sql.stuck, after="", limit=100)]


async def one_at_a_time(hall):
    async with hall.server.data.write() as writer:
        await hall.server.service(JobLimits).set_team_cap(writer, hall.acme.id, 1)


@pytest.fixture
def gate(flows):
    """The toy waits for the gate, and says when it has begun."""

    class Gate:
        def __init__(self):
            self.begun, self.open = asyncio.Event(), asyncio.Event()

    gate = Gate()

    async def wait(host, principal, arguments):
        gate.begun.set()
        await gate.open.wait()
        return arguments.get("value")

    flows.toys.play = wait
    return gate


async def test_a_cancelled_run_ends_at_once_what_executes_finishes_and_nothing_follows(flows, gate):
    await flows.publish(tool("a", 1), tool("b", 2))
    run = await flows.start()
    await gate.begun.wait()
    member = flows.hall.acme.member
    answer = await member.post(f"/api/runs/{run['id']}/cancel")
    assert (answer.status_code, answer.json()["state"]) == (200, "cancelled")
    gate.open.set()
    await flows.hall.drain_jobs()
    late = await flows.read(run)
    assert [(step["name"], step["state"], step["output"]) for step in late["steps"]] == [
        ("a", "succeeded", {"result": 1})
    ]
    assert {**late, "steps": None} == {**answer.json(), "steps": None}
    again = await member.post(f"/api/runs/{run['id']}/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "not_running")
    assert (await stuck(flows.hall), len(flows.toys.calls)) == ([], 1)
    audit = (await flows.hall.acme.owner.get("/api/audit")).json()["items"]
    assert {"run.started", "run.cancelled"} <= {one["action"] for one in audit}


@pytest.mark.every_database
async def test_a_cancelled_map_begins_no_further_item(flows, gate):
    await one_at_a_time(flows.hall)
    await flows.publish(each("m", list(range(300))), max_steps=300)
    run = await flows.start()
    await gate.begun.wait()
    await flows.hall.acme.member.post(f"/api/runs/{run['id']}/cancel")
    gate.open.set()
    calls = len(flows.toys.calls)
    await flows.hall.drain_jobs()
    late = await flows.read(run)
    assert (late["state"], late["steps"][0]["state"]) == ("cancelled", "cancelled")
    assert late["steps"][0]["items"]["done"] == calls == len(flows.toys.calls)
    jobs = (await flows.hall.acme.member.get("/api/jobs?state=queued")).json()["items"]
    assert (jobs, await stuck(flows.hall)) == ([], [])


@pytest.mark.every_database
async def test_cancelled_items_of_a_map_have_not_failed(flows, gate):
    """Neither those whose jobs waited, nor those that had none yet."""
    await one_at_a_time(flows.hall)
    await flows.publish(each("m", list(range(230))), max_steps=230)
    run = await flows.start()
    await gate.begun.wait()
    await flows.hall.acme.member.post(f"/api/runs/{run['id']}/cancel")
    gate.open.set()
    await flows.hall.drain_jobs()
    (step,) = (await flows.read(run))["steps"]
    assert (step["state"], step["items"]["total"], step["items"]["failed"]) == ("cancelled", 230, 0)
    assert step["items"]["done"] + step["items"]["cancelled"] == 230


@pytest.mark.every_database
async def test_an_item_whose_job_is_cancelled_or_stopped_cancels_the_run_and_has_not_failed(flows, gate):
    member = flows.hall.acme.member
    await one_at_a_time(flows.hall)
    await flows.publish(each("m", [1, 2, 3]))
    run = await flows.start()
    await gate.begun.wait()
    jobs = (await member.get(f"/api/jobs?kind={STEP_KIND}")).json()["items"]
    states = {job["state"]: job["id"] for job in jobs}
    assert (await member.post(f"/api/jobs/{states['queued']}/cancel")).status_code == 200
    assert (await member.post(f"/api/jobs/{states['running']}/stop")).status_code == 202
    gate.open.set()
    await flows.hall.drain_jobs()
    ended = await flows.read(run)
    (step,) = ended["steps"]
    assert (ended["state"], step["state"], ended["error"]) == ("cancelled", "cancelled", None)
    assert step["items"] == {"total": 3, "done": 1, "failed": 0, "cancelled": 2}


@pytest.mark.every_database
async def test_a_step_that_is_stopped_cancels_its_run(flows, gate):
    member = flows.hall.acme.member
    await flows.publish(tool("a", 1), tool("b", 2))
    run = await flows.start()
    await gate.begun.wait()
    (job,) = (await member.get(f"/api/jobs?kind={STEP_KIND}")).json()["items"]
    assert (await member.post(f"/api/jobs/{job['id']}/stop")).status_code == 202
    await flows.hall.drain_jobs()
    ended = await flows.read(run)
    assert (ended["state"], [step["state"] for step in ended["steps"]]) == ("cancelled", ["cancelled"])


async def test_cancelling_the_job_of_a_step_cancels_its_run(flows, gate):
    await one_at_a_time(flows.hall)
    await flows.publish(tool("a"))
    first, second = await flows.start(), await flows.start()
    await gate.begun.wait()
    (job,) = (await flows.hall.acme.member.get("/api/jobs?state=queued")).json()["items"]
    assert (await flows.hall.acme.member.post(f"/api/jobs/{job['id']}/cancel")).status_code == 200
    gate.open.set()
    await flows.hall.drain_jobs()
    assert {(await flows.read(run))["state"] for run in (first, second)} == {"succeeded", "cancelled"}


@pytest.mark.every_database
async def test_a_retry_keeps_what_succeeded_and_does_only_the_failed_items_again(flows):
    broken = {2, 4}

    async def shaky(host, principal, arguments):
        if arguments["value"] in list(broken):
            raise UserError("No.", code="no")
        return arguments["value"]

    flows.toys.play = shaky
    steps = (tool("a", 10), each("m", [1, 2, 3, 4]), tool("z", ref("steps.m.output.results")))
    run = await flows.run(*steps)
    assert run["error"]["code"] == "no"
    flows.toys.calls.clear()
    broken.clear()
    member = flows.hall.acme.member
    answer = await member.post(f"/api/runs/{run['id']}/retry", {"from": "failed", "version": "same"})
    assert (answer.status_code, answer.json()["retry_of"]) == (202, run["id"])
    await flows.hall.drain_jobs()
    retried = await flows.read(answer.json())
    assert sorted(call["value"] for call in flows.toys.calls[:2]) == [2, 4]
    assert len(flows.toys.calls) == 3
    assert retried["output"] == {"result": [{"result": n} for n in (1, 2, 3, 4)]}
    assert (retried["steps_used"], [step["name"] for step in retried["steps"]]) == (6, ["a", "m", "z"])
    assert await flows.read(run) == run
    again = await member.post(f"/api/runs/{retried['id']}/retry", {})
    assert (again.status_code, again.json()["code"]) == (409, "not_failed")


async def test_a_retried_map_goes_by_the_limit_of_waiting_jobs_as_any_run_that_is_started(flows, monkeypatch):
    async def fail(host, principal, arguments):
        raise UserError("No.", code="no")

    flows.toys.play = fail
    run = await flows.run(each("m", [1, 2, 3]))
    monkeypatch.setattr("kernel.job_limits.queue_limit.MAX_WAITING", 2)
    for limit in flows.hall.server.declared.scheduler._limit._places._holders.values():
        limit.left = 0
    full = await flows.hall.acme.member.post(f"/api/runs/{run['id']}/retry", {})
    assert (full.status_code, full.json()["code"]) == (429, "queue_full")
    listed = (await flows.hall.acme.member.get("/api/runs")).json()["items"]
    assert [one["id"] for one in listed] == [run["id"]]


async def test_a_retry_with_the_current_version_wants_what_is_kept_to_be_there(flows):
    async def fail(host, principal, arguments):
        if arguments["value"] == "broken":
            raise UserError("No.", code="no")
        return arguments["value"]

    flows.toys.play = fail
    run = await flows.run(tool("a", 1), tool("b", "broken"))
    member = flows.hall.acme.member
    await flows.publish(tool("a", 2), tool("b", ref("steps.a.output.result")))
    mended = await member.post(f"/api/runs/{run['id']}/retry", {"version": "current"})
    await flows.hall.drain_jobs()
    mended = await flows.read(mended.json())
    assert (mended["workflow"]["version"], mended["output"]) == (2, {"result": 1})
    anew = await member.post(f"/api/runs/{run['id']}/retry", {"from": "start", "version": "current"})
    await flows.hall.drain_jobs()
    assert (await flows.read(anew.json()))["output"] == {"result": 2}
    await flows.publish(tool("other", 2), tool("b", 3))
    gone = await member.post(f"/api/runs/{run['id']}/retry", {"version": "current"})
    assert (gone.status_code, gone.json()["code"]) == (409, "workflow_changed")


async def test_a_run_of_what_a_plugin_ships_is_not_retried_while_the_plugin_is_off(flows):
    acme = flows.hall.acme
    needs = {"object_id": "obj_none", "locales": [], "schema": {"type": "object"}, "template": ""}
    run = await flows.start("process-upload", **needs)
    await flows.hall.drain_jobs()
    assert (await flows.read(run))["state"] == "failed"
    assert (await acme.owner.post("/api/plugins/doc-pipeline", {"enabled": False})).status_code == 200
    for version in ("same", "current"):
        gone = await acme.member.post(f"/api/runs/{run['id']}/retry", {"version": version})
        assert gone.status_code == 404, gone.text


async def test_contents_are_for_the_creator_and_no_wider_credential_sees_less(flows):
    hall, member = flows.hall, flows.hall.acme.member

    async def fail(host, principal, arguments):
        raise UserError("A private message.", code="no")

    run = await flows.run(tool("a", ref("input.x")), inputs={"x": "string"}, x="secret")
    flows.toys.play = fail
    failed = await flows.run(tool("a", ref("input.x")), inputs={"x": "string"}, x="secret")
    for other in (hall.acme.owner, hall.acme.viewer, await hall.with_token(member, scope=["workflows:read"])):
        seen = await flows.read(run, as_=other)
        assert (seen["state"], seen["input"], seen["output"]) == ("succeeded", None, None)
        assert (seen["steps"][0]["input"], seen["steps"][0]["output"]) == (None, None)
        seen = await flows.read(failed, as_=other)
        assert seen["error"] == {"code": "no", "message": None, "step": "a"}
        assert "secret" not in (await other.get("/api/runs")).text
    for other in (hall.acme.owner, hall.acme.colleague, await hall.with_token(member, scope=["jobs:read"])):
        job = (await other.get("/api/jobs?state=failed")).json()["items"][0]
        assert (job["kind"], job["error"]) == (STEP_KIND, {"code": "no", "message": None})
        assert (await other.get(f"/api/jobs/{job['id']}")).json() == job
    job = (await member.get(f"/api/jobs/{job['id']}")).json()
    assert job["error"] == {"code": "no", "message": "A private message."}
    assert (await hall.acme.owner.post(f"/api/runs/{failed['id']}/retry", {})).status_code == 403
    assert (await hall.globex.owner.get(f"/api/runs/{run['id']}")).status_code == 404
    narrow = await hall.with_token(member, scope=["workflows:run", "workflows:read", "chat:use"])
    flows.toys.play = flows.toys.echo
    own = await flows.start(as_=narrow, x="mine")
    assert own["input"] == {"x": "mine"}
    wide = await hall.with_token(member, scope=["workflows:run", "workflows:read", "chat:use", "search"])
    assert (await flows.read(own, as_=wide))["input"] == {"x": "mine"}
    assert (await flows.read(own))["input"] == {"x": "mine"}


async def test_a_repeat_with_another_scope_gets_no_answer_that_it_would_not_get(flows):
    hall, member = flows.hall, flows.hall.acme.member

    async def fail_second(host, principal, arguments):
        if arguments["value"] == 2:
            raise UserError("No.", code="no")
        return "secret"

    flows.toys.play = fail_second
    failed = await flows.run(tool("a", 1), tool("b", 2))
    path, key = f"/api/runs/{failed['id']}/retry", {"Idempotency-Key": "again"}
    first = await member.post(path, {}, headers=key)
    assert first.json()["steps"][0]["output"] == {"result": "secret"}
    assert (await member.post(path, {}, headers=key)).json() == first.json()
    narrow = await hall.with_token(member, scope=["workflows:run", "workflows:read"])
    refused = await narrow.post(path, {}, headers=key)
    assert (refused.status_code, refused.json()["code"]) == (403, "permission_denied")


async def test_each_step_acts_as_the_starter_with_the_scope_of_their_credential(flows):
    hall = flows.hall
    narrow = await hall.with_token(hall.acme.member, scope=["workflows:run", "workflows:read"])
    run = await flows.run(tool("a"), as_=narrow)
    assert (run["error"]["code"], flows.toys.calls) == ("permission_denied", [])
    leaver = await hall.join(hall.acme)
    await hall.suspend(hall.acme)
    await hall.resume(hall.acme)

    async def leave(host, principal, arguments):
        await hall.acme.owner.delete(f"/api/members/{leaver.user_id}")

    flows.toys.play = leave
    await flows.publish(tool("a"), tool("b"))
    run = await flows.start(as_=leaver)
    await hall.drain_jobs()
    seen = await flows.read(run, as_=hall.acme.owner)
    assert (seen["error"]["code"], seen["error"]["step"]) == ("no_permission", "b")


async def followed(client, run, **headers):
    async with client.events("GET", f"/api/runs/{run['id']}/events", headers=headers) as events:
        return [(event.id, event.event, event.data) async for event in events]


async def test_a_run_is_followed_from_any_event_on_until_it_is_done(flows, gate):
    await flows.publish(tool("a", 1), tool("b", 2))
    run = await flows.start()
    member = flows.hall.acme.member
    async with member.events("GET", f"/api/runs/{run['id']}/events") as events:
        first = await anext(events)
        assert (first.event, first.data["name"], first.data["state"]) == ("step", "a", "running")
        gate.open.set()
        rest = [event async for event in events]
    assert rest[-1].event == "done"
    assert rest[-1].data == await flows.read(run)
    told = await followed(member, run)
    assert [(event, data.get("name"), data["state"]) for _, event, data in told] == [
        ("step", "a", "succeeded"),
        ("step", "b", "succeeded"),
        ("done", None, "succeeded"),
    ]
    assert await followed(member, run, **{"Last-Event-ID": told[0][0]}) == told[1:]
    over = await member.get(f"/api/runs/{run['id']}/events", headers={"Last-Event-ID": told[-1][0]})
    assert over.status_code == 204
    odd = await member.get(f"/api/runs/{run['id']}/events", headers={"Last-Event-ID": "x"})
    assert odd.status_code == 400
    others = await followed(flows.hall.acme.viewer, run)
    assert [data["output"] for _, _, data in others] == [None, None, None]


@pytest.mark.every_database
async def test_the_end_of_a_job_that_came_to_nothing_is_taken_in_by_the_sweeper(flows, monkeypatch):
    await flows.publish(tool("a", 1), each("m", [1, 2]))
    run = await flows.start()

    async def broken(self, writer, ends):
        raise RuntimeError("not today")

    with monkeypatch.context() as patch:
        patch.setattr(RunEngine, "take_ends", broken)
        await flows.hall.drain_jobs()
    assert await stuck(flows.hall) == [run["id"]]
    sweeper = RunSweeper(flows.hall.server.host_of("workflows"))
    assert await sweeper.sweep() == 0
    flows.hall.clock.advance(minutes=2)
    assert await sweeper.sweep() == 1
    await flows.hall.drain_jobs()
    assert ((await flows.read(run))["state"], await stuck(flows.hall)) == ("succeeded", [])
    with monkeypatch.context() as patch:
        patch.setattr(RunEngine, "take_ends", broken)
        run = await flows.start()
        await flows.hall.drain_jobs()
        flows.hall.clock.advance(minutes=2)
        assert await sweeper.sweep() == 1
    assert (await flows.read(run))["error"]["code"] == "internal"
    assert await stuck(flows.hall) == []


@pytest.mark.every_database
async def test_a_database_that_is_gone_for_a_moment_fails_no_run_that_is_looked_after(flows, monkeypatch):
    await flows.publish(tool("a", 1))
    run = await flows.start()

    async def gone(self, writer, ends):
        raise Unavailable("The database cannot take this just now.")

    sweeper = RunSweeper(flows.hall.server.host_of("workflows"))
    with monkeypatch.context() as patch:
        patch.setattr(RunEngine, "jobs_ended", gone)
        patch.setattr(RunEngine, "take_ends", gone)
        await flows.hall.drain_jobs()
        flows.hall.clock.advance(minutes=2)
        assert await sweeper.sweep() == 0
    assert (await flows.read(run))["state"] == "running"
    assert await sweeper.sweep() == 1
    assert (await flows.read(run))["output"] == {"result": 1}


@pytest.mark.every_database
async def test_a_database_that_is_gone_for_a_moment_fails_no_step_that_begins(flows, monkeypatch):
    admit, times = _Admission.admit, []

    async def gone_at_first(self, found):
        times.append(found.job.attempt)
        if len(times) == 1:
            raise Unavailable("The database cannot take this just now.")
        return await admit(self, found)

    monkeypatch.setattr(_Admission, "admit", gone_at_first)
    run = await flows.run(tool("a", 1))
    assert run["state"] == "running"
    flows.hall.clock.advance(minutes=10)
    await flows.hall.drain_jobs()
    run = await flows.read(run)
    assert (run["state"], run["output"], times) == ("succeeded", {"result": 1}, [1, 2])


async def test_with_one_place_a_step_that_asks_a_pulled_model_shares_it_and_ends(flows):
    hall, operator = flows.hall, flows.hall.operator

    async def ask(host, principal, arguments):
        turn = ModelTurn(messages=[{"role": "user", "content": "Hello"}])
        return (await host.service(Models).ask(principal, turn, executor="gpu")).text

    flows.toys.play = ask
    made = (await operator.post("/api/executors", {"name": "gpu", "mode": "pull", "model": "m"})).json()
    worker = hall.bearer(made["worker_token"])
    async with hall.server.data.write() as writer:
        await hall.server.service(JobLimits).set_team_cap(writer, operator.team_id, 1)
    raw = {"slug": "asking", "start": "a", "steps": [tool("a"), tool("b")]}
    assert (await operator.post("/api/workflows", raw)).status_code == 201
    run = await flows.start("asking", as_=operator)
    for _ in range(2):
        claimed = (await worker.post("/api/workers/claim", {"kinds": ["ai.turn"], "max_wait": 20})).json()
        result = {"claim_token": claimed["claim_token"], "result": {"reply": "one two"}}
        assert (await worker.post(f"/api/workers/jobs/{claimed['id']}/complete", result)).status_code == 200
    await hall.drain_jobs()
    assert (await flows.read(run, as_=operator))["output"] == {"result": "one two"}


@pytest.mark.every_database
async def test_the_runs_of_somebody_who_is_suspended_end(flows, gate):
    await flows.publish(tool("a", 1), tool("b", 2))
    run = await flows.start()
    await gate.begun.wait()
    acme = flows.hall.acme
    assert (await acme.org_admin.post(f"/api/org/members/{acme.member.user_id}/suspend")).status_code == 200
    gate.open.set()
    await flows.hall.drain_jobs()
    ended = await flows.read(run, as_=acme.owner)
    assert ended["state"] in ("cancelled", "failed")
    assert len(flows.toys.calls) == 1
    assert (await acme.org_admin.post(f"/api/org/members/{acme.member.user_id}/resume")).status_code == 200
