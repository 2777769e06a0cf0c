"""The console: the whole service in a browser."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from builtin_plugins.console import frames, live, pages, screens, shell
from builtin_plugins.console.page_checks import page_fault
from builtin_plugins.console.screens import screen_fault
from guildhall_sdk import Call, Factory, Host, Plugin, Reply, Route, hookimpl
from guildhall_sdk.hooks import checked, declares
from guildhall_sdk.routes import Pages
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import ConsolePage, LiveLists, Screen

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
    rows = (*shell.ROUTES, *pages.ROUTES, *screens.ROUTES, *frames.ROUTES, *live.ROUTES)
    if not shell.BUILT.is_dir():
        return rows
    page, folder = shell.page, shell.BUILT
    return (*rows, Pages(path="/", folder=folder, doc="A file of the console.", hashed="assets", render=page))


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    parts = (shell, pages, screens, frames, live)
    return {name: handler for part in parts for name, handler in part.HANDLERS.items()}


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {live.ChangedLists: live.ChangedLists, LiveLists: lambda host: host.service(live.ChangedLists)}


@hookimpl
async def on_start(host: Host) -> None:
    lists = host.service(live.ChangedLists)
    host.background("hearing of changed lists", lists.listen)
    host.background("telling of changed lists", lists.announce_changes)


class ConsoleHooks(Protocol):
    """The hooks of the plugin `console`."""

    @declares(ConsolePage, label="page")
    def declare_console_pages(self) -> Sequence[ConsolePage]:
        """Declares pages of tables and forms in the console, over rows of this plugin."""

    @declares(Screen, label="screen", name="path")
    def declare_screens(self) -> Sequence[Screen]:
        """Declares screens of the console that this plugin brings as modules of its own."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (checked(ConsoleHooks, declare_console_pages=page_fault, declare_screens=screen_fault),)


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return (*frames.FACTORIES, *screens.FACTORIES)


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="console", folder=Path(__file__).with_name("texts")),)


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen("home", "/", "nav.home", "house", "work", order=0),
        Screen("pages", "/x", "nav.group_plugins", "puzzle", ""),
        Screen("keys", "/keys", "keys.title", "command", ""),
        Screen("gallery", "/kit", "@guildhall/console", "shapes", ""),
    )
