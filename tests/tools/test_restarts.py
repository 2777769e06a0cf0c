"""A server that is restarted while runs wait for tools that come and go: nothing of it fails for that."""

import asyncio
import json

import pytest

from builtin_plugins.mcp.service import McpServers
from builtin_plugins.mcp.tests.conftest import Plan, Servers
from builtin_plugins.oop.tests.folders import Programs, turn_on, until
from kernel.scheduler.claim_loop import ClaimLoop

pytestmark = pytest.mark.any_database

ITEMS = 8
# Says which tools it has once the file `go` stands beside it.
SLOW_PROGRAM = """
import json, os, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    while not os.path.exists("go"):
        time.sleep(0.02)
    tools = {"tools": [{"name": "echo"}]}
    result = {"initialize": {"protocol": 1}, "tools/list": tools}.get(asked["method"], {"result": "done"})
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


@pytest.fixture
def plan(tmp_path):
    return Plan(tmp_path / "plan.json")


@pytest.fixture
def mcp(plan, tmp_path):
    """The settings for the MCP server of the plan."""
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"rough": plan.entry()}}))
    return {"SERVICE_MCP": str(path)}


@pytest.fixture
def left_over(open_again, monkeypatch):
    """Starts a run of a map of calls, in a server that works at nothing; its id is left to the next one."""

    async def claims_nothing(self, needless=None):
        return 0

    async def begun(tool, prepare, **settings):
        step = {"name": "ask", "kind": "map", "over": [*range(ITEMS)], "tool": tool, "with": {}}
        spec = {"slug": "ask", "inputs": {}, "start": "ask", "max_steps": 100, "steps": [step]}
        with monkeypatch.context() as idle:
            idle.setattr(ClaimLoop, "claim_round", claims_nothing)
            async with open_again(**settings) as hall:
                await prepare(hall)
                published = await hall.acme.owner.post("/api/workflows", spec)
                assert published.status_code == 201, published.text
                run = await hall.acme.member.post("/api/workflows/ask/run", {"input": {}})
                assert run.status_code == 202, run.text
                return run.json()["id"]

    return begun


async def read(hall, run_id):
    return (await hall.acme.member.get(f"/api/runs/{run_id}")).json()


async def go_on(hall, rounds=8):
    """Works at what is due, and at what was put off."""
    for _ in range(rounds):
        await hall.drain_jobs()
        hall.clock.advance(seconds=5)


async def ended(hall, run_id):
    for _ in range(50):
        await go_on(hall, rounds=1)
        if (run := await read(hall, run_id))["state"] != "running":
            return run
    raise AssertionError(run)


async def approved(hall):
    await Servers(hall).ready("rough")


@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
async def test_nothing_is_claimed_before_the_sources_of_tools_have_answered(
    open_again, left_over, mcp, monkeypatch
):
    run_id = await left_over("mcp__rough__echo", approved, **mcp)
    offered = McpServers.offered

    async def slowly(self):
        await asyncio.sleep(0.2)  # long enough for a claim that does not wait for it
        return await offered(self)

    monkeypatch.setattr(McpServers, "offered", slowly)
    async with open_again(**mcp) as hall:
        run = await ended(hall, run_id)
    assert run["state"] == "succeeded", run["error"]
    assert run["steps"][0]["items"] == {"total": ITEMS, "done": ITEMS, "failed": 0}


async def test_a_tool_whose_server_is_still_starting_is_waited_for(
    open_again, left_over, mcp, plan, monkeypatch, tmp_path
):
    """Neither is an attempt used up, nor is it taken for a tool that is not there."""
    run_id = await left_over("mcp__rough__echo", approved, **mcp)
    monkeypatch.setattr("builtin_plugins.mcp.server.WAIT_SECONDS", 0.01)
    gate = tmp_path / "gate"
    plan.write("echo", starts_after=str(gate))
    async with open_again(**mcp) as hall:
        await go_on(hall)
        assert (await read(hall, run_id))["steps"][0]["items"] == {"total": ITEMS, "done": 0, "failed": 0}
        gate.touch()
        await Servers(hall).until("rough", lambda item: item["status"] == "connected")
        run = await ended(hall, run_id)
    assert run["state"] == "succeeded", run["error"]


@pytest.mark.long_form
async def test_a_tool_of_a_server_that_cannot_be_started_is_unavailable(
    open_again, left_over, mcp, plan, monkeypatch
):
    run_id = await left_over("mcp__rough__echo", approved, **mcp)
    monkeypatch.setattr("builtin_plugins.mcp.server.WAIT_SECONDS", 0.01)
    plan.write("echo", garbage="split secret")
    async with open_again(**mcp) as hall:
        await Servers(hall).until("rough", lambda item: item["status"] == "down")
        run = await ended(hall, run_id)
    assert (run["state"], run["error"]["code"]) == ("failed", "tool_unavailable")


async def test_the_tool_of_a_program_that_is_still_starting_is_waited_for(open_again, left_over, tmp_path):
    programs = Programs(tmp_path / "programs").add("slow", SLOW_PROGRAM)
    gate = programs.root / "slow" / "go"
    gate.touch()
    settings = {"SERVICE_OOP": str(programs.root)}

    async def connected(hall):
        await until(hall, lambda items: items["slow"]["status"] == "connected")
        await turn_on(hall, "oop__slow__echo")

    run_id = await left_over("oop__slow__echo", connected, **settings)
    gate.unlink()
    async with open_again(**settings) as hall:
        await go_on(hall)
        assert (await read(hall, run_id))["steps"][0]["items"] == {"total": ITEMS, "done": 0, "failed": 0}
        gate.touch()
        await until(hall, lambda items: items["slow"]["status"] == "connected")
        run = await ended(hall, run_id)
    assert run["state"] == "succeeded", run["error"]


@pytest.mark.long_form
async def test_the_tool_of_a_program_that_cannot_be_started_is_unavailable(open_again, left_over, tmp_path):
    programs = Programs(tmp_path / "programs").add("slow", SLOW_PROGRAM)
    (programs.root / "slow" / "go").touch()
    settings = {"SERVICE_OOP": str(programs.root)}

    async def connected(hall):
        await until(hall, lambda items: items["slow"]["status"] == "connected")
        await turn_on(hall, "oop__slow__echo")

    run_id = await left_over("oop__slow__echo", connected, **settings)
    (programs.root / "slow" / "main.py").write_text("raise SystemExit(1)")
    async with open_again(**settings) as hall:
        await until(hall, lambda items: items["slow"]["status"] == "down")
        run = await ended(hall, run_id)
    assert (run["state"], run["error"]["code"]) == ("failed", "tool_unavailable")


async def test_a_tool_that_waits_for_approval_says_so(open_hall, plan, mcp):
    plan.write("echo", "new")
    async with open_hall(**mcp) as hall:
        servers = Servers(hall)
        await servers.until("rough", lambda item: item["status"] == "needs_approval")

        async def refusal(tool):
            answer = await hall.acme.member.post("/api/agent", {"prompt": "Hello", "tools": [tool]})
            return answer.status_code, answer.json()["code"]

        assert await refusal("mcp__rough__new") == (409, "tool_needs_approval")
        assert await refusal("mcp__rough__no_such") == (400, "unknown_tool")
        assert await refusal("mcp__other__echo") == (400, "unknown_tool")
