"""The rows of sessions."""

from guildhall_client.sending import segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.sessions import Session, SessionPage


class Sessions:
    """Calls of sessions."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def delete(self, id: str) -> None:
        """End one of the caller's own sessions."""
        self._api.call("DELETE", f"/api/sessions/{segment(id)}")

    def list(self, *, page_size: int | None = None) -> Pages[Session, SessionPage]:
        """The caller's own sessions, newest first."""
        return Pages(self._api, "/api/sessions", query={"limit": page_size})
