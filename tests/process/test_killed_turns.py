"""A server that is killed outright under turns of all kinds: the three sums of the usage are the ledger's.

SOAK_TURNS sets how many turns there are; `make soak` makes it more.
"""

import asyncio
import json
import os
import random
import signal
from collections import deque
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import httpx
import pytest

from guildhall_testing.model import ScriptedModel
from guildhall_testing.site_databases import opened_site
from tests.process.conftest import serving

TURNS = int(os.environ.get("SOAK_TURNS", "24"))
CALLERS = 8
STREAMS = 20
CHAT, STREAM, ECHO = "/api/ai/chat", "/api/ai/chat/stream", "/api/ai/echo"
FORMAT = {"type": "json_object"}


def chunk(text):
    body = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    return f"data: {json.dumps(body)}\n\n".encode()


class _AsAsked(deque):
    """A script that does what the prompt of each call says."""

    def __init__(self, model):
        super().__init__()
        self._model = model

    def __bool__(self):
        return True

    def popleft(self):
        match self._model.calls[-1].body["messages"][0]["content"]:
            case "fail":
                self._model.fail(500)
            case "hang":
                self._model.hang(chunk("half of it"))
            case "hang once" if len(self._model.calls) == 1:
                self._model.hang(chunk("half of it"))
            case said:
                self._model.say(f"You said {said}, word by word.")
        return super().popleft()


@pytest.fixture
async def model():
    scripted = ScriptedModel()
    scripted._script = _AsAsked(scripted)
    yield scripted
    await scripted.close()


class Caller:
    """Has turns of all kinds, one after the other."""

    def __init__(self, http, turns):
        self._http = http
        self._turns = turns

    async def until_gone(self):
        try:
            for kind in self._turns:
                await getattr(self, kind)()
        except httpx.TransportError:
            return

    async def ask(self):
        await self._http.post(CHAT, json={"prompt": "say it"})

    async def fail(self):
        answer = await self._http.post(CHAT, json={"prompt": "fail"})
        assert answer.status_code == 502, answer.text

    async def misfit(self):
        answer = await self._http.post(CHAT, json={"prompt": "no JSON", "response_format": FORMAT})
        assert answer.json()["code"] == "model_format", answer.text

    async def echo(self):
        await self._http.post(ECHO, json={"text": "Is anybody there?"})

    async def stream(self):
        answer = await self._http.post(STREAM, json={"prompt": "stream it"})
        assert "event: done" in answer.text

    async def hang_up(self):
        async with self._http.stream("POST", STREAM, json={"prompt": "hang"}) as answer:
            async for line in answer.aiter_lines():
                if line.startswith("event: delta"):
                    return

    async def hold(self):
        with suppress(httpx.TransportError):
            await self._http.post(STREAM, json={"prompt": "hang"})

    async def background(self):
        answer = await self._http.post(CHAT, json={"prompt": "in the background", "background": True})
        assert answer.status_code == 202, answer.text


KINDS = ("ask", "fail", "misfit", "echo", "stream", "hang_up", "background")


