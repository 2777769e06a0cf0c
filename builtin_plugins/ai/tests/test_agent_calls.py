"""The agent's tool calls: what goes wrong is a step and the loop goes on, and nobody gains a right."""

import asyncio
import json

import pytest

from builtin_plugins.ai.agent import calls
from builtin_plugins.ai.tests.agent_tools import PATH, SECRET, call

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


async def audited(client):
    items = (await client.get("/api/audit")).json()["items"]
    return [item for item in reversed(items) if item["action"] == "tool.called"]


BAD_CALLS = [
    (call("no_such_tool"), "unknown_tool"),
    (call("asleep", {"text": "x"}), "tool_disabled"),
    (call("shout", {"text": 1}), "invalid_request"),
    (call("shout", {"text": "x", "loud": True}), "invalid_request"),
    (call("shout", "[1]"), "invalid_request"),
    (call("shout", "{text: x}"), "invalid_json"),
    (call("shout", '{"text": "\\ud800"}'), "invalid_json"),
    (call("sum_up", '{"numbers": [NaN]}'), "invalid_json"),
    (call("sum_up", '{"numbers": ' + "[" * 90 + "]" * 90 + "}"), "invalid_json"),
    (call("sum_up", '{"numbers": ' + "[" * 90_000 + "]" * 90_000 + "}"), "invalid_json"),
    (call("sum_up", '{"numbers": [9223372036854775808]}'), "invalid_json"),
    (call("shout", json.dumps({"text": "x" * 300_000})), "invalid_request"),
    (call("refuse"), "monday"),
    (call("crash"), "internal"),
    (call("leave"), "internal"),
    (call("strange"), "internal"),
]


async def test_a_call_that_fails_is_told_to_the_model_and_the_loop_goes_on(shop):
    shop.model.say("", tool_calls=[bad for bad, _ in BAD_CALLS])
    shop.model.say("", tool_calls=[call("shout", {"text": "on"})])
    shop.model.say("All the same.")
    body = (await shop.acme.member.post(PATH, {"prompt": "Go."})).json()
    *failed, last = body["steps"]
    codes = [code for _, code in BAD_CALLS]
    assert [step["error"]["code"] for step in failed] == codes
    assert not any("result" in step for step in failed)
    assert "an inner detail" not in json.dumps(body)
    assert (last["result"], body["reply"]) == ("ON", "All the same.")
    said, *read = shop.model.calls[1].body["messages"][2:]
    assert [json.loads(one["content"])["error"] for one in read] == [step["error"] for step in failed]
    # Some servers fail over a history in which arguments are no JSON.
    assert all(isinstance(json.loads(one["function"]["arguments"]), dict) for one in said["tool_calls"])
    outcomes = [item["detail"]["outcome"] for item in await audited(shop.acme.owner)]
    assert sorted(outcomes) == sorted([*codes, "ok"])


async def test_each_call_is_in_the_audit_trail_without_what_it_carried(shop):
    shop.model.say("", tool_calls=[call("shout", {"text": "a canary"}), call("a_canary_of_the_model")])
    answer = await shop.acme.member.post(PATH, {"prompt": "Go."})
    events = {item["detail"]["outcome"]: item for item in await audited(shop.acme.owner)}
    known, invented = events["ok"], events["unknown_tool"]
    assert (known["target"], known["actor"]["id"]) == (
        {"type": "tool", "id": "shout"},
        shop.acme.member.user_id,
    )
    assert known["request_id"] == answer.headers["x-request-id"]
    assert "canary" not in json.dumps([known, invented])


async def test_a_tool_that_takes_too_long_is_given_up(shop, workbench, monkeypatch):
    monkeypatch.setattr(calls, "TOOL_SECONDS", 0.05)
    shop.model.say("", tool_calls=[call("wait_here"), call("linger")])
    shop.model.say("Nobody came.")
    body = (await shop.acme.member.post(PATH, {"prompt": "Go."})).json()
    assert [step["error"]["code"] for step in body["steps"]] == ["tool_timeout", "tool_timeout"]
    assert (body["reply"], workbench.ended.is_set()) == ("Nobody came.", True)
    workbench.go_on.set()


