"""Tools: listed and called as the caller, outside every scope, recorded."""

import asyncio

import pytest

from builtin_plugins.mcp_server import messages, tools
from guildhall_sdk import Parameter, Plugin, Tool, TooManyRequests, hookimpl
from guildhall_sdk.tools import Artifact

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


class Trade:
    """A plugin with tools of every kind of result."""

    PLUGIN = Plugin("trade", "Trade", "1.0", "Tools of every kind.")

    def __init__(self):
        self.begin()

    def begin(self):
        self.results = {}
        self.waiting, self.left = asyncio.Event(), asyncio.Event()

    @hookimpl
    def declare_tools(self):
        by = [Parameter("by", "integer", optional=True)]
        return [
            Tool("give", "Gives what it was told to.", "chat:use", hosted=self._give, parameters=by),
            Tool("manage", "For managers.", "settings:manage", hosted=self._give),
            Tool("resting", "Is off.", "chat:use", hosted=self._give, enabled_by_default=False),
            Tool("wait", "Waits for ever.", "chat:use", hosted=self._wait),
        ]

    async def _give(self, host, principal, arguments):
        result = self.results["give"]
        if isinstance(result, Exception):
            raise result
        return result

    async def _wait(self, host, principal, arguments):
        self.waiting.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.left.set()


@pytest.fixture(scope="module")
def traded():
    """One for the server that tests share."""
    return Trade()


@pytest.fixture
def trade(traded):
    traded.begin()
    return traded


@pytest.fixture
async def hall(share_hall, trade):
    async with share_hall(trade) as opened:
        yield opened


async def test_a_caller_is_shown_what_the_team_has_on_and_they_may_use(hall, speak):
    member, owner = speak(hall.acme.member), speak(hall.acme.owner)
    assert {"give", "search", "read_note", "read_document"} <= set(await member.tools())
    assert not {"manage", "resting"} & set(await member.tools())
    assert "manage" in await owner.tools()
    await hall.acme.owner.post("/api/tools/give", {"enabled": False})
    assert "give" not in await member.tools()
    listed = (await member.result("tools/list"))["tools"]
    search = next(tool for tool in listed if tool["name"] == "search")
    assert {"query", "mode", "limit"} <= search["inputSchema"]["properties"].keys()
    assert search["annotations"]["readOnlyHint"] is True


async def test_the_list_comes_in_pages(hall, speak, monkeypatch):
    monkeypatch.setattr(tools, "PAGE", 2)
    member, names, cursor = speak(hall.acme.member), [], {}
    while True:
        page = await member.result("tools/list", **cursor)
        assert len(page["tools"]) <= 2
        names += [tool["name"] for tool in page["tools"]]
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert names == sorted(set(names))
    assert {"give", "wait", "search"} <= set(names)


@pytest.mark.parametrize(
    ("given", "text", "structured"),
    [
        ("plain", "plain", None),
        ({"n": 1}, '{"n":1}', {"n": 1}),
        ([1, "é"], '[1,"é"]', None),
        (None, "null", None),
        (
            Artifact("document", "Tariffs", "of May", object_id="obj_1", extra={"pages": 3}),
            "[document] Tariffs: of May",
            {"kind": "document", "title": "Tariffs", "summary": "of May", "object_id": "obj_1", "pages": 3},
        ),
    ],
)
async def test_a_result_is_text_and_an_object_also_a_value(hall, speak, trade, given, text, structured):
    trade.results["give"] = given
    result = await speak(hall.acme.member).call("give")
    assert (result["content"][0], result["isError"]) == ({"type": "text", "text": text}, False)
    assert result.get("structuredContent") == structured


async def test_a_document_that_a_tool_made_is_named_as_a_resource(hall, speak, trade):
    trade.results["give"] = Artifact("document", "Tariffs", object_id="obj_1", content_type="text/markdown")
    content = (await speak(hall.acme.member).call("give"))["content"]
    assert content[1] == {
        "type": "resource_link",
        "uri": "guildhall://objects/obj_1",
        "name": "Tariffs",
        "mimeType": "text/markdown",
    }


