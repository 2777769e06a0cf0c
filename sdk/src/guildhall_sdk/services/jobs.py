"""The scheduler: asking for jobs, looking at them, and doing them from outside."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.jobs import Job, JobCall, JobKind, JobState, NewJob
from guildhall_sdk.principal import Credential
from guildhall_sdk.services.identity import IssuedToken
from guildhall_sdk.services.quotas import Reservation


class Jobs(Protocol):
    """Asking for jobs, and looking at those of a team."""

    def kinds(self) -> Sequence[JobKind]: ...

    async def enqueue(self, writer: Writer, new: NewJob) -> Job:
        """Commits or vanishes with the caller's transaction.

        Raises `UserError` `unknown_kind`, and `InvalidRequest` below `/payload` for one that the kind
        does not take.
        """
        ...

    async def enqueue_many(self, writer: Writer, new: Sequence[NewJob]) -> Sequence[Job]:
        """The same for many at a time, in their order."""
        ...

    async def get(self, reader: Reader, team_id: str, job_id: str) -> Job | None: ...

    async def wait_for_end(self, team_id: str, job_id: str, seconds: float) -> Job | None:
        """The job once it has ended, or as it is after so long. Not inside a scope."""
        ...

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
        """The team's jobs, newest first, those older than `before`."""
        ...

    async def cancel(self, writer: Writer, team_id: str, job_id: str) -> Job | None:
        """Ends a waiting job. A running one is let finish but never tried again: look at its state.

        None when the team has no such job.
        """
        ...


class JobLimits(Protocol):
    """How many jobs run at once, as the scheduler keeps it; whoever sells or grants it writes it here.

    A change waits for the claim that is under way for the company, and a claim may wait for its place in the
    ledger of quotas: change these before anything is counted there.
    """

    async def set_company_cap(self, writer: Writer, org_id: str, cap: int | None) -> None:
        """Limits how many jobs of the company run at once; None lifts the limit."""
        ...

    async def set_team_cap(self, writer: Writer, team_id: str, cap: int | None) -> None:
        """Limits how many jobs of the team run at once, within what its company may; None lifts the limit."""
        ...

    async def set_weight(self, writer: Writer, org_id: str, weight: float) -> None:
        """Sets the company's share of a busy server against the shares of others; 1 where nobody sets it."""
        ...

    async def running(self, reader: Reader, org_id: str, team_id: str) -> tuple[int, int]:
        """Counts the jobs of the company that run now, and those of the team."""
        ...


@dataclass(frozen=True, slots=True)
class Worker:
    """Who claims: an executor with its token, for all companies or one, or a person for their own team."""

    id: str
    name: str
    org_id: str | None = None
    team_id: str | None = None


@dataclass(frozen=True, slots=True)
class Lease:
    """For how long a job is held; `expires_at` in milliseconds since the epoch."""

    seconds: int
    expires_at: int


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """A job in somebody's hands. Whoever shows `claim_token` before the lease ends is believed."""

    id: str
    kind: str
    payload: Any
    attempt: int
    team_id: str
    lease: Lease
    claim_token: str


class Workers(Protocol):
    """The scheduler as pull workers meet it.

    Of a job that the worker may not see every call raises `NotFound`; with a token that is missing or
    not the current one `Conflict` `stale_claim`, and then nothing is changed.
    """

    async def claim(
        self,
        worker: Worker,
        kinds: Sequence[str],
        provides: Sequence[str] | None,
        max_wait: float,
        hung_up: Awaitable[None],
    ) -> ClaimedJob | None:
        """The next job of these kinds; waits for one for `max_wait` seconds, or until the caller hung up.

        One with a requirement is given only to a worker that `provides` it, or that says nothing of it.
        """
        ...

    async def heartbeat(
        self, worker: Worker, job_id: str, claim_token: str | None, progress: float | None = None
    ) -> Lease: ...

    async def complete(self, worker: Worker, job_id: str, claim_token: str | None, result: Any) -> None:
        """Ends the job well; again with the same token is no error.

        A result that the kind's validator refuses raises `Unprocessable`: the job stays held.
        """
        ...

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
        """Ends the job badly, or only this attempt with `retry` and attempts left.

        With `retry_after`, in seconds, it is put off for so long and uses up no attempt, 24 hours in all.
        """
        ...


class WorkerRegistry(Protocol):
    """Who may claim jobs with a token of their own, as the scheduler knows them."""

    async def register(
        self,
        writer: Writer,
        worker_id: str,
        name: str,
        *,
        org_id: str | None = None,
        made_with: Credential | None = None,
    ) -> IssuedToken:
        """Issues a worker's token, which opens the worker routes and nothing else, for a company or for all.

        It ends when the worker is retired, or with the API token that it was `made_with`.
        """
        ...

    async def retire(self, writer: Writer, worker_id: str) -> None:
        """Ends the token: what the worker holds returns to the queue, and what was bound to its id fails.

        An id that was never registered may have jobs bound to it too; these fail likewise.
        """
        ...

    async def last_calls(self, reader: Reader, org_id: str | None = None) -> Mapping[str, int]:
        """When each worker called last, by its id; of those that a company may use, or of all."""
        ...


class JobReservations(Protocol):
    """Counts what kinds of jobs reserve; offered by the plugin that keeps limits.

    Each call holds the company's place until the transaction ends.
    """

    async def reserve(
        self, writer: Writer, org_id: str, team_id: str, amounts: Mapping[str, int], ttl_ms: int
    ) -> Reservation:
        """Sets aside all of the amounts or nothing. Raises `TooManyRequests`."""
        ...

    async def settle(self, writer: Writer, reservation: Reservation) -> None:
        """Ends a reservation whose amounts were used."""
        ...

    async def release(self, writer: Writer, reservation: Reservation) -> None:
        """Ends a reservation and gives its amounts back."""
        ...


class PushRunner(Protocol):
    """Runs jobs that are bound to a worker which work is pushed to. Without one they wait."""

    async def run(self, job: JobCall) -> Any:
        """The result of the job. Not inside a scope. Raises `JobFailed` and whatever a handler may raise."""
        ...
