"""What the API says about notes."""

from typing import Literal, NotRequired, TypedDict


class NoteOwner(TypedDict):
    id: str
    name: str


class NoteSharedWith(TypedDict):
    name: str
    permission: Literal["notes:delete", "notes:manage", "notes:read", "notes:write"]
    user_id: str


class Note(TypedDict):
    body: str
    created_at: str
    #: Only in the bin
    deleted_at: NotRequired[str]
    #: How the body begins, on one line
    excerpt: str
    id: str
    owner: NoteOwner
    #: what the caller may do with this note
    permissions: list[Literal["notes:delete", "notes:manage", "notes:read", "notes:write"]]
    shared_with: NotRequired[list[NoteSharedWith]]
    tags: list[str]
    team_id: str
    title: str
    updated_at: str
    #: private: the owner and whom they share it with
    visibility: Literal["private", "team"]


class NotePage(TypedDict):
    items: list[Note]
    next_cursor: str | None


class NoteBeginEditingReplyItem(TypedDict):
    name: str
    user_id: str


class NoteBeginEditingReply(TypedDict):
    items: list[NoteBeginEditingReplyItem]
    next_cursor: str | None


class NoteVersion(TypedDict):
    body: str
    created_at: str
    created_by: str
    tags: list[str]
    title: str
    version: int


class ListedNoteVersion(TypedDict):
    created_at: str
    created_by: str
    title: str
    version: int


class ListedNoteVersionPage(TypedDict):
    items: list[ListedNoteVersion]
    next_cursor: str | None


__all__ = [
    "ListedNoteVersion",
    "ListedNoteVersionPage",
    "Note",
    "NoteBeginEditingReply",
    "NoteBeginEditingReplyItem",
    "NoteOwner",
    "NotePage",
    "NoteSharedWith",
    "NoteVersion",
]
