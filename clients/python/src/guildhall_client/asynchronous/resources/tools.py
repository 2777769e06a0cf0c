"""The rows of tools."""

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import segment
from guildhall_client.types.tools import Tool, ToolPage, ToolSetReply


class AsyncTools:
    """Calls of tools."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def set(self, name: str, *, enabled: bool) -> ToolSetReply:
        """Turn a tool on or off for the team.

        Needs settings:manage.
        """
        reply: ToolSetReply = await self._api.call(
            "POST", f"/api/tools/{segment(name)}", fields={"enabled": enabled}
        )
        return reply

    def list(self, *, page_size: int | None = None) -> AsyncPages[Tool, ToolPage]:
        """Registered tools, and whether each is on for the team."""
        return AsyncPages(self._api, "/api/tools", query={"limit": page_size})
