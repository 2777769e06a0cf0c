"""A schema's problems in plain English: where, and what to do. Values are never repeated back."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import nsmallest
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

Complaint = tuple[str, str]
MAX_ERRORS = 20
_SHOWN_NAME = 80
_SHOWN_CHOICES = 300

_KINDS = {
    "string": "text in quotes",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}


def pointer_of(path: Iterable[Any]) -> str:
    """An RFC 6901 pointer, with long names cut."""
    return "".join("/" + str(name)[:_SHOWN_NAME].replace("~", "~0").replace("/", "~1") for name in path)


def complain(problem: "ValidationError") -> Iterator[Complaint]:
    """One complaint per place: unknown and missing fields each at their own."""
    path, keyword, wanted = list(problem.absolute_path), problem.validator, problem.validator_value
    if keyword in ("additionalProperties", "unevaluatedProperties") and wanted is False:
        for name in nsmallest(MAX_ERRORS, _unknown(problem)):
            yield pointer_of([*path, name]), "unknown field; remove it"
    elif keyword in ("required", "dependentRequired"):
        for name in _missing(problem):
            yield pointer_of([*path, name]), "is required"
    elif keyword in ("anyOf", "oneOf") and problem.context:
        yield from _closest(problem)
    else:
        yield pointer_of(path), _message(str(keyword), wanted, problem)


def unknown_names(value: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    """The fields that a strict object does not know, one by one as they are found."""
    known, patterns = schema.get("properties", {}), [*schema.get("patternProperties", ())]
    for name in value:
        if name not in known and not any(re.search(pattern, name) for pattern in patterns):
            yield name


def _unknown(problem: "ValidationError") -> Iterator[str]:
    value: Any = problem.instance
    return unknown_names(value, problem.schema if isinstance(problem.schema, Mapping) else {})


def _missing(problem: "ValidationError") -> Iterator[str]:
    """`jsonschema` reports one missing field at a time and names it only in its message."""
    wanted: Any = problem.validator_value
    value: Any = problem.instance
    if isinstance(wanted, Mapping):
        wanted = [name for given, names in wanted.items() if given in value for name in names]
    for name in wanted:
        if name not in value:
            yield name


def _closest(problem: "ValidationError") -> Iterator[Complaint]:
    """The complaints of the one alternative whose type fits; else what the types may be."""
    branches: dict[Any, list[ValidationError]] = {}
    for below in problem.context or ():
        branches.setdefault(below.schema_path[0], []).append(below)
    fitting = [below for below in branches.values() if not _wrong_type(below)]
    if len(fitting) == 1:
        for below in fitting[0]:
            yield from complain(below)
        return
    kinds = [kind for below in branches.values() for kind in _kinds(_wrong_type(below))]
    message = "matches none of the allowed forms"
    if not fitting and kinds:
        message = "must be " + " or ".join(dict.fromkeys(kinds))
    yield pointer_of(problem.absolute_path), message


def _wrong_type(problems: list["ValidationError"]) -> Any:
    """The type that an alternative wanted, where the value itself has another."""
    return next(
        (below.validator_value for below in problems if below.validator == "type" and not below.path), None
    )


def _kinds(wanted: Any) -> list[str]:
    kinds = [wanted] if isinstance(wanted, str) else list(wanted or ())
    return [_KINDS.get(kind, str(kind)) for kind in kinds]


def _message(keyword: str, wanted: Any, problem: "ValidationError") -> str:
    say = _MESSAGES.get(keyword)
    return say(wanted, problem.instance) if say else "is not as described" + described(problem.schema)


def described(schema: Any) -> str:
    """What the schema says it wants, for forms that no general message explains."""
    text = schema.get("description") if isinstance(schema, Mapping) else None
    return f" ({text})" if text else ""


def choices(values: Iterable[Any]) -> str:
    text = ", ".join(json.dumps(value) for value in values)
    return text if len(text) <= _SHOWN_CHOICES else text[:_SHOWN_CHOICES] + " …"


def _plural(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


_MESSAGES: Mapping[str, Callable[[Any, Any], str]] = {
    "type": lambda wanted, _: "must be " + " or ".join(_kinds(wanted)),
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
