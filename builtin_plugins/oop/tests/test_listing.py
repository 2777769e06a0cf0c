"""What there is, what was granted, and what is wrong."""

import json
import os

import pytest

from builtin_plugins.oop.service import existing_folder
from builtin_plugins.oop.tests.folders import CAPABILITIES, grant, items_of, turn_on, until
from libs.names import foreign_tool_name
from libs.sandbox import isolation, launch

pytestmark = pytest.mark.any_database

SILENT = "import sys\nfor line in sys.stdin: pass"
ANSWERING = """
import json, sys
TOOLS = {tools}
for line in sys.stdin:
    message = json.loads(line)
    result = {{"initialize": {{}}, "tools/list": {{"tools": TOOLS}}, "tools/call": message["params"]}}
    answer = {{"jsonrpc": "2.0", "id": message["id"], "result": result[message["method"]]}}
    print(json.dumps(answer), flush=True)
"""


def offering(*tools):
    return ANSWERING.format(tools=list(tools))


@pytest.mark.every_database
async def test_without_a_folder_there_is_nothing(hall):
    answer = await hall.acme.viewer.get("/api/oop")
    assert answer.status_code == 200
    body = answer.json()
    assert (body["items"], body["next_cursor"]) == ([], None)
    assert [one["name"] for one in body["capabilities"]] == CAPABILITIES
    assert all(one["description"] for one in body["capabilities"])
    assert (await hall.operator.post("/api/oop/any/grants", {"capabilities": []})).status_code == 404


async def test_an_operator_grants_what_was_requested_and_it_is_recorded(open_programs, programs):
    programs.add("helper", offering(), capabilities=["notes:read", "model"])
    async with open_programs() as hall:
        item = (await items_of(hall, hall.acme.viewer))["helper"]
        assert (item["requested"], item["granted"]) == (["notes:read", "model"], [])
        assert (await grant(hall, "helper", "model"))["granted"] == ["model"]
        assert (await items_of(hall))["helper"]["granted"] == ["model"]

        for wrong, said in (("files:read", "does not request files:read"), ("root", "no capability root")):
            answer = await hall.operator.post("/api/oop/helper/grants", {"capabilities": ["model", wrong]})
            assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
            assert answer.json()["errors"][0]["pointer"] == "/capabilities/1" and said in answer.text
        assert (await items_of(hall))["helper"]["granted"] == ["model"]

        path, body = "/api/oop/helper/grants", {"capabilities": []}
        refused = await hall.acme.owner.post(path, body)
        assert (refused.status_code, refused.json()["permission"]) == (403, "instance:manage")
        scoped = await hall.with_token(hall.operator, scope=["chat:use"])
        assert (await scoped.post(path, body)).status_code == 403
        assert (await hall.operator.post("/api/oop/nobody/grants", body)).status_code == 404
        assert (await grant(hall, "helper"))["granted"] == []

        trail = (await hall.operator.get("/api/audit?limit=200")).json()["items"]
        recorded = [event for event in trail if event["action"] == "oop.granted"]
        assert [event["detail"]["capabilities"] for event in recorded] == [[], ["model"]]
        assert recorded[0]["target"] == {"type": "oop", "id": "helper"}


@pytest.mark.hall_databases("sqlite")
async def test_a_manifest_that_is_a_pipe_does_not_hold_the_start_up(open_programs, programs):
    programs.broken("waits", None)
    os.mkfifo(programs.root / "waits" / "plugin.json")
    async with open_programs() as hall:
        assert (await items_of(hall))["waits"]["detail"] == "plugin.json: must be a file"


@pytest.mark.hall_databases("sqlite")
async def test_a_folder_whose_name_is_not_utf_8_shows_on_every_page(open_programs, programs):
    programs.broken(os.fsdecode(b"a\xff"), "{}").broken("b", "{}")
    async with open_programs() as hall:
        answer = await hall.operator.get("/api/oop?limit=1")
        assert answer.status_code == 200, answer.text
        following = await hall.operator.get(f"/api/oop?limit=1&cursor={answer.json()['next_cursor']}")
        assert [one.json()["items"][0]["id"] for one in (answer, following)] == ["a?", "b"]


