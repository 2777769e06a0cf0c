"""Watching the clock that leases are measured by: when it jumps, nobody is called lost for it."""

import asyncio
from dataclasses import dataclass

from guildhall_sdk import Clock, Data
from kernel.logs import get_logger
from kernel.scheduler.retries import LONGEST_WAIT_MS
from kernel.scheduler.statements import LeaseClock, sql

_log = get_logger("jobs")
_JUMP_MS = 5_000


@dataclass(frozen=True, slots=True)
class LeaseMoment:
    """One moment on three clocks: the leases' own, the time of day, and how long this process runs."""

    now: int
    of_day: int
    steady: int
    lapses_count: bool


class LeaseTime:
    """Looked at before anybody is called lost, and before the own leases are renewed."""

    def __init__(self, data: Data, clock: Clock, time: LeaseClock, lease_ms: int) -> None:
        self._data = data
        self._clock = clock
        self._time = time
        self._lease_ms = lease_ms
        self._turn = asyncio.Lock()
        self._before: LeaseMoment | None = None
        self._no_reaping_until = 0

    async def look(self) -> LeaseMoment:
        """Reads the clocks; after a jump it renews every lease before it returns."""
        async with self._turn:
            async with self._data.read() as reader:
                time = await reader.one(sql.time_now, now=self._time.now(), wall=self._time.time_of_day())
            assert time is not None
            now, of_day, steady = time["leases"], time["of_day"], self._clock.steady_ms()
            jumped = await self._answer_jumps(now, of_day, steady)
            counts = not jumped and now >= self._no_reaping_until
            # After the writes: should one be refused, the next look tries again.
            self._before = LeaseMoment(now, of_day, steady, counts)
            return self._before

    async def _answer_jumps(self, now: int, of_day: int, steady: int) -> bool:
        """Gives everybody one lease from now when the leases' clock jumped; returns whether it did."""
        before = self._before
        if before is None:
            return False
        passed = steady - before.steady
        leases_by, day_by = now - before.now - passed, of_day - before.of_day - passed
        if abs(leases_by) >= _JUMP_MS:
            _log.warning("jobs.clock_jumped", by_ms=leases_by)
            async with self._data.write() as writer:
                await writer.run(sql.renew_leases, now=self._time.now(), lease_ms=self._lease_ms)
            self._no_reaping_until = now + self._lease_ms
        if day_by <= -_JUMP_MS:
            async with self._data.write() as writer:
                await writer.run(sql.hasten_retries, wall=self._time.time_of_day(), longest=LONGEST_WAIT_MS)
        return abs(leases_by) >= _JUMP_MS
