"""The scheduler: enqueueing jobs, looking at them, and running them from outside."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from guildhall_sdk.context import Clock
from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.jobs import Job, JobCall, JobError, JobKind, JobState, NewJob, RemoteHandler
from guildhall_sdk.principal import Credential
from guildhall_sdk.services.identity import IssuedToken


class Jobs(Protocol):
    """The jobs of teams: enqueueing them, and looking at them."""

    def kinds(self) -> Sequence[JobKind]:
        """Returns the kinds of jobs that this server knows."""

    async def enqueue(self, writer: Writer, new: NewJob) -> Job:
        """Enqueues a job in the caller's transaction.

        Raises `UserError` `unknown_kind`, and `InvalidRequest` below `/payload` for one that the kind does
        not take.
        """

    async def enqueue_many(
        self, writer: Writer, new: Sequence[NewJob], *, following: bool = False
    ) -> Sequence[Job]:
        """Enqueues many jobs in the caller's transaction, and returns them in their order.

        `following` is for what follows jobs that end in the same transaction: they take the place of those,
        and are not refused for a full queue. Raises what `enqueue` raises.
        """

    async def enqueue_for_ids(
        self, writer: Writer, new: Sequence[NewJob], *, following: bool = False
    ) -> Sequence[str]:
        """Enqueues many jobs like `enqueue_many`, and returns their ids alone."""

    async def get(self, reader: Reader, team_id: str, job_id: str) -> Job | None:
        """Returns a job of the team, or None where it has no such job."""

    async def wait_for_end(self, team_id: str, job_id: str, seconds: float) -> Job | None:
        """Returns the job once it has ended, or as it is after so many seconds. Not inside a scope.

        A job that waits here gives up its slot, and goes on when there is room for it again.
        """

    async def page(
        self,
        reader: Reader,
        team_id: str,
        *,
        state: JobState | None,
        kind: str | None,
        before: str | None,
        limit: int,
    ) -> Sequence[Job]:
        """Returns the team's jobs, newest first, those older than `before`."""

    async def cancel(self, writer: Writer, team_id: str, job_id: str) -> Job | None:
        """Ends a waiting job. A running one may finish, but is never tried again: look at its state.

        Returns None when the team has no such job.
        """

    async def stop_running(self, writer: Writer, team_id: str, job_id: str) -> Job | None:
        """Stops a running job of a kind that is `stoppable`, in whatever process, soon after the commit.

        What was asked for within it is cancelled, or stopped where it can be. Returns the job as it is, and
        None when the team has no such job. Raises `Conflict` `not_stoppable`.
        """

    async def cancel_waiting(self, writer: Writer, team_id: str, job_ids: Sequence[str]) -> int:
        """Ends those of the jobs that wait, and returns how many; what is claimed or runs is left alone.

        It waits for nobody's lock, so that it can be called while others are held.
        """

    async def cancel_of_person(
        self, writer: Writer, team_id: str, user_id: str, because: JobError, *, stop: bool = False
    ) -> int:
        """Ends what waits of the person's jobs in the team, with this error, and returns how many.

        What runs may finish, but is never tried again; with `stop` it is stopped where its kind can be.
        Kinds that outlive a person are left alone.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodicJob:
    """Jobs that come by themselves, for `declare_periodic_jobs`; `kind` is a kind of the same plugin.

    One is enqueued every so many seconds, or by a `cron` expression of five fields on the clocks of
    `timezone`: for each team that has the plugin on, or with `per="instance"` one in all. However many
    processes there are, each time enqueues one, and none while the one before waits or runs. Times that were
    missed while no server ran are made up for by one. Each acts for its team and for nobody in it: its
    principal holds no permission. A plugin has one of these for a kind.
    """

    kind: str
    every_seconds: int | None = None
    cron: str | None = None
    timezone: str = "UTC"
    per: Literal["team", "instance"] = "team"
    payload: Any = None


class PeriodicJobs(Protocol):
    """What enqueues periodic jobs, in every process; the plugin `schedules` offers it."""

    async def enqueue_due(self) -> int:
        """Enqueues what is due, as the server does by itself; returns how many. Not inside a scope."""


class JobRetention(Protocol):
    """Deletes jobs that ended long ago; for the plugin that says for how long they are kept."""

    async def count(self, reader: Reader, before: int) -> int:
        """Counts the jobs that ended by a time in milliseconds."""

    async def find_ended(self, reader: Reader, before: int, after: str, limit: int) -> tuple[str, int] | None:
        """Looks at the oldest jobs behind the id `after`: the last one's id, and how many ended by then.

        Returns None when there are no more that could have.
        """

    async def delete_ended(self, writer: Writer, before: int, after: str, last: str, limit: int) -> list[str]:
        """Deletes of those behind `after`, up to `last`, at most so many that ended; returns their ids."""


class JobLimits(Protocol):
    """Limits of how many jobs run at once, as the scheduler keeps them.

    The plugin that sells or grants them writes them here. A change waits for the claim that is under way for
    the company, and a claim may wait for its place in the ledger of quotas: change these before anything is
    counted there.
    """

    async def set_company_cap(self, writer: Writer, org_id: str, cap: int | None) -> None:
        """Limits how many jobs of the company run at once; None lifts the limit."""

    async def set_team_cap(self, writer: Writer, team_id: str, cap: int | None) -> None:
        """Limits how many jobs of the team run at once, within what its company may; None lifts the limit."""

    async def set_weight(self, writer: Writer, org_id: str, weight: float) -> None:
        """Sets the company's share of a busy server against the shares of others; 1 where nobody sets it."""

    async def running(self, reader: Reader, org_id: str, team_id: str) -> tuple[int, int]:
        """Counts the jobs of the company that run now, and those of the team."""