@pytest.mark.hall_databases("sqlite")
async def test_a_broken_manifest_shows_under_its_folders_name_and_harms_nothing(open_programs, programs):
    good = {"id": "x", "name": "x", "version": "1", "description": "-", "command": ["python3"]}
    broken = {
        "absent": (None, "cannot be read"),
        "no-json": ("{", "is not JSON"),
        "list": ("[]", "must be an object"),
        "deep": ("[" * 5000, "is not JSON"),
        "large": (" " * 70_000, "larger than 64 KiB"),
        "unknown": (json.dumps(good | {"colour": 1}), "unknown field 'colour'"),
        "nameless": (json.dumps(good | {"name": ""}), "name must be a text"),
        "bad-id": (json.dumps(good | {"id": "../x"}), "id must be"),
        "capability": (json.dumps(good | {"capabilities": ["root"]}), "no capability 'root'"),
        "command": (json.dumps(good | {"command": "python3"}), "command must be a list"),
        "program": (json.dumps(good | {"command": ["no-such-program"]}), "no program no-such-program"),
        "outside": (json.dumps(good | {"command": ["./main"]}), "there is no file ./main"),
        "again": (json.dumps(good | {"id": "a-fine-one"}), "the id a-fine-one is taken already"),
    }
    programs.add("a-fine-one", offering({"name": "t", "description": "-"}), folder="a-fine-one")
    for folder, (text, _) in broken.items():
        programs.broken(folder, text)
    async with open_programs() as hall:
        items = await items_of(hall)
        assert items.pop("a-fine-one")["status"] == "connected"
        assert items.pop("again/")["detail"].endswith(broken.pop("again")[1])
        assert {item["status"] for item in items.values()} == {"broken"}
        for folder, (_, said) in broken.items():
            assert said in items[folder]["detail"], folder
        seen = await items_of(hall, hall.acme.owner)
        assert {item["detail"] for item in seen.values()} == {None}, "why is for operators"
        answer = await hall.operator.post("/api/oop/list/grants", {"capabilities": ["model"]})
        assert answer.status_code == 400

        first = (await hall.operator.get("/api/oop?limit=5")).json()
        rest = (await hall.operator.get(f"/api/oop?limit=200&cursor={first['next_cursor']}")).json()
        assert [one["id"] for one in first["items"] + rest["items"]] == sorted(seen)


@pytest.mark.hall_databases("sqlite")
async def test_a_tool_that_cannot_be_taken_is_left_out_alone_with_the_reason(open_programs, programs):
    programs.add(
        "a",
        offering(
            {"name": "Good Tool", "description": "-"},
            {"name": "good-tool", "description": "the same name"},
            {"name": "", "description": "-"},
            {"name": "wild", "description": "-", "schema": {"$ref": "http://elsewhere"}},
            {"name": "powerful", "description": "-", "permission": "root:all"},
            {"name": "typed", "description": 5},
            {"name": "odd", "description": "-", "inputSchema": {}},
            "no object",
        ),
    )
    programs.add("b", offering({"name": "viewers", "description": "-", "permission": "search"}))
    programs.add("silent", SILENT)
    async with open_programs(connected=False) as hall:
        ready = {"a", "b"}
        items = await until(
            hall, lambda items: {name for name in ready if items[name]["status"] == "connected"} == ready
        )
        assert items["a"]["tools"] == [{"name": "oop__a__good_tool", "original": "Good Tool"}]
        left_out = {one["name"]: one["reason"] for one in items["a"]["left_out"]}
        assert left_out["good-tool"] == "oop__a__good_tool is the name of Good Tool already"
        assert set(left_out) == {"good-tool", "number 3", "wild", "powerful", "typed", "odd", "number 8"}
        assert "no permission root:all" in left_out["powerful"]
        await turn_on(hall, "oop__b__viewers")
        answer = await hall.tool("oop__b__viewers", as_=hall.acme.viewer)
        assert (answer["name"], answer["arguments"]) == ("viewers", {})
        assert items["silent"]["status"] == "connecting"


def test_the_folder_must_be_there(tmp_path):
    assert existing_folder(tmp_path) is None
    assert existing_folder(tmp_path / "absent") == "must be a folder that exists"


@pytest.mark.hall_databases("sqlite")
async def test_a_server_without_notes_or_models_still_has_such_plugins(open_programs, programs):
    programs.add("reader")
    async with open_programs(SERVICE_PLUGINS_BLOCKED="notes,ai") as hall:
        await turn_on(hall, "oop__reader__run")
        await grant(hall, "reader", *CAPABILITIES)
        assert await hall.tool("oop__reader__run", as_=hall.acme.admin, code="ask('files/list')") is None


def test_names_are_as_decided():
    assert foreign_tool_name("oop", "my-plugin", "Search Files!") == "oop__my_plugin__search_files_"
    long = foreign_tool_name("oop", "p", "x" * 200)
    assert len(long) == 64 and long.startswith("oop__p__xxx") and long[53] == "_"
    assert long != foreign_tool_name("oop", "p", "x" * 199)


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize("allowed", ["off", "on"])
async def test_without_a_sandbox_nothing_is_started_unless_the_operator_says_so(
    open_programs, programs, monkeypatch, allowed
):
    monkeypatch.setattr(isolation, "_known", isolation.Isolation())
    programs.add("helper", offering({"name": "t", "description": "-"}))
    async with open_programs(SERVICE_OOP_UNCONFINED=allowed) as hall:
        item = (await items_of(hall))["helper"]
        assert item["tier"] == "C" and set(item["measured"].values()) == {False}
        assert item["status"] == ("connected" if allowed == "on" else "refused")
        assert allowed == "on" or "SERVICE_OOP_UNCONFINED=on" in item["detail"]


@pytest.mark.hall_databases("sqlite")
async def test_one_that_could_read_the_data_of_the_server_is_not_started(
    open_programs, programs, monkeypatch
):
    """As where the data folder is below what every program reads."""
    programs.add("greedy", offering({"name": "t", "description": "-"}))
    monkeypatch.setattr(launch, "_SYSTEM", ("/",))
    async with open_programs() as hall:
        item = (await items_of(hall))["greedy"]
        assert (item["status"], item["tools"]) == ("refused", [])
        assert "SERVICE_DATA" in item["detail"]
