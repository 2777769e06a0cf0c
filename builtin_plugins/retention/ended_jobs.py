"""How long jobs that have ended are kept, and the walk past those that have not."""

import time

from guildhall_sdk import Reader, Writer
from guildhall_sdk.retention import Retained, days_setting
from guildhall_sdk.services.jobs import JobRetention

KEEP_JOBS_DAYS = days_setting(
    "keep_jobs_days", what="jobs that have ended", default=30, variable="SERVICE_KEEP_JOBS_DAYS"
)
_FIRST_BATCH = 50
_MAX_STEP = 1000
# One batch is one transaction: on SQLite nobody else writes meanwhile.
_LONG_SECONDS, _SHORT_SECONDS = 0.02, 0.01
_BEFORE_EVERY_ID = ""


def ended_jobs(retention: JobRetention) -> Retained:
    jobs = EndedJobs(retention)
    return Retained(
        name="jobs",
        title="jobs that have ended",
        keep_days=KEEP_JOBS_DAYS,
        count=retention.count,
        delete_expired=jobs.delete,
        seek=jobs.seek,
    )


class EndedJobs:
    """Walks along the jobs by id, oldest first, and deletes those that ended, a few at a time."""

    def __init__(self, retention: JobRetention) -> None:
        self._retention = retention
        self._batch = _FIRST_BATCH
        # Where the portion before ended, and where the next one does.
        self._after = self._last = _BEFORE_EVERY_ID

    async def seek(self, reader: Reader, before: int) -> bool:
        """Walks past what is not over to the next jobs that are; returns False when there are no more."""
        self._after, step = self._last, self._batch
        while True:
            found = await self._retention.find_ended(reader, before, self._after, step)
            if found is None:
                self._after = self._last = _BEFORE_EVERY_ID
                return False
            self._last, over = found
            if over:
                return True
            self._after, step = self._last, min(_MAX_STEP, 2 * step)

    async def delete(self, writer: Writer, before: int, limit: int) -> int:
        """Deletes a batch of those that `seek` came to, and returns how many."""
        began, batch = time.monotonic(), min(limit, self._batch)
        gone = await self._retention.delete_ended(writer, before, self._after, self._last, batch)
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
