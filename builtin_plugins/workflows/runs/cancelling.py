"""Cancelling runs."""

from contextlib import suppress

from builtin_plugins.workflows.runs.engine import RunEngine
from builtin_plugins.workflows.runs.starting import audit
from builtin_plugins.workflows.runs.statements import map_sql, sql
from builtin_plugins.workflows.runs.walk import Walk
from guildhall_sdk import Actor, Conflict, EventCall, Host, NotFound, Subscription, Writer
from guildhall_sdk.subscriptions import MEMBER_SUSPENDED


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
