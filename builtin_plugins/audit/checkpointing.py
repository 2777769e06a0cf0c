"""Verifies what the chains have grown by, beside the work of a server, and writes down how far they hold."""

import asyncio

from builtin_plugins.audit.chain import log_error, sql
from builtin_plugins.audit.checkpoints import Checkpoint, read_checkpoints, read_floor
from builtin_plugins.audit.verification import ChainWalk, Fault
from guildhall_sdk import Clock, Problem
from guildhall_sdk.data import Data

EVERY_EVENTS = 1000
WEEK_MS = 7 * 24 * 3600 * 1000
INTERVAL_SECONDS = 300.0
FIRST_SECONDS = 60.0
# A chain that has much to catch up with is walked in pieces of this length, each of which counts.
PIECE_EVENTS = 10_000
_PAGE = 200
_REST_SECONDS = 0.02
_CHAINS = 500


class Checkpointing:
    """Makes a checkpoint of a chain every thousand events, and once a week where anything happened."""

    def __init__(self, data: Data, key: bytes, clock: Clock) -> None:
        self._data = data
        self._key = key
        self._clock = clock
        self._logged: set[Fault] = set()

    async def run(self) -> None:
        """Makes checkpoints every five minutes until it is cancelled, and none while the server comes up."""
        await asyncio.sleep(FIRST_SECONDS)
        while True:
            try:
                await self.catch_up()
            except (Problem, RuntimeError) as error:
                log_error("audit.no_checkpoint", error=f"{type(error).__name__}: {error}")
            await asyncio.sleep(INTERVAL_SECONDS)

    async def catch_up(self, *, rest_seconds: float = _REST_SECONDS) -> int:
        """Makes the checkpoints that are due; returns how many."""
        made, after = 0, ""
        while True:
            async with self._data.read() as reader:
                due = await reader.all(
                    sql.due_for_checkpoint,
                    after=after,
                    every=EVERY_EVENTS,
                    before=self._clock.now_ms() - WEEK_MS,
                    limit=_CHAINS,
                )
            for row in due:
                made += await self._catch_up(str(row["chain"]), int(row["seq"]), rest_seconds)
            if len(due) < _CHAINS:
                return made
            after = str(due[-1]["chain"])

    async def _catch_up(self, chain: str, last: int, rest_seconds: float) -> int:
        key = self._key
        async with self._data.read() as reader:
            known = await read_checkpoints(reader, key, chain, self._clock.now_ms())
        for seq in known.forged:
            self._log(Fault(chain, seq, None, "forged"))
        if known.forged:
            return 0

        async def rest(_events: int) -> None:
            await asyncio.sleep(rest_seconds)

        start = known.signed[-1] if known.signed else None
        walk, made = ChainWalk(self._data, key, chain, {}, start=start, page=_PAGE, after_page=rest), 0
        while walk.seq < last:
            end = min(walk.seq + PIECE_EVENTS, last)
            fault = await walk.walk_to(end)
            if fault is None and walk.seq < end:
                fault = Fault(chain, walk.seq + 1, None, "cut")
            if fault is not None:
                if not await self._was_deleted(chain, fault.seq):
                    self._log(fault)
                break
            reached = Checkpoint(chain, walk.seq, walk.mac, self._clock.now_ms())
            async with self._data.write() as writer:
                await writer.run(sql.add_checkpoint, **reached.row(key))
            made += 1
        return made

    async def _was_deleted(self, chain: str, seq: int) -> bool:
        """Tells whether an event that was missed had just been kept for long enough."""
        async with self._data.read() as reader:
            floor = await read_floor(reader, self._key, chain)
        return floor is not None and floor.seq >= seq

    def _log(self, fault: Fault) -> None:
        if fault not in self._logged:
            self._logged.add(fault)
            log_error("audit.does_not_hold", fault=str(fault), hint="guildhall audit verify")
