"""Starting runs, and trying them again: anew, or from the step that failed with what came before it."""

import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from builtin_plugins.workflows.definitions import RUN, WORKFLOWS, Definition, Definitions
from builtin_plugins.workflows.runs.engine import Onward, RunEngine, insert_run
from builtin_plugins.workflows.runs.reading import may_see_contents
from builtin_plugins.workflows.runs.statements import retrying_sql, sql, store_sql
from builtin_plugins.workflows.runs.values import KnownValues, Plan, decoded, encoded
from builtin_plugins.workflows.runs.walk import Walk, starter
from builtin_plugins.workflows.spec.model import ChoiceStep, validate_inputs
from guildhall_sdk import (
    Actor,
    Conflict,
    Forbidden,
    Host,
    NotFound,
    PermissionDenied,
    Principal,
    Row,
    Writer,
    new_id,
)
from guildhall_sdk.errors import FeatureDisabled, PaymentRequired
from guildhall_sdk.plugin import Features
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.workflows import RunCause

PLUGIN_ID = "workflows"


class Within(NamedTuple):
    """The id of a run that another waits for, that one, the first of those, and how many there are."""

    id: str
    parent: str
    root: str
    depth: int


class Beginning(NamedTuple):
    """A run that is about to begin: of which version, with which input, and why."""

    definition: Definition
    inputs: Mapping[str, Any]
    cause: RunCause | None = None
    retry_of: str | None = None
    within: "Within | None" = None


