"""News between the parts of a plugin, in one process and between two; heard at most once."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from guildhall_sdk import JobKind, NewJob, Plugin, Reply, Route, Statement, Tool, hookimpl
from guildhall_sdk.context import MAX_NEWS_BYTES
from guildhall_sdk.public import PluginDeprecation
from guildhall_sdk.services.jobs import Jobs
from kernel.boot import Server

PATIENCE_SECONDS = 60
_FAIL = Statement("fail", "SELECT nothing FROM nowhere", "SELECT nothing FROM nowhere")


class Teller:
    """Tells through every host that it is given."""

    PLUGIN = Plugin("teller", "Teller", "0.1.0", "Tells.")

    async def say(self, call):
        news = call.host.news("said")
        async with call.write() as writer:
            writer.after_commit(lambda: news.announce({"by": "row"}))
            if call.body.get("fails"):
                await writer.one(_FAIL)
        await self.enqueue(call)
        return Reply({})

    async def enqueue(self, call):
        caller = call.principal
        async with call.write() as writer:
            job = NewJob(
                kind="x.teller.say", org_id=caller.org_id, team_id=caller.team_id, user_id=caller.user_id
            )
            await call.service(Jobs).enqueue(writer, job)

    async def work(self, job):
        job.host.news("said").announce({"by": "job"})

    async def tool(self, host, principal, arguments):
        host.news("said").announce({"by": "tool"})

    @hookimpl
    def declare_routes(self):
        return [Route("POST", "/api/say", "say", "Say", permission="notes:write", body={})]

    @hookimpl
    def declare_handlers(self):
        return {"say": self.say}

    @hookimpl
    def declare_job_kinds(self):
        return [JobKind("x.teller.say", "Says.", handler=self.work)]

    @hookimpl
    def declare_tools(self):
        return [Tool("say", "Says.", "search", hosted=self.tool)]

    @hookimpl
    async def on_start(self, host):
        self.host = host


@pytest.fixture
def teller():
    return Teller()


@pytest.fixture
async def telling(open_hall, teller, make_plugin):
    async with open_hall(teller, make_plugin("other")) as hall:
        yield hall


@asynccontextmanager
async def beside(hall, plugin):
    """Another server process on the hall's database."""
    server = Server(hall.server.settings, clock=hall.clock, extra_plugins=[plugin])
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


async def until(true):
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not true():  # noqa: ASYNC110 - the connection to the others takes a moment
            await asyncio.sleep(0.01)


async def heard_soon(heard):
    """The next that says something."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (payload := await anext(heard)) is None:
            pass
    return payload


async def test_whatever_host_a_plugin_is_given_speaks_on_its_own_channels(telling, teller):
    with (
        teller.host.news("said").listen() as heard,
        teller.host.news("else").listen() as elsewhere,
        telling.server.host_of("other").news("said").listen() as foreign,
    ):
        await telling.acme.member.post("/api/say", {})
        assert await heard_soon(heard) == {"by": "row"}
        await telling.drain_jobs()
        assert await heard_soon(heard) == {"by": "job"}
        await telling.tool("say", as_=telling.acme.member)
        assert await heard_soon(heard) == {"by": "tool"}
        for others in (elsewhere, foreign):
            assert set(others._unread) <= {None}


async def test_nobody_hears_of_what_is_rolled_back(telling, teller):
    with teller.host.news("said").listen() as heard:
        assert (await telling.acme.member.post("/api/say", {"fails": True})).status_code == 500
        teller.host.news("said").announce({"by": "test"})
        assert await heard_soon(heard) == {"by": "test"}


@pytest.mark.hall_databases("postgresql")
async def test_another_process_hears_it_too_and_hears_itself_once(telling, teller):
    second = Teller()
    async with beside(telling, second) as other:
        here, there = teller.host.news("said"), second.host.news("said")
        with here.listen() as heard_here, there.listen() as heard_there:
            await until(lambda: telling.server.rates.listening and other.rates.listening)
            for number in range(3):
                here.announce({"n": number, "text": '"' * 1700})  # as long on the wire as it gets
                there.announce({"back": number})
            seen = [[await heard_soon(heard) for _ in range(6)] for heard in (heard_here, heard_there)]
            for payloads in seen:
                assert sorted(one["n"] for one in payloads if "n" in one) == [0, 1, 2]
                assert sorted(one["back"] for one in payloads if "back" in one) == [0, 1, 2]


@pytest.mark.hall_databases("sqlite")
async def test_who_is_slow_misses_the_oldest_and_hears_of_it(telling, teller):
    news = teller.host.news("said")
    with news.listen() as heard:
        for number in range(1000):
            news.announce({"n": number})
        assert await anext(heard) is None
        rest = [await anext(heard) for _ in range(255)]
    assert [one["n"] for one in rest] == list(range(1000 - 255, 1000))
    news.announce({"n": 0})  # nobody listens any more
    assert {plugin_id for plugin_id, _ in telling.server.pubsub._listeners} == {
        *("console", "conversations", "jobs", "notifications"),
        *("tools", "web-push", "webhooks", "workflows"),
    }


@pytest.mark.hall_databases("sqlite")
async def test_a_channel_with_no_plain_name_and_a_payload_that_is_no_small_object_are_refused(
    telling, teller
):
    for name in ("", "Said", "a b", "ä", "a" * 65, "1", "other/said"):
        with pytest.raises(ValueError, match="the plugin teller names a channel"):
            teller.host.news(name)
    for payload in ({"a": "x" * MAX_NEWS_BYTES}, "text", [1], None, {"n": float("nan")}, {"o": object()}):
        with pytest.raises((TypeError, ValueError)):
            teller.host.news("said").announce(payload)


@pytest.mark.hall_databases("sqlite")
async def test_the_earlier_word_for_announcing_still_works_and_is_named_in_the_log(telling, teller, caplog):
    news = teller.host.news("said")
    with news.listen() as heard, pytest.warns(PluginDeprecation, match="uses News.tell.*use News.announce"):
        news.tell({"by": "test"})
        assert await heard_soon(heard) == {"by": "test"}