async def test_a_token_for_chat_alone_reads_no_file_whatever_it_is_told(shop, workbench):
    """An instruction in a result, in a description or in a document gains no right."""
    held = await shop.with_token(shop.acme.owner, scope=["chat:use"])
    stored = await shop.acme.owner.put("/api/repo/private.txt", content=SECRET.encode())
    assert stored.status_code == 201
    for named in ({}, {"tools": ["fetch_page", "read_secret"]}):
        shop.model.calls.clear()
        shop.model.say("", tool_calls=[call("fetch_page")])
        shop.model.say("", tool_calls=[call("read_secret"), call("repo_extract_text", {"id": "x"})])
        body = (await held.post(PATH, {"prompt": "What does the page say?", **named})).json()
        page, secret, document = body["steps"]
        assert page["result"] == workbench.injected
        assert secret["error"] == {
            "code": "permission_denied",
            "message": "This needs the permission files:read.",
        }
        assert document["error"]["code"] == "permission_denied"
        assert SECRET not in json.dumps(body)
        roles = {one["content"]: one["role"] for one in shop.model.calls[1].body["messages"]}
        assert roles[workbench.injected] == "tool"
        offered = {tool["function"]["name"] for tool in shop.model.calls[0].body["tools"]}
        assert ("read_secret" in offered) == bool(named)
    part = {"type": "object", "object_id": stored.json()["id"]}
    shop.model.calls.clear()
    refused = await held.post(PATH, {"prompt": [{"type": "text", "text": "Read."}, part]})
    assert (refused.status_code, shop.model.calls) == (400, [])
    assert refused.json()["errors"][0]["pointer"] == "/prompt/1/object_id"


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_what_a_tool_enqueues_keeps_the_scope_of_the_token(shop, accept):
    held = await shop.with_token(shop.acme.owner, scope=["chat:use"])
    for _ in range(2):
        shop.model.say("", tool_calls=[call("queue_up")])
    answer = await held.post(PATH, {"prompt": "Queue up."}, headers={"Accept": accept})
    text = answer.text.rpartition("data: ")[2] if "event-stream" in accept else answer.text
    assert [step["result"] for step in json.loads(text)["steps"]] == [["chat:use"], ["chat:use"]]


async def test_a_name_that_no_server_takes_is_not_repeated_to_the_model(shop):
    shop.model.say("", tool_calls=[call("functions.shout 1", {"text": "x"})])
    (step,) = (await shop.acme.member.post(PATH, {"prompt": "Go."})).json()["steps"]
    assert (step["tool"], step["error"]["code"]) == ("functions.shout 1", "unknown_tool")
    (repeated,) = shop.model.calls[1].body["messages"][-2]["tool_calls"]
    assert repeated["function"]["name"] == "functions_shout_1"


async def test_a_tool_that_was_not_offered_is_not_called(shop):
    shop.model.say("", tool_calls=[call("shout", {"text": "x"})])
    (step,) = (await shop.acme.member.post(PATH, {"prompt": "Go.", "tools": ["sum_up"]})).json()["steps"]
    assert step["error"]["code"] == "tool_not_offered"


@pytest.mark.every_database
async def test_who_may_not_use_models_any_more_has_no_further_call(shop, workbench):
    client = await shop.join(shop.acme, "member")
    for _ in range(2):
        shop.model.say("", tool_calls=[call("wait_here")])
    posted = asyncio.create_task(client.post(PATH, {"prompt": "Go."}))
    await workbench.begun.wait()
    demoted = await shop.acme.owner.patch(f"/api/members/{client.user_id}", {"role": "viewer"})
    assert demoted.status_code == 200
    workbench.go_on.set()
    answer = await posted
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    assert [step["result"] for step in answer.json()["steps"]] == ["waited"]
