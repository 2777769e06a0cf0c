"""Drafts that are tried with a sample: one step, or the whole."""

import pytest

from builtin_plugins.workflows.tests.conftest import each, ref, spec, tool

pytestmark = pytest.mark.shared_server


@pytest.mark.parametrize(
    ("step", "given", "result"),
    [
        (
            {"kind": "transform", "expression": "x[0]", "with": {"x": {"$from": "input.list"}}},
            {"expression": "x[0]", "with": {"x": [7]}},
            7,
        ),
        (
            {"kind": "choice", "when": {"equals": [{"$from": "input.list.0"}, 7]}, "then": "z", "else": "z"},
            {"equals": [7, 7]},
            True,
        ),
        ({"kind": "tool", "tool": "toy", "with": {"value": {"$from": "input.list"}}}, {"value": [7]}, None),
    ],
)
async def test_a_step_is_tried_with_a_sample_and_does_nothing(flows, step, given, result):
    raw = spec({"name": "s", **step}, tool("z"), inputs={"list": "array"})
    body = {"spec": raw, "step": "s", "input": {"list": [7]}}
    tried = (await flows.hall.acme.owner.post("/api/workflow-tries", body)).json()
    assert tried == {"given": given, "result": result, "error": None}
    assert flows.toys.calls == []


async def test_a_step_that_would_fail_says_so_when_it_is_tried(flows):
    raw = spec(tool("c", "no number", tool="count"))
    tried = (await flows.hall.acme.owner.post("/api/workflow-tries", {"spec": raw, "step": "c"})).json()
    assert tried["error"]["code"] == "invalid_request"
    none = await flows.hall.acme.owner.post("/api/workflow-tries", {"spec": raw, "step": "x"})
    assert (none.status_code, none.json()["errors"][0]["pointer"]) == (400, "/step")


async def whole(flows, *steps, outputs=None, input=None, **more):
    body = {"spec": spec(*steps, **more), "input": input or {}, "outputs": outputs or {}}
    answer = await flows.hall.acme.owner.post("/api/workflow-tests", body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_whole_draft_is_tried_and_writes_nothing(flows):
    owner = flows.hall.acme.owner
    tried = await whole(
        flows,
        {"name": "list", "kind": "tool", "tool": "list_files", "with": {"prefix": "x/"}},
        {
            "name": "pick",
            "kind": "transform",
            "expression": "length(@)",
            "with": ref("steps.list.output.result.items"),
        },
        {"name": "ask", "kind": "approve", "title": "Fine?", "people": [owner.user_id]},
        {"name": "look", "kind": "http", "method": "POST", "url": "https://example.org/"},
        tool("play", ref("steps.pick.output.result")),
        {
            "name": "note",
            "kind": "tool",
            "tool": "write_note",
            "with": {"title": ref("input.title"), "body": ref("steps.ask.output.result.decision")},
        },
        input={"title": "Plan"},
        inputs={"title": "string"},
    )
    assert tried["error"] is None
    assert [(one["name"], one["how"]) for one in tried["steps"]] == [
        ("list", "ran"),
        ("pick", "computed"),
        ("ask", "assumed"),
        ("look", "not_run"),
        ("play", "not_run"),
        ("note", "previewed"),
    ]
    by_name = {one["name"]: one for one in tried["steps"]}
    assert by_name["list"]["result"] == {"items": [], "more": False}
    assert by_name["play"]["given"] == {"value": 0}
    assert by_name["note"]["given"] == {"title": "Plan", "body": "approve"}
    assert tried["output"] == {"result": {"id": None, "title": "Plan", "url": None}}
    assert flows.toys.calls == []
    assert (await owner.get("/api/notes")).json()["items"] == []
    assert (await owner.get("/api/approvals")).json()["items"] == []
    assert (await owner.get("/api/runs")).json()["items"] == []


async def test_samples_stand_for_steps_and_lead_where_a_run_would_go(flows):
    steps = [
        {"name": "ask", "kind": "approve", "title": "t", "role": "admin", "rejected": "no", "next": "big"},
        {"name": "big", "kind": "choice", "when": {"greater": [ref("input.n"), 5]}, "then": "a", "else": "b"},
        tool("a", 1, end=True),
        each("b", ref("input.items"), end=True),
        {
            "name": "no",
            "kind": "parallel",
            "branches": [[{"name": "x", "kind": "transform", "expression": "@", "with": 1}], [tool("y", 2)]],
        },
    ]
    inputs = {"n": "integer", "items": "array"}

    async def names(n, **outputs):
        tried = await whole(flows, *steps, inputs=inputs, input={"n": n, "items": [1, 2]}, outputs=outputs)
        assert tried["error"] is None
        return [one["name"] for one in tried["steps"]], tried["output"]

    assert await names(6) == (["ask", "big", "a"], {"result": None})
    assert await names(5) == (["ask", "big", "b"], {"results": [None, None]})
    assert await names(5, b={"results": [7]}) == (["ask", "big", "b"], {"results": [7]})
    said_no = {"ask": {"result": {"decision": "reject"}}}
    assert await names(1, **said_no) == (["ask", "no", "x", "y"], {"result": [1, None]})


async def test_a_draft_that_would_fail_says_where_and_one_that_is_caught_goes_on(flows):
    bad = tool("c", "no number", tool="count")
    tried = await whole(flows, bad)
    assert tried["error"]["step"] == "c"
    assert tried["error"]["code"] == tried["steps"][0]["error"]["code"] == "invalid_request"
    caught = await whole(flows, {**bad, "catch": {"next": "z"}, "end": True}, tool("z", 1))
    assert caught["error"] is None
    assert [one["name"] for one in caught["steps"]] == ["c", "z"]
    for body in ({"spec": {}}, {"spec": spec(tool("a"), inputs={"n": "integer"}), "input": {"n": "x"}}):
        assert (await flows.hall.acme.owner.post("/api/workflow-tests", body)).status_code == 400


async def test_a_draft_that_goes_in_circles_ends(flows):
    steps = [
        tool("a", 1),
        {"name": "again", "kind": "choice", "when": {"equals": [1, 1]}, "then": "a", "else": "z"},
        tool("z"),
    ]
    tried = await whole(flows, *steps, max_steps=40)
    assert tried["error"]["code"] == "too_many_steps"
    assert len(tried["steps"]) == 40


async def test_a_draft_is_tried_within_the_rights_of_who_tries_it(flows):
    written = {"name": "w", "kind": "tool", "tool": "write_document", "with": {"key": "a.txt", "text": "x"}}
    scoped = await flows.hall.with_token(flows.hall.acme.owner, scope=["workflows:write"])
    answer = await scoped.post("/api/workflow-tests", {"spec": spec(written)})
    assert (answer.status_code, answer.json()["error"]["code"]) == (200, "permission_denied")
    refused = await flows.hall.acme.viewer.post("/api/workflow-tests", {"spec": spec(written)})
    assert refused.status_code == 403
