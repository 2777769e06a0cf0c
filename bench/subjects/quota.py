"""Admitting a metered request must cost the same whether the ledger knows one team or ten thousand.

Measured at the ledger itself, without HTTP around it: one transaction that reserves a request, its tokens
and a slot, and settles them. Many teams take turns at it, in no order, so that no page stays warm by chance.
"""

import asyncio
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from types import ModuleType

import asyncpg

import builtin_plugins
import kernel
from bench.guildhall import postgresql
from bench.loads import Load
from bench.report import Aim, Report
from bench.rounds import take_turns
from builtin_plugins.quotas.ledger import Ledger
from builtin_plugins.quotas.limits import Limits
from guildhall_sdk import Plugin, Statement
from guildhall_sdk.dimensions import Dimension
from guildhall_testing.databases import database_at
from kernel.clock import SystemClock
from kernel.db.database import Database
from kernel.db.migrations import migrate
from kernel.job_limits import StoredJobLimits
from kernel.registry import LoadedPlugin, Registry
from kernel.tenancy.directory import StoredDirectory
from libs.migration_files import MigrationSource

NAME = "quota"
TEAMS_PER_COMPANY = 100
FEW, MANY = 1, 10_000
ROUNDS = 41
REQUESTS = 25
WARM_UP = 200
TTL_MS = 60_000
DIMENSIONS = (
    Dimension("ai.requests", "Requests", "rate"),
    Dimension("ai.tokens.total", "Tokens", "rate"),
    Dimension("ai.concurrency", "At once", "concurrency"),
)


def _both(text: str) -> Statement:
    return Statement("fill", text, text)


_NUMBERS = "WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < :many)"
_ORGS = _both(
    "INSERT INTO orgs (id, slug, name, plan, created_at) "
    f"{_NUMBERS} SELECT 'org_' || n, 'org-' || n, 'Company', 'team', 0 FROM numbers"
)
_TEAMS = _both(
    "INSERT INTO teams (id, org_id, slug, name, created_at) "
    f"{_NUMBERS} SELECT 'team_' || n, 'org_' || (n / {TEAMS_PER_COMPANY}), 'team-' || n, 'Team', 0 "
    "FROM numbers"
)
_COUNTERS = _both(
    "INSERT INTO quota_counters (org_id, team_id, dimension, day_limit) "
    f"{_NUMBERS} SELECT 'org_' || (n / {TEAMS_PER_COMPANY}), 'team_' || n, dimension, 1000000000 "
    "FROM numbers "
    "CROSS JOIN (SELECT 'ai.requests' AS dimension UNION ALL SELECT 'ai.tokens.total') AS limited"
)


@dataclass(frozen=True, slots=True)
class Books:
    """A ledger over so many teams, and the loop that it is called on."""

    runner: asyncio.Runner
    data: Database
    ledger: Ledger
    teams: int

    def load(self, requests: int) -> Load:
        return self.runner.run(self._load(requests))

    async def _load(self, requests: int) -> Load:
        teams = [random.randrange(self.teams) for _ in range(requests)]
        cpu, latencies = time.process_time(), []
        for team in teams:
            began = time.perf_counter()
            await self._admit(f"org_{team // TEAMS_PER_COMPANY}", f"team_{team}")
            latencies.append(time.perf_counter() - began)
        return Load(
            (time.process_time() - cpu) / requests * 1e6,
            median(latencies) * 1e6,
            max(latencies) * 1e6,
            requests / sum(latencies),
        )

    async def _admit(self, org_id: str, team_id: str) -> None:
        amounts = {"ai.requests": 1, "ai.tokens.total": 1500, "ai.concurrency": 1}
        async with self.data.write() as writer:
            reservation = await self.ledger.reserve(writer, org_id, team_id, amounts, TTL_MS)
            await self.ledger.settle(writer, reservation, {"ai.tokens.total": 700})


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        cluster = stack.enter_context(postgresql())
        runner = stack.enter_context(asyncio.Runner())
        books: dict[str, Books] = {}
        for teams in (FEW, MANY):
            for database, url in (
                ("SQLite", f"sqlite:///{folder / str(teams)}.db"),
                ("PostgreSQL", cluster.create_database()),
            ):
                one = stack.enter_context(_filled(runner, url, teams))
                one.load(WARM_UP)
                books[f"{database}, {teams:,}"] = one
        loads = take_turns({name: partial(one.load, REQUESTS) for name, one in books.items()}, ROUNDS)
    for database in ("SQLite", "PostgreSQL"):
        few, many = (loads[f"{database}, {teams:,}"] for teams in (FEW, MANY))
        _compare(report, database, many, few)


def _compare(report: Report, database: str, many: Sequence[Load], few: Sequence[Load]) -> None:
    for measure, ours, theirs in (
        ("CPU", [load.cpu_us for load in many], [load.cpu_us for load in few]),
        ("latency", [load.latency_us for load in many], [load.latency_us for load in few]),
    ):
        what = f"{measure} on {database}, {MANY:,} teams"
        report.compare(NAME, what, ours, f"{FEW} team", theirs, Aim(1.3))
        report.reading(NAME, what, ours, "µs per admission")


@contextmanager
def _filled(runner: asyncio.Runner, url: str, teams: int) -> Iterator[Books]:
    data = database_at(url)
    runner.run(_fill(data, url, teams))
    try:
        yield Books(runner, data, _ledger(), teams)
    finally:
        runner.run(data.disconnect())


def _migrations(package: ModuleType) -> Path:
    return Path(str(package.__file__)).with_name("migrations")


def _ledger() -> Ledger:
    clock = SystemClock()
    plugin = LoadedPlugin(Plugin("bench", "Bench", "0", ""), "builtin", rows={Dimension: DIMENSIONS})
    return Ledger(clock, Registry([plugin]), Limits(StoredDirectory(clock), StoredJobLimits()))


async def _fill(data: Database, url: str, teams: int) -> None:
    await data.connect()
    owners = {"kernel": kernel, "quotas": builtin_plugins.quotas}
    sources = [MigrationSource(name, _migrations(package)) for name, package in owners.items()]
    await migrate(data, sources, 0)
    async with data.write() as writer:
        await writer.run(_ORGS, many=-(-teams // TEAMS_PER_COMPANY))
        await writer.run(_TEAMS, many=teams)
        await writer.run(_COUNTERS, many=teams)
    if data.dialect == "postgresql":
        # As the autovacuum of a real installation would.
        connection = await asyncpg.connect(url)
        try:
            await connection.execute("VACUUM ANALYZE")
        finally:
            await connection.close()
