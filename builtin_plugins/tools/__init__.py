"""Tools: what agents and workflows may call, those of plugins and those that come and go."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from builtin_plugins.tools.json_schemas import BoundedSchemas
from builtin_plugins.tools.sources import ToolSources
from builtin_plugins.tools.team import TOGGLE_DATA, TeamTools
from guildhall_sdk import Host, Plugin, Tool, hookimpl
from guildhall_sdk.hooks import Declarer, Proven, checked, declares, proven
from guildhall_sdk.plugin import Features, PluginData, Plugins
from guildhall_sdk.services.computing import JsonSchemas, Validators
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Screen
from guildhall_sdk.tools import Tools, ToolSource
from libs.bounded_schemas import BoundedSchema
from libs.names import identifier_fault

PLUGIN = Plugin(
    id="tools",
    name="Tools",
    version="0.1.0",
    description="What agents and workflows may call.",
    essential=True,
)

_SOURCE_NAME = re.compile(r"[a-z][a-z0-9]{0,23}")


class ToolHooks(Protocol):
    """The hooks of the plugin `tools`: what agents and workflows may call."""

    @declares(
        Tool,
        label="tool",
        name="name",
        functions={
            "handler": ("reader", "principal", "arguments"),
            "hosted": ("host", "principal", "arguments"),
        },
    )
    def declare_tools(self) -> Sequence[Tool]:
        """Declares tools for agents and workflows, in the one registry."""

    @declares(ToolSource, label="tool source", name="name", functions={"tools": ("host",)})
    def declare_tool_sources(self) -> Sequence[ToolSource]:
        """Declares sources of tools that come and go while the server runs."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    hooks = checked(ToolHooks, declare_tools=tool_fault, declare_tool_sources=source_fault)
    return (proven(hooks, declare_tools=_proven),)


@hookimpl
def declare_plugin_data() -> Sequence[PluginData]:
    return (TOGGLE_DATA,)


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {
        JsonSchemas: lambda host: BoundedSchemas(host.service(Validators)),
        ToolSources: ToolSources,
        Tools: _tools,
    }


def _proven(tool: Tool) -> Proven:
    return Proven(schemas={"the schema of its arguments": tool.function_schema()["parameters"]})


# After those whose tools they are.
@hookimpl(trylast=True)
async def on_start(host: Host) -> None:
    await host.service(ToolSources).start()


@hookimpl
async def on_stop(host: Host) -> None:
    await host.service(ToolSources).stop()


def _tools(host: Host) -> TeamTools:
    return TeamTools(
        partial(host.service(Plugins).owned, Tool),
        host.clock,
        host.host_of,
        host.service(Features),
        host.service(Validators),
        sources=host.service(ToolSources),
    )


def tool_fault(tool: Tool, declarer: Declarer) -> str | None:
    """Returns what is wrong with a tool, or None."""
    if (fault := identifier_fault("tool name", tool.name)) is not None:
        return fault
    if (tool.handler is None) == (tool.hosted is None):
        return f"tool {tool.name}: it needs a handler or a hosted one, not both"
    if not inspect.iscoroutinefunction(tool.handler or tool.hosted):
        return f"tool {tool.name}: the handler must be async"
    if tool.schema is not None and tool.parameters:
        return f"tool {tool.name}: it has parameters or a schema, not both"
    try:
        if tool.schema is not None:
            BoundedSchema.of(tool.schema)
    except ValueError as fault:
        return f"tool {tool.name}: its schema {fault}"
    return None


def source_fault(source: ToolSource, declarer: Declarer) -> str | None:
    """Returns what is wrong with a source of tools, or None."""
    if not _SOURCE_NAME.fullmatch(source.name):
        return f"the tool source {source.name!r} must be up to 24 small letters and digits"
    if not inspect.iscoroutinefunction(source.tools):
        return f"tool source {source.name}: its tools are given by an async function"
    return None


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (Screen("tools", "/tools", "nav.tools", "wrench", "team", order=50, permission="settings:manage"),)


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="tools", folder=Path(__file__).with_name("texts")),)
