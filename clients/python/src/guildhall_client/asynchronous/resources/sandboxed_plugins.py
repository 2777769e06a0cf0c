"""The rows of sandboxed plugins."""

from collections.abc import Sequence

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import segment
from guildhall_client.types.sandboxed_plugins import SandboxedPlugin, SandboxedPluginPage


class AsyncSandboxedPlugins:
    """Calls of sandboxed plugins."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def set_grants(self, id: str, *, capabilities: Sequence[str]) -> SandboxedPlugin:
        """Grant an out-of-process plugin these of its requested capabilities, and no others.

        Needs instance:manage.
        """
        reply: SandboxedPlugin = await self._api.call(
            "POST", f"/api/oop/{segment(id)}/grants", fields={"capabilities": capabilities}
        )
        return reply

    def list(self, *, page_size: int | None = None) -> AsyncPages[SandboxedPlugin, SandboxedPluginPage]:
        """Out-of-process plugins, how closed they are, and the capabilities that they may request."""
        return AsyncPages(self._api, "/api/oop", query={"limit": page_size})
