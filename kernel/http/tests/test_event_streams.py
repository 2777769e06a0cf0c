"""Server-sent events: as they look on the wire, and how a stream ends."""

import asyncio
import json
import logging
from dataclasses import replace
from types import SimpleNamespace

import pytest

from guildhall_sdk import Auth, Plugin, Route, hookimpl
from guildhall_sdk.engines.pools import LocalChannel
from guildhall_sdk.errors import BadGateway, GatewayTimeout
from guildhall_sdk.replies import EVENT_STREAM, ServerSentEvent, event_stream
from guildhall_testing.conformance import cases_for
from kernel.background import background
from kernel.http.event_streams import EventChunks, OpenStreams, encode

pytestmark = pytest.mark.hall_databases("sqlite")

PATIENCE_SECONDS = 60


# On the wire.


@pytest.mark.parametrize(
    ("event", "wire"),
    [
        (ServerSentEvent(data={"n": 1}), 'data: {"n":1}\n\n'),
        (ServerSentEvent(event="tick", id="7", data=None), "id: 7\nevent: tick\ndata: null\n\n"),
        (ServerSentEvent(data="a\nb\r\nc: d"), 'data: "a\\nb\\r\\nc: d"\n\n'),
        (
            ServerSentEvent(text="one\ntwo\r\nthree\rid: 4"),
            "data: one\ndata: two\ndata: three\ndata: id: 4\n\n",
        ),
        (ServerSentEvent(text=""), "data: \n\n"),
        (ServerSentEvent(data="ü\u2028"), 'data: "ü\u2028"\n\n'),
        (ServerSentEvent(data="\ud800"), 'data: "?"\n\n'),
    ],
)
def test_an_event_is_written_as_the_standard_says(event, wire):
    assert encode(event) == wire.encode()


@pytest.mark.parametrize("unfit", ["a\nb", "a\rdata: b", "a\r\n\r\n", "a\0", 7])
@pytest.mark.parametrize("field", ["event", "id"])
def test_a_name_or_an_id_cannot_smuggle_in_another_line(field, unfit):
    with pytest.raises(ValueError, match=f"the {field} of an event must be text on one line"):
        ServerSentEvent(**{field: unfit})


@pytest.mark.parametrize("data", [float("nan"), object()])
def test_what_is_no_json_is_no_event(data):
    with pytest.raises((TypeError, ValueError)):
        encode(ServerSentEvent(data=data))


# Through the front door.


class Pulse:
    """Streams what a test puts into it, and notes when the source is closed."""

    PLUGIN = Plugin("pulse", "Pulse", "0.1.0", "Streams.")

    def __init__(self):
        self.given = asyncio.Queue()
        self.closed = asyncio.Event()
        self.asked_for = 0

    async def beats(self):
        try:
            while True:
                self.asked_for += 1
                beat = await self.given.get()
                if isinstance(beat, Exception):
                    raise beat
                if beat is None:
                    return
                yield beat
        finally:
            self.closed.set()

    async def watch(self, call):
        return event_stream(self.beats())

    async def answer(self, call):
        return event_stream(self.beats(), prefetch=True)

    async def tagged(self, call):
        return replace(event_stream(self.beats()), etag='"one"')

    async def flood(self, call):
        async def numbers():
            while True:
                self.asked_for += 1
                yield ServerSentEvent(data="x" * 256 * 1024)

        return event_stream(numbers())

    @hookimpl
    def declare_routes(self):
        stream = {"content_type": EVENT_STREAM, "permission": "notes:read"}
        return [
            Route("GET", "/api/pulse", "watch", "Beats as they come", **stream),
            Route("POST", "/api/pulse", "answer", "Beats, or a refusal", **stream),
            Route("GET", "/api/tagged", "tagged", "Beats with a tag", **stream),
            Route("GET", "/api/flood", "flood", "Very many", auth=Auth.PUBLIC, content_type=EVENT_STREAM),
        ]

    @hookimpl
    def declare_handlers(self):
        named = (self.watch, self.answer, self.tagged, self.flood)
        return {handler.__name__: handler for handler in named}


@pytest.fixture
def pulse():
    return Pulse()


@pytest.fixture
async def pulsing(open_hall, pulse):
    async with open_hall(pulse) as hall:
        yield hall


async def open_count(hall):
    metrics = (await hall.operator.get("/api/metrics", headers={"Accept": "text/plain"})).text
    return float(metrics.split("\nguildhall_http_event_streams ")[1].split("\n")[0])


