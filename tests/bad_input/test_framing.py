"""What two servers could read in two ways: refused, and nothing after it is taken for a request."""

import asyncio
from urllib.parse import urlsplit

import pytest

from guildhall_testing.raw import RawAnswer

pytestmark = pytest.mark.hall_databases("sqlite")

GOOD = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
CHUNKED = b"POST /api/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
AMBIGUOUS = {
    "a length and chunks": CHUNKED + b"Content-Length: 3\r\n\r\n0\r\n\r\n",
    "chunks and a length": b"POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "both on a GET": b"GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks in HTTP/1.0": b"POST /api/login HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "line feeds alone": b"GET /health HTTP/1.1\nHost: x\n\n",
    "one bare line feed": b"GET /health HTTP/1.1\r\nHost: x\r\nA: b\nX-Evil: 1\r\n\r\n",
    "a bare line feed after the request line": b"GET /health HTTP/1.1\nHost: x\r\n\r\n",
    "a head that ends with a bare line feed": b"GET /health HTTP/1.1\r\nHost: x\r\n\n",
    "a line feed before the request": b"\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n",
    "a folded header": b"GET /health HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n",
    "a header folded with a tab": b"GET /health HTTP/1.1\r\nHost: x\r\nA: b\r\n\tContent-Length: 9\r\n\r\n",
    "a bare line feed among the trailers": CHUNKED + b"\r\n0\r\nA: b\nC: d\r\n\r\n",
    "a folded trailer": CHUNKED + b"\r\n0\r\nA: b\r\n c\r\n\r\n",
    "a bare line feed in a chunk's extension": CHUNKED + b"\r\n2;a\nb\r\n{}\r\n0\r\n\r\n",
}


async def all_of(hall, sent: bytes) -> bytes:
    async with asyncio.timeout(60):
        return await hall.raw(sent)


@pytest.mark.parametrize("first", [b"", GOOD], ids=["at once", "after a good one"])
@pytest.mark.parametrize("name", AMBIGUOUS)
async def test_it_is_refused_and_the_connection_closed(shared_hall, name, first):
    received = await all_of(shared_hall, first + AMBIGUOUS[name] + GOOD)
    if first:
        good, _, received = received.partition(b'{"ok":true,"multitenant":true}')
        assert good.startswith(b"HTTP/1.1 200")
    answer = RawAnswer.parse(received)
    assert (answer.status, answer.headers["connection"]) == (400, "close")
    assert received.count(b"\r\nx-request-id: ") == 1
    assert answer.json()["code"] == "invalid_request"
    assert answer.headers["x-request-id"] == answer.json()["request_id"]


def in_chunks(body: bytes, size: int) -> bytes:
    pieces = (body[start : start + size] for start in range(0, len(body), size))
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


@pytest.mark.parametrize(("size", "status"), [(1, 400), (15, 400), (17, 401), (1000, 401)])
async def test_a_body_in_thousands_of_tiny_chunks_is_refused(shared_hall, size, status):
    """Each costs more than the bytes in it."""
    body = b'{"username": "nobody", "password": "wrong"' + b" " * 40_000 + b"}"
    sent = CHUNKED + b"Content-Type: application/json\r\nConnection: close\r\n\r\n" + in_chunks(body, size)
    answer = RawAnswer.parse(await all_of(shared_hall, sent))
    assert (answer.status, answer.headers["connection"]) == (status, "close")


async def test_a_bare_line_feed_is_refused_before_the_head_is_over(shared_hall):
    answer = RawAnswer.parse(await all_of(shared_hall, b"GET /health HTTP/1.1\r\nA: b\nC"))
    assert answer.status == 400


@pytest.mark.parametrize(
    ("target", "status"),
    [
        (b"http://x.example/health", 200),
        (b"HTTPS://x.example:8443/health?a=b", 200),
        (b"http://x.example", 200),
        (b"http://x.example?a", 200),
        (b"http://me@x.example/health", 404),
        (b"ftp://x.example/health", 404),
        (b"*", 404),
        (b"xhealth", 404),
    ],
)
async def test_a_target_with_scheme_and_host_is_its_path(shared_hall, target, status):
    sent = GOOD.replace(b"/health", target).replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    assert RawAnswer.parse(await all_of(shared_hall, sent)).status == status


async def test_a_head_request_is_refused_without_a_body(shared_hall):
    sent = AMBIGUOUS["both on a GET"].replace(b"GET", b"HEAD", 1)
    answer = RawAnswer.parse(await all_of(shared_hall, sent))
    assert (answer.status, answer.body) == (400, b"")


async def test_a_head_may_come_byte_by_byte(shared_hall):
    address = urlsplit(shared_hall.base_url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    for byte in GOOD.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"):
        writer.write(bytes([byte]))
        await writer.drain()
    async with asyncio.timeout(60):
        assert (await reader.read()).startswith(b"HTTP/1.1 200")
    writer.close()
