"""Endpoints that refuse a parameter, through the front door: sent otherwise once, and known from then on."""

import asyncio
import json
from types import SimpleNamespace

import pytest

from builtin_plugins.executors.jobs import worker_turns
from builtin_plugins.executors.quirks import QUIRKS, QuirkStore, fingerprint
from guildhall_sdk.services.models import Executors

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

CHAT = "/api/ai/chat"
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
FORMAT = {"type": "json_schema", "json_schema": {"name": "number", "schema": SCHEMA}}
ASKED = {"prompt": "Count.", "temperature": 0.5, "max_tokens": 64}


def openai_error(message, param=None):
    return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": None}}


def format_is(kind):
    return lambda request: request.get("response_format", {}).get("type") == kind


def pydantic_error(name):
    fault = {"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted"}
    return {"detail": [{**fault, "input": {"messages": "temperature, max_tokens"}}]}


NO_MAX_TOKENS = openai_error(
    "Unsupported parameter: 'max_tokens' is not supported with this model. "
    "Use 'max_completion_tokens' instead.",
    "max_tokens",
)
NO_TEMPERATURE = openai_error(
    "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is "
    "supported.",
    "temperature",
)
NO_SCHEMA = openai_error("This response_format type is unavailable now")
NO_OBJECT = openai_error("'response_format.type' must be 'json_schema' or 'text'")
LISTS_ALL = {
    "message": "unknown field `stream_options`, expected one of `messages`, `max_tokens`, `temperature`"
}

# What is refused, how, and what is known of it afterwards.
REFUSALS = {
    "max_tokens": ([("max_tokens", 400, NO_MAX_TOKENS)], ["max_completion_tokens"]),
    "temperature": ([("temperature", 400, NO_TEMPERATURE)], ["no_temperature"]),
    "stream options, by pydantic": (
        [("stream_options", 422, pydantic_error("stream_options"))],
        ["no_stream_options"],
    ),
    "stream options, with a list of what is known": (
        [("stream_options", 400, LISTS_ALL)],
        ["no_stream_options"],
    ),
    "stream options, in plain text": (
        [("stream_options", 400, b"stream_options is not supported")],
        ["no_stream_options"],
    ),
    "a schema": ([(format_is("json_schema"), 400, NO_SCHEMA)], ["no_json_schema"]),
    "a schema, and any JSON": (
        [(format_is("json_schema"), 400, NO_SCHEMA), (format_is("json_object"), 400, NO_OBJECT)],
        ["no_json_object", "no_json_schema"],
    ),
    "all, one after the other": (
        [
            ("max_tokens", 400, NO_MAX_TOKENS),
            ("temperature", 400, NO_TEMPERATURE),
            ("stream_options", 422, pydantic_error("stream_options")),
            (format_is("json_schema"), 422, NO_SCHEMA),
            (format_is("json_object"), 422, NO_OBJECT),
        ],
        sorted(QUIRKS),
    ),
}


@pytest.fixture
async def hall(share_picky):
    async with share_picky(SERVICE_MODEL_NAME="small") as opened:
        yield opened


async def known(hall):
    items = (await hall.operator.get("/api/executors")).json()["items"]
    (local,) = [item for item in items if item["mode"] == "local"]
    assert all(value is True for value in local["quirks"].values())
    return sorted(local["quirks"])


async def ask(hall, **more):
    return await hall.acme.member.post(CHAT, {**ASKED, **more})


async def stream(hall, **more):
    async with hall.acme.member.events("POST", f"{CHAT}/stream", {**ASKED, **more}) as events:
        return [(event.event, event.data) async for event in events]


@pytest.mark.parametrize("case", REFUSALS)
async def test_what_is_refused_is_sent_otherwise_and_known_from_then_on(hall, picky, case):
    refusals, quirks = REFUSALS[case]
    for when, status, body in refusals:
        picky.refuse(body, when, status)
    picky.reply = '{"n": 3}'
    for attempts in (len(refusals) + 1, 1):
        picky.requests.clear()
        seen = await stream(hall, response_format=FORMAT)
        assert [name for name, _ in seen] == ["delta", "done"], seen
        assert seen[-1][1]["parsed"] == {"n": 3}
        assert len(picky.turns) == attempts
        assert await known(hall) == quirks
    assert ("estimated" in seen[-1][1]["usage"]) is ("no_stream_options" in quirks)
    picky.requests.clear()
    answer = await ask(hall, response_format=FORMAT)
    assert (answer.status_code, answer.json()["parsed"], len(picky.turns)) == (200, {"n": 3}, 1)
    (sent,) = picky.turns
    assert sent.get("max_completion_tokens" if "max_completion_tokens" in quirks else "max_tokens") == 64
    if "no_json_schema" in quirks:
        told = sent["messages"][0]
        assert (told["role"], json.dumps(SCHEMA) in told["content"]) == ("system", True)


@pytest.mark.every_database
async def test_what_was_found_serves_every_process_until_the_address_or_model_changes(
    hall, picky, make_executors
):
    picky.refuse(NO_TEMPERATURE, "temperature")
    assert (await ask(hall)).status_code == 200

    async def attempts(**settings):
        """Of the first turn of another process with these settings."""
        executors = make_executors(hall, (), **{"model_url": picky.url, "model_name": "small", **settings})
        async with hall.server.data.read() as reader:
            endpoint = await executors.endpoint(reader, hall.acme.org_id)
        picky.requests.clear()
        await endpoint.call({"messages": [{"role": "user", "content": "Hello"}], "temperature": 0.5})
        return len(picky.turns)

    assert await attempts() == 1
    assert await attempts(model_name="other") == 2
    assert await attempts(model_url=picky.url.replace("127.0.0.1", "localhost"), model_name="other") == 2
    assert await attempts() == 2, "what was known of it is forgotten"


