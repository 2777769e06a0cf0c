"""The data of the repository: staged bytes, versions and objects, and the order of keys."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from guildhall_sdk.data import Statement
from guildhall_sdk.errors import RetryLater

Visibility = Literal["private", "shared", "team"]


@dataclass(frozen=True, slots=True)
class Staged:
    """Bytes that no version names yet; MD5 and SHA-256 in hex.

    A few bytes are here, as `content`, and not in the blob store; more are in the blob store, and if not
    many, here as well.

    They count as storage of the team they were staged for as long as somebody works on them. What nothing
    refers to within a day is swept away.
    """

    org_id: str
    sha256: str
    size: int
    md5: str
    content: bytes | None = field(default=None, repr=False, compare=False)
    #: What the repository knows of the storage that they take.
    reserved: object | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """One version of an object. A delete marker has no bytes: `marker`, and a `size` of 0.

    `id` is opaque and unique on the instance, `number` counts within the object and is never used twice.
    `etag` is bare, as S3 makes it: the MD5, or what the writer said. `attributes` are the writer's own.
    `content` is there where it was asked for and is short: read it by `Repository.open`, which verifies it.
    """

    id: str
    object_id: str
    org_id: str
    team_id: str
    key: str
    number: int
    marker: bool
    latest: bool
    sha256: str
    size: int
    etag: str
    content_type: str
    filename: str
    attributes: Mapping[str, Any]
    created_at: int
    created_by: str
    owner_id: str
    owner_name: str
    content: bytes | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object as it is now. `current` is its newest version, never a delete marker."""

    id: str
    org_id: str
    team_id: str
    key: str
    owner_id: str
    owner_name: str
    visibility: Visibility
    revision: int
    text_status: Literal["none", "pending", "indexed", "stale", "unsupported"]
    created_at: int
    updated_at: int
    current: StoredVersion


class ReadText(NamedTuple):
    """The text of an object's newest version when it was read; None, with a `reason`, where it has none."""

    found: StoredObject
    text: str | None
    reason: str | None = None


class TextPending(RetryLater, status=409, code="text_pending", title="A document is still being read"):
    """Raised where the text of a document is needed and still waits to be read."""

    def __init__(self, detail: str, seconds: int) -> None:
        super().__init__(detail, headers={"Retry-After": str(seconds)})


class Derivation(NamedTuple):
    """The source of something: an object and its version, and which step of which run made it."""

    object_id: str
    version: int
    run_id: str | None = None
    step: str | None = None


class VersionPart(NamedTuple):
    """A part of a version's bytes as its writer sent it: numbered from 1, without a gap."""

    number: int
    start: int
    size: int
    checksum: str | None = None


@dataclass(frozen=True, slots=True)
class NewVersion:
    """The fields of a version beside its bytes.

    None leaves `filename` and `content_type` to the key, and `visibility` to what the object has (`team` for
    a new one). `etag` None is the MD5. `attributes` go with this version alone: at most 64 KiB of JSON.
    `derived_from` makes a new object take over its source's owner, visibility and grants. `fires_triggers`
    False stands in the event of the write: whoever starts things on it then does not. `parts` are what the
    bytes were put together from, and go with this version alone.
    """

    filename: str | None = None
    content_type: str | None = None
    visibility: Visibility | None = None
    etag: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    derived_from: Derivation | None = None
    fires_triggers: bool = True
    parts: Sequence[VersionPart] = ()


# Called inside the transaction with what is there now, or None; whatever it raises undoes the call. None
# asks for nothing.
Precondition = Callable[["StoredVersion | None"], None] | None


def just_after(key: str) -> str:
    """Returns the least key that follows this one: a key holds no NUL."""
    return key + "\x01"


MAX_RULES = 100
MAX_DAYS = 36_500
MAX_KEPT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleRule:
    """A rule for the keys that begin with `prefix`; None is for ever. The newest version always stays."""

    id: str
    enabled: bool = True
    prefix: str = ""
    #: Old versions go so many days after a newer one took their place.
    old_version_days: int | None = None
    #: But for so many of the newest old ones of each object, delete markers not counted.
    keep_old_versions: int = 0
    #: Objects with nothing but delete markers left go.
    empty_markers: bool = False
    #: What was deleted goes so many days later with all its versions, and cannot be brought back any more.
    deleted_days: int | None = None

    @property
    def acts(self) -> bool:
        """Whether the rule throws anything away."""
        return self.old_version_days is not None or self.empty_markers or self.deleted_days is not None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VersionsInUse:
    """A query for the versions that a plugin's rows still need; for `declare_versions_in_use`.

    No lifecycle throws these away. The statement has the binds `:team_id` and `:versions`, a JSON array of
    `[object id, number, version id]`, and returns the column `version_id` of those that are needed. Who
    begins to refer to a version holds it with `Repository.hold_version` in the same transaction.
    """

    #: Small letters and `_`.
    name: str
    statement: Statement
