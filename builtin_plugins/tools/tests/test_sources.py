"""Tools that come and go, and the schemas that they bring from elsewhere."""

import asyncio

import pytest

from builtin_plugins.tools.sources import ToolSources
from guildhall_sdk import InvalidRequest, Plugin, Problem, Tool, hookimpl
from guildhall_sdk.tools import Tools, ToolSource
from guildhall_testing.heartbeat import quietest
from guildhall_testing.servers import running_server

pytestmark = pytest.mark.any_database

CITY = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {
        "city": {"$ref": "#/definitions/city"},
        "days": {"type": "integer", "minimum": 1},
    },
    "required": ["city"],
    "additionalProperties": False,
    "definitions": {"city": {"type": "string", "pattern": "^[A-Z]", "maxLength": 20}},
}


async def answer(host, principal, arguments):
    return {"for": principal.username, **arguments}


def tool(name="weather_now", schema=CITY, **more):
    given = {"name": name, "description": "-", "permission": "chat:use", "hosted": answer, "schema": schema}
    return Tool(**given | more)


class Weather:
    """A source that the test fills."""

    PLUGIN = Plugin("weather", "Weather", "0.1.0", "Tests sources.")

    def __init__(self, *tools):
        self.offered = [*tools]
        self.listed = 0

    @hookimpl
    def declare_tool_sources(self):
        async def tools(host):
            self.listed += 1
            if isinstance(self.offered, Exception):
                raise self.offered
            return self.offered

        return [ToolSource(name="weather", tools=tools)]


async def listed(hall, who):
    items = (await who.get("/api/tools?limit=200")).json()["items"]
    return {item["name"]: item for item in items if item["name"].startswith("weather_")}


@pytest.mark.every_database
async def test_a_tool_comes_is_turned_on_runs_and_goes(open_hall):
    plugin = Weather(tool())
    async with open_hall(plugin) as hall:
        owner, member = hall.acme.owner, hall.acme.member
        shown = (await listed(hall, member))["weather_now"]
        assert (shown["enabled"], shown["source"], shown["permission"]) == (False, "weather", "chat:use")
        assert shown["schema"]["parameters"] == CITY

        with pytest.raises(Problem, match="is off for this team"):
            await hall.tool("weather_now", as_=member, city="Oslo")
        assert (await owner.post("/api/tools/weather_now", {"enabled": True})).status_code == 200
        assert await hall.tool("weather_now", as_=member, city="Oslo") == {
            "for": member.username,
            "city": "Oslo",
        }
        assert (await listed(hall, hall.globex.member))["weather_now"]["enabled"] is False
        with pytest.raises(Problem, match="chat:use"):
            await hall.tool("weather_now", as_=hall.acme.viewer, city="Oslo")
        for wrong in (
            {},
            {"city": 1},
            {"city": "x" * 21},
            {"city": "Oslo", "days": 0},
            {"city": "a", "b": 1},
        ):
            with pytest.raises(InvalidRequest):
                await hall.tool("weather_now", as_=member, **wrong)

        tools = hall.server.service(Tools)
        caller = await hall.principal(member)
        async with hall.server.data.read() as reader:
            admitted = await tools.admit(reader, caller, "weather_now", {"city": "Oslo"})
        plugin.offered = [tool(schema={"type": "object"})]
        await tools.refresh("weather")
        with pytest.raises(InvalidRequest, match="has changed meanwhile"):
            await admitted.run()
        plugin.offered = []
        await tools.refresh("weather")
        with pytest.raises(InvalidRequest, match="There is no tool of this name") as gone:
            await admitted.run()
        assert gone.value.code == "unknown_tool"
        assert await listed(hall, member) == {}
        assert (await owner.post("/api/tools/weather_now", {"enabled": True})).status_code == 404

        plugin.offered = [tool()]
        await tools.refresh("weather")
        assert (await listed(hall, member))["weather_now"]["enabled"] is True, "the team's choice stands"
        plugin.offered = RuntimeError("the other server is away")
        await tools.refresh("weather")
        assert "weather_now" in await listed(hall, member), "what was known before is still offered"