@pytest.mark.every_database
async def test_what_two_processes_find_at_once_is_kept_of_both(hall, picky):
    store = hall.server.service(Executors).quirks
    print_ = fingerprint(picky.url, "small")
    finds = [store.update("exe_local", print_, frozenset({quirk}), frozenset()) for quirk in QUIRKS]
    await asyncio.gather(*finds)
    assert await known(hall) == sorted(QUIRKS)


async def test_a_turn_goes_on_where_nothing_can_be_kept(hall, picky, monkeypatch):
    async def fail(*_):
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(QuirkStore, "update", fail)
    picky.refuse(NO_TEMPERATURE, "temperature")
    for _ in range(2):
        assert (await ask(hall)).status_code == 200
    assert (await known(hall), len(picky.turns)) == ([], 4)


async def test_another_model_of_the_same_executor_is_another_matter(hall, picky, make_executors):
    picky.refuse(NO_TEMPERATURE, lambda request: request.get("model") == "o1" and "temperature" in request)
    executors = make_executors(hall, (), model_url=picky.url, model_name="small")
    async with hall.server.data.read() as reader:
        endpoint = await executors.endpoint(reader, hall.acme.org_id)
    for model in ("o1", "small"):
        await endpoint.call({"model": model, "messages": [], "temperature": 0.5})
    assert "temperature" in picky.turns[-1]
    assert await known(hall) == []


async def test_an_endpoint_that_takes_it_again_is_believed(hall, picky):
    picky.refuse(NO_MAX_TOKENS, "max_tokens")
    assert (await ask(hall)).status_code == 200
    assert await known(hall) == ["max_completion_tokens"]
    picky.refusals.clear()
    picky.refuse(openai_error("Unrecognized field: max_completion_tokens"), "max_completion_tokens")
    assert (await ask(hall)).status_code == 200
    assert await known(hall) == []


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, openai_error("The prompt is empty")),
        (400, openai_error("max_tokens is too large: 64. This model supports at most 32.", "max_tokens")),
        (400, openai_error("This model's maximum context length is 8 tokens; lower max_tokens.")),
        (400, openai_error("Invalid max_tokens value, the valid range of max_tokens is [1, 32]")),
        (400, openai_error("max_tokens: 64 > 32, which is the maximum allowed number of output tokens")),
        (401, NO_MAX_TOKENS),
        (404, NO_TEMPERATURE),
        (429, NO_MAX_TOKENS),
        (500, NO_TEMPERATURE),
    ],
)
async def test_no_other_failure_is_tried_again(hall, picky, status, body):
    picky.refuse(body, "messages", status)
    answer = await ask(hall)
    expected = (503, "model_busy") if status == 429 else (502, "model_unavailable")
    assert (answer.status_code, answer.json()["code"]) == expected
    assert status == 429 or f"{status}" in answer.json()["detail"]
    assert len(picky.turns) == 1
    assert await known(hall) == []


async def test_what_helps_nothing_is_not_remembered_and_the_first_words_stand(hall, picky):
    picky.refuse(NO_MAX_TOKENS, "max_tokens")
    picky.refuse(openai_error("Unknown field max_completion_tokens"), "max_completion_tokens")
    answer = await ask(hall)
    assert (answer.status_code, len(picky.turns)) == (502, 2)
    assert "Unsupported parameter: 'max_tokens'" in answer.json()["detail"]
    assert await known(hall) == []


async def test_a_schema_that_is_not_strict_enough_says_nothing_of_the_next(hall, picky):
    refusal = openai_error("Invalid schema for response_format 'number': 'additionalProperties' is required")
    picky.refuse(refusal, format_is("json_schema"))
    picky.reply = '{"n": 3}'
    assert (await ask(hall, response_format=FORMAT)).json()["parsed"] == {"n": 3}
    assert await known(hall) == []


async def test_json_is_asked_for_in_words_too_where_nobody_spoke_of_it(hall, picky):
    picky.reply = "{}"
    wanted = {"response_format": {"type": "json_object"}}
    await ask(hall, **wanted)
    await ask(hall, **wanted, prompt="Count, as JSON.", system="Be short.")
    first, second = (turn["messages"] for turn in picky.turns)
    assert [message["role"] for message in first] == ["system", "user"]
    assert second[0] == {"role": "system", "content": "Be short."}


async def test_an_instruction_joins_the_system_message_that_is_there(hall, picky):
    picky.refuse(NO_SCHEMA, "response_format")
    picky.reply = '{"n": 3}'
    await ask(hall, response_format=FORMAT, system="Be short.")
    messages = picky.turns[-1]["messages"]
    assert [message["role"] for message in messages] == ["system", "user"]
    assert messages[0]["content"].startswith("Be short.\n\n")


async def test_a_worker_remembers_for_itself(picky):
    picky.refuse(NO_TEMPERATURE, "temperature")
    turn = worker_turns(picky.url, None)
    for attempts in (2, 3):
        payload = {"messages": [], "model": "m", "temperature": 0.5}
        assert (await turn(SimpleNamespace(payload=payload)))["reply"] == "Hello there"
        assert len(picky.turns) == attempts
