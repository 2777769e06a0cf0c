"""Stopping jobs while they run, whichever process runs them."""

import json
from collections.abc import Sequence

from kernel.db import Database
from kernel.scheduler.loops import Loop
from kernel.scheduler.runner import Runner
from kernel.scheduler.statements import sql

# A word between processes may be lost, or come before the job that was just claimed has begun.
_LOOK_SECONDS = 0.5


class Stops:
    """Passes the word on that jobs are to be stopped, and looks beneath it for those that no word told of."""

    def __init__(self, data: Database, runners: Sequence[Runner]) -> None:
        self._data = data
        self._runners = runners
        self._others = data.announcements("job_stops", self._on_message)
        self._loop = Loop("stops", self.look, _LOOK_SECONDS)

    async def start(self) -> None:
        await self._others.start()
        self._loop.start()

    async def stop(self) -> None:
        await self._loop.stop()
        await self._others.stop()

    def tell(self, job_ids: Sequence[str]) -> None:
        """Stops what of these runs here, and tells the other processes."""
        self._stop(job_ids)
        for job_id in job_ids:
            self._others.tell(job_id)

    async def look(self) -> None:
        held = [job_id for runner in self._runners for job_id in runner.stoppable()]
        if not held:
            return
        async with self._data.read() as reader:
            rows = await reader.all(sql.to_be_stopped, ids=json.dumps(held))
        self._stop([row["id"] for row in rows])

    def _on_message(self, job_id: str | None) -> None:
        if job_id is not None:  # what was missed is found by looking
            self._stop([job_id])

    def _stop(self, job_ids: Sequence[str]) -> None:
        for runner in self._runners:
            runner.stop(job_ids)