async def test_events_come_as_they_are_made_until_the_source_ends(pulsing, pulse):
    async with pulsing.acme.member.events("GET", "/api/pulse") as events:
        pulse.given.put_nowait(ServerSentEvent(event="beat", id="1", data={"n": 1}))
        first = await anext(events)
        assert (first.event, first.id, first.data) == ("beat", "1", {"n": 1})
        assert await open_count(pulsing) == 1
        pulse.given.put_nowait(ServerSentEvent(text="two\nlines"))
        pulse.given.put_nowait(None)
        assert [(one.event, one.text) async for one in events] == [("message", "two\nlines")]
    assert pulse.closed.is_set()
    assert await open_count(pulsing) == 0


async def test_the_head_comes_before_the_first_event(pulsing, pulse, connect):
    reader, writer = await connect(pulsing)
    token = pulsing.acme.member.token
    writer.write(f"GET /api/pulse HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    assert head.startswith("HTTP/1.1 200 ")
    for line in (
        "content-type: text/event-stream",
        "cache-control: private, no-store",
        "x-accel-buffering: no",
    ):
        assert f"\r\n{line}\r\n" in head
    writer.close()
    await pulse.closed.wait()


async def test_a_silent_source_is_kept_alive_by_comments_and_closed_with_its_caller(
    pulsing, pulse, connect, monkeypatch, eventually
):
    monkeypatch.setattr("kernel.http.event_streams.KEEP_ALIVE_SECONDS", 0.01)
    reader, writer = await connect(pulsing)
    token = pulsing.acme.member.token
    writer.write(f"GET /api/pulse HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    await reader.readuntil(b"\r\n:\n\n\r\n")
    await reader.readuntil(b"\r\n:\n\n\r\n")
    assert pulse.asked_for == 1
    writer.close()
    await pulse.closed.wait()
    await eventually(lambda: not pulsing.server.streams._open)


async def test_a_problem_becomes_the_last_event(pulsing, pulse):
    pulse.given.put_nowait(ServerSentEvent(data=1))
    pulse.given.put_nowait(GatewayTimeout("The model did not answer.", code="executor_timeout"))
    async with pulsing.acme.member.events("GET", "/api/pulse", headers={"X-Request-Id": "Trace-1"}) as events:
        seen = [one async for one in events]
    assert [one.event for one in seen] == ["message", "error"]
    told = seen[1].data
    assert (told["status"], told["code"], told["detail"]) == (
        504,
        "executor_timeout",
        "The model did not answer.",
    )
    assert told["request_id"] == "Trace-1"


@pytest.mark.parametrize(
    "fault",
    [
        RuntimeError("hunter2 is the password"),
        ServerSentEvent(data=object()),
        BadGateway("It failed.", extra=object()),
        "data: forged\n\n",
    ],
)
async def test_a_fault_is_for_the_log_alone(pulsing, pulse, caplog, fault):
    pulse.given.put_nowait(fault)
    with caplog.at_level(logging.ERROR, "guildhall"):
        async with pulsing.acme.member.events("GET", "/api/pulse") as events:
            (only,) = [one async for one in events]
    assert (only.event, only.data["status"], only.data["code"]) == ("error", 500, "internal")
    assert "hunter2" not in only.text
    (line,) = [record for record in caplog.records if record.msg == "stream.failed"]
    assert line.fields["plugin"] == "pulse"


async def test_what_fails_before_the_first_event_is_answered_with_its_status(pulsing, pulse):
    pulse.given.put_nowait(BadGateway("The model failed.", code="model_unavailable"))
    answer = await pulsing.acme.member.post("/api/pulse")
    assert (answer.status_code, answer.json()["code"]) == (502, "model_unavailable")
    for beat in (ServerSentEvent(data=1), ServerSentEvent(data=2), None):
        pulse.given.put_nowait(beat)
    async with pulsing.acme.member.events("POST", "/api/pulse") as events:
        assert [one.data async for one in events] == [1, 2]


@pytest.mark.parametrize("how", ["event", "problem", "gone"])
async def test_a_first_event_that_takes_long_is_waited_for_with_comments(
    pulsing, pulse, connect, monkeypatch, how
):
    monkeypatch.setattr("kernel.http.event_streams.KEEP_ALIVE_SECONDS", 0.01)
    reader, writer = await connect(pulsing)
    head = f"POST /api/pulse HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {pulsing.acme.member.token}\r\n"
    writer.write(f"{head}Content-Length: 0\r\n\r\n".encode())
    assert (await reader.readline()).startswith(b"HTTP/1.1 200")
    await reader.readuntil(b"\r\n:\n\n\r\n")
    await reader.readuntil(b"\r\n:\n\n\r\n")
    if how == "event":
        pulse.given.put_nowait(ServerSentEvent(data=1))
        await reader.readuntil(b"data: 1\n\n")
    elif how == "problem":
        pulse.given.put_nowait(BadGateway("The model failed.", code="model_unavailable"))
        await reader.readuntil(b"event: error\n")
        assert b'"status":502' in await reader.readline()
    writer.close()
    await pulse.closed.wait()
    assert pulse.asked_for == (2 if how == "event" else 1)


@pytest.mark.parametrize("how", ["gone", "stopping"])
async def test_nobody_waits_for_a_first_event_that_nobody_wants(pulsing, pulse, how, eventually):
    asking = asyncio.create_task(pulsing.acme.member.post("/api/pulse"))
    await eventually(lambda: pulse.asked_for)
    if how == "gone":
        asking.cancel()
    else:
        pulsing.server.streams._drain_seconds = 0.0  # the time is over that an answer may take
        pulsing.server.life.stopping.set()
        answer = await asking
        assert (answer.status_code, answer.json()["reason"]) == (503, "draining")
    await eventually(pulse.closed.is_set)


async def test_a_stream_is_a_request_under_way_of_its_credential(pulsing, pulse, monkeypatch):
    monkeypatch.setattr("libs.fair_slots.shares.PER_CREDENTIAL", 1)
    pulse.given.put_nowait(ServerSentEvent(data=1))
    async with pulsing.acme.member.events("GET", "/api/pulse") as events:
        await anext(events)
        assert (await pulsing.acme.member.get("/api/whoami")).status_code == 429
        assert (await pulsing.acme.owner.get("/api/whoami")).status_code == 200
    await pulse.closed.wait()


async def test_a_source_is_not_asked_for_more_than_its_caller_takes(pulsing, pulse, connect, eventually):
    reader, writer = await connect(pulsing)
    writer.write(b"GET /api/flood HTTP/1.1\r\nHost: x\r\n\r\n")
    await reader.readuntil(b"\r\n\r\n")
    await eventually(lambda: pulse.asked_for > 1)
    while (asked_for := pulse.asked_for) != await after_a_while(pulse):
        pass
    assert asked_for < 100
    writer.close()


async def after_a_while(pulse):
    for _ in range(200):
        await asyncio.sleep(0.001)
    return pulse.asked_for


async def test_a_head_request_begins_no_stream(pulsing, pulse):
    answer = await pulsing.acme.member.request("HEAD", "/api/pulse")
    assert (answer.status_code, answer.headers["content-type"]) == (200, EVENT_STREAM)
    assert (pulse.asked_for, await open_count(pulsing)) == (0, 0)


async def test_a_stream_that_a_tag_makes_needless_is_closed(pulsing, pulse):
    answer = await pulsing.acme.member.get("/api/tagged", headers={"If-None-Match": '"one"'})
    assert (answer.status_code, await open_count(pulsing)) == (304, 0)


async def test_a_stream_ends_soon_after_its_credential(pulsing, pulse, monkeypatch):
    monkeypatch.setattr("kernel.http.event_streams.RECHECK_SECONDS", 0)
    ends_at = pulsing.clock.now_ms() + 60_000
    token = await pulsing.with_token(pulsing.acme.member, expires_at=ends_at)
    async with token.events("GET", "/api/pulse") as events:
        pulse.given.put_nowait(ServerSentEvent(data="before"))
        assert (await anext(events)).data == "before"
        pulsing.clock.advance(minutes=2)
        pulse.given.put_nowait(ServerSentEvent(data="after"))
        (last,) = [one async for one in events]
    assert (last.event, last.data["status"], last.data["code"]) == ("error", 401, "unauthenticated")


@pytest.mark.hall_databases("sqlite", "postgresql")
@pytest.mark.parametrize("way", ["GET", "POST"])
@pytest.mark.parametrize(
    ("ending", "path", "status", "code"),
    [
        ("POST", "/api/org/members/{}/suspend", 403, "person_suspended"),
        ("DELETE", "/api/org/members/{}", 401, "unauthenticated"),
        ("DELETE", "/api/members/{}", 401, "unauthenticated"),
    ],
)
async def test_a_stream_ends_at_once_with_its_person(open_hall, pulse, way, ending, path, status, code):
    async with open_hall(pulse) as hall, asyncio.timeout(PATIENCE_SECONDS):
        acme, body = hall.acme, {} if way == "POST" else None
        pulse.given.put_nowait(ServerSentEvent(data="before"))
        async with acme.member.events(way, "/api/pulse", body) as events:
            assert (await anext(events)).data == "before"
            await acme.org_owner.post(f"/api/org/members/{acme.viewer.user_id}/suspend")
            ended = await acme.org_owner.request(ending, path.format(acme.member.user_id))
            assert ended.status_code in (200, 204), ended.text
            pulse.given.put_nowait(ServerSentEvent(data="after"))
            (last,) = [one async for one in events]
        assert (last.event, last.data["status"], last.data["code"]) == ("error", status, code)
        assert not hall.server.streams._open


async def test_a_stopping_server_ends_each_stream_with_a_last_event(pulsing, pulse):
    pulse.given.put_nowait(ServerSentEvent(data=1))
    async with pulsing.acme.member.events("GET", "/api/pulse") as events:
        assert (await anext(events)).data == 1
        pulsing.server.life.stopping.set()
        (last,) = [one async for one in events]
    await pulse.closed.wait()
    assert (last.event, last.data["status"], last.data["code"], last.data["reason"]) == (
        "error",
        503,
        "not_ready",
        "draining",
    )


async def test_nothing_follows_the_last_event_of_a_source_when_the_server_stops():
    async def done():
        yield ServerSentEvent(event="done")

    alone = SimpleNamespace(pool=SimpleNamespace(announcements=lambda *_: LocalChannel()))
    streams, chunks = OpenStreams(None, background(), 25, alone), []
    stream = EventChunks(done(), "pulse", lambda problem: None, None, is_answer=False)
    streams.begin(stream)
    async for chunk in stream:
        chunks.append(chunk)
        if b"done" in chunk:
            stream.stop()
    assert chunks == [b"event: done\ndata: null\n\n"]


async def test_a_source_that_does_not_let_itself_be_closed_is_named(
    open_hall, make_plugin, monkeypatch, caplog, eventually
):
    monkeypatch.setattr("libs.coordination.background.STOP_SECONDS", 0.05)
    free, over = asyncio.Event(), asyncio.Event()

    async def stubborn():
        try:
            yield ServerSentEvent(data=1)
            while not free.is_set():
                try:
                    await asyncio.sleep(3600)
                except asyncio.CancelledError:
                    over.set()
                    await free.wait()
        finally:
            over.set()

    async def watch(call):
        return event_stream(stubborn())

    route = Route("GET", "/api/stubborn", "watch", "Stubborn", content_type=EVENT_STREAM)
    plugin = make_plugin("stubborn", routes=[route], handlers={"watch": watch})
    with caplog.at_level(logging.ERROR, "guildhall"):
        async with open_hall(plugin) as hall:
            async with hall.acme.member.events("GET", "/api/stubborn") as events:
                await anext(events)
            await over.wait()
            assert (await hall.acme.member.get("/api/whoami")).status_code == 200
            await eventually(lambda: caplog.records)
            free.set()
    fields = caplog.records[0].fields
    assert (caplog.records[0].msg, fields["plugin"], fields["work"]) == (
        "background.not_stopped",
        "stubborn",
        "event stream",
    )


async def test_the_generator_judges_streams_that_never_end(open_hall, make_plugin, monkeypatch):
    monkeypatch.setattr("guildhall_testing.conformance.trial.SILENCE_SECONDS", 0.05)
    monkeypatch.setattr("guildhall_testing.conformance.isolation.SILENCE_SECONDS", 0.05)

    async def endless(who):
        yield ServerSentEvent(data={"team": who.team_id})
        await asyncio.Event().wait()

    async def watch(call):
        return event_stream(endless(call.principal))

    route = Route(
        "GET", "/api/endless", "watch", "Endless", permission="notes:read", content_type=EVENT_STREAM
    )
    async with (
        open_hall(make_plugin("endless", routes=[route], handlers={"watch": watch})) as hall,
        asyncio.timeout(PATIENCE_SECONDS),
    ):
        cases = cases_for(hall.registry, {"endless"})
        assert {"while suspended", "another tenant's data"} <= {case.kind for case in cases}
        for case in cases:
            await case.run(hall)
        described = (await hall.anonymous.get("/api/openapi.json")).json()["paths"]["/api/endless"]["get"]
        assert described["responses"]["200"]["content"] == {EVENT_STREAM: {"schema": {}}}
        assert json.dumps(described)
