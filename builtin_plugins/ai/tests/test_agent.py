"""The agent over HTTP: the loop, its answer, and what it costs."""

import asyncio
import json

import pytest

from builtin_plugins.ai.tests.agent_tools import PATH, call

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

SHOUT = call("shout", {"text": "hello"}, "call_a")


async def test_a_tool_is_called_and_the_model_answers_with_its_result(shop, used):
    shop.model.say("", tool_calls=[SHOUT])
    shop.model.say("It said HELLO.")
    answer = await shop.acme.member.post(PATH, {"prompt": "Shout hello.", "system": "Be kind."})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["reply"] == "It said HELLO."
    assert body["steps"] == [{"tool": "shout", "arguments": {"text": "hello"}, "result": "HELLO"}]
    assert (body["model"], body["simulated"]) == ("scripted", False)
    assert "stopped" not in body and "not_offered" not in body
    first, second = (one.body for one in shop.model.calls)
    offered = {tool["function"]["name"]: tool for tool in first["tools"]}
    assert offered["shout"] == {
        "type": "function",
        "function": {
            "name": "shout",
            "description": "Shouts a text.",
            "parameters": {
                "type": "object",
                "properties": {"text": {"type": "string"}},
                "required": ["text"],
                "additionalProperties": False,
            },
        },
    }
    assert "asleep" not in offered
    assert first["messages"][0]["content"].endswith("Be kind.")
    assert second["messages"][-2:] == [
        {"role": "assistant", "content": None, "tool_calls": [SHOUT]},
        {"role": "tool", "tool_call_id": "call_a", "content": "HELLO"},
    ]
    requests, tokens, concurrency = await used(shop.acme.member)
    assert (requests, concurrency) == (2, 0)
    assert tokens == body["usage"]["total_tokens"]


async def test_without_a_call_the_first_answer_is_the_last(shop, used):
    shop.model.say("Good morning.")
    body = (await shop.acme.member.post(PATH, {"prompt": "Good morning"})).json()
    assert (body["reply"], body["steps"]) == ("Good morning.", [])
    assert (await used(shop.acme.member))[0] == 1


async def test_calls_of_one_turn_run_at_once_and_their_steps_are_in_order(shop, workbench):
    workbench.wanted = 2
    waits = [call("wait_here", call_id="one"), call("wait_here", call_id="two")]
    shop.model.say("", tool_calls=[waits[0], call("open_all", call_id="odd"), waits[1], SHOUT])
    posted = asyncio.create_task(shop.acme.member.post(PATH, {"prompt": "Go."}))
    await workbench.begun.wait()  # both wait at once, else this would never come
    workbench.go_on.set()
    steps = (await posted).json()["steps"]
    assert [step["tool"] for step in steps] == ["wait_here", "open_all", "wait_here", "shout"]
    answered = [m["tool_call_id"] for m in shop.model.calls[1].body["messages"] if m["role"] == "tool"]
    assert answered == ["one", "odd", "two", "call_a"]


async def test_calls_that_share_an_id_are_answered_apart(shop):
    shop.model.say("", tool_calls=[call("shout", {"text": "a"}, "x"), call("shout", {"text": "b"}, "x")])
    await shop.acme.member.post(PATH, {"prompt": "Shout."})
    messages = shop.model.calls[1].body["messages"]
    first, second = (one["id"] for one in messages[-3]["tool_calls"])
    assert first != second
    assert [(one["tool_call_id"], one["content"]) for one in messages[-2:]] == [(first, "A"), (second, "B")]


async def test_the_stream_gives_steps_then_the_answer_word_by_word_then_everything(shop, used):
    shop.model.say("", tool_calls=[SHOUT])
    shop.model.say("one two three")
    body, accept = {"prompt": "Count."}, {"Accept": "text/event-stream"}
    async with shop.acme.member.events("POST", PATH, body, headers=accept) as events:
        seen = [(event.event, event.data) async for event in events]
    step = {"tool": "shout", "arguments": {"text": "hello"}, "result": "HELLO"}
    assert seen[0] == ("step", step)
    assert [data["text"] for name, data in seen if name == "delta"] == ["one ", "two ", "three"]
    name, done = seen[-1]
    assert (name, done["reply"], done["steps"]) == ("done", "one two three", [step])
    assert done["usage"]["total_tokens"] == (await used(shop.acme.member))[1]
    assert all(one.body["stream"] for one in shop.model.calls)


async def test_text_that_a_step_follows_was_said_on_the_way(shop):
    shop.model.say("Let me see.", tool_calls=[SHOUT])
    shop.model.say("It is loud.")
    accept = {"Accept": "text/event-stream"}
    async with shop.acme.member.events("POST", PATH, {"prompt": "Go."}, headers=accept) as events:
        seen = [(event.event, event.data) async for event in events]
    step = [name for name, _ in seen].index("step")
    assert "".join(data["text"] for name, data in seen[:step]) == "Let me see."
    assert "".join(data["text"] for _, data in seen[step + 1 : -1]) == seen[-1][1]["reply"] == "It is loud."


