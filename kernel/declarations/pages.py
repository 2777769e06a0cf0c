"""Folders of files: the rows that they become, and what must be true of them."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

from guildhall_sdk import Auth, Factory, NotFound, Reply, Route, SampleClient
from guildhall_sdk.routes import Pages
from guildhall_sdk.services.pages import Files
from kernel.faults import PluginFault
from kernel.registry import BoundRoute

_FOR_EVER = "public, max-age=31536000, immutable"

Handler = Callable[[Any], Awaitable[Reply]]


def page_routes(plugin_id: str, pages: Sequence[Pages]) -> Iterator[BoundRoute]:
    """Yields the rows of a folder: itself, which redirects to its slash so that links work, and all below."""
    for one in pages:
        _check(one)
        if one.path != "/":
            yield BoundRoute(plugin_id, _row(one, one.path, 308), _leading_to(one.path + "/"))
        yield BoundRoute(plugin_id, _row(one, f"{one.path.rstrip('/')}/*path", 200), _serving(one))


def page_factories(pages: Sequence[Pages]) -> tuple[Factory, ...]:
    """Returns a factory of a name for the conformance tests."""
    return tuple(Factory(f"{one.path.rstrip('/')}/*path", _naming(one), tenant=False) for one in pages)


def _naming(pages: Pages) -> Callable[[SampleClient, str], Awaitable[str]]:
    async def make(client: SampleClient, canary: str) -> str:
        """The page to begin with, or any file of a folder without one."""
        names = sorted(path.name for path in pages.folder.iterdir() if path.is_file())
        plain = [name for name in names if not name.startswith(".")]
        first = pages.fallback or pages.index
        return first if first in plain else next(iter(plain), first)

    return make


def _row(pages: Pages, path: str, status: int) -> Route:
    return Route(
        "GET",
        path,
        "pages",
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
    )


def _leading_to(location: str) -> Handler:
    async def lead(ctx: Any) -> Reply:
        return Reply(status=308, headers={"Location": location}, content=b"", content_type="text/plain")

    return lead


def _serving(pages: Pages) -> Handler:
    async def serve(ctx: Any) -> Reply:
        path: str = ctx.params["path"]
        is_folder = not path or path.endswith("/")
        try:
            return await _file(ctx, pages, path + pages.index if is_folder else path)
        except NotFound:
            if not _could_be_page(path):
                raise
            if pages.render is not None and _opened_by_browser(ctx):
                return await pages.render(ctx)
            if pages.fallback is None:
                raise
        return await _file(ctx, pages, pages.fallback)

    return serve


def _could_be_page(path: str) -> bool:
    """Tells whether a path can name a page: with a dot it names a file, with what nobody types nothing.

    Bytes that are no text are an address that was cut or mistyped: the page says so in its own words.
    """
    *above, last = path.removesuffix("/").split("/")
    plain = all(segment and not segment.startswith(".") for segment in above)
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return plain and "." not in last and text.isprintable() and "\\" not in path


def _opened_by_browser(ctx: Any) -> bool:
    """Tells whether somebody opens a page: a program hears plainly that nothing is there."""
    return "text/html" in ctx.headers.get("accept", "").lower()


async def _file(ctx: Any, pages: Pages, path: str) -> Reply:
    headers = {"Content-Security-Policy": pages.csp}
    if pages.auth is Auth.PUBLIC:
        headers["Cache-Control"] = _caching(pages, path)
    files, packed = ctx.service(Files), _is_hashed(pages, path)
    reply: Reply = await files.reply(ctx, pages.folder, path, headers=headers, packed=packed)
    return reply


def _is_hashed(pages: Pages, path: str) -> bool:
    return pages.hashed is not None and path.startswith(pages.hashed.rstrip("/") + "/")


def _caching(pages: Pages, path: str) -> str:
    if _is_hashed(pages, path):
        return _FOR_EVER
    return f"public, max-age={pages.max_age}" if pages.max_age else "no-cache"


def _check(pages: Pages) -> None:
    label = f"pages at {pages.path}"
    if any(mark in pages.path for mark in ":*"):
        raise PluginFault(f"{label}: the path takes no parameters; serve files by `Files` instead")
    if not pages.folder.is_dir():
        raise PluginFault(f"{label}: there is no folder {pages.folder.name}; build it, or ship it")
    for name in (pages.index, *((pages.fallback,) if pages.fallback else ())):
        if not name or name.startswith((".", "/")):
            raise PluginFault(f"{label}: {name!r} is not the name of a file")
    if pages.fallback is not None and not (pages.folder / pages.fallback).is_file():
        raise PluginFault(f"{label}: the fallback {pages.fallback} is not there")
    if pages.max_age < 0:
        raise PluginFault(f"{label}: max_age is a number of seconds, 0 or more")
    if not pages.csp or not pages.csp.isascii() or not pages.csp.isprintable():
        raise PluginFault(f"{label}: csp is one line of ASCII")
