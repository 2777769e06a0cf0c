"""What the API says about files."""

from typing import Any, Literal, NotRequired, TypedDict

from guildhall_client.types.documents import DocumentVersion


class FileOwner(TypedDict):
    id: str
    name: str


class File(TypedDict):
    content_type: str
    created_at: str
    filename: str
    id: str
    key: str
    owner: FileOwner
    #: What the caller may do with it
    permissions: list[str]
    sha256: str
    size: int
    team_id: str
    text_status: Literal["none", "pending", "indexed", "stale", "unsupported"]
    updated_at: str
    version: int
    versions: list[DocumentVersion]
    #: private: the owner alone; shared: also whom it was granted to; team: also the team
    visibility: Literal["private", "shared", "team"]


class FilePage(TypedDict):
    folders: list[str]
    items: list[File]
    next_cursor: str | None


class FileCreatePlaybackReply(TypedDict):
    expires_at: str
    path: str


class FileDerivationsDerived(TypedDict):
    key: str
    object_id: str
    run_id: str | None
    step: str | None
    version: int


class FileDerivations(TypedDict):
    derived: list[FileDerivationsDerived]
    sources: list[FileDerivationsDerived]


FileDiff = TypedDict(
    "FileDiff",
    {
        "added": int,
        "diff": str,
        "from": int,
        "removed": int,
        "to": int,
        "truncated": bool,
    },
)


class FileLifecyclePreview(TypedDict):
    bytes: int
    #: false: there is more than was looked at
    complete: bool
    #: Deleted objects, with all their versions
    deleted_objects: int
    markers: int
    #: Old versions that would go now
    versions: int


class FileLifecycleRule(TypedDict):
    deleted_days: int | None
    #: Delete markers that hide nothing any more go
    empty_markers: bool
    enabled: bool
    #: A name of your own, one for each rule
    id: str
    #: But for so many of the newest old ones of each object
    keep_old_versions: int
    old_version_days: int | None
    #: Only keys that begin with this
    prefix: str


class FileLifecycleThrownAway(TypedDict):
    bytes: int
    versions: int


class FileLifecycle(TypedDict):
    holds_from: str | None
    preview: FileLifecyclePreview
    rules: list[FileLifecycleRule]
    thrown_away: FileLifecycleThrownAway


FileMoveFolderReplyPayload = TypedDict(
    "FileMoveFolderReplyPayload",
    {
        #: A prefix of keys that ends with a slash
        "from": str,
        #: A prefix of keys that ends with a slash
        "to": str,
    },
)


class FileMoveFolderReply(TypedDict):
    attempt: int
    created_at: str
    error: Any
    executor: str | None
    finished_at: str | None
    id: str
    kind: str
    max_attempts: int
    payload: FileMoveFolderReplyPayload
    progress: float | None
    result: Any
    started_at: str | None
    state: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    team_id: str
    user_id: str


class FilePresignReply(TypedDict):
    expires_at: str
    url: str


class FileProcessingRunWorkflow(TypedDict):
    pass


class FileProcessingRun(TypedDict):
    created_at: str
    id: str
    state: str
    workflow: FileProcessingRunWorkflow


class FileProcessing(TypedDict):
    derived: list[FileDerivationsDerived]
    runs: list[FileProcessingRun]
    sources: list[FileDerivationsDerived]


class SetLifecycleFileRule(TypedDict):
    deleted_days: NotRequired[int | None]
    #: Delete markers that hide nothing any more go
    empty_markers: NotRequired[bool]
    enabled: NotRequired[bool]
    #: A name of your own, one for each rule
    id: str
    #: But for so many of the newest old ones of each object
    keep_old_versions: NotRequired[int]
    old_version_days: NotRequired[int | None]
    #: Only keys that begin with this
    prefix: NotRequired[str]


class FileShareReplyItem(TypedDict):
    capability: Literal["view", "edit", "manage"]
    expired: bool
    expires_at: str | None
    granted_at: str
    granted_by: str
    granted_by_name: str
    name: str
    permissions: list[str]
    principal_id: str
    principal_type: Literal["user", "team"]


class FileShareReply(TypedDict):
    items: list[FileShareReplyItem]
    next_cursor: str | None


class FileShareTargetsUser(TypedDict):
    display_name: str
    id: str
    username: str


class FileShareTargets(TypedDict):
    teams: list[FileOwner]
    users: list[FileShareTargetsUser]


class FileText(TypedDict):
    status: Literal["none", "pending", "indexed", "stale", "unsupported"]
    text: str | None
    #: The number of the newest version
    version: int


__all__ = [
    "File",
    "FileCreatePlaybackReply",
    "FileDerivations",
    "FileDerivationsDerived",
    "FileDiff",
    "FileLifecycle",
    "FileLifecyclePreview",
    "FileLifecycleRule",
    "FileLifecycleThrownAway",
    "FileMoveFolderReply",
    "FileMoveFolderReplyPayload",
    "FileOwner",
    "FilePage",
    "FilePresignReply",
    "FileProcessing",
    "FileProcessingRun",
    "FileProcessingRunWorkflow",
    "FileShareReply",
    "FileShareReplyItem",
    "FileShareTargets",
    "FileShareTargetsUser",
    "FileText",
    "SetLifecycleFileRule",
]
