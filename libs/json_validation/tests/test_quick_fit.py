"""The quick half of JSON Schema says of a value that it fits only where the whole of it does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.json_validation import Misfit, Validator
from libs.json_validation.json_schema import prepare
from libs.json_validation.quick_fit import quick_fit

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
            "description": st.just("what it is"),
            **bounds,
        },
    )


SCHEMAS = st.recursive(st.just({}) | st.just({"type": "integer"}), schemas, max_leaves=4)


@given(SCHEMAS, VALUES)
def test_a_value_fits_exactly_where_the_whole_validator_has_no_complaint(schema, value):
    fits = quick_fit(schema)
    assert fits is not None
    assert fits(value) == (not [*prepare(schema)(value)])


ODD = st.sampled_from([float("nan"), float("inf"), 10**400, -(10**400), 1e308, "\ud800", "\0", -0.0])
ODD_VALUES = ODD | st.lists(ODD, max_size=2) | st.dictionaries(NAMES, ODD | VALUES, max_size=3)


@given(SCHEMAS, ODD_VALUES)
def test_what_it_admits_the_whole_validator_admits_of_odd_values_too(schema, value):
    fits = quick_fit(schema)
    assert fits is not None
    if fits(value):
        assert [*prepare(schema)(value)] == []


@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": "^a"},
        {"properties": {"a": False}},
        {"minimum": 1, "exclusiveMinimum": 1},
        {"additionalProperties": False, "patternProperties": {"^x": {}}},
        {"items": {}, "prefixItems": [{"type": "string"}]},
        {"anyOf": [{"type": "string"}]},
        {"properties": {"a": {"$ref": "#/$defs/a"}}},
        {"enum": [1]},
        {"additionalProperties": {"type": "string"}},
        {"type": "string", "format": "date-time"},
    ],
)
def test_what_it_does_not_know_is_left_to_the_whole_validator(schema):
    assert quick_fit(schema) is None


def test_a_format_that_is_enforced_is_checked_all_the_same():
    strict = Validator(
        {"type": "string", "format": "even"}, formats={"even": lambda text: len(text) % 2 == 0}
    )
    strict.check("ab")
    with pytest.raises(Misfit, match="is not as described") as refusal:
        strict.check("abc")
    assert refusal.value.complaints == [("", "is not as described")]
