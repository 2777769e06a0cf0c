"""Running jobs inside this process: a slot each, leases renewed together, an end that is reported."""

import asyncio
import json
from collections.abc import Callable, Collection, Sequence
from typing import Any

from guildhall_sdk import Forbidden, Host, JobFailed, Principal, Problem, Reader, Row, Unavailable
from guildhall_sdk.errors import RetryLater
from guildhall_sdk.jobs import JobScope, JobStopped, running_job
from guildhall_sdk.services.identity import AuthorityEnded, Credentials
from guildhall_sdk.services.jobs import PushRunner
from guildhall_sdk.services.server import Tracing
from kernel.logs import get_logger
from kernel.scheduler.callbacks import Effect
from kernel.scheduler.completion import CompletionWriter, End, ReportOutcome, Verb
from kernel.scheduler.core import Core
from kernel.scheduler.lanes import capacity_in
from kernel.scheduler.rows import scope_of
from kernel.scheduler.statements import as_keys, sql
from kernel.scope import Scope, change_scope, credential_of_job, current_scope, job_of
from libs.coordination import PausableSlots, SlotHolder, TaskSet
from libs.deadlines import Deadlines
from libs.fair_queue import Capacity

_log = get_logger("jobs")
_PROGRESS_EVERY_MS = 500
_REPORT_AGAIN_SECONDS = 0.5
_REPORT_ATTEMPTS = 120
# What a handler has to end in once it is cancelled: the job has ended within a second of the request.
_OBEY_SECONDS = 0.7
_WITHOUT_PLUGIN_MS = 60_000
# The values of a job's column `waiting`.
_WORKS, _WAITS, _WANTS_BACK = 0, 1, 2


class RunningJob(SlotHolder):
    """One attempt; the SDK's `JobCall`."""

    def __init__(self, core: Core, row: Row) -> None:
        super().__init__()
        self._core = core
        self.host: Host = core.host_of(row["kind"])
        self.id, self.kind, self.attempt = row["id"], row["kind"], row["attempt"]
        self.org_id, self.team_id, self.user_id = row["org_id"], row["team_id"], row["user_id"]
        self.bound_to, self.asked_with, self.scope = row["bound_to"], row["asked_with"], scope_of(row)
        who = {"user_id": self.user_id, "team_id": self.team_id}
        self._authority = {**who, "scope": self.scope, "asked_with": self.asked_with}
        self.token, self.depth, self.trace = row["claim_token"], row["depth"], row.get("trace")
        self.payload = json.loads(row["payload"])
        self.effect: Effect | None = None
        self.produced: Callable[[], Any] | None = None
        self.reached: float | None = None
        self.reporting = self.stopping = False
        self._written_at = 0

    async def progress(self, fraction: float) -> None:
        self.reached = min(1.0, max(0.0, float(fraction)))
        now = self.host.clock.steady_ms()
        if now - self._written_at >= _PROGRESS_EVERY_MS:
            self._written_at = now
            await self._core.extend_leases([(self.id, self.token, self.reached)])

    def on_success(self, effect: Effect) -> None:
        if self.effect is not None:
            raise RuntimeError("a job has one effect; do all of it there")
        self.effect = effect

    def on_stop(self, produced: Callable[[], Any]) -> None:
        self.produced = produced

    async def principal(self, reader: Reader) -> Principal:
        acting = await self.host.service(Credentials).acting(reader, **self._authority)
        if acting is None:
            raise Forbidden("Whoever asked for this is not in the team any more.", code="no_permission")
        return acting

    def end(self, verb: Verb, **more: Any) -> End:
        return End(self.id, self.token, verb, **more)

    def failed(self, error: BaseException) -> End:
        """Makes the report of an attempt that raised: a person's mistake is final, else it is retried."""
        if isinstance(error, JobFailed):
            return self.end("fail", code=error.code, message=error.message, retry=error.retry)
        if isinstance(error, RetryLater):
            wait = 1000 * error.retry_after_seconds
            return self.end("put_off", code=error.code, message=error.detail, wait_ms=wait)
        if isinstance(error, Problem):
            return self.end("fail", code=error.code, message=error.detail, retry=error.status >= 500)
        _log.error("job.failed", exc=error, job=self.id)
        message = "Something went wrong; the server's log tells more under the id of this job."
        return self.end("fail", code="internal", message=message, retry=True)

    async def stopped(self, produced: Callable[[], Any] | None, **error: str) -> End:
        """Makes the report of a job that was stopped, with what it has produced where that can be stored."""
        result = None
        if produced is not None:
            try:
                result = (await End.of_result(self.id, self.token, produced())).result
            except Exception as fault:
                _log.error("job.nothing_kept", exc=fault, job=self.id)
        return self.end("stop", result=result, **(error or await self._reason()))

    async def _reason(self) -> dict[str, str]:
        """Returns the error of a job whose asker would not be let in any more, else nothing."""
        try:
            async with self._core.data.read() as reader:
                await self.host.service(Credentials).reauthorize(reader, **self._authority)
        except AuthorityEnded as ended:
            return {"code": ended.code, "message": ended.message}
        except Exception as fault:  # it ends without its reason rather than not at all
            _log.error("job.no_reason", exc=fault, job=self.id)
        return {}


