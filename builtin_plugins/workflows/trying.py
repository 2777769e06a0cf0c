"""Tries one step of a draft with a sample: what it would be given, and what it would give."""

from collections.abc import Mapping
from typing import Any

from builtin_plugins.workflows.kinds.transform import transformed
from builtin_plugins.workflows.spec.bindings import ABSENT, Values, decide, resolve
from builtin_plugins.workflows.spec.model import ActionStep, ChoiceStep, MapStep, ParallelStep, Spec, Step
from guildhall_sdk import Call, InvalidRequest, Principal, Problem, UserError
from guildhall_sdk.tools import Tools
from libs.fair_slots import BODIES
from libs.strict_json import capacity_after

_MAX_GIVEN = 1024 * 1024


async def try_step(call: Call, spec: Spec, name: str, sample: Mapping[str, Any]) -> dict[str, Any]:
    """Returns `given`, and `result` or `error`, as a run with the sample's values would have them."""
    step = next((one for one in spec.every if one.name == name), None)
    if step is None:
        raise InvalidRequest.at("/step", "is no step of this spec")
    values = _values(call.principal, sample)
    try:
        given = await BODIES.run(call.principal.org_id, _given, step, values)
        found = await _found(call, step, given, values)
    except Problem as refusal:
        places = "; ".join(f"{one['pointer']}: {one['message']}" for one in refusal.errors[:5])
        error = {"code": refusal.code, "message": places or refusal.detail}
        return {"given": None, "result": None, "error": error}
    return {"given": given, "result": found, "error": None}


def _values(caller: Principal, sample: Mapping[str, Any]) -> Values:
    outputs = sample.get("outputs", {})
    if not all(isinstance(one, dict) for one in outputs.values()):
        raise InvalidRequest.at("/outputs", 'has the output of each step, such as {"find": {"result": 1}}')
    return Values(
        sample.get("input", {}),
        outputs,
        caller.locale,
        "run_of_a_try",
        caller.team_id,
        caller.user_id,
        item=sample.get("item", ABSENT),
        index=0,
    )


def _given(step: Step, values: Values) -> Any:
    given: Any = None
    if isinstance(step, ActionStep):
        given = resolve(step.fields, values)
    elif isinstance(step, ChoiceStep):
        given = resolve(step.when, values)
    elif isinstance(step, MapStep):
        given = {"over": resolve(step.over, values), "with": resolve(step.arguments, values)}
    elif not isinstance(step, ParallelStep):
        given = resolve(step.arguments, values)
    if capacity_after(given, _MAX_GIVEN) <= 0:
        raise UserError("The step would be given over 1 MiB.", code="input_too_large")
    return given


async def _found(call: Call, step: Step, given: Any, values: Values) -> Any:
    """Returns what a step gives that only computes; of a tool only the arguments are checked."""
    if isinstance(step, ChoiceStep):
        return decide(step.when, values)
    if isinstance(step, ActionStep):
        if step.kind != "transform":
            return None
        return await transformed(call.principal.org_id, given["expression"], given.get("with"))
    if isinstance(step, ParallelStep):
        return None
    arguments = given["with"] if isinstance(step, MapStep) else given
    async with call.read() as reader:
        await call.service(Tools).admit(reader, call.principal, step.tool, arguments)
    return None
