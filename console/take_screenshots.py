"""Takes the pictures of the documentation: fills an instance with some work, and opens a few screens of it.

Run by `make screenshots`, with the folder that they go to.
"""

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from playwright.sync_api import Browser, Page, sync_playwright

from bench.guildhall import guildhall
from bench.servers import Server

SIZE = {"width": 1280, "height": 800}
ACCENT = {"accent": "#0f766e", "focus": "#0f766e", "dark-accent": "#5eead4", "dark-on-accent": "#06302b"}
MINUTES = """# Opening of the hall

Doors at **nine**, speeches at ten. The ropemakers bring the bunting.

| who | what | when |
|---|---|---|
| Ada | the engine | Monday |
| Grace | the compiler | Tuesday |
| Edsger | the map | Friday |

- [x] Ask the harbour master
- [ ] Invite the guilds of the north
"""
NOTES = (
    ("Who brings what", "- Ada: the engine\n- Grace: the compiler"),
    ("Questions for the harbour master", "How deep is the quay at low tide?"),
    ("Minutes of Monday", "The hall opens at nine."),
    ("Opening of the hall", MINUTES),
)
FILES = {
    "Harbour dues.md": "# Harbour dues\n\nThe second quarter comes to 1,200 crowns, paid by the bakers.\n",
    "Opening.md": MINUTES,
    "Guilds.csv": "guild,members\nropemakers,41\nbakers,27\nprinters,12\n",
    "contracts/quay.md": "# The quay\n\nLet for a year, from the first of May.\n",
    "minutes/monday.md": "# Monday\n\nThe hall opens at nine.\n",
}
COLLEAGUES = (
    ("grace", "Grace Hopper", "Compilers for everybody"),
    ("edsger", "Edsger Dijkstra", "On short paths"),
)
WORKFLOW = {
    "slug": "count-words",
    "name": "Count words",
    "inputs": {"texts": {"type": "array"}},
    "start": "begin",
    "steps": [
        {"name": "begin", "kind": "tool", "tool": "word_count", "with": {"text": "Once upon a time"}},
        {
            "name": "each",
            "kind": "map",
            "over": {"$from": "input.texts"},
            "tool": "word_count",
            "with": {"text": {"$from": "item"}},
        },
        {
            "name": "any",
            "kind": "choice",
            "when": {"empty": {"$from": "input.texts"}},
            "then": "none",
            "else": "last",
        },
        {"name": "last", "kind": "tool", "tool": "word_count", "with": {"text": "The end"}, "end": True},
        {"name": "none", "kind": "tool", "tool": "word_count", "with": {"text": "Nothing"}},
    ],
}
COMPANY = "Analytical Engines"
QUESTION = "Who pays the harbour dues?"


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="pictures-") as data,
        guildhall(Path(data) / "data") as server,
        sync_playwright() as playwright,
    ):
        founder = {"username": "ada", "password": "difference engine", "display_name": "Ada Lovelace"}
        made = server.ask("POST", "/api/bootstrap", {**founder, "org": COMPANY, "team": "Research"})
        places = fill(server, made["token"])
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        camera = Camera(browser, f"http://127.0.0.1:{server.port}", made["token"], folder)
        camera.take("notes", places["note"], "light", shows("Ask the harbour master"))
        camera.take("files", "/files", "light", shows("Harbour dues.md"))
        camera.take("chat", f"/chat?document={places['document']}", "light", ask)
        camera.take("run", places["run"], "dark", shows_graph)
        camera.take("home", "/", "light", shows("Opening of the hall"))
        server.ask("PUT", "/api/org/branding", {"title": COMPANY, "theme": ACCENT}, made["token"])
        camera.take("branding-light", "/company/branding", "light", shows("Colours"))
        camera.take("branding-dark", "/", "dark", shows("Opening of the hall"))
        browser.close()


def fill(server: Server, token: str) -> dict[str, str]:
    """Fills the hall with some work; returns the addresses of what is shown."""
    made = {}
    for key, text in FILES.items():
        media_type = "text/csv" if key.endswith(".csv") else "text/markdown"
        kept = server.put(f"/api/repo/{quote(key)}?visibility=team", text, media_type, token)
        made.setdefault("document", kept["id"])
    for username, name, title in COLLEAGUES:
        person = {"username": username, "display_name": name, "role": "member"}
        joined = server.ask("POST", "/api/members", person, token)
        server.ask(
            "POST", "/api/notes", {"title": title, "body": title, "visibility": "team"}, joined["token"]
        )
    for title, body in NOTES:
        note = server.ask("POST", "/api/notes", {"title": title, "body": body, "visibility": "team"}, token)
        made["note"] = f"/notes/{note['id']}"
    server.ask("POST", "/api/workflows", WORKFLOW, token)
    texts = ["The hall opens at nine.", "Doors first, speeches later.", "Bring the bunting."]
    run = server.ask("POST", "/api/workflows/count-words/run", {"input": {"texts": texts}}, token)
    made["run"] = f"/runs/{run['run']['id'] if 'run' in run else run['id']}"
    return made


def shows(text: str) -> Callable[[Page], None]:
    """Waits for what comes after the frame of a screen."""
    return lambda page: page.get_by_role("main").get_by_text(text).first.wait_for()


def shows_graph(page: Page) -> None:
    """Waits for the drawing of a run, which comes after its list of steps."""
    shows("3 of 3 done")(page)
    page.locator(".react-flow__node").first.wait_for()


def ask(page: Page) -> None:
    page.get_by_label("Message").fill(QUESTION)
    page.keyboard.press("Enter")
    page.get_by_role("region", name="Answer").get_by_text(re.compile(r"\d+ tokens")).wait_for()


@dataclass(frozen=True, slots=True)
class Camera:
    """Opens screens as somebody, and keeps pictures of them."""

    browser: Browser
    base_url: str
    token: str
    folder: Path

    def take(
        self,
        name: str,
        path: str,
        scheme: Literal["light", "dark"],
        act: Callable[[Page], None] | None = None,
    ) -> None:
        context = self.browser.new_context(
            viewport=SIZE, color_scheme=scheme, locale="en-GB", reduced_motion="reduce"
        )
        page = context.new_page()
        session = json.dumps({"token": self.token, "expiresAt": None, "kept": False})
        page.add_init_script(f"sessionStorage.setItem('guildhall.session', {json.dumps(session)})")
        page.goto(self.base_url + path)
        page.locator("main h1:visible").first.wait_for()
        _settle(page)
        if act is not None:
            act(page)
            _settle(page)
        page.mouse.move(0, 0)
        page.screenshot(path=self.folder / f"{name}.png")
        context.close()


def _settle(page: Page) -> None:
    """Waits until nothing is awaited any more: a stream that tells of changes is never over."""
    page.wait_for_function("document.querySelectorAll('[aria-busy=true]').length === 0")
    page.wait_for_timeout(1_000)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
