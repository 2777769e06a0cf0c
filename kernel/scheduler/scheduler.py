"""The scheduler: one per process, put together here."""

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from guildhall_sdk import Conflict, Host, Job, JobCall, JobKind, Metric, NewJob, Reader, Row, Writer
from guildhall_sdk.jobs import JobError, JobState, running_job
from guildhall_sdk.services import Jobs, PushRunner, WorkerRegistry, Workers
from kernel.db import Database
from kernel.scheduler.callbacks import Callbacks
from kernel.scheduler.claim import Claim, Claimant
from kernel.scheduler.claim_loop import ClaimLoop, Slots
from kernel.scheduler.completion import CompletionWriter
from kernel.scheduler.enqueue import Enqueuer
from kernel.scheduler.families import cancel_family, stop_family
from kernel.scheduler.job_events import JobEvents
from kernel.scheduler.lanes import BlockedLanes
from kernel.scheduler.lease_time import LeaseTime
from kernel.scheduler.leases import Leases
from kernel.scheduler.lists import page_filtered_by
from kernel.scheduler.parking import KindSwitches, Parking
from kernel.scheduler.presence import Presence
from kernel.scheduler.renewal import Renewal
from kernel.scheduler.reservations import Reservations
from kernel.scheduler.rows import LOCAL_POOL, PUSH_POOL, job_of
from kernel.scheduler.runner import GivenUpSlots, PushSlots, Runner
from kernel.scheduler.signals import Signals
from kernel.scheduler.statements import LeaseClock, sql
from kernel.scheduler.stops import Stops
from kernel.scheduler.succession import Succession
from kernel.scheduler.upkeep import Upkeep
from kernel.scheduler.waiting_jobs import WaitingJobs
from kernel.scheduler.worker_api import WorkerApi
from kernel.scheduler.worker_registry import RegisteredWorkers

LOCAL_SLOTS, PUSH_SLOTS = 128, 16
GRACE_SECONDS = 3.0
_AFTER_EVERY_ID = "~"


