"""MCP servers for the tests: real ones, and one that misbehaves on purpose."""

import asyncio
import json
import sys
import time
from pathlib import Path

import pytest

from builtin_plugins.mcp.service import McpServers

HERE = Path(__file__).parent
INSTALLED = Path(sys.prefix) / "mcp-servers"
TOKEN = "canary-of-the-entry-77213"


class Plan:
    """What the misbehaving server does, and how often it was started."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.write("echo")

    def write(self, *tools, **more) -> None:
        named = [tool if isinstance(tool, dict) else {"name": tool} for tool in tools]
        self.path.write_text(json.dumps({"tools": named, **more}))

    @property
    def starts(self) -> list[int]:
        """The process ids, the newest last."""
        starts = Path(f"{self.path}.starts")
        return [int(line) for line in starts.read_text().split()] if starts.exists() else []

    def entry(self, **more) -> dict:
        program = str(HERE / "misbehaving.py")
        return {
            "command": sys.executable,
            "args": ["-I", program, str(self.path)],
            "env": {"API_TOKEN": TOKEN},
            **more,
        }


class Servers:
    """The servers of a hall, as an operator and a team use them."""

    def __init__(self, hall) -> None:
        self.hall = hall

    def __getitem__(self, name):
        return self.hall.server.service(McpServers).servers[name]

    async def item(self, name: str, client=None) -> dict:
        answer = await (client or self.hall.operator).get("/api/mcp")
        return next(one for one in answer.json()["items"] if one["name"] == name)

    async def until(self, name: str, reached, seconds: float = 60.0) -> dict:
        """The server's item as soon as it is so."""
        ends = time.monotonic() + seconds
        while not reached(item := await self.item(name)):
            assert time.monotonic() < ends, item
            await asyncio.sleep(0.02)
        return item

    async def gone(self, name: str) -> None:
        """Once the session that there is now is over."""
        await asyncio.wait({(await self[name]._link).watch.lost}, timeout=60)

    async def ready(self, name: str) -> dict:
        """Connected, all of its tools approved and turned on for the team of acme's owner."""
        await self.until(name, lambda item: item["status"] in {"needs_approval", "connected"})
        answer = await self.hall.operator.post(f"/api/mcp/{name}/approve", {})
        assert answer.status_code == 200, answer.text
        for tool in answer.json()["tools"]:
            await self.turn_on(tool["name"])
        return answer.json()

    async def turn_on(self, tool: str) -> None:
        answer = await self.hall.acme.owner.post(f"/api/tools/{tool}", {"enabled": True})
        assert answer.status_code == 200, answer.text

    async def call(self, tool: str, **arguments):
        return await self.hall.tool(tool, as_=self.hall.acme.member, **arguments)


@pytest.fixture
def quick(monkeypatch):
    """Servers come back at once, and have little time to end."""
    monkeypatch.setattr("builtin_plugins.mcp.losses.FIRST_PAUSE_SECONDS", 0.02)
    monkeypatch.setattr("builtin_plugins.mcp.stdio_transport._END_SECONDS", 0.1)
    monkeypatch.setattr("builtin_plugins.mcp.server.LIST_SECONDS", 4.0)
    monkeypatch.setattr("builtin_plugins.mcp.server.CONNECT_SECONDS", 0.3)


@pytest.fixture
def plan(tmp_path) -> Plan:
    return Plan(tmp_path / "plan.json")


@pytest.fixture
def file_of(tmp_path):
    """`file_of(name=entry, …)`: the path of a file for `SERVICE_MCP`."""

    def written(**entries) -> str:
        path = tmp_path / "mcp.json"
        path.write_text(json.dumps({"mcpServers": entries}))
        return str(path)

    return written
