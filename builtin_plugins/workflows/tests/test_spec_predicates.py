"""The seven predicates of a choice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builtin_plugins.workflows.spec.bindings import Values, decide, equal
from guildhall_sdk import UserError

VALUES = Values({"x": 1, "none": None}, {}, "en", "run_1", "team_1", "usr_1")
NOWHERE = {"$from": "input.nowhere"}
SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, 1.0, 1.5]) | st.text(max_size=2)
)
JSON = st.recursive(
    SCALARS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=2), below, max_size=3),
)
NAMES = st.sampled_from(["equals", "in", "contains", "greater", "less"])


@pytest.mark.parametrize("value", [None, "", [], {}, NOWHERE, {"$from": "input.none"}])
def test_what_is_empty(value):
    assert decide({"empty": value}, VALUES)


@pytest.mark.parametrize("value", [0, False, 0.0, " ", [None], {"a": None}, {"$from": "input.x"}])
def test_what_is_not_empty(value):
    assert not decide({"empty": value}, VALUES)
    assert decide({"present": value}, VALUES)


def test_what_is_empty_may_be_present():
    assert [decide({"present": one}, VALUES) for one in ("", [], {})] == [True] * 3
    assert [decide({"present": one}, VALUES) for one in (None, NOWHERE)] == [False] * 2


@pytest.mark.parametrize(
    ("predicate", "holds"),
    [
        ({"equals": [{"$from": "input.x"}, 1.0]}, True),
        ({"equals": [1, True]}, False),
        ({"equals": [0, False]}, False),
        ({"equals": [{"a": [1, {"b": None}]}, {"a": [1.0, {"b": None}]}]}, True),
        ({"equals": [{"a": [1]}, {"a": [True]}]}, False),
        ({"equals": [[1, 2], [1]]}, False),
        ({"equals": ["1", 1]}, False),
        ({"equals": [NOWHERE, None]}, True),
        ({"in": [2, [1, 2.0]]}, True),
        ({"in": [True, [1, 2]]}, False),
        ({"in": [{"a": 1}, [{"a": 1}]]}, True),
        ({"in": [1, NOWHERE]}, False),
        ({"contains": [[1, "a"], "a"]}, True),
        ({"contains": [[1], True]}, False),
        ({"contains": ["haystack", "hay"]}, True),
        ({"contains": ["1", 1]}, False),
        ({"contains": [NOWHERE, 1]}, False),
        ({"greater": [2, 1.5]}, True),
        ({"greater": [1, 1]}, False),
        ({"greater": ["b", "a"]}, True),
        ({"less": [-1, 0]}, True),
        ({"less": ["b", "a"]}, False),
    ],
)
def test_what_holds(predicate, holds):
    assert decide(predicate, VALUES) is holds


@pytest.mark.parametrize(
    "predicate",
    [
        {"greater": [1, "1"]},
        {"greater": [True, 0]},
        {"less": [None, 1]},
        {"less": [[1], [2]]},
        {"greater": [NOWHERE, 1]},
        {"in": [1, "text"]},
        {"in": ["a", {"a": 1}]},
        {"contains": [{"a": 1}, "a"]},
        {"contains": [5, 5]},
    ],
)
def test_what_cannot_be_compared_fails_by_name_and_quotes_no_value(predicate):
    with pytest.raises(UserError) as refused:
        decide(predicate, VALUES)
    assert refused.value.code == "predicate_type"
    assert "cannot compare" in refused.value.detail


@given(NAMES, JSON, JSON)
def test_a_predicate_holds_or_not_or_says_that_it_cannot_tell(name, one, other):
    try:
        assert decide({name: [one, other]}, VALUES) in (True, False)
    except UserError as refused:
        assert refused.code == "predicate_type"


@given(JSON, JSON)
def test_equality_is_that_of_json(one, other):
    assert equal(one, one)
    assert equal(one, other) == equal(other, one) == (_canonical(one) == _canonical(other))


def _canonical(value):
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, int | float):
        return ("number", float(value))
    if isinstance(value, list):
        return ("array", [_canonical(item) for item in value])
    if isinstance(value, dict):
        return ("object", {name: _canonical(below) for name, below in value.items()})
    return ("other", value)
