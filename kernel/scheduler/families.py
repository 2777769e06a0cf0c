"""Jobs that others asked for and wait for: who may ask for them, and how they are cancelled together."""

import json
from collections.abc import Iterable, Sequence

from guildhall_sdk import Conflict, NewJob, Row, UserError, Writer
from kernel.scheduler.statements import LeaseClock, sql

MAX_DEPTH = 8


async def admit_child(writer: Writer, new: NewJob) -> None:
    """Refuses a job `within` one that is not there, not this team's, over, called off, or nested too deep.

    Until the transaction ends, nobody cancels the family: whoever does so afterwards sees this job too.
    """
    if new.within is None:
        return
    family = await _lock_family(writer, new.team_id, new.within)
    if not family:
        raise UserError(f"The team has no job {new.within} to ask within.", code="unknown_job")
    if len(family) > MAX_DEPTH:
        raise UserError(f"Jobs within jobs go {MAX_DEPTH} deep at most.", code="too_deep")
    if await writer.one(sql.open_to_children, id=new.within, team_id=new.team_id) is None:
        raise Conflict(
            f"The job {new.within} is over or was cancelled: nothing can be asked for within it.",
            code="parent_ended",
        )


async def cancel_family(writer: Writer, team_id: str, job_id: str, time: LeaseClock) -> Sequence[Row]:
    """Cancels what waits and calls off what runs, of the job and all that was asked for within it."""
    if not await _lock_family(writer, team_id, job_id):
        return ()
    return await writer.all(sql.cancel_family, id=job_id, team_id=team_id, wall=time.time_of_day())


async def stop_family(
    writer: Writer, team_id: str, job_id: str, kinds: Iterable[str], time: LeaseClock
) -> Sequence[Row]:
    """Cancels what waits and asks for a stop of what runs and is of these kinds, of the job's family."""
    if not await _lock_family(writer, team_id, job_id):
        return ()
    binds = {"id": job_id, "team_id": team_id, "kinds": json.dumps(list(kinds))}
    return await writer.all(sql.stop_family, **binds, wall=time.time_of_day())


async def _lock_family(writer: Writer, team_id: str, job_id: str) -> list[str]:
    """Locks the job and those above it, and returns their ids, which never change and are read before."""
    rows = await writer.all(sql.ancestry, id=job_id, team_id=team_id, max_steps=MAX_DEPTH)
    family = [row["id"] for row in rows]
    if family:
        await writer.serialize(f"jobs within {family[-1]}")
    return family
