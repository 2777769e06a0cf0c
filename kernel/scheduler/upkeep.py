"""What has to happen with nobody asking: due jobs wait no longer, lost ones are taken away, old ones go.

Every process does it, and none needs to be the one: each step takes only rows that nobody else has.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import NamedTuple

from guildhall_sdk import Clock, Data, Problem, new_id
from kernel.logs import get_logger
from kernel.scheduler.ending import Endings
from kernel.scheduler.enqueueing import open_lanes
from kernel.scheduler.retries import LONGEST_WAIT_MS
from kernel.scheduler.statements import LeaseClock, sql

_log = get_logger("jobs")
TICK_SECONDS = 1.0
KEPT_MS = 30 * 24 * 3600 * 1000
_PRUNE_EVERY_MS = 10 * 60_000
_JUMP_MS = 5_000
_MOST = 500


class _Seen(NamedTuple):
    """One moment on three clocks: the leases' own, the time of day, and how long this process runs."""

    now: int
    of_day: int
    steady: int


class Upkeep:
    def __init__(
        self,
        data: Data,
        endings: Endings,
        clock: Clock,
        time: LeaseClock,
        lease_ms: int,
        arrived: Callable[[], None],
        renew_own: Callable[[], Awaitable[None]],
    ) -> None:
        self._data = data
        self._endings = endings
        self._clock = clock
        self._time = time
        self._lease_ms = lease_ms
        self._arrived = arrived
        self._renew_own = renew_own
        self._renewed_at = clock.steady_ms()
        self._pruned_at: int | None = None
        self._seen: _Seen | None = None
        self._no_reaping_until = 0
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._go_on(), name="upkeep")

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def take_up_left_over(self) -> None:
        """Where one process owns the database, what it ran when it died is free at its next boot.

        Who works outside has a lease from now: nobody could renew one meanwhile, and the clock that it
        was measured by is gone.
        """
        async with self._data.write() as writer:
            await self._endings.take_away(writer, await writer.all(sql.left_by_this_process), at_once=True)
            await writer.run(sql.renew_leases, now=self._time.now(), lease_ms=self._lease_ms)

    async def tick(self) -> None:
        """One round. It reads first: an idle server writes nothing."""
        async with self._data.read() as reader:
            time = await reader.one(sql.time_now, now=self._time.now(), wall=self._time.time_of_day())
            assert time is not None
            seen = _Seen(time["leases"], time["of_day"], self._clock.steady_ms())
            due = await reader.value(sql.next_due)
            lapse = await reader.value(sql.next_lapse)
            idle_lane = await reader.one(sql.idle_lane)
        # Before anybody is called lost, ourselves included.
        jumped = await self._clock_jumped(seen)
        if self._clock.steady_ms() - self._renewed_at >= self._lease_ms // 3:
            await self._renew_own()
            self._renewed_at = self._clock.steady_ms()
        if due is not None and due <= seen.of_day:
            await self._promote()
        if not jumped and lapse is not None and lapse <= seen.now and seen.now >= self._no_reaping_until:
            await self._reap()
        if idle_lane is not None:
            await self._close_idle_lanes()
        await self._prune()

    async def _promote(self) -> None:
        async with self._data.write() as writer:
            rows = await writer.all(sql.promote, wall=self._time.time_of_day(), most=_MOST)
            await open_lanes(writer, ((row["pool"], row["team_id"], row["org_id"]) for row in rows))
            writer.after_commit(self._arrived)

    async def _reap(self) -> None:
        async with self._data.write() as writer:
            lapsed = await writer.all(sql.lapsed, now=self._time.now(), most=_MOST)
            rows = await self._endings.take_away(writer, lapsed)
        for row in rows:
            _log.warning("job.lapsed", job=row["id"], kind=row["kind"], state=row["state"])

    async def _clock_jumped(self, seen: "_Seen") -> bool:
        """When the leases' clock runs away from how long it was, nobody is called lost for one lease."""
        before = self._seen or seen
        passed = seen.steady - before.steady
        leases_by, day_by = seen.now - before.now - passed, seen.of_day - before.of_day - passed
        if abs(leases_by) >= _JUMP_MS:
            _log.warning("jobs.clock_jumped", by_ms=leases_by)
            async with self._data.write() as writer:
                await writer.run(sql.renew_leases, now=self._time.now(), lease_ms=self._lease_ms)
            self._no_reaping_until = seen.now + self._lease_ms
        if day_by <= -_JUMP_MS:
            async with self._data.write() as writer:
                await writer.run(sql.hasten_retries, wall=self._time.time_of_day(), longest=LONGEST_WAIT_MS)
        self._seen = seen  # after the writes: should one be refused, the next round tries again
        return abs(leases_by) >= _JUMP_MS

    async def _close_idle_lanes(self) -> None:
        async with self._data.write() as writer:
            for lane in await writer.all(sql.idle_lanes, most=_MOST):
                await writer.run(sql.close_lane, pool=lane["pool"], team_id=lane["team_id"])

    async def _prune(self) -> None:
        now = self._clock.now_ms()
        if self._pruned_at is not None and 0 <= now - self._pruned_at < _PRUNE_EVERY_MS:
            return
        self._pruned_at = now
        until = now - KEPT_MS
        before = new_id("job", until + 1)
        while True:
            async with self._data.read() as reader:
                if await reader.one(sql.prunable, before=before, until=until) is None:
                    return
            async with self._data.write() as writer:
                await writer.run(sql.prune, before=before, until=until, most=_MOST)

    async def _go_on(self) -> None:
        while True:
            try:
                await self.tick()
            except Exception as error:
                if not isinstance(error, Problem):
                    _log.error("jobs.upkeep_failed", exc=error)
            await asyncio.sleep(await self._until_next())

    async def _until_next(self) -> float:
        """A tick, or less when something is due before it, or leases are as short."""
        tick = min(TICK_SECONDS, self._lease_ms / 3000)
        with suppress(Problem):
            async with self._data.read() as reader:
                due: int | None = await reader.value(sql.next_due)
            if due is not None:
                return min(tick, max(0.02, (due - self._clock.now_ms()) / 1000))
        return tick
