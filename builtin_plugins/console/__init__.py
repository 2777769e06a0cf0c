"""The console: the whole service in a browser."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from builtin_plugins.console import handlers, routes
from builtin_plugins.console.frames import serving
from builtin_plugins.console.pages import listing
from builtin_plugins.console.pages.checks import page_fault
from guildhall_sdk import Call, Factory, Plugin, Reply, Route, hookimpl
from guildhall_sdk.hooks import checked
from guildhall_sdk.pages import Pages
from guildhall_sdk.ui import ConsoleHooks

PLUGIN = Plugin(
    id="console",
    name="Console",
    version="0.1.0",
    description="The whole service in a browser.",
    requires=("admin",),
    essential=True,
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return (*routes.ROUTES, *listing.ROUTES, *serving.ROUTES)


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return {**handlers.HANDLERS, **listing.HANDLERS, **serving.HANDLERS}


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (checked(ConsoleHooks, declare_console_pages=page_fault),)


@hookimpl
def declare_pages() -> Sequence[Pages]:
    """Returns the built console, where there is one: without it the first page says how to build it."""
    if not handlers.BUILT.is_dir():
        return ()
    page = handlers.page
    folder = handlers.BUILT
    return (Pages(path="/", folder=folder, doc="A file of the console.", hashed="assets", render=page),)


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return serving.FACTORIES
