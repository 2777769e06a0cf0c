"""What is wrong with a value, in words: one message for each keyword of a schema."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Schema = Mapping[str, Any]
# A place, as a JSON pointer, and what is wrong there.
Complaint = tuple[str, str]
MAX_ERRORS = 20
_MAX_CHOICES_SHOWN = 300
_MAX_NAME = 80
_KINDS = {
    "string": "text in quotes",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}


def first_of(complaints: Iterable[Complaint]) -> list[Complaint]:
    """Returns the first complaints, each once, in their order."""
    found: dict[Complaint, None] = {}
    for complaint in complaints:
        found[complaint] = None
        if len(found) == MAX_ERRORS:
            break
    return [*found]


def json_pointer(path: Iterable[object]) -> str:
    """Returns an RFC 6901 pointer such as `/fields/email`, with long names cut."""
    return "".join("/" + str(name)[:_MAX_NAME].replace("~", "~0").replace("/", "~1") for name in path)


def described(schema: Any) -> str:
    """Returns what the schema says it wants, for forms that no general message explains."""
    text = schema.get("description") if isinstance(schema, Mapping) else None
    return f" ({text})" if text else ""


def choices(values: Iterable[Any]) -> str:
    text = ", ".join(json.dumps(value) for value in values)
    return text if len(text) <= _MAX_CHOICES_SHOWN else text[:_MAX_CHOICES_SHOWN] + " …"


def kinds_in_words(wanted: Any) -> list[str]:
    """Names the types that a schema wants."""
    kinds = [wanted] if isinstance(wanted, str) else list(wanted or ())
    return [_KINDS.get(kind, str(kind)) for kind in kinds]


_CONTAINERS: Mapping[type[Any], str] = {dict: "an object", list: "a list"}


def _plural(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _type_message(wanted: Any, value: Any) -> str:
    """Says what a value must be; where text was wanted, also what stands there that quotes do not mend."""
    kinds, given = kinds_in_words(wanted), _CONTAINERS.get(type(value))
    if given is None or _KINDS["string"] not in kinds:
        return "must be " + " or ".join(kinds)
    return "must be " + " or ".join(kinds).replace(_KINDS["string"], "text") + f", not {given}"


MESSAGES: Mapping[str, Callable[[Any, Any], str]] = {
    "type": _type_message,
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
