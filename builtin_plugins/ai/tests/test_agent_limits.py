"""The agent's limits: steps, calls, tokens, time and quotas; and bad requests, which cost nothing."""

import pytest

from builtin_plugins.ai.agent import loop
from builtin_plugins.ai.tests.agent_tools import PATH, call
from guildhall_sdk.dimensions import Quotas

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

SHOUT = call("shout", {"text": "on"})
EVENTS = {"Accept": "text/event-stream"}


@pytest.mark.parametrize("headers", [{}, EVENTS], ids=["whole", "streamed"])
async def test_after_its_last_step_the_model_answers_without_tools(shop, headers):
    for _ in range(2):
        shop.model.say("", tool_calls=[SHOUT, SHOUT])
    shop.model.say("That is all.", tool_calls=[SHOUT])
    body = {"prompt": "Go on for ever.", "max_steps": 2}
    if headers:
        async with shop.acme.member.events("POST", PATH, body, headers=headers) as events:
            result = [event.data async for event in events][-1]
    else:
        result = (await shop.acme.member.post(PATH, body)).json()
    assert (result["stopped"], result["reply"], len(result["steps"])) == ("max_steps", "That is all.", 4)
    assert ["tools" in one.body for one in shop.model.calls] == [True, True, False]


async def test_of_too_many_calls_in_one_turn_the_first_are_made(shop, workbench):
    shop.model.say("", tool_calls=[SHOUT] * (loop.MAX_ANSWERED_CALLS + 5))
    steps = (await shop.acme.member.post(PATH, {"prompt": "Go."})).json()["steps"]
    assert len(steps) == loop.MAX_ANSWERED_CALLS
    assert [step.get("result") for step in steps[: loop.MAX_CALLS]] == ["ON"] * loop.MAX_CALLS
    assert {step["error"]["code"] for step in steps[loop.MAX_CALLS :]} == {"too_many_calls"}


async def test_a_run_that_has_used_its_tokens_stops_with_what_it_has(shop, monkeypatch):
    monkeypatch.setattr(loop, "MAX_TOKENS", 10)
    shop.model.say("", tool_calls=[SHOUT])
    body = (await shop.acme.member.post(PATH, {"prompt": "Go."})).json()
    assert (body["stopped"], body["reply"], len(body["steps"])) == ("max_tokens", "", 1)
    assert len(shop.model.calls) == 1


async def test_a_run_whose_time_is_over_ends_its_tools_and_says_so(shop, monkeypatch, workbench):
    monkeypatch.setattr(loop, "MAX_SECONDS", 2)
    shop.model.say("", tool_calls=[SHOUT, call("wait_here")])
    body = (await shop.acme.member.post(PATH, {"prompt": "Go."})).json()
    assert (body["stopped"], body["steps"][1]["error"]["code"]) == ("max_seconds", "tool_timeout")
    assert workbench.ended.is_set()


async def test_a_run_whose_time_is_over_ends_the_turn_and_meters_what_was_said(shop, monkeypatch, used):
    monkeypatch.setattr(loop, "MAX_SECONDS", 2)
    shop.model.hang(b'data: {"choices": [{"delta": {"content": "So far"}}]}\n\n')
    async with shop.acme.member.events("POST", PATH, {"prompt": "Go."}, headers=EVENTS) as events:
        seen = [(event.event, event.data) async for event in events]
    assert [name for name, _ in seen] == ["delta", "done"]
    done = seen[-1][1]
    assert (done["reply"], done["stopped"], done["usage"]["estimated"]) == ("So far", "max_seconds", True)
    await shop.model.calls[0].left.wait()
    assert await used(shop.acme.member) == (1, done["usage"]["total_tokens"], 0)


async def test_what_the_steps_hold_in_all_is_bounded(shop, monkeypatch, workbench):
    monkeypatch.setattr(loop, "MAX_STEP_BYTES", 2_000)
    workbench.injected = "x" * 1_500
    shop.model.say("", tool_calls=[call("fetch_page"), call("fetch_page")])
    first, second = (await shop.acme.member.post(PATH, {"prompt": "Go."})).json()["steps"]
    assert (first["result"], "cut" in first) == ("x" * 1_500, False)
    assert (second["result"], second["cut"]) == ("x" * 500, True)


async def test_a_quota_that_ends_half_way_refuses_and_says_what_was_done(shop, used):
    async with shop.server.data.write() as writer:
        await shop.server.service(Quotas).set_limit(writer, "team", shop.acme.id, "ai.requests", "day", 1)
    shop.model.say("", tool_calls=[SHOUT])
    refused = await shop.acme.member.post(PATH, {"prompt": "Go."})
    assert (refused.status_code, refused.json()["code"]) == (429, "quota_exceeded")
    assert [step["result"] for step in refused.json()["steps"]] == ["ON"]
    assert (len(shop.model.calls), (await used(shop.acme.member))[0]) == (1, 1)


BAD_REQUESTS = [
    ({}, 400, "invalid_request"),
    ({"prompt": ""}, 400, "invalid_request"),
    ({"prompt": "x", "max_steps": 0}, 400, "invalid_request"),
    ({"prompt": "x", "max_steps": 33}, 400, "invalid_request"),
    ({"prompt": "x", "max_steps": "8"}, 400, "invalid_request"),
    ({"prompt": "x", "temperature": 1}, 400, "invalid_request"),
    ({"prompt": [{"type": "sound"}]}, 400, "invalid_request"),
    ({"prompt": [{"type": "object", "object_id": "obj_x"}]}, 400, "invalid_request"),
    ({"prompt": "x", "tools": ["shout", "no_such_tool"]}, 400, "unknown_tool"),
    ({"prompt": "x", "tools": ["asleep"]}, 403, "tool_disabled"),
    ({"prompt": "x", "executor": "local"}, 403, "permission_denied"),
    ({"prompt": "x" * 9_000_000}, 413, "too_large"),
]


async def test_a_bad_request_is_refused_before_it_costs_anything(shop, used):
    for body, status, code in BAD_REQUESTS:
        for headers in ({}, EVENTS):
            refused = await shop.acme.member.post(PATH, body, headers=headers)
            assert (refused.status_code, refused.json()["code"]) == (status, code), body
    unknown = await shop.operator.post(PATH, {"prompt": "x", "executor": "nobody"})
    assert (unknown.status_code, unknown.json()["code"]) == (400, "unknown_executor")
    assert (shop.model.calls, await used(shop.acme.member)) == ([], (0, 0, 0))
