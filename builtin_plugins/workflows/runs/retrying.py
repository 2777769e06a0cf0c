"""Trying a run again: anew, or from the step that failed with everything before it kept."""

import json
from typing import Literal

from builtin_plugins.workflows.definitions import Definition, Definitions
from builtin_plugins.workflows.runs.engine import Onward, RunEngine
from builtin_plugins.workflows.runs.plans import Plan
from builtin_plugins.workflows.runs.presentation import may_see_contents
from builtin_plugins.workflows.runs.starting import Beginning, RunStarter, audit
from builtin_plugins.workflows.runs.statements import retrying_sql, sql, store_sql
from builtin_plugins.workflows.runs.values import decoded
from builtin_plugins.workflows.runs.walk import Walk
from builtin_plugins.workflows.spec.model import ChoiceStep
from guildhall_sdk import Conflict, Forbidden, Host, NotFound, PermissionDenied, Principal, Row, Writer
from guildhall_sdk.services.workflows import RunCause


class RunRetrier:
    """Starts runs that repeat others, in the caller's transaction."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._starter = RunStarter(host)
        self._engine = host.service(RunEngine)

    async def retry(
        self,
        writer: Writer,
        principal: Principal,
        run_id: str,
        *,
        start: Literal["failed", "start"],
        version: Literal["same", "current"],
    ) -> Walk:
        """Starts a run as the caller, with the input of another.

        Raises `NotFound`, `Conflict` `not_failed`, `workflow_changed` or `items_gone`, and `Forbidden` for
        who is not shown the contents of the run.
        """
        self._starter.check_open(principal)
        # What is kept of it must not change meanwhile: items of a cancelled run may still end.
        await writer.one(sql.lock_run, id=run_id, team_id=principal.team_id)
        old = await writer.one(store_sql.run, id=run_id, team_id=principal.team_id)
        if old is None:
            raise NotFound
        if not await may_see_contents(self._host, writer, principal, old):
            raise Forbidden(
                "You are not shown what this run was given; ask its creator to retry it.",
                code=PermissionDenied.code,
            )
        if old["state"] not in ("failed", "cancelled"):
            raise Conflict(f"The run is {old['state']}: there is nothing to retry.", code="not_failed")
        definition = await self._definition(writer, principal, old, version)
        inputs = await decoded(old["input"])
        beginning = Beginning(definition, inputs, _cause(old), retry_of=run_id)
        walk = await self._starter.insert(writer, principal, beginning)
        plan = self._engine.plans.of(definition)
        if start == "start":
            onward: list[Onward] = [(walk, plan, plan.spec.step(plan.spec.start))]
        else:
            onward = await self._keep(writer, walk, plan, old)
        await self._engine.go_on(writer, onward)
        await self._engine.save(writer, [walk], following=False)
        audit(writer, "run.retried", walk)
        return walk

    async def _definition(self, writer: Writer, principal: Principal, old: Row, version: str) -> Definition:
        # What a plugin ships goes with the plugin.
        current = await self._starter.current(writer, principal, old["slug"])
        if version == "current":
            return current
        found = await Definitions(self._host).at_version(writer, old["team_id"], old["slug"], old["version"])
        assert found is not None
        return found

    async def _keep(self, writer: Writer, walk: Walk, plan: Plan, old: Row) -> list[Onward]:
        """Copies what succeeded, and returns from where the run goes on; empty where that is a map."""
        last = await writer.one(sql.last_step, run_id=old["id"])
        if last is None:
            return [(walk, plan, plan.spec.step(plan.spec.start))]
        until = last["number"] + (last["state"] == "succeeded")
        kept = await writer.all(retrying_sql.kept_steps, run_id=old["id"], until=until)
        for row in [*kept, last]:
            _check_there(plan, row)
        await writer.run(retrying_sql.copy_steps, new_id=walk.id, run_id=old["id"], until=until)
        walk.steps_used = await writer.value(retrying_sql.jobs_kept, run_id=old["id"], until=until)
        walk.last_number = walk.revision = until - 1
        walk.changed = True
        step = plan.spec.step(last["name"])
        if last["state"] == "succeeded":
            assert not isinstance(step, ChoiceStep)
            return [(walk, plan, plan.spec.after(step))]
        if last["kind"] != "map" or last["total"] is None:
            return [(walk, plan, step)]
        place = {"run_id": old["id"], "number": last["number"]}
        kept_items = await writer.one(retrying_sql.items_kept, **place)
        assert kept_items is not None
        if kept_items["total"] < last["total"]:
            raise Conflict(
                'What the run was given is being thrown away, as it is old: retry with "from": "start".',
                code="items_gone",
            )
        if not walk.begin_kept_map(plan.spec, step, kept_items):
            return []
        await writer.run(retrying_sql.copy_items, new_id=walk.id, **place)
        return await self._engine.begin_kept_map(writer, walk)


def _check_there(plan: Plan, row: Row) -> None:
    """Raises unless the version that runs now has the step under the same name and kind."""
    found = next((step for step in plan.spec.steps if step.name == row["name"]), None)
    if found is None or found.kind != row["kind"]:
        raise Conflict(
            f"The workflow has changed: the step {row['name']} is not there any more, or is of another kind. "
            'Retry with "from": "start", or with "version": "same".',
            code="workflow_changed",
        )


def _cause(old: Row) -> RunCause | None:
    if old["trigger_id"] is None:
        return None
    chain = json.loads(old["chain"])
    return RunCause(
        trigger_id=old["trigger_id"],
        object_id=old["object_id"],
        version=old["object_version"],
        chain=chain,
    )
