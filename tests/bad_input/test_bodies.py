"""A hostile body is refused by its place, and changes nothing."""

import json

import pytest

from guildhall_sdk import Body
from guildhall_testing.conformance.samples import example_body
from guildhall_testing.conformance.trial import Trial
from tests.bad_input.shares import gets_all, share_of

pytestmark = pytest.mark.hall_databases("sqlite")


def takes_json(row):
    return row.method in ("POST", "PUT", "PATCH", "DELETE") and row.body_kind is Body.JSON


def has_fields(row):
    return takes_json(row) and bool((row.body or {}).get("properties"))


FRAGMENTS = {
    "NaN": b"NaN",
    "Infinity": b"Infinity",
    "-Infinity": b"-Infinity",
    "a float beyond double": b"1e400",
    "a negative float beyond double": b"-1e400",
    "2**63": b"9223372036854775808",
    "-2**63-1": b"-9223372036854775809",
    "an integer of 5000 digits": b"9" * 5000,
    "an escaped lone high surrogate": rb'"\ud800"',
    "an escaped lone low surrogate": rb'"\udfff"',
    "surrogates the wrong way round": rb'"\udc00\ud800"',
    "an escaped NUL": rb'"\u0000"',
    "a NUL inside text": rb'"a\u0000b"',
    "a raw NUL": b'"a\x00b"',
    "a raw newline in text": b'"a\nb"',
    "a NUL in a name": rb'{"\u0000": 1}',
    "a surrogate in a name": rb'{"\ud800": 1}',
    "a name twice": b'{"x": 1, "x": 2}',
    "a name twice, spelled differently": rb'{"x": 1, "\u0078": 2}',
    "65 levels of lists": b"[" * 65 + b"]" * 65,
    "65 levels of objects": b'{"a":' * 65 + b"1" + b"}" * 65,
    "50,000 open brackets": b"[" * 50_000,
    "bytes that are not UTF-8": b'"\xff\xfe"',
    "an overlong NUL": b'"\xc0\x80"',
    "an encoded surrogate": b'"\xed\xa0\x80"',
    "a code point beyond Unicode": b'"\xf4\x90\x80\x80"',
    "text without an end": b'"abc',
    "a bad escape": rb'"\x41"',
    "a short escape": rb'"\u12"',
    "single quotes": b"'x'",
    "a bare word": b"undefined",
    "hexadecimal": b"0x10",
    "a leading zero": b"01",
    "a plus": b"+1",
    "a bare point": b".5",
    "a trailing point": b"1.",
    "a trailing comma": b"[1,]",
    "a comment": b"/* x */ 1",
    "nothing at all": b"",
}


@pytest.mark.rows(where=has_fields)
@pytest.mark.before_the_handler
async def test_a_hostile_value_in_a_declared_field_is_invalid_json(shared_hall, bound, unchanged):
    trial = Trial(shared_hall, bound)
    caller, path = await trial.owner_of_path(shared_hall.acme)
    await unchanged()
    example = example_body(bound.row)
    field = next(iter(example or bound.row.body["properties"]))
    rest = {name: value for name, value in example.items() if name != field}
    others = "".join(f", {json.dumps(name)}: {json.dumps(value)}" for name, value in rest.items())
    for name, fragment in share_of(FRAGMENTS.items(), bound, one_in=8):
        body = f'{{"{field}": '.encode() + fragment + others.encode() + b"}"
        answer = await trial.call(caller, path, content=body)
        assert answer.status == 400, f"{name}: {answer}"
        assert answer.problem["code"] == "invalid_json", f"{name}: {answer}"


BODIES = {
    "only white space": b" \r\n\t ",
    "a byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "UTF-32": '{"a": 1}'.encode("utf-32"),
    "two values": b"{}{}",
    "a value and more": b"{} x",
    "a form": b"username=ada&password=x",
    "multipart": b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n',
    "XML": b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
    "gzip": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\xae\x05\x00\x43\xbf\xa6\xa3\x02\x00\x00\x00",
    "NULs": b"\x00" * 1000,
    "every byte": bytes(range(256)),
    "an open brace": b"{",
    "a closing brace": b"}",
    "half a name": b'{"a',
    "a million opening braces": b'{"a":' * 200_000,
}


@pytest.mark.rows(where=takes_json)
@pytest.mark.before_the_handler
async def test_a_hostile_body_is_invalid_json(shared_hall, bound, unchanged):
    trial = Trial(shared_hall, bound)
    caller, path = await trial.owner_of_path(shared_hall.acme)
    await unchanged()
    for name, body in share_of(BODIES.items(), bound, one_in=4):
        answer = await trial.call(caller, path, content=body)
        assert answer.status in (400, 413), f"{name}: {answer}"
        wanted = "invalid_json" if answer.status == 400 else "too_large"
        assert answer.problem["code"] == wanted, f"{name}: {answer}"


MASS = {
    "__proto__": {"admin": True},
    "constructor": {},
    "": 1,
    "a" * 10_000: 1,
    "ünïcödé": 1,
    "org_id": "org_0",
    "team_id": "team_0",
    "user_id": "usr_0",
    "id": "x_0",
    "operator": True,
    "created_at": "2000-01-01T00:00:00.000Z",
}


def takes_described_json(row):
    # SCIM has a server pass over attributes that it does not know, and what says so takes any.
    takes_any = row.body == {} or (row.body or {}).get("additionalProperties") is True
    return takes_json(row) and not takes_any and not row.path.startswith("/scim/")


@pytest.mark.rows(where=takes_described_json)
@pytest.mark.before_the_handler
async def test_fields_that_the_row_does_not_know_are_refused(shared_hall, bound, unchanged):
    trial = Trial(shared_hall, bound)
    caller, path = await trial.owner_of_path(shared_hall.acme)
    await unchanged()
    example, known = example_body(bound.row) or {}, (bound.row.body or {}).get("properties", {})
    for name, value in share_of(MASS.items(), bound, one_in=3):
        if name not in known:
            answer = await trial.call(caller, path, json={**example, name: value})
            assert answer.status == 400, answer
            assert len(answer.response.content) < 4096, "a refusal does not repeat what it was sent"
    if gets_all(bound):
        many = {f"field{number}": number for number in range(2_000)}
        answer = await trial.call(caller, path, json={**example, **many})
        assert answer.status == 400, answer
        assert len(answer.response.content) < 16_384
