"""The scheduler: one per process, put together here."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from guildhall_sdk import Host, Job, JobKind, Reader
from guildhall_sdk.jobs import JobState, running_job
from guildhall_sdk.metrics import Measure, Measured, measured_by, measured_from
from guildhall_sdk.services.jobs import Jobs, PushRunner, WorkerRegistry, Workers
from kernel.db.database import Database
from kernel.scheduler.claim import Claim, Claimant
from kernel.scheduler.claim_loop import ClaimLoop, Slots
from kernel.scheduler.completion import CompletionWriter
from kernel.scheduler.core import Core, JobEvents, Signals
from kernel.scheduler.lanes import BlockedLanes, KindSwitches, Parking
from kernel.scheduler.queue import JobQueue
from kernel.scheduler.rescue import DeadProcessRecovery, Heartbeat, Renewal, Upkeep
from kernel.scheduler.rows import LOCAL_POOL, PUSH_POOL, job_of
from kernel.scheduler.runner import Runner
from kernel.scheduler.statements import sql
from kernel.scheduler.workers import PullWorkers

LOCAL_SLOTS, PUSH_SLOTS = 128, 16
GRACE_SECONDS = 3.0
_AFTER_EVERY_ID = "~"


class Scheduler(JobQueue):
    """Implements the SDK's `Jobs`; `workers` implements its `Workers`."""

    def __init__(
        self,
        host: Host,
        data: Database,
        kinds: Sequence[JobKind],
        *,
        lease_seconds: int,
        events: JobEvents,
        hosts: Mapping[str, Host],
        switches: KindSwitches,
    ) -> None:
        """Takes the kinds; `hosts` are those of their plugins, by kind."""
        core = Core(
            host=host,
            data=data,
            kinds={kind.name: kind for kind in kinds},
            hosts=hosts,
            events=events,
            lease_ms=lease_seconds * 1000,
            signals=Signals(data),
            blocked=BlockedLanes(data),
        )
        self.signals = core.signals
        endings = CompletionWriter(core)
        self._local = Runner(core, endings, LOCAL_SLOTS)
        self._push = Runner(core, endings, PUSH_SLOTS)
        super().__init__(core, endings, self._local)
        self.renewal = Renewal(core, (self._local, self._push))
        self.heartbeat = Heartbeat(core, self.renewal)
        parking = Parking(data, core.signals.changed, switches)
        self.claims = Claim(core, self.heartbeat, parking)
        self.claimer = ClaimLoop(core, self.claims, endings, self._slots(), self._local)
        self.workers = PullWorkers(core, self.claimer, endings)
        self.recovery = DeadProcessRecovery(core, self.heartbeat, endings)
        self.upkeep = Upkeep(core, endings, self.renewal, self.recovery, parking)

    def _slots(self) -> Mapping[Claimant, Slots]:
        local = Claimant("exe_local", "local", (LOCAL_POOL,), in_process=True)
        return {
            local: Slots(lambda: self._local.free, self._local.start),
            # When no other slot is free, those of jobs that wait, for what others wait for alone.
            replace(local, awaited_only=True): Slots(lambda: self._local.given_up, self._local.start),
            Claimant("exe_push", "push", (PUSH_POOL,), in_process=True): Slots(
                lambda: 0 if self.core.host.find_service(PushRunner) is None else self._push.free,
                self._push.start,
            ),
        }

    def services(self) -> Mapping[type[Any], Any]:
        return {Jobs: self, Workers: self.workers, WorkerRegistry: self.workers}

    async def start(self) -> None:
        if not self.core.data.shared_by_processes:
            await self.upkeep.take_up_left_over()
        await self.signals.start()
        await self.heartbeat.start()
        self.claimer.loop.start()
        self.renewal.loop.start()
        self.upkeep.loop.start()
        await self._stops.start()
        self.signals.changed()

    async def wind_down(self, seconds: float = GRACE_SECONDS) -> None:
        """Claims no more, answers those who wait, lets jobs finish a while and gives the rest back."""
        self.signals.end_watch.close()
        await self.claimer.stop()
        stopped = [job for runner in (self._local, self._push) for job in await runner.wind_down(seconds)]
        if stopped:
            await self.claimer.give_back([{"id": job.id, "claim_token": job.token} for job in stopped])
        await self._endings.settled()

    async def stop(self) -> None:
        try:
            await self.wind_down()
        finally:
            for part in (self._stops, self.upkeep.loop, self.renewal.loop, self.heartbeat, self.signals):
                await part.stop()

    def measures(self) -> Mapping[str, Measure]:
        """Returns what an operator can watch of the jobs, and of the processes that run them."""

        async def longest_wait(host: Host, reader: Reader) -> Measured:
            waited = await reader.value(sql.longest_wait, wall=self.core.wall)
            return {(): max(0, waited or 0) / 1000}

        async def processes(host: Host, reader: Reader) -> Measured:
            return {(): 1 if self.heartbeat.id is None else await reader.value(sql.count_processes)}

        return {
            "guildhall_jobs": measured_by(sql.live_by_kind),
            "guildhall_jobs_wait_seconds": longest_wait,
            "guildhall_job_attempts_total": measured_from(lambda: self.signals.outcomes),
            "guildhall_processes": processes,
        }

    def withdraw(self, kinds: Iterable[JobKind]) -> None:
        """Removes kinds before the start, as the plugin that brought them is not there after all."""
        for kind in kinds:
            self.core.kinds.pop(kind.name, None)

    def kinds(self) -> Sequence[JobKind]:
        return tuple(self.core.kinds.values())

    async def wait_for_end(self, team_id: str, job_id: str, seconds: float) -> Job | None:
        async def read() -> Job | None:
            async with self.core.data.read() as reader:
                return await self.get(reader, team_id, job_id)

        def is_over(job: Job | None) -> bool:
            return job is None or job.ended

        waits = partial(self._local.slot_given_up, self._local.find(running_job.get().id))
        return await self.signals.end_watch.wait(job_id, read, is_over, seconds, waits)

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
        """Reads a page by the statement that has an index for these filters."""
        which = {None: "jobs", "queued": "waiting", "running": "running"}.get(state, "ended")
        by_kind = "" if kind is None or which == "running" else "_by_kind"
        filters = {"team_id": team_id, "state": state, "kind": kind, "before": before or _AFTER_EVERY_ID}
        rows = await reader.all(getattr(sql, f"page_of_{which}{by_kind}"), **filters, limit=limit)
        return [job_of(row) for row in rows]
