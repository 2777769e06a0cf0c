"""The console in Chromium: the first screen, long lists, documents and answers, and what stays."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page, Route, sync_playwright

from bench.guildhall import found, guildhall
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import ROOT, BenchFailed, Server

NAME = "console"
ROUNDS = 9
MANY, FEW = 10_000, 100
SCREENS = 40
VISITS = 10
LENGTH, KEYS = 200_000, 40
ANSWERS, TOKENS, SLICE = 3, 20_000, 2_000

_SESSION = """
sessionStorage.setItem("guildhall.session", JSON.stringify({ token: %s, expiresAt: null, kept: false }));
"""
_NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


_PATHS = "links => links.map((link) => link.getAttribute('href')).filter((path) => path !== '/')"
_GO = "path => { history.pushState({}, '', path); dispatchEvent(new PopStateEvent('popstate')); }"

# An answer that comes as fast as it is fed, so that nothing but the page is measured.
_FED = """
const real = window.fetch;
window.fetch = (request, init) => {
  if (!/[/]api[/](ai[/]chat[/]stream|agent)$/.test(request.url ?? request)) return real(request, init);
  const bytes = new TextEncoder();
  const body = new ReadableStream({ start: (stream) => {
    let said = 0;
    const word = () => (++said % 400 === 0 ? "\\n\\n## Part\\n\\n" : said % 50 === 0 ? ".\\n\\n" : "words ");
    window.feed = async (tokens) => {
      for (let given = 0; given < tokens; given += 20) {
        for (let n = 0; n < 20; n += 1)
          stream.enqueue(bytes.encode(`event: delta\\ndata: ${JSON.stringify({ text: word() })}\\n\\n`));
        await new Promise((done) => requestAnimationFrame(done));
      }
    };
  } });
  return Promise.resolve(new Response(body, { headers: { "Content-Type": "text/event-stream" } }));
};
"""


def run(report: Report) -> None:
    executable = shutil.which("chromium")
    if executable is None:
        raise BenchFailed("there is no chromium here; install it")
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        guildhall(Path(folder) / "data") as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=executable, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        try:
            token = found(server).token
            _first_screen(report, browser, server, token)
            _many_screens(report, browser, server, token)
            _long_list(report, browser, server, token)
            _typing(report, browser, server, token)
            _long_answer(report, browser, server, token)
            _memory(report, browser, server, token)
        finally:
            browser.close()


def _first_screen(report: Report, browser: Browser, server: Server, token: str) -> None:
    """The same build at an address that shows nothing is the floor: all else is the screen's own."""

    def opened(path: str) -> float:
        with _page(browser, server, token) as (page, session):
            page.goto(f"http://127.0.0.1:{server.port}{path}")
            page.locator("main h1:visible").first.wait_for()
            page.wait_for_load_state("networkidle")
            return _metric(session, "TaskDuration") * 1000

    opened("/")  # to warm up
    taken = take_turns({"home": lambda: opened("/"), "empty": lambda: opened("/nothing-here")}, ROUNDS)
    report.compare(
        NAME, "main thread to the first screen", taken["home"], "an empty one", taken["empty"], Aim(1.5)
    )
    report.reading(NAME, "main thread to the first screen", taken["home"], "ms")


def _many_screens(report: Report, browser: Browser, server: Server, token: str) -> None:
    """The shell boots as fast with the screens of many plugins as with a few: they are loaded when opened."""
    known = server.ask("GET", "/api/ui", token=token)
    # One that adds nothing to home, as each of those in a real hall adds something of its own.
    home, jobs = (next(one for one in known["screens"] if one["path"] == path) for path in ("/", "/jobs"))

    def opened(count: int) -> float:
        more = [
            {**jobs, "group": "work", "path": f"/more-{number}", "title": f"More {number}"}
            for number in range(count - 1)
        ]
        listed = json.dumps({**known, "screens": [home, *more], "items": []})
        with _page(browser, server, token) as (page, session):
            page.route("**/api/ui", lambda route: route.fulfill(body=listed, content_type="application/json"))
            page.goto(f"http://127.0.0.1:{server.port}/")
            page.get_by_role("link", name=f"More {count - 2}", exact=True).wait_for()
            page.locator("main h1:visible").first.wait_for()
            page.wait_for_load_state("networkidle")
            return _metric(session, "TaskDuration") * 1000

    opened(10)  # to warm up
    taken = take_turns({"many": lambda: opened(40), "few": lambda: opened(10)}, ROUNDS)
    report.compare(NAME, "main thread to home with 40 screens", taken["many"], "10", taken["few"], Aim(1.1))