@pytest.mark.hall_databases("sqlite")
async def test_a_tool_that_cannot_be_taken_is_left_out_alone_with_the_reason(open_hall):
    async def not_hosted(reader, principal, arguments): ...

    wrong = {
        "greet": tool("greet"),
        "weather-now": tool("weather-now"),
        "weather_for": tool("weather_for", permission="weather:read"),
        "weather_read": tool("weather_read", hosted=None, handler=not_hosted),
        "weather_long": tool("weather_long", description="x" * 5000),
        "weather_half": tool("weather_half", description="\ud800"),
        "weather_ref": tool(
            "weather_ref", {"type": "object", "properties": {"a": {"$ref": "http://10.0.0.1/x"}}}
        ),
        "?": "no tool at all",
    }
    async with open_hall(Weather(tool(), tool(), *wrong.values())) as hall:
        reasons = await hall.server.service(Tools).refresh("weather")
        assert reasons.keys() == {*wrong, "weather_now"}
        assert reasons["greet"] == "its name must begin with weather_"
        assert reasons["weather_now"] == "is there twice"
        assert reasons["weather_ref"] == "its schema refers to 'http://10.0.0.1/x', which is outside of it"
        assert list(await listed(hall, hall.acme.member)) == ["weather_now"]


@pytest.mark.hall_databases("sqlite")
async def test_what_a_schema_asks_for_holds_nobody_up(open_hall):
    """A pattern that backtracks is not tried, a tree may refer to itself, and large arguments are bounded."""
    backtracking = {"type": "string", "pattern": "^(a+)+$"}
    tree = {
        "type": "object",
        "properties": {"name": backtracking, "below": {"type": "array", "items": {"$ref": "#"}}},
    }
    many = {
        "type": "object",
        "properties": {"n": {"type": "array", "items": {"anyOf": [{"type": "integer"}] * 50}}},
    }
    shy = {"type": "object", "patternProperties": {"^(x+)+$": {}}, "additionalProperties": False}
    plugin = Weather(tool("weather_tree", tree), tool("weather_many", many), tool("weather_shy", shy))
    async with open_hall(plugin) as hall:
        for name in await listed(hall, hall.acme.owner):
            await hall.acme.owner.post(f"/api/tools/{name}", {"enabled": True})
        member = hall.acme.member

        async def called():
            deep = {"name": "a" * 40 + "!", "below": [{"below": [{"name": 17}]}]}
            assert await hall.tool("weather_tree", as_=member, **deep)
            assert await hall.tool("weather_shy", as_=member, **{"x" * 40 + "!": 1})
            with pytest.raises(InvalidRequest, match="/n/0"):
                await hall.tool("weather_many", as_=member, n=["x"] * 5_000)
            with pytest.raises(InvalidRequest, match="more values than this tool"):
                await hall.tool("weather_many", as_=member, n=[1] * 100_000)

        _, held_ms = await quietest(called, 100)
        assert held_ms < 100


@pytest.mark.hall_databases("postgresql")
async def test_the_other_processes_ask_their_own_source(open_hall):
    here, there = Weather(tool()), Weather(tool())
    async with (
        open_hall(here) as hall,
        running_server(hall.server.settings, clock=hall.clock, plugins=[there]) as other,
    ):
        servers = hall.server, other
        sources = [server.service(ToolSources) for server in servers]
        async with asyncio.timeout(60):
            while not all(server.pubsub._others.listening for server in servers):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            there.offered = [tool("weather_later")]
            await hall.server.service(Tools).refresh("weather")
            while sources[1].get("weather_later") is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert sources[1].get("weather_now") is None


def test_a_tool_of_a_plugin_may_have_a_raw_schema_too():
    assert tool().function_schema()["parameters"] == CITY
