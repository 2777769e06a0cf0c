"""One timer for many tasks: each is stopped at its own time, and only while it is under watch."""

import asyncio

import pytest

from libs.deadlines import Deadlines


async def under_watch(deadlines, seconds, work):
    task = asyncio.current_task()
    deadlines.begin(task, seconds)
    try:
        await work
    except asyncio.CancelledError:
        too_long = deadlines.end(task)
        if task.cancelling():
            raise
        assert too_long
        return "too long"
    return "met" if not deadlines.end(task) else "met, late"


async def forever():
    await asyncio.Event().wait()


async def test_each_task_is_stopped_at_its_own_time():
    deadlines = Deadlines()
    long = asyncio.create_task(under_watch(deadlines, 3600, forever()))
    short = asyncio.create_task(under_watch(deadlines, 0, forever()))
    assert await short == "too long"
    assert not long.done()
    assert await asyncio.create_task(under_watch(deadlines, 0, forever())) == "too long"
    long.cancel()
    with pytest.raises(asyncio.CancelledError):
        await long


async def test_a_task_that_ended_in_time_is_left_alone():
    deadlines = Deadlines()
    task = asyncio.current_task()
    deadlines.begin(task, 0)
    assert not deadlines.end(task)
    assert await asyncio.create_task(under_watch(deadlines, 0.001, forever())) == "too long"
    assert not task.cancelling()


async def test_who_is_cancelled_and_too_slow_at_once_stays_cancelled():
    deadlines = Deadlines()
    task = asyncio.create_task(under_watch(deadlines, 0, forever()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_task_that_does_not_let_itself_be_stopped_may_end():
    deadlines = Deadlines()

    async def stubborn():
        try:
            await forever()
        except asyncio.CancelledError:
            await asyncio.sleep(0)

    assert await asyncio.create_task(under_watch(deadlines, 0, stubborn())) == "met, late"
