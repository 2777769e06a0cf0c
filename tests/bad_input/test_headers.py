"""Tokens and other headers that mean harm."""

import json

import pytest

from guildhall_sdk import Auth, Body
from kernel.testing.conformance.samples import example_body, fill, make_ids
from kernel.testing.conformance.trial import Trial

pytestmark = pytest.mark.hall_databases("sqlite")


def takes_json(row):
    return row.method in ("POST", "PUT", "PATCH", "DELETE") and row.body_kind is Body.JSON


TOKENS = (
    "",
    " ",
    "null",
    "undefined",
    "ghs_",
    "ghs_" + "a" * 42,
    "ghs_" + "a" * 44,
    "ghs_" + "a" * 43,
    "gha_" + "a" * 43,
    "ghw_" + "a" * 43,
    "ghx_" + "a" * 43,
    "GHS_" + "a" * 43,
    "ghs_" + "é" * 43,
    "ghs_" + "a" * 43 + ",ghs_" + "b" * 43,
    "ghs_" + "%61" * 14 + "a",
    "a" * 10_000,
    "' OR 1=1--",
    "\x00",
    "\x7f",
    "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.",
)


@pytest.mark.rows(lambda row: row.auth not in (Auth.PUBLIC, Auth.PROVISION))
async def test_a_hostile_token_is_nobodys(shared_hall, bound, unchanged):
    trial = Trial(shared_hall, bound)
    path = fill(bound.row.path, ["x"] * len(trial.slots))
    await unchanged()
    for token in TOKENS:
        for scheme in ("Bearer", "bearer", "Bearer\t"):
            answer = await send(
                shared_hall,
                shared_hall.anonymous,
                bound.row.method,
                path,
                Authorization=f"{scheme} {token}".encode().decode("latin-1"),
            )
            assert answer.status in (400, 401), f"{token[:50]!r} answered {answer.status}"
            if answer.status == 401:
                assert is_refusal(answer, token[:50])["code"] == "unauthenticated"


HEADERS = {
    "If-None-Match": ['"', "W/", '"' * 5000, "*, *", ",,,", '""', "é"],
    "If-Match": ['"', "W/", '"' * 5000, ",,,", '""', "é", '"x"'],
    "If-Modified-Since": ["yesterday", "Thu, 99 Foo 2030 25:61:61 GMT"],
    "Range": ["bytes=-", "bytes=9999999999999999999-", "items=1-2", "bytes=1-0"],
    "Accept": ["", "nonsense", "*/*;q=x", "text/plain" + ";a=b" * 1000],
    "Accept-Language": ["*", "xx" * 5000, "en;q=9"],
    "Accept-Encoding": ["gzip;q=x", "\x7f"],
    "Content-Type": ["", "nonsense", "application/json; charset=utf-16", "text/html; charset=é"],
    "Content-Encoding": ["gzip", "br, gzip"],
    "Cookie": ["a", "a=b;;;=c", "é=é", "x=" + "y" * 8000],
    "Host": ["", "evil.example", "a b", "[::1", "é", "x:99999"],
    "Origin": ["null", "http://evil.example", "\x7f"],
    "X-Forwarded-For": ["1.2.3.4, ::1", "é", "x" * 5000],
    "Forwarded": ["for=evil", "é"],
    "Expect": ["100-continue", "nonsense"],
    "X-HTTP-Method-Override": ["DELETE"],
    "Idempotency-Key": ["", "é", "x" * 256, "\x7f"],
    "X-Request-Id": ["", "é", "x" * 5000, "a b", "../..", "<script>"],
    "Upgrade": ["websocket", "nonsense"],
}


@pytest.mark.rows(lambda row: row.method == "GET")
async def test_hostile_headers_never_fail_a_read(shared_hall, bound):
    trial = Trial(shared_hall, bound)
    caller, path = await trial.owner_of_path(shared_hall.acme)
    for name, values in HEADERS.items():
        for value in values:
            sent = {name.replace("-", "_"): value.encode().decode("latin-1")}
            answer = await send(shared_hall, caller, "GET", path, **sent)
            assert answer.status < 500, f"{name}: {value[:50]!r} answered {answer.status}"
            assert "evil.example" not in str(answer.headers), f"{name}: {value[:50]!r}"


@pytest.mark.rows(lambda row: row.method == "POST" and takes_json(row))
async def test_a_hostile_idempotency_key_is_refused(shared_hall, bound, unchanged):
    trial = Trial(shared_hall, bound)
    caller, path = await trial.owner_of_path(shared_hall.acme)
    body = json.dumps(example_body(bound.row) or {}).encode()
    await unchanged()
    for key in ("", "x" * 256, "é".encode().decode("latin-1"), "a\x7fb", "a\tb"):
        answer = await send(shared_hall, caller, "POST", path, body, Idempotency_Key=key)
        if answer.body:  # what is no header at all is refused before us
            assert is_refusal(answer, key)["code"] == "invalid_request", key
        assert answer.status == 400, key


@pytest.mark.rows(lambda row: row.method in WRITES and has_ids(row) and row.auth is Auth.BEARER)
async def test_a_hostile_if_match_changes_nothing(shared_hall, bound):
    trial = Trial(shared_hall, bound)
    caller = await trial.maker(shared_hall.acme)
    if not trial.may(caller):
        pytest.skip("no maker may call this row")
    for value in HEADERS["If-Match"]:
        path = fill(bound.row.path, await make_ids(trial.slots, caller, "x"))
        sent = {"If_Match": value.encode().decode("latin-1")}
        body = json.dumps(example_body(bound.row) or {}).encode() if takes_json(bound.row) else b""
        answer = await send(shared_hall, caller, bound.row.method, path, body, **sent)
        assert answer.status < 500, f"{value[:50]!r} answered {answer.status}"
