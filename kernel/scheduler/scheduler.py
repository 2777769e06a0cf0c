"""The scheduler: one per process, put together here."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from typing import Any

from guildhall_sdk import Host, Job, JobCall, JobKind, Metric, Reader
from guildhall_sdk.jobs import JobState, running_job
from guildhall_sdk.services.jobs import Jobs, PushRunner, WorkerRegistry, Workers
from kernel.db import Database
from kernel.scheduler.cancelling import Cancelling
from kernel.scheduler.claim import Claim, Claimant
from kernel.scheduler.claim_loop import ClaimLoop, Slots
from kernel.scheduler.completion import CompletionWriter
from kernel.scheduler.core import Core, JobEvents
from kernel.scheduler.enqueue import Enqueueing
from kernel.scheduler.lanes import BlockedLanes
from kernel.scheduler.leases import Leases, LeaseTime
from kernel.scheduler.parking import KindSwitches, Parking
from kernel.scheduler.presence import DeadProcessRecovery, Heartbeat, Renewal
from kernel.scheduler.reservations import Reservations
from kernel.scheduler.rows import LOCAL_POOL, PUSH_POOL, job_of
from kernel.scheduler.runner import Runner
from kernel.scheduler.signals import Signals
from kernel.scheduler.statements import LeaseClock, page_filtered_by
from kernel.scheduler.upkeep import Upkeep
from kernel.scheduler.waiting_jobs import WaitingJobs
from kernel.scheduler.workers import RegisteredWorkers, WorkerApi

LOCAL_SLOTS, PUSH_SLOTS = 128, 16
GRACE_SECONDS = 3.0
_AFTER_EVERY_ID = "~"


class Scheduler(Enqueueing, Cancelling):
    """Implements the SDK's `Jobs`; `worker_api` implements its `Workers`."""

    def __init__(
        self,
        host: Host,
        data: Database,
        kinds: Sequence[JobKind],
        *,
        lease_seconds: int,
        events: JobEvents | None = None,
        hosts: Mapping[str, Host] | None = None,
        switches: KindSwitches | None = None,
    ) -> None:
        """Takes the kinds; `hosts` are those of their plugins, by kind."""
        time = LeaseClock(host.clock, data.dialect)
        core = Core(
            host=host,
            data=data,
            kinds={kind.name: kind for kind in kinds},
            hosts=hosts or {},
            events=events or JobEvents(),
            time=time,
            lease_ms=lease_seconds * 1000,
            signals=Signals(data, time),
            blocked=BlockedLanes(data),
        )
        self.signals = core.signals
        leases, lease_time, reservations = Leases(core), LeaseTime(core), Reservations(core)
        endings = CompletionWriter(core, reservations)
        self._local = Runner(core, endings, leases, LOCAL_SLOTS)
        self._push = Runner(core, endings, leases, PUSH_SLOTS, self._run_elsewhere)
        Enqueueing.__init__(self, core)
        Cancelling.__init__(self, core, endings, self._local)
        self.renewal = Renewal(core, lease_time, leases, (self._local, self._push))
        self.heartbeat = Heartbeat(core, self.renewal)
        parking = Parking(core, switches)
        self.claims = Claim(core, reservations, self.heartbeat, parking)
        self._waiting = WaitingJobs(core, self._local)
        self.claimer = ClaimLoop(core, self.claims, endings, self._slots(), self._waiting)
        self.workers = RegisteredWorkers(core, self.claimer, endings)
        self.worker_api = WorkerApi(core, leases, self.claimer, endings, self.workers)
        self.recovery = DeadProcessRecovery(core, self.heartbeat, endings)
        self.upkeep = Upkeep(core, endings, lease_time, self.renewal, self.recovery, parking)

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

    async def _run_elsewhere(self, job: JobCall) -> Any:
        return await self.core.host.service(PushRunner).run(job)

    def services(self) -> Mapping[type[Any], Any]:
        return {Jobs: self, Workers: self.worker_api, WorkerRegistry: self.workers}

    async def start(self) -> None:
        if self.core.data.dialect == "sqlite":
            await self.upkeep.take_up_left_over()
        await self.signals.start()
        await self.heartbeat.start()
        self.claimer.start()
        self.renewal.loop.start()
        self.upkeep.loop.start()
        await self._stops.start()
        self.signals.freed()

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

    async def drain(self) -> None:
        """Returns when nothing that is due waits for this process, and nothing runs in it; for tests."""
        while True:
            # Before the claim: what ends while it looks may leave room or ask for more, which it did not see.
            running = bool(self._local.held or self._push.held)
            begun = self._local.begun + self._push.begun
            await self.renewal.renew_if_due()
            await self.upkeep.tick()
            claimed = await self.claimer.claim_round()
            # The claimer's own round may have come first: what it took asks for more when it ends.
            running = running or bool(self._local.held or self._push.held)
            await self._local.idle()
            await self._push.idle()
            if not claimed and not running and begun == self._local.begun + self._push.begun:
                return

    def metrics(self) -> Sequence[Metric]:
        return (*self.signals.metrics.declared(), *self.heartbeat.metrics())

    def withdraw(self, kinds: Iterable[JobKind]) -> None:
        """Removes kinds before the start, as the plugin that brought them is not there after all."""
        for kind in kinds:
            self.core.kinds.pop(kind.name, None)

    def kinds(self) -> Sequence[JobKind]:
        return tuple(self.core.kinds.values())

    async def wait_for_end(self, team_id: str, job_id: str, seconds: float) -> Job | None:
        until = asyncio.get_running_loop().time() + seconds
        watch, waits = self.signals.end_watch, False
        async with AsyncExitStack() as waiting:
            news = waiting.enter_context(watch.news_of(job_id))
            while True:
                news.clear()
                async with self.core.data.read() as reader:
                    job = await self.get(reader, team_id, job_id)
                left = until - asyncio.get_running_loop().time()
                if job is None or job.ended or left <= 0 or watch.closed:
                    return job
                watch.expect(job_id)
                if not waits:
                    waits = True
                    slot = self._waiting.slot_given_up(running_job.get().id)
                    await waiting.enter_async_context(slot)
                with suppress(TimeoutError):
                    async with asyncio.timeout(left):
                        await news.wait()

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
        statement, filters = page_filtered_by(state, kind)
        rows = await reader.all(
            statement, team_id=team_id, before=before or _AFTER_EVERY_ID, limit=limit, **filters
        )
        return [job_of(row) for row in rows]
