"""Bindings: JSON in which `{"$from": "input.message"}` stands for a value of the run, and predicates on it.

An object with the one key `$from` is a reference; everything else stands for itself.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from guildhall_sdk import UserError

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

# Between two jobs of a run, which nobody else may write meanwhile on SQLite; some tenths of a second.
MAX_COMPARED = 250_000
_CHARACTERS_PER_VALUE = 64
_KINDS = {str: "a text", bool: "true or false", list: "a list", dict: "an object", type(None): "nothing"}


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


class Reference(NamedTuple):
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
            return value_at(parse_reference(binding[FROM]), values)
        return {
            name: value for name, below in binding.items() if (value := _resolve(below, values)) is not ABSENT
        }
    if isinstance(binding, list):
        return [resolve(below, values) for below in binding]
    return binding


def value_at(reference: Reference, values: Values) -> Any:
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


class Patience:
    """How much may still be compared until the next job of a run."""

    def __init__(self) -> None:
        self._left = MAX_COMPARED

    def spend_on(self, *values: Any) -> None:
        """Counts what is in these values; raises `UserError` `predicate_too_large` when it is too much."""
        todo = [*values]
        while todo and self._left > 0:
            node = todo.pop()
            self._left -= 1
            if isinstance(node, str):
                self._left -= len(node) // _CHARACTERS_PER_VALUE
            elif isinstance(node, dict | list) and len(node) <= self._left:
                todo.extend(node.values() if isinstance(node, dict) else node)
            elif isinstance(node, dict | list):
                self._left = 0
        if self._left <= 0:
            raise UserError(
                f"The choices compare more than {MAX_COMPARED:,} values before the next call: compare "
                "a number or a short text that says the same.",
                code="predicate_too_large",
            )


def decide(predicate: Mapping[str, Any], values: Values, patience: Patience | None = None) -> bool:
    """Tells whether a predicate holds.

    Raises `UserError`: `predicate_type` for what cannot be compared, `predicate_too_large` for too much.
    """
    ((name, operands),) = predicate.items()
    if name in ONE_OPERAND:
        return ONE_OPERAND[name](resolve(operands, values))
    one, other = (resolve(operand, values) for operand in operands)
    (patience or Patience()).spend_on(one, other)
    return TWO_OPERANDS[name](one, other)


def equal(one: Any, other: Any) -> bool:
    """Compares two values as JSON: true is not 1, and 1 is 1.0."""
    todo = [(one, other)]
    while todo:
        left, right = todo.pop()
        if isinstance(left, bool) or isinstance(right, bool):
            if left is not right:
                return False
        elif isinstance(left, dict) and isinstance(right, dict):
            if left.keys() != right.keys():
                return False
            todo.extend((below, right[name]) for name, below in left.items())
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            todo.extend(zip(left, right, strict=True))
        elif left != right:
            return False
    return True


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)


def _is_present(value: Any) -> bool:
    return value is not None


def _is_in(value: Any, items: Any) -> bool:
    if items is None:
        return False
    if not isinstance(items, list):
        raise _cannot_compare("in", value, items)
    # The plain comparison takes 1 for true, and sorts out nearly all of a long list quickly.
    return any(equal(value, item) for item in items if item == value)


def _contains(whole: Any, value: Any) -> bool:
    if isinstance(whole, str):
        return isinstance(value, str) and value in whole
    if whole is not None and not isinstance(whole, list):
        raise _cannot_compare("contains", whole, value)
    return _is_in(value, whole)


def _is_greater(one: Any, other: Any) -> bool:
    if not _are_ordered(one, other):
        raise _cannot_compare("greater", one, other)
    return bool(one > other)


def _is_less(one: Any, other: Any) -> bool:
    if not _are_ordered(one, other):
        raise _cannot_compare("less", one, other)
    return bool(one < other)


def _are_ordered(one: Any, other: Any) -> bool:
    return (isinstance(one, str) and isinstance(other, str)) or (_is_numeric(one) and _is_numeric(other))


def _is_numeric(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cannot_compare(name: str, one: Any, other: Any) -> UserError:
    """Returns the refusal, which names kinds and never the values: those may be private."""
    return UserError(f"{name} cannot compare {_kind(one)} with {_kind(other)}.", code="predicate_type")


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), "a number")


ONE_OPERAND: Mapping[str, Callable[[Any], bool]] = {"empty": _is_empty, "present": _is_present}
TWO_OPERANDS: Mapping[str, Callable[[Any, Any], bool]] = {
    "equals": equal,
    "in": _is_in,
    "contains": _contains,
    "greater": _is_greater,
    "less": _is_less,
}
