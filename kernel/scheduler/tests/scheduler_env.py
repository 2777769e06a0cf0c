"""An environment: schedulers on one database, with no tasks of their own: a test does every step itself."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from builtin_plugins.quotas.ledger import Ledger
from builtin_plugins.quotas.tests.conftest import make_ledger
from builtin_plugins.retention.ended_jobs import KEEP_JOBS_DAYS, ended_jobs
from builtin_plugins.retention.periods import DAY_MS
from builtin_plugins.retention.sweeper import RetentionSweeper
from guildhall_sdk import Clock, Job, JobKind, NewJob
from guildhall_sdk.dimensions import Dimension, JobReservations, Quotas
from guildhall_sdk.services.jobs import ClaimedJob, PushRunner, Worker
from guildhall_sdk.services.server import Tracing
from guildhall_testing.clock import FakeClock
from guildhall_testing.databases import statement
from guildhall_testing.draining import bare_scheduler, drain
from guildhall_testing.site_databases import SiteDatabase, TeamIds, opened_database
from kernel.db.database import Database
from kernel.scheduler.rescue import EndedJobs
from kernel.tenancy.directory import StoredDirectory

LEASE_SECONDS = 60
REMOTE = "x.toy.remote"
WORKER = Worker("exe_any", "any")
DIMENSIONS = (
    Dimension("jobs.concurrency", "Jobs that run at once", "concurrency"),
    Dimension("work.slots", "Held while a job runs", "concurrency"),
    Dimension("work.units", "Used up by a job that succeeds", "rate"),
)


async def until(true: Callable[[], object]) -> None:
    """Lets others go on until it is so."""
    while not true():  # noqa: ASYNC110
        await asyncio.sleep(0)


def remote(name: str = REMOTE, **more: Any) -> JobKind:
    return JobKind(name, "Done outside.", validator=lambda _: False, **more)


@dataclass(slots=True)
class Host:
    """What the scheduler and a job see of their server."""

    clock: Clock
    data: Database
    quotas: Ledger
    settings: Any = field(default_factory=lambda: SimpleNamespace(version="1.0"))

    def find_service(self, protocol: object) -> Any:
        return None if protocol is Tracing else self.service(protocol)

    def service(self, protocol: object) -> Any:
        return {PushRunner: Pusher(), JobReservations: self.quotas, Quotas: self.quotas}[protocol]


class Pusher:
    """Answers what is pushed with what it was given."""

    async def run(self, call: Any) -> Any:
        return {"pushed": call.payload}


class SchedulerProcess:
    """One process's scheduler with what a test asks of it, in few words."""

    def __init__(self, data: Database, clock: Clock, kinds: Sequence[JobKind], lease_seconds: int) -> None:
        self.data = data
        self.quotas = make_ledger(clock, DIMENSIONS)
        self.ended_jobs = EndedJobs()
        self._host = Host(clock, data, self.quotas)
        self.scheduler = bare_scheduler(self._host, data, kinds, lease_seconds)

    async def enqueue(self, team: TeamIds, kind: str = REMOTE, **more: Any) -> Job:
        return (await self.enqueue_many(team, kind, 1, **more))[0]

    async def enqueue_many(self, team: TeamIds, kind: str, many: int, **more: Any) -> list[Job]:
        new = NewJob(kind, team.org_id, team.id, team.user_id, **more)
        async with self.data.write() as writer:
            return list(await self.scheduler.enqueue_many(writer, [new] * many))

    async def claim(
        self, worker: Worker = WORKER, kinds: Sequence[str] = (REMOTE,), provides: Sequence[str] | None = None
    ) -> ClaimedJob | None:
        return await self.scheduler.workers.claim(worker, kinds, provides, 0, asyncio.Event().wait())

    async def claimed(self, worker: Worker = WORKER, kinds: Sequence[str] = (REMOTE,)) -> ClaimedJob:
        job = await self.claim(worker, kinds)
        assert job is not None, "there was nothing to claim"
        return job

    async def complete(self, job: ClaimedJob, result: Any = None, worker: Worker = WORKER) -> None:
        await self.scheduler.workers.complete(worker, job.id, job.claim_token, result)

    async def fail(
        self, job: ClaimedJob, *, retry: bool = True, code: str = "broken", worker: Worker = WORKER
    ) -> None:
        await self.scheduler.workers.fail(worker, job.id, job.claim_token, code, "It broke.", retry=retry)

    async def heartbeat(
        self, job: ClaimedJob, progress: float | None = None, worker: Worker = WORKER
    ) -> None:
        await self.scheduler.workers.heartbeat(worker, job.id, job.claim_token, progress)

    async def cancel(self, team: TeamIds, job_id: str) -> Job | None:
        async with self.data.write() as writer:
            return await self.scheduler.cancel(writer, team.id, job_id)

    async def retire(self, worker_id: str) -> None:
        async with self.data.write() as writer:
            await self.scheduler.workers.retire(writer, worker_id)

    async def drain(self) -> None:
        await drain(self.scheduler)

    async def tick(self) -> None:
        await self.scheduler.renewal.renew_if_due()
        await self.scheduler.upkeep.tick()

    async def prune(self) -> int:
        """Throws away what ended long ago, as a server does every hour."""
        before = self._host.clock.now_ms() - KEEP_JOBS_DAYS.default * DAY_MS
        return await RetentionSweeper(self._host).delete_expired(ended_jobs(self.ended_jobs), before)

    async def job(self, team: TeamIds, job_id: str) -> Job:
        async with self.data.read() as reader:
            job = await self.scheduler.get(reader, team.id, job_id)
        assert job is not None
        return job

    async def used(self, team: TeamIds) -> Mapping[str, int]:
        """What the ledger holds against the team, by dimension."""
        async with self.data.read() as reader:
            usage = await self.quotas.usage(reader, team.org_id, team.id)
        return {row.dimension: row.used for row in usage if row.level == "team"}


