"""What happens to jobs in this process, passed on to whoever acts on it."""

import asyncio
from collections.abc import Sequence

from guildhall_sdk import Row
from kernel.db import Database
from kernel.scheduler.callbacks import ENDED
from kernel.scheduler.metrics import JobMetrics
from kernel.scheduler.statements import LeaseClock
from kernel.scheduler.waiters import EndWatch

_CHANNEL = "jobs"


class Signals:
    """Wakes the claim loops, here and in the other processes, and those who wait for a job's end."""

    def __init__(self, data: Database, time: LeaseClock) -> None:
        self.wake = asyncio.Event()
        self.end_watch = EndWatch(data)
        self.metrics = JobMetrics(time)
        self._others = data.announcements(_CHANNEL, lambda _: self.wake.set())

    async def start(self) -> None:
        await self._others.start()
        await self.end_watch.start()

    async def stop(self) -> None:
        await self.end_watch.stop()
        await self._others.stop()

    def arrived(self) -> None:
        """Signals that jobs wait which any process may claim."""
        self.wake.set()
        self._others.tell()

    def freed(self) -> None:
        """Signals that a slot of this process may be free, or a team have room for more."""
        self.wake.set()

    def ended(self, rows: Sequence[Row]) -> None:
        """Attempts ended: some jobs are over, others wait again."""
        self.metrics.count(rows)
        self.over(rows)
        self.wake.set()

    def over(self, rows: Sequence[Row]) -> None:
        """Signals that jobs are over, with or without an attempt."""
        self.end_watch.tell(row["id"] for row in rows if row["state"] in ENDED)
