"""What a tool must be to be called, and a source of tools to be asked for them."""

import inspect
import re

from guildhall_sdk import Tool, ToolSource
from kernel.declarations.names import check_name
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry
from kernel.tools.schemas import BoundedSchema


def check_tool(tool: Tool, plugin: LoadedPlugin, registry: Registry) -> None:
    check_name("tool name", tool.name)
    if (tool.handler is None) == (tool.hosted is None):
        raise PluginFault(f"tool {tool.name}: it needs a handler or a hosted one, not both")
    if not inspect.iscoroutinefunction(tool.handler or tool.hosted):
        raise PluginFault(f"tool {tool.name}: the handler must be async")
    if tool.schema is not None:
        _check_schema(tool)


def _check_schema(tool: Tool) -> None:
    if tool.parameters:
        raise PluginFault(f"tool {tool.name}: it has parameters or a schema, not both")
    try:
        BoundedSchema.of(tool.schema)
    except ValueError as fault:
        raise PluginFault(f"tool {tool.name}: its schema {fault}") from None


def check_tool_source(source: ToolSource, plugin: LoadedPlugin, registry: Registry) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9]{0,23}", source.name):
        raise PluginFault(f"the tool source {source.name!r} must be up to 24 small letters and digits")
    if not inspect.iscoroutinefunction(source.tools):
        raise PluginFault(f"tool source {source.name}: its tools are given by an async function")
