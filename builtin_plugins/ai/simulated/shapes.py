"""JSON Schemas taken apart: of everything that a schema lets through, one conjunction after the other."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote

from builtin_plugins.ai.simulated.conformance import ALL_TYPES, negated, types_of, value_key

_MAX_NODES = 20_000
_MAX_DEPTH = 60
_COUNTS = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"})
_BOUNDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_PLAIN = _COUNTS | _BOUNDS | {"type", "enum", "const", "required", "uniqueItems"}
_ONE = frozenset({"additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"})
_MANY = frozenset({"anyOf", "allOf", "oneOf", "prefixItems"})
#: Keywords that help to find a value, and are not checked.
HINTS = frozenset({"description", "title", "format", "default"})


class OutOfBudget(Exception):
    """The schema takes more steps than are worth it."""


class Budget:
    """How many steps may still be taken."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    def spend(self, steps: int = 1) -> None:
        self._left -= steps
        if self._left < 0:
            raise OutOfBudget


def simplified(schema: Any) -> Any:
    """Returns the schema with its references written out, and without what nobody checks."""
    budget = Budget(_MAX_NODES)
    try:
        return _simplified(schema, schema, (), budget)
    except OutOfBudget:
        return True


def _simplified(schema: Any, root: Any, above: tuple[str, ...], budget: Budget, depth: int = 0) -> Any:
    budget.spend()
    if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
        return schema is not False

    def below(one: Any) -> Any:
        return _simplified(one, root, above, budget, depth + 1)

    simple: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in _PLAIN or keyword in HINTS:
            simple[keyword] = value
        elif keyword in _ONE or (keyword == "items" and not isinstance(value, list)):
            simple[keyword] = below(value)
        elif keyword in _MANY or keyword == "items":
            simple["prefixItems" if keyword == "items" else keyword] = [below(one) for one in value]
        elif keyword == "properties":
            simple[keyword] = {name: below(one) for name, one in value.items()}
    if "patternProperties" in schema:
        simple.pop("additionalProperties", None)
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference != "#" and reference not in above:
        found = _simplified(_at(root, reference), root, (*above, reference), budget, depth + 1)
        simple["allOf"] = [*simple.get("allOf", ()), found]
    return simple


