"""Bodies and queries against the schemas of their row: every problem at once, each with its place."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import unquote_to_bytes

from guildhall_sdk import InvalidRequest
from guildhall_sdk.schema import Schema
from kernel.http.quick_fit import quick_fit

Complaint = tuple[str, str]
MAX_ERRORS = 20
MAX_PARAMETERS = 1_000
_MAX_NAME_SHOWN = 80
_MAX_CHOICES_SHOWN = 300
_INT64 = range(-(2**63), 2**63)
_INTEGER = re.compile(r"-?[0-9]{1,19}")
_NUMBER = re.compile(r"-?[0-9]{1,19}(\.[0-9]{1,19})?")
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_JSON_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})

_KINDS = {
    "string": "text in quotes",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}

Bounded = TypeVar("Bounded", int, float)


class Validator:
    """One schema, JSON Schema 2020-12 without coercion: 1.0 is no integer and true is no number.

    `jsonschema` is imported and the schema prepared at the first use, so that a boot costs neither.
    `formats` enforces `format` (date-time) too.
    """

    def __init__(self, schema: Schema, *, formats: bool = False) -> None:
        self._schema = schema
        self._formats = formats
        self._complaints: Callable[[Any], Iterator[Complaint]] | None = None
        self._fits: Callable[[Any], bool] | None = None

    @classmethod
    def compile(cls, schema: Schema, *, formats: bool = False) -> "Validator":
        return cls(schema, formats=formats)

    def prove(self) -> None:
        """Raises `ValueError` when the schema itself is wrong; for boot checks and tests."""
        if not is_plain(self._schema):
            from kernel.http.json_schema import check_schema

            check_schema(self._schema)

    def check(self, value: Any) -> None:
        """Raises `InvalidRequest` with all problems of the value, up to `MAX_ERRORS`."""
        if self._complaints is None:
            from kernel.http.json_schema import prepare

            self._complaints = prepare(self._schema, formats=self._formats)
            self._fits = quick_fit(self._schema)
        if self._fits is not None and self._fits(value):
            return
        refusal = _refusal(self._complaints(value))
        if refusal is not None:
            raise refusal


def parse_query(raw_query: bytes, row_query: Mapping[str, Schema]) -> dict[str, Any]:
    """Returns the declared parameters by their schemas, with defaults; unknown names are ignored."""
    given = decode_query(raw_query)
    values: dict[str, Any] = {}
    complaints: list[Complaint] = []
    for name, schema in row_query.items():
        if name not in given:
            if "default" in schema:
                values[name] = schema["default"]
            continue
        try:
            values[name] = _convert(given[name], schema)
        except ValueError as reason:
            complaints.append((f"?{name}", str(reason)))
    refusal = _refusal(complaints)
    if refusal is not None:
        raise refusal
    return values


def decode_query(raw: bytes) -> dict[str, str]:
    """Decodes names and values; the last of a repeated name wins."""
    given: dict[str, str] = {}
    if not raw:
        return given
    if raw.count(b"&") >= MAX_PARAMETERS:
        raise InvalidRequest(f"The query holds more than {MAX_PARAMETERS:,} parameters; send fewer.")
    for part in raw.replace(b"+", b" ").split(b"&"):
        raw_name, _, raw_value = part.partition(b"=")
        try:
            name, value = _unquote(raw_name), _unquote(raw_value)
        except UnicodeError:
            cut_name = raw_name.decode("ascii", "replace")[:_MAX_NAME_SHOWN]
            raise InvalidRequest.at(f"?{cut_name}", "is not UTF-8; percent-encode it as UTF-8") from None
        if "\0" in name or "\0" in value:
            cut_name = name.replace("\0", "\ufffd")[:_MAX_NAME_SHOWN]
            raise InvalidRequest.at(f"?{cut_name}", "holds U+0000; remove it")
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


def described(schema: Any) -> str:
    """Returns what the schema says it wants, for forms that no general message explains."""
    text = schema.get("description") if isinstance(schema, Mapping) else None
    return f" ({text})" if text else ""


def choices(values: Iterable[Any]) -> str:
    text = ", ".join(json.dumps(value) for value in values)
    return text if len(text) <= _MAX_CHOICES_SHOWN else text[:_MAX_CHOICES_SHOWN] + " …"


def _refusal(complaints: Iterable[Complaint]) -> InvalidRequest | None:
    """Returns one refusal with the first complaints, each once, in their order; no more are made."""
    found: dict[Complaint, None] = {}
    for complaint in complaints:
        found[complaint] = None
        if len(found) == MAX_ERRORS:
            break
    errors = [{"pointer": pointer, "message": message} for pointer, message in found]
    if not errors:
        return None
    first = f"{errors[0]['pointer'] or 'body'}: {errors[0]['message']}"
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return InvalidRequest(first + more, errors=errors)


def is_plain(schema: Any) -> bool:
    """Tells whether the schema has only keywords known here, each with a value as JSON Schema wants it.

    False proves nothing: a full validator of JSON Schema then decides.
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
        return bool(value) and _is_names(value) and _JSON_TYPES.issuperset(value)
    return isinstance(value, str) and value in _JSON_TYPES


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


def kinds_in_words(wanted: Any) -> list[str]:
    """Names the types that a schema wants."""
    kinds = [wanted] if isinstance(wanted, str) else list(wanted or ())
    return [_KINDS.get(kind, str(kind)) for kind in kinds]


def _plural(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


MESSAGES: Mapping[str, Callable[[Any, Any], str]] = {
    "type": lambda wanted, _: "must be " + " or ".join(kinds_in_words(wanted)),
    "enum": lambda wanted, _: f"must be one of {choices(wanted)}",
    "const": lambda wanted, _: f"must be {choices([wanted])}",
    "minLength": lambda wanted, value: (
        f"must have at least {_plural(wanted, 'character', 'characters')}" if value else "must not be empty"
    ),
    "maxLength": lambda wanted, value: (
        f"must have at most {_plural(wanted, 'character', 'characters')}, not {len(value)}"
    ),
    "minimum": lambda wanted, _: f"must be at least {wanted}",
    "maximum": lambda wanted, _: f"must be at most {wanted}",
    "exclusiveMinimum": lambda wanted, _: f"must be greater than {wanted}",
    "exclusiveMaximum": lambda wanted, _: f"must be less than {wanted}",
    "multipleOf": lambda wanted, _: f"must be a multiple of {wanted}",
    "minItems": lambda wanted, _: f"must hold at least {_plural(wanted, 'item', 'items')}",
    "maxItems": lambda wanted, _: f"must hold at most {_plural(wanted, 'item', 'items')}",
    "uniqueItems": lambda *_: "must not hold the same item twice",
    "minProperties": lambda wanted, _: f"must hold at least {_plural(wanted, 'field', 'fields')}",
    "maxProperties": lambda wanted, _: f"must hold at most {_plural(wanted, 'field', 'fields')}",
}
