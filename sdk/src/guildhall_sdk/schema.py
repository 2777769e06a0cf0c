"""Functions that write JSON Schema. Objects are strict: an unknown field is refused."""

from collections.abc import Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]
#: The `format` of a text that names a permission.
PERMISSION = "permission"


def string(*, min_length: int = 0, max_length: int | None = None, **more: Any) -> Schema:
    """Describes a text."""
    limits: dict[str, Any] = {"minLength": min_length} if min_length else {}
    if max_length is not None:
        limits["maxLength"] = max_length
    return {"type": "string", **limits, **more}


def integer(minimum: int | None = None, maximum: int | None = None, **more: Any) -> Schema:
    """Describes a whole number."""
    limits = {key: value for key, value in (("minimum", minimum), ("maximum", maximum)) if value is not None}
    return {"type": "integer", **limits, **more}


def number(**more: Any) -> Schema:
    """Describes a number."""
    return {"type": "number", **more}


def boolean(**more: Any) -> Schema:
    """Describes true or false."""
    return {"type": "boolean", **more}


def enum(*values: str, **more: Any) -> Schema:
    """Describes one of these texts."""
    return {"type": "string", "enum": list(values), **more}


def array(items: Schema, **more: Any) -> Schema:
    """Describes a list whose items are as described."""
    return {"type": "array", "items": dict(items), **more}


def permissions(**more: Any) -> Schema:
    """Describes names of permissions, which OpenAPI lists; `Roles.check_names` refuses others."""
    return array(string(max_length=129, format=PERMISSION), maxItems=500, **more)


def nullable(schema: Schema) -> Schema:
    """Describes null, or what the schema describes."""
    return {"anyOf": [dict(schema), {"type": "null"}]}


def anything(**more: Any) -> Schema:
    """Describes any JSON value."""
    return dict(more)


def time(**more: Any) -> Schema:
    """Describes a time in RFC 3339."""
    return {"type": "string", "format": "date-time", **more}


def obj(
    properties: Mapping[str, Schema],
    *,
    required: Sequence[str] = (),
    example: Mapping[str, Any] | None = None,
    **more: Any,
) -> Schema:
    """Describes a strict object, for bodies; its example is in the docs and in the conformance tests."""
    fields: dict[str, Any] = {"additionalProperties": False, "required": list(required), **more}
    strict = shape(properties, **fields)
    return strict if example is None else {**strict, "examples": [dict(example)]}


def shape(properties: Mapping[str, Schema], *, optional: Sequence[str] = (), **more: Any) -> Schema:
    """Describes an open object, for answers: the named fields are there, others may stand beside them."""
    return {
        "type": "object",
        "properties": {name: dict(schema) for name, schema in properties.items()},
        "required": [name for name in properties if name not in optional],
        **more,
    }


def listing(items: Schema, **beside: Schema) -> Schema:
    """Describes a page: `items`, `next_cursor` and the fields beside them."""
    return shape({"items": array(items), "next_cursor": nullable(string()), **beside})
