"""Rounds go on, commits are shared, and what fails behind a savepoint is undone alone."""

import asyncio
from contextlib import asynccontextmanager
from contextvars import copy_context

import pytest

from libs.coordination import (
    Background,
    BackgroundReports,
    GroupCommit,
    Loop,
    SharedTooLong,
    Turns,
    repeat_when_woken,
    run_behind_savepoints,
)


async def test_a_round_that_fails_is_told_and_followed_by_the_next():
    rounds, faults, enough = [], [], asyncio.Event()

    async def work():
        rounds.append(len(rounds))
        if len(rounds) == 1:
            raise ValueError("the first")
        if len(rounds) == 3:
            enough.set()

    loop = Loop("rounds", work, 0.0, faults.append)
    loop.start()
    await enough.wait()
    await loop.stop()
    assert [str(fault) for fault in faults] == ["the first"]


async def test_work_comes_at_once_when_it_is_woken_and_by_itself_and_ends_by_what_it_raises():
    woken, begun = asyncio.Event(), asyncio.Queue[int]()
    numbers = iter(range(1, 10))

    async def work():
        begun.put_nowait(number := next(numbers))
        if number == 4:
            raise ValueError("the fourth")
        if number == 2:
            woken.set()  # while it is under way: so it comes once more

    async with asyncio.timeout(60):
        slow = asyncio.create_task(repeat_when_woken(woken, work, 3600))
        assert await begun.get() == 1
        woken.set()
        assert [await begun.get(), await begun.get()] == [2, 3]
        slow.cancel()
        with pytest.raises(ValueError, match="the fourth"):
            await repeat_when_woken(woken, work, 0)
    assert slow.cancelled() or slow.cancelling()


async def test_whoever_comes_while_a_batch_is_under_way_shares_the_next():
    batches, begun, go_on = [], asyncio.Event(), asyncio.Event()

    async def commit(items):
        batches.append(list(items))
        begun.set()
        await go_on.wait()
        return [item * 10 for item in items]

    group = GroupCommit(commit, copy_context, max_batch=3)
    first = asyncio.create_task(group.put(1))
    await begun.wait()
    others = [asyncio.create_task(group.put(number)) for number in (2, 3, 4, 5)]
    await asyncio.sleep(0)
    go_on.set()
    assert [await first, *[await one for one in others]] == [10, 20, 30, 40, 50]
    assert batches == [[1], [2, 3, 4], [5]]
    await group.settled()


async def test_a_batch_that_fails_raises_for_all_that_were_in_it_and_no_other():
    async def commit(items):
        if 1 in items:
            raise ValueError("no")
        return items

    group = GroupCommit(commit, copy_context, max_batch=2)
    answers = await asyncio.gather(*(group.put(number) for number in (1, 2, 3)), return_exceptions=True)
    assert [type(answer) for answer in answers] == [ValueError, ValueError, int]


class Ledger:
    """What was written, and undone where a savepoint is left by a fault."""

    def __init__(self):
        self.written = []

    @asynccontextmanager
    async def savepoint(self):
        before = list(self.written)
        try:
            yield
        except BaseException:
            self.written = before
            raise


async def test_what_fails_is_undone_alone_and_the_others_stay():
    ledger = Ledger()

    async def work(items):
        ledger.written += items
        if "bad" in items:
            raise ValueError("bad")

    failed = await run_behind_savepoints([["a", "bad"], ["b"]], work, ledger.savepoint)
    assert [(item, str(error)) for item, error in failed] == [("bad", "bad")]
    assert ledger.written == ["a", "b"]


async def test_what_takes_longer_than_others_wait_for_is_undone_as_a_whole():
    ledger = Ledger()

    async def hang(items):
        ledger.written += items
        await asyncio.Event().wait()

    with pytest.raises(SharedTooLong):
        await run_behind_savepoints([["a"], ["b"]], hang, ledger.savepoint, 0.0)
    assert ledger.written == []


async def test_turns_of_a_key_come_one_after_another_and_nobody_waits_for_ever():
    turns, order = Turns(0.01), []

    async def take(key, name, until):
        async with turns.take(key):
            order.append(name)
            await until.wait()

    never, now = asyncio.Event(), asyncio.Event()
    now.set()
    first = asyncio.create_task(take("a", "first", never))
    await asyncio.sleep(0)
    await take("b", "of another key", now)
    await take("a", "tired of waiting", now)
    never.set()
    await first
    await take("a", "next", now)
    assert order == ["first", "of another key", "tired of waiting", "next"]


async def test_work_in_the_background_begins_again_when_it_fails_and_ends_with_its_owner(monkeypatch):
    monkeypatch.setattr("libs.coordination.background.FIRST_PAUSE_SECONDS", 0.0)
    told, enough = [], asyncio.Event()

    async def work():
        told.append("begun")
        if told.count("begun") < 3:
            raise ValueError("again")
        enough.set()
        await asyncio.Event().wait()

    reports = BackgroundReports(
        begins=lambda: told.append("task"),
        fails=lambda work, error, pause: told.append(f"{work.owner}: {error}"),
        goes_on=lambda work: told.append("goes on"),
    )
    background = Background(reports)
    piece = background.start("shop", "counting", work)
    await enough.wait()
    await background.end("other")
    assert not piece.ended
    await background.end("shop")
    assert piece.ended
    assert not background.left
    await background.stop()
    assert background.start("shop", "too late", work).ended
    assert told == ["task", "begun", "shop: again", "begun", "shop: again", "begun"]
