"""Bytes off the wire: lines however they are cut, and waits that end."""

import asyncio
from contextlib import aclosing, suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builtin_plugins.executors import answers
from builtin_plugins.executors.answers import EventLines, StreamTooLarge, WaitLimit
from builtin_plugins.executors.endpoints import open_client
from builtin_plugins.executors.model_endpoint import HttpModelEndpoint

LINES = [
    b'data: {"a": 1}',
    b"data:{}",
    b"data:",
    b"",
    b": comment",
    b"event: x",
    b"data: [DONE]",
    b"\xc3\xa9",
]
STREAMS = st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from([b"\n", b"\n\n", b"\r\n"])), max_size=8)


@given(STREAMS, st.booleans(), st.lists(st.integers(0, 120), max_size=12))
def test_however_bytes_are_cut_the_same_data_comes_out(parts, is_open, cuts):
    text = b"".join(line + end for line, end in parts) + (b"data: last" if is_open else b"")
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    lines, found = EventLines(), []
    for start, end in pairwise(edges):
        found += lines.add(text[start:end])
    found += lines.finish()
    expected = [line[5:].strip() for line, _ in parts if line.startswith(b"data:")]
    assert found == [data for data in expected if data] + ([b"last"] if is_open else [])


@pytest.mark.parametrize("name", ["MAX_LINE_BYTES", "MAX_STREAM_BYTES"])
def test_what_is_too_large_is_refused(monkeypatch, name):
    monkeypatch.setattr(answers, name, 100)
    lines = EventLines()
    with pytest.raises(StreamTooLarge):
        for _ in range(20):
            lines.add(b"data: x" * 5)


async def test_a_wait_that_lasts_too_long_is_ended_and_the_next_begins_anew():
    limit, never = WaitLimit(), asyncio.Event()
    assert await limit.wait(asyncio.sleep(0, "soon"), 60) == "soon"
    for seconds in (0.02, 0.01):
        with pytest.raises(TimeoutError):
            await limit.wait(never.wait(), seconds)
    assert await limit.wait(asyncio.sleep(0.03, "in time"), 60) == "in time"
    assert asyncio.current_task().cancelling() == 0
    limit.close()


async def test_time_between_two_waits_does_not_count():
    limit = WaitLimit()
    await limit.wait(asyncio.sleep(0), 0.01)
    await asyncio.sleep(0.03)
    assert await limit.wait(asyncio.sleep(0, "soon"), 0.01) == "soon"
    limit.close()


async def test_who_is_cancelled_while_waiting_is_cancelled():
    limit = WaitLimit()
    waiting = asyncio.create_task(limit.wait(asyncio.Event().wait(), 60))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    limit.close()


async def test_many_silent_turns_keep_nobody_else_waiting(model_server):
    model_server.silent = True
    async with aclosing(open_client()) as client:
        endpoint = HttpModelEndpoint(lambda: client, model_server.url, None, timeout_seconds=60)
        silent = [asyncio.create_task(endpoint.call({"messages": []})) for _ in range(220)]
        async with asyncio.timeout(60):
            while len(model_server.requests) < 220:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        for turn in silent:
            turn.cancel()
        await asyncio.gather(*silent, return_exceptions=True)


@pytest.mark.parametrize(("end", "expected"), [(b"0\r\n\r\n", 1), (b"", 2)])
async def test_a_connection_is_used_again_after_a_stream_that_ended(end, expected):
    connections = 0
    event = b'data: {"choices": [{"delta": {"content": "x"}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

    async def serve(reader, writer):
        nonlocal connections
        connections += 1
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                asked = await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(int(asked.lower().split(b"content-length:")[1].split()[0]))
                writer.write(head + b"%x\r\n%b\r\n" % (len(event), event) + end)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server, aclosing(open_client()) as client:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        endpoint = HttpModelEndpoint(lambda: client, url, None, timeout_seconds=10)
        for _ in range(2):
            assert len([chunk async for chunk in endpoint.stream({"messages": []})]) == 1
    assert connections == expected
