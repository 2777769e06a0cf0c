"""Calling jobs off: those that wait end, those that run finish or are stopped, and so their families."""

import json
from collections.abc import Iterable, Sequence

from guildhall_sdk import Conflict, Job, Reader, Row, Writer
from guildhall_sdk.jobs import JobError
from kernel.scheduler.completion import CompletionWriter
from kernel.scheduler.core import Core
from kernel.scheduler.enqueue import lock_family
from kernel.scheduler.loops import Loop
from kernel.scheduler.rows import job_of
from kernel.scheduler.runner import Runner
from kernel.scheduler.statements import sql

# A word between processes may be lost, or come before the job that was just claimed has begun.
_LOOK_SECONDS = 0.5


class Cancelling:
    """The part of the scheduler that calls jobs off, and passes on which of them ended by that."""

    def __init__(self, core: Core, endings: CompletionWriter, runner: Runner) -> None:
        self.core = core
        self._endings = endings
        self._stops = Stops(core, runner)

    async def get(self, reader: Reader, team_id: str, job_id: str) -> Job | None:
        row = await reader.one(sql.job, id=job_id, team_id=team_id)
        return None if row is None else job_of(row)

    async def cancel(self, writer: Writer, team_id: str, job_id: str) -> Job | None:
        """Cancels what waits and calls off what runs, of the job and all that was asked for within it."""
        await self._call_off_family(writer, team_id, job_id)
        return await self.get(writer, team_id, job_id)

    async def stop_running(self, writer: Writer, team_id: str, job_id: str) -> Job | None:
        """Cancels what waits and stops what runs and can be stopped, of the job's family."""
        job = await self.get(writer, team_id, job_id)
        if job is None:
            return None
        if job.state != "running":
            how = "waits: cancel it instead" if job.state == "queued" else "has ended already"
            raise Conflict(f"The job {how}.", code="not_stoppable")
        kinds = [kind.name for kind in self.core.kinds.values() if kind.stoppable and not kind.remote]
        if job.kind not in kinds:
            message = "Jobs of this kind cannot be stopped; this one finishes."
            raise Conflict(message, code="not_stoppable")
        called_off = await self._call_off_family(writer, team_id, job_id, kinds)
        to_stop = [row["id"] for row in called_off if row["state"] == "running" and row["stop_requested"]]
        if job_id not in to_stop:
            raise Conflict("The job has just ended, or waits again.", code="not_stoppable")
        writer.after_commit(lambda: self._stops.tell(to_stop))
        return job

    async def cancel_waiting(self, writer: Writer, team_id: str, job_ids: Sequence[str]) -> int:
        ids, wall = json.dumps(list(job_ids)), self.core.time.time_of_day()
        return await self._pass_on(
            writer, await writer.all(sql.cancel_waiting, ids=ids, team_id=team_id, wall=wall)
        )

    async def cancel_of_person(self, writer: Writer, team_id: str, user_id: str, because: JobError) -> int:
        kinds = json.dumps([kind.name for kind in self.core.kinds.values() if not kind.outlives_person])
        binds = {"team_id": team_id, "user_id": user_id, "kinds": kinds, "code": because.code}
        wall = self.core.time.time_of_day()
        rows = await writer.all(sql.cancel_of_person, **binds, message=because.message, wall=wall)
        return await self._pass_on(writer, rows)

    async def _call_off_family(
        self, writer: Writer, team_id: str, job_id: str, stopping: Iterable[str] = ()
    ) -> Sequence[Row]:
        """Calls off the job's family; what runs and is of the kinds `stopping` is to be stopped."""
        if not await lock_family(writer, team_id, job_id):
            return ()
        binds = {"id": job_id, "team_id": team_id, "kinds": json.dumps(list(stopping))}
        rows = await writer.all(sql.call_off_family, **binds, wall=self.core.time.time_of_day())
        await self._pass_on(writer, rows)
        return rows

    async def _pass_on(self, writer: Writer, called_off: Sequence[Row]) -> int:
        """Passes on those that are over, and returns how many."""
        over = [row for row in called_off if row["state"] == "cancelled"]
        await self._endings.pass_on(writer, over)
        writer.after_commit(lambda: self.core.signals.over(over))
        return len(over)


class Stops:
    """Passes the word on that jobs are to be stopped, and looks beneath it for those that no word told of."""

    def __init__(self, core: Core, runner: Runner) -> None:
        self._core = core
        self._runner = runner
        self._others = core.data.announcements("job_stops", self._on_message)
        self._loop = Loop("stops", self.look, _LOOK_SECONDS)

    async def start(self) -> None:
        await self._others.start()
        self._loop.start()

    async def stop(self) -> None:
        await self._loop.stop()
        await self._others.stop()

    def tell(self, job_ids: Sequence[str]) -> None:
        """Stops what of these runs here, and tells the other processes."""
        self._runner.stop(job_ids)
        for job_id in job_ids:
            self._others.tell(job_id)

    async def look(self) -> None:
        held = self._runner.stoppable()
        if not held:
            return
        async with self._core.data.read() as reader:
            rows = await reader.all(sql.to_be_stopped, ids=json.dumps(held))
        self._runner.stop([row["id"] for row in rows])

    def _on_message(self, job_id: str | None) -> None:
        if job_id is not None:  # what was missed is found by looking
            self._runner.stop([job_id])
