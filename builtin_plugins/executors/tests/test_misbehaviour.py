"""What real model servers do, through the front door: each is survived, or an error that says so."""

import asyncio
import json
from contextlib import aclosing

import httpx
import pytest

from builtin_plugins.executors import answers, model_endpoint
from builtin_plugins.executors.worker_client import WorkerClient
from guildhall_sdk.services.models import Models, ModelTurn, ModelUnavailable

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

CHAT = "/api/ai/chat"
STREAM = f"{CHAT}/stream"
ASKED = {"prompt": "Say hello to everybody."}
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
FORMAT = {"type": "json_schema", "json_schema": {"name": "number", "schema": SCHEMA}}
DONE = b"data: [DONE]\n\n"


def event(data):
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def delta(content=None, finish_reason=None, **more):
    fields = more if content is None else {"content": content, **more}
    return event({"choices": [{"index": 0, "delta": fields, "finish_reason": finish_reason}]})


FINISH = delta(finish_reason="stop")
USAGE = event({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}})


@pytest.fixture
async def hall(share_hall):
    async with share_hall(with_model=True) as opened:
        yield opened


async def stream(hall, **more):
    async with hall.acme.member.events("POST", STREAM, {**ASKED, **more}) as events:
        seen = [(event.event, event.data) async for event in events]
    return "".join(data["text"] for name, data in seen if name == "delta"), *seen[-1]


async def used(hall):
    items = (await hall.acme.member.get("/api/usage")).json()["items"]
    found = {item["dimension"]: item["used"] for item in items if item["level"] == "team"}
    return tuple(found[name] for name in ("ai.requests", "ai.tokens.total", "ai.concurrency"))


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize(
    ("chunks", "text"),
    [
        ([delta("Hello"), FINISH, USAGE, DONE], "Hello"),
        ([b": OPENROUTER PROCESSING\n\n", b"data:\n\ndata: \n\n", delta("Hello"), FINISH, DONE], "Hello"),
        ([event({"choices": []}), event({}), delta("Hello"), FINISH, USAGE, DONE], "Hello"),
        ([delta("Hello"), FINISH], "Hello"),
        ([b"\xef\xbb\xbf" + delta("Hel"), delta("lo"), FINISH, DONE], "Hello"),
        ([delta("Hello", "stop").strip()], "Hello"),
        ([delta("Hello"), DONE], "Hello"),
        ([(delta("Hel") + delta("lo") + FINISH).replace(b"\n", b"\r\n"), DONE], "Hello"),
        ([bytes([byte]) for byte in delta("Hello é") + FINISH + DONE], "Hello é"),
        ([delta("<th"), delta("ink>SECRET</th"), delta("ink>\n\nHello"), FINISH, DONE], "Hello"),
        ([delta(reasoning_content="SECRET"), delta("Hello"), FINISH, DONE], "Hello"),
        ([delta("", reasoning="SECRET"), delta("Hello"), FINISH, DONE], "Hello"),
    ],
)
async def test_a_stream_is_read_however_a_server_puts_it(hall, chunks, text):
    hall.model.send(*chunks)
    seen, name, done = await stream(hall)
    assert (seen, name, done["finish_reason"]) == (text, "done", "stop")
    assert ("estimated" in done["usage"]) is (USAGE not in chunks)


@pytest.mark.parametrize(
    ("chunks", "words"),
    [
        ([event({"error": {"message": "overloaded", "code": 503}})], "The model failed."),
        ([event({"object": "error", "message": "overloaded"}), DONE], "The model failed."),
        ([], "broke off"),
        ([b"data: {oops\n\n", FINISH], "not JSON"),
        ([event([1])], "not JSON"),
        ([delta(" " * 512)] * 20 + [FINISH, DONE], "white space"),
    ],
)
async def test_a_stream_that_fails_after_its_first_words_ends_in_an_error(hall, chunks, words):
    hall.model.send(delta("Hello"), *chunks)
    seen, name, problem = await stream(hall)
    assert (seen.strip(), name, problem["code"], problem["status"]) == (
        "Hello",
        "error",
        "model_unavailable",
        502,
    )
    assert words in problem["detail"]
    requests, _, turns = await used(hall)
    assert (requests, turns) == (1, 0)


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize("chunks", [[], [DONE], [b": nothing\n\n"], [event({"error": "no"})], [USAGE, DONE]])
async def test_a_stream_that_fails_before_its_first_words_is_a_status(hall, chunks):
    hall.model.send(*chunks)
    answer = await hall.acme.member.post(STREAM, ASKED)
    assert (answer.status_code, answer.json()["code"]) == (502, "model_unavailable")


