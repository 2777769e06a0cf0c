"""Those who wait for an item, slots for tasks, and tasks that go on to their end."""

import asyncio
from contextvars import copy_context

import pytest

from libs.coordination import GroupCommit, Loop, SharedTooLong, TaskSet, TaskSlots, Waiters


async def test_who_came_first_is_served_first_and_nobody_twice():
    waiters = Waiters()
    with waiters.waiting("a") as first, waiters.waiting("a") as second:
        assert (list(waiters), waiters.count("a")) == (["a"], 2)
        assert waiters.hand_out("a", 1)
        assert waiters.hand_out("a", 2)
        assert not waiters.hand_out("a", 3)
        assert (first.result(), second.result(), waiters.count("a")) == (1, 2, 0)
    assert not waiters


async def test_who_has_left_is_handed_nothing():
    waiters = Waiters()
    with pytest.raises(ValueError, match="gone"), waiters.waiting("a"):
        raise ValueError("gone")
    assert not waiters.hand_out("a", 1)


async def test_who_is_dismissed_has_nothing_and_what_was_handed_out_stays():
    waiters = Waiters()
    with waiters.waiting("a") as served, waiters.waiting("a") as left, waiters.waiting("b") as other:
        waiters.hand_out("a", 1)
        waiters.dismiss(lambda key: key == "a")
        assert (served.result(), left.result(), other.done()) == (1, None, False)


async def test_a_slot_that_is_free_again_is_told_of_where_none_was_free():
    told = []
    slots = TaskSlots(2, lambda: told.append(slots.free))
    go_on = {key: asyncio.Event() for key in "abc"}
    for key in "ab":
        slots.run(key, go_on[key].wait(), key)
    assert (slots.free, slots.held, slots.begun) == (0, ["a", "b"], 2)
    go_on["a"].set()
    while slots.free == 0:  # noqa: ASYNC110
        await asyncio.sleep(0)
    assert told == [1]
    go_on["b"].set()
    await slots.idle()
    assert (told, slots.held) == ([1], [])


async def test_slots_wind_down_with_the_keys_of_what_did_not_finish():
    slots = TaskSlots(3, lambda: None)
    stubborn_may_end = asyncio.Event()

    async def stubborn():
        while not stubborn_may_end.is_set():
            try:
                await stubborn_may_end.wait()
            except asyncio.CancelledError:
                continue

    slots.run("quick", asyncio.sleep(0), "quick")
    slots.run("endless", asyncio.Event().wait(), "endless")
    slots.run("stubborn", stubborn(), "stubborn")
    assert await slots.wind_down(0.01, 0.01) == ["endless", "stubborn"]
    assert slots.held == ["stubborn"]
    stubborn_may_end.set()
    await slots.idle()


async def test_a_task_goes_on_when_whoever_waits_for_it_is_cancelled():
    tasks, go_on, done = TaskSet(), asyncio.Event(), []

    async def work():
        await go_on.wait()
        done.append(1)

    task = tasks.start(work())
    waiting = asyncio.ensure_future(asyncio.shield(task))
    await asyncio.sleep(0)
    waiting.cancel()
    go_on.set()
    await tasks.finished()
    assert done == [1]
    await tasks.finished()


async def test_a_loop_that_is_woken_does_not_wait_for_its_time():
    wake, rounds = asyncio.Event(), asyncio.Queue()

    async def work():
        wake.clear()
        rounds.put_nowait(1)

    loop = Loop("test", work, 1e6, pytest.fail, wake)
    loop.start()
    for _ in range(3):
        await asyncio.wait_for(rounds.get(), 60)
        wake.set()
    await loop.stop()


class Batches:
    """Commits batches; `fault` is what one raises."""

    def __init__(self, fault):
        self.sizes, self.fault, self.failed = [], fault, []
        self.group = GroupCommit(self.commit, copy_context)

    async def commit(self, items):
        self.sizes.append(len(items))
        if (error := self.fault(items)) is not None:
            raise error
        return items

    async def put(self, many, alone=lambda: False):
        put = [self.group.put_or_commit_alone(item, alone, self.failed.append) for item in range(many)]
        return await asyncio.gather(*put)


async def test_an_item_is_committed_alone_where_its_batch_fails_for_all():
    batches = Batches(lambda items: KeyError("broken") if len(items) > 1 else None)
    assert await batches.put(3) == [0, 1, 2]
    assert batches.sizes == [3, 1, 1, 1]
    assert [type(error) for error in batches.failed] == [KeyError] * 3


async def test_an_item_is_committed_alone_where_its_batches_take_too_long():
    batches = Batches(lambda items: SharedTooLong("long") if len(items) > 8 else None)
    assert await batches.put(40) == list(range(40))
    assert batches.sizes[:2] == [40, 10]
    assert max(batches.sizes[1:]) < 40
    assert batches.failed == []


async def test_an_item_that_is_to_be_alone_shares_with_nobody():
    batches = Batches(lambda items: None)
    assert await batches.put(3, alone=lambda: True) == [0, 1, 2]
    assert batches.sizes == [1, 1, 1]
