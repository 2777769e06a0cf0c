"""The quick half of JSON Schema: whether a value fits a plain schema, and nothing of what is wrong with it.

Most values fit. A full validator, which takes some ten times as long, is then needed for the others alone.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from libs.json_validation.messages import Schema

Fits = Callable[[Any], bool]

_ANNOTATIONS = frozenset({"description", "title", "default", "example", "examples", "deprecated", "readOnly"})
_KINDS: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
}
# For values of these types a keyword says something, and to others nothing.
_BOUNDS: Mapping[str, tuple[type | tuple[type, ...], Callable[[Any, Any], bool]]] = {
    "minLength": (str, lambda value, limit: len(value) >= limit),
    "maxLength": (str, lambda value, limit: len(value) <= limit),
    "minItems": (list, lambda value, limit: len(value) >= limit),
    "maxItems": (list, lambda value, limit: len(value) <= limit),
    "minProperties": (dict, lambda value, limit: len(value) >= limit),
    "maxProperties": (dict, lambda value, limit: len(value) <= limit),
    "minimum": ((int, float), lambda value, limit: isinstance(value, bool) or value >= limit),
    "maximum": ((int, float), lambda value, limit: isinstance(value, bool) or value <= limit),
}


def quick_fit(schema: Schema | bool) -> Fits | None:
    """Returns a function that is true only for what fits; None for a schema that takes more to check."""
    try:
        return _fit(schema)
    except _Beyond:
        return None


class _Beyond(Exception):
    """The schema has something that is not checked here."""


def _fit(schema: Any) -> Fits:
    if schema is True:
        return _always
    if not isinstance(schema, Mapping):
        raise _Beyond
    checks = [check for name, wanted in schema.items() if (check := _keyword(name, wanted, schema))]
    if not checks:
        return _always
    if len(checks) == 1:
        return checks[0]
    return _all_of(checks)


def _all_of(checks: Sequence[Fits]) -> Fits:
    def fits(value: Any) -> bool:
        for check in checks:  # noqa: SIM110 - a generator takes twice as long
            if not check(value):
                return False
        return True

    return fits


def _always(_value: Any) -> bool:
    return True


def _keyword(name: str, wanted: Any, schema: Schema) -> Fits | None:
    if name in _ANNOTATIONS:
        return None
    if name == "type":
        return _type(wanted)
    if name == "enum":
        return _one_of(wanted)
    if name == "properties":
        return _properties({key: _fit(below) for key, below in wanted.items()})
    if name == "required":
        return _required(frozenset(wanted))
    if name == "additionalProperties" and wanted is False:
        known = frozenset(schema.get("properties", ()))
        return lambda value: not isinstance(value, dict) or value.keys() <= known
    if name == "items":
        return _items(_fit(wanted))
    if name in _BOUNDS:
        kind, holds = _BOUNDS[name]
        return lambda value: not isinstance(value, kind) or holds(value, wanted)
    raise _Beyond


def _required(names: frozenset[str]) -> Fits:
    return lambda value: not isinstance(value, dict) or value.keys() >= names


def _type(wanted: Any) -> Fits:
    kinds = [wanted] if isinstance(wanted, str) else wanted
    if not isinstance(kinds, list | tuple) or not all(kind in _KINDS for kind in kinds):
        raise _Beyond
    if len(kinds) == 1:
        return _KINDS[kinds[0]]
    checks = [_KINDS[kind] for kind in kinds]
    return lambda value: any(check(value) for check in checks)


def _one_of(wanted: Any) -> Fits:
    if not all(isinstance(one, str) for one in wanted):
        raise _Beyond
    choices = frozenset(wanted)
    return lambda value: isinstance(value, str) and value in choices


def _properties(checks: Mapping[str, Fits]) -> Fits:
    def fits(value: Any) -> bool:
        if not isinstance(value, dict):
            return True
        for name, one in value.items():
            check = checks.get(name)
            if check is not None and not check(one):
                return False
        return True

    return fits


def _items(check: Fits) -> Fits:
    return lambda value: not isinstance(value, list) or all(check(one) for one in value)
