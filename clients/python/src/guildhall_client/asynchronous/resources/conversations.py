"""The rows of conversations."""

from collections.abc import Sequence
from typing import Literal

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.events import AsyncEvents
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.types.conversations import (
    Conversation,
    ConversationCreateMessageConversationPrompt,
    ConversationCreateMessageReply,
    ConversationMessage,
    ConversationMessagePage,
    ConversationShareReply,
    ConversationShareReplyItem,
    ConversationStopMessageReply,
    CreateConversationMessage,
    CreateMessageConversationPrompt,
    CreateMessageConversationPromptSent,
    CreateMessageConversationResponseFormat,
    CreateMessageConversationResponseFormatSent,
    CreateMessageConversationSource,
    ListedConversation,
    ListedConversationPage,
)


class AsyncConversations:
    """Calls of conversations."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def create(
        self,
        *,
        folder_id: str | Omitted | None = OMITTED,
        messages: Sequence[CreateConversationMessage] | Omitted = OMITTED,
        model: str | Omitted | None = OMITTED,
        pinned: bool | Omitted = OMITTED,
        system: str | Omitted | None = OMITTED,
        title: str | Omitted = OMITTED,
    ) -> Conversation:
        """Begin a conversation.

        `messages`: What was said elsewhere, oldest first
        `pinned`: Pinned ones stand first in the list
        `title`: Empty, it is made of the first question
        Needs chat:use.
        """
        reply: Conversation = await self._api.call(
            "POST",
            "/api/conversations",
            fields={
                "folder_id": folder_id,
                "messages": messages,
                "model": model,
                "pinned": pinned,
                "system": system,
                "title": title,
            },
        )
        return reply

    async def create_message(
        self,
        id: str,
        *,
        prompt: str
        | Sequence[
            CreateMessageConversationPrompt
            | CreateMessageConversationPromptSent
            | ConversationCreateMessageConversationPrompt
        ],
        executor: str | Omitted = OMITTED,
        model: str | Omitted = OMITTED,
        parent_id: str | Omitted | None = OMITTED,
        response_format: CreateMessageConversationResponseFormat
        | CreateMessageConversationResponseFormatSent
        | Omitted = OMITTED,
        sources: Literal["workspace"] | Sequence[CreateMessageConversationSource] | Omitted = OMITTED,
        temperature: float | Omitted = OMITTED,
        tools: Literal["auto"] | Sequence[str] | Omitted = OMITTED,
    ) -> ConversationCreateMessageReply:
        """Ask something; the answer to come is written in the background.

        `executor`: By name; needs instance:manage
        `model`: A model by its name: see GET /api/models
        `response_format`: How the answer must be laid out; with tools it is as the model likes
        `sources`: Where passages are looked for that the answer is made of, and that it cites
        `tools`: Tools that the model may call; one that writes waits for a confirmation
        Needs chat:use.
        """
        reply: ConversationCreateMessageReply = await self._api.call(
            "POST",
            f"/api/conversations/{segment(id)}/messages",
            fields={
                "executor": executor,
                "model": model,
                "parent_id": parent_id,
                "prompt": prompt,
                "response_format": response_format,
                "sources": sources,
                "temperature": temperature,
                "tools": tools,
            },
        )
        return reply

    async def delete(self, id: str) -> None:
        """Delete a conversation with its messages.

        Needs chat:use.
        """
        await self._api.call("DELETE", f"/api/conversations/{segment(id)}")

    def events(self, id: str) -> AsyncEvents:
        """What happens in a conversation as server-sent events: message, delta, tool, status and
        done.

        Needs chat:use.
        """
        return AsyncEvents(self._api, "GET", f"/api/conversations/{segment(id)}/events")

    async def export(self, id: str, *, format: Literal["md", "json"] | None = None) -> str:
        """A conversation as a file: its current branch as Markdown, or all of it as JSON.

        Needs chat:use.
        """
        reply: str = await self._api.call(
            "GET", f"/api/conversations/{segment(id)}/export", query={"format": format}
        )
        return reply

    async def fork(self, id: str, *, message_id: str) -> Conversation:
        """Begin a conversation of one's own with the branch up to a message.

        Needs chat:use.
        """
        reply: Conversation = await self._api.call(
            "POST", f"/api/conversations/{segment(id)}/fork", fields={"message_id": message_id}
        )
        return reply

    async def get(self, id: str) -> Conversation:
        """A conversation with its current branch.

        Needs chat:use.
        """
        reply: Conversation = await self._api.call("GET", f"/api/conversations/{segment(id)}")
        return reply

    def grants(
        self, id: str, *, page_size: int | None = None
    ) -> AsyncPages[ConversationShareReplyItem, ConversationShareReply]:
        """Whom a conversation is shared with, the expired too.

        Needs chat:use.
        """
        return AsyncPages(self._api, f"/api/conversations/{segment(id)}/grants", query={"limit": page_size})

    def messages(
        self, id: str, *, page_size: int | None = None, branch: str | None = None
    ) -> AsyncPages[ConversationMessage, ConversationMessagePage]:
        """All messages of a conversation, in the order in which they were written, or those of a
        branch.

        `branch`: Only the branch that ends with this message, the newest first page
        Needs chat:use.
        """
        return AsyncPages(
            self._api,
            f"/api/conversations/{segment(id)}/messages",
            query={"limit": page_size, "branch": branch},
        )

    async def messages_tool(
        self, id: str, message: str, number: int, *, decision: Literal["once", "always", "deny"]
    ) -> ConversationCreateMessageReply:
        """Confirm or refuse a call of a tool that writes.

        `decision`: always: this tool needs no more asking in this conversation
        Needs chat:use.
        """
        reply: ConversationCreateMessageReply = await self._api.call(
            "POST",
            f"/api/conversations/{segment(id)}/messages/{segment(message)}/tools/{segment(number)}",
            fields={"decision": decision},
        )
        return reply

    async def regenerate_message(
        self,
        id: str,
        message: str,
        *,
        model: str | Omitted = OMITTED,
        sources: Literal["workspace"] | Sequence[CreateMessageConversationSource] | Omitted = OMITTED,
        tools: Literal["auto"] | Sequence[str] | Omitted = OMITTED,
    ) -> ConversationCreateMessageReply:
        """Have an answer written once more, beside the one that there is.

        `model`: A model by its name: see GET /api/models
        `sources`: Where passages are looked for that the answer is made of, and that it cites
        `tools`: Tools that the model may call; one that writes waits for a confirmation
        Needs chat:use.
        """
        reply: ConversationCreateMessageReply = await self._api.call(
            "POST",
            f"/api/conversations/{segment(id)}/messages/{segment(message)}/regenerate",
            fields={"model": model, "sources": sources, "tools": tools},
        )
        return reply

    async def share(
        self,
        id: str,
        *,
        capability: Literal["view", "edit"] | Omitted = OMITTED,
        expires_at: str | Omitted | None = OMITTED,
        principal_id: str | Omitted = OMITTED,
        principal_type: Literal["user", "team"] | Omitted = OMITTED,
        user_id: str | Omitted = OMITTED,
    ) -> ConversationShareReply:
        """Let somebody, or a team, read a conversation or go on with it; a second time changes it.

        `capability`: edit: go on with it
        Needs chat:use.
        """
        reply: ConversationShareReply = await self._api.call(
            "POST",
            f"/api/conversations/{segment(id)}/share",
            fields={
                "capability": capability,
                "expires_at": expires_at,
                "principal_id": principal_id,
                "principal_type": principal_type,
                "user_id": user_id,
            },
        )
        return reply

    async def stop_message(self, id: str, message: str) -> ConversationStopMessageReply:
        """Stop an answer; what it has said until then is kept.

        Needs chat:use.
        """
        reply: ConversationStopMessageReply = await self._api.call(
            "POST", f"/api/conversations/{segment(id)}/messages/{segment(message)}/stop"
        )
        return reply

    async def unshare(
        self,
        id: str,
        *,
        principal_id: str | Omitted = OMITTED,
        principal_type: Literal["user", "team"] | Omitted = OMITTED,
        user_id: str | Omitted = OMITTED,
    ) -> ConversationShareReply:
        """Share a conversation with somebody, or a team, no more.

        Needs chat:use.
        """
        reply: ConversationShareReply = await self._api.call(
            "POST",
            f"/api/conversations/{segment(id)}/unshare",
            fields={"principal_id": principal_id, "principal_type": principal_type, "user_id": user_id},
        )
        return reply

    async def update(
        self,
        id: str,
        *,
        current_id: str | Omitted = OMITTED,
        folder_id: str | Omitted | None = OMITTED,
        model: str | Omitted | None = OMITTED,
        pinned: bool | Omitted = OMITTED,
        system: str | Omitted | None = OMITTED,
        title: str | Omitted = OMITTED,
    ) -> Conversation:
        """Rename, file or pin a conversation, or show another branch; what is left out stays.

        `current_id`: A message whose branch is shown from now on
        `pinned`: Pinned ones stand first in the list
        `title`: Empty, it is made of the first question
        Needs chat:use.
        """
        reply: Conversation = await self._api.call(
            "PATCH",
            f"/api/conversations/{segment(id)}",
            fields={
                "current_id": current_id,
                "folder_id": folder_id,
                "model": model,
                "pinned": pinned,
                "system": system,
                "title": title,
            },
        )
        return reply

    def list(
        self,
        *,
        page_size: int | None = None,
        q: str | None = None,
        folder: str | None = None,
        shared: bool | None = None,
    ) -> AsyncPages[ListedConversation, ListedConversationPage]:
        """One's own conversations, pinned ones first, or those that others share.

        `q`: Words of the title or of a message
        `folder`: Those in this folder of one's own
        `shared`: 1: only what others share with the caller
        Needs chat:use.
        """
        return AsyncPages(
            self._api,
            "/api/conversations",
            query={"limit": page_size, "q": q, "folder": folder, "shared": shared},
        )
