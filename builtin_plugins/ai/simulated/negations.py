"""JSON Schemas turned round: schemas of which one fits exactly what another refuses."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

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


def types_of(given: Any) -> frozenset[str]:
    """The types that the keyword `type` names."""
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
