"""Runs that do not end by themselves: cancelled, swept when nothing moves them, deleted when they are old."""

import asyncio
import json
import logging
from contextlib import suppress
from pathlib import Path

from builtin_plugins.workflows.runs.engine import RunEngine
from builtin_plugins.workflows.runs.starting import audit
from builtin_plugins.workflows.runs.statements import sql, sweeping_sql, wait_sql
from builtin_plugins.workflows.runs.values import StepEnd
from builtin_plugins.workflows.runs.walk import Walk
from guildhall_sdk import (
    Actor,
    Conflict,
    EventCall,
    Host,
    Job,
    NotFound,
    Reader,
    Row,
    Statement,
    Subscription,
    Unavailable,
    Writer,
    load_queries,
    new_id,
)
from guildhall_sdk.retention import Retained, days_setting
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.subscriptions import MEMBER_SUSPENDED

EVERY_SECONDS = 60.0
RESTING_MS = 60_000
_PAGE = 100
_LOST = ("job_lost", "The job of this step is gone.")
_BROKEN = ("internal", "The run could not go on; the server's log says why.")
_log = logging.getLogger("guildhall.workflows")
retention_sql = load_queries(Path(__file__).with_name("retention.sql"))
KEEP_RUNS_DAYS = days_setting(
    "keep_runs_days", what="runs that have ended", default=365, variable="SERVICE_KEEP_RUNS_DAYS"
)
_MAX_ITEMS = 1_000


async def cancel_run(host: Host, writer: Writer, team_id: str, run_id: str) -> None:
    """Ends a run at once: what executes finishes and is recorded in its step, and nothing follows.

    Raises `NotFound`, and `Conflict` `not_running` for one that is over.
    """
    row = await writer.one(sql.lock_run, id=run_id, team_id=team_id)
    if row is None:
        raise NotFound
    if row["state"] != "running":
        raise Conflict(f"The run has {row['state']} already.", code="not_running")
    engine, walk = host.service(RunEngine), Walk.of(row)
    await engine.lanes.stop_run(writer, walk)
    walk.end("cancelled")
    await engine.save(writer, [walk])
    # Nobody waits here for a job that is just being claimed: its handler finds the run over.
    await engine.cancel_waiting(writer, walk)
    audit(writer, "run.cancelled", walk)


async def cancel_lost(host: Host, found: Statement, limit: int) -> None:
    """Cancels the runs that a statement finds, each in a transaction of its own."""
    while True:
        async with host.data.read() as reader:
            rows = await reader.all(found, limit=limit)
        for row in rows:
            with suppress(Conflict, NotFound):
                async with host.data.write(Actor("system", team_id=row["team_id"])) as writer:
                    await cancel_run(host, writer, row["team_id"], row["id"])
        if len(rows) < limit:
            return


async def _cancel_runs_of_suspended(call: EventCall) -> None:
    """Cancels each run in a transaction of its own; what was done before is not undone by a later attempt."""
    host, origin = call.host, call.origin
    async with host.data.read() as reader:
        rows = await reader.all(sql.running_of, team_id=origin.team_id, user_id=call.payload.user_id)
    actor = Actor("system", org_id=origin.org_id, team_id=origin.team_id)
    for row in rows:
        with suppress(Conflict, NotFound):  # it is over by now
            async with host.data.write(actor) as writer:
                await cancel_run(host, writer, origin.team_id, row["id"])


ON_SUSPENSION = Subscription(
    name="on-suspension",
    event=MEMBER_SUSPENDED.name,
    handler=_cancel_runs_of_suspended,
    doc="Cancels the runs of somebody who was suspended.",
)


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
        await self._engine.waits.cancel_children()
        before, after, moved = self._host.clock.now_ms() - RESTING_MS, "", 0
        while True:
            async with self._host.data.read() as reader:
                rows = await reader.all(sweeping_sql.resting, before=before, after=after, limit=_PAGE)
            for row in rows:
                moved += await self._sweep_run(row)
            if len(rows) < _PAGE:
                return moved
            after = rows[-1]["id"]

    async def _sweep_run(self, run: Row) -> bool:
        """Takes in ends that were missed. A run without a job to wait for cannot go on, and is given up."""
        async with self._host.data.read() as reader:
            live = await reader.all(sql.live_jobs, run_id=run["id"])
            jobs = [await self._host.service(Jobs).get(reader, run["team_id"], row["job_id"]) for row in live]
            waits = await reader.value(wait_sql.waits_of_run, run_id=run["id"])
        pairs = zip(live, jobs, strict=True)
        ends = [_end_of(run["id"], row, job) for row, job in pairs if job is None or job.ended]
        if (live or waits) and not ends:
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
            end = StepEnd(run_id=walk.id, number=last["number"], state="failed", code=code, message=message)
            ends = json.dumps([end.row(walk.next_revision())])
            await writer.all(sql.end_steps, ends=ends, now=self._host.clock.now_ms())
        await self._engine.lanes.stop_run(writer, walk)
        walk.end("failed", (code, message, name))
        await self._engine.save(writer, [walk])
        await self._engine.cancel_waiting(writer, walk)


def _end_of(run_id: str, row: Row, job: Job | None) -> StepEnd:
    if job is not None:
        return StepEnd.of(job)
    code, message = _LOST
    return StepEnd(
        run_id=run_id, number=row["number"], index=row["idx"], state="failed", code=code, message=message
    )


async def _count(reader: Reader, before: int) -> int:
    return int(await reader.value(retention_sql.count, before=before, before_id=new_id("run", before)))


async def _delete_old(writer: Writer, before: int, limit: int) -> int:
    """Throws the oldest runs away: the items of their maps first, for as many portions as these take."""
    over = {"before": before, "before_id": new_id("run", before), "limit": limit}
    items = await writer.all(retention_sql.delete_items, **over, max_items=_MAX_ITEMS)
    if len(items) == _MAX_ITEMS:
        return len(items)
    return len(items) + len(await writer.all(retention_sql.delete_runs, **over))


ENDED_RUNS = Retained(
    name="runs",
    title="runs of workflows that have ended, with their steps and outputs",
    keep_days=KEEP_RUNS_DAYS,
    count=_count,
    delete_expired=_delete_old,
)
