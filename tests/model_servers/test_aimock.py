"""Turns with a model server that is none of ours: `@copilotkit/aimock`, another reading of the wire."""

import json
import os
import sys
from contextlib import aclosing, asynccontextmanager, closing
from pathlib import Path

import pytest

from builtin_plugins.beta.signup.challenge import solve
from guildhall_sdk.services.models import ModelReply, Models, ModelTurn
from libs.listener import bound_socket
from tests.model_servers.aimock import KEY, running, running_aimock, settings_for

HERE = Path(__file__).parent
LITELLM = Path(sys.prefix) / "litellm/bin/litellm"
CHAT = "/api/ai/chat"
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
FORMAT = {"type": "json_schema", "json_schema": {"name": "number", "schema": SCHEMA}}
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
    for name in ("get_weather", "get_time")
]

pytestmark = pytest.mark.hall_databases("sqlite")


@asynccontextmanager
async def behind_litellm(folder, url):
    """The address of litellm's proxy in front of another server."""
    with closing(bound_socket("127.0.0.1:0")) as reserved:
        port = reserved.getsockname()[1]
    inner = {"model": "openai/gpt-4o", "api_base": url, "api_key": KEY}
    config = {
        "model_list": [{"model_name": "gpt-4o", "litellm_params": inner}],
        "litellm_settings": {"num_retries": 0},
        "general_settings": {"master_key": KEY},
    }
    (folder / "config.yaml").write_text(json.dumps(config))
    options = ("--config", str(folder / "config.yaml"), "--host", "127.0.0.1", "--port", str(port))
    offline = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_TELEMETRY": "False"}
    async with running(str(LITELLM), *options, until="Uvicorn running on", **offline):
        yield f"http://127.0.0.1:{port}/v1"


@pytest.fixture(scope="module")
async def url(tmp_path_factory):
    """The address of the server, whose pieces are cut small; with `make litellm`, of the proxy before it."""
    async with running_aimock(HERE / "fixtures.json", "-c", "3") as own:
        if "GUILDHALL_LITELLM" not in os.environ:
            yield own
            return
        async with behind_litellm(tmp_path_factory.mktemp("litellm"), own) as proxy:
            yield proxy


@pytest.fixture
async def hall(open_hall, url):
    async with open_hall(**settings_for(url)) as opened:
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


async def test_a_document_is_read_for_the_knowledge_graph(hall):
    member = hall.acme.member
    fields = {"title": "Log", "body": "Harbour log. Anna\n sails.", "visibility": "team"}
    assert (await member.post("/api/documents", fields)).status_code == 201
    run = (await member.post("/api/kg/extract", {})).json()
    await hall.drain_jobs()
    run = (await member.get(f"/api/runs/{run['id']}")).json()
    (done,) = [one["result"] for one in run["output"]["results"]]
    assert done["dropped"] == [{"what": "entity", "name": "Piet", "reason": "quote_not_in_text"}]
    assert [one["name"] for one in (await member.get("/api/kg/entities")).json()["items"]] == ["Anna"]


async def test_whoever_signs_up_is_judged(hall):
    host, admin = {"Host": await hall.give_hostname(hall.acme)}, hall.acme.admin
    field = {"name": "email", "type": "email", "label": "E-mail", "required": True}
    copy = {"en": {"title": "Join", "subtitle": "", "submit": "Join", "thanks": "Thank you."}}
    form = {"fields": [field], "copy": copy, "judge_prompt": "We look for sailors."}
    assert (await admin.put("/api/beta/experience", form)).status_code == 200
    assert (await admin.post("/api/beta/experience/publish")).status_code == 200
    for email in ("ann@harbour.example", "bob@harbour.example"):
        challenge = (await hall.anonymous.get("/api/beta/challenge", headers=host)).json()
        signup = {"fields": {"email": email}, "challenge": solve(challenge)}
        assert (await hall.anonymous.post("/api/beta/signup", signup, headers=host)).status_code == 201
    await hall.drain_jobs()
    bob, ann = (await admin.get("/api/beta/prospects")).json()["items"]
    assert {**ann["verdict"], "model": ""} == {
        "score": 72,
        "recommendation": "accept",
        "reason": "Sails every day.",
        "model": "",
    }
    assert bob["verdict"] is None
    assert bob["signals"]["judge_problem"].startswith("The model ")


async def test_a_stream_that_breaks_off_and_a_server_that_is_busy_are_errors(hall):
    deltas, name, problem = await stream(hall, "break")
    assert (bool(deltas), name, problem["code"]) == (True, "error", "model_unavailable")
    busy = await hall.acme.member.post(CHAT, {"prompt": "busy"})
    assert (busy.status_code, busy.json()["code"]) == (503, "model_busy")
    assert 1 <= int(busy.headers["retry-after"]) <= 3600


@pytest.mark.parametrize("streamed", [False, True])
async def test_tools_are_called_and_their_results_answered(hall, streamed):
    models = hall.server.service(Models)
    caller = await hall.principal(hall.acme.member)

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


async def test_an_upload_becomes_fields_a_form_and_its_translations(hall):
    member = hall.acme.member
    made = (await member.put("/api/repo/bill.txt", content=b"Invoice: INV-7\nTotal: 12.50\n")).json()
    properties = {"invoice": {"type": "string"}, "total": {"type": "number"}}
    inputs = {
        "object_id": made["id"],
        "schema": {"type": "object", "properties": properties, "required": [*properties]},
        "template": "# Invoice {{invoice}}\n\nPlease pay {{total}}.\n",
        "locales": ["nl", "es"],
    }
    run = (await member.post("/api/workflows/process-upload/run", {"input": inputs})).json()
    await hall.drain_jobs()
    run = (await member.get(f"/api/runs/{run['id']}")).json()
    assert (run["state"], run["error"]) == ("succeeded", None)
    texts = {}
    for item in (await member.get("/api/repo")).json()["items"]:
        texts[item["key"]] = (await member.get(f"/api/repo-obj/{item['id']}/content")).text
    assert texts["bill.form.md"] == "# Invoice INV-7\n\nPlease pay 12.5.\n"
    assert texts["bill.form.translate.nl.md"] == "# Factuur INV-7\n\nBetaal 12.5.\n"
    assert texts["bill.form.translate.es.md"] == "# Factura INV-7\n\nPague 12.5.\n"
    assert "- **invoice**: INV-7" in texts["bill.fields.md"]
