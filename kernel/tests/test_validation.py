"""Bodies and queries against a row's schema: every problem, its place, and nothing repeated back."""

import subprocess
import sys

import pytest

from guildhall_sdk import PAGE_QUERY, InvalidRequest
from guildhall_sdk.schema import array, boolean, enum, integer, nullable, number, obj, string, time
from kernel.validation import Validator
from libs.json_validation import MAX_ERRORS, Misfit, parse_query

NOTE = obj(
    {
        "title": string(min_length=1, max_length=10),
        "pages": integer(1, 5),
        "ratio": number(exclusiveMinimum=0),
        "draft": boolean(),
        "visibility": enum("private", "team"),
        "summary": nullable(string(max_length=3)),
        "tags": array(string(max_length=3), maxItems=3, uniqueItems=True),
        "place": nullable(obj({"x": integer(), "y": integer()}, required=["x", "y"])),
        "ttl": {"anyOf": [integer(1, 100), enum("never")]},
        "code": string(pattern="^[a-z]+$", description="small letters"),
    },
    required=["title"],
)


def problems(schema, value, **options):
    """(pointer, message) of every problem; empty when there is none."""
    try:
        Validator(schema, **options).check(value)
    except InvalidRequest as refusal:
        assert refusal.status == 400
        assert refusal.code == "invalid_request"
        return [(error["pointer"], error["message"]) for error in refusal.errors]
    return []


@pytest.mark.parametrize(
    "value",
    [
        {"title": "a"},
        {"title": "é" * 10, "pages": 5, "ratio": 0.5, "draft": False, "visibility": "team"},
        {"title": "a", "summary": None, "tags": [], "place": None, "ttl": "never", "code": "abc"},
        {"title": "a", "summary": "abc", "tags": ["a", "b"], "place": {"x": 0, "y": -1}, "ttl": 7},
        {"title": "a", "ratio": 1},
    ],
)
def test_what_fits_passes(value):
    assert problems(NOTE, value) == []


PART = {
    "anyOf": [
        obj({"type": enum("text"), "text": string()}, required=["type", "text"]),
        obj({"type": enum("picture", "film"), "url": string()}, required=["type", "url"]),
    ]
}


@pytest.mark.parametrize(
    ("part", "pointer", "message"),
    [
        ({"type": "sound"}, "/type", 'must be one of "text", "picture", "film"'),
        ({"type": "text", "text": 1}, "/text", "must be text in quotes"),
        ({"type": "film"}, "/url", "is required"),
        ({"text": "x"}, "/type", "is required"),
    ],
)
def test_of_alternatives_the_one_that_is_meant_is_told_about(part, pointer, message):
    assert problems(PART, part) == [(pointer, message)]


@pytest.mark.parametrize(
    ("fields", "pointer", "message"),
    [
        ({"title": ""}, "/title", "must not be empty"),
        ({"title": "x" * 11}, "/title", "must have at most 10 characters, not 11"),
        ({"title": 1}, "/title", "must be text in quotes"),
        ({"title": None}, "/title", "must be text in quotes"),
        ({"title": {}}, "/title", "must be text, not an object"),
        ({"title": [1]}, "/title", "must be text, not a list"),
        ({"pages": "1"}, "/pages", "must be a whole number"),
        ({"pages": 1.0}, "/pages", "must be a whole number"),
        ({"pages": True}, "/pages", "must be a whole number"),
        ({"pages": 0}, "/pages", "must be at least 1"),
        ({"pages": 6}, "/pages", "must be at most 5"),
        ({"ratio": True}, "/ratio", "must be a number"),
        ({"ratio": 0}, "/ratio", "must be greater than 0"),
        ({"draft": 1}, "/draft", "must be true or false"),
        ({"draft": "true"}, "/draft", "must be true or false"),
        ({"visibility": "Team"}, "/visibility", 'must be one of "private", "team"'),
        ({"summary": "abcd"}, "/summary", "must have at most 3 characters, not 4"),
        ({"summary": 1}, "/summary", "must be text in quotes or null"),
        ({"tags": "a"}, "/tags", "must be a list"),
        ({"tags": ["a", "long"]}, "/tags/1", "must have at most 3 characters, not 4"),
        ({"tags": ["a", "a"]}, "/tags", "must not hold the same item twice"),
        ({"tags": ["a", "b", "c", "d"]}, "/tags", "must hold at most 3 items"),
        ({"place": {"x": 1}}, "/place/y", "is required"),
        ({"place": {"x": 1, "y": 2, "z": 3}}, "/place/z", "unknown field; remove it"),
        ({"place": []}, "/place", "must be an object or null"),
        ({"ttl": 0}, "/ttl", "must be at least 1"),
        ({"ttl": "forever"}, "/ttl", 'must be one of "never"'),
        ({"ttl": []}, "/ttl", "must be a whole number or text in quotes"),
        ({"code": "ABC"}, "/code", "is not as described (small letters)"),
        ({"titel": "a"}, "/titel", "unknown field; remove it"),
        ({"a/b~c": 1}, "/a~1b~0c", "unknown field; remove it"),
        ({"": 1}, "/", "unknown field; remove it"),
    ],
)
def test_each_problem_is_named_at_its_place(fields, pointer, message):
    assert problems(NOTE, {"title": "a", **fields}) == [(pointer, message)]


