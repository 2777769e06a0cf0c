"""Taking jobs in, within the caller's own transaction, and calling them off again with their families."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from guildhall_sdk import Conflict, InvalidRequest, Job, JobKind, NewJob, Reader, Row, UserError, Writer
from guildhall_sdk.jobs import HIGHEST_PRIORITY, LOWEST_PRIORITY, JobError
from guildhall_sdk.schema import obj
from kernel.job_limits.queue_limit import QueueLimit
from kernel.scheduler.completion import CompletionWriter
from kernel.scheduler.core import Core, loop
from kernel.scheduler.lanes import lane_of, open_lane, open_lanes
from kernel.scheduler.rows import LONG, job_of, new_job_of, row_of
from kernel.scheduler.runner import Runner
from kernel.scheduler.statements import sql
from kernel.scope import current_scope
from kernel.validation import Validator
from libs.coordination import PolledNotices

# How deep jobs within jobs go.
MAX_DEPTH = 8
# Characters of a payload that is written quickly.
_MAX_QUICK = 8 * 1024
# A word between processes may be lost, or come before the job that was just claimed has begun.
_POLL_STOPS_SECONDS = 0.5


class JobQueue:
    """The part of the scheduler that takes jobs in and calls them off, and passes on which ended by that.

    A job of a kind that nobody declares is refused.
    """

    def __init__(self, core: Core, endings: CompletionWriter, runner: Runner) -> None:
        self.core = core
        self._endings = endings
        self._stops = Stops(core, runner)
        self._limit = QueueLimit(core.clock)
        self._payloads = {
            kind.name: Validator(obj({"payload": kind.payload}))
            for kind in core.kinds.values()
            if kind.payload is not None
        }

    async def enqueue(self, writer: Writer, new: NewJob) -> Job:
        return (await self.enqueue_many(writer, [new]))[0]

    async def enqueue_many(
        self, writer: Writer, new: Sequence[NewJob], *, following: bool = False
    ) -> Sequence[Job]:
        """Inserts jobs in the caller's transaction; `following` passes by the limit of the queue."""
        inserted = await self._insert(writer, new, limited=not following)
        return [twin or new_job_of(row, one) for one, row, twin in inserted]

    async def enqueue_for_ids(
        self, writer: Writer, new: Sequence[NewJob], *, following: bool = False
    ) -> Sequence[str]:
        """Inserts jobs like `enqueue_many`; returns their ids alone, which is less to make for many."""
        inserted = await self._insert(writer, new, limited=not following)
        return [row["id"] if twin is None else twin.id for _, row, twin in inserted]

    async def _insert(
        self, writer: Writer, wanted: Sequence[NewJob], *, limited: bool
    ) -> Sequence[tuple[NewJob, dict[str, Any], Job | None]]:
        """Returns the jobs as they are asked for with their rows, and the live twins that some met."""
        now = self.core.clock.now_ms()
        wanted = [_as_who_asks(new) for new in wanted]
        trace = current_scope.get().trace
        rows = [row_of(new, self._admit(new), now) | {"trace": trace} for new in wanted]
        for new, row in zip(wanted, rows, strict=True):
            await self._check_payload(new, len(row["payload"]))
        for within in {(new.team_id, new.within): new for new in wanted if new.within is not None}.values():
            await _admit_child(writer, within)
            await self.core.blocked.clear(writer, [{"team_id": within.team_id, "org_id": within.org_id}])
        if limited:
            for team_id, many in sorted(Counter(row["team_id"] for row in rows).items()):
                await self._limit.take(writer, team_id, many)
        lanes = [lane_of(row) for row in rows if row["state"] == "queued"]
        # Lanes come first where a row may wait for one with its key.
        alone = len(rows) == 1 and rows[0]["unique_key"] is None
        await open_lanes(writer, () if alone else lanes)
        inserted = await _inserted(writer, rows)
        if alone and lanes and 1 not in inserted.values():
            await open_lane(writer, *lanes[0])
        self.core.events.jobs_moved(writer, rows)
        if lanes:
            change = await self.core.signals.changing_jobs({pool for pool, *_ in lanes})
            writer.after_commit(partial(self.core.signals.arrived, change))
        return [
            (new, row, None if row["id"] in inserted else await _twin_or_new(writer, row, new))
            for new, row in zip(wanted, rows, strict=True)
        ]

    def _admit(self, new: NewJob) -> JobKind:
        kind = self.core.kinds.get(new.kind)
        if kind is None:
            raise UserError(f"There is no job kind {new.kind}.", code="unknown_kind")
        if not LOWEST_PRIORITY <= new.priority <= HIGHEST_PRIORITY:
            raise InvalidRequest.at("/priority", f"must be {LOWEST_PRIORITY} to {HIGHEST_PRIORITY}")
        return kind

    async def _check_payload(self, new: NewJob, length: int) -> None:
        """Checks a payload, a long one on a thread: a schema of a list of anything looks at each item."""
        validator = self._payloads.get(new.kind)
        if validator is not None and length > LONG:
            await asyncio.to_thread(validator.check, {"payload": new.payload})
        elif validator is not None:
            validator.check({"payload": new.payload})

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
        kinds = self._stoppable()
        if job.kind not in kinds:
            raise Conflict("Jobs of this kind cannot be stopped; this one finishes.", code="not_stoppable")
        called_off = await self._call_off_family(writer, team_id, job_id, kinds)
        to_stop = [row["id"] for row in called_off if row["state"] == "running" and row["stop_requested"]]
        if job_id not in to_stop:
            raise Conflict("The job has just ended, or waits again.", code="not_stoppable")
        writer.after_commit(lambda: self._stops.notify(to_stop))
        return job

    async def cancel_waiting(self, writer: Writer, team_id: str, job_ids: Sequence[str]) -> int:
        binds = {"ids": json.dumps(list(job_ids)), "team_id": team_id, "wall": self.core.wall}
        return await self._pass_on(writer, await writer.all(sql.cancel_waiting, **binds))

    async def cancel_of_person(
        self, writer: Writer, team_id: str, user_id: str, because: JobError, *, stop: bool = False
    ) -> int:
        kinds = json.dumps([kind.name for kind in self.core.kinds.values() if not kind.outlives_person])
        whose = {"team_id": team_id, "user_id": user_id, "kinds": kinds}
        error = {"code": because.code, "message": because.message, "wall": self.core.wall}
        cancelled = await writer.all(sql.cancel_of_person, **whose, **error)
        stopping = json.dumps(self._stoppable() if stop else [])
        running = await writer.all(sql.call_off_running_of_person, **whose, stopping=stopping)
        to_stop = [row["id"] for row in running if row["stop_requested"]]
        writer.after_commit(lambda: self._stops.notify(to_stop))
        return await self._pass_on(writer, cancelled)

    def _stoppable(self) -> list[str]:
        return [kind.name for kind in self.core.kinds.values() if kind.stoppable and kind.handler]

    async def _call_off_family(
        self, writer: Writer, team_id: str, job_id: str, stopping: Iterable[str] = ()
    ) -> Sequence[Row]:
        """Calls off the job's family; what runs and is of the kinds `stopping` is to be stopped."""
        if not await lock_family(writer, team_id, job_id):
            return ()
        binds = {"id": job_id, "team_id": team_id, "kinds": json.dumps(list(stopping))}
        rows = await writer.all(sql.call_off_family, **binds, wall=self.core.wall)
        await self._pass_on(writer, rows)
        return rows

    async def _pass_on(self, writer: Writer, called_off: Sequence[Row]) -> int:
        """Passes on those that are over, and returns how many."""
        over = [row for row in called_off if row["state"] == "cancelled"]
        await self._endings.pass_on(writer, over)
        return len(over)


