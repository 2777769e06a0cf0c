"""Schemas of strangers: what would cost too much or reach elsewhere is refused, and the rest is reduced."""

import json

import pytest

from libs.bounded_schemas import BoundedSchema, SchemaRefused


def nested(levels, inner):
    for _ in range(levels):
        inner = {"type": "object", "properties": {"a": inner}}
    return inner


def doubling(levels, keyword):
    """Twice as much with every reference."""
    definitions = {f"d{n}": {keyword: [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(levels)}
    return {"type": "object", "$defs": {**definitions, f"d{levels}": {}}, "$ref": "#/$defs/d0"}


def chain(links):
    """One reference behind the other, and around each some more depth."""
    deep = {f"d{n}": nested(12, {"$ref": f"#/$defs/d{n + 1}"}) for n in range(links)}
    return {"type": "object", "$defs": {**deep, f"d{links}": {}}, "$ref": "#/$defs/d0"}


HOSTILE = {
    "is nested deeper than 48, its": chain(30),
    "is nested deeper than 32": nested(5_000, {}),
    "has more than 64 KiB": {"type": "object", "description": "x" * 70_000},
    "takes more than 2,000 steps to check": doubling(18, "allOf"),
    "takes more than 2,000 steps to check, its": doubling(14, "oneOf"),
    "refers to 'https://evil.example/schema', which": {
        "type": "object",
        "$ref": "https://evil.example/schema",
    },
    "refers to 'file:///etc/passwd', which": {"type": "object", "anyOf": [{"$ref": "file:///etc/passwd"}]},
    "refers to '#/nowhere', where nothing is": {"type": "object", "$ref": "#/nowhere"},
    "uses $dynamicRef": {"type": "object", "$dynamicRef": "#x"},
    'must be an object with "type": "object"': {"type": "string"},
    "has a type that JSON Schema does not know": {"type": "object", "properties": {"a": {"type": "obejct"}}},
    "is not JSON": {"type": "object", "enum": [float("nan")]},
    "has something else where a schema belongs": {"type": "object", "properties": {"a": 1}},
}


@pytest.mark.parametrize("reason", HOSTILE)
def test_a_hostile_schema_is_refused(reason):
    with pytest.raises(SchemaRefused) as refusal:
        BoundedSchema.of(HOSTILE[reason])
    assert str(refusal.value).startswith(reason)


def test_what_is_shown_is_what_was_given_and_what_is_checked_has_no_patterns_and_no_references():
    city = {"type": "string", "pattern": "^[A-Z]", "maxLength": 20}
    given = {
        "type": "object",
        "properties": {"city": {"$ref": "#/definitions/city"}},
        "definitions": {"city": city},
    }
    bounded = BoundedSchema.of(given)
    assert bounded.given == given and bounded.given is not given
    assert bounded.checked["properties"] == {"city": {"allOf": [{"type": "string", "maxLength": 20}]}}
    assert not {"pattern", "$ref"} & {*json.dumps(bounded.checked).split('"')}


def test_a_schema_of_any_value_may_not_refer_to_itself():
    assert BoundedSchema.of({"type": "object", "properties": {"below": {"$ref": "#"}}})
    with pytest.raises(SchemaRefused):
        BoundedSchema.of_value({"type": "array", "items": {"$ref": "#"}})
