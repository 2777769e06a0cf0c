"""The one judge of specs, those that are posted and those that plugins ship."""

import json
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any

from builtin_plugins.workflows.spec.bounds import MAX_INPUT_CHARACTERS, exceeded
from builtin_plugins.workflows.spec.flow import Flow
from builtin_plugins.workflows.spec.format import SCHEMA
from builtin_plugins.workflows.spec.inputs import TYPES, expectation
from builtin_plugins.workflows.spec.model import ChoiceStep, Spec
from builtin_plugins.workflows.spec.problems import MAX_PROBLEMS, Found, quoted, refusal
from builtin_plugins.workflows.spec.reading import read_spec
from builtin_plugins.workflows.spec.shape import Shapes
from builtin_plugins.workflows.spec.use import Use, uses
from guildhall_sdk import Workflow
from guildhall_sdk.hooks import Declarer
from libs.names import name_fault

_SHAPES = Shapes(SCHEMA)
# The address of the format itself is /api/workflows/schema.
_RESERVED = frozenset({"schema"})
UNKNOWN_TOOL = "unknown_tool"


def judge_spec(raw: Any, *, tools: Collection[str] | None = None) -> Spec:
    """Returns the spec for the engine; raises `InvalidRequest` with problems by JSON pointer.

    `tools` are the names of those that there are; None where nobody can tell yet. However large the value, it
    is refused within milliseconds: call it outside the event loop all the same.
    """
    if (too_large := exceeded(raw)) is not None:
        raise refusal([too_large])
    if problems := [*islice(_SHAPES.problems(raw), MAX_PROBLEMS)]:
        raise refusal(problems)
    spec = read_spec(raw)
    if problems := [*islice(_problems(raw, spec, tools), MAX_PROBLEMS)]:
        raise refusal(problems)
    return spec


def judge_shipped(workflow: Workflow, declarer: Declarer) -> None:
    """Judges a workflow that a plugin ships: its tools may come later, and its version stands."""
    judge_spec(workflow.spec)
    if "version" not in workflow.spec:
        raise refusal([Found(("version",), "is required; raise it with each change")])
    try:
        json.dumps(workflow.spec, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise refusal([Found((), "holds half a surrogate pair; write whole characters")]) from None


def _problems(raw: Mapping[str, Any], spec: Spec, tools: Collection[str] | None) -> Iterator[Found]:
    if spec.slug in _RESERVED:
        yield Found(("slug",), "is reserved; choose another")
    if "name" in raw and (fault := name_fault(raw["name"])):
        yield Found(("name",), fault)
    if len(json.dumps(raw.get("inputs", {}), ensure_ascii=False)) > MAX_INPUT_CHARACTERS:
        too_long = f"take more than {MAX_INPUT_CHARACTERS:,} characters; make the defaults shorter"
        yield Found(("inputs",), too_long)
    for name, declared in raw.get("inputs", {}).items():
        if "default" in declared and not TYPES[declared["type"]](declared["default"]):
            yield Found(("inputs", name, "default"), expectation(declared["type"]))
    misnamed = [*_name_problems(spec)]
    yield from misnamed
    flow = None if misnamed else Flow.of(spec)
    judge = _UseJudge(spec, flow)
    for number, step in enumerate(spec.steps):
        if isinstance(step, ChoiceStep):
            yield from _operand_problems(number, step)
        elif tools is not None and step.tool not in tools:
            yield Found(("steps", number, "tool"), f"there is no tool {step.tool}", UNKNOWN_TOOL)
        for use in uses(number, step):
            if (message := judge.problem(use)) is not None:
                yield Found(use.place, message)
    if flow is not None:
        yield from _flow_problems(spec, flow)


def _name_problems(spec: Spec) -> Iterator[Found]:
    """Yields names of steps that stand there twice, and those that nothing has."""
    first: dict[str, int] = {}
    for number, step in enumerate(spec.steps):
        if step.name in first:
            message = f"is the name of step {first[step.name]} already; each needs its own"
            yield Found(("steps", number, "name"), message)
        first.setdefault(step.name, number)
    if spec.start not in first:
        yield Found(("start",), f"there is no step {spec.start}")
    for number, step in enumerate(spec.steps):
        if isinstance(step, ChoiceStep):
            for field, name in (("then", step.then), ("else", step.otherwise)):
                if name not in first:
                    yield Found(("steps", number, field), f"there is no step {name}")


def _operand_problems(number: int, step: ChoiceStep) -> Iterator[Found]:
    """Yields fixed operands that the predicate could never compare."""
    ((name, operands),) = step.when.items()
    wanted: Mapping[int, tuple[tuple[type, ...], str]] = {}
    if name == "in":
        wanted = {1: ((list,), "must be a list or a reference")}
    elif name == "contains":
        wanted = {0: ((list, str), "must be a list, a text or a reference")}
    elif name in ("greater", "less"):
        ordered = ((int, float, str), "must be a number, a text or a reference")
        wanted = {0: ordered, 1: ordered}
    for position, (kinds, message) in wanted.items():
        operand = operands[position]
        if type(operand) not in kinds and not (type(operand) is dict and "$from" in operand):
            yield Found(("steps", number, "when", name, position), message)


class _UseJudge:
    """Says what is wrong with a use of a value; without a flow nothing is said of the order of steps."""

    def __init__(self, spec: Spec, flow: Flow | None) -> None:
        self._steps = spec.steps
        self._flow = flow
        self._numbers = {step.name: number for number, step in enumerate(spec.steps)}
        self._inputs = {one.name for one in spec.inputs}

    def problem(self, use: Use) -> str | None:
        root, name = use.reference.root, use.reference.name
        if root in ("item", "index"):
            return None if use.in_map else f"{root} is there in the with of a map alone"
        if root == "input" and name not in self._inputs:
            return f"there is no input {quoted(name)}; declare it in inputs"
        return self._problem_of_step(use, name) if root == "step" else None

    def _problem_of_step(self, use: Use, name: str) -> str | None:
        if name not in self._numbers:
            return f"there is no step {quoted(name)}"
        kind = self._steps[self._numbers[name]].kind
        if kind == "choice":
            return f"step {name} is a choice, which has no output"
        right = "results" if kind == "map" else "result"
        if use.reference.path[0] != right:
            return f"step {name} is a {kind}: write steps.{name}.output.{right}"
        if self._flow is None or use.step not in self._flow.reached:
            return None
        runs_before = self._flow.may_run_before[use.step] >> self._numbers[name] & 1
        return None if runs_before else f"step {name} never runs before this one"


def _flow_problems(spec: Spec, flow: Flow) -> Iterator[Found]:
    for number, step in enumerate(spec.steps):
        if number not in flow.reached:
            message = f"step {step.name} is never reached: nothing leads to it from {spec.start}"
            yield Found(("steps", number), message)
    if circle := flow.choices_in_circles:
        message = "comes back to itself through choices alone, and would never stop"
        yield Found(("steps", min(circle)), message)
    elif flow.stuck:
        number = min(flow.stuck)
        yield Found(("steps", number), f"no way leads from step {spec.steps[number].name} to an end")
    elif (fewest := flow.fewest_jobs()) is not None and fewest > spec.max_steps:
        yield Found(("max_steps",), f"is too low: the shortest way to an end takes {fewest:,} jobs")
