"""Jobs: work that outlives the request that asked for it, and the kinds of it that plugins bring."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from guildhall_sdk.context import Host
from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.errors import CodedError
from guildhall_sdk.ids import rfc3339, rfc3339_or_none
from guildhall_sdk.principal import Principal
from guildhall_sdk.schema import Schema

JobState = Literal["queued", "running", "succeeded", "failed", "cancelled"]

DEFAULT_MAX_ATTEMPTS = 5
LOWEST_PRIORITY, HIGHEST_PRIORITY = -100, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class JobScope:
    """The job that this code runs in: its id, how it reports its progress, and the run that it is a step of.

    `depth` is how many events led to it: a chain of them that only feeds itself has to end.
    """

    id: str | None = None
    progress: Callable[[float], Awaitable[None]] | None = None
    run_id: str | None = None
    depth: int = 0


#: The job that this code runs in, set by whoever runs it; one without an id outside of jobs.
running_job: ContextVar[JobScope] = ContextVar("running_job", default=JobScope())  # noqa: B039


class JobError(NamedTuple):
    """The reason why a job failed, in words for the person who asked for it."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Job:
    """A job at one moment; times are milliseconds since the epoch."""

    id: str
    kind: str
    state: JobState
    payload: Any
    result: Any
    error: JobError | None
    attempt: int
    max_attempts: int
    progress: float | None
    worker: str | None
    org_id: str
    team_id: str
    user_id: str
    created_at: int
    started_at: int | None
    finished_at: int | None
    asked_with: str | None = None
    scope: frozenset[str] | None = None
    within: str | None = None
    #: Not before then; None where nobody asked for it.
    run_at: int | None = None

    @property
    def ended(self) -> bool:
        """Whether the job has succeeded, failed or been cancelled."""
        return self.state in ("succeeded", "failed", "cancelled")

    def public(self, *, with_content: bool) -> dict[str, Any]:
        """Returns the job as the API shows it; payload and result are for the job's own user."""
        return {
            "id": self.id,
            "kind": self.kind,
            "state": self.state,
            "payload": self.payload if with_content else None,
            "result": self.result if with_content else None,
            "error": None if self.error is None else {"code": self.error.code, "message": self.error.message},
            "attempt": self.attempt,
            "max_attempts": self.max_attempts,
            "progress": self.progress,
            "executor": self.worker,
            "team_id": self.team_id,
            "user_id": self.user_id,
            "created_at": rfc3339(self.created_at),
            "started_at": rfc3339_or_none(self.started_at),
            "finished_at": rfc3339_or_none(self.finished_at),
        }


class JobFailed(CodedError):
    """Raised by a handler to end its job, or this attempt at it with `retry`."""

    def __init__(self, code: str, message: str, *, retry: bool = False) -> None:
        super().__init__(code, message)
        self.retry = retry


class JobStopped(CodedError):
    """Raised by a handler to end its job as cancelled, with the reason; what `on_stop` gives is kept."""


class RemoteCall(Protocol):
    """One attempt at a job, such as a remote one on the machine of the worker that claimed it."""

    id: str
    kind: str
    #: The payload that the job was enqueued with.
    payload: Any
    #: The number of this attempt, from 1.
    attempt: int

    async def progress(self, fraction: float) -> None:
        """Reports how far the job is, 0 to 1. Cheap enough to call often: not every call is passed on."""


