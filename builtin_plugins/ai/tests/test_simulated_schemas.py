"""The simulated model gives a value of every schema that a caller may send."""

import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builtin_plugins.ai.simulated import simulate
from guildhall_sdk.services.models import ModelTurn
from libs.bounded_schemas import BoundedSchema
from libs.json_validation.json_schema import StrictValidator

TEXT = "Ada Lovelace owes EUR 12.50 since 2024-03-01. Name: Ada. Total: 12. Active: yes."
NAMES = st.sampled_from(["name", "total", "active", "date", "answer", "x"])
SCALARS = st.none() | st.booleans() | st.integers(-5, 20) | st.sampled_from(["", "a", "Ada", 1.5, 2.0])


def answer(schema, text=TEXT):
    wanted = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    messages = [{"role": "user", "content": text}]
    return simulate(ModelTurn(messages=messages, response_format=wanted, max_tokens=100_000)).text


def check(schema, text):
    problems = StrictValidator(BoundedSchema.of_value(schema).checked).iter_errors(json.loads(text))
    return [problem.message for problem in problems]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "minimum": 5, "allOf": [{"multipleOf": 1e308}, {"multipleOf": 0.3}]},
        {"type": "integer", "minimum": 1e308, "exclusiveMinimum": 1e308, "multipleOf": 1e308},
        {"type": "number", "maximum": -1e308, "allOf": [{"multipleOf": 1e308}, {"multipleOf": 7e307}]},
    ],
)
def test_numbers_beyond_all_floats_are_not_tried(schema):
    json.loads(answer(schema))


def satisfiable(below):
    """Schemas that something fits, whatever fits those below them."""
    bounds = st.integers(-10, 10).flatmap(
        lambda low: st.fixed_dictionaries({"minimum": st.just(low), "maximum": st.integers(low, low + 5)})
    )
    sizes = st.integers(0, 4)
    shape = {"properties": st.dictionaries(NAMES, below, max_size=3)}
    closed = shape | {"required": st.just([]), "additionalProperties": st.just(False)}
    opened = shape | {
        "required": st.lists(NAMES, unique=True, max_size=3),
        "minProperties": st.integers(0, 3),
    }
    return st.one_of(
        st.fixed_dictionaries({"type": st.just("string"), "minLength": sizes}),
        st.fixed_dictionaries({"type": st.just("string"), "maxLength": sizes}),
        st.builds(
            lambda kind, bound: {"type": kind, **bound}, st.sampled_from(["integer", "number"]), bounds
        ),
        st.fixed_dictionaries({"type": st.just("integer"), "multipleOf": st.sampled_from([1, 3, 0.5, 7])}),
        st.fixed_dictionaries(
            {"type": st.just("number"), "exclusiveMinimum": st.sampled_from([0, 1.5, 1e300])}
        ),
        st.fixed_dictionaries({"enum": st.lists(SCALARS, min_size=1, max_size=4)}),
        st.fixed_dictionaries({"const": SCALARS}),
        st.fixed_dictionaries({"type": st.just("object"), **closed}),
        st.fixed_dictionaries({"type": st.just("object"), **opened}),
        st.fixed_dictionaries({"type": st.just("array"), "items": below, "minItems": sizes}),
        st.fixed_dictionaries(
            {"type": st.just("array"), "prefixItems": st.lists(below, max_size=3), "minItems": sizes}
        ),
        st.fixed_dictionaries({"type": st.just("array"), "contains": below}),
        st.fixed_dictionaries({"anyOf": st.lists(below, min_size=1, max_size=3)}),
        st.builds(lambda one: {"allOf": [one, {}], "title": "x"}, below),
        st.builds(lambda one: {"oneOf": [one, {"not": {}}]}, below),
        st.just({"$ref": "#/$defs/it"}),
        st.builds(lambda one: {"not": {"enum": one}}, st.lists(SCALARS, min_size=1, max_size=4)),
        st.builds(lambda one: {"if": {"type": "string"}, "then": {"minLength": 2}, "else": one}, below),
    )


