"""Steps that wait for an event of any plugin, and for the end of a job."""

import pytest

from builtin_plugins.workflows.runs.events import EndsOfJobs
from builtin_plugins.workflows.tests.conftest import spec, tool
from guildhall_sdk.subscriptions import JOB_ENDED, Events

pytestmark = pytest.mark.shared_server


def wait(event, **fields):
    return {"name": "w", "kind": "wait", "event": event, **fields}


async def do_job(flows, company=None):
    client = (company or flows.hall.acme).member
    job = (await client.post("/api/jobs", {"kind": "x.toys.rest"})).json()
    await flows.hall.drain_jobs()
    return job["id"]


async def ring(flows, bell, company=None):
    company = company or flows.hall.acme
    flows.toys.play = flows.toys.ring
    await flows.publish(tool("r", bell), slug="ringing", company=company)
    await flows.start("ringing", as_=company.member)
    await flows.hall.drain_jobs()


async def test_an_event_of_a_stranger_ends_a_wait(flows):
    run = await flows.run(wait("toys.bell.rang", match={"bell": "front"}))
    await ring(flows, "back")
    await ring(flows, "front", flows.hall.globex)
    assert (await flows.settle(run))["state"] == "running"
    await flows.start("ringing")
    await ring(flows, "front")
    ended = await flows.settle(run)
    assert ended["state"] == "succeeded"
    event = ended["output"]["result"]["event"]
    assert (event["type"], event["data"]) == ("toys.bell.rang", {"bell": "front"})


async def test_the_end_of_a_job_ends_a_wait_and_the_end_of_a_step_does_not(flows):
    run = await flows.run(wait("job.ended"))
    await flows.run(tool("z", 1), max_steps=50)
    await do_job(flows, flows.hall.globex)
    assert (await flows.settle(run))["state"] == "running"
    job_id = await do_job(flows)
    ended = await flows.settle(run)
    event = ended["output"]["result"]["event"]
    assert (ended["state"], event["data"]["job_id"], event["state"]) == ("succeeded", job_id, "succeeded")


@pytest.mark.own_server
async def test_ends_of_jobs_are_heard_while_somebody_waits_for_one_alone(flows, monkeypatch):
    outbox, asked = flows.hall.server.service(Events), []
    matches = outbox._matches

    async def asks(writer, listener, payload, given):
        if listener.kind == "events.workflows.waits-for-events":
            asked.append((given["event"], given["team_id"]))
        return await matches(writer, listener, payload, given)

    monkeypatch.setattr(outbox, "_matches", asks, raising=False)
    ends, acme = flows.hall.server.host_of("workflows").service(EndsOfJobs), flows.hall.acme
    await do_job(flows)
    assert asked == []
    run = await flows.run(wait("job.ended", match={"state": "failed"}))
    await ends.look()
    await do_job(flows, flows.hall.globex)
    assert ("job.ended", acme.team_id) not in asked
    await do_job(flows)
    assert ("job.ended", acme.team_id) in asked
    await acme.member.post(f"/api/runs/{run['id']}/cancel")
    await ends.look()
    asked.clear()
    await do_job(flows)
    assert asked == []
    outbox.narrow("workflows.waits-for-events", None)
    await do_job(flows)
    assert asked == [(JOB_ENDED.name, acme.team_id)]


async def test_an_event_that_nobody_declares_is_refused_at_its_place(flows):
    refused = await flows.hall.acme.owner.post("/api/workflows", spec(wait("toys.bell.burnt")))
    [error] = refused.json()["errors"]
    assert (refused.status_code, error["pointer"]) == (400, "/steps/0/event")
    assert "toys.bell.rang" in error["message"]
    assert "job.ended" in error["message"]
