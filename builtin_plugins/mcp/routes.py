"""The rows of MCP servers."""

from builtin_plugins.mcp import schemas
from guildhall_sdk import PAGE_QUERY, Route

ROUTES = (
    Route(
        "GET",
        "/api/mcp",
        "list_mcp_servers",
        "The MCP servers of the settings, as the process that answers sees them.",
        query=PAGE_QUERY,
        reply=schemas.SERVERS,
    ),
    Route(
        "POST",
        "/api/mcp/:name/approve",
        "approve_mcp_tools",
        "Approve tools of an MCP server as they are now: all that wait, or those that are named.",
        permission="instance:manage",
        body=schemas.APPROVE,
        reply=schemas.SERVER,
    ),
)
