"""Starting runs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from builtin_plugins.workflows.definitions import Definition, Definitions
from builtin_plugins.workflows.features import WORKFLOWS
from builtin_plugins.workflows.permissions import RUN
from builtin_plugins.workflows.runs.ends import encoded
from builtin_plugins.workflows.runs.engine import RunEngine, insert_run
from builtin_plugins.workflows.runs.values import KnownValues
from builtin_plugins.workflows.runs.walk import Walk
from builtin_plugins.workflows.spec.inputs import judge_inputs
from guildhall_sdk import Actor, Host, NotFound, PermissionDenied, Principal, Writer, new_id
from guildhall_sdk.errors import FeatureDisabled, PaymentRequired
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.toggles import Features
from guildhall_sdk.services.workflows import RunCause

PLUGIN_ID = "workflows"


@dataclass(frozen=True, slots=True)
class Beginning:
    """A run that is about to begin: of which version, with which input, and why."""

    definition: Definition
    inputs: Mapping[str, Any]
    cause: RunCause | None = None
    retry_of: str | None = None


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
    ) -> Walk:
        """Starts a run of the current version."""
        self.check_open(principal)
        definition = await self.current(writer, principal, slug)
        await self._hold_cause(writer, principal, cause)
        begun, values, text = self._begin(principal, Beginning(definition, inputs, cause))
        engine = self._host.service(RunEngine)
        plan = engine.plans.of(definition)
        await engine.go_on(writer, [(begun, plan, plan.spec.step(plan.spec.start))], values)
        await engine.save(writer, [begun], following=False)
        writer.after_commit(lambda: engine.recent.keep([((begun.id, 0), "", text)]))
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
        if cause is not None and repository is not None:
            await repository.hold_version(writer, principal.org_id, cause.object_id, cause.version)

    def _begin(self, principal: Principal, beginning: Beginning) -> tuple[Walk, KnownValues, str]:
        """Returns a run that is not inserted yet, its input, and that as it is stored."""
        definition, cause = beginning.definition, beginning.cause
        inputs = judge_inputs(definition.spec, beginning.inputs)
        scope = principal.credential.scope
        given = inputs.get("object_id")
        walk = Walk(
            new_id("run", self._host.clock.now_ms()),
            principal.org_id,
            principal.team_id,
            principal.user_id,
            definition.slug,
            definition.version,
            principal.locale,
            principal.credential.id or None,
            scope,
            "running",
            0,
            0,
            0,
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
            "object_id": cause.object_id if cause is not None else given if isinstance(given, str) else None,
            "object_version": None if cause is None else cause.version,
            "chain": json.dumps([] if cause is None else list(cause.chain)),
            "retry_of": beginning.retry_of,
        }
        values = KnownValues()
        values.add_input(walk.id, inputs, len(text))
        return walk, values, text


def audit(writer: Writer, action: str, walk: Walk, actor: Actor | None = None) -> None:
    """Records what was done to a run."""
    detail = {"workflow": walk.slug, "version": walk.version}
    writer.audit(action, ("run", walk.id), detail=detail, actor=actor)


def _actor(principal: Principal) -> Actor:
    return Actor(principal.username, principal.user_id, principal.org_id, principal.team_id)
