"""Events of jobs: stored in the order they were published, and streamed to those who follow a job."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from guildhall_sdk import Conflict, Host, Job, JobCall, Problem, Reader, TooManyRequests, Writer, load_queries
from guildhall_sdk.replies import ServerSentEvent
from guildhall_sdk.services.jobs import Jobs, NewJobEvent
from libs.change_watch import Followers

# Somebody has to look how far a job is that says nothing itself; of any other news may have been lost.
_PROGRESS_SECONDS, _POLL_SECONDS = 2.0, 15.0

sql = load_queries(Path(__file__).with_name("queries.sql"))
RESTART = "restart"
# Behind what the end of a job said no attempt adds anything.
_ENDED = 2**31 - 1
# Nothing of the job is sent after one of these.
_FINAL_EVENTS = ("done", "error")
# The id of the event that is made up for a job which ended without one of its own.
END_ID = "end"
_PAGE = 200


@dataclass(slots=True, eq=False)
class WatchedJob:
    """A job as it was seen last, for all who follow it; None where it was deleted."""

    job: Job | None
    #: Whether it says something itself.
    speaks: bool = False
    followers: int = 0
    watch: "asyncio.Task[None] | None" = field(default=None)


class JobFollowers(Followers):
    """Woken when their job has said something, gets on or ends."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.news("job-events"), partial(TooManyRequests, headers={"Retry-After": "5"}))
        self._host = host
        self._watched: dict[str, WatchedJob] = {}

    @contextmanager
    def watching(self, job: Job) -> Iterator[WatchedJob]:
        """Yields the job as it is; its followers are woken when it has another state or was looked at."""
        watched = self._watched.get(job.id)
        if watched is None:
            watched = self._watched[job.id] = WatchedJob(job)
            watched.watch = asyncio.create_task(self._poll(watched, job), name="jobs: followed")
        elif job.ended:
            watched.job = job
        watched.followers += 1
        try:
            yield watched
        finally:
            watched.followers -= 1
            if not watched.followers:
                del self._watched[job.id]
                if watched.watch is not None:
                    watched.watch.cancel()

    async def _poll(self, watched: WatchedJob, job: Job) -> None:
        loop = asyncio.get_running_loop()
        while watched.job is not None and not watched.job.ended:
            seconds = _POLL_SECONDS if watched.speaks else _PROGRESS_SECONDS
            until = loop.time() + seconds
            try:
                watched.job = await self._host.service(Jobs).wait_for_end(job.team_id, job.id, seconds)
            except Problem:  # the database is away: the next look tells
                pass
            else:
                self.wake(job.id)
            if watched.job is not None and not watched.job.ended:
                # It comes back at once while the server stops, which ends the streams in its own way.
                await asyncio.sleep(until - loop.time())


class StoredEvent(NamedTuple):
    """One event; `data` is JSON."""

    number: int
    event: str
    data: str


class StoredJobEvents:
    """Implements the SDK's `JobEvents`."""

    def __init__(self, host: Host) -> None:
        self._followers = host.service(JobFollowers)

    async def begin(self, writer: Writer, job: JobCall) -> None:
        number, attempt = await _last(writer, job)
        if attempt > job.attempt:
            raise _stale()
        if number == 0 and job.attempt == 1:
            return
        # The numbers go on: whoever has seen some of these gets on with what follows.
        await writer.run(sql.drop_events, job_id=job.id, team_id=job.team_id)
        restart = NewJobEvent(RESTART, {"attempt": job.attempt})
        await self._add(writer, job, number, job.attempt, [restart])

    async def append(self, writer: Writer, job: JobCall | Job, events: Sequence[NewJobEvent]) -> None:
        attempt = _ENDED if isinstance(job, Job) else job.attempt
        number, last_attempt = await _last(writer, job)
        if last_attempt > attempt:
            raise _stale()
        await self._add(writer, job, number, attempt, events)

    async def _add(
        self,
        writer: Writer,
        job: JobCall | Job,
        number: int,
        attempt: int,
        events: Sequence[NewJobEvent],
    ) -> None:
        for place, event in enumerate(events, number + 1):
            await writer.run(
                sql.add_event,
                job_id=job.id,
                number=place,
                team_id=job.team_id,
                attempt=attempt,
                event=event.event,
                data=_encoded(event.data),
            )
        job_id = job.id
        writer.after_commit(lambda: self._followers.notify([job_id]))


async def last_number(reader: Reader, job: Job) -> int:
    """Returns the number of the last event of a job; 0 where it has said nothing."""
    found = await reader.one(sql.last_event, job_id=job.id, team_id=job.team_id)
    return 0 if found is None else int(found["number"])


async def events_after(reader: Reader, job: Job, number: int, limit: int) -> list[StoredEvent]:
    """Returns the events of a job behind a number, in their order."""
    rows = await reader.all(sql.events_after, job_id=job.id, team_id=job.team_id, after=number, limit=limit)
    return [StoredEvent(row["number"], row["event"], row["data"]) for row in rows]


async def _last(writer: Writer, job: JobCall | Job) -> tuple[int, int]:
    """Returns the number and the attempt of what was said last, until the transaction ends."""
    await writer.serialize(f"job_events:{job.id}")
    found = await writer.one(sql.last_event, job_id=job.id, team_id=job.team_id)
    return (0, 0) if found is None else (found["number"], found["attempt"])


def _encoded(data: Mapping[str, Any]) -> str:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which no database takes
        return json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text


def _stale() -> Conflict:
    return Conflict("Another attempt at this job has begun, or it has ended.", code="stale_claim")


class JobStream:
    """One follower of one job."""

    def __init__(self, host: Host, job: Job, after: int, public: Callable[[Job], dict[str, Any]]) -> None:
        self._host = host
        self._followers = host.service(JobFollowers)
        self._job = job
        self._after = after
        self._public = public
        self._shown: float | None = None

    async def events(self) -> AsyncIterator[ServerSentEvent]:
        """Yields everything behind the number that the follower has seen, up to the job's last event."""
        followers = self._followers
        with followers.following(self._job.id, self) as woken, followers.watching(self._job) as watched:
            while True:
                woken.clear()
                # Looked at before the events are read: what its end said is then among them.
                job = watched.job
                async for event in self._said():
                    watched.speaks = True
                    yield event
                    if event.event in _FINAL_EVENTS:
                        return
                if job is None:
                    return
                if job.ended:
                    yield ServerSentEvent(id=END_ID, event="done", data=self._public(job))
                    return
                if (progress := self._progress(job)) is not None:
                    yield progress
                await woken.wait()

    async def _said(self) -> AsyncIterator[ServerSentEvent]:
        while True:
            after = self._after
            stored = await self._followers.read_once(self._job.id, after, self._read)
            if len(stored) == _PAGE:  # few are as far behind
                self._followers.forget(self._job.id, after)
            for event in stored:
                self._after = event.number
                yield ServerSentEvent(id=str(event.number), event=event.event, text=event.data)
            if len(stored) < _PAGE:
                return

    async def _read(self) -> Sequence[StoredEvent]:
        async with self._host.data.read() as reader:
            return await events_after(reader, self._job, self._after, _PAGE)

    def _progress(self, job: Job) -> ServerSentEvent | None:
        """Returns how far a job is that says nothing else; without an id, as the next one makes it void."""
        if self._after or job.progress is None or job.progress == self._shown:
            return None
        self._shown = job.progress
        return ServerSentEvent(event="progress", data={"progress": self._shown})
