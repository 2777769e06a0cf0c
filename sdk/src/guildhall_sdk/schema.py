"""Small words for JSON Schema. Objects are strict: an unknown field is refused."""

from collections.abc import Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]
#: The `format` of a text that names a permission.
PERMISSION = "permission"
MAX_PERMISSIONS = 500


def string(*, min_length: int = 0, max_length: int | None = None, **more: Any) -> Schema:
    limits: dict[str, Any] = {"minLength": min_length} if min_length else {}
    if max_length is not None:
        limits["maxLength"] = max_length
    return {"type": "string", **limits, **more}


def integer(minimum: int | None = None, maximum: int | None = None, **more: Any) -> Schema:
    limits = {key: value for key, value in (("minimum", minimum), ("maximum", maximum)) if value is not None}
    return {"type": "integer", **limits, **more}


def number(**more: Any) -> Schema:
    return {"type": "number", **more}


def boolean(**more: Any) -> Schema:
    return {"type": "boolean", **more}


def enum(*values: str, **more: Any) -> Schema:
    return {"type": "string", "enum": list(values), **more}


def array(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": dict(items), **more}


def permissions(**more: Any) -> Schema:
    """Names of permissions. OpenAPI lists those that there are; `Roles.check_names` refuses others."""
    return array(string(max_length=129, format=PERMISSION), maxItems=MAX_PERMISSIONS, **more)


def nullable(schema: Schema) -> Schema:
    return {"anyOf": [dict(schema), {"type": "null"}]}


def anything(**more: Any) -> Schema:
    return dict(more)


def time(**more: Any) -> Schema:
    return {"type": "string", "format": "date-time", **more}


def obj(
    properties: Mapping[str, Schema],
    *,
    required: Sequence[str] = (),
    example: Mapping[str, Any] | None = None,
    **more: Any,
) -> Schema:
    """A strict object, for bodies. The example is shown in the docs and used by the conformance tests."""
    shape: dict[str, Any] = {
        "type": "object",
        "properties": {name: dict(schema) for name, schema in properties.items()},
        "required": list(required),
        "additionalProperties": False,
        **more,
    }
    if example is not None:
        shape["examples"] = [dict(example)]
    return shape


def shape(properties: Mapping[str, Schema], *, optional: Sequence[str] = (), **more: Any) -> Schema:
    """An open object, for answers: the named fields are there, others may stand beside them."""
    return {
        "type": "object",
        "properties": {name: dict(schema) for name, schema in properties.items()},
        "required": [name for name in properties if name not in optional],
        **more,
    }


def listing(items: Schema, **beside: Schema) -> Schema:
    """A page: `items`, `next_cursor` and whatever stands beside them."""
    return shape({"items": array(items), "next_cursor": nullable(string()), **beside})
