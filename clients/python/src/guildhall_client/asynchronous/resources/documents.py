"""The rows of documents."""

from typing import Literal

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.types.documents import Document, ListedDocument, ListedDocumentPage


class AsyncDocuments:
    """Calls of documents."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def create(
        self,
        *,
        title: str,
        body: str | Omitted = OMITTED,
        visibility: Literal["private", "shared", "team"] | Omitted = OMITTED,
    ) -> Document:
        """Create a text document, private unless told otherwise.

        `visibility`: private: the owner alone; shared: also whom it was granted to; team: also the
            team
        Needs files:write.
        """
        reply: Document = await self._api.call(
            "POST", "/api/documents", fields={"body": body, "title": title, "visibility": visibility}
        )
        return reply

    async def delete(self, id: str) -> None:
        """Delete a text document with all its versions.

        Needs files:delete.
        """
        await self._api.call("DELETE", f"/api/documents/{segment(id)}")

    async def get(self, id: str) -> Document:
        """One text document with its body.

        Needs files:read.
        """
        reply: Document = await self._api.call("GET", f"/api/documents/{segment(id)}")
        return reply

    async def update(
        self,
        id: str,
        *,
        body: str | Omitted = OMITTED,
        title: str | Omitted = OMITTED,
        visibility: Literal["private", "shared", "team"] | Omitted = OMITTED,
    ) -> Document:
        """Change a text document; every change is a new version, and what is left out stays as it
        is.

        `visibility`: private: the owner alone; shared: also whom it was granted to; team: also the
            team
        Needs files:write.
        """
        reply: Document = await self._api.call(
            "PUT",
            f"/api/documents/{segment(id)}",
            fields={"body": body, "title": title, "visibility": visibility},
        )
        return reply

    def list(self, *, page_size: int | None = None) -> AsyncPages[ListedDocument, ListedDocumentPage]:
        """The text documents that the caller can read, newest first and without their bodies.

        Needs files:read.
        """
        return AsyncPages(self._api, "/api/documents", query={"limit": page_size})
