"""The rows of tools."""

from guildhall_client.sending import segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.tools import Tool, ToolPage, ToolSetReply


class Tools:
    """Calls of tools."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def set(self, name: str, *, enabled: bool) -> ToolSetReply:
        """Turn a tool on or off for the team.

        Needs settings:manage.
        """
        reply: ToolSetReply = self._api.call(
            "POST", f"/api/tools/{segment(name)}", fields={"enabled": enabled}
        )
        return reply

    def list(self, *, page_size: int | None = None) -> Pages[Tool, ToolPage]:
        """Registered tools, and whether each is on for the team."""
        return Pages(self._api, "/api/tools", query={"limit": page_size})
