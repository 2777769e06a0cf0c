"""A job as a stream of events: what it has said, what it says, and how it ends."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from builtin_plugins.jobs.events.followers import JobFollowers
from builtin_plugins.jobs.events.stored_events import events_after
from guildhall_sdk import Host, Job
from guildhall_sdk.events import ServerSentEvent
from guildhall_sdk.services import Jobs
from guildhall_sdk.services.job_events import FINAL_EVENTS

# The id of the event that is made up for a job which ended without one of its own.
END_ID = "end"
_PAGE = 200
# Somebody has to look how far a job is that says nothing itself; of any other news may have been lost.
_PROGRESS_SECONDS, _LOOK_SECONDS = 2.0, 15.0


class JobStream:
    """One follower of one job."""

    def __init__(self, host: Host, job: Job, after: int, public: Callable[[Job], dict[str, Any]]) -> None:
        self._host = host
        self._job = job
        self._after = after
        self._public = public
        self._shown: float | None = None

    async def events(self) -> AsyncIterator[ServerSentEvent]:
        """Everything behind the number that the follower has seen, up to the job's last event."""
        with self._host.service(JobFollowers).following(self._job.id) as woken:
            watch = asyncio.ensure_future(self._look())
            try:
                while True:
                    woken.clear()
                    # Looked at before the events are read: what its end said is then among them.
                    ended = self._job.ended
                    async for event in self._said():
                        yield event
                        if event.event in FINAL_EVENTS:
                            return
                    if ended:
                        yield ServerSentEvent(id=END_ID, event="done", data=self._public(self._job))
                        return
                    if (progress := self._progress()) is not None:
                        yield progress
                    await _first_of(watch, woken)
                    if watch.done():
                        job = watch.result()
                        if job is None:
                            return
                        self._job, watch = job, asyncio.ensure_future(self._look())
            finally:
                watch.cancel()

    async def _said(self) -> AsyncIterator[ServerSentEvent]:
        while True:
            async with self._host.data.read() as reader:
                stored = await events_after(reader, self._job, self._after, _PAGE)
            for event in stored:
                self._after = event.number
                yield ServerSentEvent(id=str(event.number), event=event.event, text=event.data)
            if len(stored) < _PAGE:
                return

    def _progress(self) -> ServerSentEvent | None:
        """How far a job is that says nothing else; without an id, since the next one makes it void."""
        if self._after or self._job.progress is None or self._job.progress == self._shown:
            return None
        self._shown = self._job.progress
        return ServerSentEvent(event="progress", data={"progress": self._shown})

    async def _look(self) -> Job | None:
        """The job when it has ended, or as it is after a while; None where it was deleted."""
        seconds = _LOOK_SECONDS if self._after else _PROGRESS_SECONDS
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        job = await self._host.service(Jobs).wait_for_end(self._job.team_id, self._job.id, seconds)
        if job is not None and not job.ended:
            # It comes back at once while the server stops, which ends this stream in its own way.
            await asyncio.sleep(until - loop.time())
        return job


async def _first_of(watch: "asyncio.Future[Any]", woken: asyncio.Event) -> None:
    waking = asyncio.ensure_future(woken.wait())
    try:
        await asyncio.wait({watch, waking}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waking.cancel()
