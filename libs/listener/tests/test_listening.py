"""A listener by itself, with no more than an ASGI application and the defaults."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from libs.listener import AddressTaken, ConnectionLimits, Drain, Policy, bound_socket, listen

GET = b"GET /path HTTP/1.1\r\nHost: h\r\n\r\n"


async def application(scope, receive, send):
    body = scope["path"].encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def listening(app=application, **options):
    listener, stop, at_once = bound_socket("127.0.0.1:0"), asyncio.Event(), asyncio.Event()
    drain = Drain(at_once=at_once)
    task = asyncio.create_task(listen(app, listener, stop, drain=drain, **options))
    try:
        yield listener.getsockname()[1]
    finally:
        stop.set()
        at_once.set()
        await task


async def said(port, request):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    writer.write_eof()
    answer = await reader.read()
    writer.close()
    return answer


async def test_an_application_is_served_without_further_settings():
    async with listening() as port:
        answer = await said(port, GET)
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n") and answer.endswith(b"\r\n\r\n/path")


async def test_what_is_no_request_is_refused_in_the_words_of_the_server():
    async with listening() as port:
        answer = await said(port, b"no request\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 Bad Request\r\n") and b"not a request" in answer


async def test_one_connection_too_many_is_told_so_and_an_exempt_address_is_not(monkeypatch):
    monkeypatch.setattr("libs.listener.listening.PER_ADDRESS", 1)
    for exempt, status in ((False, b"503"), (True, b"200")):
        limits = ConnectionLimits(exempt=lambda address, exempt=exempt: exempt)
        async with listening(limits=limits) as port:
            _, held = await asyncio.open_connection("127.0.0.1", port)
            answer = await said(port, GET)
            held.close()
        assert answer.startswith(b"HTTP/1.1 " + status)


async def test_a_connection_takes_its_turn_before_what_came_is_read_and_requests_know_its_holder():
    taken, holders = [], []

    class Holder:
        def __init__(self, address):
            self.address = address

        async def take_turn(self):
            taken.append(self.address)

    async def noting(scope, receive, send):
        holders.append(scope["state"]["mine"])
        await application(scope, receive, send)

    policy = Policy(new_holder=Holder, holder_key="mine", headers=[(b"x-always", b"1")])
    async with listening(noting, policy=policy) as port:
        answer = await said(port, GET)
    assert b"x-always: 1\r\n" in answer
    assert taken and taken[0] == "127.0.0.1" and holders[0].address == "127.0.0.1"


def test_an_address_that_is_taken_says_what_to_do():
    with bound_socket("127.0.0.1:0") as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(AddressTaken, match="stop the server that does, or set another port"):
            bound_socket(address)


@pytest.mark.parametrize(
    "promise",
    [
        test_an_application_is_served_without_further_settings,
        test_what_is_no_request_is_refused_in_the_words_of_the_server,
        test_a_connection_takes_its_turn_before_what_came_is_read_and_requests_know_its_holder,
    ],
)
def test_uvloop_keeps_the_promise_too(promise):
    """Its sockets and transports are others: those of a closed connection have no descriptor."""
    uvloop = pytest.importorskip("uvloop")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(promise())
