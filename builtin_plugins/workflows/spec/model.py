"""A workflow as the engine walks it: what a spec says, once it was judged."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

InputType = Literal["string", "number", "integer", "boolean", "object", "array"]


@dataclass(frozen=True, slots=True)
class Input:
    """An input that a run takes."""

    name: str
    type: InputType
    required: bool = True
    default: Any = None


@dataclass(frozen=True, slots=True)
class ToolStep:
    """A call of a tool; `arguments` is a binding: JSON in which `{"$from": …}` stands for a value."""

    name: str
    tool: str
    arguments: Mapping[str, Any]
    retry: int = 0
    end: bool = False
    kind: Literal["tool"] = "tool"


@dataclass(frozen=True, slots=True)
class MapStep:
    """A call of a tool for each item of a list, which the binding `over` gives."""

    name: str
    over: Any
    tool: str
    arguments: Mapping[str, Any]
    retry: int = 0
    end: bool = False
    kind: Literal["map"] = "map"


@dataclass(frozen=True, slots=True)
class ChoiceStep:
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
