"""Any bytes give a value or an `JsonFault` that says where; nothing else."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.strict_json import MAX_DEPTH, JsonFault, decode_json, decoding, encode_json

GOOD = {
    "the smallest integer": (b"-9223372036854775808", -(2**63)),
    "the largest integer": (b"9223372036854775807", 2**63 - 1),
    "a negative zero": (b"-0", 0),
    "a long fraction": (b"0." + b"1" * 5000, 0.1111111111111111),
    "a number too small to tell from zero": (b"1e-999", 0.0),
    "white space around": (b" \t\r\n{ } \n", {}),
    "an empty name": (b'{"": 1}', {"": 1}),
    "an escaped pair": (b'"\\ud83d\\ude42"', "🙂"),
    "plain UTF-8": ('"é🙂\u2028"'.encode(), "é🙂\u2028"),
    "a backslash before u0000": (b'"\\\\u0000"', "\\u0000"),
    "a backslash before a surrogate": (b'"\\\\ud800"', "\\ud800"),
    "digits in text": (b'"99999999999999999999999"', "9" * 23),
    "brackets in text": (b'"' + b"[" * 500 + b'"', "[" * 500),
    "NaN in text": (b'["NaN", "Infinity"]', ["NaN", "Infinity"]),
    "the same name in two objects": (b'[{"a": 1}, {"a": 2}]', [{"a": 1}, {"a": 2}]),
    "the deepest nesting": (b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, None),
    "many brackets side by side": (b"[" + b"[]," * 1000 + b"[]]", [[]] * 1001),
}

HOSTILE = {
    "nothing": (b"", "empty"),
    "white space alone": (b" \n", "empty"),
    "a byte order mark": (b"\xef\xbb\xbf{}", "byte order mark"),
    "UTF-16": ('{"a": 1}'.encode("utf-16"), "not UTF-8"),
    "UTF-16 without a mark": ('{"a": 1}'.encode("utf-16-le"), "line 1, column 2"),
    "Latin-1": (b'{"a": "\xe9"}', "line 1, byte 7"),
    "an overlong slash": (b'"\xc0\xaf"', "not UTF-8"),
    "a surrogate as bytes": (b'"\xed\xa0\x80"', "not UTF-8"),
    "bad bytes on a later line": (b'{\n\n"a": "\xff"}', "line 3"),
    "NaN": (b'{"a": [1, NaN]}', "/a/1: NaN"),
    "Infinity": (b"[Infinity]", "/0: Infinity"),
    "negative Infinity": (b"-Infinity", "body: -Infinity"),
    "a float beyond range": (b'{"a": 1e999}', "/a: this number is too large"),
    "a negative float beyond range": (b"[-1e999]", "/0: this number is too large"),
    "an integer one too large": (b"9223372036854775808", "64 bits"),
    "an integer one too small": (b"[-9223372036854775809]", "/0: this integer"),
    "an integer of many digits": (b'{"n": ' + b"9" * 100_000 + b"}", "/n: this integer"),
    "a lone high surrogate": (b'{"a": "\\ud800"}', "/a: holds half a surrogate pair"),
    "a lone low surrogate": (b'["x\\udc00y"]', "/0: holds half"),
    "surrogates in the wrong order": (b'"\\ude42\\ud83d"', "body: holds half"),
    "a surrogate in a name": (b'{"a": {"\\udfff": 1}}', "/a: the name of a field holds half"),
    "an escaped NUL": (b'{"a": ["\\u0000"]}', "/a/0: holds U+0000"),
    "an escaped NUL in a name": (b'{"\\u0000": 1}', "name of a field holds U+0000"),
    "a raw NUL": (b'"a\x00"', "column 3"),
    "a raw newline in text": (b'"a\nb"', "escapes such as"),
    "a name twice": (b'{"a": 1, "b": {"c/d": 1, "c/d": 2}}', "/b/c~1d: this field is there twice"),
    "a name twice, once escaped": (b'{"a": 1, "\\u0061": 2}', "/a: this field is there twice"),
    "one level too deep": (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "line 1, column 65: nested"),
    "objects too deep": (b'{"a":' * 65 + b"1" + b"}" * 65, "nested"),
    "a tower": (b"[" * 90_000, "column 65: nested"),
    "a tower of objects": (b'{"a":' * 50_000, "nested"),
    "a tower behind text that looks like its end": (b'["]]]\\"]",' + b"[" * 2000, "nested"),
    "something after the value": (b'{"a": 1} x', "column 10: remove"),
    "two values": (b"1 2", "remove what follows"),
    "a trailing comma": (b"[1,]", "line 1, column"),
    "a trailing comma in an object": (b'{"a": 1,}', "line 1, column"),
    "single quotes": (b"{'a': 1}", "double quotes"),
    "a name without quotes": (b"{a: 1}", "double quotes"),
    "a comment": (b"[1, /* two */ 2]", "column 5"),
    "a value missing": (b'{"a": }', "column 7: a JSON value is missing"),
    "a colon missing": (b'{"a" 1}', "colon"),
    "a comma missing": (b"[1 2]", "comma"),
    "half an object": (b'{"a": 1', "column 8"),
    "half a text": (b'"abc', "no closing quote"),
    "text that ends in a backslash": (b'"\\', "line 1"),
    "an unknown escape": (b'"\\x41"', "backslash"),
    "half an escape": (b'"\\u12"', "hexadecimal"),
    "an escape that is no number": (b'"\\u+123"', "hexadecimal"),
    "a leading zero": (b"012", "remove what follows"),
    "a leading plus": (b"+1", "value is missing"),
    "a bare point": (b".5", "value is missing"),
    "hexadecimal": (b"0x10", "remove what follows"),
    "Arabic digits": ("[١٢]".encode(), "value is missing"),
    "a word": (b"undefined", "value is missing"),
    "a capital True": (b"True", "value is missing"),
    "a form feed": (b"\x0c1", "value is missing"),
    "a no-break space": ("\u00a01".encode(), "value is missing"),
}


@pytest.mark.parametrize("name", GOOD)
def test_what_is_within_bounds_is_read(name):
    raw, value = GOOD[name]
    decoded = decode_json(raw)
    if value is not None:
        assert decoded == value
        assert type(decoded) is type(value)


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_hostile_is_refused_and_named(name):
    raw, expected = HOSTILE[name]
    with pytest.raises(JsonFault) as refusal:
        decode_json(raw)
    assert expected in refusal.value.detail
    assert len(refusal.value.detail) < 400
    assert refusal.value.detail.isprintable()


def test_a_refusal_carries_the_pointer_as_data():
    with pytest.raises(JsonFault) as refusal:
        decode_json(b'{"list": [{"~": 1e400}]}')
    assert [error["pointer"] for error in refusal.value.errors] == ["/list/0/~0"]


def test_a_long_name_is_cut_in_the_refusal():
    with pytest.raises(JsonFault) as refusal:
        decode_json(b'{"' + b"k" * 100_000 + b'": NaN}')
    assert "k" * 81 not in refusal.value.detail


STEPS = 40_000


@pytest.mark.parametrize(
    "piece",
    [b"[],", b'"\\ud83d\\ude42",', b'{"a":1},', b"1.5,", b'"\\"",', b"1234567890123456789,"],
)
def test_the_work_grows_with_the_size_and_no_faster(piece, monkeypatch):
    """The careful path looks at each node once, and only spells out the place that it reports."""
    spelled = []
    pointer = decoding._pointer
    monkeypatch.setattr(decoding, "_pointer", lambda place: spelled.append(place) or pointer(place))
    with pytest.raises(JsonFault) as refusal:
        decode_json(b'{"' + b"k" * STEPS + b'":[' + piece * STEPS + b"NaN]}")
    assert len(spelled) == 1
    assert f"/{STEPS}: NaN" in refusal.value.detail


# A busy machine is no fault of ours.


text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | text,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(text, inner, max_size=6),
    max_leaves=40,
)


@given(values, st.booleans(), st.sampled_from([None, 1]))
def test_what_json_writes_within_bounds_is_read_back(value, ascii_only, indent):
    assert decode_json(json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()) == value


@given(values)
def test_what_we_write_is_read_back(value):
    written = encode_json(value)
    assert decode_json(written) == value
    assert b"\n" not in written


@given(st.binary(max_size=200))
def test_any_bytes_give_a_value_or_a_refusal(raw):
    accept(raw)


@given(st.text(alphabet='{}[]",:\\u0dD8cC1e9.-+NaInfity \n\0é🙂', max_size=60))
def test_any_text_made_of_json_gives_a_value_or_a_refusal(written):
    accept(written.encode())


@given(values, st.integers(0, 400), st.binary(max_size=3))
def test_a_damaged_document_gives_a_value_or_a_refusal(value, at, damage):
    raw = json.dumps(value).encode()
    accept(raw[:at] + damage + raw[at + 1 :])


def accept(raw: bytes) -> None:
    """Accepted is exactly what a strict reading accepts, and then with the same value."""
    try:
        value = decode_json(raw)
    except JsonFault:
        return
    assert json.loads(raw.decode("utf-8")) == value
    for leaf in leaves(value):
        if isinstance(leaf, str):
            assert "\0" not in leaf
            leaf.encode("utf-8")
        elif isinstance(leaf, float):
            assert math.isfinite(leaf)


def leaves(value):
    if isinstance(value, dict):
        for name, child in value.items():
            yield name
            yield from leaves(child)
    elif isinstance(value, list):
        for child in value:
            yield from leaves(child)
    else:
        yield value


def test_an_answer_is_compact_utf8():
    assert encode_json({"a": ["é", 1, None]}) == '{"a":["é",1,null]}'.encode()


def test_text_that_utf8_cannot_carry_still_gives_an_answer():
    assert encode_json({"a": "x\ud800"}) == b'{"a":"x?"}'


def test_an_answer_never_holds_nan():
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode_json(float("nan"))
