"""Turns with a model server that is none of ours: `@copilotkit/aimock`, another reading of the wire."""

import asyncio
import sys
from contextlib import aclosing
from pathlib import Path

import pytest

from guildhall_sdk.services import ModelReply, Models, ModelTurn
from kernel.identity.authenticate import principal_for

HERE = Path(__file__).parent
SERVER = Path(sys.prefix) / "model-servers/node_modules/@copilotkit/aimock/dist/cli.js"
CHAT = "/api/ai/chat"
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
FORMAT = {"type": "json_schema", "json_schema": {"name": "number", "schema": SCHEMA}}
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
    for name in ("get_weather", "get_time")
]

pytestmark = pytest.mark.hall_databases("sqlite")


@pytest.fixture(scope="module")
async def url():
    """The address of the server; its pieces are cut small."""
    assert SERVER.exists(), "make setup installs it"
    options = ("-p", "0", "-c", "3", "-f", str(HERE / "fixtures.json"))
    process = await asyncio.create_subprocess_exec(
        "node", str(SERVER), *options, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    try:
        async with asyncio.timeout(60):
            while b"listening on " not in (line := await process.stdout.readline()):
                assert line, "the server ended before it began"
        yield line.decode().rpartition("listening on ")[2].strip() + "/v1"
    finally:
        process.kill()
        await process.communicate()


@pytest.fixture
async def hall(open_hall, url):
    async with open_hall(SERVICE_MODEL_URL=url, SERVICE_MODEL_NAME="gpt-4o") as opened:
        yield opened


async def stream(hall, prompt, **more):
    async with hall.acme.member.events("POST", f"{CHAT}/stream", {"prompt": prompt, **more}) as events:
        seen = [(event.event, event.data) async for event in events]
    return [data["text"] for name, data in seen if name == "delta"], *seen[-1]


async def test_a_turn_is_answered_whole_and_as_a_stream(hall):
    answer = (await hall.acme.member.post(CHAT, {"prompt": "hello"})).json()
    assert (answer["reply"], answer["finish_reason"]) == ("Hello there, from another house.", "stop")
    deltas, name, done = await stream(hall, "hello")
    assert len(deltas) > 5
    assert ("".join(deltas), name) == (answer["reply"], "done")
    assert done["usage"]["total_tokens"] > 0
    assert "estimated" not in done["usage"]


async def test_json_is_judged_and_thoughts_are_kept_apart(hall):
    answer = await hall.acme.member.post(CHAT, {"prompt": "a number", "response_format": FORMAT})
    assert answer.json()["parsed"] == {"n": 3}
    _, _, done = await stream(hall, "a number", response_format=FORMAT)
    assert done["parsed"] == {"n": 3}
    deltas, name, _ = await stream(hall, "think")
    assert ("".join(deltas), name) == ("It is so.", "done")


async def test_a_stream_that_breaks_off_and_a_server_that_is_busy_are_errors(hall):
    deltas, name, problem = await stream(hall, "break")
    assert (bool(deltas), name, problem["code"]) == (True, "error", "model_unavailable")
    busy = await hall.acme.member.post(CHAT, {"prompt": "busy"})
    assert (busy.status_code, busy.json()["code"]) == (502, "model_unavailable")
    assert "Too many" in busy.json()["detail"]


@pytest.mark.parametrize("streamed", [False, True])
async def test_tools_are_called_and_their_results_answered(hall, streamed):
    models = hall.server.service(Models)
    async with hall.server.data.read() as reader:
        token, now = hall.acme.member.token, hall.clock.now_ms()
        caller = await principal_for(reader, token, now, hall.server.roles)

    async def turn(messages):
        asked = ModelTurn(messages=messages, tools=TOOLS)
        if not streamed:
            return await models.ask(caller, asked)
        async with aclosing(models.stream(caller, asked)) as pieces:
            return [piece async for piece in pieces if isinstance(piece, ModelReply)][-1]

    asked = [{"role": "user", "content": "weather"}]
    reply = await turn(asked)
    assert reply.finish_reason == "tool_calls"
    assert [call.name for call in reply.tool_calls] == ["get_weather", "get_time"]
    assert reply.tool_calls[0].arguments.replace(" ", "") == '{"city":"Delft","unit":"celsius"}'
    said = {"role": "assistant", "content": None, "tool_calls": [call.message() for call in reply.tool_calls]}
    results = [{"role": "tool", "tool_call_id": call.id, "content": "21"} for call in reply.tool_calls]
    assert (await turn([*asked, said, *results])).text == "21 degrees at noon."


async def test_a_probe_finds_nothing_that_it_does_not_take(hall):
    answer = (await hall.operator.post("/api/executors/exe_local/probe")).json()
    assert (answer["health"]["status"], answer["quirks"]) == ("ok", {})