# References are read from the root, wherever they stand.
SCHEMAS = st.recursive(
    st.sampled_from([{}, {"type": "null"}, {"type": "boolean"}]), satisfiable, max_leaves=8
).map(lambda one: {**one, "$defs": {"it": {"type": "integer"}}})


@settings(suppress_health_check=[*HealthCheck])
@given(SCHEMAS)
def test_every_schema_gets_a_value_that_fits_and_always_the_same(schema):
    given_back = answer(schema)
    assert check(schema, given_back) == []
    assert answer(schema) == given_back


HARD = [
    {"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": True, "minItems": 3},
    {"type": "array", "items": {"type": "boolean"}, "not": {"uniqueItems": True}},
    {"type": "array", "contains": {"const": 5}, "minItems": 3, "items": {"type": "integer"}},
    {"type": "object", "propertyNames": {"enum": ["p", "q"]}, "minProperties": 2},
    {"type": "object", "not": {"required": ["a"]}, "properties": {"a": {}}, "minProperties": 1},
    {"type": "object", "additionalProperties": {"type": "integer", "minimum": 3}, "minProperties": 4},
    {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 2}], "maximum": 10},
    {"allOf": [{"type": ["string", "integer"]}, {"type": ["integer", "null"]}], "exclusiveMinimum": 41.5},
    {"type": "number", "not": {"type": "integer"}, "minimum": 1, "maximum": 2},
    {"type": "number", "multipleOf": 0.1, "exclusiveMinimum": 0, "maximum": 0.35},
    {"allOf": [{"multipleOf": 4}, {"multipleOf": 6}], "type": "integer", "minimum": 1},
    {"if": {"type": "string"}, "then": False, "type": ["string", "object"], "required": ["a"]},
    {
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"$ref": "#/$defs/b"}},
        "$defs": {"b": {"const": {}}},
    },
    {"allOf": [{}] * 900},
    {"anyOf": [{"not": {}}] * 500 + [{"type": "null"}]},
    {"type": "string", "minLength": 5000},
    {"type": "integer", "minimum": 10**30},
    {"enum": [*range(1900)], "not": {"maximum": 1898}},
]


@pytest.mark.parametrize("schema", HARD)
def test_contradictions_are_gone_round(schema):
    assert check(schema, answer(schema)) == []


def test_whatever_the_schema_is_nothing_is_raised():
    chance = random.Random(13)
    for _ in range(100):
        json.loads(answer(_wild(chance)))


def test_a_schema_that_nothing_fits_gets_an_answer_that_says_nothing():
    assert answer({"type": "string", "minLength": 3, "maxLength": 1}) == "null"
    assert answer({"type": "array", "minItems": 10**9}) == "null"


def _wild(chance, depth=0):
    """Any keywords together, whether or not something fits them."""
    if depth > 3:
        return chance.choice([True, False, {}, {"type": "string"}])
    schema = {}
    for _ in range(chance.randint(0, 4)):
        keyword = chance.choice([*_VALUES, "items", "not", "contains", "if", "then", "else", "propertyNames"])
        if keyword in _VALUES:
            schema[keyword] = chance.choice(_VALUES[keyword])
        else:
            schema[keyword] = _wild(chance, depth + 1)
    for keyword in chance.sample(["anyOf", "oneOf", "allOf", "prefixItems"], chance.randint(0, 2)):
        schema[keyword] = [_wild(chance, depth + 1) for _ in range(chance.randint(1, 3))]
    schema["properties"] = {"a": _wild(chance, depth + 1)} if chance.random() < 0.3 else {}
    return schema


_VALUES = {
    "type": ["string", "integer", "number", ["object", "array"], ["null", "boolean"]],
    "enum": [[1, 2.0, "a"], [None, {}], [True]],
    "const": [1, "a", [1]],
    "required": [["a"], ["a", "b"]],
    "multipleOf": [3, 0.1],
    "uniqueItems": [True],
    "minimum": [-1, 2.5],
    "exclusiveMaximum": [2, 0.5],
    "minLength": [2],
    "maxLength": [1, 3],
    "minItems": [1, 3],
    "maxItems": [0, 2],
    "minProperties": [2],
    "maxProperties": [1],
}
