"""Folders of files: the rows that they become, and what must be true of them."""

from collections.abc import Awaitable, Callable, Iterator

from guildhall_sdk import Auth, Call, Factory, NotFound, Reply, Route, SampleClient, UserError
from guildhall_sdk.routes import Pages
from guildhall_sdk.services.pages import Files

_FOR_EVER = "public, max-age=31536000, immutable"

Handler = Callable[[Call], Awaitable[Reply]]


def page_rows(pages: Pages, plugin_id: str) -> Iterator[Route | Factory]:
    """Yields the rows of a folder: itself, which redirects to its slash so that links work, and all below."""
    _check(pages)
    if pages.path != "/":
        yield _row(pages, pages.path, 308, _leading_to(pages.path + "/"))
    below = f"{pages.path.rstrip('/')}/*path"
    yield _row(pages, below, 200, _serving(pages))
    yield Factory(below, _naming(pages), tenant=False)


def _naming(pages: Pages) -> Callable[[SampleClient, str], Awaitable[str]]:
    async def make(client: SampleClient, canary: str) -> str:
        """Returns the page to begin with, or any file of a folder without one."""
        names = sorted(path.name for path in pages.folder.iterdir() if path.is_file())
        plain = [name for name in names if not name.startswith(".")]
        first = pages.fallback or pages.index
        return first if first in plain else next(iter(plain), first)

    return make


def _row(pages: Pages, path: str, status: int, handler: Handler) -> Route:
    return Route(
        "GET",
        path,
        handler,
        pages.doc,
        pages.auth,
        permission=pages.permission,
        feature=pages.feature,
        query=None,
        status=status,
        also_statuses=(206, 304) if status == 200 else (),
        content_type="*/*",
        raw_wildcard=True,
        cors=pages.cors,
        last=True,
    )


def _leading_to(location: str) -> Handler:
    async def lead(call: Call) -> Reply:
        return Reply(status=308, headers={"Location": location}, content=b"", content_type="text/plain")

    return lead


def _serving(pages: Pages) -> Handler:
    async def serve(call: Call) -> Reply:
        path: str = call.params["path"]
        is_folder = not path or path.endswith("/")
        try:
            return await _file(call, pages, path + pages.index if is_folder else path)
        except NotFound:
            if not _could_be_page(path):
                raise
            if pages.render is not None and _opened_by_browser(call):
                return await pages.render(call)
            if pages.fallback is None:
                raise
        return await _file(call, pages, pages.fallback)

    return serve


def _could_be_page(path: str) -> bool:
    """Tells whether a path can name a page: with a dot it names a file, with what nobody types nothing.

    Bytes that are no text are an address that was cut or mistyped: the page says so in its own words.
    """
    *above, last = path.removesuffix("/").split("/")
    plain = all(segment and not segment.startswith(".") for segment in above)
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return plain and "." not in last and text.isprintable() and "\\" not in path


def _opened_by_browser(call: Call) -> bool:
    """Tells whether somebody opens a page: a program hears plainly that nothing is there."""
    return "text/html" in call.headers.get("accept", "").lower()


async def _file(call: Call, pages: Pages, path: str) -> Reply:
    headers = {"Content-Security-Policy": pages.csp}
    if pages.auth is Auth.PUBLIC:
        headers["Cache-Control"] = _caching(pages, path)
    files, packed = call.service(Files), _is_hashed(pages, path)
    return await files.reply(call, pages.folder, path, headers=headers, packed=packed)


def _is_hashed(pages: Pages, path: str) -> bool:
    return pages.hashed is not None and path.startswith(pages.hashed.rstrip("/") + "/")


def _caching(pages: Pages, path: str) -> str:
    if _is_hashed(pages, path):
        return _FOR_EVER
    return f"public, max-age={pages.max_age}" if pages.max_age else "no-cache"


def _check(pages: Pages) -> None:
    named = (pages.index, *((pages.fallback,) if pages.fallback else ()))
    odd = next((name for name in named if not name or name.startswith((".", "/"))), None)
    fallback_is_there = pages.fallback is None or (pages.folder / pages.fallback).is_file()
    rules = {
        "the path must start with / and have no empty segment": pages.path.startswith("/"),
        "the path takes no parameters; serve files by `Files` instead": not {*":*"} & {*pages.path},
        f"there is no folder {pages.folder.name}; build it, or ship it": pages.folder.is_dir(),
        f"{odd!r} is not the name of a file": odd is None,
        f"the fallback {pages.fallback} is not there": fallback_is_there,
        "max_age is a number of seconds, 0 or more": pages.max_age >= 0,
        "csp is one line of ASCII": pages.csp and pages.csp.isascii() and pages.csp.isprintable(),
    }
    for rule, holds in rules.items():
        if not holds:
            raise UserError(f"pages at {pages.path}: {rule}")
