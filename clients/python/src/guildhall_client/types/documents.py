"""What the API says about documents."""

from typing import Literal, TypedDict


class DocumentOwner(TypedDict):
    id: str
    name: str


class DocumentVersion(TypedDict):
    content_type: str
    created_at: str
    created_by: str
    sha256: str
    size: int
    version: int


class Document(TypedDict):
    body: str
    content_type: str
    created_at: str
    filename: str
    id: str
    key: str
    owner: DocumentOwner
    #: What the caller may do with it
    permissions: list[str]
    sha256: str
    size: int
    team_id: str
    text_status: Literal["none", "pending", "indexed", "stale", "unsupported"]
    title: str
    updated_at: str
    version: int
    versions: list[DocumentVersion]
    #: private: the owner alone; shared: also whom it was granted to; team: also the team
    visibility: Literal["private", "shared", "team"]


class ListedDocument(TypedDict):
    content_type: str
    created_at: str
    filename: str
    id: str
    key: str
    owner: DocumentOwner
    #: What the caller may do with it
    permissions: list[str]
    sha256: str
    size: int
    team_id: str
    text_status: Literal["none", "pending", "indexed", "stale", "unsupported"]
    title: str
    updated_at: str
    version: int
    versions: list[DocumentVersion]
    #: private: the owner alone; shared: also whom it was granted to; team: also the team
    visibility: Literal["private", "shared", "team"]


class ListedDocumentPage(TypedDict):
    items: list[ListedDocument]
    next_cursor: str | None


__all__ = ["Document", "DocumentOwner", "DocumentVersion", "ListedDocument", "ListedDocumentPage"]
