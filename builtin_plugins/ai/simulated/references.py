"""JSON Schemas with their references written out, and without what nobody judges."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from builtin_plugins.ai.simulated.budget import Budget, OutOfBudget

_MAX_NODES = 20_000
_MAX_DEPTH = 60
_COUNTS = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"})
_BOUNDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_PLAIN = _COUNTS | _BOUNDS | {"type", "enum", "const", "required", "uniqueItems"}
_ONE = frozenset({"additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"})
_MANY = frozenset({"anyOf", "allOf", "oneOf", "prefixItems"})
#: Keywords that help to find a value, and are not judged.
HINTS = frozenset({"description", "title", "format", "default"})


def simplified(schema: Any) -> Any:
    """The schema with its references written out, and without what nobody judges."""
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
