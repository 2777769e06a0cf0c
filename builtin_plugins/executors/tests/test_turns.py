"""One turn with a model, as real servers answer it."""

import json
from contextlib import aclosing

import pytest

from builtin_plugins.executors import jobs, model_endpoint
from builtin_plugins.executors.endpoints import open_client
from builtin_plugins.executors.jobs import run_turn
from builtin_plugins.executors.model_endpoint import HttpModelEndpoint
from guildhall_sdk import JobFailed
from guildhall_sdk.services.models import ModelBusy
from libs.model_wire import turn_fault

KEY = "sk-a-key-that-nobody-may-see"
HELLO = {"model": "small-1", "messages": [{"role": "user", "content": "Hello"}]}
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


def completion(content="Hi.", finish_reason="stop", **message):
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}}
    return {"choices": [{**choice, "finish_reason": finish_reason}], "usage": USAGE}


@pytest.fixture
async def client():
    async with aclosing(open_client()) as client:
        yield client


@pytest.fixture
def turn(client, model_server):
    async def turn(payload=HELLO, key=KEY, timeout_seconds=120):
        endpoint = HttpModelEndpoint(lambda: client, model_server.url, key, timeout_seconds=timeout_seconds)
        return await run_turn(endpoint, payload)

    return turn


@pytest.fixture
def failure(turn):
    async def failure(**more):
        with pytest.raises(JobFailed) as caught:
            await turn(**more)
        assert KEY not in caught.value.message
        assert caught.value.__cause__ is None
        return caught.value.code, caught.value.retry, caught.value.message

    return failure


async def test_a_turn_asks_and_answers(turn, model_server):
    model_server.answer(completion())
    asked = {
        **HELLO,
        "response_format": {"type": "text"},
        "tools": [{"type": "function", "function": {"name": "f"}}],
        "max_tokens": 7,
        "temperature": 0.5,
    }
    assert await turn(asked) == {"reply": "Hi.", "finish_reason": "stop", "usage": USAGE}
    line, headers, _ = model_server.requests[0]
    assert line == "POST /v1/chat/completions HTTP/1.1"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["accept-encoding"] == "identity"
    assert model_server.sent == asked


async def test_what_is_not_given_is_not_sent_but_a_bound_is(turn, model_server):
    model_server.answer(completion())
    await turn({**HELLO, "model": None, "executor": "elsewhere", "tools": None}, key=None)
    assert model_server.sent == {"messages": HELLO["messages"], "max_tokens": jobs.DEFAULT_MAX_TOKENS}
    assert "authorization" not in model_server.requests[0][1]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (completion(None), {"reply": "", "finish_reason": "stop"}),
        (completion([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), {"reply": "ab"}),
        (completion("<think>hm, what?</think>\n\nHi."), {"reply": "Hi."}),
        (completion("", reasoning_content='{"a": 1}'), {"reply": ""}),
        (completion("a", "length"), {"finish_reason": "length"}),
        (completion("a", None), {"finish_reason": "stop"}),
        (completion("a", "tool_calls"), {"finish_reason": "stop"}),
        (completion("\ud800 half"), {"reply": "? half"}),
    ],
)
async def test_a_reply_is_read_however_it_is_put(turn, model_server, answer, expected):
    model_server.answer(answer)
    result = await turn()
    assert {name: result[name] for name in expected} == expected
    assert turn_fault(result) is False


async def test_json_that_was_asked_for_is_found_among_the_thoughts(turn, model_server):
    wanted = {**HELLO, "response_format": {"type": "json_object"}}
    for name in ("reasoning_content", "reasoning"):
        model_server.answer(completion("", **{name: '{"a": 1}'}))
        assert (await turn(wanted))["reply"] == '{"a": 1}'
    model_server.answer(completion("", reasoning="let me see"))
    assert (await turn(wanted))["reply"] == ""


async def test_tool_calls_are_made_whole(turn, model_server):
    calls = [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}},
        {"id": "", "function": {"name": "g", "arguments": {"y": 2}}},
        {"function": {"name": "h", "arguments": None}},
        {"function": {"arguments": "{}"}},
        "nonsense",
    ]
    model_server.answer(completion(None, "stop", tool_calls=calls))
    result = await turn()
    assert result["finish_reason"] == "tool_calls"
    assert [tuple(call["function"].values()) for call in result["tool_calls"]] == [
        ("f", '{"x": 1}'),
        ("g", '{"y": 2}'),
        ("h", ""),
    ]
    ids = [call["id"] for call in result["tool_calls"]]
    assert (ids[0], len(set(filter(None, ids)))) == ("a", 3)
    assert turn_fault(result) is False


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": -1}, {"prompt_tokens": True}, {"total": "5"}])
async def test_a_usage_that_makes_no_sense_is_left_out(turn, model_server, usage):
    model_server.answer({**completion(), "usage": usage})
    assert "usage" not in await turn()


