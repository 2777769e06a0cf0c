"""What has to happen with nobody asking: due jobs wait no longer, and lost ones are taken away.

Every process does it, and none needs to be the one: each step takes only rows that nobody else has.
"""

from guildhall_sdk import Clock, Data, Row
from kernel.logs import get_logger
from kernel.scheduler.completion import CompletionWriter
from kernel.scheduler.lanes import BlockedLanes, lane_of, open_lanes
from kernel.scheduler.lease_time import LeaseTime
from kernel.scheduler.loops import Loop
from kernel.scheduler.parking import Parking
from kernel.scheduler.renewal import Renewal
from kernel.scheduler.signals import Signals
from kernel.scheduler.statements import LeaseClock, sql
from kernel.scheduler.succession import Succession

_log = get_logger("jobs")
TICK_SECONDS = 1.0
_MAX_ROWS = 500
_FIRST_LANE: Row = {"pool": "", "vtime": -1.0, "team_id": "", "requirement": ""}


class Upkeep:
    def __init__(
        self,
        data: Data,
        endings: CompletionWriter,
        clock: Clock,
        time: LeaseClock,
        lease_time: LeaseTime,
        lease_ms: int,
        renewal: Renewal,
        succession: Succession,
        signals: Signals,
        parking: Parking,
        blocked: BlockedLanes,
    ) -> None:
        self._data = data
        self._endings = endings
        self._clock = clock
        self._time = time
        self._lease_time = lease_time
        self._lease_ms = lease_ms
        self._renewal = renewal
        self._succession = succession
        self._signals = signals
        self._parking = parking
        self._next_due: int | None = None
        self._place = _FIRST_LANE
        self._blocked = blocked
        self._loop = Loop("upkeep", self.tick, self._until_next)

    def start(self) -> None:
        self._loop.start()

    async def stop(self) -> None:
        await self._loop.stop()

    async def take_up_left_over(self) -> None:
        """Frees at boot what this process ran when it died, where one process owns the database.

        A worker outside has a lease from now: nobody could renew one meanwhile, and the clock that it was
        measured by is gone.
        """
        async with self._data.write() as writer:
            await self._endings.take_away(writer, await writer.all(sql.left_by_this_process), at_once=True)
            await writer.run(sql.renew_leases, now=self._time.now(), lease_ms=self._lease_ms)

    async def tick(self) -> None:
        """Runs one round. It reads first: an idle server writes nothing."""
        moment = await self._lease_time.look()
        async with self._data.read() as reader:
            due = await reader.value(sql.next_due)
            lapse = await reader.value(sql.next_lapse)
        self._next_due = due
        if due is not None and due <= moment.of_day:
            await self._promote()
            async with self._data.read() as reader:
                self._next_due = await reader.value(sql.next_due)
        if lapse is not None and lapse <= moment.now and moment.lapses_count:
            # This process may have stood still itself, and what has lapsed be its own.
            await self._renewal.renew_if_due()
            await self._reap()
        await self._close_idle_lanes()
        if await self._parking.bring_back():
            self._signals.arrived()
        if await self._blocked.look():
            self._signals.arrived()
        await self._succession.take_over()

    async def _promote(self) -> None:
        async with self._data.write() as writer:
            rows = await writer.all(sql.promote, wall=self._time.time_of_day(), max_rows=_MAX_ROWS)
            await open_lanes(writer, map(lane_of, rows))
            writer.after_commit(self._signals.arrived)

    async def _reap(self) -> None:
        async with self._data.write() as writer:
            lapsed = await writer.all(sql.lapsed, now=self._time.now(), max_rows=_MAX_ROWS)
            rows = await self._endings.take_away(writer, lapsed)
        for row in rows:
            _log.warning("job.lapsed", job=row["id"], kind=row["kind"], state=row["state"])

    async def _close_idle_lanes(self) -> None:
        """Closes those of the next lanes in which nothing waits; one that just gets a job is passed over."""
        async with self._data.read() as reader:
            lanes = await reader.all(sql.lanes_from, **self._place, max_rows=_MAX_ROWS)
        last = lanes[-1] if len(lanes) == _MAX_ROWS else _FIRST_LANE
        self._place = {name: last[name] for name in _FIRST_LANE}
        idle = [lane for lane in lanes if lane["idle"]]
        if not idle:
            return
        async with self._data.write() as writer:
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
        tick = min(TICK_SECONDS, self._lease_ms / 3000)
        due = self._next_due
        return tick if due is None else min(tick, max(0.02, (due - self._clock.now_ms()) / 1000))