class JobCall(RemoteCall, Protocol):
    """One attempt at a job inside the server, as its handler sees it."""

    org_id: str
    team_id: str
    user_id: str
    #: The id of the worker that the job is bound to, if any.
    bound_to: str | None
    #: The permissions that the credential which asked for the job was limited to; None is no limit.
    scope: frozenset[str] | None
    #: The id of the credential that asked for the job, if it was one.
    asked_with: str | None
    #: The running server.
    host: Host

    def on_success(self, effect: Callable[[Writer], Awaitable[None]]) -> None:
        """Runs `effect` in the transaction that ends the job: both happen, or neither.

        It is the way to an effect that happens exactly once. An attempt that lost its job to another
        never gets there. Other jobs end in the same transaction: an effect that fails is undone alone and
        fails its job. It is called again where the transaction has to be repeated. Keep it short, and wait
        for nothing in it but its writer.
        """

    #: Whether somebody stops the job: its handler was cancelled for it, and has half a second left.
    stopping: bool

    def on_stop(self, produced: Callable[[], Any]) -> None:
        """Sets what gives the result of a job that is stopped: what it has produced until then.

        It is called once at most, when the handler has ended or does not obey; the last one set counts.
        """

    async def principal(self, reader: Reader) -> Principal:
        """Returns whom the job acts as: its user with their present rights, in the scope that asked for it.

        Raises `Forbidden` `no_permission` for a user who is not in the team any more.
        """


RemoteHandler = Callable[[RemoteCall], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job, named `x.<plugin id>.<name>`.

    One with a `handler` runs in the server. One without is remote: a pull worker claims it over HTTP,
    and `validator` judges what it brings back, with a problem in words or False for none. `worker` is
    what `guildhall worker` runs for it on its own machine.

    `payload` is what an enqueued one must carry. `reserves` is taken from the team's quota when it is
    claimed, spent when it succeeds and given back when it does not. A kind that is not `public` is
    enqueued by plugins only, never over the API. While a team has `feature` off, its jobs of this kind wait.

    A `stoppable` one can be stopped while it runs, in the server: its handler is cancelled at what it awaits,
    the job ends as cancelled, and what it gave `on_stop` is its result. One that does not obey loses its job.
    Jobs end with a suspension of whoever asked for them; one that `outlives_person` looks after what they
    left, and goes on.

    `ended` is called in the transaction of every end, however it came: succeeded, failed or cancelled, in
    the server or outside. One that fails is undone alone and logged; the job has ended all the same.
    `ended_together` is the same for all jobs of the kind that end in one transaction, those of a company at a
    time; where it fails it is undone, and called again for each job alone. A kind has one of the two.
    """

    name: str
    doc: str
    _: KW_ONLY
    handler: Callable[[JobCall], Awaitable[Any]] | None = None
    validator: Callable[[Any], str | Literal[False]] | None = None
    worker: RemoteHandler | None = None
    payload: Schema | None = None
    reserves: Mapping[str, int] = field(default_factory=dict)
    max_attempts: int = DEFAULT_MAX_ATTEMPTS
    timeout_seconds: int = 3600
    public: bool = True
    feature: str | None = None
    stoppable: bool = False
    outlives_person: bool = False
    ended: Callable[[Host, Writer, Job], Awaitable[None]] | None = None
    ended_together: Callable[[Host, Writer, Sequence[Job]], Awaitable[None]] | None = None


class JobBinding(NamedTuple):
    """The worker that a job is bound to. `pushed` says that the server runs it, and sends the work there."""

    id: str
    name: str
    pushed: bool = False


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to be enqueued. `run_at` None is at once; a team's jobs of higher priority go first.

    While one with the same `unique_key` waits or runs in the team, asking again gives that one. `bound_to`
    binds it to one worker, and `requirement`, such as the name of a model, to workers that provide it.
    `asked_with` is the id of the credential that asked: one with a scope sees and cancels its own jobs alone.
    `scope` is that scope, and the job acts within it. What a request or another job asks for has the
    credential and the scope of that one by itself; a `scope` that is given narrows it further.

    `within` is the id of a job of the same team that waits for this one: this one goes before those that no
    job waits for, and is cancelled with it.

    `worker` is the name that a job shows which runs in the server and has another do the work.
    """

    kind: str
    org_id: str
    team_id: str
    user_id: str
    payload: Any = None
    _: KW_ONLY
    run_at: int | None = None
    priority: int = 0
    unique_key: str | None = None
    max_attempts: int | None = None
    bound_to: JobBinding | None = None
    requirement: str | None = None
    asked_with: str | None = None
    scope: frozenset[str] | None = None
    within: str | None = None
    worker: str | None = None