class Runner(PausableSlots[RunningJob]):
    """The slots of one pool of this process.

    A job that waits for others gives up its slot meanwhile: what counts under the limits of team and company
    is who works. One that wants its slot back goes before any job that waits to be claimed, in whatever
    process.
    """

    def __init__(self, core: Core, endings: CompletionWriter, slots: int) -> None:
        # Where slots were free before, jobs wait for room and not for a slot.
        super().__init__(slots, core.signals.changed)
        self._core = core
        self._endings = endings
        self._deadlines = Deadlines()
        self._endings_under_way = TaskSet()

    def find(self, job_id: str | None) -> RunningJob | None:
        return next((job for job in self._tasks if job.id == job_id), None)

    def start(self, row: Row) -> None:
        job = RunningJob(self._core, row)
        self.run(job, self._run(job), job.id)

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
                self._endings_under_way.start(self._end_unless_obeyed(job, task))

    def _may_stop(self, job: RunningJob) -> bool:
        kind = self._core.kinds.get(job.kind)
        return kind is not None and kind.stoppable and not (job.stopping or job.reporting)

    async def _end_unless_obeyed(self, job: RunningJob, task: "asyncio.Task[None]") -> None:
        await asyncio.wait({task}, timeout=_OBEY_SECONDS)
        if not job.reporting:  # it may also have been cancelled before its first step
            _log.warning("job.does_not_stop", job=job.id, kind=job.kind)
            await self._report(job, await job.stopped(job.produced))

    async def note_given_up(self, job: RunningJob) -> None:
        # What it is for ends with this process: nobody waits until the disk has it.
        async with self._core.data.write(durable=False) as writer:
            await writer.run(sql.set_waiting, id=job.id, token=job.token, waiting=_WAITS)
            await self._core.blocked.clear(writer, [{"team_id": job.team_id, "org_id": job.org_id}])
            writer.after_commit(self._core.signals.arrived)

    async def choose_resumed(self, wanting: Sequence[RunningJob]) -> Sequence[RunningJob]:
        """Chooses those whose team and company have room; the others are in the way of claims."""
        async with self._core.data.write(durable=False) as writer:
            await writer.all(sql.lock_companies, companies=as_keys(job.org_id for job in wanting))
            left: dict[str, Capacity] = {}
            for row in await writer.all(sql.capacities_left, teams=as_keys(job.team_id for job in wanting)):
                left |= {row["team_id"]: capacity_in(row, "team"), row["org_id"]: capacity_in(row, "org")}
            resumed: list[RunningJob] = []
            free = self.unworked
            for job in wanting:
                has_capacity = len(resumed) < free and left[job.team_id].all > 0 and left[job.org_id].all > 0
                state = _WORKS if has_capacity else _WANTS_BACK
                known = await writer.all(sql.set_waiting, id=job.id, token=job.token, waiting=state)
                if has_capacity or not known:  # one that is somebody else's by now finds out by itself
                    resumed.append(job)
                    left |= {one: left[one].less(awaited=True) for one in (job.team_id, job.org_id)}
        return resumed

    async def _run(self, job: RunningJob) -> None:
        credential = credential_of_job(job.asked_with, job.scope)
        current_scope.set(Scope(account=job_of(job.org_id), credential=credential, trace=job.trace))
        running_job.set(JobScope(id=job.id, progress=job.progress, depth=job.depth))
        tracing = self._core.host.find_service(Tracing)
        if tracing is None:
            await self._report(job, await self._attempt(job))
            return
        attributes = {"guildhall.job": job.id, "guildhall.attempt": job.attempt}
        with tracing.span(f"job {job.kind}", parent=job.trace, attributes=attributes):
            change_scope(trace=tracing.current())
            end = await self._attempt(job)
            tracing.describe(f"job {job.kind}", {"guildhall.end": end.verb}, failed=end.verb == "fail")
        await self._report(job, end)  # whoever hears of the end finds the span ended too

    async def _report(self, job: RunningJob, end: End) -> None:
        job.reporting = True
        effect = job.effect if end.verb == "complete" else None
        for _ in range(_REPORT_ATTEMPTS):
            try:
                outcome = await self._endings.report(end, effect, job.kind)
            except Unavailable:
                await asyncio.sleep(_REPORT_AGAIN_SECONDS)
            except Exception as error:
                end, effect = job.failed(error), None
            else:
                if outcome is ReportOutcome.STALE:
                    _log.warning("job.stale", job=job.id, kind=job.kind, attempt=job.attempt)
                return
        _log.error("job.unreported", job=job.id, kind=job.kind)

    async def _attempt(self, job: RunningJob) -> End:
        kind = self._core.kinds.get(job.kind) or self._core.events.kind_of_another(job.kind)
        if kind is None:
            # Its plugin may be back soon, or be there in another process.
            message = "No plugin here runs this kind of job."
            return job.end("put_off", code="unknown_kind", message=message, wait_ms=_WITHOUT_PLUGIN_MS)
        task = self._tasks[job]
        self._deadlines.begin(task, kind.timeout_seconds)
        try:
            # What is remote and comes here is pushed to whoever it is bound to.
            result = await (kind.handler or self._core.host.service(PushRunner).run)(job)
            self._deadlines.end(task)
            if job.stopping and task.uncancel() == 0:
                return await job.stopped(job.produced or (lambda: result))
            return await End.of_result(job.id, job.token, result)
        except (Exception, SystemExit, asyncio.CancelledError) as error:
            too_long = self._deadlines.end(task)
            if job.stopping and task.uncancel() == 0:
                return await job.stopped(job.produced)
            if isinstance(error, JobStopped):
                return await job.stopped(job.produced, code=error.code, message=error.message)
            if isinstance(error, asyncio.CancelledError) and task.cancelling():
                raise  # the job itself, not something that its handler waited for
            if not too_long:
                return job.failed(error)
            message = f"It took longer than {kind.timeout_seconds} s."
            return job.end("fail", code="timeout", message=message, retry=True)