@pytest.mark.parametrize(
    ("status", "retry"), [(400, False), (401, False), (404, False), (408, True), (500, True)]
)
async def test_a_refusal_says_whether_to_try_again(failure, model_server, status, retry):
    model_server.answer({"error": {"message": f"No\r\nfor {KEY}."}}, status)
    code, tries, message = await failure()
    assert (code, tries) == ("model_unavailable", retry)
    words = ": No  for [redacted]" if status == 400 else ""  # what else it says is the operator's affair
    assert message == f"The model's endpoint answered {status}{words}."


async def test_a_busy_model_puts_the_turn_off(turn, model_server):
    model_server.answer({"error": {"message": "slow down"}}, 429, Retry_After="7")
    with pytest.raises(ModelBusy) as busy:
        await turn()
    assert busy.value.retry_after_seconds == 7


@pytest.mark.parametrize(
    "answer",
    [
        *(b"", b"<html>", b"[]", b"null", b'"text"', b"{}", b'{"choices": []}', b'{"choices": [null]}'),
        *(b'{"choices": [{"message": "Hi"}]}', b"[" * 100_000, b'\xff\xfe{"choices"'),
    ],
)
async def test_what_is_no_completion_fails_the_turn(failure, model_server, answer):
    model_server.answer(answer)
    assert (await failure())[:2] == ("model_unavailable", False)


async def test_an_error_under_status_200_fails_the_turn(failure, model_server):
    model_server.answer({"error": "overloaded"})
    assert await failure() == ("model_unavailable", False, "The model failed.")


async def test_nobody_there_is_worth_another_try(failure, model_server):
    await model_server.stop()
    assert (await failure())[:2] == ("model_unavailable", True)


async def test_a_connection_cut_half_way_is_worth_another_try(failure, model_server):
    model_server.answer(completion(), Content_Length="100000")
    assert (await failure())[:2] == ("model_unavailable", True)


async def test_a_silent_endpoint_ends_the_turn_at_its_time(failure, model_server):
    model_server.silent = True
    code, retry, message = await failure(timeout_seconds=0.05)
    assert (code, retry, message) == ("executor_timeout", True, "The model did not answer within 0.05 s.")


async def test_an_endless_answer_is_cut(failure, model_server, monkeypatch):
    monkeypatch.setattr(model_endpoint, "MAX_ANSWER_BYTES", 1 << 20)
    model_server.answer(json.dumps(completion("x" * (1 << 20))).encode())
    assert await failure() == ("model_unavailable", False, "The model's answer is larger than 1 MiB.")


async def test_a_compressed_answer_is_not_unfolded(failure, model_server):
    model_server.answer(completion(), Content_Encoding="gzip")
    assert "compresses" in (await failure())[2]


async def test_a_key_that_cannot_be_sent_is_not_quoted(turn):
    with pytest.raises(JobFailed) as caught:
        await turn(key="sk-with\nnewline")
    assert "newline" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        (None, "object"),
        ([], "object"),
        ({}, "reply"),
        ({"reply": None}, "reply"),
        ({"reply": "a", "finish_reason": 1}, "finish_reason"),
        ({"reply": "a", "usage": []}, "usage"),
        ({"reply": "a", "usage": {"prompt_tokens": "3"}}, "usage"),
        ({"reply": "a", "usage": {"total_tokens": -1}}, "usage"),
        ({"reply": "a", "tool_calls": {}}, "tool_calls"),
        ({"reply": "a", "tool_calls": [{"id": "a"}]}, "tool_calls"),
        (
            {"reply": "a", "tool_calls": [{"id": "a", "function": {"name": "", "arguments": ""}}]},
            "tool_calls",
        ),
        (
            {"reply": "a", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {}}}]},
            "tool_calls",
        ),
    ],
)
def test_a_workers_result_that_is_wrong_is_named(result, problem):
    assert problem in turn_fault(result)


@pytest.mark.parametrize(
    "result",
    [
        {"reply": ""},
        {"reply": "a", "finish_reason": None, "usage": None, "tool_calls": None},
        {"reply": "a", "finish_reason": "stop", "usage": USAGE, "model": "small-1"},
    ],
)
def test_a_workers_result_that_is_right_passes(result):
    assert turn_fault(result) is False
