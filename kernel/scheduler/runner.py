"""Running jobs inside this process: a slot each, leases renewed together, an end that is reported."""

import asyncio
import json
from collections.abc import Callable, Collection
from typing import Any

from guildhall_sdk import Forbidden, Host, Principal, Reader, Row, Unavailable
from guildhall_sdk.jobs import JobHandler, JobScope, JobStopped, running_job
from guildhall_sdk.services.identity import Credentials
from kernel.db.accounts import current_account, job_of
from kernel.identity.acting import acting_credential, credential_of_job
from kernel.logs import get_logger
from kernel.scheduler.callbacks import Effect, at_depth
from kernel.scheduler.completion import (
    CompletionWriter,
    End,
    ReportOutcome,
    completed,
    end_of_fault,
    stopped,
)
from kernel.scheduler.core import Core
from kernel.scheduler.leases import Leases
from kernel.scheduler.rows import scope_of
from libs.deadlines import Deadlines

_log = get_logger("jobs")
_PROGRESS_EVERY_MS = 500
_REPORT_AGAIN_SECONDS = 0.5
_REPORT_ATTEMPTS = 120
_STOP_SECONDS = 1.0
# What a handler has to end in once it is cancelled: the job has ended within a second of the request.
_OBEY_SECONDS = 0.7
_WITHOUT_PLUGIN_MS = 60_000


class RunningJob:
    """One attempt; the SDK's `JobCall`."""

    def __init__(self, host: Host, leases: Leases, row: Row) -> None:
        self.host = host
        self._leases = leases
        self.id, self.kind, self.attempt = row["id"], row["kind"], row["attempt"]
        self.org_id, self.team_id, self.user_id = row["org_id"], row["team_id"], row["user_id"]
        self.bound_to, self.asked_with, self.scope = row["bound_to"], row["asked_with"], scope_of(row)
        self.token, self.depth = row["claim_token"], row["depth"]
        self.payload = json.loads(row["payload"])
        self.effect: Effect | None = None
        self.produced: Callable[[], Any] | None = None
        self.reached: float | None = None
        self.reporting = self.stopping = False
        #: How many of its waits for others are under way, and what tells it that it has its slot again.
        self.waits = 0
        self.has_slot = True
        self.slot_back: asyncio.Event | None = None
        self._written_at = 0

    async def progress(self, fraction: float) -> None:
        self.reached = min(1.0, max(0.0, float(fraction)))
        now = self.host.clock.steady_ms()
        if now - self._written_at >= _PROGRESS_EVERY_MS:
            self._written_at = now
            await self._leases.extend([(self.id, self.token, self.reached)])

    def on_success(self, effect: Effect) -> None:
        if self.effect is not None:
            raise RuntimeError("a job has one effect; do all of it there")
        self.effect = at_depth(self.depth, effect)

    def on_stop(self, produced: Callable[[], Any]) -> None:
        self.produced = produced

    async def principal(self, reader: Reader) -> Principal:
        acting = await self.host.service(Credentials).acting(
            reader,
            user_id=self.user_id,
            team_id=self.team_id,
            scope=self.scope,
            asked_with=self.asked_with,
        )
        if acting is None:
            raise Forbidden("Whoever asked for this is not in the team any more.", code="no_permission")
        return acting

    def let_go_on(self, *, has_slot: bool) -> None:
        """Ends the wait for a slot: there is one, or it is not wanted any more."""
        slot_back, self.slot_back, self.has_slot = self.slot_back, None, has_slot
        if slot_back is not None:
            slot_back.set()


