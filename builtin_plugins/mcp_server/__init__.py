"""MCP server: the team's tools, notes, documents and search for any MCP client."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from builtin_plugins.mcp_server.handlers import HANDLERS
from builtin_plugins.mcp_server.routes import ROUTES
from guildhall_sdk import Call, Plugin, Reply, Route, hookimpl
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Screen

PLUGIN = Plugin(
    id="mcp-server",
    name="MCP server",
    version="0.1.0",
    description="The team's tools, notes, documents and search for any MCP client.",
    requires=("repo", "search"),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (Screen("connect", "/connect", "nav.connect", "plug", "team", order=25),)


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="mcp-server", folder=Path(__file__).with_name("texts")),)
