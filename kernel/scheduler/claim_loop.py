"""The one claimer of a process: sums up who could take a job, claims for all of them at once, hands out."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from guildhall_sdk import Row
from guildhall_sdk.data import TENANT
from guildhall_sdk.engines.engine import DatabaseBusy
from guildhall_sdk.errors import PaymentRequired
from kernel.scheduler.claim import Claim, Claimant
from kernel.scheduler.completion import CompletionWriter
from kernel.scheduler.core import Core, log_failure, loop
from kernel.scheduler.lanes import lane_of, open_lanes
from kernel.scheduler.runner import Runner
from kernel.scheduler.statements import as_keys, sql
from kernel.scope import change_scope, own_context
from libs.coordination import TaskSet, Waiters

POLL_SECONDS = 2.0
_SOON_SECONDS = 0.05
_AFTER_TROUBLE_SECONDS = 0.5
_GIVING_BACK_TRIES = 3

# Who could take a job, by id, together with those of the same reach: of the same jobs, whoever they are.
Demand = dict[Claimant, dict[str, Claimant]]


class Slots(NamedTuple):
    """The slots of a claimant in which jobs run in this process: how many are free, and how one is filled."""

    free: Callable[[], int]
    start: Callable[[Row], None]


class ClaimLoop:
    """Woken by whoever brings a job, frees a slot or begins to wait; beneath that it looks now and then."""

    def __init__(
        self,
        core: Core,
        claim: Claim,
        endings: CompletionWriter,
        slots: Mapping[Claimant, Slots],
        local: Runner,
    ) -> None:
        self._core = core
        self._claim = claim
        self._endings = endings
        self._runners = slots
        self._local = local
        self._waiters: Waiters[Claimant, Row] = Waiters()
        self._wake = core.signals.wake
        self.loop = loop("claims", self._claim_all, self._pause, self._wake)
        self._seconds = POLL_SECONDS
        self._turn = asyncio.Lock()
        self._closed = False
        # What the last round saw: that jobs wait which it could not have, in which pools, and that it could
        # have had more.
        self._jobs_left = self._more = False
        self._ready_pools: set[str] = set()
        core.signals.has_free_claimant = self._has_free_claimant
        self._unfinished = TaskSet()

    async def stop(self) -> None:
        """Ends claiming; those who wait are told that there is nothing."""
        self._closed = True
        self._waiters.dismiss(lambda claimant: True)
        async with self._turn:  # a claim under way is handed out, not lost
            await self.loop.stop()
        await self._unfinished.finished()

    def dismiss(self, claimant_id: str) -> None:
        """Ends the waiting of everybody under this name, with nothing."""
        self._waiters.dismiss(lambda claimant: claimant.id == claimant_id)

    async def wait_for_one(
        self, claimant: Claimant, seconds: float, gone: asyncio.Future[None]
    ) -> Row | None:
        """Claims a job for a worker outside; None when there was none for so long, or they left."""
        if self._closed:
            return None
        row, left = None, True
        with self._waiters.waiting(claimant) as handed:
            try:
                if seconds > 0:
                    self._core.signals.changed()
                    either: set[asyncio.Future[Any]] = {handed, gone}
                    await asyncio.wait(either, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
                else:
                    # Others share the round: it goes on to its end even if this caller is cancelled.
                    round_ = self._unfinished.start(self.claim_round(handed.done), own_context())
                    await asyncio.shield(round_)
                left = gone.done()
            finally:
                row = handed.result() if handed.done() else None
                if row is not None and left:
                    self._unfinished.start(self.give_back([row]), own_context())
        if left:
            await self._unfinished.finished()
        return None if left else row

    async def claim_round(
        self, needless: Callable[[], bool] = lambda: False, arrived: Collection[str] = ()
    ) -> int:
        """Claims once for everybody who could take one, in the pools where jobs `arrived` if these are known.

        Returns how many were handed out. While it waits for its turn, the round before it may have served
        whom it is for.
        """
        async with self._turn:
            if needless():
                return 0
            self._jobs_left, self._more = await self._local.resume(), False
            could = [who for who in (*self._runners, *self._waiters) if self._free(who) > 0]
            if not could or self._closed:
                return 0
            wanted = self._demand_in(arrived, could)
            if not (wanted or self._core.signals.unseen):
                wanted = await self._demand(self._core.data.read_rows, could)
                if not wanted:
                    return 0
            taken: list[tuple[Claimant, Row]] = []
            try:
                async with self._core.data.write(within=TENANT) as writer:
                    wanted = wanted or await self._demand(writer.all, could)
                    for reach, together in wanted.items():
                        holders = [who for who in together.values() for _ in range(self._free(who))]
                        found = await self._claim.take_for(writer, reach, holders)
                        taken += [(together[row["held_by"]], row) for row in found.rows]
                        self._more = self._more or found.more
                    self._core.signals.seen()
                    self._jobs_left = self._jobs_left or bool(wanted)
            except PaymentRequired:
                return 0
            unwanted = [row for who, row in taken if not self._hand_out(who, row)]
            if unwanted:
                await self.give_back(unwanted)
            return len(taken) - len(unwanted)

    async def give_back(self, rows: Sequence[Row]) -> None:
        """Gives claimed jobs back; again where the database had to choose between this and another write."""
        jobs = json.dumps(sorted([row["id"], row["claim_token"]] for row in rows))
        for _ in range(_GIVING_BACK_TRIES - 1):
            with suppress(DatabaseBusy):
                return await self._give_back(jobs)
        return await self._give_back(jobs)

    async def _give_back(self, jobs: str) -> None:
        async with self._core.data.write() as writer:
            back = await writer.all(sql.give_back, jobs=jobs, wall=self._core.wall)
            await open_lanes(writer, map(lane_of, back))
            await self._endings.pass_on(writer, [row for row in back if row["state"] == "cancelled"])
            await self._endings.release(writer, [row for row in back if row["state"] == "queued"])
            writer.after_commit(self._core.signals.arrived)

    def _free(self, who: Claimant) -> int:
        """Returns how many jobs they could take now."""
        slots = self._runners.get(who)
        return self._waiters.count(who) if slots is None else slots.free()

    async def _demand(self, read: Callable[..., Any], could: Sequence[Claimant]) -> Demand:
        """Returns those who could take a job, by reach and id, where anything waits at all."""
        pools = as_keys(sorted({pool for who in could for pool in who.pools}))
        self._ready_pools = {row["pool"] for row in await read(sql.ready_pools, pools=pools)}
        return self._demand_in(self._ready_pools, could)

    @staticmethod
    def _demand_in(pools: Collection[str], could: Sequence[Claimant]) -> Demand:
        """Returns those who could take a job of these pools, by reach and id."""
        demand: Demand = defaultdict(dict)
        for who in could:
            if from_pools := tuple(pool for pool in who.pools if pool in pools):
                reach = replace(who, id="", name="", pools=from_pools)
                demand[reach].setdefault(who.id, who)
        return demand

    def _has_free_claimant(self, pools: Collection[str]) -> bool:
        ready = self._ready_pools.union(pools)
        everybody = (*self._runners, *self._waiters)
        return any(not ready.isdisjoint(who.pools) and self._free(who) > 0 for who in everybody)

    def _hand_out(self, who: Claimant, row: Row) -> bool:
        slots = self._runners.get(who)
        if slots is None:
            return self._waiters.hand_out(who, row)
        slots.start(row)
        return True

    async def _claim_all(self) -> None:
        """Claims while there is more to be had, and sets when to look again if nobody wakes it."""
        change_scope(background=False)  # jobs wait for it
        self._seconds = _SOON_SECONDS if self._wake.is_set() else min(2 * self._seconds, POLL_SECONDS)
        self._wake.clear()
        arrived = self._core.signals.take_places()
        self._ready_pools |= arrived
        try:
            while await self.claim_round(arrived=arrived):
                self._seconds = _SOON_SECONDS
                if not self._more:
                    break
        except Exception as error:
            log_failure("jobs.claim_failed", error)
            await asyncio.sleep(_AFTER_TROUBLE_SECONDS)
            self._wake.set()

    async def _pause(self) -> float:
        """Returns the seconds to the next look.

        What waits and was not to be had may be another claimer's for a moment, which tells nobody when it
        lets go. More likely its team has no room: then less and less often.
        """
        return self._seconds if self._jobs_left else POLL_SECONDS
