"""Jobs that wait for others: they give up their slots while they do, and go on when they have them again."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from kernel.scheduler.core import Core
from kernel.scheduler.fairness import Room, room_in
from kernel.scheduler.runner import Runner, RunningJob
from kernel.scheduler.statements import as_keys, sql

_WORKS, _WAITS, _WANTS_BACK = 0, 1, 2


class WaitingJobs:
    """Those of this process. What counts under the limits of team and company is who works.

    One that wants its slot back goes before any job that waits to be claimed, in whatever process.
    """

    def __init__(self, core: Core, runner: Runner) -> None:
        self._core = core
        self._runner = runner
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def slot_given_up(self, job_id: str | None) -> AsyncIterator[None]:
        """Gives up the slot of the job that this code runs in, if any, until the last of its waits is over.

        A wait that is cancelled goes on without a slot, which it has again as soon as there is one.
        """
        job = self._runner.find(job_id)
        if job is None:
            yield
            return
        job.waits += 1
        try:
            if job.waits == 1:
                await self._give_up(job)
            yield
        except BaseException:
            self._want_back(job)
            raise
        self._want_back(job)
        if job.slot_back is not None:
            await self.resume([job])
        if job.slot_back is not None:
            await job.slot_back.wait()

    async def _give_up(self, job: RunningJob) -> None:
        async with self._turn:
            # What it is for ends with this process: nobody waits until the disk has it.
            async with self._core.data.write(durable=False) as writer:
                await writer.run(sql.set_waiting, id=job.id, token=job.token, waiting=_WAITS)
                await self._core.blocked.clear(writer, [{"team_id": job.team_id, "org_id": job.org_id}])
                writer.after_commit(self._core.signals.arrived)
            job.let_go_on(has_slot=False)

    def _want_back(self, job: RunningJob) -> None:
        job.waits -= 1
        if job.waits == 0:
            job.slot_back = asyncio.Event()
            self._core.signals.freed()

    async def resume(self, jobs: Sequence[RunningJob] | None = None) -> bool:
        """Gives slots back, to these or to all that want one; returns whether any has to wait still."""
        async with self._turn:
            wanting = [job for job in jobs or self._runner.held if job.slot_back is not None]
            if wanting:
                await self._give_back(wanting)
        return any(job.slot_back is not None for job in wanting)

    async def _give_back(self, wanting: Sequence[RunningJob]) -> None:
        async with self._core.data.write(durable=False) as writer:
            await writer.all(sql.lock_companies, companies=as_keys(job.org_id for job in wanting))
            rooms: dict[str, Room] = {}
            for row in await writer.all(sql.rooms_to_resume, teams=as_keys(job.team_id for job in wanting)):
                rooms |= {row["team_id"]: room_in(row, "team"), row["org_id"]: room_in(row, "org")}
            resumed: list[RunningJob] = []
            free = self._runner.free_for_resumed
            for job in wanting:
                has_room = len(resumed) < free and rooms[job.team_id].all > 0 and rooms[job.org_id].all > 0
                state = _WORKS if has_room else _WANTS_BACK
                known = await writer.all(sql.set_waiting, id=job.id, token=job.token, waiting=state)
                if has_room or not known:  # one that is somebody else's by now finds out by itself
                    resumed.append(job)
                    rooms |= {one: rooms[one].less(awaited=True) for one in (job.team_id, job.org_id)}
        for job in resumed:
            job.let_go_on(has_slot=True)
