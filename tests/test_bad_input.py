"""Whatever is sent, the answer is a refusal in our own words, and nothing changes."""

import asyncio
import json

import pytest

from guildhall_sdk import Auth, Body
from kernel.testing.conformance.samples import example_body, fill, make_ids
from kernel.testing.conformance.state import difference, state_of
from kernel.testing.conformance.trial import Trial
from kernel.testing.raw import RawAnswer, request_bytes
from kernel.testing.selection import registry_of

WRITES = ("POST", "PUT", "PATCH", "DELETE")


def pytest_generate_tests(metafunc):
    rows = registry_of(metafunc.config).routes() if "bound" in metafunc.fixturenames else []
    asked = getattr(metafunc.function, "rows", lambda row: True)
    chosen = [bound for bound in rows if asked(bound.row)]
    if "bound" in metafunc.fixturenames:
        metafunc.parametrize("bound", chosen, ids=[bound.name for bound in chosen])


def for_rows(condition):
    """Which rows a test is for."""

    def mark(test):
        test.rows = condition
        return test

    return mark


def takes_json(row):
    return row.method in WRITES and row.body_kind is Body.JSON


def has_fields(row):
    return takes_json(row) and bool((row.body or {}).get("properties"))


def has_ids(row):
    return ":" in row.path or "*" in row.path


def is_refusal(answer, call):
    """A 4xx problem with a code."""
    assert 400 <= answer.status < 500, f"{call} answered {answer.status} {answer.body[:300]!r}"
    assert answer.headers["content-type"] == "application/problem+json", call
    problem = answer.json()
    assert problem["status"] == answer.status, call
    assert problem["code"], call
    return problem


async def send(hall, caller, method, path, body=b"", **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if body:
        named.setdefault("Content-Length", str(len(body)))
    sent = request_bytes(method, path, token=caller.token, headers=named, body=body)
    return RawAnswer.parse(await hall.raw(sent))


@pytest.fixture
async def unchanged(shared_hall):
    """The test may make what it needs, then call this; from there on nothing may change."""
    before = {}

    async def watch():
        before["state"] = await state_of(shared_hall.server.data)

    yield watch
    if before:
        assert difference(before["state"], await state_of(shared_hall.server.data)) is None


# Bodies

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
    "100,000 open brackets": b"[" * 100_000,
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


@for_rows(has_fields)
async def test_a_hostile_value_in_a_declared_field_is_invalid_json(shared_hall, bound, unchanged):
    trial = Trial(shared_hall, bound)
    caller, path = await trial.owner_of_path(shared_hall.acme)
    await unchanged()
    example = example_body(bound.row)
    field = next(iter(example))
    rest = {name: value for name, value in example.items() if name != field}
    others = "".join(f", {json.dumps(name)}: {json.dumps(value)}" for name, value in rest.items())
    for name, fragment in FRAGMENTS.items():
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


@for_rows(takes_json)
async def test_a_hostile_body_is_invalid_json(shared_hall, bound, unchanged):
    trial = Trial(shared_hall, bound)
    caller, path = await trial.owner_of_path(shared_hall.acme)
    await unchanged()
    for name, body in BODIES.items():
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


@for_rows(takes_json)
async def test_fields_that_the_row_does_not_know_are_refused(shared_hall, bound, unchanged):
    if bound.row.body is not None and not bound.row.body:
        pytest.skip("this row takes any JSON")
    trial = Trial(shared_hall, bound)
    caller, path = await trial.owner_of_path(shared_hall.acme)
    await unchanged()
    example, known = example_body(bound.row) or {}, (bound.row.body or {}).get("properties", {})
    for name, value in MASS.items():
        if name not in known:
            answer = await trial.call(caller, path, json={**example, name: value})
            assert answer.status == 400, answer
            assert len(answer.response.content) < 4096, "a refusal does not repeat what it was sent"
    many = {f"field{number}": number for number in range(20_000)}
    answer = await trial.call(caller, path, json={**example, **many})
    assert answer.status == 400, answer
    assert len(answer.response.content) < 16_384


# Ids and paths

IDS = {
    "a NUL": "%00",
    "a NUL inside": "note_%00x",
    "not UTF-8": "%ff%fe",
    "an encoded surrogate": "%ed%a0%80",
    "an encoded slash": "a%2fb",
    "an encoded dot segment": "%2e%2e",
    "a dot segment": "..",
    "a bare percent": "%",
    "a bad escape": "%zz",
    "a quote": "'%20OR%201=1--",
    "a double quote": "%22",
    "a percent sign": "%25",
    "an underscore": "_",
    "a line break": "a%0d%0ab",
    "spaces": "%20%20",
    "emoji": "%F0%9F%92%A9",
    "4,000 characters": "x" * 4000,
    "a number": "0",
    "a negative number": "-1",
    "a big number": "9" * 40,
    "a JSON object": "%7b%7d",
    "null": "null",
    "right to left": "%E2%80%AE",
}


@for_rows(has_ids)
async def test_a_hostile_id_names_nothing(shared_hall, bound, unchanged):
    trial = Trial(shared_hall, bound)
    caller = await trial.caller(shared_hall.acme)
    await unchanged()
    body = json.dumps(example_body(bound.row) or {}).encode() if takes_json(bound.row) else b""
    for name, hostile in IDS.items():
        path = fill(bound.row.path, [hostile] * len(trial.slots))
        answer = await send(shared_hall, caller, bound.row.method, path, body)
        assert is_refusal(answer, f"{name}: {path[:100]}")["code"] == "not_found", name


PATHS = (
    "/",
    "//",
    "/..",
    "/../../etc/passwd",
    "/api",
    "/api/",
    "/api//whoami",
    "/api/whoami/",
    "/API/WHOAMI",
    "/api/whoami%00",
    "/api/whoami%2f",
    "/api/%77hoami/x",
    "/api/./whoami",
    "/api/x/../whoami",
    "/api/whoami;a=b",
    "/api/whoami#x",
    "/%",
    "/%ff",
    "/" + "a/" * 5000,
    "/" + "a" * 20_000,
    "*",
    "api/whoami",
)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path[:30])
async def test_a_path_that_is_not_in_the_table_is_not_found(shared_hall, path):
    for method in ("GET", "POST", "OPTIONS", "HEAD"):
        answer = await send(shared_hall, shared_hall.acme.owner, method, path)
        assert answer.status in (400, 404), f"{method} {path[:50]} answered {answer.status}"


