"""MCP: tools of MCP servers that the operator names."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.mcp.handlers import HANDLERS
from builtin_plugins.mcp.routes import FACTORIES, ROUTES
from builtin_plugins.mcp.service import SETTINGS, SOURCE, McpServers
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
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Screen
from guildhall_sdk.tools import ToolSource

PLUGIN = Plugin(
    id="mcp",
    name="MCP",
    version="0.1.0",
    description="Tools of MCP servers that the operator names.",
    requires=("jobs",),
)


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return SETTINGS


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {McpServers: McpServers}


@hookimpl
def declare_tool_sources() -> Sequence[ToolSource]:
    return (ToolSource(name=SOURCE, tools=_offered_tools, max_tools=5_000, missing=_missing),)


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES


@hookimpl
async def on_start(host: Host) -> None:
    host.service(McpServers).start()


async def _offered_tools(host: Host) -> Sequence[Tool]:
    return await host.service(McpServers).offered()


def _missing(host: Host, name: str) -> Problem | None:
    return host.service(McpServers).missing(name)


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen("mcp", "/instance/mcp", "nav.mcp", "plug", "instance", order=60, permission="instance:manage"),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="mcp", folder=Path(__file__).with_name("texts")),)
