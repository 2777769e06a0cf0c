"""Out-of-process plugins: tools of programs in a sandbox, with the rights that the operator grants."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.oop.handlers import HANDLERS
from builtin_plugins.oop.routes import FACTORIES, ROUTES
from builtin_plugins.oop.service import SETTINGS, SOURCE, Programs, ProgramSandbox
from guildhall_sdk import (
    Call,
    Factory,
    Host,
    Migrations,
    Plugin,
    Problem,
    Reply,
    Route,
    Setting,
    Tool,
    hookimpl,
)
from guildhall_sdk.services.computing import Sandbox
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Screen
from guildhall_sdk.tools import ToolSource

PLUGIN = Plugin(
    id="oop",
    name="Out-of-process plugins",
    version="0.1.0",
    description="Tools of programs that run in a sandbox, with the rights that the operator grants.",
    requires=("repo",),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return SETTINGS


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Programs: Programs, Sandbox: lambda host: ProgramSandbox()}


@hookimpl
def declare_tool_sources() -> Sequence[ToolSource]:
    return (ToolSource(name=SOURCE, tools=_offered, missing=_missing),)


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES


@hookimpl
async def on_start(host: Host) -> None:
    host.service(Programs).start()


@hookimpl
async def on_stop(host: Host) -> None:
    await host.service(Programs).stop()


async def _offered(host: Host) -> Sequence[Tool]:
    return host.service(Programs).tools()


def _missing(host: Host, name: str) -> Problem | None:
    return host.service(Programs).missing(name)


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen(
            "sandboxed",
            "/instance/sandboxed",
            "nav.sandboxed",
            "box",
            "instance",
            order=70,
            permission="instance:manage",
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="oop", folder=Path(__file__).with_name("texts")),)
