"""The kinds of steps that this plugin declares: transforms, branches, catches, waits and workflows within."""

import asyncio

import pytest

from builtin_plugins.workflows.kinds.transform import _Worker
from builtin_plugins.workflows.kinds.wait import HOOK_PATH
from builtin_plugins.workflows.tests.conftest import each, ref, tool

pytestmark = pytest.mark.shared_server


def transform(name, expression, data=None, **more):
    return {"name": name, "kind": "transform", "expression": expression, "with": data, **more}


def wait(name, **fields):
    return {"name": name, "kind": "wait", **fields}


def states(run):
    return {step["name"]: step["state"] for step in run["steps"]}


async def fails(host, principal, arguments):
    from guildhall_sdk import JobFailed

    raise JobFailed("broken", "It broke.")


async def test_a_transform_makes_json_of_json(flows):
    data = {"rows": [{"n": 1, "ok": True}, {"n": 2, "ok": False}]}
    run = await flows.run(transform("t", "rows[?ok].n", data), tool("z", ref("steps.t.output.result.0")))
    assert (run["state"], run["output"]) == ("succeeded", {"result": 1})
    assert run["steps"][0] | {"kind": "transform", "output": {"result": [1]}} == run["steps"][0]


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("abs(@)", "transform_failed"),
        ("|".join(["[@,@]"] * 40), "transform_too_large"),
        ("|".join(["[@,@][]"] * 40), "transform_timeout"),
    ],
)
async def test_a_transform_that_cannot_end_well_fails_its_step_and_harms_no_other(flows, expression, code):
    run = await flows.run(transform("t", expression, {"a": "text"}))
    assert (run["state"], run["error"]["step"]) == ("failed", "t")
    assert run["error"]["code"] in {code, "transform_timeout", "transform_too_large", "result_too_large"}
    assert (await flows.run(transform("t", "a", {"a": 5})))["output"] == {"result": 5}


@pytest.mark.any_database
def test_a_fork_asks_a_process_of_its_own_and_leaves_the_other_alone():
    worker = _Worker()
    assert worker.ask("a", {"a": 1}) == 1
    first, worker._owner = worker._process, worker._owner + 1
    assert worker.ask("a", {"a": 2}) == 2
    assert worker._process is not first
    assert first.poll() is None
    for process in (first, worker._process):
        process.stdin.close()
        assert process.wait(20) == 0
        process.stdout.close()


@pytest.mark.any_database
async def test_what_is_no_expression_is_refused_at_its_place(flows):
    spec = {"slug": "x", "start": "t", "steps": [transform("t", "rows[?")]}
    refused = await flows.hall.acme.owner.post("/api/workflows", spec)
    assert refused.status_code == 400
    assert [one["pointer"] for one in refused.json()["errors"]] == ["/steps/0/expression"]


async def test_branches_run_beside_one_another_and_join_in_their_order(flows):
    seen = []

    async def meet(host, principal, arguments):
        seen.append(arguments["value"])
        if len(seen) == 3:
            gate.set()
        await asyncio.wait_for(gate.wait(), 20)
        return arguments["value"]

    gate = asyncio.Event()
    flows.toys.play = meet
    branches = [
        [tool("a", 1)],
        [tool("b", 2), transform("b2", "@", ref("steps.b.output.result"))],
        [tool("c", 3)],
    ]
    run = await flows.run(
        {"name": "p", "kind": "parallel", "branches": branches},
        transform("z", "@", {"p": ref("steps.p.output.result"), "b": ref("steps.b.output.result")}),
    )
    assert run["steps"][0]["output"] == {"result": [{"result": 1}, {"result": 2}, {"result": 3}]}
    assert run["output"] == {"result": {"p": [{"result": 1}, {"result": 2}, {"result": 3}], "b": 2}}
    assert (run["state"], run["steps_used"]) == ("succeeded", 5)


async def test_a_run_may_end_with_branches_and_with_branches_inside_of_them(flows):
    inner = {"name": "q", "kind": "parallel", "branches": [[tool("x", 1)], [each("y", [])]]}
    run = await flows.run({"name": "p", "kind": "parallel", "branches": [[inner], [tool("b", 2)]]})
    assert run["output"] == {"result": [{"result": [{"result": 1}, {"results": []}]}, {"result": 2}]}
    assert run["state"] == "succeeded"


