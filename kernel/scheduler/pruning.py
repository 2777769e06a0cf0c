"""Deleting jobs that ended long ago: a little at a time, so that nobody waits behind it."""

import asyncio
import time

from guildhall_sdk import Clock, Data, new_id
from kernel.scheduler.loops import Loop
from kernel.scheduler.statements import sql

KEEP_DAYS = 30
_DAY_MS = 24 * 3600 * 1000
EVERY_SECONDS = 600.0
_MAX_BATCH = 500
_FIRST_BATCH = 50
# One batch is one transaction: on SQLite nobody else writes meanwhile.
_LONG_SECONDS, _SHORT_SECONDS = 0.02, 0.01
_BEFORE_EVERY_ID = ""


class Pruning:
    """Every process may do it. On PostgreSQL one does at a time, and the others try again later."""

    def __init__(self, data: Data, clock: Clock, keep_days: int) -> None:
        self._data = data
        self._keep_ms = keep_days * _DAY_MS
        self._clock = clock
        self._batch = _FIRST_BATCH
        self._loop = Loop("pruning", self.prune, EVERY_SECONDS)

    def start(self) -> None:
        self._loop.start()

    async def stop(self) -> None:
        await self._loop.stop()

    async def prune(self) -> None:
        """Deletes all that is old enough, from the oldest id on; it rests as long as it works."""
        until = self._clock.now_ms() - self._keep_ms
        # Ids sort by time: what was not even asked for by then cannot have ended.
        before, after = new_id("job", until + 1), _BEFORE_EVERY_ID
        while True:
            async with self._data.read() as reader:
                next_ones = await reader.one(
                    sql.oldest_jobs, after=after, before=before, until=until, max_rows=self._batch
                )
            if next_ones is None or next_ones["last"] is None:
                return
            last: str = next_ones["last"]
            if next_ones["over"]:
                began = time.monotonic()
                if not await self._delete(after, last, until):
                    return
                took = time.monotonic() - began
                self._adapt(took)
                await asyncio.sleep(took)
            after = last

    async def _delete(self, after: str, last: str, until: int) -> bool:
        async with self._data.write() as writer:
            if not await writer.value(sql.take_pruning_turn):
                return False
            await writer.run(sql.prune, after=after, last=last, until=until)
        return True

    def _adapt(self, took: float) -> None:
        """Adapts the batch to how long the last took: rows differ a thousandfold in size, disks in speed."""
        if took > _LONG_SECONDS:
            self._batch = max(1, self._batch // 2)
        elif took < _SHORT_SECONDS:
            self._batch = min(_MAX_BATCH, self._batch * 2)
