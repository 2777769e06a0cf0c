"""Cancelling runs."""

from builtin_plugins.workflows.runs.engine import RunEngine
from builtin_plugins.workflows.runs.starting import audit
from builtin_plugins.workflows.runs.statements import map_sql, sql
from builtin_plugins.workflows.runs.walk import Walk
from guildhall_sdk import Conflict, Host, NotFound, Writer


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
    now = host.clock.now_ms()
    await writer.run(map_sql.cancel_maps, run_id=run_id, now=now, revision=walk.next_revision())
    walk.end("cancelled")
    await engine.save(writer, [walk])
    # Nobody waits here for a job that is just being claimed: its handler finds the run over.
    await engine.cancel_waiting(writer, walk)
    audit(writer, "run.cancelled", walk)
