"""What happens to jobs in this process, passed on to whoever acts on it, waits for it, or counts it."""

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from guildhall_sdk import Host, Metric, Problem, Reader, Row
from guildhall_sdk.metrics import Measured
from kernel.db import Database
from kernel.logs import get_logger
from kernel.scheduler.rows import ENDED
from kernel.scheduler.statements import LeaseClock, sql

_log = get_logger("jobs")
_CHANNEL = "jobs"
LOOK_SECONDS = 5.0
# What others wait for is repeated with each of their looks.
_WANTED_SECONDS = 2.5 * LOOK_SECONDS
_MAX_REMEMBERED = 10_000


class Signals:
    """Wakes the claim loops, here and in the other processes, and those who wait for a job's end.

    Where writers take turns, whoever is next sees what the one before has written, and shares its commit.
    There the claim loop is woken inside the transaction in which attempts end: it is next, and one commit is
    for both.
    """

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


class JobMetrics:
    """What an operator can watch of the jobs."""

    def __init__(self, time: LeaseClock) -> None:
        self._time = time
        self._ended: Counter[tuple[str, ...]] = Counter()

    def count(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self._ended[row["kind"], "retried" if row["state"] == "scheduled" else row["state"]] += 1

    def declared(self) -> Sequence[Metric]:
        async def live(host: Host, reader: Reader) -> Measured:
            rows = await reader.all(sql.live_by_kind)
            return {(row["state"], row["kind"]): row["many"] for row in rows}

        async def longest_wait(host: Host, reader: Reader) -> Measured:
            waited = await reader.value(sql.longest_wait, wall=self._time.time_of_day())
            return {(): max(0, waited or 0) / 1000}

        async def ended(host: Host, reader: Reader) -> Measured:
            return self._ended

        waited = "How long the longest waiting job has been ready"
        tried, how = "Attempts that ended, and how", ("kind", "outcome")
        live_labels = ("state", "kind")
        return (
            Metric(
                "guildhall_jobs", "Jobs that wait or run", "gauge", live_labels, measure=live, sampled=True
            ),
            Metric("guildhall_jobs_wait_seconds", waited, "gauge", (), measure=longest_wait),
            Metric("guildhall_job_attempts_total", tried, "counter", how, measure=ended),
        )


class EndWatch:
    """Tells those who wait for a job's end, at once, in this process and in the others.

    Ends are many and waits are few, so an end is told to the other processes only where one of them has said
    that somebody waits for it. Beneath that, one look every few seconds for all who wait here.
    """

    def __init__(self, data: Database) -> None:
        self._data = data
        self._shared = data.dialect == "postgresql"
        self._waits = data.announcements("job_waits", self._on_wait_elsewhere)
        self._ends = data.announcements("job_ends", self._on_end_elsewhere)
        self._waiting: dict[str, set[asyncio.Event]] = defaultdict(set)
        self._wanted_elsewhere: dict[str, float] = {}
        # An end may be told just before the word arrives that somebody waits for it.
        self._ended_lately: dict[str, None] = {}
        self._look_now = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None
        self.closed = False

    async def start(self) -> None:
        await self._waits.start()
        await self._ends.start()

    def close(self) -> None:
        """Ends all waiting as the server stops."""
        self.closed = True
        self._wake(list(self._waiting))

    async def stop(self) -> None:
        self.close()
        looking, self._looking = self._looking, None
        if looking is not None:
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking
        await self._waits.stop()
        await self._ends.stop()

    @contextmanager
    def news_of(self, job_id: str) -> Iterator[asyncio.Event]:
        """Yields an event that is set when something happens to the job.

        Enter it before the job is looked at.
        """
        event = asyncio.Event()
        self._waiting[job_id].add(event)
        try:
            yield event
        finally:
            self._waiting[job_id].discard(event)
            if not self._waiting[job_id]:
                del self._waiting[job_id]

    def expect(self, job_id: str) -> None:
        """Records that somebody in this process waits for the end of a job that has not ended."""
        self._waits.tell(job_id)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._keep_looking(), name="jobs: waits")

    def tell(self, job_ids: Iterable[str]) -> None:
        """Tells those who wait that these jobs ended here."""
        for job_id in job_ids:
            if job_id in self._waiting:
                self._wake([job_id])
            if self._shared:
                self._ended_lately[job_id] = None
                if self._wanted_elsewhere.pop(job_id, None) is not None:
                    self._ends.tell(job_id)
        _forget_oldest(self._ended_lately)

    def _wake(self, job_ids: Iterable[str]) -> None:
        for job_id in job_ids:
            for event in self._waiting.get(job_id, ()):
                event.set()

    def _on_wait_elsewhere(self, job_id: str | None) -> None:
        if job_id is None:
            return
        if job_id in self._ended_lately:
            self._ends.tell(job_id)
            return
        now = asyncio.get_running_loop().time()
        self._wanted_elsewhere.pop(job_id, None)  # so that the oldest stand in front
        self._wanted_elsewhere[job_id] = now + _WANTED_SECONDS
        _forget_oldest(self._wanted_elsewhere)
        while next(iter(self._wanted_elsewhere.values())) <= now:
            del self._wanted_elsewhere[next(iter(self._wanted_elsewhere))]

    def _on_end_elsewhere(self, job_id: str | None) -> None:
        if job_id is None:
            self._look_now.set()
        else:
            self._wake([job_id])

    async def _keep_looking(self) -> None:
        while self._waiting:
            self._look_now.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._look_now.wait()
            try:
                await self._look()
            except Exception as error:
                if not isinstance(error, Problem):
                    _log.error("jobs.look_failed", exc=error)

    async def _look(self) -> None:
        """Looks for ends that no word told of, and tells again what is still waited for."""
        awaited = list(self._waiting)
        async with self._data.read() as reader:
            ended = {row["id"] for row in await reader.all(sql.ended_of, ids=json.dumps(awaited))}
        self._wake(ended)
        for job_id in awaited:
            if job_id not in ended:
                self._waits.tell(job_id)


def _forget_oldest(remembered: dict[str, Any]) -> None:
    while len(remembered) > _MAX_REMEMBERED:
        del remembered[next(iter(remembered))]
