"""A workflow as the engine walks it, read from the JSON of a valid spec, and what a run is given."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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


class ToolStep(NamedTuple):
    """A call of a tool; `arguments` is a binding: JSON in which `{"$from": …}` stands for a value."""

    name: str
    tool: str
    arguments: Mapping[str, Any]
    retry: int = 0
    end: bool = False
    kind: Literal["tool"] = "tool"


class MapStep(NamedTuple):
    """A call of a tool for each item of a list, which the binding `over` gives."""

    name: str
    over: Any
    tool: str
    arguments: Mapping[str, Any]
    retry: int = 0
    end: bool = False
    kind: Literal["map"] = "map"


class ChoiceStep(NamedTuple):
    """A fork: `when` is a predicate, `then` and `otherwise` are names of steps."""

    name: str
    when: Mapping[str, Any]
    then: str
    otherwise: str
    kind: Literal["choice"] = "choice"


Step = ToolStep | MapStep | ChoiceStep


@dataclass(frozen=True, slots=True)
class Spec:
    """A workflow; its steps in the order in which they follow one another."""

    slug: str
    name: str
    inputs: tuple[Input, ...]
    start: str
    max_steps: int
    steps: tuple[Step, ...]
    _positions: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        positions = {step.name: position for position, step in enumerate(self.steps)}
        object.__setattr__(self, "_positions", positions)

    def step(self, name: str) -> Step:
        """Returns the step of a name; raises `KeyError` where there is none."""
        return self.steps[self._positions[name]]

    def after(self, step: ToolStep | MapStep) -> Step | None:
        """Returns the step that follows, or None where the run ends with this one."""
        following = self._positions[step.name] + 1
        return None if step.end or following == len(self.steps) else self.steps[following]


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
    name = raw["name"]
    if raw["kind"] == "choice":
        return ChoiceStep(name, raw["when"], raw["then"], raw["else"])
    arguments, retry, end = raw.get("with", {}), raw.get("retry", 0), raw.get("end", False)
    if raw["kind"] == "map":
        return MapStep(name, raw["over"], raw["tool"], arguments, retry, end)
    return ToolStep(name, raw["tool"], arguments, retry, end)


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
