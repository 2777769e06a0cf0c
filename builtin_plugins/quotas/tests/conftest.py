"""A ledger on a database of each dialect, with two teams of one company and one of another."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import builtin_plugins.quotas
from builtin_plugins.quotas.ledger import Ledger
from builtin_plugins.quotas.limits import Limits
from guildhall_sdk import Clock
from guildhall_sdk.dimensions import Dimension
from guildhall_testing.migrated_databases import clock, database_url, migrated, process, secret_key  # noqa: F401
from kernel.db.migrations import migrate
from kernel.job_limits import StoredJobLimits
from kernel.tenancy.directory import StoredDirectory
from libs.migration_files import MigrationSource

MIGRATIONS = Path(builtin_plugins.quotas.__file__).with_name("migrations")

DIMENSIONS = (
    Dimension("test.calls", "Calls", "rate"),
    Dimension("test.words", "Words", "rate"),
    Dimension("test.slots", "Slots", "concurrency"),
    Dimension("test.bytes", "Bytes", "stock"),
)


class Declared:
    """The plugins of a server whose dimensions are these."""

    def __init__(self, dimensions: Sequence[Dimension]) -> None:
        self._dimensions = dimensions

    def declared(self, kind: type[Any]) -> Sequence[Any]:
        return self._dimensions


def make_ledger(clock: Clock, dimensions: Sequence[Dimension] = DIMENSIONS) -> Ledger:  # noqa: F811
    return Ledger(clock, Declared(dimensions), Limits(StoredDirectory(clock), StoredJobLimits()))


@dataclass(frozen=True)
class Books:
    """The ledger as one process has it; every call is a transaction of its own."""

    process: object
    ledger: Ledger
    org_id: str
    team_id: str
    second_team_id: str
    foreign_org_id: str
    foreign_team_id: str

    @property
    def clock(self):
        return self.process.clock

    def on(self, other):
        """The same books in the hands of another process."""
        return replace(self, process=other, ledger=make_ledger(other.clock))

    async def reserve(self, amounts, *, team_id=None, ttl_ms=7_200_000):
        async with self.process.data.write() as writer:
            return await self.ledger.reserve(writer, self.org_id, team_id or self.team_id, amounts, ttl_ms)

    async def settle(self, reservation, actual=None):
        async with self.process.data.write() as writer:
            await self.ledger.settle(writer, reservation, actual)

    async def release(self, reservation, keep=None):
        async with self.process.data.write() as writer:
            await self.ledger.release(writer, reservation, keep)

    async def extend(self, reservation, ttl_ms):
        async with self.process.data.write() as writer:
            return await self.ledger.extend(writer, reservation, ttl_ms)

    async def adjust(self, by, *, team_id=None):
        async with self.process.data.write() as writer:
            await self.ledger.adjust(writer, self.org_id, team_id or self.team_id, "test.bytes", by)

    async def limit(self, dimension, window, limit, *, level="team", subject_id=None):
        subject_id = subject_id or (self.team_id if level == "team" else self.org_id)
        async with self.process.data.write() as writer:
            return await self.ledger.set_limit(writer, level, subject_id, dimension, window, limit)

    async def apply_plan(self, plan):
        async with self.process.data.write() as writer:
            await self.ledger.apply_plan(writer, self.org_id, plan)

    async def usage(self, *, org_id=None, team_id=None):
        async with self.process.data.read() as reader:
            return await self.ledger.usage(reader, org_id or self.org_id, team_id or self.team_id)

    async def used(self, dimension, *, level="team", window=None, team_id=None):
        """In a window with a limit, or else in the natural one."""
        rows = [
            row
            for row in await self.usage(team_id=team_id)
            if (row.dimension, row.level) == (dimension, level) and window in (None, row.window)
        ]
        (row,) = rows
        return row.used


@pytest.fixture
async def opened(process):  # noqa: F811
    """With the tables of quotas."""
    await migrate(process.data, [MigrationSource("quotas", MIGRATIONS)], process.clock.now_ms())
    await process.vault.open(process.data)
    return process


@pytest.fixture
async def books(opened) -> Books:
    directory = StoredDirectory(opened.clock)
    async with opened.data.write() as writer:
        org = await directory.create_org(writer, "Acme")
        teams = [await directory.create_team(writer, org.id, name) for name in ("First", "Second")]
        foreign = await directory.create_org(writer, "Globex")
        foreign_team = await directory.create_team(writer, foreign.id, "Elsewhere")
    ledger = make_ledger(opened.clock)
    return Books(opened, ledger, org.id, teams[0].id, teams[1].id, foreign.id, foreign_team.id)
