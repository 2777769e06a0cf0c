"""A worker that is woken for changes: inside the transaction where writers take turns, and once for each."""

import asyncio

import pytest

from libs.coordination import ChangeSignals, backoff


async def test_where_writers_take_turns_the_worker_is_woken_inside_the_transaction():
    signals, woken = ChangeSignals(writers_take_turns=True), []

    async def work():
        await signals.wake.wait()
        woken.append(signals.unseen)

    working = asyncio.create_task(work())
    await asyncio.sleep(0)
    await signals.changing()
    assert woken == [True]
    await working


async def test_a_change_that_was_seen_wakes_nobody_when_it_is_committed():
    signals = ChangeSignals(writers_take_turns=True)
    first, second = await signals.changing(), await signals.changing()
    signals.wake.clear()
    signals.seen()
    third = await signals.changing()
    signals.wake.clear()
    for number, wakes in ((first, False), (second, False), (third, True), (None, True)):
        signals.changed(number)
        assert signals.wake.is_set() == wakes, number
        signals.wake.clear()


async def test_where_writers_do_not_take_turns_a_change_wakes_once_it_is_committed():
    signals = ChangeSignals(writers_take_turns=False)
    number = await signals.changing()
    signals.seen()
    assert not signals.unseen
    assert not signals.wake.is_set()
    signals.changed(number)
    assert signals.wake.is_set()


@pytest.mark.parametrize("chance", [0.0, 0.5, 1.0])
def test_a_wait_doubles_with_each_attempt_and_has_an_end(chance):
    waits = [backoff(attempt, 1.0, 10.0, chance) for attempt in (0, 1, 2, 3, 4, 10_000)]
    assert waits == [reach * (0.5 + chance / 2) for reach in (1, 2, 4, 8, 10, 10)]


def test_the_places_of_changes_are_told_once_and_only_while_all_are_known():
    signals = ChangeSignals(writers_take_turns=False)
    assert signals.take_places() == set()  # what was before is known to nobody
    for place in ("here", "there"):
        signals.arriving([place])
        signals.changed(1)
    assert signals.take_places() == {"here", "there"}
    assert signals.take_places() == set()
    signals.arriving(["here"])
    signals.changed()  # one that was not signalled before, and may be anywhere
    assert signals.take_places() == set()
    signals.arriving([])
    signals.arriving(["here"])
    assert signals.take_places() == set()
