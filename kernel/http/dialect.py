"""JSON Schema 2020-12 as we mean it: nothing coerced, and no value that costs more than its size.

The only module that imports `jsonschema`; others import it when they first validate.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from math import inf
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend

from guildhall_sdk.schema import Schema

_base = Draft202012Validator.VALIDATORS
_formats = FormatChecker(formats=())


def _is_integer(_checker: Any, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(_checker: Any, value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _unique_items(_validator: Any, wanted: bool, value: object, _schema: Schema) -> Iterator[ValidationError]:
    """By hash, where the library compares each with each."""
    if wanted and isinstance(value, list):
        seen = {json.dumps(item, sort_keys=True) for item in value}
        if len(seen) != len(value):
            yield ValidationError("has an item twice")


def _unless_too_many(keyword: str, limit: str) -> Callable[..., Iterator[ValidationError]]:
    """What is refused for its length is not judged item by item."""

    def judge(validator: Any, wanted: Any, value: Any, schema: Schema) -> Iterator[ValidationError]:
        if isinstance(value, list | dict) and len(value) > schema.get(limit, inf):
            return
        yield from _base[keyword](validator, wanted, value, schema) or ()

    return judge


@_formats.checks("date-time")
def _is_time(value: object) -> bool:
    if not isinstance(value, str):
        return True
    try:
        return "T" in value and value.isascii() and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


StrictValidator: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        "uniqueItems": _unique_items,
        "items": _unless_too_many("items", "maxItems"),
        "additionalProperties": _unless_too_many("additionalProperties", "maxProperties"),
    },
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": _is_integer, "number": _is_number}
    ),
)


def prepare(schema: Schema, *, formats: bool) -> Callable[[Any], Iterator[ValidationError]]:
    """A function from a value to its problems, found lazily and in the schema's order."""
    validator = StrictValidator(dict(schema), format_checker=_formats if formats else None)
    problems: Callable[[Any], Iterator[ValidationError]] = validator.iter_errors
    return problems


def check_schema(schema: Mapping[str, Any]) -> None:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"not a JSON Schema: {error.json_path}: {error.message}") from None
