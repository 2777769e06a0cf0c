"""Connections that wait for their next request: kept, closed when idle for long, and told of the end."""

import asyncio
from urllib.parse import urlsplit

import pytest

pytestmark = pytest.mark.any_database

REQUEST = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"


async def connected(hall):
    address = urlsplit(hall.base_url)
    return await asyncio.open_connection(address.hostname, address.port)


async def asked(reader, writer) -> bytes:
    writer.write(REQUEST)
    async with asyncio.timeout(60):
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        return head + await reader.readexactly(length)


async def test_a_connection_serves_one_request_after_the_other(hall):
    reader, writer = await connected(hall)
    for _ in range(5):
        assert (await asked(reader, writer)).startswith(b"HTTP/1.1 200")
    writer.close()


@pytest.mark.parametrize("requests", [0, 1, 3])
async def test_an_idle_connection_is_closed(open_hall, monkeypatch, requests):
    monkeypatch.setattr("libs.listener.listening.CHECK_SECONDS", 0.01)
    monkeypatch.setattr("libs.listener.connection.KEEP_ALIVE_SECONDS", 0.05)
    async with open_hall() as hall:
        reader, writer = await connected(hall)
        for _ in range(requests):
            assert (await asked(reader, writer)).startswith(b"HTTP/1.1 200")
        async with asyncio.timeout(60):
            assert await reader.read() == b""
        writer.close()


async def test_a_head_that_never_ends_is_cut_off(open_hall, monkeypatch):
    monkeypatch.setattr("libs.listener.listening.CHECK_SECONDS", 0.01)
    monkeypatch.setattr("libs.listener.connection.HEAD_SECONDS", 0.05)
    async with open_hall() as hall:
        reader, writer = await connected(hall)
        writer.write(b"GET /health HTTP/1.1\r\nHost: ")
        async with asyncio.timeout(60):
            assert b"200" not in await reader.read()
        writer.close()


async def test_a_server_that_stops_does_not_wait_for_idle_connections(open_hall, monkeypatch):
    monkeypatch.setattr("libs.listener.connection.KEEP_ALIVE_SECONDS", 600)
    async with asyncio.timeout(60):
        async with open_hall() as hall:
            reader, writer = await connected(hall)
            await asked(reader, writer)
        assert await reader.read() == b""
    writer.close()
