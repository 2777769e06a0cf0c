"""Tools wait for an operator: at first, and whenever they are not what was approved."""

import asyncio
import os
import signal

import pytest

from builtin_plugins.mcp.definitions import Listing, ListingBuilder, catalogue
from builtin_plugins.mcp.service import McpServers
from builtin_plugins.mcp.tests.conftest import Servers
from guildhall_sdk import Problem
from guildhall_sdk.tools import Tools
from libs.names import foreign_tool_name

pytestmark = pytest.mark.any_database


async def test_a_new_server_offers_nothing_until_its_tools_are_approved_and_turned_on(
    open_hall, plan, file_of
):
    plan.write({"name": "Read-It", "description": "Reads it"}, "echo")
    async with open_hall(SERVICE_MCP=file_of(rough=plan.entry())) as hall:
        servers = Servers(hall)
        item = await servers.until("rough", lambda item: item["status"] == "needs_approval")
        assert {name: item[name] for name in ("transport", "detail", "protocol")} == {
            "transport": "stdio",
            "detail": None,
            "protocol": "2025-06-18",
        }
        assert item["tools"] == [
            {"name": "mcp__rough__read_it", "original": "Read-It", "approved": False},
            {"name": "mcp__rough__echo", "original": "echo", "approved": False},
        ]
        added = item["changes"][0]
        assert (added["tool"], added["what"], added["before"]) == ("mcp__rough__read_it", "added", None)
        assert added["after"] == {"description": "Reads it", "schema": {"type": "object"}}
        assert await _offered(hall) == {}
        assert (
            await hall.acme.owner.post("/api/tools/mcp__rough__echo", {"enabled": True})
        ).status_code == 404

        path = "/api/mcp/rough/approve"
        assert (await hall.acme.owner.post(path, {})).status_code == 403
        unknown = await hall.operator.post(path, {"tools": ["echo", "nothing"]})
        assert (unknown.status_code, unknown.json()["code"]) == (400, "unknown_tool")
        assert "'nothing'" in unknown.json()["detail"]
        stale = await hall.operator.call("POST", path, {}, If_Match='"something else"')
        assert stale[0] == 412
        assert await _offered(hall) == {}

        first = await hall.operator.post(path, {"tools": ["mcp__rough__echo"]})
        assert (first.status_code, first.json()["status"]) == (200, "needs_approval")
        assert await _offered(hall) == {"mcp__rough__echo": False}
        rest = await hall.operator.call("POST", path, {}, If_Match=f'"{first.json()["revision"]}"')
        assert (rest[0], rest[1]["status"], rest[1]["changes"]) == (200, "connected", [])
        assert await _offered(hall) == {"mcp__rough__echo": False, "mcp__rough__read_it": False}

        answer = await hall.operator.get("/api/audit?limit=200")
        events = [one for one in answer.json()["items"] if one["action"] == "mcp.approved"]
        assert [event["detail"]["count"] for event in events] == [1, 1]


async def test_a_tool_that_changes_or_is_renamed_is_withdrawn_with_a_diff(open_hall, plan, file_of):
    plan.write({"name": "read", "description": "Reads"}, "announce", "same")
    async with open_hall(SERVICE_MCP=file_of(rough=plan.entry())) as hall:
        servers = Servers(hall)
        await servers.ready("rough")
        assert len(await _offered(hall)) == 3
        plan.write({"name": "read", "description": "Reads, and sends it on"}, "announced", "same")
        assert await servers.call("mcp__rough__announce") == "announced"
        item = await servers.until("rough", lambda item: item["status"] == "needs_approval")
        assert {(one["original"], one["what"]) for one in item["changes"]} == {
            ("read", "changed"),
            ("announced", "added"),
            ("announce", "removed"),
        }
        # Whoever calls one of them meanwhile is refused; then they are out of the list, too.
        for tool, code in (("read", "tool_needs_approval"), ("announce", "unknown_tool")):
            with pytest.raises(Problem) as refusal:
                await servers.call(f"mcp__rough__{tool}")
            assert refusal.value.code == code
        await _until_offered(hall, {"mcp__rough__same": True})
        changed = next(one for one in item["changes"] if one["what"] == "changed")
        assert changed["before"]["description"] == "Reads"
        assert changed["after"]["description"] == "Reads, and sends it on"
        await hall.operator.post("/api/mcp/rough/approve", {"tools": ["read", "announce"]})
        assert await _offered(hall) == {"mcp__rough__read": True, "mcp__rough__same": True}
        item = await servers.item("rough")
        assert [one["what"] for one in item["changes"]] == ["added"]


