"""Jobs that are bound to a push executor: the server runs them, with the model behind it."""

import pytest

from guildhall_sdk import NewJob
from guildhall_sdk.jobs import JobBinding
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.models import Executors

pytestmark = pytest.mark.any_database

HELLO = {"messages": [{"role": "user", "content": "Hello"}]}
COMPLETION = {"choices": [{"message": {"content": "Hi."}, "finish_reason": "stop"}]}


@pytest.fixture
def turn():
    """`await turn(desk, executor, payload)`: the job of a turn, as it is once nothing is left to do."""

    async def turn(desk, executor, payload):
        jobs, team = desk.hall.server.service(Jobs), desk.hall.acme
        bound = JobBinding(executor.id, executor.name, pushed=True)
        async with desk.data.write() as writer:
            new = NewJob(
                "ai.turn",
                desk.acme,
                team.id,
                team.member.user_id,
                payload,
                bound_to=bound,
            )
            asked = await jobs.enqueue(writer, new)
        await desk.hall.drain_jobs()
        async with desk.data.read() as reader:
            return await jobs.get(reader, team.id, asked.id)

    return turn


async def test_a_turn_goes_to_the_executor_with_its_key_and_model(desk, turn, model_server):
    made, _ = await desk.create("gpu", "push", url=model_server.url, key="sk-the-key", model="small-1")
    model_server.answer(COMPLETION)
    job = await turn(desk, made, HELLO)
    assert (job.state, job.result["reply"], job.worker) == ("succeeded", "Hi.", "gpu")
    assert model_server.sent["model"] == "small-1"
    assert model_server.requests[0][1]["authorization"] == "Bearer sk-the-key"
    await turn(desk, made, {**HELLO, "model": "other"})
    assert model_server.sent["model"] == "other"


async def test_a_turn_with_one_that_is_gone_fails(desk, turn, model_server):
    made, _ = await desk.create("gpu", "push", url=model_server.url)
    await desk.retire(made.id)
    job = await turn(desk, made, HELLO)
    assert (job.state, job.error.code) == ("failed", "unknown_executor")
    assert model_server.requests == []


async def test_without_the_plugin_the_server_runs_its_own_jobs(open_hall):
    """What is bound to an endpoint waits until the plugin is back; every other job runs."""
    async with open_hall(SERVICE_PLUGINS_BLOCKED="executors") as hall:
        assert hall.server.host.find_service(Executors) is None
        asked = await hall.acme.member.post(
            "/api/jobs", {"kind": "x.example-tools.word-count", "payload": {"text": "one two"}}
        )
        assert asked.status_code == 202
        await hall.drain_jobs()
        done = (await hall.acme.member.get(f"/api/jobs/{asked.json()['id']}")).json()
        assert done["state"] == "succeeded"
        assert (await hall.acme.member.get("/api/executors")).status_code == 404
