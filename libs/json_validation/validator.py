"""Values against JSON Schema: every problem at once, each with its place.

Most values fit, and `quick_fit` tells so of most of these; the full validator, which takes some ten times as
long, is then needed for the others alone.
"""

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from types import NoneType
from typing import Any

from libs.json_validation.messages import Complaint, Schema, first_of

Steps = Generator[None, None, None]

_JSON_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


class Misfit(ValueError):
    """Raised for a value that a schema does not take: `complaints` are places, and what is wrong there."""

    def __init__(self, complaints: list[Complaint]) -> None:
        super().__init__("; ".join(f"{pointer or '/'}: {message}" for pointer, message in complaints))
        self.complaints = complaints


class Validator:
    """One schema, JSON Schema 2020-12 without coercion: 1.0 is no integer and true is no number.

    `jsonschema` is imported and the schema prepared at the first use, so that a start costs neither.
    `formats` are those that are enforced, each with what tells whether a text is in it.
    """

    def __init__(self, schema: Schema, *, formats: Mapping[str, Callable[[str], bool]] | None = None) -> None:
        self._schema = schema
        self._formats = formats
        self._complaints: Callable[[Any], Iterator[Complaint]] | None = None
        self._fits: Callable[[Any], bool]
        self._steps: Callable[[Any], Generator[None, None, list[Complaint]]] | None = None

    def refusal(self, complaints: list[Complaint]) -> Exception:
        """Returns what is raised for a value that does not fit; for whoever has another error for it."""
        return Misfit(complaints)

    def prove(self) -> None:
        """Raises `ValueError` when the schema itself is wrong; for checks at the start and tests."""
        if not is_plain(self._schema):
            from libs.json_validation.json_schema import check_schema

            check_schema(self._schema)

    def check(self, value: Any) -> None:
        """Raises the `refusal` of all problems of the value, up to `MAX_ERRORS`."""
        if self._complaints is None:
            from libs.json_validation.json_schema import prepare

            self._complaints = prepare(self._schema, self._formats)
            self._fits = quick_fit(self._schema)
        if self._fits(value):
            return
        if found := first_of(self._complaints(value)):
            raise self.refusal(found)

    def check_in_steps(self, value: Any) -> Steps:
        """Checks like `check`, by a schema without references; yields where others may have their turn."""
        if self._steps is None:
            from libs.json_validation.stepwise import prepare_steps

            self._steps = prepare_steps(self._schema)
        complaints = yield from self._steps(value)
        if found := first_of(complaints):
            raise self.refusal(found)


class Validators:
    """Implements the SDK's `Validators`."""

    def validator(self, schema: Schema) -> Validator:
        return Validator(schema)


def is_plain(schema: Any) -> bool:
    """Tells whether the schema has only keywords known here, each with a value as JSON Schema wants it.

    False proves nothing: a full validator of JSON Schema then decides.
    """
    if isinstance(schema, bool):
        return True
    if not isinstance(schema, Mapping):
        return False
    return all(
        (is_right := _KEYWORDS.get(name)) is not None and is_right(one) for name, one in schema.items()
    )


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


_ANNOTATIONS = frozenset({"description", "title", "default", "example", "examples", "deprecated", "readOnly"})
_NUMBERS = frozenset({int, float})
_KINDS: Mapping[str, frozenset[type]] = {
    "string": frozenset({str}),
    "integer": frozenset({int}),
    "number": _NUMBERS,
    "boolean": frozenset({bool}),
    "null": frozenset({NoneType}),
    "object": frozenset({dict}),
    "array": frozenset({list}),
}
_ALL_KINDS = frozenset[type]().union(*_KINDS.values())
# For values of these types a keyword says something, and to others nothing: the least, or the most.
_LIMITS: Mapping[str, tuple[frozenset[type], int]] = {
    "minLength": (_KINDS["string"], 0),
    "maxLength": (_KINDS["string"], 1),
    "minItems": (_KINDS["array"], 0),
    "maxItems": (_KINDS["array"], 1),
    "minProperties": (_KINDS["object"], 0),
    "maxProperties": (_KINDS["object"], 1),
    "minimum": (_NUMBERS, 0),
    "maximum": (_NUMBERS, 1),
}


@dataclass(slots=True)
class _Form:
    """What a schema says of a value, as far as that can be told quickly."""

    kinds: frozenset[type] = _ALL_KINDS
    choices: frozenset[str] | None = None
    limits: dict[type, list[float]] = field(default_factory=dict)
    properties: Mapping[str, "_Form"] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    takes_others: bool = True
    items: "_Form | None" = None
    any_of: Sequence["_Form"] = ()

    def fits(self, value: Any) -> bool:
        kind = type(value)
        if kind not in self.kinds or (self.choices is not None and value not in self.choices):
            return False
        if kind in self.limits:
            least, most = self.limits[kind]
            if not least <= (value if kind in _NUMBERS else len(value)) <= most:
                return False
        if kind is dict:
            if not self.required <= value.keys():
                return False
            for name, one in value.items():
                form = self.properties.get(name)
                if not (self.takes_others if form is None else form.fits(one)):
                    return False
        elif kind is list and self.items is not None:
            for one in value:
                if not self.items.fits(one):
                    return False
        for form in self.any_of:
            if form.fits(value):
                return True
        return not self.any_of


def quick_fit(schema: Any) -> Callable[[Any], bool]:
    """Returns a function that is true only for what fits; of what takes more to check it is false."""
    return _form_of(schema).fits


def _form_of(schema: Any) -> _Form:
    if not isinstance(schema, Mapping):
        return _Form(kinds=_ALL_KINDS if schema is True else frozenset())
    form = _Form()
    for name, wanted in schema.items():
        if name == "type":
            names = [wanted] if isinstance(wanted, str) else wanted
            form.kinds &= frozenset[type]().union(*(_KINDS.get(kind, ()) for kind in names))
        elif name == "enum":
            form.choices = frozenset(one for one in wanted if isinstance(one, str))
            form.kinds &= _KINDS["string"]
        elif name == "properties":
            form.properties = {key: _form_of(below) for key, below in wanted.items()}
        elif name == "required":
            form.required = frozenset(wanted)
        elif name == "additionalProperties" and isinstance(wanted, bool):
            form.takes_others = wanted
        elif name == "items":
            form.items = _form_of(wanted)
        elif name == "anyOf":
            form.any_of = [_form_of(below) for below in wanted]
        elif name in _LIMITS:
            kinds, end = _LIMITS[name]
            for kind in kinds:
                form.limits.setdefault(kind, [-inf, inf])[end] = wanted
        elif name not in _ANNOTATIONS:
            form.kinds = frozenset()
    return form