async def test_an_address_with_its_host_is_read_for_its_path_alone(shared_hall):
    answer = await send(shared_hall, shared_hall.anonymous, "GET", "http://elsewhere.example/api/whoami")
    assert 400 <= answer.status < 500


# Queries

QUERIES = (
    "?",
    "?&&&=&=",
    "?%",
    "?limit=%ff",
    "?%ff=1",
    "?%00=1",
    "?limit=%00",
    "?cursor=%00",
    "?cursor=" + "A" * 5000,
    "?limit=1&limit=x",
    "?limit=1%0d%0aX-Evil:%201",
    "?limit[]=1",
    "?limit[a]=1",
    "?" + "a=1&" * 5000,
    "?" + "a" * 20_000,
    "?limit=%D9%A1",
    "?scope=%F0%9F%92%A9",
    "?q=%27%20OR%201%3D1--",
)


@for_rows(lambda row: True)
async def test_a_hostile_query_never_fails_the_server(shared_hall, bound, unchanged):
    trial = Trial(shared_hall, bound)
    caller, path = await trial.owner_of_path(shared_hall.acme)
    await unchanged()
    for query in QUERIES:
        answer = await send(shared_hall, caller, bound.row.method, path + query, b"" if trial.reads else b"{")
        assert answer.status < 500, f"{query[:50]} answered {answer.status} {answer.body[:200]!r}"
        assert "x-evil" not in answer.headers
        if answer.status >= 400:
            is_refusal(answer, query[:50])


# Tokens and other headers

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


@for_rows(lambda row: row.auth not in (Auth.PUBLIC, Auth.PROVISION))
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


@for_rows(lambda row: row.method == "GET")
async def test_hostile_headers_never_fail_a_read(shared_hall, bound):
    trial = Trial(shared_hall, bound)
    caller, path = await trial.owner_of_path(shared_hall.acme)
    for name, values in HEADERS.items():
        for value in values:
            sent = {name.replace("-", "_"): value.encode().decode("latin-1")}
            answer = await send(shared_hall, caller, "GET", path, **sent)
            assert answer.status < 500, f"{name}: {value[:50]!r} answered {answer.status}"
            assert "evil.example" not in str(answer.headers), f"{name}: {value[:50]!r}"