def _long_list(report: Report, browser: Browser, server: Server, token: str) -> None:
    with _page(browser, server, token) as few, _page(browser, server, token) as many:
        for (page, _), count in ((few, FEW), (many, MANY)):
            page.route("**/api/notes?*", _answering(count))
            page.route("**/api/notes", _answering(count))
            page.goto(f"http://127.0.0.1:{server.port}/notes")
            page.get_by_text("Note 1", exact=True).wait_for()
        taken = take_turns({"many": lambda: _scroll(*many), "few": lambda: _scroll(*few)}, ROUNDS)
        walked = take_turns({"many": lambda: _walk(*many), "few": lambda: _walk(*few)}, ROUNDS)
    what = f"scripting per screen of a list of {MANY:,}"
    report.compare(NAME, what, taken["many"], f"of {FEW}", taken["few"], Aim(1.5))
    report.reading(NAME, what, taken["many"], "ms")
    what = f"a key to the next row of {MANY:,}, drawn"
    report.compare(NAME, what, walked["many"], f"of {FEW}", walked["few"], Aim(2))
    report.reading(NAME, what, walked["many"], "ms")


def _walk(page: Page, session: CDPSession) -> float:
    """Walks by j and k, and returns the milliseconds of the main thread per key until its row is drawn."""
    before = _metric(session, "TaskDuration")
    for number in range(KEYS):
        page.keyboard.press("j" if number % 20 < 10 else "k")
        page.evaluate(_NEXT_FRAME)
    return (_metric(session, "TaskDuration") - before) / KEYS * 1000


def _scroll(page: Page, session: CDPSession) -> float:
    """Scrolls down and up within the length of the short list, and returns the milliseconds per screen."""
    before = _metric(session, "ScriptDuration")
    for number in range(SCREENS):
        page.mouse.wheel(0, 800 if number % 8 < 4 else -800)
        page.evaluate(_NEXT_FRAME)
    return (_metric(session, "ScriptDuration") - before) / SCREENS * 1000


