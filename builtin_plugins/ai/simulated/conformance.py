"""Whether a value is what a plain JSON Schema asks for, and schemas that fit what another refuses."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
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

# Whole numbers and others apart, so that "a number, but no integer" can be written down.
ALL_TYPES = frozenset({"string", "integer", "float", "boolean", "object", "array", "null"})
_COUNTED = {"Length": "string", "Items": "array", "Properties": "object"}
_NUMBERS = {"type": "number"}
_OPPOSITE = {
    "minimum": "exclusiveMaximum",
    "exclusiveMinimum": "maximum",
    "maximum": "exclusiveMinimum",
    "exclusiveMaximum": "minimum",
}


def conforms(value: Any, schema: Any) -> bool:
    """Checks a value; a schema that is no mapping is true or false by itself."""
    if not isinstance(schema, Mapping):
        return schema is not False
    if not all(_fits_keyword(keyword, wanted, value, schema) for keyword, wanted in schema.items()):
        return False
    if "if" in schema:
        branch = "then" if conforms(value, schema["if"]) else "else"
        return conforms(value, schema.get(branch, True))
    return True


def same(one: Any, other: Any) -> bool:
    """Returns whether two values are equal as JSON: true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return bool(one == other)


def is_multiple(value: float, of: float) -> bool:
    """Returns whether a number is a multiple, as validators reckon it: floats by their quotient."""
    if isinstance(of, float):
        try:
            quotient = value / of
            return math.isfinite(quotient) and int(quotient) == quotient
        except OverflowError:
            return Fraction(value) / Fraction(of) % 1 == 0
    return not value % of


def item_key(item: Any) -> str:
    """Returns what two items of a list share when they count as the same."""
    return json.dumps(item, sort_keys=True)


def value_key(value: Any) -> str:
    """Returns what two values share when they are equal as JSON."""
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
    check = _ANY.get(keyword)
    if check is not None:
        return check(wanted, value)
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


def types_of(given: Any) -> frozenset[str]:
    """Returns the types that the keyword `type` names."""
    named = {given} if isinstance(given, str) else set(given)
    return frozenset(named - {"number"} | ({"integer", "float"} if "number" in named else set()))


def negated(schema: Any) -> Iterator[Any]:
    """Schemas of which one fits exactly what the schema refuses."""
    if not isinstance(schema, Mapping):
        if schema is False:
            yield True
        return
    for keyword, value in schema.items():
        if keyword in _NEGATED:
            yield from _NEGATED[keyword](value, schema)


def _not_counted(keyword: str) -> Callable[[Any, Any], Iterator[Any]]:
    counted = keyword[3:]

    def negated(count: int, _: Any) -> Iterator[Any]:
        if keyword.startswith("max"):
            yield {"type": _COUNTED[counted], f"min{counted}": count + 1}
        elif count > 0:
            yield {"type": _COUNTED[counted], f"max{counted}": count - 1}

    return negated


def _not_bounded(keyword: str) -> Callable[[Any, Any], Iterator[Any]]:
    return lambda value, _: iter([{**_NUMBERS, _OPPOSITE[keyword]: value}])


def _not_items(value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    before = len(schema.get("prefixItems", ()))
    yield _item_at(before, {"not": value})


def _item_at(place: int, schema: Any) -> dict[str, Any]:
    return {"type": "array", "minItems": place + 1, "prefixItems": [True] * place + [schema]}


def _not_if(condition: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    if "then" in schema:
        yield {"allOf": [condition, {"not": schema["then"]}]}
    if "else" in schema:
        yield {"allOf": [{"not": condition}, {"not": schema["else"]}]}


def _not_additional(value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    known = [*schema.get("properties", ())]
    name = {"not": {"enum": known}} if known else True
    yield {"type": "object", "~extra": (name, {"not": value})}


def _none_of(forms: Sequence[Any]) -> dict[str, Any]:
    return {"allOf": [{"not": form} for form in forms]}


_NEGATED: Mapping[str, Callable[[Any, Mapping[str, Any]], Iterator[Any]]] = {
    "type": lambda value, _: iter([{"~types": ALL_TYPES - types_of(value)}]),
    "enum": lambda value, _: iter([{"~excluded": value}]),
    "const": lambda value, _: iter([{"~excluded": [value]}]),
    "multipleOf": lambda value, _: iter([{**_NUMBERS, "~no_multiple": value}]),
    "uniqueItems": lambda value, _: iter(
        [{"type": "array", "minItems": 2, "~repeated": True}] if value else []
    ),
    "required": lambda names, _: ({"type": "object", "properties": {name: False}} for name in names),
    "properties": lambda given, _: (
        {"type": "object", "required": [name], "properties": {name: {"not": one}}}
        for name, one in given.items()
    ),
    "additionalProperties": _not_additional,
    "propertyNames": lambda value, _: iter([{"type": "object", "~extra": ({"not": value}, True)}]),
    "items": _not_items,
    "prefixItems": lambda forms, _: (_item_at(place, {"not": form}) for place, form in enumerate(forms)),
    "contains": lambda value, _: iter([{"type": "array", "items": {"not": value}}]),
    "allOf": lambda forms, _: ({"not": form} for form in forms),
    "anyOf": lambda forms, _: iter([_none_of(forms)]),
    "oneOf": lambda forms, _: iter(
        [_none_of(forms), *({"allOf": [*pair]} for pair in combinations(forms, 2))]
    ),
    "not": lambda value, _: iter([value]),
    "if": _not_if,
    **{keyword: _not_counted(keyword) for end in _COUNTED for keyword in (f"min{end}", f"max{end}")},
    **{keyword: _not_bounded(keyword) for keyword in _OPPOSITE},
}