@for_rows(lambda row: row.method == "POST" and takes_json(row))
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


@for_rows(lambda row: row.method in WRITES and has_ids(row) and row.auth is Auth.BEARER)
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


# Bytes that are hardly HTTP

PROTOCOL = {
    "nothing": b"\r\n\r\n",
    "garbage": b"GARBAGE\r\n\r\n",
    "no target": b"GET\r\n\r\n",
    "no version": b"GET /health\r\n\r\n",
    "a version to come": b"GET /health HTTP/9.9\r\nHost: x\r\n\r\n",
    "no host": b"GET /health HTTP/1.1\r\n\r\n",
    "two hosts": b"GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "a space in the target": b"GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
    "a NUL in the target": b"GET /a\x00b HTTP/1.1\r\nHost: x\r\n\r\n",
    "raw bytes in the target": b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "a strange method": b"FR\xc3\x89E /health HTTP/1.1\r\nHost: x\r\n\r\n",
    "a long method": b"A" * 5000 + b" /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "a header without a colon": b"GET /health HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n",
    "a header with a space": b"GET /health HTTP/1.1\r\nHost: x\r\nA B: c\r\n\r\n",
    "a space before the colon": b"GET /health HTTP/1.1\r\nHost: x\r\nAuthorization : Bearer x\r\n\r\n",
    "a NUL in a header": b"GET /health HTTP/1.1\r\nHost: x\r\nA: b\x00c\r\n\r\n",
    "a bare line feed in a header": b"GET /health HTTP/1.1\r\nHost: x\r\nA: b\nX-Evil: 1\r\n\r\n",
    "a bare carriage return": b"GET /health HTTP/1.1\r\nHost: x\r\nA: b\rX-Evil: 1\r\n\r\n",
    "a folded header": b"GET /health HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\nConnection: close\r\n\r\n",
    "a header of 100,000 bytes": b"GET /health HTTP/1.1\r\nHost: x\r\nA: " + b"b" * 100_000 + b"\r\n\r\n",
    "10,000 headers": b"GET /health HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 10_000 + b"\r\n",
    "a target of 100,000 bytes": b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    "a negative length": b"POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    "a length with a plus": b"POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: +2\r\n\r\n{}",
    "a length that is no number": b"POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: two\r\n\r\n{}",
    "a length in other digits": "POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: ٢\r\n\r\n{}".encode(),
    "a length of 5,000 digits": b"POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: "
    + b"9" * 5000
    + b"\r\n\r\n",
    "two lengths": b"POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "a length and chunks": (
        b"POST /api/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 3\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n"
    ),
    "an unknown coding": b"POST /api/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n{}",
    "a chunk size that is no number": (
        b"POST /api/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"
    ),
    "a chunk size beyond measure": (
        b"POST /api/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + b"f" * 30 + b"\r\n{}"
    ),
    "a chunk longer than it says": (
        b"POST /api/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{}}}\r\n0\r\n\r\n"
    ),
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 500,
    "a broken HTTP/2 preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 100,
    "a WebSocket": (
        b"GET /api/whoami HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ),
    "a WebSocket without a key": (
        b"GET /api/whoami HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    ),
    "an upgrade to HTTP/2": (
        b"GET /api/whoami HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
        b"HTTP2-Settings: !!!\r\n\r\n"
    ),
    "CONNECT": b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\nConnection: close\r\n\r\n",
    "TRACE": b"TRACE /health HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nConnection: close\r\n\r\n",
}


@pytest.fixture
async def impatient_hall(open_hall, monkeypatch):
    """A hall that soon hangs up on a connection where nothing happens."""
    monkeypatch.setattr("hypercorn.config.Config.keep_alive_timeout", 0.05)
    async with open_hall() as hall:
        yield hall


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize("name", PROTOCOL)
async def test_bytes_that_are_hardly_http_get_a_refusal_or_nothing(impatient_hall, name):
    before = await state_of(impatient_hall.server.data)
    received = await asyncio.wait_for(impatient_hall.raw(PROTOCOL[name]), 10)
    answer = RawAnswer.parse(received) if received.startswith(b"HTTP/1") else None
    # An unknown transfer coding is the one thing that HTTP itself answers with 501, and it never reaches us.
    assert answer is None or answer.status < 500 or (name, answer.status) == ("an unknown coding", 501)
    assert b"X-Evil" not in received
    assert b"Traceback" not in received
    assert difference(before, await state_of(impatient_hall.server.data)) is None
    assert (await impatient_hall.anonymous.get("/health")).status_code == 200


def _login_in_chunks(body):
    return b"".join(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n" for chunk in body) + b"0\r\n\r\n"


@pytest.mark.hall_databases("sqlite")
async def test_chunks_count_against_the_limit_as_they_come(shared_hall, unchanged):
    await unchanged()
    head = request_bytes("POST", "/api/login", headers={"Transfer-Encoding": "chunked"})
    chunks = [b'"' + b"x" * 65_000] + [b"x" * 65_536] * 20
    answer = RawAnswer.parse(await shared_hall.raw(head + _login_in_chunks(chunks)))
    assert is_refusal(answer, "chunks")["code"] == "too_large"


@pytest.mark.hall_databases("sqlite")
async def test_a_body_in_many_small_chunks_is_one_body(shared_hall):
    head = request_bytes("POST", "/api/login", headers={"Transfer-Encoding": "chunked"})
    body = [bytes([byte]) for byte in b'{"username": "nobody", "password": "nothing"}']
    answer = RawAnswer.parse(await shared_hall.raw(head + _login_in_chunks(body)))
    assert (answer.status, answer.json()["code"]) == (401, "unauthenticated")


# Slow and broken connections

HALF = request_bytes("POST", "/api/login", headers={"Content-Length": "100"}, body=b'{"username": ')
NONE = request_bytes("POST", "/api/login", headers={"Content-Length": "100"})


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize("sent", [HALF, NONE], ids=["half a body", "no body at all"])
async def test_a_body_that_stops_arriving_is_cut_off(shared_hall, monkeypatch, sent):
    monkeypatch.setattr("kernel.http.body.PATIENCE_SECONDS", 0.02)
    monkeypatch.setattr("kernel.http.body.SKIM_SECONDS", 0)
    answer = RawAnswer.parse(await asyncio.wait_for(shared_hall.raw(sent), 10))
    assert is_refusal(answer, "stopped")["code"] == "slow_body"
    assert answer.status == 408


@pytest.mark.hall_databases("sqlite")
async def test_a_body_that_trickles_is_cut_off(shared_hall, monkeypatch):
    """Each byte comes in time, and all of them too slowly: the patience is for the whole."""
    monkeypatch.setattr("kernel.http.body.PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr("kernel.http.body.SKIM_SECONDS", 0)
    host, _, port = shared_hall.base_url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))

    async def trickle():
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.005)

    writer.write(request_bytes("POST", "/api/login", headers={"Content-Length": "1000000"}))
    trickling = asyncio.create_task(trickle())
    try:
        answer = RawAnswer.parse(await asyncio.wait_for(reader.read(-1), 10))
    finally:
        trickling.cancel()
        writer.close()
    assert (answer.status, answer.json()["code"]) == (408, "slow_body")