class Scheduler:
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
        events, hosts = events or JobEvents(), hosts or {}
        clock, lease_ms = host.clock, lease_seconds * 1000
        self._data = data
        self._time = time = LeaseClock(clock, data.dialect)
        # Everybody below has the same mapping: what is withdrawn from it is gone for all of them.
        self._kinds = {kind.name: kind for kind in kinds}
        self.signals = signals = Signals(data, time)
        self._leases = leases = Leases(data, time, lease_seconds)
        reservations = Reservations(host, self._kinds, time)
        callbacks = Callbacks(host, self._kinds, hosts)
        self.blocked = BlockedLanes(data)
        self._endings = endings = CompletionWriter(
            data, reservations, time, lease_ms, callbacks, signals, events, self.blocked
        )

        async def push(job: JobCall) -> Any:
            return await host.service(PushRunner).run(job)

        runner = partial(Runner, host, self._kinds, endings, leases, signals, events, hosts)
        self._local, self._push = runner(LOCAL_SLOTS), runner(PUSH_SLOTS, push)
        self._stops = Stops(data, (self._local,))
        self.lease_time = LeaseTime(data, clock, time, lease_ms)
        self.renewal = Renewal(clock, self.lease_time, lease_ms, leases, (self._local, self._push))
        self.presence = Presence(data, clock, time, self.renewal)
        self.parking = Parking(data, switches, signals)
        self.claims = Claim(reservations, time, lease_ms, self.presence, self.parking)
        local = Claimant("exe_local", "local", (LOCAL_POOL,), in_process=True)
        slots: dict[Claimant, Slots] = {
            local: self._local,
            replace(local, awaited_only=True): GivenUpSlots(self._local),
            Claimant("exe_push", "push", (PUSH_POOL,), in_process=True): PushSlots(self._push, host),
        }
        self._waiting = WaitingJobs(data, self._local, signals, self.blocked)
        self.claimer = ClaimLoop(data, self.claims, endings, time, signals, slots, self._waiting)
        self.workers = RegisteredWorkers(data, clock, time, self.claimer, endings, signals)
        self.worker_api = WorkerApi(data, self._kinds, time, leases, self.claimer, endings, self.workers)
        self.succession = Succession(data, clock, self.presence, endings)
        self.upkeep = Upkeep(
            data,
            endings,
            clock,
            time,
            self.lease_time,
            lease_ms,
            self.renewal,
            self.succession,
            signals,
            self.parking,
            self.blocked,
        )
        self._enqueuer = Enqueuer(self._kinds, clock, signals, self.blocked)

    def services(self) -> Mapping[type[Any], Any]:
        return {Jobs: self, Workers: self.worker_api, WorkerRegistry: self.workers}

    async def start(self) -> None:
        if self._data.dialect == "sqlite":
            await self.upkeep.take_up_left_over()
        await self.signals.start()
        await self.presence.start()
        self.claimer.start()
        self.renewal.start()
        self.upkeep.start()
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
            for part in (self._stops, self.upkeep, self.renewal, self.presence, self.signals):
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
        return (*self.signals.metrics.declared(), *self.presence.metrics())

    # Asking and looking.

    def withdraw(self, kinds: Iterable[JobKind]) -> None:
        """Removes kinds before the start, as the plugin that brought them is not there after all."""
        for kind in kinds:
            self._kinds.pop(kind.name, None)

    def kinds(self) -> Sequence[JobKind]:
        return tuple(self._kinds.values())

    async def enqueue(self, writer: Writer, new: NewJob) -> Job:
        return (await self._enqueuer.enqueue(writer, [new]))[0]

    async def enqueue_many(
        self, writer: Writer, new: Sequence[NewJob], *, following: bool = False
    ) -> Sequence[Job]:
        return await self._enqueuer.enqueue(writer, new, limited=not following)

    async def enqueue_for_ids(
        self, writer: Writer, new: Sequence[NewJob], *, following: bool = False
    ) -> Sequence[str]:
        return await self._enqueuer.enqueue_for_ids(writer, new, limited=not following)

    async def enqueue_beyond_limit(self, writer: Writer, new: Sequence[NewJob]) -> Sequence[Job]:
        """Enqueues what a full queue must not refuse, and what is bounded otherwise."""
        return await self._enqueuer.enqueue(writer, new, limited=False)

    async def get(self, reader: Reader, team_id: str, job_id: str) -> Job | None:
        row = await reader.one(sql.job, id=job_id, team_id=team_id)
        return None if row is None else job_of(row)

    async def wait_for_end(self, team_id: str, job_id: str, seconds: float) -> Job | None:
        async with self._data.read() as reader:
            job = await self.get(reader, team_id, job_id)
        watch = self.signals.end_watch
        if job is None or job.ended or seconds <= 0 or watch.closed:
            return job
        until = asyncio.get_running_loop().time() + seconds
        async with self._waiting.slot_given_up(running_job.get()):
            with watch.news_of(job_id) as news:
                while True:
                    news.clear()
                    async with self._data.read() as reader:
                        job = await self.get(reader, team_id, job_id)
                    left = until - asyncio.get_running_loop().time()
                    if job is None or job.ended or left <= 0 or watch.closed:
                        return job
                    watch.expect(job_id)
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

    async def cancel(self, writer: Writer, team_id: str, job_id: str) -> Job | None:
        called_off = await cancel_family(writer, team_id, job_id, self._time)
        await self._pass_on_cancelled(writer, [row for row in called_off if row["state"] == "cancelled"])
        return await self.get(writer, team_id, job_id)

    async def stop_running(self, writer: Writer, team_id: str, job_id: str) -> Job | None:
        kinds = [kind.name for kind in self._kinds.values() if kind.stoppable and not kind.remote]
        job = await self.get(writer, team_id, job_id)
        if job is None:
            return None
        if job.state != "running":
            how = "waits: cancel it instead" if job.state == "queued" else "has ended already"
            raise Conflict(f"The job {how}.", code="not_stoppable")
        if job.kind not in kinds:
            message = "Jobs of this kind cannot be stopped; this one finishes."
            raise Conflict(message, code="not_stoppable")
        called_off = await stop_family(writer, team_id, job_id, kinds, self._time)
        to_stop = [row["id"] for row in called_off if row["stop_requested"]]
        if job_id not in to_stop:
            raise Conflict("The job has just ended, or waits again.", code="not_stoppable")
        await self._pass_on_cancelled(writer, [row for row in called_off if row["state"] == "cancelled"])
        writer.after_commit(lambda: self._stops.tell(to_stop))
        return job

    async def cancel_waiting(self, writer: Writer, team_id: str, job_ids: Sequence[str]) -> int:
        ids, wall = json.dumps(list(job_ids)), self._time.time_of_day()
        over = await writer.all(sql.cancel_waiting, ids=ids, team_id=team_id, wall=wall)
        await self._pass_on_cancelled(writer, over)
        return len(over)

    async def cancel_of_person(self, writer: Writer, team_id: str, user_id: str, because: JobError) -> int:
        called_off = await writer.all(
            sql.cancel_of_person,
            team_id=team_id,
            user_id=user_id,
            kinds=json.dumps([kind.name for kind in self.kinds() if not kind.outlives_person]),
            code=because.code,
            message=because.message,
            wall=self._time.time_of_day(),
        )
        over = [row for row in called_off if row["state"] == "cancelled"]
        await self._pass_on_cancelled(writer, over)
        return len(over)

    async def _pass_on_cancelled(self, writer: Writer, over: Sequence[Row]) -> None:
        await self._endings.callbacks.tell_ended(writer, over)
        await self._endings.record(writer, over)
        writer.after_commit(lambda: self.signals.over(over))
