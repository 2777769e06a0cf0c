"""The rows of conversation folders."""

from guildhall_client.sending import segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.conversation_folders import ConversationFolder, ConversationFolderPage


class ConversationFolders:
    """Calls of conversation folders."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def create(self, *, name: str) -> ConversationFolder:
        """Make a folder of conversations.

        Needs chat:use.
        """
        reply: ConversationFolder = self._api.call("POST", "/api/conversation-folders", fields={"name": name})
        return reply

    def delete(self, id: str) -> None:
        """Delete a folder; what is in it stays.

        Needs chat:use.
        """
        self._api.call("DELETE", f"/api/conversation-folders/{segment(id)}")

    def get(self, id: str) -> ConversationFolder:
        """A folder of conversations.

        Needs chat:use.
        """
        reply: ConversationFolder = self._api.call("GET", f"/api/conversation-folders/{segment(id)}")
        return reply

    def update(self, id: str, *, name: str) -> ConversationFolder:
        """Rename a folder of conversations.

        Needs chat:use.
        """
        reply: ConversationFolder = self._api.call(
            "PATCH", f"/api/conversation-folders/{segment(id)}", fields={"name": name}
        )
        return reply

    def list(self, *, page_size: int | None = None) -> Pages[ConversationFolder, ConversationFolderPage]:
        """One's own folders of conversations.

        Needs chat:use.
        """
        return Pages(self._api, "/api/conversation-folders", query={"limit": page_size})
