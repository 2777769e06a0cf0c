"""What the API says about conversation folders."""

from typing import TypedDict


class ConversationFolder(TypedDict):
    created_at: str
    id: str
    name: str


class ConversationFolderPage(TypedDict):
    items: list[ConversationFolder]
    next_cursor: str | None


__all__ = ["ConversationFolder", "ConversationFolderPage"]