@asynccontextmanager
async def callers(server, bearer, token, turns):
    people = server.people.acme.team.people
    async with AsyncExitStack() as stack:
        clients = []
        for number in range(CALLERS):
            http = await stack.enter_async_context(bearer(server, people[("owner", "member")[number % 2]]))
            if number == 0:
                http.headers["Authorization"] = f"Bearer {token}"
            clients.append(http)
        yield [
            asyncio.create_task(Caller(http, random.choices(KINDS, k=turns // CALLERS)).until_gone())
            for http in clients
        ]


async def sums(server, bearer):
    """Requests and tokens, by each of the three."""
    async with bearer(server, server.people.acme.team.people["owner"]) as http:
        found = {}
        for by in ("user", "model", "token"):
            items = (await http.get("/api/usage", params={"by": by, "limit": 200})).json()["items"]
            found[by] = (sum(item["requests"] for item in items), sum(item["tokens"] for item in items))
        return found


async def at_rest(server, bearer):
    """Until no turn is under way."""
    async with bearer(server, server.people.acme.team.people["owner"]) as http, asyncio.timeout(60):
        while True:
            items = (await http.get("/api/usage")).json()["items"]
            jobs = (await http.get("/api/jobs?limit=200")).json()["items"]
            held = max(item["used"] for item in items if item["dimension"] == "ai.concurrency")
            if not held and all(job["finished_at"] for job in jobs):
                return jobs
            await asyncio.sleep(0.05)


async def let_lapse(site):
    """As if the time had passed for which a reservation is held."""
    async with opened_site(site) as opened:
        await opened.run("UPDATE quota_holds SET expires_at = 1")


async def ledger(site):
    team_id = site.people.acme.team.id
    async with opened_site(site) as opened:
        rows = await opened.rows(
            "SELECT dimension, total FROM quota_counters WHERE team_id = :team_id", team_id=team_id
        )
    return {row["dimension"]: row["total"] for row in rows}


@pytest.mark.any_database
async def test_after_turns_of_all_kinds_and_a_kill_the_three_sums_are_those_of_the_ledger(
    hall_sites, hall_database, bearer, model
):
    async with hall_sites.lease(hall_database) as site:
        async with serving(site, **model.settings()) as server:
            async with bearer(server, site.people.acme.team.people["owner"]) as http:
                token = (await http.post("/api/tokens", json={"name": "machine"})).json()["token"]
            async with callers(server, bearer, token, 2 * TURNS) as calling:
                async with asyncio.timeout(60):
                    while len(model.calls) < TURNS // 2:  # noqa: ASYNC110 - another process
                        await asyncio.sleep(0.01)
                server.signal(signal.SIGKILL)
                await asyncio.gather(*calling)
            assert await server.exit_code() == -signal.SIGKILL
        await let_lapse(site)
        async with serving(site, **model.settings()) as server:
            async with callers(server, bearer, token, TURNS) as calling:
                await asyncio.gather(*calling)
            jobs = await at_rest(server, bearer)
            assert {job["state"] for job in jobs} <= {"succeeded"}
            found = await sums(server, bearer)
            server.signal(signal.SIGTERM)
            await server.exit_code()
        counted = await ledger(site)
    assert set(found.values()) == {(counted["ai.requests"], counted["ai.tokens.total"])}
    assert (counted["ai.concurrency"], counted["ai.requests"] > TURNS // 2) == (0, True)


@pytest.mark.any_database
async def test_what_a_killed_server_held_for_many_streams_comes_back_when_it_lapses(
    hall_sites, hall_database, bearer, model
):
    async with hall_sites.lease(hall_database) as site:
        member = site.people.acme.team.people["member"]
        limits = httpx.Limits(max_connections=STREAMS)
        async with serving(site, **model.settings()) as server:
            async with bearer(server, member, limits=limits) as http:
                streams = [asyncio.create_task(Caller(http, []).hold()) for _ in range(STREAMS)]
                async with asyncio.timeout(60):
                    while len(model.calls) < STREAMS:  # noqa: ASYNC110 - another process
                        await asyncio.sleep(0.01)
                server.signal(signal.SIGKILL)
                await asyncio.gather(*streams)
            await server.exit_code()
        assert (await ledger(site))["ai.concurrency"] == STREAMS
        await let_lapse(site)
        async with serving(site, **model.settings()) as server:
            async with bearer(server, member) as http:
                assert (await http.post(CHAT, json={"prompt": "say it"})).status_code == 200
            assert set((await sums(server, bearer)).values()) == {(1, 9)}
        counted = await ledger(site)
        assert (counted["ai.requests"], counted["ai.tokens.total"], counted["ai.concurrency"]) == (1, 9, 0)


@pytest.mark.any_database
async def test_a_turn_in_the_background_of_a_killed_server_is_made_anew_and_metered_once(
    hall_sites, hall_database, bearer, model
):
    async with hall_sites.lease(hall_database) as site:
        member = site.people.acme.team.people["member"]
        async with serving(site, **model.settings()) as server:
            async with bearer(server, member) as http:
                asked = await http.post(CHAT, json={"prompt": "hang once", "background": True})
                path = f"/api/jobs/{asked.json()['id']}/events"
                async with http.stream("GET", path) as answer:
                    async for line in answer.aiter_lines():
                        if line.startswith("id: "):
                            seen = line.removeprefix("id: ")
                            break
            server.signal(signal.SIGKILL)
            await server.exit_code()
        await let_lapse(site)
        async with serving(site, **model.settings()) as server:
            async with bearer(server, member) as http:
                events = (await http.get(path, headers={"Last-Event-ID": seen})).text
            names = [line.removeprefix("event: ") for line in events.splitlines() if line.startswith("event")]
            assert (names[0], names[-1]) == ("restart", "done")
            assert "half of it" not in events
        counted = await ledger(site)
        assert (counted["ai.requests"], counted["ai.tokens.total"]) == (1, 2 + 7)


@pytest.mark.hall_databases("postgresql")
async def test_whoever_follows_in_another_process_sees_the_same(hall_sites, hall_database, bearer, model):
    async with (
        hall_sites.lease(hall_database) as site,
        serving(site, **model.settings()) as one,
        serving(site, **model.settings()) as other,
    ):
        member = site.people.acme.team.people["member"]
        async with bearer(one, member) as here, bearer(other, member) as there:
            asked = await here.post(CHAT, json={"prompt": "say it", "background": True})
            path = f"/api/jobs/{asked.json()['id']}/events"
            seen = await asyncio.gather(here.get(path), there.get(path))
    first, second = [[line for line in answer.text.splitlines() if line[:1] != ":"] for answer in seen]
    assert first == second
    assert "event: done" in first
