"""What has to happen with nobody asking: leases renewed, due jobs woken, what is lost taken up again.

A process is alive as long as its row is renewed, or the connection it listens on holds its lock, which the
database lets go of the moment that the process dies. Only one that lacks both is taken for dead.

Every process does all of it, and none needs to be the one: each step takes only rows that nobody else has.
"""

import asyncio
import os
import socket
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from guildhall_sdk import Problem, Reader, Row, Writer, new_id
from kernel.logs import get_logger
from kernel.scheduler.completion import CompletionWriter
from kernel.scheduler.core import LONGEST_WAIT_MS, Core, loop
from kernel.scheduler.lanes import Parking, lane_of, open_lanes
from kernel.scheduler.runner import Runner
from kernel.scheduler.statements import sql
from libs.coordination import ClockReading, HeartbeatWatch, Presence

_log = get_logger("jobs")
SIGN_SECONDS = 2.0
TICK_SECONDS = 1.0
SILENT_MS = 5_000
_JUMP_MS = 5_000
# Whoever has not looked for so long cannot tell whose silence is whose.
_LONGEST_GAP_MS = 3_000
_MAX_ROWS = 500


class Renewal:
    """Renews the leases of what this process runs at each third of one, behind nothing else that it does.

    What was refused is tried again at the next tick. It also watches the clock that leases are measured by:
    when that jumps, nobody is called lost for it.
    """

    def __init__(self, core: Core, runners: Sequence[Runner]) -> None:
        self._core = core
        self._runners = runners
        self._renewed_at = core.clock.steady_ms()
        self._turn, self._clock_turn = asyncio.Lock(), asyncio.Lock()
        self._before: ClockReading | None = None
        #: Until then, by the leases' clock, no lapse counts.
        self.no_reaping_until = 0
        # Short enough that a renewal is never late by more than a ninth of a lease.
        self.loop = loop("renewal", self.renew_if_due, min(TICK_SECONDS, core.lease_ms / 9000))

    def hasten(self) -> None:
        """Lets the next tick renew whatever the time: somebody may have taken away what runs here."""
        self._renewed_at -= self._core.lease_ms

    async def renew_if_due(self) -> None:
        """Renews the leases of this process if they are due.

        Call it also before anybody is called lost: a process that stood still renews its own first.
        """
        async with self._turn:
            if (now := self._core.clock.steady_ms()) - self._renewed_at < self._core.lease_ms // 3:
                return
            # Had the clock jumped, every lease of ours would look as if it were over.
            await self.read_clocks()
            await self._renew()
            self._renewed_at = now  # as it began: it may have stood still since

    async def read_clocks(self) -> ClockReading:
        """Reads the clocks; after a jump it gives everybody one lease from now before it returns.

        Call it before anybody is called lost, and before the own leases are renewed.
        """
        core = self._core
        async with self._clock_turn:
            [read] = await core.data.read_rows(sql.time_now, now=core.now, wall=core.wall)
            moment = ClockReading(read["leases"], read["of_day"], core.clock.steady_ms())
            leases_by, day_by = moment.jumps_since(self._before or moment)
            if abs(leases_by) >= _JUMP_MS:
                _log.warning("jobs.clock_jumped", by_ms=leases_by)
                await core.data.write_rows(sql.renew_leases, now=core.now, lease_ms=core.lease_ms)
                self.no_reaping_until = moment.now + core.lease_ms
            if day_by <= -_JUMP_MS:
                await core.data.write_rows(sql.hasten_retries, wall=core.wall, longest=LONGEST_WAIT_MS)
            # After the writes: should one be refused, the next read tries again.
            self._before = moment
            return moment

    async def _renew(self) -> None:
        held = [(runner, job) for runner in self._runners for job in runner.held]
        if not held:
            return
        jobs = [(job.id, job.token, job.reached) for _, job in held]
        still_held = await self._core.extend_leases(jobs, own=True)
        for runner, job in held:
            if job.id not in still_held:
                runner.drop(job)


class Heartbeat(Presence):
    """This process among those of its database.

    When others took it for dead, and it is back under a new id, it hastens its `renewal`.
    """

    def __init__(self, core: Core, renewal: Renewal) -> None:
        self._core = core
        self._renewal = renewal
        rounds = partial(loop, "heartbeat", seconds=SIGN_SECONDS)
        super().__init__(rounds, shared=core.data.shared_by_processes)

    def make_id(self) -> str:
        return new_id("proc", self._core.clock.now_ms())

    async def add_row(self, member_id: str, before: str | None) -> None:
        if before is not None:
            await self._core.data.pool.let_go(_lock_key(before))
        await self._core.data.pool.hold(_lock_key(member_id))
        machine = {"host": socket.gethostname(), "pid": os.getpid()}
        version = self._core.host.settings.version
        async with self._core.data.write() as writer:
            await writer.run(sql.add_process, id=member_id, now=self._core.now, version=version, **machine)
            # What it has claimed since then is its own under the new id.
            await writer.run(sql.rename_holder, before=before, id=member_id)

    async def renew_row(self, member_id: str) -> bool:
        return bool(await self._core.data.write_rows(sql.beat, id=member_id, now=self._core.now))

    async def remove_row(self, member_id: str) -> None:
        await self._core.data.pool.let_go(_lock_key(member_id))
        with suppress(Problem):  # the database is away: the others find the row without its process
            await self._core.data.write_rows(sql.remove_process, id=member_id)

    def on_return(self, before: str) -> None:
        _log.warning("process.was_taken_for_dead", process=before, now=self.id)
        self._renewal.hasten()


