"""One company's worst requests, and everybody else: nobody but its own waits for them."""

import asyncio

import pytest

from guildhall_sdk import Plugin, Reply, Route, Statement, hookimpl
from libs.pooling import FairSlots

pytestmark = pytest.mark.any_database

ENDLESS = Statement(
    "endless",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000000000)"
    " SELECT MAX(x) FROM c",
    "SELECT pg_sleep(3600)",
)
# Too long to be read in passing, and not by much.
PLAIN = Statement(
    "plain",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 60000) SELECT MAX(x) FROM c",
    "SELECT COUNT(*) FROM orgs",
)
TWENTY = 20
LOOKS = ["/api/whoami", "/api/notes", "/api/jobs?state=failed", "/api/slow/look", "/api/repo"]


class Slow:
    """A row whose statement goes on until the test has seen enough, and one that only looks."""

    PLUGIN = Plugin("slow", "Slow", "0.1.0", "Asks the database for too much.")

    def __init__(self):
        self.begun = asyncio.Semaphore(0)
        self.enough = asyncio.Event()

    @hookimpl
    def declare_routes(self):
        return [
            Route("GET", "/api/slow/endless", "endless", "Ask without end"),
            Route("GET", "/api/slow/look", "look", "Look"),
        ]

    @hookimpl
    def declare_handlers(self):
        return {"endless": self._endless, "look": self._look}

    async def _endless(self, call):
        async with call.read() as reader:
            reading = asyncio.ensure_future(reader.one(ENDLESS))
            enough = asyncio.ensure_future(self.enough.wait())
            await asyncio.sleep(0)
            self.begun.release()
            await asyncio.wait({reading, enough}, return_when=asyncio.FIRST_COMPLETED)
            enough.cancel()
            reading.cancel()
            (outcome,) = await asyncio.gather(reading, return_exceptions=True)
            if isinstance(outcome, Exception):
                raise outcome
        return Reply({})

    async def _look(self, call):
        async with call.read() as reader:
            return Reply({"orgs": await reader.value(PLAIN)})


@pytest.fixture
def slow():
    return Slow()


async def flood(hall, slow, who):
    """Twenty of one company's, all of them begun."""
    asked = [asyncio.create_task(who.get("/api/slow/endless")) for _ in range(TWENTY)]
    for _ in asked:
        await slow.begun.acquire()
    return asked


@pytest.mark.every_database
async def test_others_are_answered_while_one_company_asks_for_too_much(open_hall, slow):
    async with open_hall(slow) as hall:
        asked = await flood(hall, slow, hall.acme.member)
        async with asyncio.timeout(60):
            others = [hall.globex.owner, hall.globex.member]
            for path in (
                "/api/whoami",
                "/api/notes",
                "/api/jobs?state=failed",
                "/api/slow/look",
                "/api/repo",
            ):
                answers = await asyncio.gather(*(who.get(path) for who in others * 3))
                assert [answer.status_code for answer in answers] == [200] * 6, path
            created = await hall.globex.member.post("/api/notes", {"title": "Hello", "body": "world"})
            assert created.status_code == 201
            assert (await hall.anonymous.get("/health")).status_code == 200
            assert (
                await hall.anonymous.post("/api/login", {"username": "x", "password": "y"})
            ).status_code == 401
            await hall.drain_jobs()
        slow.enough.set()
        answers = await asyncio.gather(*asked)
        # Whoever of its own had waited for too long by then was asked to come again.
        assert {answer.status_code for answer in answers} <= {200, 503}
        assert all("retry-after" in answer.headers for answer in answers if answer.status_code == 503)
        assert (await hall.acme.member.get("/api/notes")).status_code == 200


@pytest.fixture
def queues(monkeypatch):
    """The queues for connections of the servers that a test opens."""
    made, init = [], FairSlots.__init__

    def recorded(self, *args, **named):
        made.append(self)
        init(self, *args, **named)

    monkeypatch.setattr(FairSlots, "__init__", recorded)
    return made


async def test_its_own_quick_requests_wait_and_are_told_when_to_come_again(
    open_hall, slow, queues, monkeypatch
):
    async with open_hall(slow) as hall:
        asked = await flood(hall, slow, hall.acme.member)
        with monkeypatch.context() as impatient:
            # For their turn alone: a slow machine still has time to connect and to begin.
            for queue in queues:
                impatient.setattr(queue, "_patience", 0.01)
            answer = await hall.acme.owner.get("/api/slow/look")
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert answer.headers["retry-after"] == "1"
        slow.enough.set()
        await asyncio.gather(*asked)
        assert (await hall.acme.owner.get("/api/slow/look")).status_code == 200


async def test_a_statement_that_takes_too_long_is_stopped_and_said_so(open_hall, slow, monkeypatch):
    monkeypatch.setattr("kernel.plugins.engines.STATEMENT_SECONDS", 1.0)
    async with open_hall(slow) as hall:
        answer = await hall.acme.member.get("/api/slow/endless")
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert answer.headers["retry-after"] == "10"
        assert "took too long" in answer.json()["detail"]
        assert (await hall.acme.member.get("/api/slow/look")).status_code == 200


async def test_what_a_crowd_sends_is_read_between_the_requests_of_others(hall) -> None:
    """Twenty at once on connections of their own, and every one of them is answered."""
    crowd = [hall.acme.member.get("/api/jobs", params={"state": "failed"}) for _ in range(20)]
    answers = await asyncio.gather(*crowd, hall.globex.member.get("/api/whoami"))
    assert {answer.status_code for answer in answers} == {200}
