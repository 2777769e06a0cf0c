"""`guildhall dev`: a plugin from its source, served again with each saved file, and what is wrong with it."""

import re

import httpx
import pytest

from builtin_plugins.demo.filling import PASSWORD, people
from tests import commands

pytestmark = pytest.mark.any_database


async def test_a_saved_file_is_served_and_what_is_wrong_is_said_until_it_is_mended(dev, tmp_path):
    project = tmp_path / "guildhall-book-shelf"
    made = commands.run(
        commands.bare_environment(),
        ["plugin", "new", "book-shelf", "--table", "--yes", "--folder", project],
    )
    assert made.returncode == 0, made.output
    package = project / "src/guildhall_book_shelf"
    routes, migration = package / "routes.py", package / "migrations/0001_items.sql"
    session = await dev(project)
    said = await session.until("Ctrl-C ends it")
    url = re.search(r"http://127\.0\.0\.1:\d+", said)[0]
    assert "book-shelf at http" in said and all(person.username in said for person in people())
    async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=60) as http:
        who = {"username": people()[0].username, "password": PASSWORD}

        async def sign_in():
            token = (await http.post("/api/login", json=who)).json()["token"]
            return {"Authorization": f"Bearer {token}"}

        anna = await sign_in()
        added = await http.post("/api/x/book-shelf/items", json={"text": "one"}, headers=anna)
        assert added.status_code == 201

        right = routes.read_text()
        routes.write_text(right.replace("read_item(call: Call)", "read_item(call: Call, more: int)"))
        said = await session.until("not served: ")
        assert "the handler read_item is called with (call): missing" in said
        page = await http.get("/")
        assert (page.status_code, "read_item is called with (call): missing" in page.text) == (503, True)

        routes.write_text(right.replace('{"text": "Ring the harbour"}', '{"text": "Ring"}'))
        await session.until("served again")
        assert (tmp_path / "opened").read_text() == f"{url}/login\n"
        kept = (await http.get("/api/x/book-shelf/items", headers=anna)).json()["items"]
        assert [item["text"] for item in kept] == ["one"]

        migration.write_text(
            migration.read_text().replace("text TEXT NOT NULL", "text TEXT NOT NULL DEFAULT ''")
        )
        await session.until("a migration was changed: the hall begins anew")
        await session.until("served again")
        assert (await http.get("/api/x/book-shelf/items", headers=await sign_in())).json()["items"] == []


def test_what_is_no_plugin_is_refused(tmp_path):
    refused = commands.run(commands.bare_environment(TMPDIR=str(tmp_path)), ["dev", tmp_path, "--no-browser"])
    assert (refused.returncode, "is no plugin: name a folder with" in refused.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []
