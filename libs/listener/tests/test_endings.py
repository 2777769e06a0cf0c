"""How a connection ends: what has come by then is answered, and a last answer says that it is the last."""

import asyncio
import socket
import sys
from contextlib import asynccontextmanager

import pytest

from libs.listener import ConnectionLimits, Policy, bound_socket
from libs.listener.listening import Acceptor
from libs.listener.protocol import Serving
from libs.listener.tests.test_listening import GET, application

KIB = 1024
LONG_AFTER = 3600.0


class Fixed:
    """An acceptor whose connections are looked at when a test says so, and a plain socket that calls it."""

    def __init__(self, acceptor, caller):
        self.acceptor, self.caller = acceptor, caller

    async def ask(self, request):
        self.caller.sendall(request)
        return await self.answer()

    async def answer(self):
        """Returns what the server says next, up to the end of an answer, or nothing where it hung up."""
        received, loop = b"", asyncio.get_running_loop()
        self.caller.setblocking(False)
        async with asyncio.timeout(60):
            while not received.endswith(b"/path"):
                piece = await loop.sock_recv(self.caller, 64 * KIB)
                received += piece
                if not piece:
                    break
        self.caller.setblocking(True)
        return received


@asynccontextmanager
async def accepting(app=application, stopping=None):
    listener = bound_socket("127.0.0.1:0")
    serving = Serving(app, stopping or asyncio.Event(), Policy())
    acceptor = Acceptor(listener, serving, ConnectionLimits())
    with socket.create_connection(listener.getsockname()) as caller:
        try:
            yield Fixed(acceptor, caller)
        finally:
            await acceptor.close()


async def test_what_came_in_the_moment_in_which_an_idle_connection_was_to_end_is_answered():
    """The loop was busy for long: what it finds next is a request, and that nothing has come for so long."""
    now = asyncio.get_running_loop().time() + LONG_AFTER
    async with accepting() as fixed:
        assert b"200 OK" in await fixed.ask(GET)
        (connection,) = fixed.acceptor.connections
        for looked_at in (lambda: connection.check_timeouts(now), lambda: fixed.acceptor.end_idle(0.0)):
            for turns in range(3):  # in the system still, in the reader, and looked at
                fixed.caller.sendall(GET)
                for _ in range(turns):
                    await asyncio.sleep(0)
                looked_at()
                assert b"200 OK" in await fixed.answer()
        connection.check_timeouts(now)
        assert await fixed.answer() == b""


def answering(*, whole=True, length=True):
    """An application that answers by the head of a request, in one piece or two, with a length or without."""

    async def answer(scope, receive, send):
        headers = [(b"content-length", b"5")] if length else []
        await send({"type": "http.response.start", "status": 403, "headers": headers})
        if not whole:
            await send({"type": "http.response.body", "body": b"/p", "more_body": True})
        await send({"type": "http.response.body", "body": b"/path" if whole else b"ath"})

    return answer


async def read_to_the_end(caller):
    received, loop = b"", asyncio.get_running_loop()
    caller.setblocking(False)
    async with asyncio.timeout(60):
        while piece := await loop.sock_recv(caller, 64 * KIB):
            received += piece
    return received


@pytest.mark.parametrize("framed", [b"Content-Length: 9", b"Transfer-Encoding: chunked"])
@pytest.mark.parametrize("whole", [True, False], ids=["whole", "pieces"])
@pytest.mark.parametrize("length", [True, False], ids=["length", "chunks"])
async def test_an_answer_to_a_request_that_has_not_all_come_says_that_it_is_the_last(framed, whole, length):
    async with accepting(answering(whole=whole, length=length)) as fixed:
        fixed.caller.sendall(b"POST /path HTTP/1.1\r\nHost: h\r\n%b\r\n\r\n" % framed)
        answer = await read_to_the_end(fixed.caller)
    assert answer.startswith(b"HTTP/1.1 403 Forbidden\r\n") and b"\r\nconnection: close\r\n" in answer.lower()


async def test_an_answer_to_a_request_that_has_all_come_is_followed_by_others():
    async with accepting() as fixed:
        for _ in range(3):
            answer = await fixed.ask(b"POST /path HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi")
            assert b"200 OK" in answer and b"connection: close" not in answer.lower()


async def test_the_last_of_so_many_requests_is_told_that_it_is():
    async with accepting() as fixed:
        assert b"200 OK" in await fixed.ask(GET)
        (connection,) = fixed.acceptor.connections
        connection._protocol.config.keep_alive_max_requests = 3
        assert b"connection: close" not in (await fixed.ask(GET)).lower()
        assert b"connection: close" in (await fixed.ask(GET)).lower()
        assert await fixed.answer() == b""


async def test_who_goes_on_sending_what_was_refused_hears_the_answer(monkeypatch):
    """Bytes that nobody reads would take it back: such a sender reads only when all of its own is out."""
    monkeypatch.setattr("libs.listener.connection.LINGER_SECONDS", 0.2)
    loop, pause = asyncio.get_running_loop(), 0.05
    async with accepting(answering()) as fixed:
        fixed.caller.sendall(b"POST /path HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n")
        fixed.caller.setblocking(False)
        began = loop.time()
        while loop.time() - began < 1.0:  # longer than a silence is waited for
            await loop.sock_sendall(fixed.caller, b"x" * KIB)
            await asyncio.sleep(pause)
        answer = await read_to_the_end(fixed.caller)
    assert answer.startswith(b"HTTP/1.1 403 Forbidden\r\n") and answer.endswith(b"/path")


class Late(socket.socket):
    """A listening socket: whenever nobody waits to be accepted, `then` is called before that is told."""

    then = staticmethod(lambda: None)

    def accept(self):
        try:
            return super().accept()
        except BlockingIOError:
            self.then()
            raise


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is no way to let nobody in any more")
async def test_who_comes_in_the_moment_in_which_the_listener_closes_is_refused_and_not_cut_off():
    """One that was let in and never accepted would be reset, with the request that was sent on it."""
    listener = Late(fileno=bound_socket("127.0.0.1:0").detach())
    address, callers = listener.getsockname(), []

    def come():
        callers.append(socket.socket())
        callers[-1].setblocking(False)
        callers[-1].connect_ex(address)

    acceptor = Acceptor(listener, Serving(application, asyncio.Event(), Policy()), ConnectionLimits())
    listener.then = come
    acceptor.close_listener()
    assert callers
    for caller in callers:
        with caller, pytest.raises(ConnectionRefusedError):
            async with asyncio.timeout(60):
                await asyncio.get_running_loop().sock_connect(caller, address)
            caller.send(GET)
    await acceptor.close()


@pytest.mark.parametrize(
    "promise",
    [
        test_what_came_in_the_moment_in_which_an_idle_connection_was_to_end_is_answered,
        test_an_answer_to_a_request_that_has_all_come_is_followed_by_others,
    ],
)
def test_uvloop_keeps_the_promise_too(promise):
    """It looks at its timers before it looks at its sockets."""
    uvloop = pytest.importorskip("uvloop")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(promise())
