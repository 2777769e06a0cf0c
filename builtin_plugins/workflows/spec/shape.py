"""A checker for the one schema that we serve, many times as fast as a general one.

It knows the keywords that the format uses and refuses to be made for any other, so that what is served and
what is checked are the same text. A test holds its verdicts against those of `jsonschema`.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from builtin_plugins.workflows.spec.problems import Found, Place

Check = Callable[[Any, Place], Iterator[Found]]
Keyword = Callable[[Any, Mapping[str, Any], "Shapes"], Check]

_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}
_WORDS = {
    "string": "text in quotes",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}
_NOTES = frozenset({"$schema", "$defs", "title", "description", "default"})


class Shapes:
    """The checks of a schema and of what it defines; a definition may refer to itself."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._definitions: Mapping[str, Any] = schema["$defs"]
        self._made: dict[str, Check] = {}
        self._check = self.make(schema)

    def problems(self, value: Any) -> Iterator[Found]:
        """Yields what is wrong with a value, in its order."""
        return self._check(value, ())

    def follow(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns the definition that a schema refers to, or the schema itself."""
        return self._definitions[_defined(schema)] if "$ref" in schema else schema

    def make(self, schema: Mapping[str, Any]) -> Check:
        """Returns the check of a schema."""
        if "$ref" in schema:
            return self._named(_defined(schema))
        checks = [
            _KEYWORDS[keyword](wanted, schema, self)
            for keyword, wanted in schema.items()
            if keyword not in _NOTES and keyword != "type"
        ]
        types = schema.get("type")
        return _together(checks) if types is None else _of_type(types, checks)

    def _named(self, name: str) -> Check:
        if name not in self._made:
            # In place before it is made: it may refer to itself.
            self._made[name] = lambda value, place: self._made[name](value, place)
            self._made[name] = self.make(self._definitions[name])
        return self._made[name]


def _defined(schema: Mapping[str, Any]) -> str:
    return str(schema["$ref"]).removeprefix("#/$defs/")


def _kinds(types: str | Sequence[str]) -> frozenset[type]:
    named = [types] if isinstance(types, str) else types
    return frozenset(kind for name in named for kind in _KINDS[name])


def _together(checks: Sequence[Check]) -> Check:
    if len(checks) == 1:
        return checks[0]

    def check(value: Any, place: Place) -> Iterator[Found]:
        for one in checks:
            yield from one(value, place)

    return check


def _of_type(types: str | Sequence[str], checks: Sequence[Check]) -> Check:
    kinds, message = _kinds(types), _must_be([types] if isinstance(types, str) else types)

    def check(value: Any, place: Place) -> Iterator[Found]:
        if type(value) not in kinds:
            yield Found(place, message)
            return
        for one in checks:
            yield from one(value, place)

    return check


def _must_be(types: Sequence[str]) -> str:
    return "must be " + " or ".join(_WORDS[name] for name in types)


def _holds(is_right: Callable[[Any], bool], message: str) -> Check:
    def check(value: Any, place: Place) -> Iterator[Found]:
        if not is_right(value):
            yield Found(place, message)

    return check


def _pattern(wanted: str, schema: Mapping[str, Any], _: Shapes) -> Check:
    # `$` is also before a line break at the end, in Python alone.
    matches = re.compile(wanted.removesuffix("$") + r"\Z" if wanted.endswith("$") else wanted).match
    described = f" ({schema['description']})" if "description" in schema else ""
    limit = schema.get("maxLength")
    return _holds(
        lambda value: (limit is not None and len(value) > limit) or matches(value) is not None,
        f"is not in the expected form{described}",
    )


def _properties(wanted: Mapping[str, Any], schema: Mapping[str, Any], shapes: Shapes) -> Check:
    """Returns the check of an object's named fields; others are the matter of `additionalProperties`."""
    checks = {name: shapes.make(below) for name, below in wanted.items()}

    def check(value: Any, place: Place) -> Iterator[Found]:
        for name, field in value.items():
            if name in checks:
                yield from checks[name](field, (*place, name))

    return check


def _required(wanted: Sequence[str], _: Mapping[str, Any], __: Shapes) -> Check:
    def check(value: Any, place: Place) -> Iterator[Found]:
        for name in wanted:
            if name not in value:
                yield Found((*place, name), "is required")

    return check


def _additional(wanted: Any, schema: Mapping[str, Any], shapes: Shapes) -> Check:
    known = frozenset(schema.get("properties", ()))
    below = None if wanted is False else shapes.make(wanted)
    message = f"must be one of {_names(schema)}" if _holds_one(schema) else "unknown field; remove it"

    def check(value: Any, place: Place) -> Iterator[Found]:
        for name, field in value.items():
            if name not in known:
                if below is None:
                    yield Found((*place, name), message)
                else:
                    yield from below(field, (*place, name))

    return check


def _property_names(wanted: Mapping[str, Any], _: Mapping[str, Any], shapes: Shapes) -> Check:
    named = shapes.make(wanted)

    def check(value: Any, place: Place) -> Iterator[Found]:
        for name in value:
            yield from named(name, (*place, name))

    return check


def _items(wanted: Mapping[str, Any], _: Mapping[str, Any], shapes: Shapes) -> Check:
    item = shapes.make(wanted)

    def check(value: Any, place: Place) -> Iterator[Found]:
        for number, below in enumerate(value):
            yield from item(below, (*place, number))

    return check


def _any_of(wanted: Sequence[Mapping[str, Any]], _: Mapping[str, Any], shapes: Shapes) -> Check:
    forms = [shapes.follow(form) for form in wanted]
    checks = [shapes.make(form) for form in wanted]
    tags = [
        {name: below["const"] for name, below in form.get("properties", {}).items() if "const" in below}
        for form in forms
    ]
    shared = next((name for name in tags[0] if all(name in tag for tag in tags)), None)
    if shared is None:
        return _first_that_fits(forms, checks)
    return _by_tag(shared, {tag[shared]: check for tag, check in zip(tags, checks, strict=True)})


def _by_tag(tag: str, checks: Mapping[str, Check]) -> Check:
    """Returns the check of an object whose form one of its fields tells."""
    choices = ", ".join(json.dumps(name) for name in checks)

    def check(value: Any, place: Place) -> Iterator[Found]:
        if type(value) is not dict:
            yield Found(place, _must_be(["object"]))
        elif tag not in value:
            yield Found((*place, tag), f"is required: one of {choices}")
        elif not isinstance(value[tag], str) or value[tag] not in checks:
            yield Found((*place, tag), f"must be one of {choices}")
        else:
            yield from checks[value[tag]](value, place)

    return check


def _first_that_fits(forms: Sequence[Mapping[str, Any]], checks: Sequence[Check]) -> Check:
    """Returns the check by the first form that takes the value's type and whose required fields are there."""
    types = [[form["type"]] if isinstance(form["type"], str) else form["type"] for form in forms]
    by_kind: dict[type, list[tuple[frozenset[str], Check]]] = {}
    for form, names, one in zip(forms, types, checks, strict=True):
        for kind in _kinds(names):
            by_kind.setdefault(kind, []).append((frozenset(form.get("required", ())), one))
    message = _must_be([*dict.fromkeys(name for names in types for name in names)])

    def check(value: Any, place: Place) -> Iterator[Found]:
        fitting = by_kind.get(type(value))
        if fitting is None:
            yield Found(place, message)
            return
        yield from next(
            (one for required, one in fitting if not required or required <= value.keys()), fitting[-1][1]
        )(value, place)

    return check


def _enum(wanted: Sequence[Any], _: Mapping[str, Any], __: Shapes) -> Check:
    message = f"must be one of {', '.join(map(json.dumps, wanted))}"
    return _holds(frozenset(wanted).__contains__, message)


def _const(wanted: Any, _: Mapping[str, Any], __: Shapes) -> Check:
    return _holds(lambda value: bool(value == wanted), f"must be {json.dumps(wanted)}")


def _limit(is_right: Callable[[Any, int], bool], message: str) -> Keyword:
    return lambda wanted, _, __: _holds(lambda value: is_right(value, wanted), message.format(wanted))


def _count(is_right: Callable[[Any, int], bool], message: str) -> Keyword:
    """Returns the keyword for a number of fields; where one of those named is wanted, they are told."""

    def keyword(wanted: int, schema: Mapping[str, Any], _: Shapes) -> Check:
        text = f"must hold exactly one of {_names(schema)}" if _holds_one(schema) else message.format(wanted)
        return _holds(lambda value: is_right(value, wanted), text)

    return keyword


def _holds_one(schema: Mapping[str, Any]) -> bool:
    return bool(schema.get("minProperties") == schema.get("maxProperties") == 1)


def _names(schema: Mapping[str, Any]) -> str:
    return ", ".join(map(json.dumps, schema["properties"]))


_KEYWORDS: Mapping[str, Keyword] = {
    "additionalProperties": _additional,
    "anyOf": _any_of,
    "const": _const,
    "enum": _enum,
    "items": _items,
    "maxItems": _limit(lambda value, limit: len(value) <= limit, "must hold at most {:,} items"),
    "maxLength": _limit(lambda value, limit: len(value) <= limit, "must have at most {:,} characters"),
    "maxProperties": _count(lambda value, limit: len(value) <= limit, "must hold at most {:,} fields"),
    "maximum": _limit(lambda value, limit: value <= limit, "must be at most {:,}"),
    "minItems": _limit(lambda value, least: len(value) >= least, "must hold at least {:,} items"),
    "minLength": _limit(lambda value, least: len(value) >= least, "must have at least {:,} characters"),
    "minProperties": _count(lambda value, least: len(value) >= least, "must hold at least {:,} fields"),
    "minimum": _limit(lambda value, least: value >= least, "must be at least {:,}"),
    "pattern": _pattern,
    "properties": _properties,
    "propertyNames": _property_names,
    "required": _required,
}
