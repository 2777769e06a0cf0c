"""The rows of connected apps."""

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import segment
from guildhall_client.types.connected_apps import ConnectedApp, ConnectedAppPage


class AsyncConnectedApps:
    """Calls of connected apps."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def delete(self, id: str, *, company: bool | None = None) -> None:
        """End what a program was allowed, with all its tokens: one's own, with settings:manage the
        team's, or with company and org:manage another team's.
        """
        await self._api.call("DELETE", f"/api/connected-apps/{segment(id)}", query={"company": company})

    def list(
        self, *, page_size: int | None = None, everybody: bool | None = None, company: bool | None = None
    ) -> AsyncPages[ConnectedApp, ConnectedAppPage]:
        """The programs that the caller allowed something in this team; with everybody those of the
        whole team, for settings:manage, and with company those of all its teams, for org:manage.
        """
        return AsyncPages(
            self._api,
            "/api/connected-apps",
            query={"limit": page_size, "everybody": everybody, "company": company},
        )
