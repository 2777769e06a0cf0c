"""Clients that wait to be told to send their body, as boto3 and the AWS command line do."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builtin_plugins.s3.tests.clients import NOTHING
from guildhall_testing.raw import RawAnswer

# What goes over the wire is the same whatever keeps it.
pytestmark = [pytest.mark.hall_databases("sqlite"), pytest.mark.shared_server]

UNSIGNED = {"x-amz-content-sha256": "UNSIGNED-PAYLOAD"}


@pytest.fixture
def waiting(hall, bucket, signed):
    """`async with waiting(headers, length) as (reader, writer)`: the head is sent, the body is not."""

    @asynccontextmanager
    async def waiting(headers, length):
        host = hall.addresses["s3"].removeprefix("http://")
        framing = {"Host": host, "Content-Length": str(length), "Expect": "100-continue"}
        lines = [f"{name}: {value}" for name, value in {**headers, **framing}.items()]
        reader, writer = await asyncio.open_connection(*host.split(":"))
        try:
            writer.write("\r\n".join([f"PUT /{bucket.name}/key HTTP/1.1", *lines, "", ""]).encode())
            async with asyncio.timeout(60):
                yield reader, writer
        finally:
            writer.close()

    return waiting


async def test_who_may_send_is_told_so_in_full(waiting, signed, bucket):
    """Older clients do not know a 100 without its words."""
    async with waiting(signed("PUT", "/key", **UNSIGNED)[1], 5) as (reader, writer):
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"hello")
        assert (await reader.readline()).startswith(b"HTTP/1.1 200 OK")
    assert await bucket.read("key") == b"hello"


@pytest.mark.parametrize("headers", [{}, UNSIGNED, {"Authorization": "AWS4-HMAC-SHA256 nonsense"}])
async def test_who_is_unknown_is_refused_and_not_told_to_go_on(waiting, headers):
    async with waiting(headers, 5) as (reader, _):
        answer = RawAnswer.parse(await reader.read(-1))
    assert answer.status in (400, 403)
    assert answer.headers.get("connection") == "close"


async def test_what_is_not_offered_is_refused_before_the_body_comes(waiting, signed):
    headers = signed("PUT", "/key", **UNSIGNED, **{"x-amz-storage-class": "GLACIER"})[1]
    async with waiting(headers, 5) as (reader, _):
        assert RawAnswer.parse(await reader.read(-1)).status == 501


async def test_who_waits_to_send_nothing_is_let_go_with_the_answer(waiting, signed, bucket):
    """An old client takes that answer for the one to its next request, if there is one on the connection."""
    async with waiting(signed("PUT", "/key", **{"x-amz-content-sha256": NOTHING})[1], 0) as (reader, _):
        answer = RawAnswer.parse(await reader.read(-1))
    assert (answer.status, answer.headers.get("connection")) == (200, "close")
    assert await bucket.read("key") == b""
