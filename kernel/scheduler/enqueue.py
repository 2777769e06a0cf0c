"""Taking jobs in, within the caller's own transaction."""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from guildhall_sdk import Conflict, InvalidRequest, Job, JobKind, NewJob, UserError, Writer
from guildhall_sdk.jobs import HIGHEST_PRIORITY, LOWEST_PRIORITY
from guildhall_sdk.schema import obj
from kernel.job_limits.queue_limit import QueueLimit, check_payload_size, refuse_long_texts
from kernel.scheduler.core import Core
from kernel.scheduler.lanes import lane_of, open_lanes
from kernel.scheduler.rows import job_of, new_job_of, row_of
from kernel.scheduler.statements import sql
from kernel.scope import current_scope
from kernel.validation.validator import Validator

# How deep jobs within jobs go.
MAX_DEPTH = 8
# Characters of a payload that is written quickly.
_MAX_QUICK = 8 * 1024
# Of one that takes under a millisecond to check.
_LONG_PAYLOAD = 32 * 1024


class Enqueueing:
    """The part of the scheduler that takes jobs in; one of a kind that nobody declares is refused."""

    def __init__(self, core: Core) -> None:
        self.core = core
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
        wanted, rows, inserted = await self._insert(writer, new, limited=not following)
        return [
            new_job_of(row, one) if row["id"] in inserted else await _twin_or_new(writer, row, one)
            for one, row in zip(wanted, rows, strict=True)
        ]

    async def enqueue_for_ids(
        self, writer: Writer, new: Sequence[NewJob], *, following: bool = False
    ) -> Sequence[str]:
        """Inserts jobs like `enqueue_many`; returns their ids alone, which is less to make for many."""
        wanted, rows, inserted = await self._insert(writer, new, limited=not following)
        return [
            row["id"] if row["id"] in inserted else (await _twin_or_new(writer, row, one)).id
            for one, row in zip(wanted, rows, strict=True)
        ]

    async def _insert(
        self, writer: Writer, wanted: Sequence[NewJob], *, limited: bool
    ) -> tuple[Sequence[NewJob], Sequence[dict[str, Any]], set[str]]:
        """Returns the jobs as they are asked for, their rows, and the ids of those that were inserted."""
        now = self.core.clock.now_ms()
        for new in wanted:
            refuse_long_texts(new.payload)
        wanted = [_as_who_asks(new) for new in wanted]
        rows = [row_of(new, self._admit(new), now) for new in wanted]
        for new, row in zip(wanted, rows, strict=True):
            check_payload_size(new.payload, row["payload"])
            await self._check_payload(new, len(row["payload"]))
        for within in {(new.team_id, new.within): new for new in wanted if new.within is not None}.values():
            await _admit_child(writer, within)
            await self.core.blocked.clear(writer, [{"team_id": within.team_id, "org_id": within.org_id}])
        places = Counter(row["team_id"] for row in rows) if limited else Counter()
        for team_id, many in sorted(places.items()):
            await self._limit.take(writer, team_id, many)
        ready = [row for row in rows if row["state"] == "queued"]
        await open_lanes(writer, map(lane_of, ready))
        inserted = await _inserted(writer, rows)
        writer.after_commit(self.core.signals.arrived)
        return wanted, rows, inserted

    def _admit(self, new: NewJob) -> JobKind:
        kind = self.core.kinds.get(new.kind)
        if kind is None:
            raise UserError(f"There is no job kind {new.kind}.", code="unknown_kind")
        if not LOWEST_PRIORITY <= new.priority <= HIGHEST_PRIORITY:
            raise InvalidRequest.at("/priority", f"must be {LOWEST_PRIORITY} to {HIGHEST_PRIORITY}")
        return kind

    async def _check_payload(self, new: NewJob, length: int) -> None:
        """Checks a payload, a long one on a thread: a schema of a list of anything looks at each item."""
        payload = self._payloads.get(new.kind)
        if payload is None:
            return
        if length > _LONG_PAYLOAD:
            await asyncio.to_thread(payload.check, {"payload": new.payload})
        else:
            payload.check({"payload": new.payload})


def _as_json(rows: Sequence[Mapping[str, Any]]) -> str:
    """Encodes rows for `insert_jobs`; a column that is left out is null."""
    return json.dumps([{name: value for name, value in row.items() if value is not None} for row in rows])


def _as_who_asks(new: NewJob) -> NewJob:
    """Returns the job with credential and scope of the request or job that asks: nobody gains a right."""
    credential = current_scope.get().credential
    if credential is None:
        return new
    scope = credential.scope
    if new.scope is not None:
        scope = new.scope if scope is None else scope & new.scope
    asked_with = new.asked_with or credential.id or None
    if (asked_with, scope) == (new.asked_with, new.scope):
        return new
    return replace(new, asked_with=asked_with, scope=scope)


async def _inserted(writer: Writer, rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Inserts rows; returns the ids of those that met no live twin."""
    if len(rows) == 1 and len(rows[0]["payload"]) <= _MAX_QUICK:
        found = await writer.all(sql.insert_job, **rows[0])
    else:
        found = await writer.all(sql.insert_jobs, jobs=_as_json(rows))
    return {row["id"] for row in found}


async def _twin_or_new(writer: Writer, row: Mapping[str, Any], new: NewJob) -> Job:
    """Returns the live job with this key, which the insert met; a new one if that has ended meanwhile."""
    while True:
        twin = await writer.one(
            sql.live_twin, team_id=row["team_id"], kind=row["kind"], unique_key=row["unique_key"]
        )
        inserted = twin is None and await _inserted(writer, [row])
        if twin is not None or inserted:
            if twin is not None and new.within not in (None, twin["id"]):
                await writer.run(sql.move_up, id=twin["id"])
            return new_job_of(row, new) if twin is None else job_of(twin)


async def _admit_child(writer: Writer, new: NewJob) -> None:
    """Refuses a job `within` one that is not there, not this team's, over, called off, or nested too deep.

    Until the transaction ends, nobody cancels the family: whoever does so afterwards sees this job too.
    """
    if new.within is None:
        return
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
