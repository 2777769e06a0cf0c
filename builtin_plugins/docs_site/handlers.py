"""Pages and files of the site, for everybody; where it was not built, a page that says how to."""

import asyncio
import re
from contextlib import suppress
from pathlib import Path

from guildhall_sdk import Call, NotFound, Reply
from guildhall_sdk.routes import PAGE_CSP
from guildhall_sdk.services.pages import Files
from libs.negotiation import preferred

#: What the build of the site laid down.
SITE = Path(__file__).with_name("site")
_INDEX = "index.html"
# The address of a page without its last slash; no part of it begins with a dot.
_PLACE = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)*", re.ASCII)
_HTML_TYPE = "text/html"
_HTML = f"{_HTML_TYPE}; charset=utf-8"
_PROBLEM = "application/problem+json"
_HEADERS = {"Content-Security-Policy": PAGE_CSP, "Cache-Control": "no-cache"}
# Its address has a digest of its content.
_KEPT = {"Content-Security-Policy": PAGE_CSP, "Cache-Control": "public, max-age=31536000, immutable"}
_PAGE = """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title><meta name="viewport" content="width=device-width"></head>
<body>
<h1>{title}</h1>
<p>{text}</p>
<p>What this server can do is there all the same: <a href="/api/docs">its API</a>.</p>
</body>
</html>
"""
_NOT_BUILT = _PAGE.format(
    title="The documentation is not built yet",
    text="To build it, run <code>make docs</code> where the sources of this server are; then load this page "
    "again. The same pages stand in <code>docs/</code>, beginning with <code>docs/index.md</code>.",
)
_NO_PAGE = _PAGE.format(
    title="There is no such page",
    text='Look for it: <a href="/docs/">the documentation</a> begins here, and '
    '<a href="/docs/search/">its search</a> is here.',
)


async def lead_to_site(call: Call) -> Reply:
    return _elsewhere("/docs/")


async def site_file(call: Call) -> Reply:
    """Answers a file of the site, or in words that there is none."""
    path: str = call.params["path"]
    page = path + _INDEX if not path or path.endswith("/") else path
    lasting = path.startswith("_static/") and "v" in call.query
    with suppress(NotFound):
        headers = _KEPT if lasting else _HEADERS
        return await call.service(Files).reply(call, SITE, page, headers=headers, packed=True)
    if _PLACE.fullmatch(path) and await _is_page(path):
        return _elsewhere(f"/docs/{path}/")
    if preferred(call.headers.get("accept", ""), (_PROBLEM, _HTML_TYPE)) == _PROBLEM:
        raise NotFound("There is no such page in the documentation. /docs/ leads to all of them.")
    return _words(_NO_PAGE if await _is_page("") else _NOT_BUILT)


async def _is_page(path: str) -> bool:
    return await asyncio.to_thread((SITE / path / _INDEX).is_file)


def _elsewhere(location: str) -> Reply:
    return Reply(status=308, headers={"Location": location}, content=b"", content_type="text/plain")


def _words(text: str) -> Reply:
    return Reply(status=404, headers=_HEADERS, content=text.encode(), content_type=_HTML)
