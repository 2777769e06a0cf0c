"""Those who follow jobs in this process, woken when one of them has said something in any process."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from guildhall_sdk import Host


class Followers:
    """One who listens for all: what is said of a job wakes its own followers alone."""

    def __init__(self, host: Host) -> None:
        self._news = host.news("job-events")
        self._waiting: dict[str, set[asyncio.Event]] = {}

    def tell(self, job_id: str) -> None:
        """Wakes the followers of a job, here and in the other processes."""
        self._news.tell({"job": job_id})

    @contextmanager
    def following(self, job_id: str) -> Iterator[asyncio.Event]:
        """An event that is set when the job has said something; enter it before its events are read."""
        woken = asyncio.Event()
        waiting = self._waiting.setdefault(job_id, set())
        waiting.add(woken)
        try:
            yield woken
        finally:
            waiting.discard(woken)
            if not waiting and self._waiting.get(job_id) is waiting:
                del self._waiting[job_id]

    async def listen(self) -> None:
        with self._news.listen() as announcements:
            # What was told before this began is looked for.
            self._wake(self._waiting)
            async for announcement in announcements:
                self._wake(self._waiting if announcement is None else [announcement["job"]])

    def _wake(self, job_ids: "dict[str, set[asyncio.Event]] | list[str]") -> None:
        for job_id in job_ids:
            for woken in self._waiting.get(job_id, ()):
                woken.set()
