"""An answer given before the body was read: its sender hears it, and nothing is left behind."""

import asyncio
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from guildhall_sdk import Auth, Body, Plugin, Reply, Route, hookimpl

pytestmark = pytest.mark.any_database

KIB = 1024


class Deaf:
    """A plugin whose one route takes a body and answers without reading it, when it is told to."""

    PLUGIN = Plugin("deaf", "Deaf", "0.1.0", "Reads no bodies.")

    def __init__(self) -> None:
        self.answering = asyncio.Event()

    async def listen(self, call):
        await self.answering.wait()
        return Reply({})

    @hookimpl
    def declare_routes(self):
        row = Route("POST", "/api/deaf", "listen", "Listen", auth=Auth.PUBLIC, body_kind=Body.RAW)
        return [row]

    @hookimpl
    def declare_handlers(self):
        return {"listen": self.listen}


async def knock(hall, path: str, announced: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    address = urlsplit(hall.base_url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {announced}\r\n\r\n".encode())
    return reader, writer


async def fill(writer: asyncio.StreamWriter) -> None:
    """Sends until everything between here and the handler is full."""
    with suppress(TimeoutError):
        while True:
            writer.write(b"x" * 256 * KIB)
            await asyncio.wait_for(writer.drain(), 0.3)


async def answer_of(reader: asyncio.StreamReader) -> bytes:
    async with asyncio.timeout(60):
        return await reader.readuntil(b"}")


def connections() -> list[asyncio.Task]:
    """What the server still does for a caller: a task per connection and one per request."""
    names = ("Acceptor._serve", "_handle")
    return [task for task in asyncio.all_tasks() if any(name in repr(task.get_coro()) for name in names)]


async def settled() -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(60):
            while connections():  # noqa: ASYNC110 - nothing tells when a task of the server ends
                await asyncio.sleep(0.01)
    return not connections()


@pytest.mark.parametrize("size", [1, 700 * KIB, 1000 * KIB])
async def test_a_whole_body_that_nobody_wanted_still_gets_its_answer(hall, size):
    reader, writer = await knock(hall, "/api/notes", size)
    writer.write(b"x" * size)
    assert (await answer_of(reader)).startswith(b"HTTP/1.1 401")
    writer.transport.abort()


async def test_an_upload_that_nobody_reads_leaves_no_task_behind(open_hall):
    deaf = Deaf()
    async with open_hall(deaf) as hall:
        callers = [await knock(hall, "/api/deaf", 1024 * 1024 * KIB) for _ in range(3)]
        await asyncio.gather(*(fill(writer) for _, writer in callers))
        assert len(connections()) >= len(callers)
        deaf.answering.set()
        for reader, writer in callers:
            # One who goes on sending into a closed connection may miss the answer.
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                assert (await answer_of(reader)).startswith(b"HTTP/1.1 200")
            writer.transport.abort()
        assert await settled()


async def test_an_answer_says_when_it_is_the_last_of_its_connection(hall):
    for announced, last in ((1000 * KIB, False), (64 * 1024 * KIB, True)):
        reader, writer = await knock(hall, "/api/notes", announced)
        writer.write(b"x" * min(announced, 2000 * KIB))
        answer = (await answer_of(reader)).lower()
        assert (b"\r\nconnection: close\r\n" in answer) == last
        writer.transport.abort()


async def test_a_sender_that_stalls_is_answered_all_the_same(hall, monkeypatch):
    monkeypatch.setattr("libs.request_body.SKIM_SECONDS", 0.05)
    reader, writer = await knock(hall, "/api/notes", 1000 * KIB)
    assert (await answer_of(reader)).startswith(b"HTTP/1.1 401")
    writer.transport.abort()
    assert await settled()
