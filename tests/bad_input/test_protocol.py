"""Bytes that are hardly HTTP, and connections that are slow or break."""

import asyncio

import pytest

from guildhall_testing.conformance.state import Snapshot
from guildhall_testing.raw import RawAnswer, request_bytes
from kernel.http.context import ApiRequestBody, SlowBody

pytestmark = pytest.mark.hall_databases("sqlite")

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


@pytest.mark.parametrize("name", PROTOCOL)
async def test_bytes_that_are_hardly_http_get_a_refusal_or_nothing(impatient_hall, name):
    with Snapshot(impatient_hall.server.data) as before:
        received = await asyncio.wait_for(impatient_hall.raw(PROTOCOL[name]), 60)
    answer = RawAnswer.parse(received) if received.startswith(b"HTTP/1") else None
    # An unknown transfer coding is the one thing that HTTP itself answers with 501, and it never reaches us.
    assert answer is None or answer.status < 500 or (name, answer.status) == ("an unknown coding", 501)
    assert b"X-Evil" not in received
    assert b"Traceback" not in received
    assert await before.changes() is None
    assert (await impatient_hall.anonymous.get("/health")).status_code == 200


def _login_in_chunks(body):
    return b"".join(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n" for chunk in body) + b"0\r\n\r\n"


async def test_chunks_count_against_the_limit_as_they_come(shared_hall, code_of, unchanged):
    await unchanged()
    head = request_bytes("POST", "/api/login", headers={"Transfer-Encoding": "chunked"})
    chunks = [b'"' + b"x" * 65_000] + [b"x" * 65_536] * 20
    answer = RawAnswer.parse(await shared_hall.raw(head + _login_in_chunks(chunks)))
    assert (answer.status, code_of(answer, "chunks")) == (413, "too_large")


async def test_a_body_in_many_small_chunks_is_one_body(shared_hall):
    head = request_bytes("POST", "/api/login", headers={"Transfer-Encoding": "chunked"})
    body = [bytes([byte]) for byte in b'{"username": "nobody", "password": "nothing"}']
    answer = RawAnswer.parse(await shared_hall.raw(head + _login_in_chunks(body)))
    assert (answer.status, answer.json()["code"]) == (401, "unauthenticated")


HALF = request_bytes("POST", "/api/login", headers={"Content-Length": "100"}, body=b'{"username": ')
NONE = request_bytes("POST", "/api/login", headers={"Content-Length": "100"})


@pytest.mark.parametrize("sent", [HALF, NONE], ids=["half a body", "no body at all"])
async def test_a_body_that_stops_arriving_is_cut_off(shared_hall, code_of, monkeypatch, sent):
    monkeypatch.setattr("libs.request_body.RequestBody.patience_seconds", 0.02)
    monkeypatch.setattr("libs.request_body.SKIM_SECONDS", 0)
    answer = RawAnswer.parse(await asyncio.wait_for(shared_hall.raw(sent), 60))
    assert (answer.status, code_of(answer, "stopped")) == (408, "slow_body")


async def test_a_body_that_trickles_is_cut_off(monkeypatch):
    """Each byte comes in time, and all of them too slowly: there is a patience for the whole."""
    monkeypatch.setattr("libs.request_body.RequestBody.patience_seconds", 0.05)
    monkeypatch.setattr("libs.request_body.MINIMUM_RATE", 10**12)
    sent = 0

    async def receive():
        nonlocal sent
        sent += 1
        await asyncio.sleep(0)
        return {"type": "http.request", "body": b" ", "more_body": True}

    with pytest.raises(SlowBody):
        await ApiRequestBody(receive, unread=True).read(10**9)
    assert sent > 1


async def test_a_caller_who_hangs_up_leaves_nothing_behind(shared_hall, unchanged):
    caller = shared_hall.acme.member
    await unchanged()
    sent = request_bytes(
        "POST", "/api/notes", token=caller.token, headers={"Content-Length": "100"}, body=b'{"title": "x"'
    )
    assert RawAnswer.parse(await shared_hall.raw(sent, half_close=True)).status in (0, 400)
    assert (await shared_hall.anonymous.get("/health")).status_code == 200


@pytest.mark.parametrize("sent", [b"", b"GET /hea", b"GET /health HTTP/1.1\r\nHost: x\r\nA: "])
async def test_headers_that_never_end_are_cut_off(impatient_hall, sent):
    assert await asyncio.wait_for(impatient_hall.raw(sent), 60) == b""


async def test_neither_http_2_nor_a_websocket_is_spoken(impatient_hall):
    """Their connections can outlive their callers."""
    upgraded = await asyncio.wait_for(impatient_hall.raw(PROTOCOL["an upgrade to HTTP/2"]), 60)
    assert RawAnswer.parse(upgraded).status == 401
    assumed = await asyncio.wait_for(impatient_hall.raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 60)
    assert RawAnswer.parse(assumed).status == 404
    socket = await asyncio.wait_for(impatient_hall.raw(PROTOCOL["a WebSocket"]), 60)
    assert RawAnswer.parse(socket).status == 401