async def test_a_long_result_is_cut_and_says_so(hall, speak, trade, monkeypatch):
    monkeypatch.setattr(messages, "MAX_CHARACTERS", 10)
    trade.results["give"] = {"text": "x" * 50}
    result = await speak(hall.acme.member).call("give")
    assert result["content"][0]["text"].startswith('{"text":"x\n[… cut')
    assert "structuredContent" not in result


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (TooManyRequests("Nothing left.", code="quota_exceeded", dimension="ai.requests"), "quota_exceeded"),
        (RuntimeError("secret of the house"), "internal"),
        (object(), "internal"),
    ],
)
async def test_a_tool_that_fails_is_a_result_that_says_so(hall, speak, trade, error, code):
    trade.results["give"] = error
    result = await speak(hall.acme.member).call("give")
    assert (result["isError"], result["structuredContent"]["error"]["code"]) == (True, code)
    assert "secret of the house" not in str(result)


async def test_a_call_is_judged_again_whatever_the_list_said(hall, speak, trade):
    member = speak(hall.acme.member)
    trade.results["give"] = "done"
    for name, code in (("manage", "permission_denied"), ("resting", "tool_disabled")):
        result = await member.call(name)
        assert (result["isError"], result["structuredContent"]["error"]["code"]) == (True, code)
    wrong = await member.call("give", by="two")
    assert wrong["structuredContent"]["error"]["errors"][0]["pointer"] == "/by"
    unknown = await member.error("tools/call", name="no_such")
    assert (unknown["code"], unknown["message"]) == (-32602, "Unknown tool: no_such")
    assert (await member.error("tools/call", name="give", arguments=[1]))["code"] == -32602


async def test_a_call_is_recorded_without_its_arguments(hall, speak, trade):
    trade.results["give"] = "done"
    await speak(hall.acme.member).call("give", by=424242)
    trail = (await hall.acme.owner.get("/api/audit")).json()["items"]
    called = next(event for event in trail if event["action"] == "tool.called")
    assert called["target"] == {"type": "tool", "id": "give"}
    assert "424242" not in str(called)


async def test_a_suspended_company_reads_and_calls_nothing(hall, speak, trade):
    trade.results["give"] = "done"
    member = speak(hall.acme.member)
    await hall.suspend(hall.acme)
    assert "give" in await member.tools()
    assert (await member.call("search", q="tariffs"))["isError"] is False
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "give"}}
    refused = await member.post(body)
    assert (refused.status_code, refused.json()["error"]["data"]["code"]) == (402, "org_suspended")


async def test_a_tool_that_takes_too_long_is_stopped(hall, speak, trade, monkeypatch):
    monkeypatch.setattr(messages, "MAX_SECONDS", 0.05)
    result = await speak(hall.acme.member).call("wait")
    assert (result["isError"], result["structuredContent"]["error"]["code"]) == (True, "tool_timeout")
    assert trade.left.is_set()


async def test_a_caller_who_leaves_stops_the_tool(hall, speak, trade):
    call = asyncio.create_task(speak(hall.acme.member).call("wait"))
    async with asyncio.timeout(60):
        await trade.waiting.wait()
        call.cancel()
        await trade.left.wait()


async def test_a_tool_of_a_plugin_takes_the_place_of_our_own(open_hall, speak):
    class Finder:
        PLUGIN = Plugin("finder", "Finder", "1.0", "Another search.")

        @hookimpl
        def declare_tools(self):
            return [Tool("search", "Finds ships.", "chat:use", hosted=self._find)]

        async def _find(self, host, principal, arguments):
            return "a ship"

    async with open_hall(Finder(), SERVICE_PLUGINS_BLOCKED="retrieval") as opened:
        member = speak(opened.acme.member)
        assert (await member.tools()).count("search") == 1
        assert (await member.call("search"))["content"][0]["text"] == "a ship"
        await opened.acme.owner.post("/api/tools/search", {"enabled": False})
        assert "search" not in await member.tools()
        assert (await member.call("search"))["structuredContent"]["error"]["code"] == "tool_disabled"
