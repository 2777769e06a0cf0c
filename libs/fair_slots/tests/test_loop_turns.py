"""Turns on the event loop: however many of one holder are ready, another waits for one of them."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from libs.fair_slots import ConnectionHolder, LoopTurns, RecentHolders, TurnsOfLoops
from libs.fair_slots.shares import ALONE_STEPS

pytestmark = pytest.mark.any_database


class Loop:
    """Counts how often the loop goes around, until it is told to stop: it never rests meanwhile."""

    def __init__(self) -> None:
        self.rounds = 0
        self._count()

    def _count(self) -> None:
        self.rounds += 1
        self._next = asyncio.get_running_loop().call_soon(self._count)

    def stop(self) -> None:
        self._next.cancel()


@pytest.fixture
async def loop() -> AsyncIterator[Loop]:
    loop = Loop()
    yield loop
    loop.stop()


async def test_whoever_comes_alone_goes_on_at_once(loop: Loop) -> None:
    turns, before = LoopTurns(), loop.rounds
    await turns.take("acme")
    await turns.take("globex")
    assert loop.rounds == before


async def test_one_holder_has_one_turn_each_time_around(loop: Loop) -> None:
    turns = LoopTurns()
    rounds: list[int] = []

    async def ask() -> None:
        await turns.take("acme")
        rounds.append(loop.rounds)

    await asyncio.gather(*(ask() for _ in range(5)))
    assert len(set(rounds)) == 5


async def test_whoever_comes_last_waits_for_none_of_another_s() -> None:
    turns = LoopTurns()
    order: list[str] = []

    async def ask(holder: str) -> None:
        await turns.take(holder)
        order.append(holder)

    await asyncio.gather(*(ask("acme") for _ in range(5)), ask("globex"))
    assert order == ["acme", "globex", *["acme"] * 4]


async def test_first_come_first_served_and_who_gives_up_uses_up_no_turn() -> None:
    turns = LoopTurns()
    order: list[int] = []

    async def ask(number: int) -> None:
        await turns.take("acme")
        order.append(number)

    tasks = [asyncio.create_task(ask(number)) for number in range(5)]
    await asyncio.sleep(0)
    tasks[1].cancel()
    tasks[3].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert order == [0, 2, 4]


async def test_all_is_forgotten_when_nobody_waits(loop: Loop) -> None:
    turns = LoopTurns()
    await asyncio.gather(*(turns.take("acme") for _ in range(3)))
    for _ in range(3):
        await asyncio.sleep(0)
    before = loop.rounds
    await turns.take("acme")
    assert loop.rounds == before


async def test_a_connection_takes_the_turns_of_who_was_its_caller_last() -> None:
    connection = ConnectionHolder("192.0.2.1")
    await connection.take_turn("acme")
    await connection.take_turn()
    assert connection.key == "acme"


async def test_who_has_the_loop_alone_for_a_while_has_a_few_at_a_time(loop: Loop, monkeypatch) -> None:
    monkeypatch.setattr("libs.fair_slots.shares.ALONE_AFTER_SECONDS", 0)
    turns = LoopTurns()
    rounds: list[int] = []

    async def ask() -> None:
        await turns.take("acme")
        rounds.append(loop.rounds)

    await asyncio.gather(*(ask() for _ in range(2 * ALONE_STEPS)))
    assert [rounds.count(one) for one in sorted(set(rounds))] == [ALONE_STEPS, ALONE_STEPS]


def test_a_loop_that_stopped_in_between_holds_up_no_other() -> None:
    """Its next time around never comes."""
    turns = TurnsOfLoops()

    async def ask_twice() -> None:
        async with asyncio.timeout(60):
            await asyncio.gather(turns.take("acme"), turns.take("acme"))

    stopped = asyncio.new_event_loop()
    stopped.run_until_complete(turns.take("acme"))
    try:
        asyncio.run(ask_twice())
    finally:
        stopped.close()


def test_only_the_last_two_holders_are_remembered() -> None:
    holders = RecentHolders()
    assert not holders.another_since(0, "org_acme")
    for holder in ("org_acme", "org_globex", "org_globex"):
        holders.note(holder)
    assert holders.another_since(0, "org_acme") and holders.another_since(0, "org_globex")
    assert not holders.another_since(float("inf"), "org_acme")
