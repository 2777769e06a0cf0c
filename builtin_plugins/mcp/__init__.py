"""MCP: tools of MCP servers that the operator names."""

from guildhall_sdk import Plugin

PLUGIN = Plugin(
    id="mcp",
    name="MCP",
    version="0.1.0",
    description="Tools of MCP servers that the operator names.",
    requires=("jobs",),
)
