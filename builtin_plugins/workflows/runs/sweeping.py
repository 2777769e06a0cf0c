"""Looks after runs that have not moved for a while: the end of a job may have come to nothing in its run."""

import asyncio
import json
import logging

from builtin_plugins.workflows.runs.ends import StepEnd
from builtin_plugins.workflows.runs.engine import RunEngine
from builtin_plugins.workflows.runs.statements import sql, sweeping_sql
from builtin_plugins.workflows.runs.walk import Walk
from guildhall_sdk import Host, Job, Row, Unavailable, Writer
from guildhall_sdk.services.jobs import Jobs

EVERY_SECONDS = 60.0
RESTING_MS = 60_000
_PAGE = 100
_LOST = ("job_lost", "The job of this step is gone.")
_BROKEN = ("internal", "The run could not go on; the server's log says why.")
_log = logging.getLogger("guildhall.workflows")


class RunSweeper:
    """Sweeps at the start and every minute; any process may, since every write has its condition."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._engine = host.service(RunEngine)

    async def run(self) -> None:
        """Sweeps until it is cancelled."""
        while True:
            await self.sweep()
            await asyncio.sleep(EVERY_SECONDS)

    async def sweep(self) -> int:
        """Looks once at all runs that rest; returns how many had to be moved."""
        before, after, moved = self._host.clock.now_ms() - RESTING_MS, "", 0
        while True:
            async with self._host.data.read() as reader:
                rows = await reader.all(sweeping_sql.resting, before=before, after=after, limit=_PAGE)
            for row in rows:
                moved += await self._look_after(row)
            if len(rows) < _PAGE:
                return moved
            after = rows[-1]["id"]

    async def _look_after(self, run: Row) -> bool:
        """Takes in ends that were missed. A run without a job to wait for cannot go on, and is given up."""
        async with self._host.data.read() as reader:
            live = await reader.all(sql.live_jobs, run_id=run["id"])
            jobs = [await self._host.service(Jobs).get(reader, run["team_id"], row["job_id"]) for row in live]
        pairs = zip(live, jobs, strict=True)
        ends = [_end_of(run["id"], row, job) for row, job in pairs if job is None or job.ended]
        if live and not ends:
            return False
        try:
            async with self._host.data.write() as writer:
                if ends:
                    await self._engine.take_ends(writer, ends)
                else:
                    await self._give_up(writer, run, _LOST)
        except Unavailable as trouble:
            # The database, which is back soon: the run is looked after then.
            _log.warning("run.sweep_put_off", extra={"fields": {"run": run["id"], "reason": trouble.detail}})
            return False
        except Exception:
            _log.exception("run.sweep_failed", extra={"fields": {"run": run["id"]}})
            async with self._host.data.write() as writer:
                await self._give_up(writer, run, _BROKEN)
        return True

    async def _give_up(self, writer: Writer, run: Row, error: tuple[str, str]) -> None:
        """Fails a run, unless it has moved meanwhile."""
        row = await writer.one(sql.lock_run, id=run["id"], team_id=run["team_id"])
        if error is _LOST and await writer.all(sql.live_jobs, run_id=run["id"]):
            return
        last = await writer.one(sql.last_step, run_id=run["id"])
        if row is None or row["state"] != "running":
            return
        walk, (code, message) = Walk.of(row), error
        name = "" if last is None else last["name"]
        if last is not None:
            end = StepEnd(walk.id, last["number"], None, "failed", None, code, message)
            ends = json.dumps([end.row(walk.next_revision())])
            await writer.all(sql.end_steps, ends=ends, now=self._host.clock.now_ms())
        walk.end("failed", (code, message, name))
        await self._engine.save(writer, [walk])
        await self._engine.cancel_waiting(writer, walk)


def _end_of(run_id: str, row: Row, job: Job | None) -> StepEnd:
    if job is not None:
        return StepEnd.of(job)
    return StepEnd(run_id, row["number"], row["idx"], "failed", None, *_LOST)
