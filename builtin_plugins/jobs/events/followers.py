"""Those who follow jobs in this process, and the one who looks at each job for all of them."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from guildhall_sdk import Host, Job, Problem, TooManyRequests
from guildhall_sdk.services.jobs import Jobs
from libs.change_watch import Followers

# Somebody has to look how far a job is that says nothing itself; of any other news may have been lost.
_PROGRESS_SECONDS, _LOOK_SECONDS = 2.0, 15.0


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
            watched.watch = asyncio.create_task(self._keep_looking(watched, job), name="jobs: followed")
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

    async def _keep_looking(self, watched: WatchedJob, job: Job) -> None:
        loop = asyncio.get_running_loop()
        while watched.job is not None and not watched.job.ended:
            seconds = _LOOK_SECONDS if watched.speaks else _PROGRESS_SECONDS
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
