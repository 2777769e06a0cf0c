"""The rows of conversation folders."""

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import segment
from guildhall_client.types.conversation_folders import ConversationFolder, ConversationFolderPage


class AsyncConversationFolders:
    """Calls of conversation folders."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def create(self, *, name: str) -> ConversationFolder:
        """Make a folder of conversations.

        Needs chat:use.
        """
        reply: ConversationFolder = await self._api.call(
            "POST", "/api/conversation-folders", fields={"name": name}
        )
        return reply

    async def delete(self, id: str) -> None:
        """Delete a folder; what is in it stays.

        Needs chat:use.
        """
        await self._api.call("DELETE", f"/api/conversation-folders/{segment(id)}")

    async def get(self, id: str) -> ConversationFolder:
        """A folder of conversations.

        Needs chat:use.
        """
        reply: ConversationFolder = await self._api.call("GET", f"/api/conversation-folders/{segment(id)}")
        return reply

    async def update(self, id: str, *, name: str) -> ConversationFolder:
        """Rename a folder of conversations.

        Needs chat:use.
        """
        reply: ConversationFolder = await self._api.call(
            "PATCH", f"/api/conversation-folders/{segment(id)}", fields={"name": name}
        )
        return reply

    def list(self, *, page_size: int | None = None) -> AsyncPages[ConversationFolder, ConversationFolderPage]:
        """One's own folders of conversations.

        Needs chat:use.
        """
        return AsyncPages(self._api, "/api/conversation-folders", query={"limit": page_size})
