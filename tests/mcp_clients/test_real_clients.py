"""Our MCP server and the clients of others: Python's in both eras of the protocol, and JavaScript's."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from guildhall_sdk import Parameter, Plugin, Tool, hookimpl

pytestmark = pytest.mark.any_database

HERE = Path(__file__).parent
PYTHON = HERE.parents[1] / ".venv" / "mcp-clients" / "bin" / "python"
JAVASCRIPT = HERE / "javascript"
PATIENCE_SECONDS = 120
CLIENTS = {
    "python, without a handshake": ([str(PYTHON), str(HERE / "driving.py")], "auto", "2026-07-28"),
    "python, with a handshake": ([str(PYTHON), str(HERE / "driving.py")], "legacy", "2025-11-25"),
    "javascript": (["node", str(JAVASCRIPT / "driving.mjs")], "", "2025-11-25"),
}


class Counter:
    PLUGIN = Plugin("counter", "Counter", "1.0", "Counts.")

    @hookimpl
    def declare_tools(self):
        text = [Parameter("text", "string")]
        return [Tool("count_words", "Counts words.", "chat:use", hosted=self._count, parameters=text)]

    async def _count(self, host, principal, arguments):
        return {"words": len(arguments["text"].split())}


@pytest.fixture(scope="session", autouse=True)
def installed_clients():
    for place in (PYTHON, JAVASCRIPT / "node_modules"):
        if not place.exists():
            pytest.fail(f"there is no MCP client at {place}: `make setup` puts it there", pytrace=False)


@pytest.fixture
async def hall(open_hall):
    async with open_hall(Counter()) as opened:
        yield opened


@pytest.fixture(params=CLIENTS)
def take_tour(request, hall, tmp_path):
    """`await take_tour(uri, *tokens)`: what the client saw with each; and its revision."""
    command, mode, revision = CLIENTS[request.param]

    async def take(uri, *tokens):
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "MCP_URL": f"{hall.base_url}/api/mcp/server",
            "MCP_TOKENS": " ".join(tokens),
            "MCP_MODE": mode,
            "MCP_RESOURCE": uri,
        }
        process = await asyncio.create_subprocess_exec(
            *command, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                said, complaint = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
        assert process.returncode == 0, complaint.decode()
        return json.loads(said)

    take.revision = revision
    return take


async def test_a_client_lists_calls_reads_and_searches_and_is_refused_with_less_than_it_takes(
    hall, take_tour
):
    note = {"title": "Tariffs", "body": "From May on.", "visibility": "team"}
    uri = "guildhall://notes/" + (await hall.acme.owner.post("/api/notes", note)).json()["id"]
    member = await hall.with_token(hall.acme.member)
    scoped = await hall.with_token(hall.acme.owner, scope=["chat:use"])
    seen, narrowly, by_nobody = await take_tour(uri, member.token, scoped.token, "gha_" + "x" * 43)
    assert seen["version"] == take_tour.revision
    assert {"count_words", "search", "read_note"} <= set(seen["tools"])
    assert seen["resources"] == [uri]
    assert seen["read"] == "From May on."
    assert seen["count_words"] == {"error": False, "value": {"words": 2}}
    assert [item["uri"] for item in seen["search"]["value"]["items"]] == [uri]
    assert seen["unknown"] == -32602
    assert "refused" in narrowly, "its scope lists no notes"
    assert "refused" in by_nobody, "nobody has this token"