class Worker(NamedTuple):
    """A worker that claims jobs: an executor with its token, or a person for their own team."""

    id: str
    name: str
    org_id: str | None = None
    team_id: str | None = None


class Lease(NamedTuple):
    """The time for which a job is held; `expires_at` in milliseconds since the epoch."""

    seconds: int
    expires_at: int


class ClaimedJob(NamedTuple):
    """A job that a worker holds. `claim_token` proves that, until the lease ends."""

    id: str
    kind: str
    payload: Any
    attempt: int
    team_id: str
    lease: Lease
    claim_token: str


class Workers(Protocol):
    """The scheduler as pull workers use it.

    Every call for a job that the worker may not see raises `NotFound`; one with a token that is missing or
    not the current one raises `Conflict` `stale_claim`, and then nothing is changed.
    """

    async def claim(
        self,
        worker: Worker,
        kinds: Sequence[str],
        provides: Sequence[str] | None,
        max_wait: float,
        hung_up: Awaitable[None],
    ) -> ClaimedJob | None:
        """Claims the next job of these kinds; waits `max_wait` seconds for one, or until the caller hung up.

        One with a requirement is given only to a worker that `provides` it, or that says nothing of it.
        """

    async def heartbeat(
        self, worker: Worker, job_id: str, claim_token: str | None, progress: float | None = None
    ) -> Lease:
        """Renews the lease of a job, and notes its progress."""

    async def complete(self, worker: Worker, job_id: str, claim_token: str | None, result: Any) -> None:
        """Ends the job well; a second call with the same token is no error.

        A result that the kind's validator refuses raises `Unprocessable`: the job stays held.
        """

    async def fail(
        self,
        worker: Worker,
        job_id: str,
        claim_token: str | None,
        code: str,
        message: str,
        *,
        retry: bool,
        retry_after: int | None = None,
    ) -> None:
        """Ends the job as failed, or only this attempt with `retry` and attempts left.

        With `retry_after`, in seconds, it is put off for so long and uses up no attempt, 24 hours in all.
        """


class WorkerRegistry(Protocol):
    """The workers that claim jobs with a token of their own."""

    async def register(
        self, writer: Writer, worker: Worker, made_with: Credential | None = None
    ) -> IssuedToken:
        """Issues a worker's token, which opens the worker routes and nothing else, for a company or for all.

        It ends when the worker is retired, or with the API token that it was `made_with`.
        """

    async def retire(self, writer: Writer, worker_id: str) -> None:
        """Ends the token: what the worker holds returns to the queue, and what was bound to its id fails.

        An id that was never registered may have jobs bound to it too; these fail as well.
        """

    async def last_calls(self, reader: Reader, ids: Collection[str]) -> Mapping[str, int]:
        """Returns when each of these workers called last, by its id; without those that never did."""


class PushRunner(Protocol):
    """Runs jobs that are bound to a worker which work is pushed to. Without such a service they wait."""

    async def run(self, job: JobCall) -> Any:
        """Runs the job and returns its result. Not inside a scope.

        Raises `JobFailed`, and whatever a handler may raise.
        """


class NewJobEvent(NamedTuple):
    """One event: its name, and data that is JSON."""

    event: str
    data: Mapping[str, Any]


class JobEvents(Protocol):
    """Appends to what `GET /api/jobs/:id/events` sends; its followers are woken in every process.

    Events are kept as long as their job. `done` and `error` end a stream; a job that ends without one of
    them is told of by a `done` with the job itself.
    """

    async def begin(self, writer: Writer, job: JobCall) -> None:
        """Begins an attempt: what an earlier one said goes, and `restart` tells its followers so.

        Call it before the first `append` of a handler. An earlier attempt that still runs appends nothing
        from here on.
        """

    async def append(self, writer: Writer, job: JobCall | Job, events: Sequence[NewJobEvent]) -> None:
        """Adds events in their order: of the attempt that runs, or in `JobKind.ended` of the job.

        Call it now and then with several, not for each word of a model. Raises `Conflict` `stale_claim` for
        an attempt after which another has begun, or whose job has ended.
        """


@dataclass(frozen=True, slots=True)
class WorkerModel:
    """A model behind an OpenAI-compatible endpoint that a worker reaches itself; the url has its `/v1`."""

    name: str
    url: str
    key: str | None = field(default=None, repr=False)


class LocalWorkers(Protocol):
    """Runs in this process what `guildhall worker` runs on another machine, for the test harness."""

    def running(
        self,
        url: str,
        token: str,
        clock: Clock,
        *,
        kinds: Sequence[str] | None = None,
        slots: int = 1,
        model: WorkerModel | None = None,
    ) -> AbstractAsyncContextManager[None]:
        """Runs a worker for the server at this address until the block ends; it finishes what it holds.

        Without `kinds` it runs all that have a worker, and with a model also turns of it.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRunner:
    """Tells how a worker runs turns of a model that it reaches itself.

    `handler(url, key)` runs jobs of `kind` with the model at this address, the `/v1` included.
    """

    kind: str
    timeout_seconds: int
    handler: Callable[[str, str | None], RemoteHandler]
