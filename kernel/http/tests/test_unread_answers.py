"""Answers that nobody reads: bounded while they wait, cut after a while, and no trouble to others."""

import asyncio

import pytest

from kernel.http.tests.conftest import KIB

pytestmark = pytest.mark.hall_databases("sqlite")

FLOOD = b"GET /api/flood HTTP/1.1\r\nHost: x\r\n\r\n"


def serving():
    """The tasks of connections that are still served."""
    return [task for task in asyncio.all_tasks() if "Acceptor._serve" in repr(task.get_coro())]


async def test_who_takes_nothing_is_cut_off(slow_hall, slow, connect, eventually, caplog):
    unread = [await connect(slow_hall) for _ in range(20)]
    for _, writer in unread:
        writer.write(FLOOD)
    await eventually(lambda: slow.streaming == 20)
    assert (await slow_hall.anonymous.get("/health")).status_code == 200
    await eventually(lambda: slow.streaming == 0)
    assert [record.msg for record in caplog.records if record.levelname == "ERROR"] == []
    for reader, writer in unread:
        with pytest.raises(ConnectionResetError):
            while await reader.read(64 * KIB):
                pass
        writer.close()


async def test_little_is_made_ready_for_who_does_not_read(slow_hall, slow, connect, eventually):
    _, writer = await connect(slow_hall)
    writer.write(FLOOD)
    await eventually(lambda: slow.streaming == 1)
    await eventually(lambda: slow.streaming == 0)
    assert slow.chunks < 32
    writer.close()


async def test_who_reads_slowly_but_steadily_is_served(slow_hall, slow, connect):
    """For several times as long as one may take nothing."""
    loop = asyncio.get_running_loop()
    reader, writer = await connect(slow_hall)
    writer.write(FLOOD)
    began = loop.time()
    while loop.time() - began < 2:
        await reader.readexactly(8 * KIB)
        await asyncio.sleep(0.01)
    slow.released.set()
    async with asyncio.timeout(60):
        await _to_the_end(reader)
    writer.close()


async def _to_the_end(reader) -> None:
    last = b""
    while not last.endswith(b"\r\n0\r\n\r\n"):
        piece = await reader.read(256 * KIB)
        assert piece, "the answer was cut"
        last = (last + piece)[-16:]


async def test_many_requests_on_one_connection_are_answered_one_at_a_time(
    slow_hall, slow, connect, eventually
):
    _, writer = await connect(slow_hall)
    writer.write(FLOOD * 5000)
    await eventually(lambda: slow.streaming == 1)
    await eventually(lambda: slow.streaming == 0)
    assert slow.chunks < 32
    await eventually(lambda: not serving())
    writer.close()


async def test_who_closed_their_half_and_reads_nothing_is_cut_off_too(slow_hall, slow, connect, eventually):
    _, writer = await connect(slow_hall)
    writer.write(FLOOD)
    await eventually(lambda: slow.streaming == 1)
    writer.write_eof()
    await eventually(lambda: slow.streaming == 0)
    writer.close()


async def test_requests_after_the_last_answer_leave_nothing_behind(slow_hall, connect, eventually):
    """The answer is the last of its connection: what follows is not read, and the answer arrives."""
    reader, writer = await connect(slow_hall)
    writer.write(b"GET /api/last HTTP/1.1\r\nHost: x\r\n\r\n" * 5000)
    async with asyncio.timeout(60):
        answer = await reader.read()
    assert answer.count(b"HTTP/1.1 200") == 1
    writer.close()
    await eventually(lambda: not serving())
