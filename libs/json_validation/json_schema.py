"""JSON Schema 2020-12, strictly: nothing coerced, and no value that costs more than its size.

Problems come in plain English: where, and what to do. Values are never repeated back.
The only module that imports `jsonschema`; others import it when they first validate.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from heapq import nsmallest
from itertools import islice
from math import inf
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend

from libs.json_validation.messages import (
    MAX_ERRORS,
    MESSAGES,
    Complaint,
    Schema,
    described,
    json_pointer,
    kinds_in_words,
)

Formats = Mapping[str, Callable[[str], bool]]
Keyword = Callable[..., Iterator[ValidationError]]

_base = Draft202012Validator.VALIDATORS
_NAMED_SCHEMAS = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})
# Of unknown fields: the first by name of these are told.
_MAX_COMPARED = 2_000
_DATA = frozenset({"const", "default", "enum", "example", "examples", "required"})


def _is_integer(_checker: Any, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(_checker: Any, value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _unique_items(_validator: Any, wanted: bool, value: object, _schema: Schema) -> Iterator[ValidationError]:
    """Checks uniqueness by hash, where the library compares each with each."""
    if wanted and isinstance(value, list):
        seen = {json.dumps(item, sort_keys=True) for item in value}
        if len(seen) != len(value):
            yield ValidationError("has an item twice")


def _unless_too_many(keyword: str, limit: str) -> Keyword:
    """Wraps a keyword so that what is refused for its length is not checked item by item."""

    def check(validator: Any, wanted: Any, value: Any, schema: Schema) -> Iterator[ValidationError]:
        if isinstance(value, list | dict) and len(value) > schema.get(limit, inf):
            return
        yield from _base[keyword](validator, wanted, value, schema) or ()

    return check


def _additional_properties(
    validator: Any, wanted: Any, value: Any, schema: Schema
) -> Iterator[ValidationError]:
    """Checks for unknown fields without naming them: the library would sort and write all of them."""
    if wanted is not False:
        yield from _additional_values(validator, wanted, value, schema)
        return
    within = isinstance(value, dict) and len(value) <= schema.get("maxProperties", inf)
    if within and next(_unknown_names(value, schema), None) is not None:
        yield ValidationError("has unknown fields")


_additional_values = _unless_too_many("additionalProperties", "maxProperties")


def _any_of(validator: Any, forms: Any, value: Any, _schema: Schema) -> Iterator[ValidationError]:
    """Checks the forms, and collects no more problems of each that does not fit than are told."""
    problems: list[ValidationError] = []
    for number, form in enumerate(forms):
        below = [*islice(validator.descend(value, form, schema_path=number), MAX_ERRORS)]
        if not below:
            return
        problems += below
    yield ValidationError("fits no form", context=problems)


def _one_of(validator: Any, forms: Any, value: Any, schema: Schema) -> Iterator[ValidationError]:
    yield from _any_of(validator, forms, value, schema)
    if sum(validator.evolve(schema=form).is_valid(value) for form in forms) > 1:
        yield ValidationError("fits more than one form")


def _without_the_value(kinds: Any, fits: Callable[[Any, Any], bool]) -> Keyword:
    """Wraps a keyword for values of these kinds, with a message that does not quote the whole value."""

    def check(_validator: Any, wanted: Any, value: Any, _schema: Schema) -> Iterator[ValidationError]:
        if isinstance(value, kinds) and not fits(wanted, value):
            yield ValidationError("does not fit")

    return check


def _pattern(_validator: Any, wanted: str, value: Any, schema: Schema) -> Iterator[ValidationError]:
    """Checks a pattern, but not of a text that is too long as it is."""
    if not isinstance(value, str) or len(value) > schema.get("maxLength", inf):
        return
    if not re.search(wanted, value):
        yield ValidationError("is not in the expected form")


def _type(validator: Any, wanted: Any, value: Any, _schema: Schema) -> Iterator[ValidationError]:
    kinds = [wanted] if isinstance(wanted, str) else wanted
    if not any(validator.is_type(value, kind) for kind in kinds):
        yield ValidationError("is of another type")


def _same(one: Any, other: Any) -> bool:
    """Compares two values as JSON: true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    return bool(one == other)


StrictValidator: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        "additionalProperties": _additional_properties,
        "anyOf": _any_of,
        "const": _without_the_value(object, _same),
        "enum": _without_the_value(object, lambda wanted, value: any(_same(one, value) for one in wanted)),
        "items": _unless_too_many("items", "maxItems"),
        "maxItems": _without_the_value(list, lambda limit, value: len(value) <= limit),
        "maxLength": _without_the_value(str, lambda limit, value: len(value) <= limit),
        "maxProperties": _without_the_value(dict, lambda limit, value: len(value) <= limit),
        "minItems": _without_the_value(list, lambda least, value: len(value) >= least),
        "minLength": _without_the_value(str, lambda least, value: len(value) >= least),
        "minProperties": _without_the_value(dict, lambda least, value: len(value) >= least),
        "oneOf": _one_of,
        "pattern": _pattern,
        "type": _type,
        "uniqueItems": _unique_items,
    },
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": _is_integer, "number": _is_number}
    ),
)


def prepare(schema: Schema, formats: Formats | None = None) -> Callable[[Any], Iterator[Complaint]]:
    """Returns a function from a value to what is wrong with it, found lazily and in the schema's order."""
    validator = StrictValidator(dict(schema), format_checker=_checker_of(formats) if formats else None)

    def complaints(value: Any) -> Iterator[Complaint]:
        for problem in islice(validator.iter_errors(value), MAX_ERRORS):
            yield from complain(problem)

    return complaints


def _checker_of(formats: Formats) -> FormatChecker:
    checker = FormatChecker(formats=())
    for name, is_right in formats.items():
        checker.checks(name)(lambda value, is_right=is_right: not isinstance(value, str) or is_right(value))
    return checker


def check_schema(schema: Mapping[str, Any]) -> None:
    """Raises `ValueError` with the place; also for a pattern or a reference that fails at the first value."""
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"not a JSON Schema: {error.json_path}: {error.message}") from None
    keywords = [*_keywords(schema, "$")]
    anchors = {f"#{value}" for _, name, value in keywords if name in ("$anchor", "$dynamicAnchor")}
    renamed = any(name == "$id" for _, name, _ in keywords)
    for place, name, value in keywords:
        for pattern in {"pattern": [value], "patternProperties": value}.get(name, ()):
            _check_pattern(place, pattern)
        if name == "$ref" and not renamed and value not in anchors and not _is_there(schema, value):
            raise ValueError(f"not a JSON Schema: {place}: there is no {value} in it")


def _keywords(schema: Any, place: str) -> Iterator[tuple[str, str, Any]]:
    """Yields each keyword of the schema and of those in it; values that are data are not looked into."""
    if isinstance(schema, list):
        for number, one in enumerate(schema):
            yield from _keywords(one, f"{place}[{number}]")
    if not isinstance(schema, Mapping):
        return
    for name, value in schema.items():
        yield place, name, value
        if name in _NAMED_SCHEMAS:
            for key, one in value.items():
                yield from _keywords(one, f"{place}.{name}.{key}")
        elif name not in _DATA:
            yield from _keywords(value, f"{place}.{name}")


def _check_pattern(place: str, pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"not a JSON Schema: {place}.pattern: {error}") from None


def _is_there(schema: Mapping[str, Any], reference: str) -> bool:
    """Tells whether a JSON pointer leads to something; what lies outside the schema is never fetched."""
    found: Any = schema
    if reference != "#" and not reference.startswith("#/"):
        return False
    for part in reference[2:].split("/") if len(reference) > 1 else ():
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and key.isdigit() and int(key) < len(found):
            found = found[int(key)]
        elif isinstance(found, Mapping) and key in found:
            found = found[key]
        else:
            return False
    return True


