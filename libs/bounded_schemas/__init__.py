"""JSON Schemas of strangers: bounded, and reduced to what can be checked cheaply and offline.

A schema may come from anywhere. What it takes to check a value against it is counted beforehand,
references are followed within the schema alone, and regular expressions are left to whoever wrote them.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

Schema = Mapping[str, Any]

MAX_BYTES = 64 * 1024
MAX_DEPTH = 32
# With its references followed: checking a value goes as deep as that, a handful of calls for each level.
MAX_FOLLOWED_DEPTH = 48
MAX_COST = 2_000
_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_type(value: Any) -> bool:
    return all(
        isinstance(one, str) and one in _TYPES for one in (value if isinstance(value, list) else [value])
    )


# The keywords that hold no schema, each with what its value must be.
_PLAIN: Mapping[str, Callable[[Any], bool]] = {
    "type": _is_type,
    "enum": lambda value: isinstance(value, list) and bool(value),
    "const": lambda value: True,
    "required": lambda value: isinstance(value, list) and all(isinstance(name, str) for name in value),
    "multipleOf": lambda value: _is_number(value) and value > 0,
    "uniqueItems": lambda value: isinstance(value, bool),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number),
    **dict.fromkeys(
        ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _is_count
    ),
}
_ONE = frozenset({"additionalProperties", "items", "not", "contains", "propertyNames", "if", "then", "else"})
_MANY = frozenset({"anyOf", "allOf", "oneOf", "prefixItems"})
_ELSEWHERE = ("$dynamicRef", "$recursiveRef")


class SchemaRefused(ValueError):
    """The reason why a schema is not taken, in words that follow "its schema …"."""


class BoundedSchema(NamedTuple):
    """`given` is what a caller is shown, `checked` what arguments are held against, `cost` of each value."""

    given: Schema
    checked: Schema
    cost: int

    @classmethod
    def of(cls, schema: Any) -> "BoundedSchema":
        """Bounds the schema of an object, such as named arguments. Raises `SchemaRefused`.

        A copy is kept: what the author changes afterwards changes nothing.
        """
        given = _copied(schema)
        if not isinstance(given, dict) or given.get("type") != "object":
            raise SchemaRefused('must be an object with "type": "object"')
        return cls._reduced(_Reduction(given), given)

    @classmethod
    def of_value(cls, schema: Any) -> "BoundedSchema":
        """Bounds the schema of any value, all of which is checked. Raises `SchemaRefused`."""
        given = _copied(schema)
        if not isinstance(given, dict):
            raise SchemaRefused("must be an object")
        return cls._reduced(_Reduction(given, recursion_allowed=False), given)

    @classmethod
    def _reduced(cls, reduction: "_Reduction", given: dict[str, Any]) -> "BoundedSchema":
        checked = reduction.reduced(given, 1, (), 1)
        assert isinstance(checked, dict)
        return cls(given, checked, reduction.cost)


def _copied(schema: Any) -> Any:
    _check_depth(schema)
    try:
        text = json.dumps(schema, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        raise SchemaRefused("is not JSON") from None
    if len(text) > MAX_BYTES:
        raise SchemaRefused(f"has more than {MAX_BYTES // 1024} KiB")
    return json.loads(text)


def _check_depth(schema: Any) -> None:
    """Checks the depth level by level: what is nested a thousand times must not be walked by recursion."""
    level: list[Any] = [schema]
    for _ in range(MAX_DEPTH):
        level = [below for value in level for below in _below(value)]
        if not level:
            return
        if len(level) > MAX_BYTES:
            raise SchemaRefused(f"has more than {MAX_BYTES // 1024} KiB")
    raise SchemaRefused(f"is nested deeper than {MAX_DEPTH}")


def _below(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list | tuple):
        yield from value


class _Reduction:
    """One pass over a schema; every part counts as often as it would be evaluated."""

    def __init__(self, root: Mapping[str, Any], *, recursion_allowed: bool = True) -> None:
        self._root = root
        self._recursion_allowed = recursion_allowed
        self.cost = 0

    def reduced(self, schema: Any, weight: int, above: tuple[str, ...], depth: int) -> Any:
        """Returns the schema reduced to what is checked; `above` are the references being followed."""
        if depth > MAX_FOLLOWED_DEPTH:
            raise SchemaRefused(f"is nested deeper than {MAX_FOLLOWED_DEPTH}, its references followed")
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, dict):
            raise SchemaRefused("has something else where a schema belongs")
        self._spend(weight)
        reduced_schema: dict[str, Any] = {}
        for keyword, value in schema.items():
            if keyword in _ELSEWHERE:
                raise SchemaRefused(f"uses {keyword}; write out what it refers to")
            if keyword in _PLAIN:
                if not _PLAIN[keyword](value):
                    raise SchemaRefused(f"has a {keyword} that JSON Schema does not know")
                self._spend(weight * len(value) if isinstance(value, list) else weight)
                reduced_schema[keyword] = value
            elif keyword in _ONE and not isinstance(value, list):
                reduced_schema[keyword] = self.reduced(value, weight, above, depth + 1)
            elif keyword in _MANY or keyword == "items":
                # Of several forms that must fit once, each is tried twice.
                times = 2 * weight if keyword == "oneOf" else weight
                forms = [self.reduced(form, times, above, depth + 1) for form in _list(value)]
                reduced_schema["prefixItems" if keyword == "items" else keyword] = forms
            elif keyword == "properties":
                reduced_schema[keyword] = {
                    name: self.reduced(one, weight, above, depth + 1) for name, one in _mapping(value).items()
                }
        if "patternProperties" in schema:
            reduced_schema.pop("additionalProperties", None)
        if "$ref" in schema:
            reduced_schema.setdefault("allOf", []).append(
                self._followed(schema["$ref"], weight, above, depth + 1)
            )
        return reduced_schema

    def _followed(self, reference: Any, weight: int, above: tuple[str, ...], depth: int) -> Any:
        if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
            raise SchemaRefused(f"refers to {str(reference)[:80]!r}, which is outside of it")
        if reference == "#" or reference in above:
            if not self._recursion_allowed:
                raise SchemaRefused(f"refers to itself by {reference[:80]!r}")
            return {}  # what repeats itself is left to the tool
        place: Any = self._root
        for part in reference[2:].split("/"):
            name = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(place, list) and name.isascii() and name.isdigit() and int(name[:6]) < len(place):
                place = place[int(name[:6])]
            else:
                place = place.get(name) if isinstance(place, dict) else None
        if place is None:
            raise SchemaRefused(f"refers to {reference[:80]!r}, where nothing is")
        return self.reduced(place, weight, (*above, reference), depth)

    def _spend(self, units: int) -> None:
        self.cost += units
        if self.cost > MAX_COST:
            raise SchemaRefused(f"takes more than {MAX_COST:,} steps to check, its references followed")


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise SchemaRefused("has something else where a list of schemas belongs")
    return value


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SchemaRefused("has something else where properties belong")
    return value
