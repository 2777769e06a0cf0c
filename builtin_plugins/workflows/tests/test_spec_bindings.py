"""Bindings: which values they take in, and what becomes of those that are not there."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builtin_plugins.workflows.spec.bindings import BadReference, Values, parse_reference, references, resolve

VALUES = Values(
    input={"message": "hi", "deep": {"a": [{"b": 7}], "0": "zero"}, "none": None},
    outputs={"find": {"result": ["x", "y"]}, "each": {"results": [{"result": 1}, {"result": 2}]}},
    locale="nl",
    run_id="run_1",
    team_id="team_1",
    user_id="usr_1",
    item={"id": "obj_1"},
    index=3,
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
NAMES = st.text(max_size=5).filter(lambda name: not name.startswith("$"))
JSON = st.recursive(
    SCALARS, lambda below: st.lists(below, max_size=3) | st.dictionaries(NAMES, below, max_size=3)
)
REFERENCES = st.sampled_from(
    ["input.message", "input.deep.a.0.b", "item.id", "index", "locale", "run.id", "steps.find.output.result"]
)
BINDINGS = st.recursive(
    SCALARS | REFERENCES.map(lambda text: {"$from": text}),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(NAMES, below, max_size=3),
)


@pytest.mark.parametrize(
    ("reference", "value"),
    [
        ("input.message", "hi"),
        ("input.deep.a.0.b", 7),
        ("input.deep.0", "zero"),
        ("steps.find.output.result", ["x", "y"]),
        ("steps.find.output.result.1", "y"),
        ("steps.each.output.results", [{"result": 1}, {"result": 2}]),
        ("steps.each.output.results.1.result", 2),
        ("item", {"id": "obj_1"}),
        ("item.id", "obj_1"),
        ("index", 3),
        ("locale", "nl"),
        ("principal.locale", "nl"),
        ("run.id", "run_1"),
        ("team.id", "team_1"),
        ("user.id", "usr_1"),
    ],
)
def test_a_reference_stands_for_a_value_of_the_run(reference, value):
    assert resolve({"$from": reference}, VALUES) == value
    assert resolve({"text": {"$from": reference}, "fixed": [1]}, VALUES) == {"text": value, "fixed": [1]}


@pytest.mark.parametrize(
    "reference",
    [
        "input.missing",
        "input.message.0",
        "input.deep.a.1",
        "input.deep.a.-1",
        "input.deep.a.00",
        "input.deep.a.٠",
        "input.none.x",
        "steps.later.output.result",
        "steps.find.output.result.99999999999999999999999",
    ],
)
def test_what_leads_nowhere_is_left_out_of_objects_and_null_elsewhere(reference):
    nowhere = {"$from": reference}
    assert resolve(nowhere, VALUES) is None
    assert resolve([1, nowhere], VALUES) == [1, None]
    assert resolve({"a": 1, "b": nowhere}, VALUES) == {"a": 1}


def test_what_is_null_is_there():
    assert resolve({"a": {"$from": "input.none"}}, VALUES) == {"a": None}


def test_outside_a_map_there_is_no_item():
    plain = Values({}, {}, "en", "run_1", "team_1", "usr_1")
    assert resolve({"a": {"$from": "item"}, "b": {"$from": "index"}}, plain) == {}


def test_the_first_item_of_a_map_has_the_index_zero():
    first = Values({}, {}, "en", "run_1", "team_1", "usr_1", item=None, index=0)
    assert resolve({"a": {"$from": "item"}, "b": {"$from": "index"}}, first) == {"a": None, "b": 0}


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "input", "input.", "input..x", "steps.a", "steps.a.output", "steps.a.result"),
        *("env.HOME", "run", "index.0", "locale.x", "team.name", "input." + "x" * 600),
    ],
)
def test_any_other_text_is_no_reference(text):
    with pytest.raises(BadReference):
        parse_reference(text)


@given(JSON)
def test_json_without_references_stands_for_itself(value):
    assert json.dumps(resolve(value, VALUES)) == json.dumps(value)
    assert [*references(value)] == []


@given(BINDINGS)
def test_every_reference_is_found_at_its_place_and_none_is_left_over(binding):
    for place, text in references(binding):
        found = binding
        for name in place:
            found = found[name]
        assert found == text
    assert "$from" not in json.dumps(resolve(binding, VALUES))


@given(
    st.text(max_size=30)
    | st.sampled_from(["input.", "steps.a.output.", "item."]).flatmap(
        lambda head: st.text(max_size=10).map(lambda tail: head + tail)
    )
)
def test_a_text_is_a_reference_or_refused_and_nothing_else(text):
    try:
        parse_reference(text)
    except BadReference:
        return
    resolve({"$from": text}, VALUES)
