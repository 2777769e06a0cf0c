"""The console: the whole service in a browser."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from builtin_plugins.console import frames, pages, shell
from builtin_plugins.console.page_checks import page_fault
from guildhall_sdk import Call, Factory, Plugin, Reply, Route, hookimpl
from guildhall_sdk.hooks import checked, declares
from guildhall_sdk.routes import Pages
from guildhall_sdk.services.pages import ConsolePage

PLUGIN = Plugin(
    id="console",
    name="Console",
    version="0.1.0",
    description="The whole service in a browser.",
    requires=("admin",),
    essential=True,
)


@hookimpl
def declare_routes() -> Sequence[Route | Pages]:
    """Returns the rows, and the built console if there is one: else the first page says how to build it."""
    rows = (*shell.ROUTES, *pages.ROUTES, *frames.ROUTES)
    if not shell.BUILT.is_dir():
        return rows
    page, folder = shell.page, shell.BUILT
    return (*rows, Pages(path="/", folder=folder, doc="A file of the console.", hashed="assets", render=page))


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return {**shell.HANDLERS, **pages.HANDLERS, **frames.HANDLERS}


class ConsoleHooks(Protocol):
    """The hook of the plugin `console`."""

    @declares(ConsolePage, label="page")
    def declare_console_pages(self) -> Sequence[ConsolePage]:
        """Declares pages of tables and forms in the console, over rows of this plugin."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (checked(ConsoleHooks, declare_console_pages=page_fault),)


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return frames.FACTORIES
