"""Connections to endpoints: in the clear and by TLS, whatever comes back and whoever ends them."""

import asyncio
import ssl
from contextlib import aclosing, asynccontextmanager, suppress

import pytest

from libs.outbound_http import HttpFault, HttpTimeout, transport
from libs.outbound_http.transport import open_client
from tests.s3_clients.tls import make_certificate, tls_in_front_of

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHello"


@pytest.fixture
async def client():
    async with aclosing(open_client()) as client:
        yield client


async def ask(client, url, body=b"{}"):
    async with aclosing(await client.send("POST", url, {}, body)) as answer:
        return answer.status, b"".join([chunk async for chunk in answer.chunks()])


async def read_request(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    return await reader.readexactly(int(head.lower().split(b"content-length:")[1].split()[0]))


@asynccontextmanager
async def served(handle):
    """The address of a server that gives each connection to `handle`."""

    async def connected(reader, writer):
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await handle(reader, writer)
        writer.close()

    async with await asyncio.start_server(connected, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


class Connections:
    """Answers each request, and does `then` with the connection."""

    def __init__(self, then):
        self.made = 0
        self.then = then
        self.done = asyncio.Event()

    async def __call__(self, reader, writer):
        self.made += 1
        while True:
            await read_request(reader)
            writer.write(ANSWER)
            await self.then(writer)
            self.done.set()


async def test_a_connection_is_used_again(client):
    async def nothing(writer):
        return None

    connections = Connections(nothing)
    async with served(connections) as url:
        for _ in range(3):
            assert await ask(client, url) == (200, b"Hello")
    assert connections.made == 1


async def test_one_that_was_closed_meanwhile_is_not_used_again(client):
    async def end(writer):
        writer.close()
        await writer.wait_closed()
        raise ConnectionError

    connections = Connections(end)
    async with served(connections) as url:
        for _ in range(3):
            assert await ask(client, url) == (200, b"Hello")
            await asyncio.sleep(0.02)
    assert connections.made == 3


async def test_one_on_which_something_came_that_nobody_asked_for_is_not_used_again(client):
    async def say_more(writer):
        await writer.drain()
        await asyncio.sleep(0.01)
        writer.write(ANSWER.replace(b"Hello", b"Wrong"))
        await writer.drain()

    connections = Connections(say_more)
    async with served(connections) as url:
        for _ in range(3):
            connections.done.clear()
            assert await ask(client, url) == (200, b"Hello")
            await connections.done.wait()
            await asyncio.sleep(0.02)
    assert connections.made == 3


async def test_head_and_body_come_in_one_piece(client):
    pieces = []

    async def handle(reader, writer):
        pieces.append(await reader.read(65_536))
        writer.write(ANSWER)

    async with served(handle) as url:
        assert await ask(client, url, b'{"a": 1}') == (200, b"Hello")
    assert pieces[0].endswith(b'\r\n\r\n{"a": 1}')


async def test_large_bodies_go_both_ways_at_the_pace_of_who_reads(client):
    size = 6 * 1024 * 1024

    async def handle(reader, writer):
        await asyncio.sleep(0.05)
        body = await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()

    async with served(handle) as url, aclosing(await client.send("POST", url, {}, b"x" * size)) as answer:
        received = 0
        async for chunk in answer.chunks():
            received += len(chunk)
            if received < size // 2:
                await asyncio.sleep(0.001)
    assert received == size


async def test_an_answer_before_the_end_of_the_request_is_heard(client):
    async def handle(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
        await writer.drain()
        while await reader.read(65_536):
            pass

    async with served(handle) as url:
        assert await ask(client, url, b"x" * 4_000_000) == (413, b"no")


@pytest.mark.parametrize(
    "answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nHello", b"What?\r\n\r\n"]
)
async def test_one_that_breaks_off_or_speaks_something_else_is_a_fault(client, answer):
    async def handle(reader, writer):
        await read_request(reader)
        writer.write(answer)

    async with served(handle) as url:
        with pytest.raises(HttpFault):
            await ask(client, url)
    with pytest.raises(HttpFault):  # nobody is there any more
        await ask(client, url)


async def test_a_connection_that_is_not_made_in_time_is_a_timeout(client, monkeypatch):
    async def never(*_, **__):
        await asyncio.Event().wait()

    monkeypatch.setattr(asyncio.get_running_loop(), "sock_connect", never)
    monkeypatch.setitem(transport._TIMEOUTS["timeout"], "connect", 0.01)
    with pytest.raises(HttpTimeout):
        await ask(client, "http://127.0.0.1:9")


@pytest.mark.parametrize("secure", [False, True])
async def test_who_stops_reading_ends_the_endpoints_work_at_once(secure, tmp_path, trusting):
    left = asyncio.Event()

    async def handle(reader, writer):
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n")
        await reader.read()
        left.set()

    async with served(handle) as url, trusting(url, secure) as (client, address), asyncio.timeout(60):
        answer = await client.send("POST", address, {}, b"{}")
        async with aclosing(answer.chunks()) as chunks:
            assert await anext(chunks) == b"a"
        await answer.aclose()
        await left.wait()


async def test_tls_is_spoken_and_a_stranger_is_not_trusted(trusting, client):
    async def nothing(writer):
        return None

    connections = Connections(nothing)
    body = b"x" * 1_000_000
    async with served(connections) as url, trusting(url, True) as (trusted, address):
        assert [await ask(trusted, address, body) for _ in range(2)] == [(200, b"Hello")] * 2
        assert connections.made == 1
        with pytest.raises(HttpFault):
            await ask(client, address)
    assert connections.made <= 2


@pytest.fixture
def trusting(tmp_path, monkeypatch):
    """A client, and the address by which it asks: by TLS, or as it is."""

    @asynccontextmanager
    async def trusting(url, secure):
        if not secure:
            async with aclosing(open_client()) as client:
                yield client, url
            return
        trusted, shown = make_certificate(tmp_path)
        context = ssl.create_default_context(cafile=trusted)
        with monkeypatch.context() as patched:
            patched.setattr(transport, "_trust", lambda: context)
            client = open_client()
        async with tls_in_front_of(url, shown) as address, aclosing(client):
            yield client, address

    return trusting
