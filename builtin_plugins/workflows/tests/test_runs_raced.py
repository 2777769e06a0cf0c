"""Ends of jobs that come twice, at once, too late, or in any order with a cancel."""

import asyncio
from contextvars import Context

import pytest

from builtin_plugins.workflows.runs.ending import cancel_run
from builtin_plugins.workflows.runs.engine import RunEngine
from builtin_plugins.workflows.runs.statements import retrying_sql, sweeping_sql
from builtin_plugins.workflows.runs.values import StepEnd
from builtin_plugins.workflows.runs.walk import Walk
from builtin_plugins.workflows.tests.conftest import each, tool
from guildhall_testing.statements import before_statements

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]

OUTPUT = '{"result":1}'


@pytest.fixture
def held(flows):
    """A hall that claims no job: the test ends them itself."""
    claimer = flows.hall.server.declared.scheduler.claimer
    claimer._closed = True
    yield flows
    claimer._closed = False


def end(run, number=1, index=None, state="succeeded", code=None):
    output = OUTPUT if state == "succeeded" else None
    return StepEnd(
        run_id=run["id"],
        number=number,
        index=index,
        state=state,
        output=output,
        code=code,
        message=code and "It is so.",
    )


async def take(flows, *ends):
    async with flows.hall.server.data.write() as writer:
        await flows.hall.server.host_of("workflows").service(RunEngine).take_ends(writer, ends)


async def cancel(flows, run):
    host = flows.hall.server.host_of("workflows")
    async with host.data.write() as writer:
        await cancel_run(host, writer, flows.hall.acme.id, run["id"])


async def stuck(flows):
    async with flows.hall.server.data.read() as reader:
        return await reader.all(sweeping_sql.stuck, after="", limit=10)


async def queued(flows):
    return len((await flows.hall.acme.member.get("/api/jobs?state=queued")).json()["items"])


async def test_an_end_that_comes_twice_counts_once(held):
    await held.publish(tool("a"), tool("b"))
    run = await held.start()
    await take(held, end(run), end(run))
    before = await held.read(run)
    await take(held, end(run, state="failed", code="late"))
    after = await held.read(run)
    assert [(step["name"], step["state"]) for step in after["steps"]] == [
        ("a", "succeeded"),
        ("b", "running"),
    ]
    assert (after["steps"], after["state"]) == (before["steps"], "running")
    assert await queued(held) == 2  # the job of a, which nobody ran, and that of b


@pytest.mark.every_database
async def test_the_last_two_items_of_a_map_may_end_at_once(held):
    await held.publish(each("m", [1, 2]), tool("z"))
    for _ in range(5):
        run = await held.start()
        await asyncio.gather(
            take(held, end(run, 1, 0)), take(held, end(run, 1, 1)), take(held, end(run, 1, 1))
        )
        seen = await held.read(run)
        assert [(step["name"], step["state"]) for step in seen["steps"]] == [
            ("m", "succeeded"),
            ("z", "running"),
        ]
        assert seen["steps"][0]["items"] == {"total": 2, "done": 2, "failed": 0}


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("state", "code"),
    [("succeeded", None), ("failed", "no"), ("failed", "poison"), ("cancelled", "cancelled")],
)
@pytest.mark.parametrize("first", ["cancel", "end", "both"])
async def test_a_cancel_and_an_end_in_any_order_leave_one_outcome(held, state, code, first):
    await held.publish(tool("a"))
    run = await held.start()
    ending, cancelling = take(held, end(run, state=state, code=code)), cancel(held, run)
    if first == "both":
        await asyncio.gather(ending, cancelling, return_exceptions=True)
    elif first == "cancel":
        await cancelling
        await ending
    else:
        await ending
        await asyncio.gather(cancelling, return_exceptions=True)
    seen = await held.read(run)
    assert seen["state"] in {"cancelled", state}
    assert seen["state"] == ("cancelled" if first == "cancel" else state) or first == "both"
    assert all(step["state"] != "running" for step in seen["steps"])
    await take(held, end(run))
    assert await held.read(run) == seen
    assert await stuck(held) == []


@pytest.mark.every_database
async def test_items_that_end_while_their_cancelled_run_is_retried_are_kept_or_done_again(held, monkeypatch):
    """What is counted as kept is what is copied: else the new run would wait for ever."""
    await held.publish(each("m", [1, 2, 3]))
    run = await held.start()

    async def all_are_executed(self, writer, walk):
        pass

    monkeypatch.setattr(RunEngine, "cancel_waiting", all_are_executed)
    await cancel(held, run)
    late, begin = [], Walk.resume_map

    def while_it_is_copied(self, *arguments):
        late.append(asyncio.create_task(take(held, end(run, 1, 0)), context=Context()))
        return begin(self, *arguments)

    monkeypatch.setattr(Walk, "resume_map", while_it_is_copied)

    async def wait_for_the_late(call):
        if call.statement is retrying_sql.copy_items and held.hall.database == "postgresql":
            await asyncio.wait(late, timeout=0.2)

    before_statements(monkeypatch.setattr, wait_for_the_late)
    answer = await held.hall.acme.member.post(f"/api/runs/{run['id']}/retry", {})
    assert answer.status_code == 202, answer.text
    await asyncio.gather(*late)
    new = answer.json()
    await take(held, *(end(new, 1, index) for index in range(3)))
    seen = await held.read(new)
    assert (seen["state"], seen["steps"][0]["items"]) == ("succeeded", {"total": 3, "done": 3, "failed": 0})


@pytest.mark.every_database
@pytest.mark.own_server
async def test_a_step_that_lapses_is_done_again_and_one_that_is_poison_fails_its_run(flows):
    scheduler = flows.hall.server.declared.scheduler
    await flows.publish(tool("a"), tool("b", end=True))
    gate = asyncio.Event()

    async def hang(host, principal, arguments):
        if not gate.is_set():
            await asyncio.Event().wait()

    flows.toys.play = hang
    run = await flows.start()
    for lapse in range(3):
        while len(flows.toys.calls) <= lapse:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        (job,) = scheduler._local.held
        async with flows.hall.server.data.write() as writer:
            row = {"id": job.id, "lapses": lapse, "max_attempts": 4}
            await scheduler._endings.take_away(writer, [row], at_once=True)
        scheduler._local.drop(job)
    seen = await flows.read(run)
    assert (seen["state"], seen["error"]["code"], seen["error"]["step"]) == ("failed", "poison", "a")
    assert await stuck(flows) == []
