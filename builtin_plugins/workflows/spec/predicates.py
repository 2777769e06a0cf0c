"""The seven predicates of a choice, each over bindings."""

from collections.abc import Callable, Mapping
from typing import Any

from builtin_plugins.workflows.spec.bindings import Values, resolve
from guildhall_sdk import UserError

# Between two jobs of a run, which nobody else may write meanwhile on SQLite; some tenths of a second.
MAX_COMPARED = 250_000
_CHARACTERS_PER_VALUE = 64
_KINDS = {str: "a text", bool: "true or false", list: "a list", dict: "an object", type(None): "nothing"}


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
    return (isinstance(one, str) and isinstance(other, str)) or (_is_number(one) and _is_number(other))


def _is_number(value: Any) -> bool:
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
