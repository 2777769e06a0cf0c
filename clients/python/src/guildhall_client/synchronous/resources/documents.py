"""The rows of documents."""

from typing import Literal

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.documents import Document, ListedDocument, ListedDocumentPage


class Documents:
    """Calls of documents."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def create(
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
        reply: Document = self._api.call(
            "POST", "/api/documents", fields={"body": body, "title": title, "visibility": visibility}
        )
        return reply

    def delete(self, id: str) -> None:
        """Delete a text document with all its versions.

        Needs files:delete.
        """
        self._api.call("DELETE", f"/api/documents/{segment(id)}")

    def get(self, id: str) -> Document:
        """One text document with its body.

        Needs files:read.
        """
        reply: Document = self._api.call("GET", f"/api/documents/{segment(id)}")
        return reply

    def update(
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
        reply: Document = self._api.call(
            "PUT",
            f"/api/documents/{segment(id)}",
            fields={"body": body, "title": title, "visibility": visibility},
        )
        return reply

    def list(self, *, page_size: int | None = None) -> Pages[ListedDocument, ListedDocumentPage]:
        """The text documents that the caller can read, newest first and without their bodies.

        Needs files:read.
        """
        return Pages(self._api, "/api/documents", query={"limit": page_size})