async def test_an_endpoint_that_is_killed_in_a_stream_is_paid_for_what_it_said(open_hall):
    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        chunk = delta("Hello")
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        writer.write(head + f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
        await writer.drain()
        await killed.wait()
        writer.transport.abort()

    killed = asyncio.Event()
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with open_hall(SERVICE_MODEL_URL=url, SERVICE_MODEL_NAME="m") as hall:
        async with hall.acme.member.events("POST", STREAM, ASKED) as events:
            assert (await anext(events)).data == {"text": "Hello"}
            assert (await used(hall))[2] == 1
            killed.set()
            last = await anext(events)
        assert (last.event, last.data["code"]) == ("error", "model_unavailable")
        requests, tokens, turns = await used(hall)
        assert (requests, turns) == (1, 0)
        assert 0 < tokens < 10, "what was delivered counts, and the rest is given back"
    server.close()


@pytest.mark.hall_databases("sqlite")
async def test_an_endpoint_that_does_not_stream_is_taken_as_one_piece(hall):
    message = {"role": "assistant", "content": "Hello"}
    answer = {"choices": [{"message": message, "finish_reason": "length"}]}
    hall.model.send(json.dumps(answer).encode(), content_type="application/json; charset=utf-8")
    seen, name, done = await stream(hall)
    assert (seen, name, done["finish_reason"]) == ("Hello", "done", "length")
    for body, kind in ((b'{"error": {"message": "no"}}', "application/json"), (b"<html>", "text/html")):
        hall.model.send(body, content_type=kind)
        assert (await hall.acme.member.post(STREAM, ASKED)).status_code == 502


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize("fields", [{"reasoning": '{"n": 3}'}, {"reasoning_content": '{"n": 3}'}])
async def test_json_in_the_reasoning_field_is_the_answer_that_was_asked_for(hall, fields):
    hall.model.send(delta("", **fields), FINISH, DONE)
    _, name, done = await stream(hall, response_format=FORMAT)
    assert (name, done["parsed"]) == ("done", {"n": 3})
    message = {"role": "assistant", "content": None, **fields}
    whole = {"choices": [{"message": message, "finish_reason": "stop"}]}
    hall.model.send(json.dumps(whole).encode(), content_type="application/json")
    answer = await hall.acme.member.post(CHAT, {**ASKED, "response_format": FORMAT})
    assert (answer.status_code, answer.json()["parsed"]) == (200, {"n": 3})


@pytest.mark.hall_databases("sqlite")
async def test_tool_calls_are_decided_by_the_calls_and_not_by_the_finish_reason(hall):
    caller = await hall.principal(hall.acme.member)
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    turn = ModelTurn(messages=[{"role": "user", "content": "Use f twice."}], tools=[tool])
    calls = [
        {"index": 0, "function": {"name": "f", "arguments": arguments}} for arguments in ({"x": 1}, None)
    ]
    hall.model.send(delta(tool_calls=calls[:1]), delta(tool_calls=calls[1:]), FINISH, DONE)
    async with aclosing(hall.server.service(Models).stream(caller, turn)) as pieces:
        (reply,) = [piece async for piece in pieces]
    assert reply.finish_reason == "tool_calls"
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("f", '{"x": 1}'), ("f", "")]
    assert len({call.id for call in reply.tool_calls}) == 2


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize("chunks", [(), (delta("Hello"),)], ids=["silent", "silent after a word"])
async def test_who_leaves_a_stream_stops_the_model(hall, chunks):
    hall.model.hang(*chunks)
    reading = asyncio.create_task(stream(hall))
    await _until(lambda: hall.model.calls)
    if chunks:
        await asyncio.sleep(0.05)  # so that the word is on its way
    reading.cancel()
    async with asyncio.timeout(20):
        await hall.model.calls[0].left.wait()
    await _until_settled(hall)
    requests, tokens, turns = await used(hall)
    assert (requests, turns) == (1, 0)
    assert tokens <= 8, "metered for what was produced"


@pytest.mark.hall_databases("sqlite")
async def test_who_leaves_a_turn_stops_the_model(hall):
    hall.model.hang()
    asking = asyncio.create_task(hall.acme.member.post(CHAT, ASKED))
    await _until(lambda: hall.model.calls)
    asking.cancel()
    async with asyncio.timeout(20):
        await hall.model.calls[0].left.wait()
    await _until_settled(hall)
    assert (await used(hall))[2] == 0


@pytest.mark.hall_databases("sqlite")
async def test_a_model_that_goes_on_for_ever_is_cut_by_the_clock(hall, monkeypatch):
    monkeypatch.setattr(model_endpoint, "MAX_STREAM_SECONDS", 0.2)
    hall.model.hang(delta("Hello"))
    seen, name, problem = await stream(hall)
    assert (seen, name, problem["code"]) == ("Hello", "error", "executor_timeout")


async def test_what_follows_a_finish_reason_for_ever_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(model_endpoint, "_LAST_WORD_SECONDS", 0.05)

    async def body():
        yield delta("Hello")
        yield FINISH
        while True:
            await asyncio.sleep(0)
            yield b": still here\n\n"

    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=body()))
    async with httpx.AsyncClient(transport=transport) as client, asyncio.timeout(60):
        endpoint = model_endpoint.HttpModelEndpoint(
            lambda: WorkerClient(client), "http://model.test/v1", None, timeout_seconds=30
        )
        chunks = [chunk async for chunk in endpoint.stream({"messages": []})]
    assert [chunk["choices"][0]["delta"].get("content") for chunk in chunks] == ["Hello", None]


@pytest.mark.parametrize("status", [200, 400])
async def test_an_answer_of_more_values_than_anybody_writes_is_not_read(status):
    body = b'{"error": {"message": "max_tokens is unknown", "more": [' + b"[]," * 400_000 + b"1]}}"
    transport = httpx.MockTransport(lambda _: httpx.Response(status, content=body))
    async with httpx.AsyncClient(transport=transport) as client:
        endpoint = model_endpoint.HttpModelEndpoint(
            lambda: WorkerClient(client), "http://model.test/v1", None, timeout_seconds=30
        )
        with pytest.raises(ModelUnavailable) as refused:
            await endpoint.call({"messages": [], "max_tokens": 5})
    assert "max_tokens" not in refused.value.detail
    assert answers.json_of(body) is None
    assert answers.json_of(b'"' + b"[{," * 10_000 + b'"') == "[{," * 10_000


async def _until(found):
    async with asyncio.timeout(60):
        while not found():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def _until_settled(hall):
    async with asyncio.timeout(60):
        while (await used(hall))[2]:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
