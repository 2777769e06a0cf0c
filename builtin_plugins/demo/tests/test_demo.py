"""`guildhall demo`: what is in the hall, who can sign in, and that nothing of it stays behind."""

import asyncio
import re
import signal
from contextlib import asynccontextmanager

import httpx
import pytest

from builtin_plugins.demo.filling import PASSWORD, people
from builtin_plugins.demo.materials import files
from tests import commands

pytestmark = pytest.mark.any_database


@asynccontextmanager
async def demo(tmp_path, *options, until="Ctrl-C ends it"):
    """Runs until the block ends, then gets Ctrl-C; gives its address, if it said it, and what it has said."""
    environ = commands.bare_environment(TMPDIR=str(tmp_path))
    process = await commands.start(environ, "demo", "--port", "0", *options)
    said = ""
    try:
        async with asyncio.timeout(120):
            while until not in said:
                line = await process.stdout.readline()
                assert line, said
                said += line.decode()
        address = re.search(r"http://127\.0\.0\.1:\d+", said)
        yield address and address[0], said
    finally:
        process.send_signal(signal.SIGINT)
        code = await asyncio.wait_for(process.wait(), 60)
    assert code == 0


async def signed_in(url, person):
    async with httpx.AsyncClient(base_url=url, trust_env=False) as http:
        answer = await http.post("/api/login", json={"username": person.username, "password": PASSWORD})
    assert answer.status_code == 200, answer.text
    headers = {"Authorization": f"Bearer {answer.json()['token']}"}
    return httpx.AsyncClient(base_url=url, headers=headers, trust_env=False, timeout=60)


async def items(http, path):
    answer = await http.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()["items"]


async def test_everybody_signs_in_to_a_hall_with_something_of_everything_that_is_filled_once(tmp_path):
    home, keys = tmp_path / "hall", {key for key, _, _ in files()}
    async with demo(tmp_path, "--folder", home) as (url, said):
        assert "Filling" in said
        for person in people():
            link = rf"{person.username} +{person.role} +{person.company} +{url}/login#token=\S+"
            assert re.search(link, said)
            async with await signed_in(url, person) as http:
                who = (await http.get("/api/whoami")).json()
                assert (who["team"]["role"], who["org"]["name"]) == (person.role, person.company)
        async with await signed_in(url, people()[0]) as anna:
            found = {item["key"]: item for item in await items(anna, "/api/repo?limit=200")}
            assert keys <= found.keys()
            page = found["harbour/tides.html"]
            assert page["version"] == 2
            for key in ("harbour/pictures/sunrise.png", "harbour/contracts/northern-lines.pdf"):
                small = await anna.get(f"/api/repo-obj/{found[key]['id']}/thumbnail?size=64")
                assert (small.status_code, small.headers["content-type"]) == (200, "image/webp")
            for key in ("harbour/contracts/letter.docx", "harbour/cargo/weeks.xlsx"):
                assert found[key]["text_status"] in ("pending", "indexed")
            [note, *_] = await items(anna, "/api/notes")
            assert len(await items(anna, f"/api/notes/{note['id']}/versions")) == 3
            states = {run["state"] for run in await items(anna, "/api/runs")}
            assert states == {"succeeded", "failed"}
            assert await items(anna, "/api/kg/entities?q=harbour")
            assert await items(anna, "/api/l10n/messages?locale=nl&status=submitted")
            assert len(await items(anna, "/api/beta/prospects")) == 3
            assert any(item["used"] for item in await items(anna, "/api/usage"))
            assert len(await items(anna, "/api/usage?by=day")) >= 29
            assert len(await items(anna, "/api/usage?by=user")) == 4
            graph = (await anna.get("/api/kg/graph?types=person,organization")).json()
            assert len(graph["edges"]) >= 5
    assert list(tmp_path.iterdir()) == [home]
    async with demo(tmp_path, "--folder", home) as (url, said):
        assert "Filling" not in said
        async with await signed_in(url, people()[0]) as anna:
            assert len(await items(anna, "/api/repo?limit=200")) >= len(keys)


async def test_a_hall_without_a_folder_is_gone_when_it_ends(tmp_path):
    """Also where it is ended while it is filled."""
    async with demo(tmp_path, until="2 companies") as (_, said):
        assert [path.name.startswith("guildhall-demo-") for path in tmp_path.iterdir()] == [True]
        assert "Ctrl-C ends it" not in said
    assert list(tmp_path.iterdir()) == []


async def test_a_folder_with_something_else_in_it_is_refused(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other/letter").touch()
    refused = commands.run(commands.bare_environment(), ["demo", "--folder", tmp_path / "other"])
    assert (refused.returncode, "holds something that is no demo" in refused.stderr) == (2, True)
