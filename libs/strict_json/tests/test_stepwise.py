"""A long JSON text is read in steps, and gives what it gives in one."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from libs.strict_json import MAX_DEPTH, MAX_MEMBERS, JsonFault, decode_json, decode_steps, stepwise

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(),
    lambda below: st.lists(below) | st.dictionaries(st.text(), below),
    max_leaves=20,
)
_MARKS = [*'{}[],:" \n', '"a"', '"\\ud83d\\ude00"', '"\\ud83d"', '"\\u0000"', '"\\\\"', '"\\"', "\\", "\\u12"]
_SCALARS = ["0", "-1", "1.5", "1e999", "9" * 25, "NaN", "true", "nul", "\x01", "é"]
TOKENS = st.sampled_from([*_MARKS, *_SCALARS])


@pytest.fixture(autouse=True, scope="module")
def tiny_steps():
    """Steps of a few characters, so that they end wherever they can."""
    with pytest.MonkeyPatch.context() as patch:
        for name, size in (("_SHORT_BYTES", 7), ("_SHORT_MARKS", -1), ("_VALUES", 2), ("_PIECE", 5)):
            patch.setattr(stepwise, name, size)
        yield


def outcome(decode, raw):
    try:
        return repr(decode(raw))
    except JsonFault:
        return "refused"


def in_steps(raw):
    steps = decode_steps(raw)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


@given(VALUES, st.booleans())
@example({"a": [{}, [], {"b": "\U0001f600" * 9}], "": [[[]]]}, True)
def test_what_can_be_written_is_read_alike(value, ascii_only):
    raw = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    assert outcome(in_steps, raw) == outcome(decode_json, raw)


@given(st.lists(TOKENS, max_size=14).map("".join))
@example('{"a":1,"a":2}')
@example('["\\ud83d\\ude00\\ud83d\\ude00"]')
@example('["\\\\ud83d\\\\"]')
@example("[1,]")
@example('{"a":1,}')
def test_what_cannot_is_refused_alike(text):
    raw = text.encode()
    assert outcome(in_steps, raw) == outcome(decode_json, raw)


@given(st.binary(max_size=12))
@example(b"\xef\xbb\xbf{}")
@example(b"        ")
def test_bytes_that_are_no_text_are_refused_alike(raw):
    assert outcome(in_steps, raw) == outcome(decode_json, raw)


@pytest.mark.parametrize("depth", [MAX_DEPTH, MAX_DEPTH + 1])
def test_the_limit_of_depth_is_the_same(depth):
    raw = b"[" * depth + b"]" * depth
    assert outcome(in_steps, raw) == outcome(decode_json, raw)


@pytest.mark.parametrize("count", [MAX_MEMBERS - 1, MAX_MEMBERS])
def test_the_limit_of_members_is_the_same(count, monkeypatch):
    monkeypatch.setattr(stepwise, "_SHORT_BYTES", 2**20)
    raw = b"[" + b",".join([b"0"] * count) + b"]"
    assert outcome(in_steps, raw) == outcome(decode_json, raw)


@pytest.mark.parametrize(
    ("text", "pointer", "message"),
    [
        ('{"a":[0,{"b":1,"b":2}]}', "/a/1/b", "this field is there twice; send it once"),
        ('{"a":[0,1e999]}', "/a/1", "this number is too large; send a smaller one or text"),
        ('["\\u0000"]', "/0", "holds U+0000; remove it"),
        ('{"x":NaN}', "/x", "NaN is not JSON; send a number or null"),
    ],
)
def test_a_refusal_names_the_place(text, pointer, message):
    with pytest.raises(JsonFault) as refusal:
        in_steps(text.encode())
    assert [dict(error) for error in refusal.value.errors] == [{"pointer": pointer, "message": message}]


def test_a_fault_of_syntax_names_line_and_column():
    for text in ('{"a":1,\n"b" 2}', '["a",\n"b\n"]', "[1,\n2 3]", '{"a":\n}'):
        told = []
        for decode in (decode_json, in_steps):
            with pytest.raises(JsonFault) as refusal:
                decode(text.encode())
            told.append(refusal.value.detail)
        assert told[0] == told[1]
