"""Frozen dataclasses of plain fields, stored as JSON and restored by another version of their program."""

import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal

_SCALARS = (str, int, float, bool, type(None))


class FieldsMissing(Exception):
    """A stored record lacks what its type needs; `names` says what."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(", ".join(names))
        self.names = names


def record_fault(kind: Any) -> str | None:
    """Returns why a type is none of a record, or None."""
    if not (isinstance(kind, type) and is_dataclass(kind)):
        return "its type must be a dataclass"
    if not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return f"its type {kind.__name__} must be frozen"
    try:
        hints = typing.get_type_hints(kind)
    except Exception as error:
        return f"the types of its fields cannot be read: {error}"
    for one in fields(kind):
        if not _is_json(hints[one.name]):
            return f"the field {one.name} must be text, a number, a boolean, None or a tuple"
    return None


def _is_json(hint: Any) -> bool:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return all(isinstance(value, _SCALARS) for value in arguments)
    if origin in (typing.Union, types.UnionType):
        return all(_is_json(one) for one in arguments)
    if origin is tuple:
        return len(arguments) == 2 and arguments[1] is ... and arguments[0] in _SCALARS
    return hint in _SCALARS


def content_of(record: Any) -> dict[str, Any]:
    return {one.name: getattr(record, one.name) for one in fields(record)}


def restored(kind: type[Any], content: Mapping[str, Any]) -> Any:
    """Restores a record of what was stored; fields that its type does not know any more are left out."""
    known = {one.name: one for one in fields(kind)}
    required = {
        name for name, one in known.items() if one.default is MISSING and one.default_factory is MISSING
    }
    if missing := sorted(required - content.keys()):
        raise FieldsMissing(missing)
    named = {name: value for name, value in content.items() if name in known}
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in named.items()})
