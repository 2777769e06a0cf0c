"""What happens to jobs in this process, passed on to whoever acts on it.

Where writers take turns, whoever is next sees what the one before has written, and shares its commit. There
the claim loop is woken inside the transaction in which attempts end: it is next, and one commit is for both.
"""

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
        self._writers_take_turns = data.dialect == "sqlite"
        # How often attempts ended, and how many of these the last claim has seen.
        self._endings = self._endings_seen = 0

    async def start(self) -> None:
        await self._others.start()
        await self.end_watch.start()

    async def stop(self) -> None:
        await self.end_watch.stop()
        await self._others.stop()

    def ending(self) -> int:
        """Signals, inside the transaction, that attempts end; returns their number for `ended`."""
        self._endings += 1
        if self._writers_take_turns:
            self.wake.set()
        return self._endings

    def claimed(self) -> None:
        """Signals, inside its transaction, that a claim took what it could, in the room of all endings."""
        if self._writers_take_turns:
            self._endings_seen = self._endings

    def arrived(self) -> None:
        """Signals that jobs wait which any process may claim."""
        self.wake.set()
        self._others.tell()

    def freed(self) -> None:
        """Signals that a slot of this process may be free, or a team have room for more."""
        self.wake.set()

    def ended(self, rows: Sequence[Row], ending: int | None = None) -> None:
        """Signals that attempts ended: some jobs are over, others wait again.

        Nobody is woken for an `ending` that a claim has seen.
        """
        self.metrics.count(rows)
        self.over(rows)
        if ending is None or ending > self._endings_seen:
            self.wake.set()

    def over(self, rows: Sequence[Row]) -> None:
        """Signals that jobs are over, with or without an attempt."""
        self.end_watch.tell(row["id"] for row in rows if row["state"] in ENDED)
