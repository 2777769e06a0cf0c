"""Query strings against a schema for each parameter: every problem at once, each with its place."""

import re
from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import unquote_to_bytes

from libs.json_validation.messages import Complaint, Schema, choices, described, first_of
from libs.json_validation.validator import Misfit

MAX_PARAMETERS = 1_000
_MAX_NAME_SHOWN = 80
_INT64 = range(-(2**63), 2**63)
_INTEGER = re.compile(r"-?[0-9]{1,19}")
_NUMBER = re.compile(r"-?[0-9]{1,19}(\.[0-9]{1,19})?")
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}

Bounded = TypeVar("Bounded", int, float)


class TooManyParameters(ValueError):
    """Raised for a query of more than `MAX_PARAMETERS`."""

    def __init__(self) -> None:
        super().__init__(f"The query holds more than {MAX_PARAMETERS:,} parameters; send fewer.")


def parse_query(raw_query: bytes, declared: Mapping[str, Schema]) -> dict[str, Any]:
    """Returns the declared parameters by their schemas, with defaults; unknown names are ignored.

    Raises `Misfit`, or `TooManyParameters`.
    """
    given = decode_query(raw_query)
    values: dict[str, Any] = {}
    complaints: list[Complaint] = []
    for name, schema in declared.items():
        if name not in given:
            if "default" in schema:
                values[name] = schema["default"]
            continue
        try:
            values[name] = _convert(given[name], schema)
        except ValueError as reason:
            complaints.append((f"?{name}", str(reason)))
    if complaints:
        raise Misfit(first_of(complaints))
    return values


def decode_query(raw: bytes) -> dict[str, str]:
    """Decodes names and values; the last of a repeated name wins."""
    given: dict[str, str] = {}
    if raw.count(b"&") >= MAX_PARAMETERS:
        raise TooManyParameters
    for part in raw.replace(b"+", b" ").split(b"&") if raw else ():
        raw_name, _, raw_value = part.partition(b"=")
        try:
            name, value = _unquote(raw_name), _unquote(raw_value)
        except UnicodeError:
            cut_name = raw_name.decode("ascii", "replace")[:_MAX_NAME_SHOWN]
            raise Misfit([(f"?{cut_name}", "is not UTF-8; percent-encode it as UTF-8")]) from None
        if "\0" in name or "\0" in value:
            cut_name = name.replace("\0", "\ufffd")[:_MAX_NAME_SHOWN]
            raise Misfit([(f"?{cut_name}", "holds U+0000; remove it")])
        given[name] = value
    return given


def _unquote(part: bytes) -> str:
    return unquote_to_bytes(part).decode("utf-8")


def _convert(text: str, schema: Schema) -> Any:
    """Raises `ValueError` with the complaint."""
    kind = schema.get("type", "string")
    if kind == "integer":
        return _within(_integer(text), schema)
    if kind == "number":
        return _within(_number(text), schema)
    if kind == "boolean":
        if text not in _BOOLEANS:
            raise ValueError("must be true or false")
        return _BOOLEANS[text]
    return _text(text, schema)


def _integer(text: str) -> int:
    if not _INTEGER.fullmatch(text) or (number := int(text)) not in _INT64:
        raise ValueError("must be a whole number")
    return number


def _number(text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise ValueError("must be a number")
    return float(text)


def _within(number: Bounded, schema: Schema) -> Bounded:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None and not low <= number <= high:
        raise ValueError(f"must be between {low} and {high}")
    if low is not None and number < low:
        raise ValueError(f"must be at least {low}")
    if high is not None and number > high:
        raise ValueError(f"must be at most {high}")
    return number


def _text(text: str, schema: Schema) -> str:
    if "enum" in schema and text not in schema["enum"]:
        raise ValueError(f"must be one of {choices(schema['enum'])}")
    if len(text) < schema.get("minLength", 0):
        least = f"must have at least {schema['minLength']} characters"
        raise ValueError(least if text else "must not be empty")
    if "maxLength" in schema and len(text) > schema["maxLength"]:
        raise ValueError(f"must have at most {schema['maxLength']} characters")
    if "pattern" in schema and not re.search(schema["pattern"], text):
        raise ValueError(f"is not in the expected form{described(schema)}")
    return text
