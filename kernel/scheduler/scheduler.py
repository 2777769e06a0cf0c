"""The scheduler: one per process, put together here."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from guildhall_sdk import (
    Host,
    Job,
    JobKind,
    Metric,
    NewJob,
    Reader,
    Row,
    Writer,
)
from guildhall_sdk.jobs import JobHandler, JobState
from guildhall_sdk.services import Quotas
from kernel.db import Database
from kernel.scheduler.callbacks import Callbacks
from kernel.scheduler.claimer import Claimer, Slots
from kernel.scheduler.claiming import Claim, Claimant
from kernel.scheduler.ending import Endings, Record, record_nothing
from kernel.scheduler.enqueueing import CompileSchema, Enqueuer
from kernel.scheduler.families import cancel_family
from kernel.scheduler.figures import Figures
from kernel.scheduler.lease_time import LeaseTime
from kernel.scheduler.leases import Leases
from kernel.scheduler.listing import page_filtered_by
from kernel.scheduler.parking import KindSwitches, Parking
from kernel.scheduler.presence import Presence
from kernel.scheduler.pruning import Pruning
from kernel.scheduler.renewal import Renewal
from kernel.scheduler.retries import RETIRED
from kernel.scheduler.rows import LOCAL_POOL, PUSH_POOL, job_of
from kernel.scheduler.running import KindOfAnother, LentSlots, Runner, place_lent
from kernel.scheduler.statements import LeaseClock, sql
from kernel.scheduler.succession import Succession
from kernel.scheduler.upkeep import Upkeep
from kernel.scheduler.waiting import EndWatch
from kernel.scheduler.worker_api import Seen, WorkerApi

LOCAL_SLOTS, PUSH_SLOTS = 128, 16
GRACE_SECONDS = 3.0
_CHANNEL = "jobs"
_AFTER_EVERY_ID = "~"
_ENDED = ("succeeded", "failed", "cancelled")


class Scheduler:
    """Implements the SDK's `Jobs`; `worker_api` implements its `Workers`."""

    def __init__(
        self,
        host: Host,
        data: Database,
        kinds: Sequence[JobKind],
        quotas: Quotas,
        compile_schema: CompileSchema,
        *,
        lease_seconds: int,
        push: JobHandler,
        seen: Seen | None = None,
        hosts: Mapping[str, Host] | None = None,
        switches: KindSwitches | None = None,
        record: Record = record_nothing,
        kind_of_another: KindOfAnother = lambda _: None,
    ) -> None:
        self._data = data
        self._time = time = LeaseClock(host.clock, data.dialect)
        # Everybody below has the same mapping: what is withdrawn from it is gone for all of them.
        self._kinds = {kind.name: kind for kind in kinds}
        self._leases = Leases(data, time, lease_seconds)
        self._watch = EndWatch(data)
        self._figures = Figures(time)
        lease_ms = lease_seconds * 1000
        callbacks = Callbacks(host, self._kinds, hosts or {})
        self._endings = Endings(data, quotas, time, lease_ms, callbacks, self._on_end, record)
        self._local = Runner(
            "local",
            LOCAL_SLOTS,
            host,
            self._kinds,
            self._endings,
            self._leases.extend,
            self._on_room,
            hosts=hosts,
            kind_of_another=kind_of_another,
        )
        self._push = Runner(
            "push", PUSH_SLOTS, host, self._kinds, self._endings, self._leases.extend, self._on_room, push
        )
        self.presence = Presence(data, host.clock, time, self._on_declared_dead)
        self.parking = Parking(data, switches, self._on_room)
        self.claims = Claim(self._kinds, quotas, time, lease_ms, self.presence, self.parking)
        local = Claimant("exe_local", "local", (LOCAL_POOL,), in_process=True)
        runners: dict[Claimant, Slots] = {
            local: self._local,
            replace(local, shared_only=True): LentSlots(self._local),
            Claimant("exe_push", "push", (PUSH_POOL,), in_process=True): self._push,
        }
        self.claimer = Claimer(data, self.claims, self._endings, time, runners)
        self.worker_api = WorkerApi(data, self._kinds, time, self._leases, self.claimer, self._endings, seen)
        self.succession = Succession(data, host.clock, self.presence, self._endings)
        self.lease_time = LeaseTime(data, host.clock, time, lease_ms)
        self.renewal = Renewal(host.clock, self.lease_time, lease_ms, self._renew_leases)
        self.pruning = Pruning(data, host.clock)
        self.upkeep = Upkeep(
            data,
            self._endings,
            host.clock,
            time,
            self.lease_time,
            lease_ms,
            self.renewal,
            self.succession,
            self._on_arrival,
            self.parking,
        )
        self._enqueuer = Enqueuer(self._kinds, host.clock, compile_schema, self._on_arrival)
        self._others = data.announcements(_CHANNEL, lambda _: self.claimer.wake())

    async def start(self) -> None:
        if self._data.dialect == "sqlite":
            await self.upkeep.take_up_left_over()
        await self._others.start()
        await self._watch.start()
        await self.presence.start()
        self.claimer.start()
        self.renewal.start()
        self.upkeep.start()
        self.pruning.start()
        self.claimer.wake()

    async def wind_down(self, seconds: float = GRACE_SECONDS) -> None:
        """Claims no more, answers those who wait, lets jobs finish a while and gives the rest back."""
        self._watch.close()
        await self.claimer.stop()
        stopped = [job for runner in (self._local, self._push) for job in await runner.wind_down(seconds)]
        if stopped:
            await self.claimer.give_back([{"id": job.id, "claim_token": job.token} for job in stopped])
        await self._endings.settled()

    async def stop(self) -> None:
        try:
            await self.wind_down()
        finally:
            for part in (self.pruning, self.upkeep, self.renewal, self.presence, self._watch, self._others):
                await part.stop()

    async def drain(self) -> None:
        """For tests: until nothing that is due waits for this process, and nothing runs in it."""
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
        return (*self._figures.metrics(), *self.presence.metrics())

    # Asking and looking.

    def withdraw(self, kinds: Iterable[JobKind]) -> None:
        """Before the start: the plugin that brought these is not there after all."""
        for kind in kinds:
            self._kinds.pop(kind.name, None)

    def kinds(self) -> Sequence[JobKind]:
        return tuple(self._kinds.values())

    async def enqueue(self, writer: Writer, new: NewJob) -> Job:
        return (await self._enqueuer.enqueue(writer, [new]))[0]

    async def enqueue_many(self, writer: Writer, new: Sequence[NewJob]) -> Sequence[Job]:
        return await self._enqueuer.enqueue(writer, new)

    async def enqueue_beyond_limit(self, writer: Writer, new: Sequence[NewJob]) -> Sequence[Job]:
        """For what must not be refused because the team's queue is full, and is bounded otherwise."""
        return await self._enqueuer.enqueue(writer, new, limited=False)

    async def get(self, reader: Reader, team_id: str, job_id: str) -> Job | None:
        row = await reader.one(sql.job, id=job_id, team_id=team_id)
        return None if row is None else job_of(row)

    async def wait_for_end(self, team_id: str, job_id: str, seconds: float) -> Job | None:
        until = asyncio.get_running_loop().time() + seconds
        with place_lent(), self._watch.news_of(job_id) as news:
            while True:
                news.clear()
                async with self._data.read() as reader:
                    job = await self.get(reader, team_id, job_id)
                left = until - asyncio.get_running_loop().time()
                if job is None or job.ended or left <= 0 or self._watch.closed:
                    return job
                self._watch.expect(job_id)
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
        over = [row for row in called_off if row["state"] == "cancelled"]
        await self._endings.callbacks.tell_ended(writer, over)
        await self._endings.record(writer, over)
        writer.after_commit(lambda: self._watch.tell(row["id"] for row in over))
        return await self.get(writer, team_id, job_id)

    async def return_held(self, writer: Writer, executor_id: str) -> None:
        """When an executor is retired: what it holds goes to others, what only it could run fails."""
        held = await writer.all(sql.held_by_executor, held_by=executor_id)
        await self._endings.take_away(writer, held, at_once=True, blamed=False)
        code, message = RETIRED
        writer.after_commit(lambda: self.claimer.dismiss(executor_id))
        writer.after_commit(self._on_arrival)
        wall = self._time.time_of_day()
        failed = await writer.all(
            sql.fail_bound_to, executor_id=executor_id, wall=wall, code=code, message=message
        )
        await self._endings.callbacks.tell_ended(writer, failed)
        await self._endings.record(writer, failed)
        writer.after_commit(lambda: self._watch.tell(row["id"] for row in failed))

    async def running(self, reader: Reader, org_id: str, team_id: str) -> tuple[int, int]:
        """How many jobs of the company run now, and how many of the team."""
        row = await reader.one(sql.running_of, org_id=org_id, team_id=team_id)
        assert row is not None
        return row["org"], row["team"]

    # What the parts tell one another.

    async def _renew_leases(self) -> None:
        held = [(runner, job) for runner in (self._local, self._push) for job in runner.held]
        if not held:
            return
        still_held = await self._leases.renew([(job.id, job.token, job.reached) for _, job in held])
        for runner, job in held:
            if job.id not in still_held:
                runner.drop(job)

    def _on_declared_dead(self) -> None:
        self.renewal.hasten()

    def _on_arrival(self) -> None:
        self.claimer.wake()
        self._others.tell()

    def _on_room(self) -> None:
        self.claimer.wake()

    def _on_end(self, rows: Sequence[Row]) -> None:
        self._figures.count(rows)
        self._watch.tell(row["id"] for row in rows if row["state"] in _ENDED)
        self.claimer.wake()
