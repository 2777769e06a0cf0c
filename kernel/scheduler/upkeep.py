"""What has to happen with nobody asking: due jobs wait no longer, lost ones are taken away, old ones go.

Every process does it, and none needs to be the one: each step takes only rows that nobody else has.
"""

import time

from guildhall_sdk import Reader, Row, Writer, new_id
from kernel.logs import get_logger
from kernel.scheduler.completion import CompletionWriter
from kernel.scheduler.core import Core
from kernel.scheduler.lanes import lane_of, open_lanes
from kernel.scheduler.leases import LeaseTime
from kernel.scheduler.loops import Loop
from kernel.scheduler.parking import Parking
from kernel.scheduler.presence import DeadProcessRecovery, Renewal
from kernel.scheduler.statements import sql

_log = get_logger("jobs")
TICK_SECONDS = 1.0
_MAX_ROWS = 500
_FIRST_BATCH = 50
_MAX_STEP = 1000
# One batch is one transaction: on SQLite nobody else writes meanwhile.
_LONG_SECONDS, _SHORT_SECONDS = 0.02, 0.01
_BEFORE_EVERY_ID = ""
_FIRST_LANE: Row = {"pool": "", "vtime": -1.0, "team_id": "", "requirement": ""}


class Upkeep:
    def __init__(
        self,
        core: Core,
        endings: CompletionWriter,
        lease_time: LeaseTime,
        renewal: Renewal,
        recovery: DeadProcessRecovery,
        parking: Parking,
    ) -> None:
        self._core = core
        self._endings = endings
        self._lease_time = lease_time
        self._renewal = renewal
        self._recovery = recovery
        self._parking = parking
        self._next_due: int | None = None
        self._place = _FIRST_LANE
        self.loop = Loop("upkeep", self.tick, self._until_next)

    async def take_up_left_over(self) -> None:
        """Frees at boot what this process ran when it died, where one process owns the database.

        A worker outside has a lease from now: nobody could renew one meanwhile, and the clock that it was
        measured by is gone.
        """
        async with self._core.data.write() as writer:
            await self._endings.take_away(writer, await writer.all(sql.left_by_this_process), at_once=True)
            await writer.run(sql.renew_leases, now=self._core.time.now(), lease_ms=self._core.lease_ms)

    async def tick(self) -> None:
        """Runs one round. It reads first: an idle server writes nothing."""
        moment = await self._lease_time.look()
        async with self._core.data.read() as reader:
            due = await reader.value(sql.next_due)
            lapse = await reader.value(sql.next_lapse)
        self._next_due = due
        if due is not None and due <= moment.of_day:
            await self._promote()
            async with self._core.data.read() as reader:
                self._next_due = await reader.value(sql.next_due)
        if lapse is not None and lapse <= moment.now and moment.lapses_count:
            # This process may have stood still itself, and what has lapsed be its own.
            await self._renewal.renew_if_due()
            await self._reap()
        await self._close_idle_lanes()
        came_back, cleared = await self._parking.bring_back(), await self._core.blocked.look()
        if came_back or cleared:
            self._core.signals.arrived()
        await self._recovery.recover()

    async def _promote(self) -> None:
        async with self._core.data.write() as writer:
            rows = await writer.all(sql.promote, wall=self._core.time.time_of_day(), max_rows=_MAX_ROWS)
            await open_lanes(writer, map(lane_of, rows))
            writer.after_commit(self._core.signals.arrived)

    async def _reap(self) -> None:
        async with self._core.data.write() as writer:
            lapsed = await writer.all(sql.lapsed, now=self._core.time.now(), max_rows=_MAX_ROWS)
            rows = await self._endings.take_away(writer, lapsed)
        for row in rows:
            _log.warning("job.lapsed", job=row["id"], kind=row["kind"], state=row["state"])

    async def _close_idle_lanes(self) -> None:
        """Closes those of the next lanes in which nothing waits; one that just gets a job is passed over."""
        async with self._core.data.read() as reader:
            lanes = await reader.all(sql.lanes_from, **self._place, max_rows=_MAX_ROWS)
        last = lanes[-1] if len(lanes) == _MAX_ROWS else _FIRST_LANE
        self._place = {name: last[name] for name in _FIRST_LANE}
        idle = [lane for lane in lanes if lane["idle"]]
        if not idle:
            return
        async with self._core.data.write() as writer:
            for one in idle:
                lane = {"pool": one["pool"], "team_id": one["team_id"]}
                if await writer.one(sql.lock_lane, **lane, requirement=one["requirement"]) is None:
                    continue
                if one["requirement"]:
                    await writer.run(sql.remove_lane, **lane, requirement=one["requirement"])
                else:
                    await writer.run(sql.close_lane, **lane)

    async def _until_next(self) -> float:
        """Returns the seconds to the next round: a tick, or less where something is due before it."""
        tick = min(TICK_SECONDS, self._core.lease_ms / 3000)
        due = self._next_due
        return tick if due is None else min(tick, max(0.02, (due - self._core.clock.now_ms()) / 1000))


class EndedJobs:
    """Deletes jobs that ended long ago, a little at a time; implements the SDK's `JobRetention`."""

    def __init__(self) -> None:
        self._batch = _FIRST_BATCH
        # Where the portion before ended, and where the next one does.
        self._after = self._last = _BEFORE_EVERY_ID

    async def count(self, reader: Reader, before: int) -> int:
        return int(await reader.value(sql.count_prunable, before=_first_id_after(before), until=before))

    async def seek(self, reader: Reader, before: int) -> bool:
        """Walks past what is not over, from the oldest id on, to the next jobs that are."""
        self._after, step = self._last, self._batch
        while True:
            next_ones = await reader.one(
                sql.oldest_jobs,
                after=self._after,
                before=_first_id_after(before),
                until=before,
                max_rows=step,
            )
            if next_ones is None or next_ones["last"] is None:
                self._after = self._last = _BEFORE_EVERY_ID
                return False
            self._last = str(next_ones["last"])
            if next_ones["over"]:
                return True
            self._after, step = self._last, min(_MAX_STEP, 2 * step)

    async def throw_away(self, writer: Writer, before: int, limit: int) -> int:
        began, batch = time.monotonic(), min(limit, self._batch)
        places = {"after": self._after, "last": self._last, "until": before}
        gone = [str(row["id"]) for row in await writer.all(sql.prune, **places, limit=batch)]
        if len(gone) == batch:
            self._last = max(gone)
        self._adapt(time.monotonic() - began, limit)
        return len(gone)

    def _adapt(self, took: float, max_batch: int) -> None:
        """Adapts the batch to how long the last took: rows differ a thousandfold in size, disks in speed."""
        if took > _LONG_SECONDS:
            self._batch = max(1, self._batch // 2)
        elif took < _SHORT_SECONDS:
            self._batch = min(max_batch, self._batch * 2)


def _first_id_after(time_ms: int) -> str:
    """Ids sort by time: what was not even asked for by then cannot have ended."""
    return new_id("job", time_ms + 1)
