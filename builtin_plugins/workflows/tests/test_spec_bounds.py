"""However large a value is, it is refused by name, soon, and by nothing but the check's own refusal."""

import math
import time
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from builtin_plugins.workflows.spec.validation import FORMAT, validate_spec
from guildhall_sdk import InvalidRequest


def nested(depth, inner=1):
    for _ in range(depth):
        inner = [inner]
    return inner


def with_argument(value):
    step = {"name": "a", "kind": "tool", "tool": "count", "with": {"x": value}}
    return {"slug": "x", "start": "a", "steps": [step]}


def cyclic():
    value = []
    value.append(value)
    return value


TOO_LARGE = {
    "a million values": (lambda: [0] * 10**6, "", "holds more than 10,000 values"),
    "a million values in twos": (lambda: [[0, 0]] * 500_000, "", "holds more than 10,000 values"),
    "a long text": (lambda: "x" * (256 * 1024 + 1), "", "holds more than 262,144 characters"),
    "long names": (lambda: {"x" * 300_000: 1}, "", "holds more than 262,144 characters"),
    "a hundred levels": (lambda: nested(100), "/steps/0/with/x/0/0", "is nested more than 32 levels deep"),
    "too many levels to walk": (lambda: nested(100_000), "/steps/0/with/x/0", "nested more than 32"),
    "a list that holds itself": (cyclic, "/steps/0/with/x/0", "nested more than 32"),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_is_too_large_is_refused_by_name(name, slowness):
    make, pointer, message = TOO_LARGE[name]
    raw = with_argument(make())
    began = time.thread_time()
    with pytest.raises(InvalidRequest) as refused:
        validate_spec(raw)
    assert time.thread_time() - began < 0.5 * slowness()
    [error] = refused.value.errors
    assert error["pointer"].startswith(pointer)
    assert message in error["message"]


def test_a_binding_of_thirty_two_levels_is_taken():
    validate_spec(with_argument(nested(31)))
    with pytest.raises(InvalidRequest):
        validate_spec(with_argument(nested(32)))


@pytest.mark.parametrize("value", [math.nan, math.inf, (1,), {1}, b"x", object(), 2**64, {1: 2}])
def test_what_is_no_json_is_refused_at_its_place(value):
    with pytest.raises(InvalidRequest) as refused:
        validate_spec(with_argument(value))
    assert [error["pointer"] for error in refused.value.errors] == ["/steps/0/with/x"]


NAMES = st.sampled_from(["a", "b", "c", "$from", "x.y"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 30_000)
    | st.sampled_from([1.5, "", "a", "b", "tool", "map", "choice", "string", "input.a", "item", "locale"])
    | st.sampled_from(["steps.a.output.result", "steps.b.output.results.0"])
)
JSON = st.recursive(
    SCALARS, lambda below: st.lists(below, max_size=3) | st.dictionaries(NAMES, below, max_size=3)
)
WILD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(max_size=8), below, max_size=4),
)


RIGHT = {
    "slug": "x",
    "version": 1,
    "name": "X",
    "inputs": {"a": {"type": "array"}, "b": {"type": "string", "required": False, "default": ""}},
    "start": "a",
    "max_steps": 10,
    "steps": [
        {"name": "a", "kind": "tool", "tool": "count", "with": {"x": {"$from": "input.b"}}, "retry": 1},
        {"name": "b", "kind": "choice", "when": {"empty": {"$from": "input.a"}}, "then": "c", "else": "d"},
        {"name": "c", "kind": "choice", "when": {"in": [1, [1, None]]}, "then": "d", "else": "a"},
        {
            "name": "d",
            "kind": "map",
            "over": {"$from": "input.a"},
            "tool": "count",
            "with": {"x": {"y": [{"$from": "item.z"}, 1.5, True, None, "text"]}},
            "end": True,
        },
    ],
}


def places(value, place=()):
    """Every place in a value but the value itself."""
    names = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for name in names:
        yield (*place, name)
        yield from places(value[name], (*place, name))


@st.composite
def specs(draw):
    """A right spec with up to three things changed, taken out or put in."""
    raw = deepcopy(RIGHT)
    for _ in range(draw(st.integers(0, 3))):
        *above, name = draw(st.sampled_from([*places(raw)]))
        holder = raw
        for part in above:
            holder = holder[part]
        change = draw(st.sampled_from(["replace", "remove", "add", "repeat"]))
        known = st.sampled_from([RIGHT["steps"][0], RIGHT["steps"][3]["with"], holder[name]])
        brought = deepcopy(draw(known if change == "repeat" else JSON))
        if change == "remove":
            del holder[name]
        elif change == "replace":
            holder[name] = brought
        elif isinstance(holder, dict):
            holder[draw(NAMES)] = brought
        else:
            holder.insert(0, brought)
        if not any(True for _ in places(raw)):
            break
    return raw


SPEC = specs()


@given(SPEC | WILD)
def test_whatever_comes_is_taken_or_refused_and_never_breaks_the_check(raw):
    try:
        validate_spec(raw, tools={"count"})
    except InvalidRequest as refused:
        assert refused.errors
        assert all(error["message"] for error in refused.errors)


_JSONSCHEMA = Draft202012Validator(FORMAT.schema)
_SHAPES = FORMAT.shapes


@given(SPEC)
def test_our_checker_and_jsonschema_agree_on_the_schema_that_is_served(raw):
    ours = next(_SHAPES.problems(raw), None)
    assert (ours is None) == _JSONSCHEMA.is_valid(raw), ours


def test_the_schema_that_is_served_is_one():
    Draft202012Validator.check_schema(FORMAT.schema)
