"""The console in Chromium: the first screen, a plugin's screen, documents and answers, and what stays."""

import json
import subprocess
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page

from bench.console_pages import GO, NEXT_FRAME, SETTLED, console, metric, open_page
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import ROOT, BenchFailed, Server

NAME = "console"
ROUNDS = 9
VISITS = 10
OPENINGS = 10
LENGTH, KEYS = 200_000, 40
ANSWERS, TOKENS, SLICE = 3, 20_000, 2_000

# From the way to a screen until it is drawn; the first frame after the heading is there shows it.
_SHOWN = """() => new Promise((resolve) => {
  const look = () => {
    const isShown = document.querySelector("main dl") !== null;
    requestAnimationFrame(isShown ? () => requestAnimationFrame(resolve) : look);
  };
  look();
})"""
_CLASSES = """() => Object.fromEntries(
  [["columns", "div:has(> div > section)"], ["list", "section"], ["heading", "h3"], ["keys", "dl"],
   ["line", "dl > div"]].map(([name, found]) => [name, document.querySelector(`main ${found}`).className]))"""
_PATHS = "links => links.map((link) => link.getAttribute('href')).filter((path) => path !== '/')"

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
    with console() as (browser, server, token):
        _first_screen(report, browser, server, token)
        _many_screens(report, browser, server, token)
        _screen_of_a_plugin(report, browser, server, token)
        _typing(report, browser, server, token)
        _long_answer(report, browser, server, token)
        _memory(report, browser, server, token)


def _first_screen(report: Report, browser: Browser, server: Server, token: str) -> None:
    """The same build at an address that shows nothing is the floor: all else is the screen's own."""

    def opened(path: str) -> float:
        with open_page(browser, server, token) as (page, session):
            page.goto(f"http://127.0.0.1:{server.port}{path}")
            page.evaluate(SETTLED)
            return metric(session, "TaskDuration") * 1000

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
        with open_page(browser, server, token) as (page, session):
            page.route("**/api/ui", lambda route: route.fulfill(body=listed, content_type="application/json"))
            page.goto(f"http://127.0.0.1:{server.port}/")
            page.evaluate(SETTLED)
            taken = metric(session, "TaskDuration") * 1000
            # Looked for afterwards: to find a link by its name takes longer the more of them there are.
            if page.locator(f"a[href='/more-{count - 2}']").count() != 1:
                raise BenchFailed("the screens do not stand in the navigation")
            return taken

    opened(10)  # to warm up
    taken = take_turns({"many": lambda: opened(40), "few": lambda: opened(10)}, ROUNDS)
    report.compare(NAME, "main thread to home with 40 screens", taken["many"], "10", taken["few"], Aim(1.1))


def _screen_of_a_plugin(report: Report, browser: Browser, server: Server, token: str) -> None:
    """A stranger's module opens as fast as what the console itself brings: a copy of the page of keys."""
    known = server.ask("GET", "/api/ui", token=token)
    keys = next(one for one in known["screens"] if one["path"] == "/keys")
    copy = {**keys, "plugin": "bench", "path": "/copied-keys", "module": "/ui/bench/0/index.js"}
    listed = json.dumps({**known, "screens": [*known["screens"], copy]})
    module = (ROOT / "bench/browser/copied_screen.mjs").read_text("utf-8")
    with open_page(browser, server, token) as (page, _):
        page.goto(f"http://127.0.0.1:{server.port}/keys")
        page.evaluate(SETTLED)
        module = module.replace("CLASSES", json.dumps(page.evaluate(_CLASSES)))
    with open_page(browser, server, token) as (page, session):
        page.route("**/api/ui", lambda route: route.fulfill(body=listed, content_type="application/json"))
        page.route(
            "**/ui/bench/0/*", lambda route: route.fulfill(body=module, content_type="text/javascript")
        )
        page.goto(f"http://127.0.0.1:{server.port}/keys")
        page.evaluate(SETTLED)

        def opened(path: str) -> float:
            return sum(_open(page, session, path) for _ in range(OPENINGS)) / OPENINGS

        contestants = {"copy": lambda: opened("/copied-keys"), "own": lambda: opened("/keys")}
        take_turns(contestants, 2)  # to warm up
        shown = {path: _words_at(page, path) for path in ("/copied-keys", "/keys")}
        if shown["/copied-keys"] != shown["/keys"]:
            raise BenchFailed(f"the copy of a screen shows something else: {shown}")
        taken = take_turns(contestants, 3 * ROUNDS)
    what = "opening a screen of a plugin"
    report.compare(NAME, what, taken["copy"], "one of the console", taken["own"], Aim(1.05))
    report.reading(NAME, what, taken["copy"], "ms")


def _open(page: Page, session: CDPSession, path: str) -> float:
    """Opens a screen from an empty one, and returns the milliseconds of the main thread until it is drawn."""
    page.evaluate(GO, "/nothing-here")
    page.evaluate(NEXT_FRAME)
    before = metric(session, "TaskDuration")
    page.evaluate(GO, path)
    page.evaluate(_SHOWN)
    return (metric(session, "TaskDuration") - before) * 1000


def _words_at(page: Page, path: str) -> str:
    page.evaluate(GO, path)
    page.evaluate(_SHOWN)
    return page.locator("main").inner_text()


def _typing(report: Report, browser: Browser, server: Server, token: str) -> None:
    text = "The hall opens at nine, and closes when the last has left.\n\n" * (LENGTH // 60)
    key = server.put("/api/repo/long.md", text, "text/markdown", token)
    with open_page(browser, server, token) as ours, open_page(browser, server, token) as bare:
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
    before = metric(session, "TaskDuration")
    for _ in range(KEYS):
        page.keyboard.press("a")
        page.evaluate(NEXT_FRAME)
    page.wait_for_timeout(400)
    return (metric(session, "TaskDuration") - before) / KEYS * 1000


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
        with open_page(browser, server, token) as (page, session):
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
    before = metric(session, "TaskDuration")
    page.evaluate("tokens => feed(tokens)", tokens)
    page.evaluate(NEXT_FRAME)
    return (metric(session, "TaskDuration") - before) / tokens * 1000


def _memory(report: Report, browser: Browser, server: Server, token: str) -> None:
    with open_page(browser, server, token) as (page, session):
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
            page.evaluate(GO, path)
            page.locator("main h1:visible").first.wait_for()
            page.evaluate(NEXT_FRAME)
    page.evaluate(GO, "/")


def _heap(session: CDPSession) -> float:
    session.send("HeapProfiler.enable")
    session.send("HeapProfiler.collectGarbage")
    return metric(session, "JSHeapUsedSize") / 2**20
