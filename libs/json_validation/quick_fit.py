"""The quick half of JSON Schema: whether a value fits a plain schema, and nothing of what is wrong with it.

Most values fit. A full validator, which takes some ten times as long, is then needed for the others alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from types import NoneType
from typing import Any

from libs.json_validation.messages import Schema

Fits = Callable[[Any], bool]

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


def quick_fit(schema: Schema | bool) -> Fits | None:
    """Returns a function that is true only for what fits; None for a schema that takes more to check."""
    try:
        return _form_of(schema).fits
    except _Beyond:
        return None


class _Beyond(Exception):
    """The schema has something that is not checked here."""


@dataclass(slots=True)
class _Form:
    """What a plain schema says of a value."""

    kinds: frozenset[type] = _ALL_KINDS
    choices: frozenset[str] | None = None
    limits: dict[type, list[float]] = field(default_factory=dict)
    properties: Mapping[str, "_Form"] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    takes_others: bool = True
    items: "_Form | None" = None

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
        return True


def _form_of(schema: Any) -> _Form:
    form = _Form()
    if schema is True:
        return form
    if not isinstance(schema, Mapping):
        raise _Beyond
    for name, wanted in schema.items():
        if name == "type":
            form.kinds = _kinds(wanted)
        elif name == "enum":
            form.choices = _choices(wanted)
        elif name == "properties":
            form.properties = {key: _form_of(below) for key, below in wanted.items()}
        elif name == "required":
            form.required = frozenset(wanted)
        elif name == "additionalProperties" and wanted is False:
            form.takes_others = False
        elif name == "items":
            form.items = _form_of(wanted)
        elif name in _LIMITS:
            kinds, end = _LIMITS[name]
            for kind in kinds:
                form.limits.setdefault(kind, [-inf, inf])[end] = wanted
        elif name not in _ANNOTATIONS:
            raise _Beyond
    if form.choices is not None:
        form.kinds &= _KINDS["string"]
    return form


def _kinds(wanted: Any) -> frozenset[type]:
    names = [wanted] if isinstance(wanted, str) else wanted
    if not isinstance(names, list | tuple) or not all(name in _KINDS for name in names):
        raise _Beyond
    return frozenset[type]().union(*(_KINDS[name] for name in names))


def _choices(wanted: Any) -> frozenset[str]:
    if not all(isinstance(one, str) for one in wanted):
        raise _Beyond
    return frozenset(wanted)
