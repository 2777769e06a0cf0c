"""What a run is given, against what its workflow declares."""

import pytest

from builtin_plugins.workflows.spec.model import read_spec, validate_inputs
from guildhall_sdk import InvalidRequest

RIGHT = {"string": "", "number": 1.5, "integer": 3, "boolean": False, "object": {}, "array": []}


def spec(**inputs):
    return read_spec({"slug": "x", "start": "a", "inputs": inputs, "steps": []})


def refused(declared, given):
    with pytest.raises(InvalidRequest) as refusal:
        validate_inputs(declared, given)
    return {error["pointer"]: error["message"] for error in refusal.value.errors}


@pytest.mark.parametrize("kind", RIGHT)
def test_each_type_takes_its_own_values_and_coerces_none(kind):
    declared = spec(x={"type": kind})
    assert validate_inputs(declared, {"x": RIGHT[kind]}) == {"x": RIGHT[kind]}
    taken = {"number": {"number", "integer"}}.get(kind, {kind})
    for other in RIGHT.keys() - taken:
        assert refused(declared, {"x": RIGHT[other]}).keys() == {"/input/x"}
    assert refused(declared, {"x": None}).keys() == {"/input/x"}


def test_three_point_nought_is_no_integer_and_true_is_no_number():
    assert refused(spec(x={"type": "integer"}), {"x": 3.0}) == {"/input/x": "must be a whole number"}
    assert refused(spec(x={"type": "number"}), {"x": True}) == {"/input/x": "must be a number"}
    told = {"/input/x": "must be text, not an object"}
    assert refused(spec(x={"type": "string"}), {"x": {"a": 1}}) == told


def test_defaults_are_filled_in_and_what_has_none_is_left_out():
    declared = spec(
        a={"type": "string", "required": False, "default": "x"},
        b={"type": "array", "required": False},
        c={"type": "boolean", "required": False, "default": False},
    )
    assert validate_inputs(declared, {}) == {"a": "x", "c": False}
    assert validate_inputs(declared, {"a": "y", "b": [1]}) == {"a": "y", "b": [1], "c": False}


def test_every_problem_is_named_at_once():
    declared = spec(a={"type": "string"}, b={"type": "integer"})
    assert refused(declared, {"b": "1", "c/d": 1}) == {
        "/input/a": "is required",
        "/input/b": "must be a whole number",
        "/input/c~1d": "is no input of this workflow; remove it",
    }


def test_a_default_of_a_required_input_is_not_taken():
    assert refused(spec(a={"type": "string", "default": "x"}), {}) == {"/input/a": "is required"}