@pytest.mark.every_database
async def test_what_was_approved_stands_after_a_restart_and_what_changed_meanwhile_does_not(
    open_hall, plan, file_of, quick
):
    plan.write("same", {"name": "read", "description": "Reads"}, "old")
    async with open_hall(SERVICE_MCP=file_of(rough=plan.entry())) as hall:
        servers = Servers(hall)
        await servers.ready("rough")
        plan.write("same", {"name": "read", "description": "Reads all"}, "new")
        # As in a process that has just begun, before the server is there.
        servers["rough"].listing = None
        item = await servers.item("rough")
        assert [(one["original"], one["approved"]) for one in item["tools"]] == [
            ("old", True),
            ("read", True),
            ("same", True),
        ]
        early = await hall.operator.post("/api/mcp/rough/approve", {})
        assert (early.status_code, early.json()["code"]) == (409, "not_connected")
        os.kill(plan.starts[-1], signal.SIGKILL)
        item = await servers.until("rough", lambda item: item["status"] == "needs_approval")
        assert {(one["original"], one["what"]) for one in item["changes"]} == {
            ("read", "changed"),
            ("new", "added"),
            ("old", "removed"),
        }
        await _until_offered(hall, {"mcp__rough__same": True})


@pytest.mark.hall_databases("postgresql")
async def test_what_is_approved_or_changes_in_one_process_does_so_in_the_others(
    open_hall, plan, file_of, monkeypatch
):
    monkeypatch.setattr("builtin_plugins.mcp.server.POLL_SOON_SECONDS", 0.0)
    async with open_hall(SERVICE_MCP=file_of(rough=plan.entry())) as hall:
        servers = Servers(hall)
        await servers.until("rough", lambda item: item["status"] == "needs_approval")
        other = type(hall.server)(hall.server.settings, clock=hall.clock)
        await other.start()
        try:
            assert await _names_in(other, hall) == []
            answer = await hall.operator.post("/api/mcp/rough/approve")
            assert answer.status_code == 200
            async with asyncio.timeout(60):
                while await _names_in(other, hall) != ["mcp__rough__echo"]:  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
                plan.write({"name": "echo", "description": "another"})
                servers["rough"]._link.result().watch.poll.set()  # here alone
                while await _names_in(other, hall):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
        finally:
            await other.stop()
        assert len(plan.starts) == 2, "each process has a session of its own"


async def _names_in(server, hall) -> list[str]:
    async with server.data.read() as reader:
        found = await server.service(Tools).listing(reader, hall.acme.id)
    return [one["name"] for one in found if one["source"] == "mcp"]


async def test_a_server_that_was_renamed_takes_over_the_names_of_the_one_that_is_gone(
    open_hall, plan, file_of
):
    async with open_hall(SERVICE_MCP=file_of(my_server=plan.entry())) as hall:
        servers = Servers(hall)
        await servers.until("my_server", lambda item: item["status"] == "needs_approval")
        service = hall.server.service(McpServers)
        # What an earlier file called My-Server.
        async with hall.server.data.write() as writer:
            change = (await service.catalogue(writer))["my_server"].changes[0]
            await service._record(writer, hall.operator, "My-Server", change)
        assert await _offered(hall) == {}
        assert (await servers.ready("my_server"))["changes"] == []
        assert await _offered(hall) == {"mcp__my_server__echo": True}


