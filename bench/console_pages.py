"""Pages of the console in Chromium, for the subjects that measure them."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from bench.guildhall import found, guildhall
from bench.servers import BenchFailed, Server

SESSION = """
sessionStorage.setItem("guildhall.session", JSON.stringify({ token: %s, expiresAt: null, kept: false }));
"""
# How many answers a page waits for: a stream that stays open is none of them.
COUNT = """
{
  const send = window.fetch;
  window.awaited = 0;
  window.fetch = (...given) => {
    window.awaited += 1;
    return send(...given).finally(() => { window.awaited -= 1; });
  };
}
"""
SETTLED = """() => new Promise((resolve) => {
  let calm = 0;
  const look = () => {
    const headings = [...document.querySelectorAll("main h1")];
    const isCalm = window.awaited === 0 && headings.some((one) => one.checkVisibility());
    calm = isCalm ? calm + 1 : 0;
    if (calm > 10) resolve(); else requestAnimationFrame(look);
  };
  look();
})"""
NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
GO = "path => { history.pushState({}, '', path); dispatchEvent(new PopStateEvent('popstate')); }"


@contextmanager
def console() -> Iterator[tuple[Browser, Server, str]]:
    """A browser, a fresh instance, and the token of its first person."""
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
            yield browser, server, found(server).token
        finally:
            browser.close()


@contextmanager
def open_page(browser: Browser, server: Server, token: str) -> Iterator[tuple[Page, CDPSession]]:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB")
    try:
        page = context.new_page()
        page.add_init_script(SESSION % json.dumps(token))
        page.add_init_script(COUNT)
        session = context.new_cdp_session(page)
        session.send("Performance.enable")
        yield page, session
    finally:
        context.close()


def metric(session: CDPSession, name: str) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in metrics if one["name"] == name))
