"""Ids, paths and queries that name nothing: 404 or 400, never more."""

import json

import pytest

from guildhall_sdk import Body
from guildhall_sdk.replies import EVENT_STREAM
from guildhall_testing.conformance.samples import example_body, fill
from guildhall_testing.conformance.trial import Trial
from tests.bad_input.shares import share_of


def takes_json(row):
    return row.method in ("POST", "PUT", "PATCH", "DELETE") and row.body_kind is Body.JSON


#: Where a name stands in a path, and what one that nothing has, or can have, is refused as.
OF_NAMES = {
    "/api/models/:name": ("invalid_request", "unknown_model"),
    "/api/team-secrets/:name": ("invalid_request",),
    "/v1/models/:model": ("unknown_model",),
}
#: What answers the same to everybody, so that nobody learns which there are.
TELLS_NOTHING = {"/hooks/waits/:id"}


def has_ids(row):
    """Of something that is there; a PUT to a name or to the rest of a path makes what it names."""
    if row.path in TELLS_NOTHING or (row.method == "PUT" and row.path in OF_NAMES):
        return False
    return ":" in row.path or ("*" in row.path and row.method != "PUT")


def takes_no_bytes(row):
    """Any body is right for one that takes bytes."""
    return row.body_kind is Body.JSON


def _never_ends(row):
    """A stream that is followed, and has no end while nothing happens."""
    return row.method == "GET" and row.content_type == EVENT_STREAM


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


@pytest.mark.rows(where=has_ids)
@pytest.mark.strict_on_postgresql
async def test_a_hostile_id_names_nothing(shared_hall, send, code_of, bound, unchanged):
    trial = Trial(shared_hall, bound)
    caller = await trial.caller(shared_hall.acme)
    await unchanged()
    body = json.dumps(example_body(bound.row) or {}).encode() if takes_json(bound.row) else b""
    for name, hostile in share_of(IDS.items(), bound, one_in=3):
        path = fill(bound.row.path, [hostile] * len(trial.parameters))
        answer = await send(caller, bound.row.method, path, body)
        code = code_of(answer, f"{name}: {path[:100]}")
        assert code == "not_found" or code in OF_NAMES.get(bound.row.path, ()), name


PATHS = (
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


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path[:30])
async def test_a_path_that_is_not_in_the_table_is_not_found(shared_hall, send, path):
    for method in ("GET", "POST", "OPTIONS", "HEAD"):
        answer = await send(shared_hall.acme.owner, method, path)
        assert answer.status in (400, 404), f"{method} {path[:50]} answered {answer.status}"


@pytest.mark.hall_databases("sqlite")
async def test_an_address_with_its_host_is_read_for_its_path_alone(shared_hall, send):
    answer = await send(shared_hall.anonymous, "GET", "http://elsewhere.example/api/whoami")
    assert 400 <= answer.status < 500


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


def _reads(row):
    return takes_no_bytes(row) and row.method in ("GET", "HEAD") and not _never_ends(row)


def _writes(row):
    return takes_no_bytes(row) and row.method not in ("GET", "HEAD")


@pytest.mark.rows(where=_reads)
@pytest.mark.strict_on_postgresql
async def test_a_hostile_query_never_fails_a_read(shared_hall, send, code_of, bound, unchanged):
    await _send_hostile_queries(shared_hall, send, code_of, bound, unchanged)


@pytest.mark.rows(where=_writes)
@pytest.mark.hall_databases("sqlite")  # its body is refused before anything is asked
@pytest.mark.before_the_handler
async def test_a_hostile_query_never_fails_a_write(shared_hall, send, code_of, bound, unchanged):
    await _send_hostile_queries(shared_hall, send, code_of, bound, unchanged)


async def _send_hostile_queries(shared_hall, send, code_of, bound, unchanged):
    trial = Trial(shared_hall, bound)
    caller, path = await trial.owner_of_path(shared_hall.acme)
    await unchanged()
    for query in share_of(QUERIES, bound, one_in=4):
        answer = await send(caller, bound.row.method, path + query, b"" if trial.reads else b"{")
        assert answer.status < 500, f"{query[:50]} answered {answer.status} {answer.body[:200]!r}"
        assert "x-evil" not in answer.headers
        if answer.status >= 400:
            code_of(answer, query[:50])
