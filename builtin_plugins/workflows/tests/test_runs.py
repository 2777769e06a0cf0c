"""Runs: a workflow is walked step by step, each step a job."""

import asyncio

import pytest

from builtin_plugins.workflows.tests.conftest import each, ref, tool
from guildhall_sdk import TooManyRequests, Unavailable, UserError
from guildhall_sdk.errors import BadGateway
from guildhall_sdk.tools import Artifact

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


def states(run):
    return [(step["name"], step["state"]) for step in run["steps"]]


async def test_steps_run_in_order_and_the_last_output_is_that_of_the_run(flows):
    run = await flows.run(
        tool("a", ref("input.message")),
        tool("b", [ref("steps.a.output.result"), ref("run.id"), ref("locale")]),
        inputs={"message": "string"},
        message="hello",
    )
    assert (run["state"], run["error"]) == ("succeeded", None)
    assert states(run) == [("a", "succeeded"), ("b", "succeeded")]
    assert run["output"] == {"result": ["hello", run["id"], "en"]}
    assert run["steps"][0]["input"] == {"value": "hello"}
    assert run["steps"][0]["output"] == {"result": "hello"}
    assert run["input"] == {"message": "hello"}
    assert (run["created_by"], run["steps_used"]) == (flows.hall.acme.member.user_id, 2)


async def test_a_choice_takes_one_way_and_the_other_is_not_listed(flows):
    steps = (
        {"name": "fork", "kind": "choice", "when": {"empty": ref("input.x")}, "then": "d", "else": "c"},
        tool("c", "c", end=True),
        tool("d", "d"),
    )
    assert states(await flows.run(*steps, inputs={"x": "string"}, x="")) == [
        ("fork", "succeeded"),
        ("d", "succeeded"),
    ]
    assert states(await flows.run(*steps, inputs={"x": "string"}, x="y"))[1] == ("c", "succeeded")


async def test_a_map_gives_its_results_in_the_order_of_the_items(flows):
    async def late_first(host, principal, arguments):
        for _ in range(3 - arguments["value"]["n"]):
            await asyncio.sleep(0)
        return arguments["value"]

    flows.toys.play = late_first
    run = await flows.run(
        each("m", [3, 1, 2], {"n": ref("item"), "at": ref("index")}),
        tool("z", {"n": 1, "whole": ref("steps.m.output.results")}),
    )
    results = [{"result": {"n": n, "at": at}} for at, n in enumerate([3, 1, 2])]
    assert run["steps"][0]["output"] == {"results": results}
    assert run["steps"][0]["items"] == {"total": 3, "done": 3, "failed": 0}
    assert run["output"]["result"]["whole"] == results


@pytest.mark.every_database
async def test_a_map_without_items_goes_on_at_once(flows):
    run = await flows.run(each("m", []), tool("z", ref("steps.m.output.results")))
    assert (run["output"], run["steps_used"]) == ({"result": []}, 1)
    assert (await flows.run(each("m", [])))["output"] == {"results": []}


async def test_a_map_of_more_items_than_its_window_ends(flows):
    run = await flows.run(each("m", list(range(450))), max_steps=450)
    assert [one["result"] for one in run["output"]["results"]] == list(range(450))


@pytest.mark.parametrize(
    ("over", "code"), [({"a": 1}, "not_a_list"), (None, "not_a_list"), ([0] * 10_001, "too_many_items")]
)
async def test_a_map_over_anything_but_a_list_that_it_takes_fails_by_name(flows, over, code):
    await flows.publish(tool("a"), each("m", ref("steps.a.output.result")), max_steps=20_000)

    async def give(host, principal, arguments):
        return over

    flows.toys.play = give
    run = await flows.start()
    await flows.hall.drain_jobs()
    run = await flows.read(run)
    assert (run["state"], run["error"]["code"], run["error"]["step"]) == ("failed", code, "m")
    assert len(flows.toys.calls) == 1


async def test_all_items_of_a_map_run_and_one_that_failed_fails_the_step(flows):
    async def odd(host, principal, arguments):
        if arguments["value"] % 2:
            raise UserError("It is odd.", code="odd")
        return arguments["value"]

    flows.toys.play = odd
    run = await flows.run(each("m", [0, 1, 2, 3]), tool("z"))
    assert (run["state"], run["error"]["code"], run["error"]["step"]) == ("failed", "odd", "m")
    assert run["error"]["message"] == "Item 1: It is odd."
    assert run["steps"][0]["items"] == {"total": 4, "done": 2, "failed": 2}
    assert states(run) == [("m", "failed")]


async def test_a_failed_step_is_retried_as_often_as_it_says(flows):
    async def shaky(host, principal, arguments):
        if len(flows.toys.calls) < 3:
            raise Unavailable("Not now.")
        return "at last"

    flows.toys.play = shaky
    await flows.publish(tool("a", retry=2))
    run = await flows.start()
    for _ in range(3):
        await flows.hall.drain_jobs()
        flows.hall.clock.advance(minutes=10)
    run = await flows.read(run)
    assert (run["state"], run["steps"][0]["attempt"], len(flows.toys.calls)) == ("succeeded", 3, 3)


@pytest.mark.parametrize("error", [BadGateway("Broken."), RuntimeError("boom"), UserError("No.")])
async def test_a_step_without_retries_is_tried_once_and_what_cannot_heal_never_again(flows, error):
    async def fail(host, principal, arguments):
        raise error

    flows.toys.play = fail
    retry = {"retry": 2} if isinstance(error, UserError) else {}
    run = await flows.run(tool("a", **retry))
    flows.hall.clock.advance(minutes=30)
    await flows.hall.drain_jobs()
    assert (run["state"], len(flows.toys.calls)) == ("failed", 1)
    assert "boom" not in str(run)