@dataclass(slots=True)
class SchedulerEnv(SiteDatabase):
    """A database with two companies, emptied of jobs for every test."""

    clock: FakeClock = field(default_factory=FakeClock)

    def process(
        self,
        *kinds: JobKind,
        lease_seconds: int = LEASE_SECONDS,
        data: Database | None = None,
        clock: Clock | None = None,
    ) -> SchedulerProcess:
        return SchedulerProcess(data or self.data, clock or self.clock, kinds or (remote(),), lease_seconds)

    @asynccontextmanager
    async def more_databases(self, many: int) -> AsyncIterator[list[Database]]:
        """So many processes' pools; where one process owns the file, the same one each time."""
        async with AsyncExitStack() as stack:
            opened = [self.data] * many
            if self.database == "postgresql":
                opened = [await stack.enter_async_context(opened_database(self.site)) for _ in range(many)]
            yield opened

    async def limit(self, team: TeamIds, dimension: str, limit: int | None, *, company: bool = False) -> None:
        level, subject = ("org", team.org_id) if company else ("team", team.id)
        window = "day" if dimension == "work.units" else "none"
        ledger = make_ledger(self.clock, DIMENSIONS)
        async with self.data.write() as writer:
            await ledger.set_limit(writer, level, subject, dimension, window, limit)

    async def suspend(self, team: TeamIds, suspended: bool = True) -> None:
        async with self.data.write() as writer:
            at = self.clock.now_ms() if suspended else None
            await StoredDirectory(self.clock).set_suspended(writer, team.org_id, at)

    async def suspend_tenant(self, suspended: bool = True) -> None:
        async with self.data.write() as writer:
            at = self.clock.now_ms() if suspended else None
            await StoredDirectory(self.clock).set_tenant_suspended(writer, at)

    async def backlog(self, team: TeamIds, kind: str, many: int) -> None:
        """Many queued jobs at once, past the service, which would take its time."""
        numbers = json.dumps(list(range(many)))
        given = (
            "json_each(:numbers)"
            if self.database == "sqlite"
            else "jsonb_array_elements_text(CAST(:numbers AS JSONB)) AS given (value)"
        )
        await self.run(
            "INSERT INTO jobs (id, org_id, team_id, user_id, kind, pool, state, priority, run_at,"
            " max_attempts, payload, created_at)"
            " SELECT 'job_backlog' || value, CAST(:org AS TEXT), CAST(:team AS TEXT), CAST(:user AS TEXT),"
            " CAST(:kind AS TEXT), CAST(:kind AS TEXT), 'queued', 0, 0, 5, 'null', 0"
            f" FROM {given} WHERE TRUE",
            numbers=numbers,
            org=team.org_id,
            team=team.id,
            user=team.user_id,
            kind=kind,
        )
        await self.run(
            "INSERT INTO job_lanes (pool, team_id, org_id, vtime, active) VALUES (:kind, :team, :org, 0, 1)",
            kind=kind,
            team=team.id,
            org=team.org_id,
        )

    async def cleared(self) -> "SchedulerEnv":
        scheduled = ("jobs", "processes", "job_lanes", "job_teams", "job_workers")
        async with self.data.write() as writer:
            for text in (
                *(f"DELETE FROM {table}" for table in (*scheduled, "quota_counters", "quota_holds")),
                "UPDATE orgs SET suspended_at = NULL WHERE suspended_at IS NOT NULL",
                "UPDATE job_companies SET cap = NULL, weight = 1, suspended_at = NULL",
                "DELETE FROM credentials WHERE kind = 'worker'",
                "DELETE FROM instance_facts WHERE key = 'tenant_suspended_at'",
            ):
                await writer.run(statement(text))
        self.clock = FakeClock()
        return self
