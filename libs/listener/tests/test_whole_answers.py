"""Answers in one piece: their heads are what h11 would have made of them."""

import asyncio
from typing import Any

import h11
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from libs.listener import Drain, bound_socket, listen
from libs.listener.messages import StrictConnection, plain_headers

NAMES = st.sampled_from(
    [b"Content-Length", b"content-length", b"ETag", b"x-a", b"Transfer-Encoding", b"a b", b""]
)
VALUES = st.one_of(
    st.sampled_from(
        [b"", b"5", b"5, 5", b" 5", b"5\t", b"+5", b"9" * 30, b"a\r\nb: c", b"\x00", b"\xff", b"a\tb"]
    ),
    st.binary(max_size=12),
)


@given(st.lists(st.tuples(NAMES, VALUES), max_size=6))
@example([(b"content-length", b"5"), (b"content-length", b"6")])
@example([(b"etag", b"x\r\ny: z")])
def test_what_is_taken_for_plain_is_what_h11_makes_of_it(pairs: list[tuple[bytes, bytes]]) -> None:
    taken = plain_headers({"status": 200, "headers": pairs})
    if taken is not None:
        judged = h11.Response(status_code=200, headers=pairs).headers
        assert taken == judged._full_items


def test_what_an_answer_usually_says_is_plain() -> None:
    usual = [(b"Content-Type", b"text/plain; charset=utf-8"), (b"ETag", b'"a-1"'), (b"content-length", b"12")]
    assert plain_headers({"status": 200, "headers": usual}) is not None


async def _answered(start: dict[str, Any], *, stopping: bool = False) -> h11.Response:
    """The answer of a mounted application that begins so, to a client that would go on."""

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, **start})
        await send({"type": "http.response.body", "body": b"ok"})

    listener, stop, at_once = bound_socket("127.0.0.1:0"), asyncio.Event(), asyncio.Event()
    port = listener.getsockname()[1]
    drain = Drain(seconds=60, quiet=60, at_once=at_once)
    listening = asyncio.create_task(listen(application, listener, stop, drain=drain))
    if stopping:
        stop.set()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nHost: hall\r\n\r\n")
    received = await reader.readuntil(b"ok")
    at_once.set()
    stop.set()
    writer.close()
    await listening
    reading = h11.Connection(h11.CLIENT)
    reading.send(h11.Request(method="GET", target="/", headers=[("Host", "hall")]))
    reading.receive_data(received)
    answer = reading.next_event()
    assert isinstance(answer, h11.Response)
    return answer


@pytest.mark.parametrize(
    "start",
    [
        pytest.param({}, id="none"),
        pytest.param({"headers": (pair for pair in [(b"x-a", b" 1"), (b"content-length", b"2")])}, id="once"),
    ],
)
async def test_headers_may_be_left_out_or_be_there_to_be_read_once(start: dict[str, Any]) -> None:
    answer = await _answered(start)
    assert answer.status_code == 200
    assert dict(answer.headers).get(b"x-a") == (b"1" if start else None)


async def test_a_server_that_stops_closes_whatever_the_application_says() -> None:
    headers = [(b"connection", b"keep-alive"), (b"content-length", b"2")]
    answer = await _answered({"headers": headers}, stopping=True)
    assert dict(answer.headers)[b"connection"] == b"close"


REQUESTS = [
    b"GET / HTTP/1.1\r\nHost: h\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
    b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    b"HEAD / HTTP/1.1\r\nHost: h\r\n\r\n",
    b"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n",
    b"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc",
]
SENT = st.lists(
    st.sampled_from(
        [(b"content-length", b"2"), (b"Content-Length", b"3"), (b"connection", b"close"), (b"ETag", b'"a"')]
    ),
    max_size=3,
    unique_by=lambda pair: pair[0].lower(),
)


def _asked(request: bytes) -> StrictConnection:
    connection = StrictConnection(64 * 1024)
    connection.receive_data(request)
    while connection.next_event() not in (h11.NEED_DATA, h11.PAUSED):
        pass
    return connection


@given(st.sampled_from(REQUESTS), st.sampled_from([200, 204, 304, 404]), SENT, st.sampled_from([b"ok", b""]))
def test_an_answer_past_h11_is_what_h11_sends_and_leaves_it_where_h11_would_be(
    request: bytes, status: int, pairs: list[tuple[bytes, bytes]], body: bytes
) -> None:
    ours, theirs = _asked(request), _asked(request)
    items = [(name, name.lower(), value) for name, value in pairs]
    head = ours.whole_answer(status, b"Said", items, body)
    if head is None:
        return
    sent = theirs.send(h11.Response(status_code=status, reason=b"Said", headers=pairs))
    sent += theirs.send(h11.Data(data=body)) if body else b""
    sent += theirs.send(h11.EndOfMessage())
    assert head + body == sent
    assert ours.states == theirs.states
    assert ours.client_is_waiting_for_100_continue == theirs.client_is_waiting_for_100_continue


@given(st.sampled_from(REQUESTS), st.sampled_from([200, 204, 304, 404]), SENT)
@example(REQUESTS[0], 200, [(b"ETag", b'"a"')])
@example(REQUESTS[5], 200, [])
def test_a_head_past_h11_is_what_h11_sends_and_chunks_follow_it(
    request: bytes, status: int, pairs: list[tuple[bytes, bytes]]
) -> None:
    ours, theirs = _asked(request), _asked(request)
    head = ours.chunked_head(status, b"Said", [(name, name.lower(), value) for name, value in pairs])
    if head is None:
        return
    assert head == theirs.send(h11.Response(status_code=status, reason=b"Said", headers=pairs))
    assert ours.states == theirs.states
    for event in (h11.Data(data=b"ok"), h11.EndOfMessage()):
        assert ours.send(event) == theirs.send(event)
        assert ours.states == theirs.states
    assert ours.client_is_waiting_for_100_continue == theirs.client_is_waiting_for_100_continue


def test_the_usual_head_of_a_stream_goes_past_h11() -> None:
    assert _asked(REQUESTS[0]).chunked_head(200, b"OK", [(b"ETag", b"etag", b'"a"')]) is not None
