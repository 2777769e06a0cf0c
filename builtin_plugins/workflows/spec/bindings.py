"""Bindings: JSON in which `{"$from": "input.message"}` stands for a value of the run.

An object with the one key `$from` is a reference; everything else stands for itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, Final, Literal

FROM = "$from"
MAX_REFERENCE = 512
Root = Literal["input", "step", "item", "index", "locale", "run", "team", "user"]
_PLAIN: Mapping[str, Root] = {
    "index": "index",
    "locale": "locale",
    "principal.locale": "locale",
    "run.id": "run",
    "team.id": "team",
    "user.id": "user",
}


class Absent(Enum):
    """What a reference that leads nowhere gives."""

    ABSENT = "absent"

    def __bool__(self) -> bool:
        return False


ABSENT: Final = Absent.ABSENT


# Not frozen: a frozen one takes four times as long to make, and each step has its own.
@dataclass(slots=True)
class Values:
    """What a binding is resolved with; `outputs` by step, `item` and `index` inside a map alone."""

    input: Mapping[str, Any]
    outputs: Mapping[str, Mapping[str, Any]]
    locale: str
    run_id: str
    team_id: str
    user_id: str
    item: Any = ABSENT
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference taken apart.

    `name` is the input or the step that it is of; `path` leads on from there, of a step from its output.
    """

    root: Root
    name: str = ""
    path: tuple[str, ...] = ()


class BadReference(ValueError):
    """Raised for a text that is no reference; the message says what would be one."""


@lru_cache(maxsize=4096)
def parse_reference(text: str) -> Reference:
    """Takes a reference apart; raises `BadReference`."""
    if text in _PLAIN:
        return Reference(_PLAIN[text])
    head, *path = text.split(".")
    if len(text) > MAX_REFERENCE or not all(path):
        raise BadReference(f"a reference takes 1 to {MAX_REFERENCE} characters, and no empty part")
    if head == "item":
        return Reference("item", path=tuple(path))
    if head == "input" and path:
        return Reference("input", path[0], tuple(path[1:]))
    if head == "steps" and len(path) > 2 and path[1] == "output" and path[2] in ("result", "results"):
        return Reference("step", path[0], tuple(path[2:]))
    raise BadReference(_advice(head))


def _advice(head: str) -> str:
    if head == "input":
        return "write input.<name>"
    if head == "steps":
        return "write steps.<step>.output.result, or steps.<step>.output.results for a map"
    return "there is no such value; see references at /api/workflows/schema"


def is_reference(binding: Any) -> bool:
    """Tells whether a binding is a reference, and not JSON that stands for itself."""
    return isinstance(binding, dict) and len(binding) == 1 and FROM in binding


def references(
    binding: Any, place: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yields the place and the text of each reference in a binding, in the order in which they stand."""
    todo: list[tuple[tuple[str | int, ...], Any]] = [(place, binding)]
    while todo:
        at, one = todo.pop()
        if is_reference(one):
            yield (*at, FROM), one[FROM]
        elif isinstance(one, dict):
            todo.extend([((*at, name), below) for name, below in one.items()][::-1])
        elif isinstance(one, list):
            todo.extend([((*at, number), below) for number, below in enumerate(one)][::-1])


def resolve(binding: Any, values: Values) -> Any:
    """Puts the values in where a binding refers to them.

    What leads nowhere is left out as a member of an object, and is null in a list or as the whole.
    """
    resolved = _resolve(binding, values)
    return None if resolved is ABSENT else resolved


def _resolve(binding: Any, values: Values) -> Any:
    if isinstance(binding, dict):
        if is_reference(binding):
            return look_up(parse_reference(binding[FROM]), values)
        return {
            name: value for name, below in binding.items() if (value := _resolve(below, values)) is not ABSENT
        }
    if isinstance(binding, list):
        return [resolve(below, values) for below in binding]
    return binding


def look_up(reference: Reference, values: Values) -> Any:
    """Returns the value that a reference leads to, or `ABSENT`."""
    match reference.root:
        case "input":
            return follow(values.input.get(reference.name, ABSENT), reference.path)
        case "step":
            return follow(values.outputs.get(reference.name, ABSENT), reference.path)
        case "item":
            return follow(values.item, reference.path)
        case "index":
            return ABSENT if values.index is None else values.index
        case "locale":
            return values.locale
        case "run":
            return values.run_id
        case "team":
            return values.team_id
        case "user":
            return values.user_id


def follow(value: Any, path: Sequence[str]) -> Any:
    """Goes down from a value by names of members and numbers of items; `ABSENT` where there is none."""
    for part in path:
        if isinstance(value, dict):
            value = value.get(part, ABSENT)
        elif isinstance(value, list) and _is_number(part) and int(part) < len(value):
            value = value[int(part)]
        else:
            return ABSENT
    return value


def _is_number(part: str) -> bool:
    """Tells whether a part of a path can number an item: digits, without a zero in front."""
    return part.isascii() and part.isdigit() and (part == "0" or part[0] != "0")
