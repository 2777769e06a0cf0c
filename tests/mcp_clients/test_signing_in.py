"""MCP clients of others sign in by OAuth, with a person who allows it in a browser."""

import asyncio
import json
import os

import pytest

from tests.console.visitor import Visitor, serious_violations
from tests.mcp_clients.test_real_clients import HERE, JAVASCRIPT, PATIENCE_SECONDS, PYTHON, Counter

pytestmark = pytest.mark.hall_databases("sqlite")

CLIENTS = {
    "Python": [str(PYTHON), str(HERE / "signing_in.py")],
    "JavaScript": ["node", str(JAVASCRIPT / "signing_in.mjs")],
}


@pytest.fixture
async def hall(open_hall):
    async with open_hall(Counter()) as opened:
        yield opened


@pytest.mark.parametrize("language", CLIENTS)
async def test_a_client_signs_in_with_a_person_at_a_browser(hall, open_page, tmp_path, language):
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "MCP_URL": f"{hall.base_url}/api/mcp/server",
    }
    pipes = {"stdout": asyncio.subprocess.PIPE, "stderr": asyncio.subprocess.PIPE}
    process = await asyncio.create_subprocess_exec(*CLIENTS[language], env=environment, **pipes)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            said = await process.stdout.readline()
            assert said, (await process.stderr.read()).decode()
            address = json.loads(said)["open"]
            assert address.startswith(f"{hall.base_url}/oauth/authorize?")
            page = await Visitor(hall, open_page).open(
                hall.acme.member, address.removeprefix(hall.base_url), allowed=["favicon"]
            )
            await page.get_by_role("heading", name=f"{language}'s client wants to act for you").wait_for()
            await page.get_by_text("The answer goes to a program on this device.").wait_for()
            assert await serious_violations(page) == []
            await page.get_by_role("checkbox").first.wait_for()
            await page.get_by_role("button", name="Allow").click()
            await page.get_by_text("Done").wait_for()
            rest, complaint = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode == 0, complaint.decode()
    given = json.loads(rest)
    assert "count_words" in given["tools"]
    assert given["again"] == given["tools"]
    assert "chat:use" in given["scope"].split()
    (app,) = (await hall.acme.member.get("/api/connected-apps")).json()["items"]
    assert app["name"] == f"{language}'s client"
