"""The rows of sessions."""

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import segment
from guildhall_client.types.sessions import Session, SessionPage


class AsyncSessions:
    """Calls of sessions."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def delete(self, id: str) -> None:
        """End one of the caller's own sessions."""
        await self._api.call("DELETE", f"/api/sessions/{segment(id)}")

    def list(self, *, page_size: int | None = None) -> AsyncPages[Session, SessionPage]:
        """The caller's own sessions, newest first."""
        return AsyncPages(self._api, "/api/sessions", query={"limit": page_size})
