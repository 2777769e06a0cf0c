"""A server that is told to stop: it says so, answers those who wait, finishes, and leaves with 0."""

import asyncio
import json
import signal
from urllib.parse import urlsplit

import pytest

from tests.process.conftest import ready_says

KIND = "x.integrator-demo.lane-report"
CLAIM = {"kinds": [KIND], "max_wait": 25}


class KeptAlive:
    """Asks one request after the other, on the same connection for as long as the server keeps it."""

    def __init__(self, url: str, path: str, token: str | None = None) -> None:
        self._address = urlsplit(url)
        sent = f"Authorization: Bearer {token}\r\n" if token else ""
        self._request = f"GET {path} HTTP/1.1\r\nHost: x\r\n{sent}\r\n".encode()
        self.answered, self.lost, self.closed_by_header = 0, 0, 0
        self.begun = asyncio.Event()

    async def ask_until_refused(self) -> None:
        streams = None
        while True:
            if streams is None:
                try:
                    streams = await asyncio.open_connection(self._address.hostname, self._address.port)
                except ConnectionError:  # also a reset, where the listener closed while it connected
                    return
            reader, writer = streams
            try:
                head = await self._ask(reader, writer)
            except (OSError, asyncio.IncompleteReadError):
                self.lost += 1
                streams = None
                continue
            self.answered += 1
            if self.answered == 3:
                self.begun.set()
            if b"\r\nconnection: close\r\n" in head:
                self.closed_by_header += 1
                writer.close()
                streams = None

    async def _ask(self, reader, writer) -> bytes:
        writer.write(self._request)
        async with asyncio.timeout(60):
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))
        return head


@pytest.mark.any_database
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.long_form)], ids=["term", "int"]
)
async def test_nobody_who_asks_or_waits_is_cut_off(serve, bearer, number):
    async with serve(SERVICE_DRAIN_SECONDS="8") as server:
        member = server.people.acme.team.people["member"]
        async with bearer(server, member) as http, bearer(server, server.people.operator) as operator:
            job = (await http.post("/api/jobs", json={"kind": KIND, "payload": {"lane": "a-b"}})).json()
            made = await operator.post("/api/executors", json={"name": "w", "mode": "pull"})
            worker = {"Authorization": f"Bearer {made.json()['worker_token']}"}
            waits = [
                asyncio.create_task(http.get(f"/api/jobs/{job['id']}", params={"wait": 25}))
                for _ in range(12)
            ]
            await http.post("/api/workers/claim", json={**CLAIM, "max_wait": 0}, headers=worker)
            claim = asyncio.create_task(http.post("/api/workers/claim", json=CLAIM, headers=worker))
            callers = [
                *(KeptAlive(server.base_url, "/api/whoami", member.token) for _ in range(6)),
                *(KeptAlive(server.s3_url, "/") for _ in range(2)),
            ]
            asking = [asyncio.create_task(caller.ask_until_refused()) for caller in callers]
            await asyncio.gather(*(caller.begun.wait() for caller in callers))
            server.signal(number)
            answers = await asyncio.gather(*waits)
            assert [answer.status_code for answer in answers] == [200] * 12
            assert {answer.json()["id"] for answer in answers} == {job["id"]}
            assert (await claim).status_code == 204
            draining = await ready_says(server, 503)
            assert (draining.json()["code"], draining.json()["reason"]) == ("not_ready", "draining")
            assert draining.headers["connection"] == "close"
            await asyncio.gather(*asking)
        assert await server.exit_code() == 0
        assert [caller.lost for caller in callers] == [0] * len(callers)
        assert all(caller.closed_by_header for caller in callers)
        assert (server.errors, server.logged("drain.cut")) == ([], [])
        assert [line for line in server.lines if line["level"] == "error"] == []


