"""Deleting jobs that ended long ago: a little at a time, so that nobody waits behind it."""

import time

from guildhall_sdk import Reader, Writer, new_id
from kernel.scheduler.statements import sql

_FIRST_BATCH = 50
_MAX_STEP = 1000
# One batch is one transaction: on SQLite nobody else writes meanwhile.
_LONG_SECONDS, _SHORT_SECONDS = 0.02, 0.01
_BEFORE_EVERY_ID = ""


class EndedJobs:
    """Implements the SDK's `JobRetention`."""

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
