"""A workflow as the engine walks it, read from the JSON of a valid spec, and what a run is given."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from guildhall_sdk import InvalidRequest
from guildhall_sdk.errors import json_pointer

InputType = Literal["string", "number", "integer", "boolean", "object", "array"]

DEFAULT_MAX_STEPS = 100
_MAX_ERRORS = 20
_WORDS = {
    "string": "text in quotes",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
}


class Input(NamedTuple):
    """An input that a run takes."""

    name: str
    type: InputType
    required: bool = True
    default: Any = None


class Catch(NamedTuple):
    """Where a run goes on when a step fails; `codes` None is for every failure."""

    next: str
    codes: frozenset[str] | None = None

    def takes(self, code: str) -> bool:
        """Tells whether it is for a failure of this code."""
        return self.codes is None or code in self.codes


class ToolStep(NamedTuple):
    """A call of a tool; `arguments` is a binding: JSON in which `{"$from": …}` stands for a value."""

    name: str
    tool: str
    arguments: Mapping[str, Any]
    retry: int = 0
    end: bool = False
    catch: Catch | None = None
    kind: Literal["tool"] = "tool"


class MapStep(NamedTuple):
    """A call of a tool for each item of a list, which the binding `over` gives."""

    name: str
    over: Any
    tool: str
    arguments: Mapping[str, Any]
    retry: int = 0
    end: bool = False
    catch: Catch | None = None
    kind: Literal["map"] = "map"


class ChoiceStep(NamedTuple):
    """A fork: `when` is a predicate, `then` and `otherwise` are names of steps."""

    name: str
    when: Mapping[str, Any]
    then: str
    otherwise: str
    catch: Catch | None = None
    kind: Literal["choice"] = "choice"


class ActionStep(NamedTuple):
    """A step of a kind that is declared; `fields` is a binding of what the spec says for the kind.

    `turns` are names of steps by the words that lead to them instead of `next`.
    """

    name: str
    kind: str
    fields: Mapping[str, Any]
    next: str | None = None
    turns: Mapping[str, str] = MappingProxyType({})
    retry: int = 0
    end: bool = False
    catch: Catch | None = None


class ParallelStep(NamedTuple):
    """Lists of steps that run beside one another; the run goes on when all of them are over."""

    name: str
    branches: "tuple[tuple[Step, ...], ...]"
    next: str | None = None
    end: bool = False
    catch: Catch | None = None
    kind: Literal["parallel"] = "parallel"


Step = ToolStep | MapStep | ChoiceStep | ActionStep | ParallelStep
#: Where a step stands in the JSON of its spec.
StepPlace = tuple[str | int, ...]
COMMON_FIELDS = frozenset({"name", "kind", "retry", "next", "end", "catch"})
REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Spec:
    """A workflow; its steps in the order in which they follow one another.

    `every` are those inside branches too, each behind the step that holds it; `places` is where each stands,
    and `lists` the place of the list that it stands in.
    """

    slug: str
    name: str
    inputs: tuple[Input, ...]
    start: str
    max_steps: int
    steps: tuple[Step, ...]
    every: tuple[Step, ...] = field(init=False, repr=False, compare=False)
    places: tuple[StepPlace, ...] = field(init=False, repr=False, compare=False)
    _positions: Mapping[str, int] = field(init=False, repr=False, compare=False)
    _following: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        found: list[tuple[Step, StepPlace]] = []
        following: dict[str, str] = {}
        _spread(self.steps, ("steps",), found, following)
        every = tuple(step for step, _ in found)
        object.__setattr__(self, "every", every)
        object.__setattr__(self, "places", tuple(place for _, place in found))
        object.__setattr__(self, "_positions", {step.name: place for place, step in enumerate(every)})
        object.__setattr__(self, "_following", following)

    def step(self, name: str) -> Step:
        """Returns the step of a name; raises `KeyError` where there is none."""
        return self.every[self._positions[name]]

    def after(self, step: Step, turn: str | None = None) -> Step | None:
        """Returns the step that follows, or None where the run, or the branch, ends with this one."""
        name = step.next if isinstance(step, ActionStep | ParallelStep) else None
        if turn is not None and isinstance(step, ActionStep):
            name = step.turns[turn]
        if name is None and not isinstance(step, ChoiceStep) and not step.end:
            name = self._following.get(step.name)
        return None if name is None else self.step(name)

    def first_of_branch(self, step: ParallelStep, branch: int) -> Step:
        """Returns the step that a branch begins with."""
        return step.branches[branch][0]


def _spread(
    steps: tuple[Step, ...],
    place: StepPlace,
    found: list[tuple[Step, StepPlace]],
    following: dict[str, str],
) -> None:
    for number, step in enumerate(steps):
        found.append((step, (*place, number)))
        if number + 1 < len(steps):
            following[step.name] = steps[number + 1].name
        if isinstance(step, ParallelStep):
            for branch, below in enumerate(step.branches):
                _spread(below, (*place, number, "branches", branch), found, following)


def read_spec(raw: Mapping[str, Any]) -> Spec:
    """Reads a spec that was found right; anything else raises what it happens to raise."""
    return Spec(
        slug=raw["slug"],
        name=raw.get("name", raw["slug"]),
        inputs=tuple(_read_input(name, one) for name, one in raw.get("inputs", {}).items()),
        start=raw["start"],
        max_steps=raw.get("max_steps", DEFAULT_MAX_STEPS),
        steps=tuple(_read_step(step) for step in raw["steps"]),
    )


def _read_input(name: str, raw: Mapping[str, Any]) -> Input:
    return Input(name, raw["type"], raw.get("required", True), raw.get("default"))


def _read_step(raw: Mapping[str, Any]) -> Step:
    name, kind, catch = raw["name"], raw["kind"], _read_catch(raw.get("catch"))
    if kind == "choice":
        return ChoiceStep(name, raw["when"], raw["then"], raw["else"], catch)
    retry, end = raw.get("retry", 0), raw.get("end", False)
    if kind == "parallel":
        branches = tuple(tuple(_read_step(one) for one in branch) for branch in raw["branches"])
        return ParallelStep(name, branches, raw.get("next"), end, catch)
    if kind == "map":
        return MapStep(name, raw["over"], raw["tool"], raw.get("with", {}), retry, end, catch=catch)
    if kind == "tool":
        return ToolStep(name, raw["tool"], raw.get("with", {}), retry, end, catch)
    fields = {field: value for field, value in raw.items() if field not in COMMON_FIELDS}
    turns = {REJECTED: fields.pop(REJECTED)} if kind == "approve" and REJECTED in fields else {}
    return ActionStep(
        name, kind, fields, next=raw.get("next"), turns=turns, retry=retry, end=end, catch=catch
    )


def _read_catch(raw: Mapping[str, Any] | None) -> Catch | None:
    if raw is None:
        return None
    codes = raw.get("codes")
    return Catch(raw["next"], None if codes is None else frozenset(codes))


#: What each type takes; nothing is coerced, and 3.0 is no integer.
TYPES: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
}


def validate_inputs(spec: Spec, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the input of a run with defaults filled in; an optional input without one is left out.

    Raises `InvalidRequest` with every problem by JSON pointer below `/input`.
    """
    problems: list[tuple[str, str]] = []
    taken: dict[str, Any] = {}
    for one in spec.inputs:
        if one.name in given:
            taken[one.name] = given[one.name]
            if not TYPES[one.type](given[one.name]):
                problems.append((one.name, _expectation_of(one.type, given[one.name])))
        elif one.required:
            problems.append((one.name, "is required"))
        elif one.default is not None:
            taken[one.name] = one.default
    undeclared = sorted(given.keys() - {one.name for one in spec.inputs})
    problems += [(name, "is no input of this workflow; remove it") for name in undeclared[:_MAX_ERRORS]]
    if problems:
        raise _refusal(problems)
    return taken


def expectation(input_type: str) -> str:
    """Says what a value of an input's type must be."""
    return f"must be {_WORDS[input_type]}"


def _expectation_of(input_type: str, value: Any) -> str:
    """Says what a value must be; where text was wanted, also what stands there that quotes do not mend."""
    given = "an object" if isinstance(value, dict) else "a list" if isinstance(value, list) else None
    return f"must be text, not {given}" if input_type == "string" and given else expectation(input_type)


def _refusal(problems: list[tuple[str, str]]) -> InvalidRequest:
    errors = [
        {"pointer": json_pointer("input", name), "message": message}
        for name, message in problems[:_MAX_ERRORS]
    ]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return InvalidRequest(f"{errors[0]['pointer']}: {errors[0]['message']}{more}", errors=errors)
