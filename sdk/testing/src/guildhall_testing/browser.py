"""Pages in a real browser: Debian's Chromium, driven by Playwright. One browser for a test process."""

import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, async_playwright, expect

EXECUTABLE = "chromium"
#: Draws the same pages for a quarter less CPU, in no window.
SHELL = "chromium-headless-shell"
#: Every name below this domain is this machine, for pages at a hostname on plain http.
DOMAIN = "test"
_ARGUMENTS = (
    "--no-sandbox",  # tests run as root, in containers too
    "--disable-dev-shm-usage",
    f"--host-resolver-rules=MAP *.{DOMAIN} 127.0.0.1",
)
# As long as the slowest machine takes under full load; what never comes fails all the same.
_PATIENCE_MS = 60_000
# In every frame, those without an origin too. It tells of what a policy forbade.
_LISTEN = """
addEventListener("securitypolicyviolation", (event) => {
  console.error(`violated ${event.effectiveDirective}: ${event.blockedURI}`);
});
"""

OpenPage = Callable[..., Awaitable[Page]]


def find_chromium() -> str | None:
    """Returns the path of a Chromium or None; `make test` installs Debian's where it can."""
    return shutil.which(SHELL) or shutil.which(EXECUTABLE)


@asynccontextmanager
async def running_browser() -> AsyncIterator[Browser]:
    """Runs one headless Chromium for as long as the block lasts."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=list(_ARGUMENTS))
        try:
            yield browser
        finally:
            await browser.close()


@dataclass(slots=True)
class Visits:
    """The pages of one test, and all that went wrong in them."""

    browser: Browser
    complaints: list[str] = field(default_factory=list)
    _contexts: list[BrowserContext] = field(default_factory=list)

    async def open_page(self, *, allowed: Sequence[str] = (), **options: Any) -> Page:
        """Opens a page in a profile of its own; `options` are Playwright's `new_context`.

        What a browser complains about fails the test, but for lines that match one of `allowed`: a refused
        request is an error on its console too.
        """
        context = await self.browser.new_context(**options)
        self._contexts.append(context)
        context.set_default_timeout(_PATIENCE_MS)
        expect.set_options(timeout=_PATIENCE_MS)
        await context.add_init_script(_LISTEN)
        patterns = [re.compile(pattern) for pattern in allowed]

        def complain(line: str) -> None:
            if not any(pattern.search(line) for pattern in patterns):
                self.complaints.append(line)

        def read(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning", "assert"):
                complain(f"{message.type}: {message.text}")

        context.on("console", read)
        context.on("weberror", lambda error: complain(f"uncaught: {error.error}"))
        return await context.new_page()

    async def close(self) -> None:
        """Closes the pages."""
        for context in self._contexts:
            await context.close()
