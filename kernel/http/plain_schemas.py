"""Schemas that are right by their form: told at once, where the library takes a second for all rows."""

import re
from collections.abc import Callable, Mapping
from typing import Any

_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def is_plain(schema: Any) -> bool:
    """Whether the schema has only keywords known here, each with a value as JSON Schema wants it.

    False says nothing: whoever is asked then knows the whole of JSON Schema.
    """
    if isinstance(schema, bool):
        return True
    if not isinstance(schema, Mapping):
        return False
    return all((judge := _KEYWORDS.get(name)) is not None and judge(one) for name, one in schema.items())


def _is_anything(_value: Any) -> bool:
    return True


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_type(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and _is_names(value) and _TYPES.issuperset(value)
    return isinstance(value, str) and value in _TYPES


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value)) and len(dict.fromkeys(value)) == len(value)


def _is_pattern(value: Any) -> bool:
    try:
        re.compile(value)
    except (TypeError, ValueError, OverflowError, RecursionError, re.error):
        return False
    return isinstance(value, str)


def _is_schemas(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(is_plain, value))


def _is_named_schemas(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_is_text, value)) and all(map(is_plain, value.values()))


_KEYWORDS: Mapping[str, Callable[[Any], bool]] = {
    "additionalProperties": is_plain,
    "allOf": _is_schemas,
    "anyOf": _is_schemas,
    "const": _is_anything,
    "default": _is_anything,
    "deprecated": _is_flag,
    "description": _is_text,
    "enum": _is_list,
    "example": _is_anything,
    "examples": _is_list,
    "format": _is_text,
    "items": is_plain,
    "maxItems": _is_count,
    "maxLength": _is_count,
    "maxProperties": _is_count,
    "maximum": _is_number,
    "minItems": _is_count,
    "minLength": _is_count,
    "minProperties": _is_count,
    "minimum": _is_number,
    "not": is_plain,
    "oneOf": _is_schemas,
    "pattern": _is_pattern,
    "properties": _is_named_schemas,
    "readOnly": _is_flag,
    "required": _is_names,
    "title": _is_text,
    "type": _is_type,
    "uniqueItems": _is_flag,
    "writeOnly": _is_flag,
}
