"""A stream that has nothing to say for now ends with its caller, not with its next chunk."""

import asyncio
from contextlib import aclosing

import pytest

from kernel.http.context import ApiRequestBody
from libs.request_body import ClientGone

pytestmark = pytest.mark.hall_databases("sqlite")

PATIENCE_SECONDS = 60
ASKING = b"GET /api/silence HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize("how", ["close", "reset"])
async def test_a_caller_who_hangs_up_ends_it(slow_hall, slow, connect, how):
    reader, writer = await connect(slow_hall)
    writer.write(ASKING)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await reader.readuntil(b"first")
        assert slow.streaming == 1
        writer.close() if how == "close" else writer.transport.abort()
        await slow.over.wait()
    assert slow.streaming == 0


async def test_a_caller_who_stays_gets_all_of_it(slow_hall, slow, connect):
    reader, writer = await connect(slow_hall)
    writer.write(ASKING)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await reader.readuntil(b"first")
        slow.released.set()
        await reader.readuntil(b"last")
    writer.close()


class Caller:
    """Hangs up when it is told to."""

    def __init__(self):
        self.gone = asyncio.Event()

    async def receive(self):
        await self.gone.wait()
        return {"type": "http.disconnect"}


async def test_a_source_that_does_not_let_itself_be_stopped_gives_nothing_more():
    caller, given = Caller(), []

    async def stubborn():
        for number in range(3):
            try:
                await asyncio.sleep(0)
                if number:
                    caller.gone.set()
                    await asyncio.Event().wait()
            except asyncio.CancelledError:
                pass
            yield b"%d" % number

    async with asyncio.timeout(PATIENCE_SECONDS):
        with pytest.raises(ClientGone):
            async for chunk in ApiRequestBody(caller.receive, unread=False).while_wanted(stubborn()):
                given.append(chunk)
    assert given == [b"0"]


async def test_a_cancellation_from_elsewhere_goes_on():
    caller = Caller()

    async def endless():
        await asyncio.Event().wait()
        yield b""

    async def take():
        async with aclosing(ApiRequestBody(caller.receive, unread=False).while_wanted(endless())) as chunks:
            async for _ in chunks:
                raise ClientGone

    task = asyncio.create_task(take())
    await asyncio.sleep(0)
    task.cancel()
    caller.gone.set()
    with pytest.raises(asyncio.CancelledError):
        await task
