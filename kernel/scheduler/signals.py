"""What happens to jobs in this process, passed on to whoever acts on it, waits for it, or counts it."""

import asyncio
import json
from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial

from guildhall_sdk import Problem, Row
from kernel.db import Database
from kernel.logs import get_logger
from kernel.scheduler.rows import ENDED
from kernel.scheduler.statements import sql
from libs.coordination import EndWatch

_log = get_logger("jobs")
_CHANNEL = "jobs"


def log_failure(action: str, error: Exception, **fields: str) -> None:
    """Logs a fault; what a database that is away answers to everybody is logged elsewhere."""
    if not isinstance(error, Problem):
        _log.error(action, exc=error, **fields)


class Signals:
    """Wakes the claim loops, here and in the other processes, and those who wait for a job's end.

    Where one process has the database, writers take turns: whoever is next sees what the one before has
    written, and shares its commit. There the claim loop is woken inside the transaction in which attempts
    end: it is next, and one commit is for both.
    """

    def __init__(self, data: Database) -> None:
        self.wake = asyncio.Event()
        self._data = data
        self.end_watch = EndWatch(
            data.announcements,
            self._find_ended,
            name="job",
            shared=data.shared_by_processes,
            failed=partial(log_failure, "jobs.look_failed"),
        )
        self._others = data.announcements(_CHANNEL, lambda _: self.wake.set())
        self._writers_take_turns = not data.shared_by_processes
        # How often attempts ended, and how many of these the last claim has seen.
        self._endings = self._endings_seen = 0
        #: Attempts that ended in this process, by kind and outcome.
        self.outcomes: Counter[tuple[str, ...]] = Counter()

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
        for row in rows:
            self.outcomes[row["kind"], "retried" if row["state"] == "scheduled" else row["state"]] += 1
        self.over(rows)
        if ending is None or ending > self._endings_seen:
            self.wake.set()

    def over(self, rows: Sequence[Row]) -> None:
        """Signals that jobs are over, with or without an attempt."""
        self.end_watch.tell(row["id"] for row in rows if row["state"] in ENDED)

    async def _find_ended(self, ids: Sequence[str]) -> Collection[str]:
        async with self._data.read() as reader:
            return {row["id"] for row in await reader.all(sql.ended_of, ids=json.dumps(ids))}
