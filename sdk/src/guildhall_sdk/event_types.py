"""The events that the builtin plugins publish, with what each carries."""

from dataclasses import dataclass
from typing import Literal

from guildhall_sdk.subscriptions import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectWritten:
    """A version of an object was written.

    `created` is a new object, `derived` one that was made from another, in the run `run_id` if a workflow did
    it; `number` counts its versions. Without `fires_triggers` the credential in use may write but start
    nothing.
    """

    object_id: str
    version_id: str
    number: int
    content_type: str
    size: int
    created: bool
    derived: bool
    fires_triggers: bool
    run_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectDeleted:
    """An object, or a version of it, was deleted.

    A `marker` hides the object, a `version` is gone for good, and so is a whole `object`.
    """

    object_id: str
    version_id: str | None
    deleted: Literal["marker", "version", "object"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteChanged:
    """A note was created, changed, deleted or taken out of the bin."""

    note_id: str
    change: Literal["created", "updated", "deleted", "restored", "shared", "unshared"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberJoined:
    """A person joined a team."""

    user_id: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberLeft:
    """A person left a team, or was removed from it."""

    user_id: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberSuspended:
    """A person of the company was suspended; told in each of their teams."""

    user_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberResumed:
    """A person is no longer suspended; told in each of their teams."""

    user_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanySuspended:
    """A company was suspended."""

    org_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyResumed:
    """A company is no longer suspended."""

    org_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEnded:
    """A job has ended; `error` is the code of one that failed."""

    job_id: str
    kind: str
    state: Literal["succeeded", "failed", "cancelled"]
    attempt: int
    error: str | None


#: Of its facts, `media_type` is in small letters and without parameters.
OBJECT_WRITTEN = Event(
    name="object.written",
    doc="An object has a new version, by whatever way it came.",
    type=ObjectWritten,
    facts=("key", "media_type"),
)
OBJECT_DELETED = Event(
    name="object.deleted", doc="An object or a version is deleted, or hidden.", type=ObjectDeleted
)
NOTE_CHANGED = Event(
    name="note.changed", doc="A note is new, changed, deleted, or shared otherwise.", type=NoteChanged
)
MEMBER_JOINED = Event(name="member.joined", doc="Somebody is a member of the team now.", type=MemberJoined)
MEMBER_LEFT = Event(name="member.left", doc="Somebody is no longer a member of the team.", type=MemberLeft)
MEMBER_SUSPENDED = Event(
    name="member.suspended", doc="A member of the team is suspended.", type=MemberSuspended
)
MEMBER_RESUMED = Event(
    name="member.resumed", doc="A member of the team is no longer suspended.", type=MemberResumed
)
COMPANY_SUSPENDED = Event(
    name="company.suspended",
    doc="A company is suspended; delivered in the team of the operator who did it.",
    type=CompanySuspended,
)
COMPANY_RESUMED = Event(
    name="company.resumed",
    doc="A company is open again; delivered in the team of the operator who did it.",
    type=CompanyResumed,
)
JOB_ENDED = Event(
    name="job.ended",
    doc="A job succeeded, failed or was cancelled; deliveries of events are left out.",
    type=JobEnded,
)
