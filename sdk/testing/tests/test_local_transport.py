"""The test client's own HTTP/1.1 reads what a server may say, and raises what httpx would."""

import asyncio
import os
import resource
from contextlib import asynccontextmanager

import httpx
import pytest

from guildhall_testing.transport import LocalTransport


@asynccontextmanager
async def saying(*answers):
    """Serves each request of each connection the next of these bytes, and hangs up after the last."""
    connections, remaining = [], list(answers)

    async def serve(reader, writer):
        connections.append(writer)
        while remaining:
            try:
                await reader.readuntil(b"\r\n\r\n")
            except asyncio.IncompleteReadError:
                break
            said = remaining.pop(0)
            writer.write(said.removesuffix(b"<gone>"))
            if said.endswith(b"<gone>"):
                break
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with httpx.AsyncClient(base_url=base_url, transport=LocalTransport()) as http:
        yield http, connections
    server.close()


WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: 1\r\nx-a: 2\r\n\r\nhello"


@pytest.mark.parametrize(
    "said",
    [
        WHOLE,
        b"HTTP/1.1 100 Continue\r\n\r\n" + WHOLE,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\nX-End: 1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\nhello<gone>",
    ],
    ids=["by its length", "after being told to go on", "in chunks", "until the end"],
)
async def test_an_answer_is_read_to_its_end(said):
    async with saying(said) as (http, _):
        answer = await http.get("/")
    assert (answer.status_code, answer.text) == (200, "hello")
    if b"X-A" in said:
        assert answer.headers.get_list("x-a") == ["1", "2"]


async def test_a_connection_is_used_again_as_long_as_the_server_keeps_it():
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
    async with saying(WHOLE, head, WHOLE + b"<gone>", WHOLE) as (http, connections):
        await http.get("/")
        assert (await http.head("/")).headers["content-length"] == "5"
        await http.get("/")
        assert len(connections) == 1
        await connections[0].wait_closed()
        assert (await http.get("/")).text == "hello"
        assert len(connections) == 2


async def test_a_connection_is_used_again_however_many_files_are_open():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    opened = [os.dup(0) for _ in range(1100)]
    try:
        async with saying(WHOLE, WHOLE) as (http, connections):
            for _ in range(2):
                assert (await http.get("/")).text == "hello"
            assert len(connections) == 1
    finally:
        for one in opened:
            os.close(one)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("said", [b"<gone>", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello<gone>"])
async def test_a_server_that_hangs_up_is_an_error(said):
    async with saying(said) as (http, _):
        with pytest.raises(httpx.RemoteProtocolError):
            await http.get("/")


async def test_a_server_that_is_not_there_is_an_error():
    async with saying() as (http, _):
        closed = http.base_url
    async with httpx.AsyncClient(base_url=closed, transport=LocalTransport()) as http:
        with pytest.raises(httpx.ConnectError):
            await http.get("/")


async def test_a_stream_that_is_left_gives_its_connection_up():
    async with saying(WHOLE, WHOLE) as (http, connections):
        async with http.stream("GET", "/"):
            pass
        assert (await http.get("/")).text == "hello"
        assert len(connections) == 2
