"""Tries a draft with a sample, one step or the whole: what each would be given, and what it would give."""

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from builtin_plugins.workflows.kinds.transform import transformed
from builtin_plugins.workflows.runs.step_job import is_too_deep
from builtin_plugins.workflows.spec.bindings import ABSENT, Values, decide, resolve
from builtin_plugins.workflows.spec.model import (
    REJECTED,
    ActionStep,
    ChoiceStep,
    MapStep,
    ParallelStep,
    Spec,
    Step,
    ToolStep,
    validate_inputs,
)
from guildhall_sdk import Call, InvalidRequest, JobFailed, Principal, Problem, UserError
from guildhall_sdk.tools import Artifact, Tools
from libs.fair_slots import BODIES
from libs.strict_json import capacity_after

_MAX_GIVEN = 1024 * 1024
# Of a whole draft: what all steps take and give, how many they are, how long they take, items of a map.
_MAX_IN_ALL = 4 * 1024 * 1024
_MAX_STEPS = 100
_MAX_SECONDS = 20.0
_MAX_ITEMS = 10
_log = logging.getLogger("guildhall.workflows")
How = Literal["computed", "sample", "assumed", "ran", "previewed", "not_run"]


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
        return {"given": None, "result": None, "error": _error_of(refusal)}
    return {"given": given, "result": found, "error": None}


def _error_of(refusal: Problem) -> dict[str, str]:
    places = "; ".join(f"{one['pointer']}: {one['message']}" for one in refusal.errors[:5])
    return {"code": refusal.code, "message": places or refusal.detail}


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


class _Failed(NamedTuple):
    """Why a step failed, and where the draft ends."""

    step: str
    code: str
    message: str