@pytest.mark.short_on("sqlite")
async def test_an_upload_under_way_is_finished(serve):
    async with serve(SERVICE_DRAIN_SECONDS="20") as server:
        token = server.people.acme.team.people["member"].token
        reader, writer = await asyncio.open_connection(*server.address)
        half = b"x" * 3 * 1024 * 1024
        writer.write(
            f"PUT /api/repo/big.bin HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Length: {2 * len(half)}\r\n\r\n".encode()
        )
        writer.write(half)
        await writer.drain()
        server.signal()
        await ready_says(server, 503)
        # Longer than nobody else asks for anything: the listener is closed by then.
        async with asyncio.timeout(60):
            while True:
                try:
                    _, probing = await asyncio.open_connection(*server.address)
                except ConnectionRefusedError:
                    break
                probing.close()
                await asyncio.sleep(0.05)
        writer.write(half)
        async with asyncio.timeout(60):
            answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 201") and b"\r\nconnection: close\r\n" in answer
        writer.close()
        assert await server.exit_code() == 0


async def begin_upload(server):
    """An upload that has begun and never goes on."""
    token = server.people.acme.team.people["member"].token
    _, writer = await asyncio.open_connection(*server.address)
    writer.write(
        f"PUT /api/repo/big.bin HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        "Content-Length: 1000000\r\n\r\nx".encode()
    )
    await ready_says(server, 200)
    return writer


PULSE = """
import asyncio
from guildhall_sdk import Route, hookimpl
from guildhall_sdk.replies import EVENT_STREAM, ServerSentEvent, event_stream

async def silent():
    yield ServerSentEvent(event="hello")
    await asyncio.Event().wait()

async def watch(call):
    return event_stream(silent())

async def beat():
    await asyncio.Event().wait()

@hookimpl
def declare_routes():
    return [Route("GET", "/api/pulse", "watch", "Silent", content_type=EVENT_STREAM)]

@hookimpl
def declare_handlers():
    return {"watch": watch}

@hookimpl
async def on_start(host):
    host.background("beating", beat)
"""


@pytest.mark.hall_databases("sqlite")
async def test_streams_end_with_a_last_event_and_hold_nobody_up(serve, bearer, plugin_folder):
    plugins = plugin_folder("pulse", PULSE)
    async with serve(SERVICE_PLUGINS=plugins, SERVICE_DRAIN_SECONDS="600") as server:
        member = server.people.acme.team.people["member"]
        async with bearer(server, member) as http, http.stream("GET", "/api/pulse") as answer:
            lines = answer.aiter_lines()
            while await anext(lines) != "event: hello":
                pass
            server.signal()
            rest = [line async for line in lines]
        assert "event: error" in rest
        (told,) = [json.loads(line.removeprefix("data: ")) for line in rest if '"draining"' in line]
        assert (told["status"], told["code"]) == (503, "not_ready")
        assert await server.exit_code() == 0
        assert (server.errors, server.logged("drain.cut")) == ([], [])
        assert [line for line in server.lines if line["level"] == "error"] == []


STUBBORN = """
import asyncio
import libs.coordination.background
from guildhall_sdk import hookimpl

libs.coordination.background.STOP_SECONDS = 0.1

async def spin():
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            pass

@hookimpl
async def on_start(host):
    host.background("spinning", spin)
"""


@pytest.mark.hall_databases("sqlite")
async def test_work_that_does_not_let_itself_be_ended_keeps_no_server_alive(serve, plugin_folder):
    async with serve(SERVICE_PLUGINS=plugin_folder("stubborn", STUBBORN)) as server:
        server.signal()
        assert await server.exit_code() == 0
    (line,) = server.logged("background.not_stopped")
    assert (line["plugin"], line["work"]) == ("stubborn", "spinning")


@pytest.mark.hall_databases("sqlite")
async def test_what_takes_longer_than_it_may_is_cut(serve):
    async with serve(SERVICE_DRAIN_SECONDS="1") as server:
        writer = await begin_upload(server)
        server.signal()
        assert await server.exit_code() == 0
        assert server.logged("drain.cut")[0]["connections"] == 1
        assert server.errors == []
        writer.close()


@pytest.mark.hall_databases("sqlite")
async def test_a_second_signal_does_not_wait(serve):
    async with serve(SERVICE_DRAIN_SECONDS="600") as server:
        writer = await begin_upload(server)
        server.signal(signal.SIGHUP)
        await ready_says(server, 503)
        server.signal(signal.SIGINT)
        assert await server.exit_code() == 0
        assert server.errors == []
        writer.close()


