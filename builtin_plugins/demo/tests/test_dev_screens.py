"""Screens under `guildhall dev`, in a browser: a saved one comes into the open page, a built one too."""

import asyncio
import json
import re
import subprocess
from pathlib import Path

import httpx
import pytest

from builtin_plugins.demo.filling import PASSWORD, people
from tests import commands
from tests.console.visitor import serious_violations_in_both_modes

LIBRARIES = Path(__file__).parents[3] / "console/node_modules"
RECIPES = Path(__file__).parents[3] / "docs/plugins/recipes.md"
pytestmark = [
    pytest.mark.any_database,
    pytest.mark.skipif(
        not (LIBRARIES / ".bin/vite").exists(), reason="the libraries of the console are not there"
    ),
]


def with_libraries(screens):
    """As `npm install` leaves it: what the console is built with, in a folder of the project itself."""
    home = screens / "node_modules"
    home.mkdir()
    for one in LIBRARIES.iterdir():
        if not one.name.startswith((".vite", ".installed")):
            (home / one.name).symlink_to(one)


def new_project(name, folder, *parts):
    words = ["plugin", "new", name, *parts, "--yes", "--folder", folder]
    made = commands.run(commands.bare_environment(), words)
    assert made.returncode == 0, made.output
    with_libraries(folder / "screens")
    return folder


@pytest.fixture
def visit(open_page):
    """`page = await visit(url, "/book-shelf")`: the first of the people at an address of the hall."""

    async def visit(url, path):
        who = {"username": people()[0].username, "password": PASSWORD}
        async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=60) as http:
            token = (await http.post("/api/login", json=who)).json()["token"]
        page = await open_page(locale="en-GB", reduced_motion="reduce")
        kept = json.dumps(json.dumps({"token": token, "expiresAt": None, "kept": False}))
        await page.add_init_script("window.awaited = 0")
        await page.add_init_script(f"sessionStorage.setItem('guildhall.session', {kept})")
        await page.goto(url + path)
        return page

    return visit


async def address_of(session):
    return re.search(r"http://127\.0\.0\.1:\d+", await session.until("Ctrl-C ends it"))[0]


@pytest.mark.long_form
async def test_a_saved_screen_comes_into_the_open_page(dev, tmp_path, visit):
    project = new_project("book-shelf", tmp_path / "guildhall-book-shelf", "--screen")
    session = await dev(project, "--no-browser")
    url = await address_of(session)
    by_name = f"http://localhost:{url.rpartition(':')[2]}/login"
    async with httpx.AsyncClient(trust_env=False) as http:
        sent = await http.get(by_name, headers={"Sec-Fetch-Dest": "document"})
    assert (sent.status_code, sent.headers["location"]) == (307, f"{url}/login")
    page = await visit(url, "/book-shelf")
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


@pytest.mark.long_form
async def test_the_screen_of_the_recipe_is_built_and_works(dev, tmp_path, visit):
    project = new_project("harbour-log", tmp_path / "guildhall-harbour-log", "--table", "--screen")
    shown = re.findall(
        r"<!-- file: harbour-log/(\S+) -->\n```\w+\n(.*?)```", RECIPES.read_text("utf-8"), re.DOTALL
    )
    assert [name for name, _ in shown] == ["screens/index.tsx", "src/guildhall_harbour_log/locales/en.json"]
    for name, text in shown:
        (project / name).write_text(text, "utf-8")
    screens = project / "screens"
    vite = screens / "node_modules/.bin/vite"
    built = await asyncio.to_thread(subprocess.run, [vite, "build"], cwd=screens, capture_output=True)
    assert built.returncode == 0, built.stderr
    # Without them it is served as it was built, and as a wheel ships it.
    (screens / "node_modules").rename(tmp_path / "elsewhere")
    page = await visit(await address_of(await dev(project, "--no-browser")), "/harbour-log")
    await page.get_by_text("Nothing happened yet.").wait_for()
    await page.get_by_label("What happened").fill("The fog has lifted")
    await page.get_by_role("button", name="Add", exact=True).click()
    await page.get_by_text("It is in the log.").wait_for()
    await page.get_by_role("main").get_by_text("The fog has lifted").click()
    await page.get_by_role("dialog").get_by_role("button", name="Take out of the log").click()
    await page.get_by_text("Nothing happened yet.").wait_for()
    assert await serious_violations_in_both_modes(page) == []