@pytest.mark.hall_databases("sqlite")
async def test_a_caller_who_hangs_up_leaves_nothing_behind(shared_hall, unchanged):
    caller = shared_hall.acme.member
    await unchanged()
    sent = request_bytes(
        "POST", "/api/notes", token=caller.token, headers={"Content-Length": "100"}, body=b'{"title": "x"'
    )
    assert await shared_hall.raw(sent, half_close=True) == b""
    assert (await shared_hall.anonymous.get("/health")).status_code == 200


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize("sent", [b"", b"GET /hea", b"GET /health HTTP/1.1\r\nHost: x\r\nA: "])
async def test_headers_that_never_end_are_cut_off(impatient_hall, sent):
    assert await asyncio.wait_for(impatient_hall.raw(sent), 10) == b""


@pytest.mark.hall_databases("sqlite")
async def test_neither_http_2_nor_a_websocket_is_spoken(impatient_hall):
    """Their connections can outlive their callers."""
    upgraded = await asyncio.wait_for(impatient_hall.raw(PROTOCOL["an upgrade to HTTP/2"]), 10)
    assert RawAnswer.parse(upgraded).status == 401
    assumed = await asyncio.wait_for(impatient_hall.raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 10)
    assert RawAnswer.parse(assumed).status == 404
    socket = await asyncio.wait_for(impatient_hall.raw(PROTOCOL["a WebSocket"]), 10)
    assert RawAnswer.parse(socket).status == 401