async def test_a_branch_that_fails_ends_the_others_and_can_be_caught(flows):
    hung, ends = asyncio.Event(), asyncio.Event()

    async def play(host, principal, arguments):
        if arguments["value"] == "fail":
            await asyncio.wait_for(hung.wait(), 20)
            await fails(host, principal, arguments)
        if arguments["value"] == "hang":
            hung.set()
            await ends.wait()
        return arguments["value"]

    flows.toys.play = play
    parallel = {
        "name": "p",
        "kind": "parallel",
        "branches": [[tool("bad", "fail")], [tool("long", "hang"), tool("never")], [wait("w", seconds=9999)]],
        "catch": {"codes": ["broken"], "next": "after"},
    }
    await flows.publish(parallel, tool("skipped", end=True), tool("after", "caught"))
    run = await flows.start()
    drained = asyncio.create_task(flows.hall.drain_jobs())
    while (await flows.read(run))["state"] == "running":  # noqa: ASYNC110
        await asyncio.sleep(0)
    ends.set()
    await drained
    run = await flows.read(run)
    assert (run["state"], run["output"]) == ("succeeded", {"result": "caught"})
    found = states(run)
    assert (found["p"], found["bad"], found["long"], found["w"]) == (
        "failed",
        "failed",
        "cancelled",
        "cancelled",
    )
    assert "never" not in found


@pytest.mark.parametrize("codes", [None, ["broken"]])
async def test_a_failure_is_caught_by_its_code_or_by_any(flows, codes):
    flows.toys.play = fails
    catch = {"next": "mend"} if codes is None else {"codes": codes, "next": "mend"}
    run = await flows.run(tool("a", catch=catch), tool("z", end=True), transform("mend", "`1`"))
    assert (run["state"], run["output"]) == ("succeeded", {"result": 1})
    assert states(run) == {"a": "failed", "mend": "succeeded"}


async def test_a_failure_of_another_code_is_not_caught_nor_is_one_that_would_go_on_for_ever(flows):
    flows.toys.play = fails
    run = await flows.run(tool("a", catch={"codes": ["other"], "next": "b"}), tool("b"))
    assert (run["state"], run["error"]["code"]) == ("failed", "broken")
    run = await flows.run(tool("a", catch={"next": "a"}, end=True), max_steps=3)
    assert (run["state"], run["error"]["code"], run["steps_used"]) == ("failed", "max_steps_exceeded", 3)


async def test_a_map_over_no_list_can_be_caught(flows):
    run = await flows.run(
        each("m", ref("input.x"), catch={"next": "b"}), tool("b", 7), inputs={"x": "string"}, x="no"
    )
    assert (run["state"], run["output"]) == ("succeeded", {"result": 7})


async def test_a_step_that_waits_has_no_job_and_goes_on_when_its_time_has_come(flows):
    run = await flows.run(wait("w", seconds=60), tool("z", 1))
    assert (run["state"], states(run)) == ("running", {"w": "waiting"})
    jobs = (await flows.hall.acme.member.get("/api/jobs?state=queued")).json()["items"]
    assert jobs == []
    assert await flows.settle(run) == run
    flows.hall.server.clock.advance(seconds=61)
    ended = await flows.settle(run)
    assert (ended["state"], ended["output"], ended["steps_used"]) == ("succeeded", {"result": 1}, 2)


async def test_a_wait_until_a_time_that_is_over_goes_on_at_once(flows):
    run = await flows.settle(await flows.run(wait("w", until="2001-01-01T00:00:00Z")))
    assert (run["state"], run["output"]) == ("succeeded", {"result": {"until": "2001-01-01T00:00:00.000Z"}})


@pytest.mark.parametrize("given", ["soon", -1, True, 1e300])
async def test_a_time_that_is_none_fails_the_step(flows, given):
    run = await flows.run(wait("w", seconds=ref("input.x")), inputs={"x": "object"}, x={"y": given})
    assert (run["state"], run["error"]["code"]) == ("failed", "invalid_wait")


