"""A job as a stream of events: what it has said, what it says, and how it ends."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from builtin_plugins.jobs.events.followers import Followers
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
        with self._host.service(Followers).following(self._job.id) as woken:
            watch = self._watch()
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
                    if not watch.done():
                        continue
                    if not self._take(watch.result()):
                        return
                    watch = self._watch()
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

    def _watch(self) -> "asyncio.Future[tuple[Job | None, bool]]":
        return asyncio.ensure_future(self._looked_at())

    async def _looked_at(self) -> tuple[Job | None, bool]:
        """The job when it has ended or after a while; False where it was cut short, as the server stops."""
        seconds = _LOOK_SECONDS if self._after else _PROGRESS_SECONDS
        began = asyncio.get_running_loop().time()
        job = await self._host.service(Jobs).wait_for_end(self._job.team_id, self._job.id, seconds)
        return job, asyncio.get_running_loop().time() - began >= seconds / 2

    def _take(self, looked: tuple[Job | None, bool]) -> bool:
        """Whether there is something to go on with."""
        job, in_time = looked
        if job is None or not (job.ended or in_time):
            return False
        self._job = job
        return True


async def _first_of(watch: "asyncio.Future[Any]", woken: asyncio.Event) -> None:
    waking = asyncio.ensure_future(woken.wait())
    try:
        await asyncio.wait({watch, waking}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waking.cancel()
