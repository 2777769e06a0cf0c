"""What one run computes with and shows has an end, however often it refers to something long."""

import asyncio
import threading

import pytest

from builtin_plugins.workflows.runs import reading, step_job
from builtin_plugins.workflows.spec import bindings
from builtin_plugins.workflows.tests.conftest import each, ref, tool
from kernel.scheduler import callbacks

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

TEXT = "x" * 100_000


def choice(name, when, onward):
    return {"name": name, "kind": "choice", "when": when, "then": onward, "else": onward}


async def test_a_call_that_would_be_given_a_long_text_a_hundred_times_fails_by_name(flows):
    run = await flows.run(tool("a", [ref("input.x")] * 100, retry=3), inputs={"x": "string"}, x=TEXT)
    assert run["error"]["code"] == "input_too_large"
    assert "repository" in run["error"]["message"]
    assert run["steps"][0]["attempt"] == 1 and run["steps"][0]["input"] is None
    assert flows.toys.calls == []


async def test_a_map_over_a_long_text_a_hundred_times_fails_by_name_and_keeps_no_item(flows):
    over = [ref("input.x")] * 100
    run = await flows.run(each("a", over, 1), inputs={"x": "string"}, x=TEXT, max_steps=200)
    assert run["error"]["code"] == "input_too_large" and run["steps_used"] == 0
    assert "items" not in run["steps"][0]


async def test_a_result_of_a_mebibyte_of_numbers_goes_into_the_next_step(flows):
    many = [100] * 200_000
    flows.toys.play = lambda _host, _who, given: asyncio.sleep(
        0, len(given["value"]) if given["value"] else many
    )
    run = await flows.run(tool("a"), tool("b", ref("steps.a.output.result")))
    assert (run["state"], run["output"]) == ("succeeded", {"result": 200_000})


@pytest.mark.parametrize(
    "when",
    [
        {"equals": [ref("input.x"), ref("input.y")]},
        {"in": [ref("input.x"), [ref("input.y")] * 100]},
        {"contains": [[ref("input.x")] * 100, ref("input.y")]},
    ],
    ids=["equals", "in", "contains"],
)
async def test_choices_that_compare_too_much_before_the_next_call_fail_by_name(flows, when, monkeypatch):
    monkeypatch.setattr(bindings, "MAX_COMPARED", 20_000)
    choices = [choice(f"c{number}", when, f"c{number + 1}") for number in range(20)]
    choices[-1] |= {"then": "a", "else": "a"}
    many = [1] * 1_000
    run = await flows.run(*choices, tool("a"), inputs={"x": "array", "y": "array"}, x=many, y=many)
    assert run["error"]["code"] == "predicate_too_large"


async def test_to_ask_whether_something_long_is_there_costs_nothing(flows, monkeypatch):
    monkeypatch.setattr(bindings, "MAX_COMPARED", 100)
    asked = choice("c", {"empty": ref("input.x")}, "a")
    run = await flows.run(asked, tool("a"), inputs={"x": "string"}, x=TEXT)
    assert run["state"] == "succeeded"


async def test_what_many_steps_were_given_is_shown_as_far_as_there_is_room(flows, monkeypatch):
    monkeypatch.setattr(reading, "MAX_SHOWN", 5 * len(TEXT))
    flows.toys.play = lambda *_: asyncio.sleep(0, 1)
    steps = [tool(f"s{number}", ref("input.x")) for number in range(8)]
    run = await flows.run(*steps, inputs={"x": "string"}, x=TEXT)
    given = [step["input"] for step in run["steps"]]
    assert given[:4] == [{"value": TEXT}] * 4 and given[5:] == [None] * 3
    assert [step["output"] for step in run["steps"]] == [{"result": 1}] * 8
    events = await flows.hall.acme.member.get(f"/api/runs/{run['id']}/events")
    assert events.text.count(TEXT) == 5 and "event: done" in events.text


async def test_a_long_result_is_read_and_written_aside_from_the_event_loop(flows, monkeypatch):
    on = []

    def reading(row, real=callbacks.job_of):
        on.append((len(row["result"] or "") > 32_768, threading.current_thread() is threading.main_thread()))
        return real(row)

    monkeypatch.setattr(callbacks, "job_of", reading)
    flows.toys.play = lambda _host, _who, given: asyncio.sleep(0, [{"a": 1}] * given["value"])
    run = await flows.run(tool("a", 10_000), tool("b", 1))
    assert run["state"] == "succeeded"
    assert sorted(on) == [(False, True), (True, False)]


@pytest.mark.parametrize("bottom", [1, TEXT], ids=["short", "long"])
@pytest.mark.parametrize("depth", [120, 948])
async def test_a_result_that_nobody_could_walk_down_later_fails_its_step(flows, depth, bottom):
    deep = bottom
    for _ in range(depth):
        deep = [deep]
    flows.toys.play = lambda *_: asyncio.sleep(0, deep)
    run = await flows.run(tool("a", retry=2), tool("b"))
    code = None if depth == 120 else "result_too_deep"
    assert ((run["error"] or {}).get("code"), run["steps"][0]["attempt"]) == (code, 1)
    assert run["state"] == ("succeeded" if code is None else "failed")


async def test_a_step_that_takes_too_long_is_stopped_and_has_its_retries(flows, monkeypatch):
    stopped = []

    async def dawdle(host, principal, arguments):
        if stopped:
            return "in time"
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(1)

    flows.toys.play = dawdle
    monkeypatch.setattr(step_job, "STEP_SECONDS", 0.05)
    await flows.publish(tool("a", retry=1), tool("b"))
    run = await flows.start()
    for _ in range(2):
        await flows.hall.drain_jobs()
        flows.hall.clock.advance(minutes=10)
    await flows.hall.drain_jobs()
    run = await flows.read(run)
    assert (run["state"], [step["attempt"] for step in run["steps"]]) == ("succeeded", [2, 1])


async def test_a_step_that_takes_too_long_each_time_fails_by_name(flows, monkeypatch):
    async def dawdle(host, principal, arguments):
        await asyncio.Event().wait()

    flows.toys.play = dawdle
    monkeypatch.setattr(step_job, "STEP_SECONDS", 0.05)
    run = await flows.run(tool("a"))
    assert (run["state"], run["error"]["code"]) == ("failed", "timeout")
