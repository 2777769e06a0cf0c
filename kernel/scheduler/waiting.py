"""Those who wait for a job's end, in this process."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable

# Beneath the news of this process: how often to look for what another one did.
LOOK_SECONDS = 0.25


class EndWatch:
    def __init__(self) -> None:
        self._watched: dict[str, set[asyncio.Event]] = defaultdict(set)

    def tell(self, job_ids: Iterable[str]) -> None:
        for job_id in job_ids:
            for event in self._watched.get(job_id, ()):
                event.set()

    async def news(self, job_id: str, seconds: float) -> None:
        """Comes back when something happened to the job, or after so long."""
        event = asyncio.Event()
        self._watched[job_id].add(event)
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            pass
        finally:
            self._watched[job_id].discard(event)
            if not self._watched[job_id]:
                del self._watched[job_id]
