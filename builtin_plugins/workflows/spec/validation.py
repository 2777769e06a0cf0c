"""The validation of specs, those that are posted and those that plugins ship."""

import json
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any

from builtin_plugins.workflows.kinds import KINDS
from builtin_plugins.workflows.spec.bindings import FROM, BadReference, parse_reference
from builtin_plugins.workflows.spec.flow import Flow, Use, uses
from builtin_plugins.workflows.spec.format import OWN_KINDS, Format
from builtin_plugins.workflows.spec.model import (
    COMMON_FIELDS,
    TYPES,
    ActionStep,
    ChoiceStep,
    MapStep,
    ParallelStep,
    Spec,
    Step,
    ToolStep,
    expectation,
    read_spec,
)
from builtin_plugins.workflows.spec.problems import (
    MAX_INPUT_CHARACTERS,
    MAX_PROBLEMS,
    Found,
    Place,
    exceeded,
    pointer,
    quoted,
    refusal,
)
from guildhall_sdk import Host, Workflow
from guildhall_sdk.hooks import Declarer
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.services.workflows import StepKind
from libs.fair_slots import Steps, finished
from libs.names import name_fault

#: The format with the kinds of this plugin alone.
FORMAT = Format(KINDS)
# The address of the format itself is /api/workflows/schema.
_RESERVED = frozenset({"schema"})
UNKNOWN_TOOL = "unknown_tool"


