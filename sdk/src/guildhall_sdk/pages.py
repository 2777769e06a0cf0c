"""Folders of files that a plugin serves: pages, scripts, fonts."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guildhall_sdk.replies import Reply
from guildhall_sdk.routes import Auth

#: What a page may load unless it says otherwise: what this server itself serves, and nothing inline.
PAGE_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """A folder served below `path`, behind the same gates as a row. Matched after every row.

    `index` is served for a folder. `fallback` names the file that answers for a page that is no file, as an
    application with routes of its own in the browser wants it; never for a name with a dot. Where the page is
    made for each request, `render` is the handler that answers instead, and only to a browser that opens a
    page. At `/` nothing below `/api/` is a page. `hashed` names a folder below which names change with their
    content: a public one is cached for ever. Other public files are cached for `max_age` seconds; with 0 a
    browser asks each time.
    What needs a caller is never cached. `csp` is the Content-Security-Policy of every file. `cors` lets pages
    of other origins read them, as fonts need it.
    """

    #: Where: `/shelf` or `/`.
    path: str
    #: What: files below it, no symbolic links, and nothing whose name begins with a dot.
    folder: Path
    #: One line for the API's documentation.
    doc: str
    auth: Auth = Auth.PUBLIC
    permission: str | None = None
    feature: str | None = None
    index: str = "index.html"
    fallback: str | None = None
    render: Callable[[Any], Awaitable[Reply]] | None = None
    hashed: str | None = None
    max_age: int = 0
    csp: str = PAGE_CSP
    cors: bool = False
