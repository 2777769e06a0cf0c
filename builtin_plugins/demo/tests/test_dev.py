"""`guildhall dev`: a plugin from its source, served again with each saved file, and what is wrong with it."""

import asyncio
import json
import re
import signal
from pathlib import Path

import httpx
import pytest

from builtin_plugins.demo.filling import PASSWORD, people
from tests import commands

pytestmark = pytest.mark.any_database
LIBRARIES = Path(__file__).parents[3] / "console/node_modules"


class Session:
    """A running `guildhall dev`, whose words are read as they come."""

    def __init__(self, process):
        self.process = process
        self.said = ""

    async def until(self, words):
        begun = len(self.said)
        async with asyncio.timeout(120):
            while words not in self.said[begun:]:
                line = await self.process.stdout.readline()
                assert line, self.said
                self.said += line.decode()
        return self.said[begun:]


@pytest.fixture
async def dev(tmp_path):
    """`await dev(path, …)`: a session, ended by Ctrl-C, that leaves nothing behind."""
    folder, browser = tmp_path / "temporary", tmp_path / "browser"
    folder.mkdir()
    browser.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/opened\n')
    browser.chmod(0o700)
    sessions = []

    async def start(*words):
        environ = commands.bare_environment(TMPDIR=str(folder), BROWSER=f"{browser} %s")
        process = await commands.start(environ, "dev", "--port", "0", *words)
        sessions.append(Session(process))
        return sessions[-1]

    yield start
    for session in sessions:
        session.process.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(session.process.wait(), 60) == 0, session.said
    assert list(folder.iterdir()) == []


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
    async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=30) as http:
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


def with_libraries(screens):
    """As `npm install` leaves it: what the console is built with, in a folder of the project itself."""
    home = screens / "node_modules"
    home.mkdir()
    for one in LIBRARIES.iterdir():
        if not one.name.startswith((".vite", ".installed")):
            (home / one.name).symlink_to(one)


@pytest.mark.skipif(not (LIBRARIES / ".bin/vite").exists(), reason="the console's libraries are not there")
async def test_a_saved_screen_comes_into_the_open_page(dev, tmp_path, open_page):
    project = tmp_path / "guildhall-book-shelf"
    words = ["plugin", "new", "book-shelf", "--screen", "--yes", "--folder", project]
    made = commands.run(commands.bare_environment(), words)
    assert made.returncode == 0, made.output
    with_libraries(project / "screens")
    session = await dev(project, "--no-browser")
    url = re.search(r"http://127\.0\.0\.1:\d+", await session.until("Ctrl-C ends it"))[0]
    async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=30) as http:
        who = {"username": people()[0].username, "password": PASSWORD}
        token = (await http.post("/api/login", json=who)).json()["token"]
        sent = await http.get(
            f"http://localhost:{url.split(':')[-1]}/login", headers={"Sec-Fetch-Dest": "document"}
        )
        assert (sent.status_code, sent.headers["location"]) == (307, f"{url}/login")
    page = await open_page()
    kept = json.dumps(json.dumps({"token": token, "expiresAt": None, "kept": False}))
    await page.add_init_script(f"sessionStorage.setItem('guildhall.session', {kept})")
    await page.goto(f"{url}/book-shelf")
    main = page.get_by_role("main")
    await main.get_by_text("A screen of a plugin of your own.").wait_for()
    await page.evaluate("window.stays = true")

    screen, style = project / "screens/index.tsx", project / "screens/shelf.css"
    written = screen.read_text()
    style.write_text("main h1 { text-decoration: underline }")
    changed = written.replace('text={t("book-shelf.text")}', 'text="Saved just now"')
    screen.write_text(f'import "./shelf.css";\n{changed}')
    await main.get_by_text("Saved just now").wait_for()
    heading = page.get_by_role("heading", level=1)
    await page.wait_for_function(
        "getComputedStyle(document.querySelector('h1')).textDecorationLine === 'underline'"
    )
    assert await heading.text_content() == "Book shelf"
    screen.write_text(written)
    await main.get_by_text("A screen of a plugin of your own.").wait_for()
    assert await page.evaluate("window.stays"), "the page was loaded anew"
    assert "served again" not in session.said


def test_what_is_no_plugin_is_refused(tmp_path):
    refused = commands.run(commands.bare_environment(TMPDIR=str(tmp_path)), ["dev", tmp_path, "--no-browser"])
    assert (refused.returncode, "is no plugin: name a folder with" in refused.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []
