"""Tools: what a tool must be for agents and workflows to call it. The kernel runs them."""

import inspect
import re
from collections.abc import Sequence
from typing import Any

from guildhall_sdk import Plugin, Tool, hookimpl
from guildhall_sdk.hooks import Declarer, checked
from guildhall_sdk.tools import ToolHooks, ToolSource
from libs.names import identifier_fault

PLUGIN = Plugin(
    id="tools",
    name="Tools",
    version="0.1.0",
    description="What agents and workflows may call.",
    essential=True,
)

_SOURCE_NAME = re.compile(r"[a-z][a-z0-9]{0,23}")


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (checked(ToolHooks, declare_tools=tool_fault, declare_tool_sources=source_fault),)


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
    return None


def source_fault(source: ToolSource, declarer: Declarer) -> str | None:
    """Returns what is wrong with a source of tools, or None."""
    if not _SOURCE_NAME.fullmatch(source.name):
        return f"the tool source {source.name!r} must be up to 24 small letters and digits"
    if not inspect.iscoroutinefunction(source.tools):
        return f"tool source {source.name}: its tools are given by an async function"
    return None
