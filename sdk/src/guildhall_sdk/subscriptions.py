"""Events that a plugin publishes, and subscriptions to events of any plugin."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from guildhall_sdk.context import Host
from guildhall_sdk.data import Reader, Statement, Writer
from guildhall_sdk.jobs import DEFAULT_MAX_ATTEMPTS, JobCall
from guildhall_sdk.principal import Principal


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event that happens in a plugin and that others may react to.

    The `name` is `<plugin id>.<noun>.<verb>`, as in `shelf.book.added`. `type` is a frozen dataclass whose
    fields are what JSON has: text, numbers, booleans, None, and tuples of these. They name things by id,
    never by title or key. `facts` names what is given with every event for `Subscription.wanted` to look at,
    and recorded nowhere. `doc` says when it happens; untold, it is the first line of the docstring of `type`.
    `readable(host, reader, principal, payload)` tells whether somebody may hear of one outside of the server,
    as by a webhook; without it that is who holds `settings:manage`.
    """

    name: str
    doc: str = ""
    type: type[Any]
    facts: tuple[str, ...] = ()
    readable: "Callable[[Host, Reader, Principal, Any], Awaitable[bool]] | None" = None

    def __post_init__(self) -> None:
        # A dataclass without a docstring is given its signature for one.
        if not self.doc and not (text := self.type.__doc__ or "").startswith(f"{self.type.__name__}("):
            object.__setattr__(self, "doc", text.strip().partition("\n")[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The person on whose behalf an event happened, and the team; `scope` is their credential's."""

    org_id: str
    team_id: str
    user_id: str
    credential_id: str | None = None
    scope: frozenset[str] | None = None

    @classmethod
    def of(cls, principal: Principal, team_id: str | None = None) -> "Origin":
        """Returns the origin of what the caller does, in their own team or in the one of `team_id`."""
        return cls(
            org_id=principal.org_id,
            team_id=team_id or principal.team_id,
            user_id=principal.user_id,
            credential_id=principal.credential.id,
            scope=principal.credential.scope,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EventCall:
    """One attempt to deliver one event to one subscription."""

    #: The id of this delivery, for every attempt at it: what was done under it need not be done again.
    id: str
    #: The name of the event.
    event: str
    #: The id of the event, one for all subscriptions that it is delivered to.
    event_id: str
    #: An instance of the event's type.
    payload: Any
    #: The time when the event happened, in milliseconds since the epoch.
    at: int
    #: The number of this attempt, from 1.
    attempt: int
    #: The person on whose behalf the event happened, with the scope that they had.
    origin: Origin
    #: The job that delivers the event, in the event's team and for the person behind it.
    job: JobCall
    #: The running server.
    host: Host
    #: Runs an effect in the transaction that ends the delivery: both happen once, or neither.
    on_success: Callable[[Callable[[Writer], Awaitable[None]]], None]
    #: The first column of what `Subscription.wanted` found in the transaction of the event. It is None
    #: without such a query, where the query failed, and where it found more than 64 KiB of JSON: the handler
    #: then looks for itself.
    matches: Sequence[Any] | None = None


#: For `Subscription.event`: every event that any plugin declares.
EVERY_EVENT = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A reaction of a plugin to an event; `name` is its own among the plugin's subscriptions.

    `where` leaves out events: by the name of a field, the value that it must have, or a tuple of values.
    `optional` is for an event whose plugin may not be there. A subscription to `EVERY_EVENT`, which is one,
    hears of all that any plugin declares, and its query takes `:team_id` and `:event`. With `feature`, a team
    that turned it off is left out. A delivery that fails is tried `max_attempts` times in all, each for at
    most `timeout_seconds`.

    `wanted` is a query that runs in the transaction of the event, with the binds `:team_id` and those fields
    and facts of the event that it names. Without a row of it the event is not recorded for this subscription;
    the values of its first column are what the handler is given as `matches`. Keep it to a look into an
    index: everybody who causes the event waits for it. One that fails costs nobody their write: it is logged,
    and the event is recorded without matches.

    `possible` is a query with the bind `:team_id` alone; without a row of it `wanted` finds nothing in that
    team, whatever happens. Its answer is remembered until the version of access moves, which your triggers on
    the tables have to see to: `published_access` in docs/plugins/views.md.
    """

    name: str
    event: str
    handler: Callable[[EventCall], Awaitable[Any]]
    doc: str
    where: Mapping[str, Any] = field(default_factory=dict)
    optional: bool = False
    feature: str | None = None
    max_attempts: int = DEFAULT_MAX_ATTEMPTS
    timeout_seconds: int = 300
    wanted: Statement | None = None
    possible: Statement | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectWritten:
    """An object has a new version, by whatever way it came.

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
class ObjectMoved:
    """An object has another key; nothing else of it has changed."""

    object_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectDeleted:
    """An object or a version is deleted, or hidden.

    A `marker` hides the object, a `version` is gone for good, and so is a whole `object`.
    """

    object_id: str
    version_id: str | None
    deleted: Literal["marker", "version", "object"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteChanged:
    """A note is new, changed, deleted, or shared otherwise."""

    note_id: str
    change: Literal["created", "updated", "deleted", "restored", "shared", "unshared"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberJoined:
    """Somebody is a member of the team now."""

    user_id: str
    role: str


class MemberLeft(MemberJoined):
    """Somebody is no longer a member of the team."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberSuspended:
    """A member of the team is suspended; told in each of their teams."""

    user_id: str


class MemberResumed(MemberSuspended):
    """A member of the team is no longer suspended; told in each of their teams."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanySuspended:
    """A company is suspended; delivered in the team of the operator who did it."""

    org_id: str


class CompanyResumed(CompanySuspended):
    """A company is open again; delivered in the team of the operator who did it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEnded:
    """A job succeeded, failed or was cancelled; deliveries of events are left out.

    `error` is the code of one that failed.
    """

    job_id: str
    kind: str
    state: Literal["succeeded", "failed", "cancelled"]
    attempt: int
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """A run of a workflow succeeded, failed or was cancelled, for whom it acts as.

    `error` is the code of one that failed.
    """

    run_id: str
    workflow_slug: str
    state: Literal["succeeded", "failed", "cancelled"]
    started_by: Literal["person", "trigger", "schedule", "webhook"]
    error: str | None = None


#: Of its facts, `media_type` is in small letters and without parameters.
OBJECT_WRITTEN = Event(name="object.written", type=ObjectWritten, facts=("key", "media_type"))
#: Of its facts, `key` is the new one.
OBJECT_MOVED = Event(name="object.moved", type=ObjectMoved, facts=("key",))
OBJECT_DELETED = Event(name="object.deleted", type=ObjectDeleted)
NOTE_CHANGED = Event(name="note.changed", type=NoteChanged)
MEMBER_JOINED = Event(name="member.joined", type=MemberJoined)
MEMBER_LEFT = Event(name="member.left", type=MemberLeft)
MEMBER_SUSPENDED = Event(name="member.suspended", type=MemberSuspended)
MEMBER_RESUMED = Event(name="member.resumed", type=MemberResumed)
COMPANY_SUSPENDED = Event(name="company.suspended", type=CompanySuspended)
COMPANY_RESUMED = Event(name="company.resumed", type=CompanyResumed)
JOB_ENDED = Event(name="job.ended", type=JobEnded)
RUN_ENDED = Event(name="run.ended", type=RunEnded)


class Events(Protocol):
    """Records events for those who subscribed to them, in the transaction that makes them happen."""

    def wanted(self, event: Event) -> bool:
        """Tells whether anybody subscribed, before a payload is made that costs something."""

    async def emit(
        self, writer: Writer, event: Event, payload: Any, origin: Origin, *, facts: Mapping[str, Any] = {}
    ) -> None:
        """Records an event in the caller's transaction; does nothing where nobody subscribed.

        `facts` are the values of those that the event declares.
        """

    async def emit_many(self, writer: Writer, event: Event, happened: Iterable[tuple[Any, Origin]]) -> None:
        """Records many of one event, each with its payload and origin, by one statement.

        It is not for an event that has facts.
        """

    def narrow(self, subscription: str, teams: Mapping[str, Collection[str] | None] | None) -> None:
        """Has a subscription, named `<plugin id>.<name>`, hear of these teams' events alone, by event.

        Of others it is not even asked by its query, so that they cost nobody anything. None for an event is
        every team, and None alone every event of every team. It holds in this process until it is called
        again.
        """