async def test_a_step_waits_for_an_event_that_matches_and_that_its_person_may_hear_of(flows):
    run = await flows.run(wait("w", event="note.changed", match={"change": "created"}))
    private = {"title": "t", "body": "b", "visibility": "private"}
    assert (await flows.hall.acme.owner.post("/api/notes", private)).status_code == 201
    assert (await flows.settle(run))["state"] == "running"
    note = (await flows.hall.acme.member.post("/api/notes", {"title": "t", "body": "b"})).json()
    ended = await flows.settle(run)
    assert ended["output"]["result"]["event"]["note_id"] == note["id"]
    assert ended["state"] == "succeeded"


async def test_an_event_that_does_not_match_or_of_another_company_ends_no_wait(flows):
    run = await flows.run(wait("w", event="note.changed", match={"change": "deleted"}, timeout_seconds=600))
    await flows.hall.acme.owner.post("/api/notes", {"title": "t", "body": "b"})
    theirs = (await flows.hall.globex.owner.post("/api/notes", {"title": "t", "body": "b"})).json()
    await flows.hall.globex.owner.delete(f"/api/notes/{theirs['id']}")
    assert (await flows.settle(run))["state"] == "running"
    flows.hall.server.clock.advance(seconds=601)
    ended = await flows.settle(run)
    assert (ended["state"], ended["error"]["code"]) == ("failed", "wait_timeout")


async def test_a_step_waits_for_a_call_of_its_address_which_counts_once(flows):
    run = await flows.run(wait("w", hook=True))
    url = run["steps"][0]["output"]["result"]["url"]
    path = HOOK_PATH + url.rpartition("/")[2]
    assert url.endswith(path)
    for body in ({"n": 1}, {"n": 2}):
        assert (await flows.hall.anonymous.post(path, body)).status_code == 202
    ended = await flows.settle(run)
    assert (ended["state"], ended["output"]) == ("succeeded", {"result": {"body": {"n": 1}}})
    assert (await flows.hall.anonymous.post(path, {})).status_code == 202


async def test_a_workflow_within_gives_its_output(flows):
    await flows.publish(tool("a", ref("input.x")), slug="inner", inputs={"x": "string"})
    step = {"name": "sub", "kind": "workflow", "slug": "inner", "with": {"x": "hello"}}
    run = await flows.settle(await flows.run(step, tool("z", ref("steps.sub.output.result.result"))))
    assert (run["state"], run["output"]) == ("succeeded", {"result": "hello"})
    assert run["steps"][0]["output"] == {"result": {"result": "hello"}}


async def test_a_workflow_within_that_fails_fails_the_step_with_its_code(flows):
    await flows.publish(tool("a"), slug="inner")
    flows.toys.play = fails
    run = await flows.settle(await flows.run({"name": "sub", "kind": "workflow", "slug": "inner"}))
    assert (run["state"], run["error"]["code"], run["error"]["step"]) == ("failed", "broken", "sub")


async def test_a_workflow_within_that_is_not_there_or_takes_other_inputs_fails_the_step(flows):
    run = await flows.run({"name": "sub", "kind": "workflow", "slug": "nowhere"})
    assert (run["state"], run["error"]["code"]) == ("failed", "not_found")
    await flows.publish(tool("a"), slug="inner")
    run = await flows.run({"name": "sub", "kind": "workflow", "slug": "inner", "with": {"x": 1}})
    assert (run["state"], run["error"]["code"]) == ("failed", "invalid_request")


async def test_a_workflow_that_runs_itself_comes_to_an_end(flows):
    await flows.publish({"name": "sub", "kind": "workflow", "slug": "flow"})
    run = await flows.settle(await flows.start())
    assert (run["state"], run["error"]["code"]) == ("failed", "too_deep")


async def test_who_cancels_a_run_cancels_those_that_it_waits_for(flows):
    await flows.publish(wait("w", hook=True), slug="inner")
    run = await flows.run({"name": "sub", "kind": "workflow", "slug": "inner"})
    inner = {"id": run["steps"][0]["output"]["result"]["run_id"]}
    assert (await flows.settle(inner))["state"] == "running"
    await flows.hall.acme.member.post(f"/api/runs/{run['id']}/cancel")
    assert (await flows.settle(run))["state"] == "cancelled"
    ended = await flows.settle(inner)
    assert (ended["state"], states(ended)) == ("cancelled", {"w": "cancelled"})