class DeadProcessRecovery:
    """Takes up what a dead process held: seconds after its death, not when the leases lapse."""

    def __init__(self, core: Core, heartbeat: Heartbeat, endings: CompletionWriter) -> None:
        self._core = core
        self._heartbeat = heartbeat
        self._endings = endings
        self.silent_processes = HeartbeatWatch(SILENT_MS, _LONGEST_GAP_MS).overdue

    async def recover(self) -> None:
        """Looks at the other processes once; what a dead one held waits for another attempt."""
        if self._heartbeat.id is None:
            return
        rows = await self._core.data.read_rows(sql.other_processes, id=self._heartbeat.id)
        others = {row["id"]: row for row in rows}
        seen = {one: row["seen_at"] for one, row in others.items()}
        for silent in self.silent_processes(seen, self._core.clock.steady_ms()):
            await self.recover_from(others[silent])

    async def recover_from(self, silent: Row) -> None:
        """Holds its lock for itself meanwhile: it is not connected, and cannot come back half-way."""
        async with self._core.data.write() as writer:
            if not await writer.value(sql.is_disconnected, key=_lock_key(silent["id"])):
                return
            if await writer.one(sql.declare_dead, id=silent["id"], seen_at=silent["seen_at"]) is None:
                return
            held = await writer.all(sql.held_by_process, process_id=silent["id"])
            jobs = len(await self._endings.take_away(writer, held))
        _log.warning("process.lost", process=silent["id"], host=silent["host"], pid=silent["pid"], jobs=jobs)


class Upkeep:
    def __init__(
        self,
        core: Core,
        endings: CompletionWriter,
        renewal: Renewal,
        recovery: DeadProcessRecovery,
        parking: Parking,
    ) -> None:
        self._core = core
        self._endings = endings
        self._renewal = renewal
        self._recovery = recovery
        self._parking = parking
        self._next_due: int | None = None
        self.loop = loop("upkeep", self.tick, self._until_next)

    async def take_up_left_over(self) -> None:
        """Frees at boot what this process ran when it died, where one process owns the database.

        A worker outside has a lease from now: nobody could renew one meanwhile, and the clock that it was
        measured by is gone.
        """
        async with self._core.data.write() as writer:
            await self._endings.take_away(writer, await writer.all(sql.left_by_this_process), at_once=True)
            await writer.run(sql.renew_leases, now=self._core.now, lease_ms=self._core.lease_ms)

    async def tick(self) -> None:
        """Runs one round. It reads first: an idle server writes nothing."""
        moment = await self._renewal.read_clocks()
        [times] = await self._core.data.read_rows(sql.next_times)
        if times["due"] is not None and times["due"] <= moment.of_day:
            await self._promote()
            [times] = await self._core.data.read_rows(sql.next_times)
        self._next_due, lapse = times["due"], times["lapse"]
        if lapse is not None and max(lapse, self._renewal.no_reaping_until) <= moment.now:
            # This process may have stood still itself, and what has lapsed be its own.
            await self._renewal.renew_if_due()
            await self._reap()
        came_back, cleared = await self._parking.bring_back(), await self._core.blocked.update()
        if came_back or cleared:
            self._core.signals.arrived()
        await self._recovery.recover()

    async def _promote(self) -> None:
        async with self._core.data.write() as writer:
            rows = await writer.all(sql.promote, wall=self._core.wall, max_rows=_MAX_ROWS)
            await open_lanes(writer, map(lane_of, rows))
            writer.after_commit(self._core.signals.arrived)

    async def _reap(self) -> None:
        async with self._core.data.write() as writer:
            lapsed = await writer.all(sql.lapsed, now=self._core.now, max_rows=_MAX_ROWS)
            rows = await self._endings.take_away(writer, lapsed)
        for row in rows:
            _log.warning("job.lapsed", job=row["id"], kind=row["kind"], state=row["state"])

    async def _until_next(self) -> float:
        """Returns the seconds to the next round: a tick, or less where something is due before it."""
        tick = min(TICK_SECONDS, self._core.lease_ms / 3000)
        due = self._next_due
        return tick if due is None else min(tick, max(0.02, (due - self._core.clock.now_ms()) / 1000))


class EndedJobs:
    """Implements the SDK's `JobRetention`."""

    async def count(self, reader: Reader, before: int) -> int:
        return int(await reader.value(sql.count_prunable, before=_first_id_after(before), until=before))

    async def find_ended(self, reader: Reader, before: int, after: str, limit: int) -> tuple[str, int] | None:
        ids = {"after": after, "before": _first_id_after(before)}
        row = await reader.one(sql.oldest_jobs, **ids, until=before, max_rows=limit)
        return None if row is None or row["last"] is None else (str(row["last"]), int(row["over"]))

    async def delete_ended(self, writer: Writer, before: int, after: str, last: str, limit: int) -> list[str]:
        rows = await writer.all(sql.prune, after=after, last=last, until=before, limit=limit)
        return [str(row["id"]) for row in rows]


def _first_id_after(time_ms: int) -> str:
    """Ids sort by time: what was not even asked for by then cannot have ended."""
    return new_id("job", time_ms + 1)


def _lock_key(process_id: str) -> str:
    return f"process {process_id}"