class Formats:
    """The format with every kind of step that this server has, made when it is first asked for."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._known: Format | None = None

    def current(self) -> Format:
        """Returns the format."""
        if self._known is None:
            kinds = self._host.service(Plugins).declared(StepKind)
            self._known = FORMAT if len(kinds) == len(KINDS) else Format(kinds)
        return self._known


def validate_spec(raw: Any, *, tools: Collection[str] | None = None, how: Format = FORMAT) -> Spec:
    """Returns the spec for the engine; raises `InvalidRequest` with problems by JSON pointer.

    `tools` are the names of those that there are; None where nobody can tell yet. However large the value, it
    is refused within milliseconds: call it outside the event loop all the same.
    """
    return finished(validate_in_steps(raw, tools, how))


def validate_in_steps(raw: Any, tools: Collection[str] | None, how: Format) -> Steps[Spec]:
    """Does what `validate_spec` does; yields where others may have their turn."""
    if (too_large := exceeded(raw)) is not None:
        raise refusal([too_large])
    if problems := [*islice(how.shapes.problems(raw), MAX_PROBLEMS)]:
        raise refusal(problems)
    spec = read_spec(raw)
    if problems := [*islice(_problems(raw, spec, tools), MAX_PROBLEMS)]:
        raise refusal(problems)
    for step, place in zip(spec.every, spec.places, strict=True):
        check = how.kinds[step.kind].check if isinstance(step, ActionStep) else None
        if check is not None and isinstance(step, ActionStep):
            problems += [Found((*place, name), message) for name, message in check(step.fields)]
            yield
    if problems:
        raise refusal(problems[:MAX_PROBLEMS])
    return spec


def validate_shipped(workflow: Workflow, declarer: Declarer) -> None:
    """Checks a workflow that a plugin ships: its tools may come later, and its version stands.

    Its kinds of steps are those of the server and the plugin's own.
    """
    own = declarer.declared(StepKind)
    validate_spec(workflow.spec, how=Format([*KINDS, *own]) if own else FORMAT)
    if "version" not in workflow.spec:
        raise refusal([Found(("version",), "is required; raise it with each change")])
    try:
        json.dumps(workflow.spec, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise refusal([Found((), "holds half a surrogate pair; write whole characters")]) from None


def check_kind(kind: StepKind, declarer: Declarer) -> str | None:
    """Returns what is wrong with a declared kind of step, or None."""
    if kind in KINDS:
        return None
    if kind.name in OWN_KINDS or not kind.name.startswith(f"{declarer.id}_"):
        return f"its name must begin with {declarer.id}_"
    if taken := sorted(kind.fields.keys() & COMMON_FIELDS):
        return f"{taken[0]} is a field of every step; call it otherwise"
    try:
        Format([kind])
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        return f"its fields use what the format does not know: {fault}"
    return None


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
    check = _UseCheck(spec, flow)
    for number, (step, place) in enumerate(zip(spec.every, spec.places, strict=True)):
        if isinstance(step, ChoiceStep):
            yield from _operand_problems(place, step)
        elif isinstance(step, ToolStep | MapStep) and tools is not None and step.tool not in tools:
            yield Found((*place, "tool"), f"there is no tool {step.tool}", UNKNOWN_TOOL)
        elif isinstance(step, ActionStep) and (bad := [*_reference_problems(step.fields, place)]):
            yield from bad
            continue
        for use in uses(number, step, place):
            if (message := check.problem(use)) is not None:
                yield Found(use.place, message)
    if flow is not None:
        yield from _flow_problems(spec, flow)


def _name_problems(spec: Spec) -> Iterator[Found]:
    """Yields names of steps that stand there twice, and those that nothing has, or that lead elsewhere."""
    first: dict[str, Place] = {}
    for step, place in zip(spec.every, spec.places, strict=True):
        if step.name in first:
            where = first[step.name]
            which = where[1] if len(where) == 2 else pointer(where)
            message = f"is the name of step {which} already; each needs its own"
            yield Found((*place, "name"), message)
        first.setdefault(step.name, place)
    if spec.start not in first:
        yield Found(("start",), f"there is no step {spec.start}")
    elif len(first[spec.start]) > 2:
        yield Found(("start",), f"step {spec.start} stands in a branch; a run cannot begin there")
    for step, place in zip(spec.every, spec.places, strict=True):
        for field, name in _leads(step):
            if name not in first:
                yield Found((*place, *field), f"there is no step {name}")
            elif first[name][:-1] != place[:-1]:
                yield Found((*place, *field), f"step {name} does not stand in the same list of steps")


def _leads(step: Step) -> Iterator[tuple[Place, str]]:
    """Yields the fields of a step that name another, each with the name."""
    if isinstance(step, ChoiceStep):
        yield ("then",), step.then
        yield ("else",), step.otherwise
    elif isinstance(step, ActionStep | ParallelStep):
        if step.next is not None:
            yield ("next",), step.next
        if isinstance(step, ActionStep):
            yield from (((turn,), name) for turn, name in step.turns.items())
    if step.catch is not None:
        yield ("catch", "next"), step.catch.next


def _reference_problems(fields: Any, place: Place) -> Iterator[Found]:
    """Yields what looks like a reference and is none, where a field takes any JSON."""
    todo: list[tuple[Place, Any]] = [(place, fields)]
    while todo:
        at, value = todo.pop()
        if isinstance(value, list):
            todo += [((*at, number), below) for number, below in enumerate(value)]
        elif isinstance(value, dict) and value.keys() == {FROM}:
            try:
                parse_reference(value[FROM] if isinstance(value[FROM], str) else "")
            except BadReference as fault:
                yield Found((*at, FROM), str(fault))
        elif isinstance(value, dict):
            todo += [((*at, name), below) for name, below in value.items()]


def _operand_problems(place: Place, step: ChoiceStep) -> Iterator[Found]:
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
            yield Found((*place, "when", name, position), message)


class _UseCheck:
    """Says what is wrong with a use of a value; without a flow nothing is said of the order of steps."""

    def __init__(self, spec: Spec, flow: Flow | None) -> None:
        self._steps = spec.every
        self._flow = flow
        self._numbers = {step.name: number for number, step in enumerate(spec.every)}
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
    for number, step in enumerate(spec.every):
        if number not in flow.reached:
            message = f"step {step.name} is never reached: nothing leads to it from {spec.start}"
            yield Found(spec.places[number], message)
    if circle := flow.choices_in_circles:
        message = "comes back to itself through choices alone, and would never stop"
        yield Found(spec.places[min(circle)], message)
    elif flow.stuck:
        number = min(flow.stuck)
        yield Found(spec.places[number], f"no way leads from step {spec.every[number].name} to an end")
    elif (fewest := flow.fewest_jobs()) is not None and fewest > spec.max_steps:
        yield Found(("max_steps",), f"is too low: the shortest way to an end takes {fewest:,} jobs")
