"""The simulated model computes beside everything else: one company's turns hold up nobody but themselves."""

import asyncio
import threading

import pytest

from builtin_plugins.ai import sources
from builtin_plugins.ai.simulated import simulate

pytestmark = pytest.mark.any_database

CHAT = "/api/ai/chat"
LONG = "Take your time."
# More than the process has threads for everything else.
TURNS = 40


@pytest.fixture
async def held(monkeypatch):
    """Turns that say `LONG` last until this event is set; `held.most` of them have run at once."""
    event, lock, loop = threading.Event(), threading.Lock(), asyncio.get_running_loop()
    event.running, event.most, event.begun = 0, 0, asyncio.Event()

    def slow(turn):
        if turn.messages[-1]["content"] != LONG:
            return simulate(turn)
        with lock:
            event.running += 1
            event.most = max(event.most, event.running)
        loop.call_soon_threadsafe(event.begun.set)
        event.wait(60)
        with lock:
            event.running -= 1
        return simulate(turn)

    monkeypatch.setattr(sources, "simulate", slow)
    yield event
    event.set()


async def test_other_companies_and_public_files_do_not_wait_for_one_that_asks_for_much(hall, held):
    acme = [asyncio.create_task(hall.acme.member.post(CHAT, {"prompt": LONG})) for _ in range(TURNS)]
    await held.begun.wait()
    async with asyncio.timeout(60):
        assert (await hall.globex.member.post(CHAT, {"prompt": "Hello"})).status_code == 200
        assert (await hall.anonymous.get("/")).status_code == 200
        made = await hall.globex.member.put("/api/repo/a.txt", content=b"a")
        assert made.status_code == 201
    assert (held.running, held.most) == (1, 1)
    held.set()
    assert {answer.status_code for answer in await asyncio.gather(*acme)} == {200}
    assert held.most == 1


async def test_a_turn_whose_caller_left_still_counts_as_the_companys_own(hall, held):
    for _ in range(3):
        asked = asyncio.create_task(hall.acme.member.post(CHAT, {"prompt": LONG}))
        await held.begun.wait()
        asked.cancel()
        await asyncio.wait([asked])
    assert (held.running, held.most) == (1, 1)
    held.set()
    async with asyncio.timeout(60):
        assert (await hall.acme.member.post(CHAT, {"prompt": "Hello"})).status_code == 200
    assert held.most == 1
