"""Tokens and other headers that mean harm."""

import json

import pytest

from guildhall_sdk import Auth, Body
from guildhall_testing.conformance.samples import example_body, fill, make_ids
from guildhall_testing.conformance.trial import Trial
from tests.bad_input.shares import share_of

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


def as_bytes_of(text):
    """Header values are written as latin-1; this puts the text's UTF-8 on the wire."""
    return text.encode().decode("latin-1")


@pytest.mark.rows(where=lambda row: row.auth not in (Auth.PUBLIC, Auth.PROVISION))
@pytest.mark.before_the_handler
async def test_a_hostile_token_is_nobodys(shared_hall, send, code_of, bound, unchanged):
    path = fill(bound.row.path, ["x"] * bound.row.path.count("/"))
    await unchanged()
    for token in share_of(TOKENS, bound, one_in=5):
        header = as_bytes_of(f"Bearer {token}")
        answer = await send(shared_hall.anonymous, bound.row.method, path, Authorization=header)
        assert answer.status in (400, 401), f"{token[:50]!r} answered {answer.status}"
        # What is no header at all is refused before anybody asks whose it is.
        wanted = "unauthenticated" if answer.status == 401 else "invalid_request"
        assert code_of(answer, token[:50]) == wanted


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


SOME_READS = ("/api/whoami", "/api/notes", "/api/notes/:id", "/api/openapi.json", "/api/docs")


@pytest.mark.rows(where=lambda row: row.method == "GET" and row.path in SOME_READS)
async def test_hostile_headers_never_fail_a_read(shared_hall, send, bound):
    caller, path = await Trial(shared_hall, bound).owner_of_path(shared_hall.acme)
    for name, values in HEADERS.items():
        for value in values:
            answer = await send(caller, "GET", path, **{name.replace("-", "_"): as_bytes_of(value)})
            assert answer.status < 500, f"{name}: {value[:50]!r} answered {answer.status}"
            assert "evil.example" not in str(answer.headers), f"{name}: {value[:50]!r}"


@pytest.mark.rows(where=lambda row: row.method == "POST" and takes_json(row))
@pytest.mark.before_the_handler
async def test_a_hostile_idempotency_key_is_refused(shared_hall, send, code_of, bound, unchanged):
    caller, path = await Trial(shared_hall, bound).owner_of_path(shared_hall.acme)
    body = json.dumps(example_body(bound.row) or {}).encode()
    await unchanged()
    for key in ("", "x" * 256, "é", "a\x7fb", "a\tb"):
        answer = await send(caller, "POST", path, body, Idempotency_Key=as_bytes_of(key))
        if answer.body:
            assert code_of(answer, key) == "invalid_request", key
        assert answer.status == 400, key


@pytest.mark.rows(where=lambda row: row.method in ("PUT", "PATCH", "DELETE") and ":" in row.path)
async def test_a_hostile_if_match_never_fails_a_write(shared_hall, send, bound):
    trial = Trial(shared_hall, bound)
    caller = await trial.maker(shared_hall.acme)
    body = json.dumps(example_body(bound.row) or {}).encode() if takes_json(bound.row) else b""
    for value in share_of(HEADERS["If-Match"], bound, one_in=4):
        path = fill(bound.row.path, await make_ids(trial.parameters, caller, "sample"))
        answer = await send(caller, bound.row.method, path, body, If_Match=as_bytes_of(value))
        assert answer.status < 500, f"{value[:50]!r} answered {answer.status}"
