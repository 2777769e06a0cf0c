"""Whether a value is what a plain JSON Schema asks for; patterns and formats are not judged."""

import json
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "null": lambda value: value is None,
}


def conforms(value: Any, schema: Any) -> bool:
    """Judges a value; a schema that is no mapping is true or false by itself."""
    if not isinstance(schema, Mapping):
        return schema is not False
    if not all(_fits_keyword(keyword, wanted, value, schema) for keyword, wanted in schema.items()):
        return False
    if "if" in schema:
        branch = "then" if conforms(value, schema["if"]) else "else"
        return conforms(value, schema.get(branch, True))
    return True


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return bool(one == other)


def is_multiple(value: float, of: float) -> bool:
    """Whether a number is a multiple, as validators reckon it: floats by their quotient."""
    if isinstance(of, float):
        try:
            quotient = value / of
            return math.isfinite(quotient) and int(quotient) == quotient
        except OverflowError:
            return Fraction(value) / Fraction(of) % 1 == 0
    return not value % of


def item_key(item: Any) -> str:
    """What two items of a list share when they count as the same."""
    return json.dumps(item, sort_keys=True)


def value_key(value: Any) -> str:
    """What two values share when they are equal as JSON."""
    return json.dumps(_evened(value), sort_keys=True)


def _evened(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_evened(item) for item in value]
    if isinstance(value, dict):
        return {name: _evened(one) for name, one in value.items()}
    return value


def _fits_keyword(keyword: str, wanted: Any, value: Any, schema: Mapping[str, Any]) -> bool:
    judge = _ANY.get(keyword)
    if judge is not None:
        return judge(wanted, value)
    if isinstance(value, dict):
        return _fits_object(keyword, wanted, value, schema)
    if isinstance(value, str):
        return keyword not in _STRING or _STRING[keyword](wanted, value)
    if isinstance(value, list):
        return keyword not in _ARRAY or _ARRAY[keyword](wanted, value, schema)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return keyword not in _NUMBER or _NUMBER[keyword](wanted, value)
    return True


def _fits_object(keyword: str, wanted: Any, value: dict[str, Any], schema: Mapping[str, Any]) -> bool:
    if keyword == "properties":
        return all(conforms(value[name], one) for name, one in wanted.items() if name in value)
    if keyword == "additionalProperties":
        known = schema.get("properties", {})
        return all(conforms(one, wanted) for name, one in value.items() if name not in known)
    if keyword == "propertyNames":
        return all(conforms(name, wanted) for name in value)
    if keyword == "required":
        return all(name in value for name in wanted)
    if keyword == "minProperties":
        return bool(len(value) >= wanted)
    return keyword != "maxProperties" or bool(len(value) <= wanted)


def _is_type(wanted: Any, value: Any) -> bool:
    return any(_TYPES[kind](value) for kind in ([wanted] if isinstance(wanted, str) else wanted))


_ANY: Mapping[str, Callable[[Any, Any], bool]] = {
    "type": _is_type,
    "enum": lambda wanted, value: any(one == value and same(one, value) for one in wanted),
    "const": same,
    "allOf": lambda wanted, value: all(conforms(value, one) for one in wanted),
    "anyOf": lambda wanted, value: any(conforms(value, one) for one in wanted),
    "oneOf": lambda wanted, value: sum(conforms(value, one) for one in wanted) == 1,
    "not": lambda wanted, value: not conforms(value, wanted),
}
_NUMBER: Mapping[str, Callable[[Any, Any], bool]] = {
    "minimum": lambda wanted, value: value >= wanted,
    "maximum": lambda wanted, value: value <= wanted,
    "exclusiveMinimum": lambda wanted, value: value > wanted,
    "exclusiveMaximum": lambda wanted, value: value < wanted,
    "multipleOf": lambda wanted, value: is_multiple(value, wanted),
}
_STRING: Mapping[str, Callable[[Any, str], bool]] = {
    "minLength": lambda wanted, value: len(value) >= wanted,
    "maxLength": lambda wanted, value: len(value) <= wanted,
}
_ARRAY: Mapping[str, Callable[[Any, list[Any], Any], bool]] = {
    "minItems": lambda wanted, value, _: len(value) >= wanted,
    "maxItems": lambda wanted, value, _: len(value) <= wanted,
    "uniqueItems": lambda wanted, value, _: not wanted or len({*map(item_key, value)}) == len(value),
    "contains": lambda wanted, value, _: any(conforms(item, wanted) for item in value),
    # A schema may hold fewer items than it describes.
    "prefixItems": lambda wanted, value, _: all(map(conforms, value, wanted)),
    "items": lambda wanted, value, schema: all(
        conforms(item, wanted) for item in value[len(schema.get("prefixItems", ())) :]
    ),
}
