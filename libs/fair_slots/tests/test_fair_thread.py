"""Long computations: one at a time, and holder by holder."""

import asyncio
import threading

import pytest

from libs.fair_slots import FairThread, finished


@pytest.fixture
def thread():
    return FairThread("test")


@pytest.fixture
async def busy(thread):
    """`busy()` lets the thread go on, which is at work for one holder until then."""
    let_go, begun = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def hold():
        loop.call_soon_threadsafe(begun.set)
        let_go.wait(60)

    holding = asyncio.create_task(thread.run("greedy", hold))
    await begun.wait()
    yield let_go.set
    let_go.set()
    await holding


async def test_nobody_waits_behind_anothers_queue(thread, busy):
    done = []
    greedy = [asyncio.create_task(thread.run("greedy", done.append, "greedy")) for _ in range(50)]
    modest = asyncio.create_task(thread.run("modest", done.append, "modest"))
    await asyncio.sleep(0)
    busy()
    await asyncio.gather(*greedy, modest)
    assert done.index("modest") <= 1


async def test_between_two_steps_another_has_a_turn(thread, busy):
    done = []

    def long_work():
        for step in range(10):
            done.append(step)
            yield
        return "result"

    long = asyncio.create_task(thread.run_steps("greedy", long_work()))
    short = asyncio.create_task(thread.run("modest", done.append, "modest"))
    await asyncio.sleep(0)
    busy()
    assert await long == "result"
    await short
    assert done.index("modest") == 1


async def test_what_is_given_up_is_not_done(thread, busy):
    done = []
    given_up = asyncio.create_task(thread.run("modest", done.append, "given up"))
    await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.sleep(0)
    busy()
    await thread.run("modest", done.append, "done")
    assert done == ["done"]


async def test_a_failure_reaches_whoever_asked(thread):
    def fail():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await thread.run("modest", fail)
    assert await thread.run("modest", lambda: "goes on") == "goes on"


def test_steps_can_be_taken_at_once():
    def work():
        yield
        return 7

    assert finished(work()) == 7
