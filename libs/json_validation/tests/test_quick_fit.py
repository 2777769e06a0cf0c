"""The quick half of JSON Schema says of a value that it fits only where the whole of it does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.json_validation import Misfit, Validator
from libs.json_validation.json_schema import prepare
from libs.json_validation.validator import quick_fit

TYPES = ("string", "integer", "number", "boolean", "null", "object", "array")
NAMES = st.sampled_from(["a", "b", "c"])
SMALL = st.integers(0, 3)
SCALARS = st.sampled_from([None, True, False, 0, 1, 2, 1.0, 2.5, "", "a", "abc"])
VALUES = st.recursive(
    SCALARS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(NAMES, below, max_size=3),
    max_leaves=6,
)


def schemas(below):
    bounds = {
        **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), SMALL),
        **dict.fromkeys(("minProperties", "maxProperties", "minimum", "maximum"), SMALL),
    }
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(TYPES) | st.lists(st.sampled_from(TYPES), min_size=1, unique=True),
            "enum": st.lists(st.sampled_from(["", "a", "abc"]), min_size=1, unique=True),
            "properties": st.dictionaries(NAMES, below, max_size=2),
            "required": st.lists(NAMES, unique=True, max_size=2),
            "additionalProperties": st.just(False),
            "items": below,
            "anyOf": st.lists(below, min_size=1, max_size=2),
            "description": st.just("what it is"),
            **bounds,
        },
    )


SCHEMAS = st.recursive(st.just({}) | st.just({"type": "integer"}), schemas, max_leaves=4)


@given(SCHEMAS, VALUES)
def test_a_value_fits_exactly_where_the_whole_validator_has_no_complaint(schema, value):
    assert quick_fit(schema)(value) == (not [*prepare(schema)(value)])


ODD = st.sampled_from([float("nan"), float("inf"), 10**400, -(10**400), 1e308, "\ud800", "\0", -0.0])
ODD_VALUES = ODD | st.lists(ODD, max_size=2) | st.dictionaries(NAMES, ODD | VALUES, max_size=3)


@given(SCHEMAS, ODD_VALUES)
def test_what_it_admits_the_whole_validator_admits_of_odd_values_too(schema, value):
    if quick_fit(schema)(value):
        assert [*prepare(schema)(value)] == []


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": "^a"}, "a"),
        (False, 1),
        ({"properties": {"a": False}}, {"a": 1}),
        ({"minimum": 1, "exclusiveMinimum": 1}, 2),
        ({"additionalProperties": False, "patternProperties": {"^x": {}}}, {"x": 1}),
        ({"items": {}, "prefixItems": [{"type": "string"}]}, ["a"]),
        ({"anyOf": [{"type": "string"}, {"format": "date"}]}, 1),
        ({"oneOf": [{"type": "string"}]}, "a"),
        ({"properties": {"a": {"$ref": "#/$defs/a"}}}, {"a": 1}),
        ({"enum": [1]}, 1),
        ({"additionalProperties": {"type": "string"}}, {"a": "b"}),
        ({"type": "string", "format": "date-time"}, "2020-01-01T00:00:00Z"),
    ],
)
def test_what_it_does_not_know_is_left_to_the_whole_validator(schema, value):
    assert not quick_fit(schema)(value)


def test_what_it_does_not_know_does_not_matter_to_a_value_without_it():
    schema = {"properties": {"a": {"pattern": "^a"}, "b": {"type": "integer"}}}
    assert quick_fit(schema)({"b": 1})


def test_a_format_that_is_enforced_is_checked_all_the_same():
    strict = Validator(
        {"type": "string", "format": "even"}, formats={"even": lambda text: len(text) % 2 == 0}
    )
    strict.check("ab")
    with pytest.raises(Misfit, match="is not as described") as refusal:
        strict.check("abc")
    assert refusal.value.complaints == [("", "is not as described")]
