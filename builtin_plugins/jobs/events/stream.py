"""A job as a stream of events: what it has said, what it says, and how it ends."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from builtin_plugins.jobs.events.followers import JobFollowers
from builtin_plugins.jobs.events.stored_events import StoredEvent, events_after
from guildhall_sdk import Host, Job
from guildhall_sdk.replies import ServerSentEvent
from guildhall_sdk.services.jobs import FINAL_EVENTS

# The id of the event that is made up for a job which ended without one of its own.
END_ID = "end"
_PAGE = 200


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
        """Everything behind the number that the follower has seen, up to the job's last event."""
        followers = self._followers
        with followers.following(self._job.id, self) as woken, followers.watching(self._job) as watched:
            while True:
                woken.clear()
                # Looked at before the events are read: what its end said is then among them.
                job = watched.job
                async for event in self._said():
                    watched.speaks = True
                    yield event
                    if event.event in FINAL_EVENTS:
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
        """How far a job is that says nothing else; without an id, since the next one makes it void."""
        if self._after or job.progress is None or job.progress == self._shown:
            return None
        self._shown = job.progress
        return ServerSentEvent(event="progress", data={"progress": self._shown})
