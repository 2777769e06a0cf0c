"""The leases of held jobs, extended for whoever has their current claim token, and the clock they go by."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from guildhall_sdk.services.jobs import Lease
from kernel.logs import get_logger
from kernel.scheduler.completion import LONGEST_WAIT_MS
from kernel.scheduler.core import Core
from kernel.scheduler.statements import sql

_log = get_logger("jobs")
TICK_SECONDS = 1.0
_JUMP_MS = 5_000

Held = tuple[str, str, float | None]
"""A job's id, its claim token, and how far it has come."""


class Leases:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def extend(self, jobs: Sequence[Held], *, own: bool = False) -> Mapping[str, int]:
        """Gives each job a whole lease from now, and returns when it ends; a job without one is lost.

        One that this process runs is its `own` until somebody takes it away, also with a lease that is over.
        """
        time, lease_ms = self._core.time, self._core.lease_ms
        async with self._core.data.write() as writer:
            rows = await writer.all(
                sql.extend, jobs=json.dumps(jobs), now=time.now(), lease_ms=lease_ms, own=int(own)
            )
        return {row["id"]: row["lease_until"] for row in rows}

    def public(self, until: int) -> Lease:
        """Returns the lease with the time of day at which it ends."""
        return Lease(self._core.lease_ms // 1000, self._core.time.to_time_of_day(until))


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
        time = self._core.time
        async with self._turn:
            async with self._core.data.read() as reader:
                read = await reader.one(sql.time_now, now=time.now(), wall=time.time_of_day())
            assert read is not None
            now, of_day, steady = read["leases"], read["of_day"], self._core.clock.steady_ms()
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
                await writer.run(sql.renew_leases, now=core.time.now(), lease_ms=core.lease_ms)
            self._no_reaping_until = now + core.lease_ms
        if day_by <= -_JUMP_MS:
            async with core.data.write() as writer:
                await writer.run(sql.hasten_retries, wall=core.time.time_of_day(), longest=LONGEST_WAIT_MS)
        return abs(leases_by) >= _JUMP_MS