@pytest.mark.parametrize("value", [[], "text", 1, None, True])
def test_a_body_of_another_kind_is_refused_as_a_whole(value):
    assert problems(NOTE, value) == [("", "must be an object")]


def test_every_problem_is_told_at_once_and_in_the_same_order():
    value = {"zeta": 1, "alpha": 2, "pages": "x", "draft": 0}
    expected = [
        ("/pages", "must be a whole number"),
        ("/draft", "must be true or false"),
        ("/title", "is required"),
        ("/alpha", "unknown field; remove it"),
        ("/zeta", "unknown field; remove it"),
    ]
    assert problems(NOTE, value) == problems(NOTE, dict(reversed(value.items()))) == expected


def test_the_refusal_sums_itself_up():
    with pytest.raises(InvalidRequest, match=r"^/pages: must be a whole number \(and 1 more\)$"):
        Validator(NOTE).check({"pages": "x"})


def test_no_more_than_twenty_problems_are_told():
    assert len(problems(NOTE, {f"field {number}": 1 for number in range(500)})) == MAX_ERRORS
    assert len(problems(obj({"a": array(integer())}), {"a": ["x"] * 500})) == MAX_ERRORS


def test_values_are_never_repeated_back():
    secret = "hunter2-hunter2"
    value = {"title": secret, "pages": secret, "visibility": secret, "tags": [secret], "ttl": secret}
    with pytest.raises(InvalidRequest) as refusal:
        Validator(NOTE).check(value)
    assert secret not in str(refusal.value.errors) + refusal.value.detail


def test_a_long_unknown_name_is_cut():
    ((pointer, _),) = problems(obj({}), {"k" * 10_000: 1})
    assert pointer == "/" + "k" * 80


def test_a_list_that_is_too_long_is_not_judged_item_by_item(monkeypatch):
    judged = []
    from libs.json_validation import json_schema

    monkeypatch.setitem(json_schema._base, "items", lambda *call: judged.append(call) or ())
    schema = obj({"tags": array(string(), maxItems=3)})
    assert problems(schema, {"tags": ["a"] * 100_000}) == [("/tags", "must hold at most 3 items")]
    assert not judged


def test_a_long_list_of_different_items_is_compared_by_hash():
    """Each with each would be two hundred million comparisons."""
    schema = obj({"rows": {"type": "array", "uniqueItems": True}})
    rows = [{"number": number, "kind": [number]} for number in range(20_000)]
    assert problems(schema, {"rows": rows}) == []
    assert problems(schema, {"rows": [*rows, {"kind": [7], "number": 7}]}) == [
        ("/rows", "must not hold the same item twice")
    ]
    assert problems(schema, {"rows": [1, True, 1.5, "1", None, [], {}]}) == []


def test_fields_that_a_pattern_allows_are_known():
    schema = {"type": "object", "patternProperties": {"^x-": {}}, "additionalProperties": False}
    assert problems(schema, {"x-a": 1, "y": 2}) == [("/y", "unknown field; remove it")]


def test_a_field_that_another_one_needs_is_named():
    schema = obj({"a": {}, "b": {}}, dependentRequired={"a": ["b"]})
    assert problems(schema, {"a": 1}) == [("/b", "is required")]


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("2030-01-01T09:00:00Z", True),
        ("2030-01-01T09:00:00.123Z", True),
        ("2030-01-01T09:00:00+02:00", True),
        ("2030-01-01T09:00:00", False),
        ("2030-01-01", False),
        ("2030-13-01T09:00:00Z", False),
        ("2030-01-01 09:00:00Z", False),
        ("soon", False),
        ("٢٠٣٠-01-01T09:00:00Z", False),
    ],
)
def test_a_time_is_checked_where_that_is_asked_for(text, good):
    schema = obj({"at": time()})
    assert problems(schema, {"at": text}) == []
    assert (problems(schema, {"at": text}, formats=True) == []) is good


