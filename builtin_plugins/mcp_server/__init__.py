"""MCP server: the team's tools, notes, documents and search for any MCP client."""

from guildhall_sdk import Plugin

PLUGIN = Plugin(
    id="mcp-server",
    name="MCP server",
    version="0.1.0",
    description="The team's tools, notes, documents and search for any MCP client.",
    requires=("jobs",),
)