class RunStarter:
    """Starts runs in the caller's transaction."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._definitions = Definitions(host)

    async def start(
        self,
        writer: Writer,
        principal: Principal,
        slug: str,
        inputs: Mapping[str, Any],
        cause: RunCause | None = None,
        *,
        within: Within | None = None,
    ) -> Walk:
        """Starts a run of the current version."""
        self.check_open(principal)
        definition = await self.current(writer, principal, slug)
        if not definition.enabled:
            raise workflow_disabled(slug)
        await self._hold_cause(writer, principal, cause)
        begun, values, text = self._begin(principal, Beginning(definition, inputs, cause, within=within))
        engine = self._host.service(RunEngine)
        plan = engine.plans.of(definition)
        await engine.go_on(writer, [Onward(begun, plan, plan.spec.step(plan.spec.start))], values)
        await engine.save(writer, [begun], following=False)
        writer.after_commit(lambda: engine.recent.store([((begun.id, 0), "", text)]))
        # What a trigger starts is recorded for the person; a request's own writer knows more.
        actor = None if cause is None else _actor(principal)
        audit(writer, "run.started", begun, actor)
        return begun

    async def current(self, writer: Writer, principal: Principal, slug: str) -> Definition:
        """Returns the version that runs now; raises `NotFound`."""
        switches = self._host.service(Features).of(principal)
        definition = await self._definitions.current(
            writer, principal.org_id, principal.team_id, slug, switches
        )
        if definition is None:
            raise NotFound(
                f"The team has no workflow {slug}; publish it, or turn on the plugin that ships it."
            )
        return definition

    def check_open(self, principal: Principal) -> None:
        """Raises unless the principal may run workflows now."""
        off = self._host.service(Features).of(principal).switched_off(PLUGIN_ID, WORKFLOWS)
        if off is not None:
            raise FeatureDisabled(off)
        if not principal.may(RUN):
            raise PermissionDenied(RUN)
        if principal.org_suspended:
            raise PaymentRequired("The company is suspended: nothing can be started.")

    async def insert(self, writer: Writer, principal: Principal, beginning: Beginning) -> Walk:
        """Inserts a run that has no steps yet."""
        await self._hold_cause(writer, principal, beginning.cause)
        walk, _, _ = self._begin(principal, beginning)
        await insert_run(writer, walk, self._host.clock.now_ms())
        return walk

    async def _hold_cause(self, writer: Writer, principal: Principal, cause: RunCause | None) -> None:
        """Keeps the version that a run is for from being thrown away before it is known to be in use."""
        repository = self._host.find_service(Repository)
        if cause is None or cause.object_id is None or cause.version is None:
            return
        if repository is not None:
            await repository.hold_version(writer, principal.org_id, cause.object_id, cause.version)

    def _begin(self, principal: Principal, beginning: Beginning) -> tuple[Walk, KnownValues, str]:
        """Returns a run that is not inserted yet, its input, and that as it is stored."""
        definition, cause = beginning.definition, beginning.cause
        inputs = validate_inputs(definition.spec, beginning.inputs)
        scope = principal.credential.scope
        given = inputs.get("object_id")
        within = beginning.within
        walk = Walk(
            id=new_id("run", self._host.clock.now_ms()) if within is None else within.id,
            org_id=principal.org_id,
            team_id=principal.team_id,
            created_by=principal.user_id,
            slug=definition.slug,
            version=definition.version,
            locale=principal.locale,
            asked_with=principal.credential.id or None,
            scope=scope,
            started_by="person" if cause is None else starter(cause.trigger_id, cause.version),
            parent_run=None if within is None else within.parent,
        )
        text = encoded(inputs)
        walk.new = {
            "org_id": walk.org_id,
            "team_id": walk.team_id,
            "slug": walk.slug,
            "version": walk.version,
            "input": text,
            "locale": walk.locale,
            "created_by": walk.created_by,
            "asked_with": walk.asked_with,
            "scope": None if scope is None else json.dumps(sorted(scope)),
            "trigger_id": None if cause is None else cause.trigger_id,
            "object_id": _object_of(cause, given),
            "object_version": None if cause is None else cause.version,
            "chain": json.dumps([] if cause is None else list(cause.chain)),
            "retry_of": beginning.retry_of,
            "parent_run": walk.parent_run,
            "root_run": None if within is None else within.root,
            "depth": 0 if within is None else within.depth,
        }
        values = KnownValues()
        values.add_input(walk.id, inputs, len(text))
        return walk, values, text


def workflow_disabled(slug: str) -> Conflict:
    """Returns the refusal to start a workflow that somebody has turned off."""
    return Conflict(f"The workflow {slug} is turned off; turn it on first.", code="workflow_disabled")


def audit(writer: Writer, action: str, walk: Walk, actor: Actor | None = None) -> None:
    """Records what was done to a run."""
    detail = {"workflow": walk.slug, "version": walk.version}
    writer.audit(action, ("run", walk.id), detail=detail, actor=actor)


def _actor(principal: Principal) -> Actor:
    return Actor(principal.username, principal.user_id, principal.org_id, principal.team_id)


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
        beginning = Beginning(definition, inputs, cause_of(old), retry_of=run_id)
        walk = await self._starter.insert(writer, principal, beginning)
        plan = self._engine.plans.of(definition)
        if start == "start":
            onward: list[Onward] = [Onward(walk, plan, plan.spec.step(plan.spec.start))]
        else:
            onward = await self._copy_steps(writer, walk, plan, old)
        await self._engine.go_on(writer, onward)
        await self._engine.save(writer, [walk], following=False)
        audit(writer, "run.retried", walk)
        return walk

    async def _definition(self, writer: Writer, principal: Principal, old: Row, version: str) -> Definition:
        # What a plugin ships goes with the plugin.
        current = await self._starter.current(writer, principal, old["slug"])
        if not current.enabled:
            raise workflow_disabled(old["slug"])
        if version == "current":
            return current
        found = await Definitions(self._host).at_version(writer, old["team_id"], old["slug"], old["version"])
        assert found is not None
        return found

    async def _copy_steps(self, writer: Writer, walk: Walk, plan: Plan, old: Row) -> list[Onward]:
        """Copies what succeeded, and returns from where the run goes on; empty where that is a map."""
        last = await writer.one(sql.last_step, run_id=old["id"])
        if last is None:
            return [Onward(walk, plan, plan.spec.step(plan.spec.start))]
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
            return [Onward(walk, plan, plan.spec.after(step))]
        if last["kind"] != "map" or last["total"] is None:
            return [Onward(walk, plan, step)]
        place = {"run_id": old["id"], "number": last["number"]}
        kept_items = await writer.one(retrying_sql.items_kept, **place)
        assert kept_items is not None
        if kept_items["total"] < last["total"]:
            raise Conflict(
                'What the run was given is being thrown away, as it is old: retry with "from": "start".',
                code="items_gone",
            )
        if not walk.resume_map(plan.spec, step, kept_items):
            return []
        await writer.run(retrying_sql.copy_items, new_id=walk.id, **place)
        return await self._engine.maps.resume_map(writer, walk)


def _check_there(plan: Plan, row: Row) -> None:
    """Raises unless the version that runs now has the step under the same name and kind."""
    found = next((step for step in plan.spec.steps if step.name == row["name"]), None)
    if found is None or found.kind != row["kind"]:
        raise Conflict(
            f"The workflow has changed: the step {row['name']} is not there any more, or is of another kind. "
            'Retry with "from": "start", or with "version": "same".',
            code="workflow_changed",
        )


def _object_of(cause: RunCause | None, given: Any) -> str | None:
    """Returns the object that fired the trigger of a run, or that the run was given."""
    if cause is not None and cause.object_id is not None:
        return cause.object_id
    return given if isinstance(given, str) else None


def cause_of(old: Row) -> RunCause | None:
    """Returns why a run began, for one that repeats it or that it waits for."""
    if old["trigger_id"] is None:
        return None
    chain = json.loads(old["chain"])
    return RunCause(
        trigger_id=old["trigger_id"],
        object_id=old["object_id"],
        version=old["object_version"],
        chain=chain,
    )
