"""What every part of one process's scheduler works with: its kinds, its clock, its leases and its signals."""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from guildhall_sdk import Clock, Host, JobKind, Problem, Row, Writer
from guildhall_sdk.services.jobs import Lease
from kernel.clock import SystemClock
from kernel.db import Database
from kernel.logs import get_logger
from kernel.scheduler.lanes import BlockedLanes
from kernel.scheduler.rows import ENDED
from kernel.scheduler.statements import sql
from libs.coordination import ClockReading, EndWatch, Loop

_log = get_logger("jobs")
_JUMP_MS = 5_000
LONGEST_WAIT_MS = 10 * 60_000

# A job's id, its claim token, and how far it has come.
Held = tuple[str, str, float | None]


def log_failure(action: str, error: Exception, **fields: str) -> None:
    """Logs a fault; what a database that is away answers to everybody is logged elsewhere."""
    if not isinstance(error, Problem):
        _log.error(action, exc=error, **fields)


class Signals:
    """Wakes the claim loops, here and in the other processes, and those who wait for a job's end.

    Where one process has the database, writers take turns: whoever is next sees what the one before has
    written, and shares its commit. There the claim loop is woken inside the transaction in which attempts
    end: it is next, and one commit is for both.
    """

    def __init__(self, data: Database) -> None:
        self.wake = asyncio.Event()
        self._data = data
        self.end_watch = EndWatch(
            data.announcements,
            self._find_ended,
            name="job",
            shared=data.shared_by_processes,
            failed=partial(log_failure, "jobs.look_failed"),
        )
        self._others = data.announcements("jobs", lambda _: self.wake.set())
        self._writers_take_turns = not data.shared_by_processes
        # How often attempts ended, and how many of these the last claim has seen.
        self._endings = self._endings_seen = 0
        #: Attempts that ended in this process, by kind and outcome.
        self.outcomes: Counter[tuple[str, ...]] = Counter()

    async def start(self) -> None:
        await self._others.start()
        await self.end_watch.start()

    async def stop(self) -> None:
        await self.end_watch.stop()
        await self._others.stop()

    def ending(self) -> int:
        """Signals, inside the transaction, that attempts end; returns their number for `ended`."""
        self._endings += 1
        if self._writers_take_turns:
            self.wake.set()
        return self._endings

    def claimed(self) -> None:
        """Signals, inside its transaction, that a claim took what it could, in the room of all endings."""
        if self._writers_take_turns:
            self._endings_seen = self._endings

    def arrived(self) -> None:
        """Signals that jobs wait which any process may claim."""
        self.wake.set()
        self._others.tell()

    def freed(self) -> None:
        """Signals that a slot of this process may be free, or a team have room for more."""
        self.wake.set()

    def ended(self, rows: Sequence[Row], ending: int | None = None) -> None:
        """Signals that jobs are over, or wait again after an attempt.

        Nobody is woken where no attempt ended, nor for an `ending` that a claim has seen.
        """
        attempts = [row for row in rows if "reservation" in row]
        for row in attempts:
            self.outcomes[row["kind"], "retried" if row["state"] == "scheduled" else row["state"]] += 1
        self.end_watch.tell(row["id"] for row in rows if row["state"] in ENDED)
        if attempts and (ending is None or ending > self._endings_seen):
            self.wake.set()

    async def _find_ended(self, ids: Sequence[str]) -> Collection[str]:
        async with self._data.read() as reader:
            return {row["id"] for row in await reader.all(sql.ended_of, ids=json.dumps(ids))}


class JobEvents:
    """Records events of jobs, and delivers events by jobs. Here nobody is interested; `kernel.events` is."""

    async def jobs_ended(self, writer: Writer, rows: Sequence[Row]) -> None:
        """Runs in the transaction in which jobs end or change hands."""

    def kind_of_another(self, name: str) -> JobKind | None:
        """Returns a kind for a job whose own no plugin here brings; None puts the job off."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """`hosts` are those of the plugins that bring the kinds, by kind; `host` is for others.

    Everybody has the same `kinds`: what is withdrawn from them is gone for all.

    `now` and `wall` are the values of `:now` and `:wall`: the time of leases, which never jumps, and the time
    of day, for `run_at` and for what is shown. None is the time of the database itself, by which processes go
    that share one.
    """

    host: Host
    data: Database
    kinds: dict[str, JobKind]
    hosts: Mapping[str, Host]
    events: JobEvents
    lease_ms: int
    signals: Signals
    blocked: BlockedLanes

    @property
    def clock(self) -> Clock:
        return self.host.clock

    @property
    def _by_database(self) -> bool:
        return self.data.shared_by_processes and isinstance(self.clock, SystemClock)

    @property
    def now(self) -> int | None:
        return None if self._by_database else self.clock.steady_ms()

    @property
    def wall(self) -> int | None:
        return None if self._by_database else self.clock.now_ms()

    def host_of(self, kind: str) -> Host:
        return self.hosts.get(kind, self.host)

    async def extend_leases(self, jobs: Sequence[Held], *, own: bool = False) -> Mapping[str, int]:
        """Gives each job a whole lease from now, and returns when it ends; a job without one is lost.

        One that this process runs is its `own` until somebody takes it away, also with a lease that is over.
        """
        binds = {"jobs": json.dumps(jobs), "lease_ms": self.lease_ms, "own": int(own)}
        async with self.data.write() as writer:
            rows = await writer.all(sql.extend, now=self.now, **binds)
        return {row["id"]: row["lease_until"] for row in rows}

    def lease(self, until: int) -> Lease:
        """Returns the lease with the time of day at which it ends, by the present clocks."""
        ahead = 0 if self._by_database else self.clock.now_ms() - self.clock.steady_ms()
        return Lease(self.lease_ms // 1000, until + ahead)


def loop(
    name: str,
    work: Callable[[], Awaitable[object]],
    seconds: float | Callable[[], Awaitable[float]],
    wake: asyncio.Event | None = None,
) -> Loop:
    """Makes a loop whose failed rounds are logged."""
    failed = partial(log_failure, "jobs.round_failed", round=name)
    return Loop(f"jobs: {name}", work, seconds, failed, wake)


class LeaseTime:
    """Watches the clock that leases are measured by: when it jumps, nobody is called lost for it.

    Read before anybody is called lost, and before the own leases are renewed.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._turn = asyncio.Lock()
        self._before: ClockReading | None = None
        #: Until then, by the leases' clock, no lapse counts.
        self.no_reaping_until = 0

    async def read(self) -> ClockReading:
        """Reads the clocks; after a jump it gives everybody one lease from now before it returns."""
        core = self._core
        async with self._turn:
            async with core.data.read() as reader:
                read = await reader.one(sql.time_now, now=core.now, wall=core.wall)
            assert read is not None
            moment = ClockReading(read["leases"], read["of_day"], core.clock.steady_ms())
            leases_by, day_by = moment.jumps_since(self._before or moment)
            if abs(leases_by) >= _JUMP_MS:
                _log.warning("jobs.clock_jumped", by_ms=leases_by)
                async with core.data.write() as writer:
                    await writer.run(sql.renew_leases, now=core.now, lease_ms=core.lease_ms)
                self.no_reaping_until = moment.now + core.lease_ms
            if day_by <= -_JUMP_MS:
                async with core.data.write() as writer:
                    await writer.run(sql.hasten_retries, wall=core.wall, longest=LONGEST_WAIT_MS)
            # After the writes: should one be refused, the next read tries again.
            self._before = moment
            return moment