class Runner:
    """The slots of one pool of this process."""

    def __init__(
        self,
        core: Core,
        endings: CompletionWriter,
        leases: Leases,
        slots: int,
        handler: JobHandler | None = None,
    ) -> None:
        """With a `handler` it runs jobs of every kind."""
        self._core = core
        self._endings = endings
        self._leases = leases
        self._slots = slots
        self._handler = handler
        self.begun = 0
        self._tasks: dict[RunningJob, asyncio.Task[None]] = {}
        self._deadlines = Deadlines()
        self._endings_under_way: set[asyncio.Task[None]] = set()

    @property
    def free(self) -> int:
        return self._slots - len(self._tasks)

    @property
    def given_up(self) -> int:
        """Slots of jobs that wait for others: these may have them when no other slot is free."""
        if self.free > 0:
            return 0
        return self._slots - sum(job.has_slot or job.slot_back is not None for job in self._tasks)

    @property
    def free_for_resumed(self) -> int:
        """Slots that nobody works in."""
        return self._slots - sum(job.has_slot for job in self._tasks)

    @property
    def held(self) -> list[RunningJob]:
        return list(self._tasks)

    def find(self, job_id: str | None) -> RunningJob | None:
        return next((job for job in self._tasks if job.id == job_id), None)

    def start(self, row: Row) -> None:
        job = RunningJob(self._core.host_of(row["kind"]), self._leases, row)
        task = asyncio.create_task(self._run(job), name=job.id)
        self.begun += 1
        self._tasks[job] = task
        task.add_done_callback(lambda _: self._leave(job))

    def drop(self, job: RunningJob) -> None:
        """Cancels a job that is somebody else's by now: whatever it still does lands nowhere.

        One that reports its end finds out by itself; it may just have landed.
        """
        if (task := self._tasks.get(job)) and not job.reporting:
            task.cancel()

    def stoppable(self) -> list[str]:
        """Returns the ids of those that may still be stopped."""
        return [job.id for job in self._tasks if self._may_stop(job)]

    def stop(self, job_ids: Collection[str]) -> None:
        """Stops what of these runs here; one that does not obey is ended without its handler."""
        for job, task in self._tasks.items():
            if job.id in job_ids and self._may_stop(job):
                job.stopping = True
                task.cancel()
                ending = asyncio.create_task(self._end_unless_obeyed(job, task))
                self._endings_under_way.add(ending)
                ending.add_done_callback(self._endings_under_way.discard)

    def _may_stop(self, job: RunningJob) -> bool:
        kind = self._core.kinds.get(job.kind)
        return kind is not None and kind.stoppable and not (job.stopping or job.reporting)

    async def _end_unless_obeyed(self, job: RunningJob, task: "asyncio.Task[None]") -> None:
        await asyncio.wait({task}, timeout=_OBEY_SECONDS)
        if not job.reporting:  # it may also have been cancelled before its first step
            _log.warning("job.does_not_stop", job=job.id, kind=job.kind)
            await self._report(job, await stopped(job.id, job.token, job.produced))

    async def wind_down(self, seconds: float) -> list[RunningJob]:
        """Lets jobs finish for so long, stops the rest and gives them."""
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()), timeout=seconds)
        stopped = dict(self._tasks)
        for task in stopped.values():
            task.cancel()
        if stopped:
            # One that does not let itself be stopped loses its job like any that is lost.
            await asyncio.wait(list(stopped.values()), timeout=_STOP_SECONDS)
        return list(stopped)

    async def idle(self) -> None:
        while self._tasks:
            await asyncio.wait(list(self._tasks.values()))

    def _leave(self, job: RunningJob) -> None:
        was_full = self.free <= 0
        del self._tasks[job]
        if was_full:  # where slots were free before, jobs wait for room and not for a slot
            self._core.signals.freed()

    async def _run(self, job: RunningJob) -> None:
        current_account.set(job_of(job.org_id))
        acting_credential.set(credential_of_job(job.asked_with, job.scope))
        running_job.set(JobScope(id=job.id, progress=job.progress, depth=job.depth))
        await self._report(job, await self._attempt(job))

    async def _report(self, job: RunningJob, end: End) -> None:
        job.reporting = True
        effect = job.effect if end.verb == "complete" else None
        for _ in range(_REPORT_ATTEMPTS):
            try:
                outcome = await self._endings.report(end, effect, job.kind)
            except Unavailable:
                await asyncio.sleep(_REPORT_AGAIN_SECONDS)
                continue
            except Exception as error:
                end, effect = end_of_fault(job.id, job.token, error), None
                continue
            if outcome is ReportOutcome.STALE:
                _log.warning("job.stale", job=job.id, kind=job.kind, attempt=job.attempt)
            return
        _log.error("job.unreported", job=job.id, kind=job.kind)

    async def _attempt(self, job: RunningJob) -> End:
        kind = self._core.kinds.get(job.kind) or self._core.events.kind_of_another(job.kind)
        handler = self._handler or (kind.handler if kind is not None else None)
        if kind is None or handler is None:
            # Its plugin may be back soon, or be there in another process.
            return End(
                job.id,
                job.token,
                "put_off",
                code="unknown_kind",
                message="No plugin here runs this kind of job.",
                wait_ms=_WITHOUT_PLUGIN_MS,
            )
        task = self._tasks[job]
        self._deadlines.begin(task, kind.timeout_seconds)
        try:
            result = await handler(job)
        except (Exception, SystemExit, asyncio.CancelledError) as error:
            too_long = self._deadlines.end(task)
            if job.stopping and task.uncancel() == 0:
                return await stopped(job.id, job.token, job.produced)
            if isinstance(error, JobStopped):
                return await stopped(job.id, job.token, job.produced, error.code, error.message)
            if isinstance(error, asyncio.CancelledError) and task.cancelling():
                raise  # the job itself, not something that its handler waited for
            if not too_long:
                return end_of_fault(job.id, job.token, error)
            message = f"It took longer than {kind.timeout_seconds} s."
            return End(job.id, job.token, "fail", code="timeout", message=message, retry=True)
        self._deadlines.end(task)
        if job.stopping and task.uncancel() == 0:
            return await stopped(job.id, job.token, job.produced or (lambda: result))
        try:
            return await completed(job.id, job.token, result)
        except Exception as error:
            return end_of_fault(job.id, job.token, error)