class Stops(PolledNotices):
    """Tells every process which jobs are to be stopped."""

    def __init__(self, core: Core, runner: Runner) -> None:
        rounds = partial(loop, "stops", seconds=_POLL_STOPS_SECONDS)
        super().__init__(core.data.pool.announcements, "job_stops", rounds)
        self._core = core
        self._runner = runner

    def receive(self, ids: Sequence[str]) -> None:
        self._runner.stop(ids)

    async def poll(self) -> None:
        if held := self._runner.stoppable():
            rows = await self._core.data.read_rows(sql.to_be_stopped, ids=json.dumps(held))
            self._runner.stop([row["id"] for row in rows])


def _as_who_asks(new: NewJob) -> NewJob:
    """Returns the job with credential and scope of the request or job that asks: nobody gains a right."""
    credential = current_scope.get().credential
    if credential is None:
        return new
    scope = credential.scope
    if new.scope is not None:
        scope = new.scope if scope is None else scope & new.scope
    return replace(new, asked_with=new.asked_with or credential.id or None, scope=scope)


async def _inserted(writer: Writer, rows: Sequence[Mapping[str, Any]]) -> dict[str, int | None]:
    """Inserts rows; returns the ids of those that met no live twin, each with 1 where its lane is open."""
    if len(rows) == 1 and len(rows[0]["payload"]) <= _MAX_QUICK:
        found = await writer.all(sql.insert_job, **rows[0])
    else:  # a column that is left out is null
        given = [{name: value for name, value in row.items() if value is not None} for row in rows]
        found = await writer.all(sql.insert_jobs, jobs=json.dumps(given))
    return {row["id"]: row.get("active") for row in found}


async def _twin_or_new(writer: Writer, row: Mapping[str, Any], new: NewJob) -> Job:
    """Returns the live job with this key, which the insert met; a new one if that has ended meanwhile."""
    key = {name: row[name] for name in ("team_id", "kind", "unique_key")}
    while (twin := await writer.one(sql.live_twin, **key)) is None:
        if await _inserted(writer, [row]):
            return new_job_of(row, new)
    if new.within not in (None, twin["id"]):
        await writer.run(sql.move_up, id=twin["id"])
    return job_of(twin)


async def _admit_child(writer: Writer, new: NewJob) -> None:
    """Refuses a job `within` one that is not there, not this team's, over, called off, or nested too deep.

    Until the transaction ends, nobody cancels the family: whoever does so afterwards sees this job too.
    """
    assert new.within is not None
    family = await lock_family(writer, new.team_id, new.within)
    if not family:
        raise UserError(f"The team has no job {new.within} to ask within.", code="unknown_job")
    if len(family) > MAX_DEPTH:
        raise UserError(f"Jobs within jobs go {MAX_DEPTH} deep at most.", code="too_deep")
    if await writer.one(sql.open_to_children, id=new.within, team_id=new.team_id) is None:
        raise Conflict(
            f"The job {new.within} is over or was cancelled: nothing can be asked for within it.",
            code="parent_ended",
        )


async def lock_family(writer: Writer, team_id: str, job_id: str) -> list[str]:
    """Locks the job and those above it, and returns their ids, which never change and are read before."""
    rows = await writer.all(sql.ancestry, id=job_id, team_id=team_id, max_steps=MAX_DEPTH)
    family = [row["id"] for row in rows]
    if family:
        await writer.serialize(f"jobs within {family[-1]}")
    return family
