"""Long lists of the console in Chromium: scrolling through them, and a key until its row is drawn."""

import json
from collections.abc import Callable, Mapping, Sequence

from playwright.sync_api import Browser, CDPSession, Page, Route

from bench.console_pages import NEXT_FRAME, console, metric, open_page
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import Server

NAME = "console.lists"
ROUNDS = 9
MANY, FEW = 10_000, 100
SCREENS, KEYS = 40, 40


def run(report: Report) -> None:
    with console() as (browser, server, token):
        _long_list(report, browser, server, token)
        _many_files(report, browser, server, token)


def _long_list(report: Report, browser: Browser, server: Server, token: str) -> None:
    with open_page(browser, server, token) as few, open_page(browser, server, token) as many:
        for (page, _), count in ((few, FEW), (many, MANY)):
            page.route("**/api/notes?*", _answering(count))
            page.route("**/api/notes", _answering(count))
            page.goto(f"http://127.0.0.1:{server.port}/notes")
            page.get_by_text("Note 1", exact=True).wait_for()
        taken = take_turns({"many": lambda: _scroll(*many), "few": lambda: _scroll(*few)}, ROUNDS)
        walked = take_turns({"many": lambda: _walk(*many), "few": lambda: _walk(*few)}, ROUNDS)
    _tell(report, f"scripting per screen of a list of {MANY:,}", taken, Aim(1.5))
    _tell(report, f"a key to the next row of {MANY:,}, drawn", walked, Aim(2))


def _tell(report: Report, what: str, taken: Mapping[str, Sequence[float]], aim: Aim) -> None:
    report.compare(NAME, what, taken["many"], f"of {FEW}", taken["few"], aim)
    report.reading(NAME, what, taken["many"], "ms")


def _walk(page: Page, session: CDPSession) -> float:
    """Walks by j and k, and returns the milliseconds of the main thread per key until its row is drawn."""
    before = metric(session, "TaskDuration")
    for number in range(KEYS):
        page.keyboard.press("j" if number % 20 < 10 else "k")
        page.evaluate(NEXT_FRAME)
    return (metric(session, "TaskDuration") - before) / KEYS * 1000


def _scroll(page: Page, session: CDPSession) -> float:
    """Scrolls down and up within the length of the short list, and returns the milliseconds per screen."""
    before = metric(session, "ScriptDuration")
    for number in range(SCREENS):
        page.mouse.wheel(0, 800 if number % 8 < 4 else -800)
        page.evaluate(NEXT_FRAME)
    return (metric(session, "ScriptDuration") - before) / SCREENS * 1000


def _many_files(report: Report, browser: Browser, server: Server, token: str) -> None:
    """Files are rows with thumbnails, marks and menus of their own: the longest rows that the console has."""
    server.put("/api/repo/pattern.txt", "words", "text/plain", token)
    [pattern] = server.ask("GET", "/api/repo?limit=1", token=token)["items"]

    def answering(count: int) -> Callable[[Route], None]:
        names = [f"file-{number:05}.txt" for number in range(count)]
        items = [{**pattern, "id": f"obj_{name}", "key": name, "filename": name} for name in names]
        body = json.dumps({"items": items, "folders": [], "next_cursor": None})
        return lambda route: route.fulfill(body=body, content_type="application/json")

    with open_page(browser, server, token) as few, open_page(browser, server, token) as many:
        for (page, _), count in ((few, FEW), (many, MANY)):
            page.route("**/api/repo?*", answering(count))
            page.goto(f"http://127.0.0.1:{server.port}/files")
            page.get_by_text("file-00001.txt").first.wait_for()
            page.mouse.move(700, 500)
        taken = take_turns({"many": lambda: _scroll(*many), "few": lambda: _scroll(*few)}, ROUNDS)
        for page, _ in (few, many):
            page.evaluate("scrollTo(0, 0)")
            page.evaluate(NEXT_FRAME)
        walked = take_turns({"many": lambda: _walk(*many), "few": lambda: _walk(*few)}, ROUNDS)
    _tell(report, f"scripting per screen of {MANY:,} files", taken, Aim(1.5))
    _tell(report, f"a key to the next of {MANY:,} files, drawn", walked, Aim(2))


def _answering(count: int) -> Callable[[Route], None]:
    owner = {"id": "usr_1", "name": "ada"}
    at = "2026-01-01T00:00:00.000Z"
    fixed = {"body": "", "owner": owner, "team_id": "team_1", "visibility": "team", "created_at": at}
    items = [{"id": f"note_{n}", "title": f"Note {n}", "updated_at": at, **fixed} for n in range(count)]
    body = json.dumps({"items": items, "next_cursor": None})

    def answer(route: Route) -> None:
        route.fulfill(body=body, content_type="application/json")

    return answer
