"""Which body schemas a form can be drawn from."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]

MAX_DEPTH = 4
_PLAIN = frozenset({"string", "number", "integer", "boolean"})


def undrawable(schema: Schema, pointer: str = "", depth: int = 0) -> Iterator[str]:
    """Yields each place of a body schema that no field can be drawn for, and why."""
    found = bare(schema)
    kind = found.get("type")
    if kind == "object" and isinstance(found.get("properties"), Mapping):
        if depth >= MAX_DEPTH:
            yield f"{pointer} is nested deeper than {MAX_DEPTH} levels"
            return
        for name, below in found["properties"].items():
            yield from undrawable(below, f"{pointer}/{name}", depth + 1)
    elif not pointer:
        yield "the body must be an object with properties"
    elif kind == "array":
        if bare(found.get("items", {})).get("type") != "string":
            yield f"{pointer} is a list of something else than texts"
    elif kind not in _PLAIN:
        yield f"{pointer} is none of text, number, yes or no, list of texts and object"


def bare(schema: Any) -> Schema:
    """Returns a schema without the null that it also takes."""
    choices: Sequence[Any] = schema.get("anyOf", ()) if isinstance(schema, Mapping) else ()
    others = [choice for choice in choices if choice != {"type": "null"}]
    if len(others) == 1 and len(choices) == 2:
        return {**others[0], **{key: value for key, value in schema.items() if key != "anyOf"}}
    return schema if isinstance(schema, Mapping) else {}


def field_of(schema: Schema, dotted: str) -> Schema | None:
    """Returns the schema of a field, or of a field within a field; None where there is none."""
    found: Schema = schema
    for name in dotted.split("."):
        below = bare(found).get("properties", {}).get(name)
        if below is None:
            return None
        found = below
    return found
