"""What a tool must be for agents and workflows to call it."""

import inspect
import re

from guildhall_sdk import Tool
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


def check_tool(tool: Tool, plugin: LoadedPlugin, registry: Registry) -> None:
    if not _NAME.fullmatch(tool.name):
        raise PluginFault(f"the tool name {tool.name!r} must be small letters, digits and _")
    if (tool.handler is None) == (tool.hosted is None):
        raise PluginFault(f"tool {tool.name}: it needs a handler or a hosted one, not both")
    if not inspect.iscoroutinefunction(tool.handler or tool.hosted):
        raise PluginFault(f"tool {tool.name}: the handler must be async")