def complain(problem: ValidationError) -> Iterator[Complaint]:
    """Yields one complaint per place: unknown and missing fields each at their own."""
    path, keyword, wanted = list(problem.absolute_path), problem.validator, problem.validator_value
    if keyword in ("additionalProperties", "unevaluatedProperties") and wanted is False:
        for name in nsmallest(MAX_ERRORS, islice(_unknown(problem), _MAX_COMPARED)):
            yield json_pointer([*path, name]), "unknown field; remove it"
    elif keyword in ("required", "dependentRequired"):
        for name in _missing(problem):
            yield json_pointer([*path, name]), "is required"
    elif keyword in ("anyOf", "oneOf") and problem.context:
        yield from _closest(problem)
    else:
        yield json_pointer(path), _message(str(keyword), wanted, problem)


def _unknown_names(value: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    """Yields the fields that a strict object does not know, one by one as they are found."""
    known, patterns = schema.get("properties", {}), [*schema.get("patternProperties", ())]
    for name in value:
        if name not in known and not any(re.search(pattern, name) for pattern in patterns):
            yield name


def _unknown(problem: ValidationError) -> Iterator[str]:
    value: Any = problem.instance
    return _unknown_names(value, problem.schema if isinstance(problem.schema, Mapping) else {})


def _missing(problem: ValidationError) -> Iterator[str]:
    """Yields the missing field, which `jsonschema` names only in its message, one at a time."""
    wanted: Any = problem.validator_value
    value: Any = problem.instance
    if isinstance(wanted, Mapping):
        wanted = [name for given, names in wanted.items() if given in value for name in names]
    for name in wanted:
        if name not in value:
            yield name


def _closest(problem: ValidationError) -> Iterator[Complaint]:
    """Yields the complaints of the one alternative whose type and tag fit; else what these may be."""
    branches: dict[Any, list[ValidationError]] = {}
    for below in problem.context or ():
        # A form that is `false` has no place of its own.
        branches.setdefault(next(iter(below.schema_path), None), []).append(below)
    fitting = [below for below in branches.values() if not _wrong_type(below)]
    tags = [tag for below in fitting if (tag := _wrong_tag(below))]
    if len(fitting) > 1 and len(tags) == len(fitting) and len({tag.path[0] for tag in tags}) == 1:
        allowed = [value for tag in tags for value in _tag_values(tag)]
        yield json_pointer(tags[0].absolute_path), _message("enum", allowed, tags[0])
        return
    if tags:
        fitting = [below for below in fitting if not _wrong_tag(below)]
    complaints = [[one for below in problems for one in complain(below)] for problems in fitting]
    shared = [one for one in complaints[0] if all(one in others for others in complaints)] if fitting else []
    if shared:  # all of them, where one alternative fits
        yield from shared
        return
    kinds = [kind for below in branches.values() for kind in kinds_in_words(_wrong_type(below))]
    message = "matches none of the allowed forms"
    if not fitting and kinds:
        message = "must be " + " or ".join(dict.fromkeys(kinds))
    yield json_pointer(problem.absolute_path), message


def _wrong_type(problems: list[ValidationError]) -> Any:
    """Returns the type that an alternative wanted, where the value itself has another."""
    return next(
        (below.validator_value for below in problems if below.validator == "type" and not below.path), None
    )


def _wrong_tag(problems: list[ValidationError]) -> ValidationError | None:
    """Returns the complaint about the field that says which alternative it is, such as `type`."""
    return next(
        (below for below in problems if below.validator in ("enum", "const") and len(below.path) == 1), None
    )


def _tag_values(tag: ValidationError) -> list[Any]:
    wanted: Any = tag.validator_value
    return [wanted] if tag.validator == "const" else list(wanted)


def _message(keyword: str, wanted: Any, problem: ValidationError) -> str:
    say = MESSAGES.get(keyword)
    return say(wanted, problem.instance) if say else "is not as described" + described(problem.schema)