class WholeTry:
    """A draft from its start to its end: what writes is not run, and says what it would give where it can.

    A sample of a step's output stands for the step. What asks people or waits is assumed to go well.
    """

    def __init__(self, call: Call, spec: Spec, sample: Mapping[str, Any]) -> None:
        self._call = call
        self._spec = spec
        self._pinned = sample.get("outputs", {})
        inputs = validate_inputs(spec, sample.get("input", {}))
        self._values = _values(call.principal, {"input": inputs, "outputs": self._pinned})
        self._outputs: dict[str, Mapping[str, Any]] = {}
        self._values.outputs = self._outputs
        self._capacity = _MAX_IN_ALL
        self._steps: list[dict[str, Any]] = []

    async def run(self) -> dict[str, Any]:
        """Returns `steps`, with how each was tried, and the `output` or the `error` that a run would have."""
        name = self._spec.start
        try:
            async with asyncio.timeout(_MAX_SECONDS):
                last, failed = await self._walk(self._spec.step(name))
        except TimeoutError:
            last, failed = None, _Failed("", "timeout", f"The test took longer than {_MAX_SECONDS:.0f} s.")
        if failed is None:
            return {
                "steps": self._steps,
                "output": None if last is None else self._outputs[last],
                "error": None,
            }
        return {"steps": self._steps, "output": None, "error": failed._asdict()}

    async def _walk(self, step: Step | None) -> tuple[str | None, _Failed | None]:
        """Walks to the end of the run, or of a branch; returns the name of the last step, or the failure."""
        last: str | None = None
        while step is not None:
            if len(self._steps) >= min(self._spec.max_steps, _MAX_STEPS):
                return None, _Failed(
                    step.name, "too_many_steps", f"A test ends after {len(self._steps)} steps."
                )
            entry: dict[str, Any] = {"name": step.name, "given": None, "result": None, "error": None}
            self._steps.append({**entry, "how": "computed"})
            place = len(self._steps) - 1
            try:
                given, how, result = await self._try(step)
                self._capacity = await self._count(given, result)
            except Problem as refusal:
                error = _error_of(refusal)
                self._steps[place]["error"] = error
                if step.catch is None or not step.catch.takes(error["code"]):
                    return None, _Failed(step.name, error["code"], error["message"])
                step = self._spec.step(step.catch.next)
                continue
            self._steps[place] |= {"given": given, "how": how, "result": result}
            if isinstance(step, ChoiceStep):
                step = self._spec.step(step.then if result else step.otherwise)
                continue
            self._outputs[step.name] = {"results" if isinstance(step, MapStep) else "result": result}
            last, turn = step.name, None
            if isinstance(step, ActionStep) and step.kind == "approve" and _is_rejection(result):
                if REJECTED not in step.turns:
                    return None, _Failed(step.name, REJECTED, "The sample says no.")
                turn = REJECTED
            step = self._spec.after(step, turn)
        return last, None

    async def _count(self, given: Any, result: Any) -> int:
        left = await BODIES.run(
            self._call.principal.org_id, _capacity_after_both, given, result, self._capacity
        )
        if left <= 0:
            raise UserError("What the steps of a test take and give is over 4 MiB.", code="output_too_large")
        return left

    async def _try(self, step: Step) -> tuple[Any, How, Any]:
        """Returns what a step is given, how it was tried, and what it gives."""
        given = await BODIES.run(self._call.principal.org_id, _given, step, self._values)
        if step.name in self._pinned and not isinstance(step, ChoiceStep):
            pinned = self._pinned[step.name]
            return given, "sample", pinned.get("results" if isinstance(step, MapStep) else "result")
        if isinstance(step, ParallelStep):
            return await self._branches(step)
        if isinstance(step, MapStep):
            return given, *await self._items(step, given)
        if isinstance(step, ToolStep):
            return given, *await self._tool(step.tool, given)
        if isinstance(step, ActionStep) and step.kind != "transform":
            return given, *self._assumed(step, given)
        return given, "computed", await _found(self._call, step, given, self._values)

    async def _branches(self, step: ParallelStep) -> tuple[Any, How, Any]:
        results = []
        for branch in range(len(step.branches)):
            last, failed = await self._walk(self._spec.first_of_branch(step, branch))
            if failed is not None:
                raise UserError(f"{failed.step}: {failed.message}", code=failed.code)
            results.append(None if last is None else self._outputs[last].get("result"))
        return None, "computed", results

    async def _items(self, step: MapStep, given: Any) -> tuple[How, Any]:
        """Tries a map with the first of its items."""
        if not isinstance(given["over"], list):
            raise UserError("What the map goes over is not a list.", code="not_a_list")
        results: list[Any] = []
        how: How = "ran"
        for index, item in enumerate(given["over"][:_MAX_ITEMS]):
            values = replace(self._values, item=item, index=index)
            arguments = await BODIES.run(self._call.principal.org_id, resolve, step.arguments, values)
            how, result = await self._tool(step.tool, arguments)
            results.append(result)
        return how, results

    async def _tool(self, name: str, arguments: Mapping[str, Any]) -> tuple[How, Any]:
        async with self._call.read() as reader:
            admitted = await self._call.service(Tools).admit(reader, self._call.principal, name, arguments)
        try:
            how, result = await admitted.preview()
        except JobFailed as failure:
            raise UserError(failure.message, code=failure.code) from None
        except (Problem, TimeoutError):
            raise
        except Exception as fault:
            _log.error("workflow.try_failed", exc_info=fault, extra={"fields": {"tool": name}})
            raise UserError("The tool failed; the server's log says why.", code="internal") from None
        value = result.public() if isinstance(result, Artifact) else result
        if not await BODIES.run(self._call.principal.org_id, _can_be_shown, value):
            raise UserError("The result is no JSON, or nested too deep.", code="result_too_deep")
        return how, value

    def _assumed(self, step: ActionStep, given: Mapping[str, Any]) -> tuple[How, Any]:
        if step.kind == "approve":
            by = self._call.principal.user_id
            return "assumed", {"decision": "approve", "by": by, "comment": None, "form": None}
        if step.kind == "wait":
            way = next((one for one in ("event", "hook", "until") if one in given), "seconds")
            return "assumed", {"event": {"event": {}}, "hook": {"body": None}}.get(
                way, {"until": given.get("until")}
            )
        return "not_run", None


def _can_be_shown(value: Any) -> bool:
    try:
        return not is_too_deep(value) and json.dumps(value, allow_nan=False) is not None
    except (TypeError, ValueError, RecursionError):
        return False


def _is_rejection(result: Any) -> bool:
    return isinstance(result, dict) and result.get("decision") == "reject"


def _capacity_after_both(given: Any, result: Any, left: int) -> int:
    both: Sequence[Any] = (given, result)
    return capacity_after(both, left)