async def test_the_same_request_under_its_key_runs_once(shop):
    shop.model.say("", tool_calls=[SHOUT])
    shop.model.say("Once.")
    answers = [
        await shop.acme.member.post(PATH, {"prompt": "Go."}, headers={"Idempotency-Key": "k"}) for _ in "ab"
    ]
    assert [answer.json()["reply"] for answer in answers] == ["Once.", "Once."]
    assert len(shop.model.calls) == 2


async def test_a_failure_before_the_first_event_is_a_problem_and_after_it_an_event(shop):
    accept = {"Accept": "text/event-stream"}
    shop.model.fail(400)
    answer = await shop.acme.member.post(PATH, {"prompt": "Go."}, headers=accept)
    assert (answer.status_code, answer.json()["code"]) == (502, "model_unavailable")
    shop.model.say("", tool_calls=[SHOUT])
    shop.model.fail(400)
    async with shop.acme.member.events("POST", PATH, {"prompt": "Go."}, headers=accept) as events:
        seen = [(event.event, event.data) async for event in events]
    assert [name for name, _ in seen] == ["step", "error"]
    assert seen[-1][1]["code"] == "model_unavailable"


async def test_a_run_that_fails_half_way_still_says_what_was_done(shop):
    shop.model.say("", tool_calls=[SHOUT])
    shop.model.fail(400)
    answer = await shop.acme.member.post(PATH, {"prompt": "Go."})
    assert (answer.status_code, answer.json()["code"]) == (502, "model_unavailable")
    assert [step["result"] for step in answer.json()["steps"]] == ["HELLO"]


async def test_an_artifact_is_a_line_for_the_model_and_whole_in_the_step(shop):
    shop.model.say("", tool_calls=[call("draw")])
    (step,) = (await shop.acme.member.post(PATH, {"prompt": "Draw a cat."})).json()["steps"]
    line = "[image] A cat: with a hat"
    assert step["result"] == line == shop.model.calls[1].body["messages"][-1]["content"]
    assert step["artifact"] == {
        "kind": "image",
        "title": "A cat",
        "summary": "with\na hat",
        "content_type": "image/png",
        "width": 3,
    }


async def test_a_value_is_json_for_the_model_and_a_long_result_is_cut_for_it(shop, workbench):
    workbench.injected = "é" * 20_000
    shop.model.say("", tool_calls=[call("sum_up", {"numbers": [1, 2]}), call("fetch_page")])
    summed, fetched = (await shop.acme.member.post(PATH, {"prompt": "Go."})).json()["steps"]
    assert (summed["result"], "cut" in summed) == ({"sum": 3}, False)
    assert (fetched["result"], fetched["cut"]) == (workbench.injected, True)
    read = [one["content"] for one in shop.model.calls[1].body["messages"] if one["role"] == "tool"]
    assert json.loads(read[0]) == {"sum": 3}
    assert read[1] == "é" * 16_384 + "\n[cut here: 32768 of 40000 bytes]"


async def test_offline_the_simulated_model_answers_with_whatever_tools_it_picks(hall):
    body = (await hall.acme.member.post(PATH, {"prompt": "How many words has: we meet at noon?"})).json()
    assert (body["simulated"], body["model"]) == (True, "simulated")
    assert isinstance(body["reply"], str) and isinstance(body["steps"], list)
    assert all("error" not in step for step in body["steps"])


async def test_a_viewer_and_a_team_without_the_feature_have_no_agent(hall):
    refused = await hall.acme.viewer.post(PATH, {"prompt": "Go."})
    assert (refused.status_code, refused.json()["permission"]) == (403, "chat:use")
    await hall.set_feature(hall.acme, "agent", False)
    refused = await hall.acme.member.post(PATH, {"prompt": "Go."})
    assert (refused.status_code, refused.json()["feature"]) == (403, "agent")


async def test_a_worker_that_pulls_is_given_the_tools_and_what_they_gave(shop):
    made = (await shop.operator.post("/api/executors", {"name": "far", "mode": "pull", "model": "m"})).json()
    worker, body = shop.bearer(made["worker_token"]), {"prompt": "Shout.", "executor": "far"}
    results = [{"reply": "", "tool_calls": [SHOUT]}, {"reply": "It said HELLO."}]
    run = asyncio.create_task(shop.operator.post(PATH, body))
    claims = []
    for result in results:
        claims.append(
            (await worker.post("/api/workers/claim", {"kinds": ["ai.turn"], "max_wait": 20})).json()
        )
        sent = {"result": result, "claim_token": claims[-1]["claim_token"]}
        assert (await worker.post(f"/api/workers/jobs/{claims[-1]['id']}/complete", sent)).status_code == 200
    answer = (await run).json()
    assert (answer["reply"], answer["executor"]) == ("It said HELLO.", "far")
    assert [step["result"] for step in answer["steps"]] == ["HELLO"]
    assert "shout" in {tool["function"]["name"] for tool in claims[0]["payload"]["tools"]}
    assert claims[1]["payload"]["messages"][-1]["content"] == "HELLO"
