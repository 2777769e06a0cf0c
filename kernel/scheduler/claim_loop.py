"""The one claimer of a process: sums up who could take a job, claims for all of them at once, hands out."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from guildhall_sdk import Problem, Row
from guildhall_sdk.data import TENANT
from guildhall_sdk.engines.engine import DatabaseBusy
from guildhall_sdk.errors import PaymentRequired
from kernel.db.accounts import in_background, own_context
from kernel.logs import get_logger
from kernel.scheduler.claim import Claim, Claimant, Holder
from kernel.scheduler.completion import CompletionWriter
from kernel.scheduler.core import Core
from kernel.scheduler.lanes import lane_of, open_lanes
from kernel.scheduler.statements import as_keys, sql
from kernel.scheduler.waiting_jobs import WaitingJobs

_log = get_logger("jobs")
POLL_SECONDS = 2.0
_SOON_SECONDS = 0.05
_MAX_AT_ONCE = 128
_AFTER_TROUBLE_SECONDS = 0.5
_GIVING_BACK_TRIES = 3


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
        runners: Mapping[Claimant, Slots],
        waiting: WaitingJobs,
    ) -> None:
        self._core = core
        self._claim = claim
        self._endings = endings
        self._runners = runners
        self._waiting = waiting
        self._waiters: dict[Claimant, list[asyncio.Future[Row | None]]] = defaultdict(list)
        self._wake = core.signals.wake
        self._turn = asyncio.Lock()
        self._closed = False
        self._left_lying = False
        self._unfinished: set[asyncio.Task[Any]] = set()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._go_on(), name="claimer")

    async def stop(self) -> None:
        """Ends claiming; those who wait are told that there is nothing."""
        self._closed = True
        for waiters in self._waiters.values():
            _tell_nothing(waiters)
        if self._task is not None:
            async with self._turn:  # a claim under way is handed out, not lost
                self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        if self._unfinished:
            await asyncio.wait(self._unfinished)

    def dismiss(self, claimant_id: str) -> None:
        """Ends the waiting of everybody under this name, with nothing."""
        for claimant, waiters in self._waiters.items():
            if claimant.id == claimant_id:
                _tell_nothing(waiters)

    async def wait_for_one(
        self, claimant: Claimant, seconds: float, gone: asyncio.Future[None]
    ) -> Row | None:
        """Claims a job for a worker outside; None when there was none for so long, or they left."""
        if self._closed:
            return None
        waiter: asyncio.Future[Row | None] = asyncio.get_running_loop().create_future()
        self._waiters[claimant].append(waiter)
        try:
            if seconds > 0:
                self._wake.set()
                either: set[asyncio.Future[Any]] = {waiter, gone}
                await asyncio.wait(either, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            else:
                # Others share the round: it goes on to its end even if this caller is cancelled.
                await asyncio.shield(self._to_the_end(self.claim_round(waiter.done)))
            if waiter.done() and gone.done() and (row := waiter.result()) is not None:
                await self.give_back([row])
                return None
            return waiter.result() if waiter.done() else None
        except asyncio.CancelledError:
            if waiter.done() and (row := waiter.result()) is not None:
                self._to_the_end(self.give_back([row]))
            raise
        finally:
            waiter.cancel()
            self._waiters[claimant].remove(waiter)
            if not self._waiters[claimant]:
                del self._waiters[claimant]

    async def claim_round(self, needless: Callable[[], bool] = lambda: False) -> int:
        """Claims once for everybody who could take one; how many were handed out.

        While it waits for its turn, the round before it may have served whom it is for.
        """
        handed_out, _ = await self._round(needless)
        return handed_out

    async def _round(self, needless: Callable[[], bool] = lambda: False) -> tuple[int, bool]:
        """Claims once; returns how many were handed out, and whether there may be more at once."""
        async with self._turn:
            if needless():
                return 0, False
            is_behind = await self._waiting.resume()
            wanted = await self._demand()
            self._left_lying = is_behind or bool(wanted)
            if not wanted or self._closed:
                return 0, False
            taken: list[tuple[Claimant, Row]] = []
            more = False
            try:
                async with self._core.data.write(within=TENANT) as writer:
                    for reach, together in wanted.items():
                        found = await self._claim.take_for(writer, reach, self._places(together))
                        taken += [(together[row["held_by"]], row) for row in found.rows]
                        more = more or found.more
                    self._core.signals.claimed()
            except PaymentRequired:
                return 0, False
            unwanted = [row for who, row in taken if not self._hand_out(who, row)]
            if unwanted:
                await self.give_back(unwanted)
            return len(taken) - len(unwanted), more

    async def give_back(self, rows: Sequence[Row]) -> None:
        """Gives claimed jobs back; again where the database had to choose between this and another write."""
        jobs = json.dumps(
            [[row["id"], row["claim_token"]] for row in sorted(rows, key=lambda row: row["id"])]
        )
        for attempt in range(1, _GIVING_BACK_TRIES + 1):
            try:
                await self._give_back(jobs)
                return
            except DatabaseBusy:
                if attempt == _GIVING_BACK_TRIES:
                    raise

    async def _give_back(self, jobs: str) -> None:
        async with self._core.data.write() as writer:
            wall = self._core.time.time_of_day()
            back = await writer.all(sql.give_back, jobs=jobs, wall=wall)
            await open_lanes(writer, map(lane_of, back))
            ended = [row for row in back if row["state"] == "cancelled"]
            await self._endings.pass_on(writer, ended)
            await self._endings.release(writer, [row for row in back if row["state"] == "queued"])
            writer.after_commit(lambda: self._core.signals.ended(ended))

    def _to_the_end(self, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        """Runs work that is not cancelled with the one who waits for it."""
        task = asyncio.create_task(work, context=own_context())
        self._unfinished.add(task)
        task.add_done_callback(self._unfinished.discard)
        return task

    def _places(self, claimants: Mapping[str, Claimant]) -> list[Holder]:
        return [who.holder for who in claimants.values() for _ in range(self._free(who))]

    def _free(self, who: Claimant) -> int:
        """Returns how many jobs they could take now."""
        if who in self._runners:
            return min(self._runners[who].free(), _MAX_AT_ONCE)
        return sum(not waiter.done() for waiter in self._waiters.get(who, ()))

    async def _demand(self) -> dict[Claimant, dict[str, Claimant]]:
        """Returns who could take a job, by reach and id, where anything waits at all."""
        could = [who for who in (*self._runners, *self._waiters) if self._free(who) > 0]
        if not could:
            return {}
        pools = as_keys(sorted({pool for who in could for pool in who.pools}))
        async with self._core.data.read() as reader:
            ready = {row["pool"] for row in await reader.all(sql.ready_pools, pools=pools)}
        demand: dict[Claimant, dict[str, Claimant]] = defaultdict(dict)
        for who in could:
            if from_pools := tuple(pool for pool in who.pools if pool in ready):
                demand[replace(who.reach, pools=from_pools)].setdefault(who.id, who)
        return demand

    def _hand_out(self, who: Claimant, row: Row) -> bool:
        if who in self._runners:
            self._runners[who].start(row)
            return True
        for waiter in self._waiters.get(who, ()):
            if not waiter.done():
                waiter.set_result(row)
                return True
        return False

    async def _go_on(self) -> None:
        in_background.set(False)  # jobs wait for it
        patience = POLL_SECONDS
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(patience):
                    await self._wake.wait()
            patience = _SOON_SECONDS if self._wake.is_set() else 2 * patience
            self._wake.clear()
            try:
                handed_out, more = await self._round()
                while handed_out and more:
                    handed_out, more = await self._round()
                if handed_out:
                    patience = _SOON_SECONDS
                # What waits and was not to be had may be another claimer's for a moment, which tells nobody
                # when it lets go. More likely its team has no room: then less and less often.
                if not self._left_lying:
                    patience = POLL_SECONDS
                patience = min(patience, POLL_SECONDS)
            except Exception as error:
                if not isinstance(error, Problem):
                    _log.error("jobs.claim_failed", exc=error)
                await asyncio.sleep(_AFTER_TROUBLE_SECONDS)
                self._wake.set()


def _tell_nothing(waiters: Sequence[asyncio.Future[Row | None]]) -> None:
    for waiter in waiters:
        if not waiter.done():
            waiter.set_result(None)
