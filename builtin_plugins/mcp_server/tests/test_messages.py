"""JSON-RPC over HTTP: revisions, batches, notifications, and what is no message."""

import json
import re
from pathlib import Path

import pytest

from builtin_plugins.mcp_server import handlers, versions

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

PATH = "/api/mcp/server"
NEWEST = versions.STATELESS[0]
META = {
    "io.modelcontextprotocol/protocolVersion": NEWEST,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def request(method, message_id=1, **params):
    return {"jsonrpc": "2.0", "id": message_id, "method": method, "params": params}


@pytest.mark.parametrize("wanted", versions.BY_HANDSHAKE)
async def test_the_revision_of_the_client_is_spoken_where_it_is_known(hall, speak, wanted):
    greeted = await speak(hall.acme.member, None).result("initialize", protocolVersion=wanted)
    assert greeted["protocolVersion"] == wanted
    assert greeted["capabilities"] == {"tools": {}, "resources": {}}
    assert greeted["serverInfo"]["name"] == "guildhall"


async def test_a_client_of_another_revision_is_offered_the_newest_with_a_handshake(hall, speak):
    greeted = await speak(hall.acme.member, None).result("initialize", protocolVersion="1999-01-01")
    assert greeted["protocolVersion"] == "2025-11-25"


async def test_a_header_that_names_no_known_revision_is_refused(hall, speak):
    answer = await speak(hall.acme.member, "1999-01-01").post(request("ping"))
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == -32022
    assert answer.json()["error"]["data"]["supported"] == list(versions.SUPPORTED)


async def test_there_is_no_stream_to_get_and_no_session_to_delete(hall):
    for method in ("GET", "DELETE"):
        answer = await hall.acme.member.request(method, PATH)
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


async def test_nobody_is_answered_without_a_token(hall):
    answer = await hall.anonymous.post(PATH, request("ping"))
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer resource_metadata=")


async def test_a_notification_is_accepted_and_a_ping_answered(hall, speak):
    member = speak(hall.acme.member)
    answer = await member.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (answer.status_code, answer.content) == (202, b"")
    assert (await member.post(request("ping", "p-1"))).json() == {"jsonrpc": "2.0", "id": "p-1", "result": {}}


@pytest.mark.parametrize("body", [b"{", b"\xff", b"[" * 70 + b"]" * 70, b'{"id": NaN}'])
async def test_what_is_no_json_is_a_parse_error(hall, body):
    answer = await hall.acme.member.request("POST", PATH, content=body)
    assert (answer.status_code, answer.json()["code"], answer.json()["error"]["code"]) == (
        400,
        "invalid_json",
        -32700,
    )


@pytest.mark.parametrize(
    "body",
    [
        1,
        "ping",
        {},
        {"method": "ping", "id": 1},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": 3},
    ],
)
async def test_what_is_no_message_is_an_invalid_request(module_hall, body):
    answer = await module_hall.acme.member.post(PATH, body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32600)


async def test_an_unknown_method_is_named_and_params_are_an_object(hall, speak):
    member = speak(hall.acme.member)
    error = await member.error("prompts/list")
    assert (error["code"], error["message"]) == (-32601, "Method not found: prompts/list")
    answer = await member.post({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32602)
    for method in ("initialize", "tools/call", "resources/read"):
        assert (await member.error(method))["code"] == -32602
    for method in ("tools/list", "resources/list"):
        assert (await member.error(method, cursor="!"))["code"] == -32602
        assert (await member.error(method, cursor=7))["code"] == -32602


async def test_a_batch_is_answered_message_by_message_in_the_revision_that_has_them(hall, speak):
    messages = [
        request("ping", 1),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request("nothing", 2),
        request("initialize", 3, protocolVersion="2025-03-26"),
        {"id": 4},
    ]
    answer = await speak(hall.acme.member, None).post(messages)
    found = {one["id"]: one.get("error", {}).get("code") for one in answer.json()}
    assert found == {1: None, 2: -32601, 3: -32600, 4: -32600}
    only = await speak(hall.acme.member, None).post([messages[1]])
    assert (only.status_code, only.content) == (202, b"")


@pytest.mark.parametrize(
    ("revision", "messages"),
    [
        ("2025-06-18", [request("ping")]),
        ("2025-03-26", []),
        ("2025-03-26", [request("ping")] * (handlers.MAX_BATCH + 1)),
    ],
)
async def test_any_other_batch_is_an_invalid_request(hall, speak, revision, messages):
    answer = await speak(hall.acme.member, revision).post(messages)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32600)


async def test_a_page_of_another_origin_is_refused(hall, speak):
    member = speak(hall.acme.member)
    refused = await member.post(request("ping"), Origin="http://evil.example")
    assert (refused.status_code, refused.json()["code"]) == (403, "origin_refused")
    assert (await member.post(request("ping"), Origin=hall.base_url)).status_code == 200


async def test_a_message_of_the_newest_revision_needs_no_handshake(hall, speak):
    answer = await speak(hall.acme.member, NEWEST).post(
        request("server/discover", _meta=META), **{"Mcp-Method": "server/discover"}
    )
    found = answer.json()["result"]
    assert found["resultType"] == "complete"
    assert found["supportedVersions"] == list(versions.SUPPORTED)
    assert (found["ttlMs"], found["cacheScope"]) == (0, "private")
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "guildhall"


@pytest.mark.parametrize(
    ("headers", "params", "status", "code"),
    [
        ({}, {"_meta": META}, 400, -32020),
        ({"Mcp-Method": "tools/list"}, {"_meta": META}, 400, -32020),
        ({"Mcp-Method": "tools/call"}, {"_meta": META, "name": "search"}, 400, -32020),
        ({"Mcp-Method": "tools/call", "Mcp-Name": "other"}, {"_meta": META, "name": "search"}, 400, -32020),
        (
            {"Mcp-Method": "tools/call", "Mcp-Name": "no_such"},
            {"_meta": META, "name": "no_such"},
            200,
            -32602,
        ),
        (
            {"Mcp-Method": "tools/call", "Mcp-Name": "=?base64?bm9fc3VjaA==?="},
            {"_meta": META, "name": "no_such"},
            200,
            -32602,
        ),
        ({"MCP-Protocol-Version": "2025-11-25"}, {"_meta": META}, 400, -32020),
        ({"Mcp-Method": "tools/call"}, {}, 400, -32602),
        (
            {"Mcp-Method": "tools/call", "Mcp-Name": "a"},
            {"name": "a", "_meta": {"io.modelcontextprotocol/protocolVersion": NEWEST}},
            400,
            -32602,
        ),
    ],
)
async def test_headers_and_message_say_the_same(module_hall, speak, headers, params, status, code):
    answer = await speak(module_hall.acme.member, NEWEST).post(request("tools/call", **params), **headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


async def test_without_a_handshake_an_unknown_method_is_a_404(hall, speak):
    headers = {"Mcp-Method": "ping"}
    answer = await speak(hall.acme.member, NEWEST).post(request("ping", _meta=META), **headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, -32601)


async def test_the_messages_of_the_guide_are_answered(hall, speak):
    guide = (Path(__file__).parents[3] / "docs/mcp-server.md").read_text("utf-8")
    messages = re.findall(r'^\{"jsonrpc".*\}$', guide, re.MULTILINE)
    assert len(messages) == 2
    for message in messages:
        assert "result" in (await speak(hall.acme.member).post(json.loads(message))).json()