def test_names_are_plain_bounded_and_distinct():
    assert foreign_tool_name("mcp", "My Server", "Get.It") == "mcp__my_server__get_it"
    long = foreign_tool_name("mcp", "server", "x" * 100)
    assert (len(long), long[:53]) == (64, ("mcp__server__" + "x" * 100)[:53])
    assert long[53] == "_"
    assert foreign_tool_name("mcp", "server", "x" * 101) != long
    assert len(foreign_tool_name("mcp", "s" * 20, "t" * 37)) == 64


def bounded_listing(rows, **cut):
    builder = ListingBuilder()
    builder.add(rows)
    return builder.listing(**cut)


def test_a_clash_refuses_the_later_tool_and_says_with_which():
    first = bounded_listing([("b__c", "", {}), ("Echo", "", {}), ("echo", "", {})])
    second = bounded_listing([("c", "", {})])
    found = catalogue({"a": first, "a__b": second}, [])
    assert [one.original for one in found["a"].changes] == ["b__c", "Echo"]
    assert [(one.original, one.reason) for one in found["a"].refused] == [
        ("echo", "its name mcp__a__echo clashes with Echo of a")
    ]
    assert found["a__b"].changes == []
    assert found["a__b"].refused[0].reason == "its name mcp__a__b__c clashes with b__c of a"


def test_a_listing_is_bounded_and_says_what_it_leaves_out():
    rows = [(f"tool{n}", "", {"type": "object"}) for n in range(501)]
    found = bounded_listing(rows, cut=True)
    assert len(found.definitions) == 500
    assert [one.original for one in found.refused] == ["tool500", "…"]
    bad = bounded_listing([("", "", {}), ("a\0", "", {}), ("b", "\ud800", {}), ("c", "x" * 2**21, {})])
    assert bad.definitions == {}
    assert len(bad.refused) == 4
    assert Listing({}) == bounded_listing([])


@pytest.mark.hall_databases("sqlite")
async def test_of_five_hundred_tools_those_that_cannot_be_taken_are_left_out_alone(open_hall, plan, file_of):
    deep: dict = {"type": "object"}
    for _ in range(40):
        deep = {"type": "object", "properties": {"x": deep}}
    away = {"type": "object", "properties": {"x": {"$ref": "https://example.org/schema"}}}
    plan.write(
        {"name": "deep", "schema": deep}, {"name": "away", "schema": away}, *(f"t{n}" for n in range(500))
    )
    async with open_hall(SERVICE_MCP=file_of(many=plan.entry())) as hall:
        servers = Servers(hall)
        await servers.until("many", lambda item: item["status"] == "needs_approval")
        answer = (await hall.operator.post("/api/mcp/many/approve", {})).json()
        reasons = {one["tool"]: one["reason"] for one in answer["refused"]}
        assert set(reasons) == {"deep", "away", "t498", "t499"}
        assert "nested deeper" in reasons["deep"]
        assert "outside of it" in reasons["away"]
        assert len(await _offered(hall)) == 498
        await servers.turn_on("mcp__many__t497")
        assert "t497" in await servers.call("mcp__many__t497")


async def _until_offered(hall, expected: dict[str, bool]) -> None:
    """Waits for the list, which follows what a server's item says: a change is stored in between."""
    while await _offered(hall) != expected:  # noqa: ASYNC110
        await asyncio.sleep(0)


async def _offered(hall) -> dict[str, bool]:
    items, more = [], {}
    while more is not None:
        answer = (await hall.acme.member.get("/api/tools", params={"limit": 200, **more})).json()
        items += answer["items"]
        more = {"cursor": answer["next_cursor"]} if answer["next_cursor"] else None
    return {one["name"]: one["enabled"] for one in items if one["source"] == "mcp"}
