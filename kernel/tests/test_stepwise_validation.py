"""A long check by a schema: the same problems as in one go, and others' turns in between."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildhall_sdk import InvalidRequest
from kernel.validation import Validator
from libs.bounded_schemas import BoundedSchema
from libs.fair_slots import finished
from libs.json_validation import stepwise

names = st.sampled_from(["a", "b", "c"])
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 5), st.sampled_from(["", "a", "bb", "ccc"])),
    lambda below: st.one_of(st.lists(below, max_size=4), st.dictionaries(names, below, max_size=3)),
    max_leaves=12,
)
plain = st.one_of(
    st.fixed_dictionaries({"type": st.sampled_from(["string", "integer", "array", "object", "null"])}),
    st.fixed_dictionaries({"enum": st.lists(st.integers(0, 3), min_size=1, max_size=3)}),
    st.fixed_dictionaries({"minimum": st.integers(0, 3), "maxLength": st.integers(0, 2)}),
    st.fixed_dictionaries({"uniqueItems": st.just(True), "maxItems": st.integers(0, 3)}),
    st.fixed_dictionaries({"required": st.lists(names, unique=True, max_size=2)}),
    st.just({}),
)


def compound(below):
    forms = st.lists(st.one_of(below, st.booleans()), min_size=1, max_size=3)
    return st.one_of(
        st.fixed_dictionaries({"items": below}),
        st.fixed_dictionaries({"properties": st.dictionaries(names, below, max_size=3)}),
        st.fixed_dictionaries({"additionalProperties": st.one_of(below, st.booleans())}),
        st.fixed_dictionaries({"prefixItems": forms, "items": below}),
        *(st.fixed_dictionaries({name: below}) for name in ("not", "contains", "propertyNames")),
        *(st.fixed_dictionaries({name: forms}) for name in ("anyOf", "allOf", "oneOf")),
        st.fixed_dictionaries({"if": below, "then": below, "else": below}),
    )


def problems(steps):
    try:
        finished(steps)
    except InvalidRequest as refusal:
        return refusal.errors
    return ()


def at_once(check, value):
    check(value)
    yield


@given(schema=st.recursive(plain, compound, max_leaves=8), value=values)
def test_in_steps_is_as_in_one_go(schema, value):
    validator = Validator(BoundedSchema.of_value(schema).checked)
    expected = problems(at_once(validator.check, value))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stepwise, "STEP_SECONDS", 0)  # a pause at every place that has one
        assert problems(validator.check_in_steps(value)) == expected


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "array", "items": {"anyOf": [*[{"type": "string"}] * 900, {}]}}, [0] * 40),
        ({"type": "array", "uniqueItems": True}, [*range(50_000)]),
        ({"oneOf": [{"type": "array", "items": {"type": "integer"}}] * 20}, [0] * 2_000),
        ({"not": {"type": "array", "items": {"type": "integer"}}}, [0] * 20_000),
        ({"contains": {"type": "string"}}, [0] * 20_000),
        ({"anyOf": [False] * 200}, ["a" * 100] * 2_000),
    ],
)
def test_no_step_is_long(schema, value, no_collection, slowness):
    taken = []
    steps = Validator(BoundedSchema.of_value(schema).checked).check_in_steps(value)
    with pytest.raises((StopIteration, InvalidRequest)):
        while True:
            begun = time.thread_time()
            try:
                next(steps)
            finally:
                taken.append(time.thread_time() - begun)
    assert max(taken) < 0.05 * slowness()