def test_a_wrong_schema_can_be_found_before_it_is_used():
    Validator(NOTE).prove()
    with pytest.raises(ValueError, match="not a JSON Schema"):
        Validator({"type": "strng"}).prove()


def test_the_library_is_not_loaded_before_the_first_check():
    program = (
        "import sys\n"
        "from kernel.validation import Validator\n"
        "from libs.json_validation import parse_query\n"
        "validator = Validator({'type': 'object'})\n"
        "parse_query(b'limit=5', {'limit': {'type': 'integer'}})\n"
        "assert 'jsonschema' not in sys.modules\n"
        "validator.check({})\n"
        "assert 'jsonschema' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


QUERY = {
    **PAGE_QUERY,
    "scope": enum("team", "org", default="team"),
    "deep": boolean(),
    "floor": integer(0),
    "name": string(min_length=2, pattern="^[a-z]+$", description="small letters"),
}


def test_a_query_without_anything_gives_the_defaults():
    assert parse_query(b"", QUERY) == {"limit": 50, "scope": "team"}


@pytest.mark.parametrize(
    ("raw", "name", "value"),
    [
        (b"limit=1", "limit", 1),
        (b"limit=200", "limit", 200),
        (b"limit=1&limit=2", "limit", 2),
        (b"limit=%31%30", "limit", 10),
        (b"scope=org", "scope", "org"),
        (b"deep=true", "deep", True),
        (b"deep=0", "deep", False),
        (b"cursor=a%2Bb+c", "cursor", "a+b c"),
        ("cursor=é".encode(), "cursor", "é"),
        (b"cursor=%C3%A9", "cursor", "é"),
        (b"cursor", "cursor", ""),
        (b"cursor=a=b", "cursor", "a=b"),
        (b"cursor=100%", "cursor", "100%"),
        (b"floor=9223372036854775807", "floor", 2**63 - 1),
    ],
)
def test_a_parameter_is_read_by_its_schema(raw, name, value):
    read = parse_query(raw, QUERY)[name]
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("raw", "pointer", "message"),
    [
        (b"limit=0", "?limit", "must be between 1 and 200"),
        (b"limit=201", "?limit", "must be between 1 and 200"),
        (b"limit=", "?limit", "must be a whole number"),
        (b"limit=1.0", "?limit", "must be a whole number"),
        (b"limit=+1", "?limit", "must be a whole number"),
        (b"limit=%D9%A1", "?limit", "must be a whole number"),
        (b"limit=1%0A", "?limit", "must be a whole number"),
        (b"limit=9223372036854775808", "?limit", "must be a whole number"),
        (b"limit=" + b"9" * 10_000, "?limit", "must be a whole number"),
        (b"floor=-1", "?floor", "must be at least 0"),
        (b"scope=world", "?scope", 'must be one of "team", "org"'),
        (b"deep=yes", "?deep", "must be true or false"),
        (b"cursor=" + b"a" * 513, "?cursor", "must have at most 512 characters"),
        (b"name=", "?name", "must not be empty"),
        (b"name=a", "?name", "must have at least 2 characters"),
        (b"name=AB", "?name", "is not in the expected form (small letters)"),
        (b"cursor=%ff", "?cursor", "is not UTF-8; percent-encode it as UTF-8"),
        (b"other=%C0%80", "?other", "is not UTF-8; percent-encode it as UTF-8"),
        (b"%ff=1", "?%ff", "is not UTF-8; percent-encode it as UTF-8"),
        (b"cursor=%00", "?cursor", "holds U+0000; remove it"),
        (b"other=a\0b", "?other", "holds U+0000; remove it"),
    ],
)
def test_a_wrong_parameter_is_named(raw, pointer, message):
    with pytest.raises(Misfit) as refusal:
        parse_query(raw, QUERY)
    assert refusal.value.complaints == [(pointer, message)]


def test_every_wrong_parameter_is_told_at_once():
    with pytest.raises(Misfit) as refusal:
        parse_query(b"deep=x&limit=0", QUERY)
    assert [pointer for pointer, _ in refusal.value.complaints] == ["?limit", "?deep"]


def test_unknown_parameters_are_ignored():
    assert parse_query(b"utm_source=x&limit=3&=&&a", QUERY) == {"limit": 3, "scope": "team"}
