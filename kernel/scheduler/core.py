"""What every part of one process's scheduler works with: its kinds, its clock, its leases and its signals."""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from guildhall_sdk import Clock, Host, JobKind, Problem, Row, Writer
from guildhall_sdk.services.jobs import Lease
from kernel.clock import SystemClock
from kernel.db.database import Database
from kernel.logs import get_logger
from kernel.scheduler.lanes import BlockedLanes
from kernel.scheduler.rows import ENDED
from kernel.scheduler.statements import sql
from libs.coordination import ChangeSignals, EndWatch, Loop

_log = get_logger("jobs")
LONGEST_WAIT_MS = 10 * 60_000

# A job's id, its claim token, and how far it has come.
Held = tuple[str, str, float | None]


def log_failure(action: str, error: Exception, **fields: str) -> None:
    """Logs a fault; what a database that is away answers to everybody is logged elsewhere."""
    if not isinstance(error, Problem):
        _log.error(action, exc=error, **fields)


class Signals(ChangeSignals):
    """Wakes the claim loops, here and in the other processes, and those who wait for a job's end.

    Where one process has the database, it is woken inside the transaction in which jobs arrive or attempts
    end, if anybody could take one: it is next, and one commit is for both.
    """

    def __init__(self, data: Database) -> None:
        super().__init__(writers_take_turns=not data.shared_by_processes)
        self._data = data
        self.end_watch = EndWatch(
            data.pool.announcements,
            self._find_ended,
            name="job",
            shared=data.shared_by_processes,
            failed=partial(log_failure, "jobs.look_failed"),
        )
        self._others = data.pool.announcements("jobs", lambda _: self.changed())
        #: Tells whether anybody here could take a job of these pools, or of those where some were left.
        self.has_free_claimant: Callable[[Collection[str]], bool] = lambda pools: False
        #: Attempts that ended in this process, by kind and outcome.
        self.outcomes: Counter[tuple[str, ...]] = Counter()

    async def start(self) -> None:
        await self._others.start()
        await self.end_watch.start()

    async def stop(self) -> None:
        await self.end_watch.stop()
        await self._others.stop()

    async def changing_jobs(self, arriving_in: Collection[str] = ()) -> int | None:
        """Signals, inside the transaction, that attempts end or jobs arrive in these pools."""
        self.arriving(arriving_in)
        return await self.changing() if self.has_free_claimant(arriving_in) else None

    def arrived(self, change: int | None = None) -> None:
        """Signals that jobs wait which any process may claim."""
        self.changed(change)
        self._others.notify()

    def ended(self, rows: Sequence[Row], change: int | None = None) -> None:
        """Signals that jobs are over, or wait again; nobody is woken where no attempt ended."""
        attempts = [row for row in rows if "reservation" in row]
        for row in attempts:
            self.outcomes[row["kind"], "retried" if row["state"] == "scheduled" else row["state"]] += 1
        self.end_watch.notify(row["id"] for row in rows if row["state"] in ENDED)
        if attempts:
            self.changed(change)

    async def _find_ended(self, ids: Sequence[str]) -> Collection[str]:
        return {row["id"] for row in await self._data.read_rows(sql.ended_of, ids=json.dumps(ids))}


class JobEvents(Protocol):
    """Records events of jobs, and delivers events by jobs, as `kernel.events` does."""

    async def jobs_ended(self, writer: Writer, rows: Sequence[Row]) -> None:
        """Runs in the transaction in which jobs end or change hands."""

    def jobs_moved(self, writer: Writer, rows: Sequence[Row]) -> None:
        """Is called in the transaction in which jobs arrive or begin."""

    def kind_of_another(self, name: str) -> JobKind | None:
        """Returns a kind for a job whose own no plugin here brings; None puts the job off."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
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
        binds = {"jobs": json.dumps(jobs), "lease_ms": self.lease_ms, "own": int(own), "now": self.now}
        rows = await self.data.write_rows(sql.extend, **binds)
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
    return Loop(f"jobs: {name}", work, seconds, partial(log_failure, "jobs.round_failed", round=name), wake)