async def test_a_spent_quota_puts_a_step_off_and_uses_no_retry(flows):
    async def braked(host, principal, arguments):
        if len(flows.toys.calls) == 1:
            raise TooManyRequests("Later.", code="quota_exceeded", headers={"Retry-After": "3600"})
        return "done"

    flows.toys.play = braked
    await flows.publish(tool("a"))
    run = await flows.start()
    await flows.hall.drain_jobs()
    waiting = await flows.read(run)
    assert (waiting["state"], waiting["steps"][0]["attempt"]) == ("running", 1)
    flows.hall.clock.advance(hours=2)
    await flows.hall.drain_jobs()
    assert (await flows.read(run))["output"] == {"result": "done"}


async def test_a_run_takes_no_more_jobs_than_max_steps(flows):
    again = {"name": "again", "kind": "choice", "when": {"present": 1}, "then": "a", "else": "z"}
    await flows.publish(tool("a"), again, tool("z"), max_steps=5)
    run = await flows.start()
    await flows.hall.drain_jobs()
    run = await flows.read(run)
    assert (run["error"]["code"], run["error"]["step"], run["steps_used"]) == ("max_steps_exceeded", "a", 5)
    assert len(flows.toys.calls) == 5
    await flows.publish(each("m", ref("input.x")), inputs={"x": "array"}, max_steps=3)
    run = await flows.start(x=[1, 2, 3, 4])
    assert run["error"]["code"] == "max_steps_exceeded"
    assert len(flows.toys.calls) == 5


async def test_outputs_are_limited_to_one_mebibyte(flows):
    async def long(host, principal, arguments):
        return "x" * arguments["value"]

    flows.toys.play = long
    run = await flows.run(tool("a", 1024 * 1024))
    assert run["error"]["code"] == "result_too_large"
    run = await flows.run(each("m", [400_000] * 4))
    assert (run["error"]["code"], run["steps"][0]["state"]) == ("result_too_large", "failed")
    run = await flows.run(each("m", [250_000] * 4))
    assert run["state"] == "succeeded"


async def test_an_artifact_is_kept_whole_and_what_is_no_json_fails_the_step_once(flows):
    async def paint(host, principal, arguments):
        return Artifact("text", "A title", extra={"text": "long"}) if arguments["value"] else object()

    flows.toys.play = paint
    run = await flows.run(tool("a", 1), tool("b", 2, retry=0))
    assert run["output"]["result"] == {"kind": "text", "title": "A title", "summary": "", "text": "long"}
    run = await flows.run(tool("a", 0))
    flows.hall.clock.advance(minutes=30)
    await flows.hall.drain_jobs()
    assert (run["state"], run["error"]["code"], len(flows.toys.calls)) == ("failed", "internal", 3)


async def test_arguments_that_the_tool_does_not_take_fail_the_step_with_their_place(flows):
    run = await flows.run(tool("a", ref("input.x"), tool="count"), inputs={"x": "string"}, x="one")
    assert (run["error"]["code"], run["error"]["step"]) == ("invalid_request", "a")
    assert "/value" in run["error"]["message"]


async def test_a_run_is_refused_before_anything_is_kept(flows):
    member = flows.hall.acme.member
    await flows.publish(tool("a", ref("input.x")), inputs={"x": "string"})
    for body, pointer in (({}, "/input/x"), ({"input": {"x": 1}}, "/input/x")):
        answer = await member.post("/api/workflows/flow/run", body)
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, pointer)
    answer = await member.post("/api/workflows/flow/run", {"input": {"x": "", "y": 1}})
    assert answer.json()["errors"][0]["pointer"] == "/input/y"
    assert (await member.post("/api/workflows/none/run", {"input": {}})).status_code == 404
    assert (await flows.hall.acme.viewer.post("/api/workflows/flow/run", {})).status_code == 403
    assert (await member.get("/api/runs")).json()["items"] == []


async def test_a_run_keeps_the_version_that_it_began_with(flows):
    await flows.publish(tool("a", 1), tool("b", "old"))
    run = await flows.start()
    await flows.publish(tool("a", 2), tool("b", "new"))
    await flows.hall.drain_jobs()
    run = await flows.read(run)
    assert (run["workflow"], run["output"]) == ({"slug": "flow", "version": 1}, {"result": "old"})


async def test_runs_are_listed_newest_first_by_workflow_and_state(flows):
    member = flows.hall.acme.member
    await flows.publish(tool("a", 1))
    await flows.publish(tool("a", 1), slug="other")
    first, second, other = [await flows.start(slug) for slug in ("flow", "flow", "other")]
    page = (await member.get("/api/runs?limit=2")).json()
    assert [run["id"] for run in page["items"]] == [other["id"], second["id"]]
    page = (await member.get(f"/api/runs?limit=2&cursor={page['next_cursor']}")).json()
    assert ([run["id"] for run in page["items"]], page["next_cursor"]) == ([first["id"]], None)
    await flows.hall.drain_jobs()
    listed = (await member.get("/api/runs?workflow=flow&state=succeeded")).json()["items"]
    assert [(run["id"], run["output"]) for run in listed] == [
        (second["id"], {"result": 1}),
        (first["id"], {"result": 1}),
    ]
    assert (await member.get("/api/runs?state=failed")).json()["items"] == []
    assert (await member.get("/api/runs?state=odd")).status_code == 400
