"""The rows of mcp servers."""

from collections.abc import Sequence

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.mcp_servers import McpServer, McpServerPage


class McpServers:
    """Calls of mcp servers."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def approve(self, name: str, *, tools: Sequence[str] | Omitted = OMITTED) -> McpServer:
        """Approve tools of an MCP server as they are now: all that wait, or those that are named.

        `tools`: By name; without it all that wait
        Needs instance:manage.
        """
        reply: McpServer = self._api.call(
            "POST", f"/api/mcp/{segment(name)}/approve", fields={"tools": tools}
        )
        return reply

    def list(self, *, page_size: int | None = None) -> Pages[McpServer, McpServerPage]:
        """The MCP servers of the settings, as the process that answers sees them."""
        return Pages(self._api, "/api/mcp", query={"limit": page_size})
