"""The jobs that look at schedules when their times come: one waits for each that goes on.

A job only says when to look. What is due stands in the schedule, so that one job too many starts nothing, and
one that is lost is asked for anew.
"""

import asyncio
from contextvars import copy_context

from builtin_plugins.schedules.schedule import FEATURE, Schedule, list_changed, sql
from guildhall_sdk import Host, NewJob, Writer
from guildhall_sdk.services.jobs import Jobs

START = "schedules.start"
#: Before what the team's people and runs have in the queue: a start is short, and people count on its time.
PRIORITY = 50
_AT_ONCE = 500

__all__ = ["FEATURE", "START", "Planner"]


class Planner:
    """Asks for the jobs. They are the server's own, whoever changed a schedule: none acts for that person."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._own_context = copy_context()

    async def plan(self, writer: Writer, schedule: Schedule, at: int | None = None) -> None:
        """Has the schedule looked at when it is due, or at another time, and at no other."""
        at = schedule.due_at if at is None else at
        job_id = None if at is None else await self._enqueue(writer, schedule, at)
        await writer.run(sql.set_job, id=schedule.id, job_id=job_id)
        if schedule.job_id not in (None, job_id):
            await self.forget(writer, schedule.team_id, schedule.job_id)
        list_changed(self._host, writer, schedule.team_id)

    async def forget(self, writer: Writer, team_id: str, job_id: str | None) -> None:
        """Cancels a job that no schedule has any more, unless it runs."""
        if job_id is not None:
            await self._host.service(Jobs).cancel_waiting(writer, team_id, [job_id])

    async def _enqueue(self, writer: Writer, schedule: Schedule, at: int) -> str:
        assert schedule.owner_id is not None
        new = NewJob(
            START,
            schedule.org_id,
            schedule.team_id,
            schedule.owner_id,
            {"schedule_id": schedule.id},
            run_at=at,
            priority=PRIORITY,
            unique_key=f"{schedule.id}@{at}",
        )
        asking = self._host.service(Jobs).enqueue_for_ids(writer, [new], following=True)
        [job_id] = await asyncio.create_task(asking, context=self._own_context.copy())
        return job_id

    async def plan_lost(self) -> None:
        """Plans what is to come and has no job: its job was lost with a backup, or deleted."""
        after = ""
        while True:
            async with self._host.data.read() as reader:
                rows = await reader.all(sql.unplanned, after=after, limit=_AT_ONCE)
            for row in rows:
                schedule = Schedule.of(row)
                async with self._host.data.write() as writer:
                    await self.plan(writer, schedule)
            if len(rows) < _AT_ONCE:
                return
            after = rows[-1]["id"]
