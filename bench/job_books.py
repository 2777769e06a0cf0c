"""Our scheduler over a database of its own, without HTTP around it."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any

import kernel
from bench.job_runs import REST_SECONDS
from bench.servers import BenchFailed
from builtin_plugins.quotas.limits import JOBS, PLANS
from guildhall_sdk import JobCall, JobKind, NewJob, Statement
from guildhall_testing.databases import database_at
from guildhall_testing.draining import bare_scheduler
from kernel.clock import SystemClock
from kernel.db.database import Database
from kernel.db.migrations import migrate
from kernel.scheduler.claim import Claimant
from kernel.scheduler.scheduler import Scheduler
from kernel.tenancy.suspension import open_to_writing
from libs.migration_files import MigrationSource

KIND = "x.bench.nothing"
PLAN = "team"
TEAMS_PER_COMPANY = 10
_AT_ONCE = 500

_NUMBERS = "WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < :many)"


def _both(text: str) -> Statement:
    return Statement("fill", text, text)


_ORGS = _both(
    "INSERT INTO orgs (id, slug, name, plan, created_at) "
    f"{_NUMBERS} SELECT 'org_' || n, 'org-' || n, 'Company', '{PLAN}', 0 FROM numbers"
)
_JOB_COMPANIES = _both(
    "INSERT INTO job_companies (org_id, cap, weight) "
    "SELECT id, CAST(:cap AS BIGINT), CAST(:weight AS DOUBLE PRECISION) FROM orgs"
)
_TEAMS = _both(
    "INSERT INTO teams (id, org_id, slug, name, created_at) "
    f"{_NUMBERS} SELECT 'team_' || n, 'org_' || (n / {TEAMS_PER_COMPANY}), 'team-' || n, 'Team', 0 "
    "FROM numbers"
)


_EFFECTS = _both("CREATE TABLE bench_effects (job_id TEXT PRIMARY KEY)")
_EFFECT = _both("INSERT INTO bench_effects (job_id) VALUES (:job_id)")


class _Undone(Exception):
    """Takes a claim back."""


@dataclass(slots=True)
class Books:
    """A scheduler whose jobs do nothing but note that they began; its companies have the caps of a plan.

    With `effects` each also writes a row in the transaction that ends it.
    """

    data: Database
    teams: int
    effects: bool = False
    scheduler: Scheduler = field(init=False)
    clock: SystemClock = field(default_factory=SystemClock)
    settings: Any = field(default_factory=lambda: SimpleNamespace(version="bench"))
    began: dict[str, float] = field(default_factory=dict)
    expected: int = 0
    all_began: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.scheduler = self._scheduler()

    def _scheduler(self) -> Scheduler:
        kind = JobKind(KIND, "Nothing", handler=self._nothing)
        host: Any = self
        return bare_scheduler(host, self.data, [kind], 60)

    def find_service(self, protocol: object) -> None:
        """As its own host: there is none to push to."""

    async def _nothing(self, job: JobCall) -> None:
        self.began[job.id] = time.perf_counter()
        if len(self.began) >= self.expected:
            self.all_began.set()
        if self.effects:
            job.on_success(lambda writer: writer.run(_EFFECT, job_id=job.id))

    def new(self, number: int) -> NewJob:
        team = number % self.teams
        return NewJob(KIND, f"org_{team // TEAMS_PER_COMPANY}", f"team_{team}", "usr_bench", {})

    async def queue(self, many: int) -> None:
        for first in range(0, many, _AT_ONCE):
            async with self.data.write() as writer:
                numbers = range(first, min(many, first + _AT_ONCE))
                await self.scheduler.enqueue_many(writer, [self.new(number) for number in numbers])

    async def claim(self, claimant: Claimant, many: int) -> float:
        """Seconds without its commit, which costs the same for everybody; what it changed is undone."""
        began = time.perf_counter()
        try:
            async with self.data.write() as writer:
                holders = [claimant] * many
                taken = await self.scheduler.claims.take_for(writer, claimant, holders)
                if len(taken.rows) != many:
                    raise BenchFailed("a claim did not get what waits")
                seconds = time.perf_counter() - began
                raise _Undone
        except _Undone:
            return seconds

    async def drain(self, many: int) -> float:
        """Seconds per job, from the start of a scheduler to the last commit."""
        await self.queue(many)
        self.began.clear()
        self.expected = many
        self.all_began.clear()
        began = time.perf_counter()
        await self.scheduler.start()
        await self.all_began.wait()
        await self.scheduler.wind_down()
        seconds = (time.perf_counter() - began) / many
        await self.scheduler.stop()
        self.scheduler = self._scheduler()
        return seconds

    async def start_up(self, many: int) -> float:
        """Seconds from asking for a job to its first line, one at a time."""
        await self.scheduler.start()
        waits = []
        for number in range(many):
            self.began.clear()
            self.expected = 1
            self.all_began.clear()
            asked = time.perf_counter()
            async with self.data.write() as writer:
                job = await self.scheduler.enqueue(writer, self.new(number))
            await self.all_began.wait()
            waits.append(self.began[job.id] - asked)
            await asyncio.sleep(REST_SECONDS)
        await self.scheduler.stop()
        self.scheduler = self._scheduler()
        return median(waits)


@contextmanager
def opened_books(
    runner: asyncio.Runner, url: str, teams: int, *, effects: bool = False, capped: bool = True
) -> Iterator[Books]:
    """Opens a new database; companies that are not `capped` may run as many jobs as they like."""
    data = database_at(url, condition_of=open_to_writing)
    runner.run(_fill(data, teams, capped))
    try:
        yield Books(data, teams, effects)
    finally:
        runner.run(data.disconnect())


async def _fill(data: Database, teams: int, capped: bool) -> None:
    await data.connect()
    await migrate(data, [MigrationSource("kernel", Path(kernel.__file__).with_name("migrations"))], 0)
    async with data.write() as writer:
        await writer.run(_ORGS, many=-(-teams // TEAMS_PER_COMPANY))
        plan = PLANS[PLAN]
        cap = plan.limits[JOBS.name, "none"] if capped else None
        await writer.run(_JOB_COMPANIES, cap=cap, weight=plan.weight)
        await writer.run(_TEAMS, many=teams)
        await writer.run(_EFFECTS)