def _typing(report: Report, browser: Browser, server: Server, token: str) -> None:
    text = "The hall opens at nine, and closes when the last has left.\n\n" * (LENGTH // 60)
    key = server.put("/api/repo/long.md", text, "text/markdown", token)
    with _page(browser, server, token) as ours, _page(browser, server, token) as bare:
        ours[0].goto(f"http://127.0.0.1:{server.port}/files/{key['id']}")
        ours[0].get_by_role("button", name="Edit", exact=True).click()
        bare[0].goto("about:blank")
        bare[0].set_content('<div id="here"></div>')
        bare[0].add_script_tag(content=_bare_editor())
        bare[0].evaluate("text => openEditor(text)", text)
        for page, _ in (ours, bare):
            page.locator(".cm-content").click()
        contestants = {"ours": lambda: _type(*ours), "bare": lambda: _type(*bare)}
        take_turns(contestants, 1)  # to warm up
        taken = take_turns(contestants, ROUNDS)
    what = f"a key in a document of {LENGTH // 1000} kB"
    report.compare(NAME, what, taken["ours"], "bare CodeMirror", taken["bare"], Aim(2))
    report.reading(NAME, what, taken["ours"], "ms")


def _type(page: Page, session: CDPSession) -> float:
    """Returns the milliseconds of the main thread per key, with what comes when the writer pauses."""
    before = _metric(session, "TaskDuration")
    for _ in range(KEYS):
        page.keyboard.press("a")
        page.evaluate(_NEXT_FRAME)
    page.wait_for_timeout(400)
    return (_metric(session, "TaskDuration") - before) / KEYS * 1000


def _bare_editor() -> str:
    """CodeMirror as its manual shows it, of the same version, as one script."""
    console = ROOT / "console"
    source = (ROOT / "bench/browser/bare_editor.mjs").read_text("utf-8")
    with tempfile.TemporaryDirectory(prefix="bench-", dir=console / "node_modules") as folder:
        entry, built = Path(folder) / "entry.mjs", Path(folder) / "built.js"
        entry.write_text(source, "utf-8")
        command = ["npx", "rolldown", str(entry), "--file", str(built), "--format", "iife"]
        done = subprocess.run(command, cwd=console, capture_output=True, text=True, check=False)
        if done.returncode:
            raise BenchFailed(f"CodeMirror was not bundled: {done.stderr}")
        return built.read_text("utf-8")


def _long_answer(report: Report, browser: Browser, server: Server, token: str) -> None:
    starts, ends = [], []
    for _ in range(ANSWERS):
        with _page(browser, server, token) as (page, session):
            page.add_init_script(_FED)
            page.goto(f"http://127.0.0.1:{server.port}/chat")
            page.get_by_label("Message").fill("Tell me all.")
            page.keyboard.press("Enter")
            page.get_by_role("region", name="Answer").wait_for()
            _feed(page, session, SLICE)  # what draws an answer is loaded and warm
            starts.append(_feed(page, session, SLICE))
            _feed(page, session, TOKENS - 3 * SLICE)
            ends.append(_feed(page, session, SLICE))
    what = f"a token at the end of {TOKENS:,}"
    report.compare(NAME, what, ends, "at the start", starts, Aim(1.5))
    report.reading(NAME, what, ends, "ms")


def _feed(page: Page, session: CDPSession, tokens: int) -> float:
    """Returns the milliseconds of the main thread per token."""
    before = _metric(session, "TaskDuration")
    page.evaluate("tokens => feed(tokens)", tokens)
    page.evaluate(_NEXT_FRAME)
    return (_metric(session, "TaskDuration") - before) / tokens * 1000


def _memory(report: Report, browser: Browser, server: Server, token: str) -> None:
    with _page(browser, server, token) as (page, session):
        page.goto(f"http://127.0.0.1:{server.port}/")
        page.locator("main h1:visible").first.wait_for()
        # Code that is compiled and texts that are cached stay: the first time is not counted.
        _visit_all(page)
        _visit_all(page)
        once = _heap(session)
        for _ in range(VISITS):
            _visit_all(page)
        often = _heap(session)
    report.compare(NAME, f"heap after every screen {VISITS} times", [often], "after once", [once], Aim(1.2))
    report.reading(NAME, "heap after every screen once", [once], "MiB")


def _visit_all(page: Page) -> None:
    # The last links of the navigation of work lead into that of the administration.
    for _ in ("work", "administration"):
        for path in page.locator("aside nav a").evaluate_all(_PATHS):
            page.evaluate(_GO, path)
            page.locator("main h1:visible").first.wait_for()
            page.evaluate(_NEXT_FRAME)
    page.evaluate(_GO, "/")


def _heap(session: CDPSession) -> float:
    session.send("HeapProfiler.enable")
    session.send("HeapProfiler.collectGarbage")
    return _metric(session, "JSHeapUsedSize") / 2**20


def _answering(count: int) -> Callable[[Route], None]:
    owner = {"id": "usr_1", "name": "ada"}
    at = "2026-01-01T00:00:00.000Z"
    fixed = {"body": "", "owner": owner, "team_id": "team_1", "visibility": "team", "created_at": at}
    items = [{"id": f"note_{n}", "title": f"Note {n}", "updated_at": at, **fixed} for n in range(count)]
    body = json.dumps({"items": items, "next_cursor": None})

    def answer(route: Route) -> None:
        route.fulfill(body=body, content_type="application/json")

    return answer


@contextmanager
def _page(browser: Browser, server: Server, token: str) -> Iterator[tuple[Page, CDPSession]]:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB")
    try:
        page = context.new_page()
        page.add_init_script(_SESSION % json.dumps(token))
        session = context.new_cdp_session(page)
        session.send("Performance.enable")
        yield page, session
    finally:
        context.close()


def _metric(session: CDPSession, name: str) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == name))