@pytest.mark.hall_databases("sqlite")
async def test_a_request_on_an_idle_connection_is_answered_while_it_drains(serve):
    async with serve(SERVICE_DRAIN_SECONDS="20") as server:
        caller = KeptAlive(server.base_url, "/health")
        streams = await asyncio.open_connection(*server.address)
        assert b"connection: close" not in await caller._ask(*streams)
        server.signal()
        await ready_says(server, 503)
        assert b"connection: close" in await caller._ask(*streams)
        assert await streams[0].read() == b""
        streams[1].close()
        assert await server.exit_code() == 0


@pytest.mark.hall_databases("sqlite")
async def test_a_signal_while_it_starts_ends_it_without_a_word(serve):
    async with serve(until_started=False) as server:
        async with asyncio.timeout(60):
            while True:
                try:
                    _, writer = await asyncio.open_connection(*server.address)
                    break
                except ConnectionRefusedError:
                    await asyncio.sleep(0.001)
        server.signal(signal.SIGINT)
        assert await server.exit_code() == 0
        writer.close()
    assert server.errors == []


ANSWER = """
import asyncio
from guildhall_sdk import Route, hookimpl
from guildhall_sdk.replies import EVENT_STREAM, ServerSentEvent, event_stream
from guildhall_sdk.services.server import Readiness

async def in_two_pieces(host):
    yield ServerSentEvent(event="first")
    await host.service(Readiness).until_stopping()
    yield ServerSentEvent(event="second")

async def endless():
    while True:
        yield ServerSentEvent(event="piece")
        await asyncio.sleep(0.05)

async def answer(call):
    return event_stream(in_two_pieces(call.host), prefetch=True)

async def go_on(call):
    return event_stream(endless(), prefetch=True)

@hookimpl
def declare_routes():
    return [
        Route("GET", "/api/answer", "answer", "Answers", content_type=EVENT_STREAM),
        Route("GET", "/api/endless", "go_on", "Answers without an end", content_type=EVENT_STREAM),
    ]

@hookimpl
def declare_handlers():
    return {"answer": answer, "go_on": go_on}
"""


async def lines_behind(answer, name):
    """The lines of a stream behind its first event of this name, as they come."""
    lines = answer.aiter_lines()
    while await anext(lines) != f"event: {name}":
        pass
    return lines


@pytest.mark.hall_databases("sqlite")
async def test_a_stream_of_an_answer_is_finished_and_new_ones_are_served_while_it_drains(
    serve, bearer, plugin_folder
):
    plugins = plugin_folder("answer", ANSWER)
    async with serve(SERVICE_PLUGINS=plugins, SERVICE_DRAIN_SECONDS="60") as server:
        member = server.people.acme.team.people["member"]
        async with bearer(server, member) as http:
            async with http.stream("GET", "/api/answer") as answer:
                lines = await lines_behind(answer, "first")
                server.signal()
                rest = [line async for line in lines]
            assert "event: second" in rest and "event: error" not in rest
            chat = await http.post("/api/ai/chat/stream", json={"prompt": "What is a guild?"})
            assert (chat.status_code, "event: done" in chat.text) == (200, True)
        assert await server.exit_code() == 0
        assert (server.errors, server.logged("drain.cut")) == ([], [])


@pytest.mark.hall_databases("sqlite")
async def test_an_answer_that_is_not_through_in_time_ends_with_a_word(serve, bearer, plugin_folder):
    plugins = plugin_folder("answer", ANSWER)
    async with serve(SERVICE_PLUGINS=plugins, SERVICE_DRAIN_SECONDS="1") as server:
        member = server.people.acme.team.people["member"]
        async with bearer(server, member) as http, http.stream("GET", "/api/endless") as answer:
            lines = await lines_behind(answer, "piece")
            server.signal()
            rest = [line async for line in lines]
        assert "event: error" in rest
        assert await server.exit_code() == 0
        assert (server.errors, server.logged("drain.cut")) == ([], [])