def _at(root: Any, reference: str) -> Any:
    place = root
    for part in reference.removeprefix("#/").split("/"):
        name = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(place, list):
            number = int(name[:6]) if name.isascii() and name.isdigit() else len(place)
            place = place[number] if number < len(place) else True
        else:
            place = place.get(name, True) if isinstance(place, Mapping) else True
    return place


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A conjunction without branches. What is said of a type holds only for values of that type."""

    types: frozenset[str] = ALL_TYPES
    values: Sequence[Any] | None = None
    excluded: Sequence[Any] = ()
    low: float = -math.inf
    low_open: bool = False
    high: float = math.inf
    high_open: bool = False
    multiples: Sequence[float] = ()
    no_multiples: Sequence[float] = ()
    min_length: int = 0
    max_length: float = math.inf
    min_items: int = 0
    max_items: float = math.inf
    unique: bool = False
    repeated: bool = False
    prefix: Sequence[Any] = ()
    rest: Any = True
    contains: Sequence[Any] = ()
    min_properties: int = 0
    max_properties: float = math.inf
    required: tuple[str, ...] = ()
    properties: Mapping[str, Any] = field(default_factory=dict)
    additional: Any = True
    names: Any = True
    # Properties that have to be there under a name yet to be found: (schema of the name, of the value).
    extra: Sequence[tuple[Any, Any]] = ()
    hints: Mapping[str, Any] = field(default_factory=dict)


# How one keyword narrows a shape.
_NARROW: Mapping[str, Callable[[Shape, Any], Shape]] = {
    "type": lambda shape, value: replace(shape, types=shape.types & types_of(value)),
    "~types": lambda shape, value: replace(shape, types=shape.types & value),
    "enum": lambda shape, value: replace(shape, values=_common(shape.values, value)),
    "const": lambda shape, value: replace(shape, values=_common(shape.values, [value])),
    "~excluded": lambda shape, value: replace(shape, excluded=[*shape.excluded, *value]),
    "minimum": lambda shape, value: _above(shape, value, False),
    "exclusiveMinimum": lambda shape, value: _above(shape, value, True),
    "maximum": lambda shape, value: _below(shape, value, False),
    "exclusiveMaximum": lambda shape, value: _below(shape, value, True),
    "multipleOf": lambda shape, value: replace(shape, multiples=[*shape.multiples, value]),
    "~no_multiple": lambda shape, value: replace(shape, no_multiples=[*shape.no_multiples, value]),
    "minLength": lambda shape, value: replace(shape, min_length=max(shape.min_length, value)),
    "maxLength": lambda shape, value: replace(shape, max_length=min(shape.max_length, value)),
    "minItems": lambda shape, value: replace(shape, min_items=max(shape.min_items, value)),
    "maxItems": lambda shape, value: replace(shape, max_items=min(shape.max_items, value)),
    "minProperties": lambda shape, value: replace(shape, min_properties=max(shape.min_properties, value)),
    "maxProperties": lambda shape, value: replace(shape, max_properties=min(shape.max_properties, value)),
    "uniqueItems": lambda shape, value: replace(shape, unique=shape.unique or value),
    "~repeated": lambda shape, value: replace(shape, repeated=value),
    "required": lambda shape, value: replace(shape, required=(*dict.fromkeys((*shape.required, *value)),)),
    "contains": lambda shape, value: replace(shape, contains=[*shape.contains, value]),
    "propertyNames": lambda shape, value: replace(shape, names=both(shape.names, value)),
    "~extra": lambda shape, value: replace(shape, extra=[*shape.extra, value]),
}


def both(one: Any, other: Any) -> Any:
    """Returns the schema of what fits both."""
    if one is True or other is True:
        return other if one is True else one
    if one is False or other is False:
        return False
    return {"allOf": [one, other]}


def shapes(schema: Any, budget: Budget) -> Iterator[Shape]:
    """Yields every conjunction that the schema lets through, the first branch first."""
    yield from _expanded(Shape(), (schema,), budget)


def _expanded(shape: Shape, pending: tuple[Any, ...], budget: Budget) -> Iterator[Shape]:
    """Expands depth first; a branch that contradicts what stands already is left at once."""
    waiting, choices = [*reversed(pending)], []
    while waiting:
        budget.spend()
        schema = waiting.pop()
        if schema is False or not shape.types or shape.values == []:
            return
        if isinstance(schema, Mapping):
            shape = _narrowed(shape, schema)
            choices += _choices(schema)
            waiting += reversed(schema.get("allOf", ()))
    if shape.types and shape.values != []:
        yield from _branched(shape, choices, budget)


def _branched(shape: Shape, choices: Sequence[Sequence[Any]], budget: Budget) -> Iterator[Shape]:
    if not choices:
        yield shape
        return
    for choice in choices[0]:
        for narrowed in _expanded(shape, (choice,), budget):
            yield from _branched(narrowed, choices[1:], budget)


def _choices(schema: Mapping[str, Any]) -> list[Sequence[Any]]:
    """Returns, for each keyword that branches, the schemas of which one has to fit."""
    choices: list[Sequence[Any]] = []
    if "anyOf" in schema:
        choices.append(schema["anyOf"])
    if "oneOf" in schema:
        forms = schema["oneOf"]
        choices.append([_alone(number, forms) for number in range(len(forms))])
    if "not" in schema:
        choices.append([*negated(schema["not"])])
    if "if" in schema and ("then" in schema or "else" in schema):
        condition = schema["if"]
        taken = {"allOf": [condition, schema.get("then", True)]}
        choices.append([taken, {"allOf": [{"not": condition}, schema.get("else", True)]}])
    return choices


def _alone(number: int, forms: Sequence[Any]) -> Any:
    others = [{"not": form} for place, form in enumerate(forms) if place != number]
    return {"allOf": [forms[number], *others]}


def _narrowed(shape: Shape, schema: Mapping[str, Any]) -> Shape:
    for keyword, value in schema.items():
        if keyword in _NARROW:
            shape = _NARROW[keyword](shape, value)
    if "properties" in schema or "additionalProperties" in schema:
        shape = _with_properties(
            shape, schema.get("properties", {}), schema.get("additionalProperties", True)
        )
    if "prefixItems" in schema or "items" in schema:
        shape = _with_items(shape, schema.get("prefixItems", []), schema.get("items", True))
    hints = {keyword: schema[keyword] for keyword in HINTS if keyword in schema}
    return replace(shape, hints={**hints, **shape.hints}) if hints else shape


def _with_properties(shape: Shape, properties: Mapping[str, Any], additional: Any) -> Shape:
    merged = {
        name: both(shape.properties.get(name, shape.additional), properties.get(name, additional))
        for name in dict.fromkeys((*shape.properties, *properties))
    }
    return replace(shape, properties=merged, additional=both(shape.additional, additional))


def _with_items(shape: Shape, prefix: Sequence[Any], rest: Any) -> Shape:
    length = max(len(shape.prefix), len(prefix))
    merged = [
        both(
            shape.prefix[place] if place < len(shape.prefix) else shape.rest,
            prefix[place] if place < len(prefix) else rest,
        )
        for place in range(length)
    ]
    return replace(shape, prefix=merged, rest=both(shape.rest, rest))


def _common(values: Sequence[Any] | None, given: Sequence[Any]) -> Sequence[Any]:
    if values is None:
        return given
    known = {value_key(one) for one in given}
    return [one for one in values if value_key(one) in known]


def _above(shape: Shape, value: float, is_open: bool) -> Shape:
    if value < shape.low or (value == shape.low and shape.low_open):
        return shape
    return replace(shape, low=value, low_open=is_open)


def _below(shape: Shape, value: float, is_open: bool) -> Shape:
    if value > shape.high or (value == shape.high and shape.high_open):
        return shape
    return replace(shape, high=value, high_open=is_open)
