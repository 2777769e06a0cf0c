"""What every part of one process's scheduler works with: its kinds, its clock and its leases."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from guildhall_sdk import Clock, Host, JobKind, Row, Writer
from guildhall_sdk.services.jobs import Lease
from kernel.clock import SystemClock
from kernel.db import Database
from kernel.logs import get_logger
from kernel.scheduler.lanes import BlockedLanes
from kernel.scheduler.signals import Signals, log_failure
from kernel.scheduler.statements import sql
from libs.coordination import Loop

_log = get_logger("jobs")
_JUMP_MS = 5_000
LONGEST_WAIT_MS = 10 * 60_000

# A job's id, its claim token, and how far it has come.
Held = tuple[str, str, float | None]


class JobEvents:
    """Records events of jobs, and delivers events by jobs. Here nobody is interested; `kernel.events` is."""

    async def jobs_ended(self, writer: Writer, rows: Sequence[Row]) -> None:
        """Runs in the transaction in which jobs end or change hands."""

    def kind_of_another(self, name: str) -> JobKind | None:
        """Returns a kind for a job whose own no plugin here brings; None puts the job off."""
        return None


@dataclass(frozen=True, slots=True)
class LeaseClock:
    """The values of `:now` and `:wall`: the time of leases never jumps, the time of day does.

    None is the time of the database itself, by which processes go that share one.
    """

    clock: Clock
    by_database: bool

    @classmethod
    def of(cls, clock: Clock, data: Database) -> "LeaseClock":
        return cls(clock, data.shared_by_processes and isinstance(clock, SystemClock))

    def now(self) -> int | None:
        """Returns the time of leases."""
        return None if self.by_database else self.clock.steady_ms()

    def time_of_day(self) -> int | None:
        """Returns the time of day, for `run_at` and for what is shown."""
        return None if self.by_database else self.clock.now_ms()

    def to_time_of_day(self, lease_until: int) -> int:
        """Returns the time of day at which a lease ends, by the present clocks."""
        return lease_until + (0 if self.by_database else self.clock.now_ms() - self.clock.steady_ms())


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """`hosts` are those of the plugins that bring the kinds, by kind; `host` is for others.

    Everybody has the same `kinds`: what is withdrawn from them is gone for all.
    """

    host: Host
    data: Database
    kinds: dict[str, JobKind]
    hosts: Mapping[str, Host]
    events: JobEvents
    time: LeaseClock
    lease_ms: int
    signals: Signals
    blocked: BlockedLanes

    @property
    def clock(self) -> Clock:
        return self.host.clock

    @property
    def now(self) -> int | None:
        return self.time.now()

    @property
    def wall(self) -> int | None:
        return self.time.time_of_day()

    def host_of(self, kind: str) -> Host:
        return self.hosts.get(kind, self.host)

    async def extend_leases(self, jobs: Sequence[Held], *, own: bool = False) -> Mapping[str, int]:
        """Gives each job a whole lease from now, and returns when it ends; a job without one is lost.

        One that this process runs is its `own` until somebody takes it away, also with a lease that is over.
        """
        binds = {"jobs": json.dumps(jobs), "lease_ms": self.lease_ms, "own": int(own)}
        async with self.data.write() as writer:
            return {
                row["id"]: row["lease_until"] for row in await writer.all(sql.extend, now=self.now, **binds)
            }

    def lease(self, until: int) -> Lease:
        """Returns the lease with the time of day at which it ends."""
        return Lease(self.lease_ms // 1000, self.time.to_time_of_day(until))


def loop(
    name: str,
    work: Callable[[], Awaitable[object]],
    seconds: float | Callable[[], Awaitable[float]],
    wake: asyncio.Event | None = None,
) -> Loop:
    """Makes a loop whose failed rounds are logged."""
    failed = partial(log_failure, "jobs.round_failed", round=name)
    return Loop(f"jobs: {name}", work, seconds, failed, wake)


@dataclass(frozen=True, slots=True)
class LeaseMoment:
    """One moment on three clocks: the leases' own, the time of day, and how long this process runs."""

    now: int
    of_day: int
    steady: int
    lapses_count: bool


class LeaseTime:
    """Watches the clock that leases are measured by: when it jumps, nobody is called lost for it.

    Looked at before anybody is called lost, and before the own leases are renewed.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._turn = asyncio.Lock()
        self._before: LeaseMoment | None = None
        self._no_reaping_until = 0

    async def look(self) -> LeaseMoment:
        """Reads the clocks; after a jump it renews every lease before it returns."""
        core = self._core
        async with self._turn:
            async with core.data.read() as reader:
                read = await reader.one(sql.time_now, now=core.now, wall=core.wall)
            assert read is not None
            now, of_day, steady = read["leases"], read["of_day"], core.clock.steady_ms()
            jumped = await self._answer_jumps(now, of_day, steady)
            counts = not jumped and now >= self._no_reaping_until
            # After the writes: should one be refused, the next look tries again.
            self._before = LeaseMoment(now, of_day, steady, counts)
            return self._before

    async def _answer_jumps(self, now: int, of_day: int, steady: int) -> bool:
        """Gives everybody one lease from now when the leases' clock jumped; returns whether it did."""
        before, core = self._before, self._core
        if before is None:
            return False
        passed = steady - before.steady
        leases_by, day_by = now - before.now - passed, of_day - before.of_day - passed
        if abs(leases_by) >= _JUMP_MS:
            _log.warning("jobs.clock_jumped", by_ms=leases_by)
            async with core.data.write() as writer:
                await writer.run(sql.renew_leases, now=core.now, lease_ms=core.lease_ms)
            self._no_reaping_until = now + core.lease_ms
        if day_by <= -_JUMP_MS:
            async with core.data.write() as writer:
                await writer.run(sql.hasten_retries, wall=core.wall, longest=LONGEST_WAIT_MS)
        return abs(leases_by) >= _JUMP_MS
