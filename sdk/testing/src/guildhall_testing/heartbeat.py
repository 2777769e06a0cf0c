"""A pulse on the event loop, for tests that nothing holds it."""

import asyncio
import gc
import json
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

_EVERY_SECONDS = 0.001
_TRIES = 3

# What tells how fast a machine is, and how long it takes on the one that the limits of tests are written for.
_WORK = json.dumps([{"name": f"n{number}", "value": [number, str(number), None]} for number in range(1000)])
_WORK_MS = 0.9

T = TypeVar("T")


class Heartbeat:
    """`longest_ms` is the longest that the loop did not come round.

    In processor time of this process: what a busy machine does meanwhile does not count, and a thread that
    lets nobody else run does.
    """

    def __init__(self) -> None:
        self.longest_ms = 0.0
        self._last = time.process_time()

    async def beat(self) -> None:
        while True:
            await asyncio.sleep(_EVERY_SECONDS)
            self.feel()

    def feel(self) -> None:
        now = time.process_time()
        self.longest_ms = max(self.longest_ms, (now - self._last) * 1000)
        self._last = now


def slowness() -> float:
    """Returns how many times longer code takes than where the limits were written, at least 1."""

    def work_ms() -> float:
        begun = time.thread_time()
        sum(len(one["name"]) + one["value"][0] for one in json.loads(_WORK))
        return (time.thread_time() - begun) * 1000

    return max(1.0, statistics.median(work_ms() for _ in range(5)) / _WORK_MS)


@asynccontextmanager
async def heartbeat() -> AsyncIterator[Heartbeat]:
    """Measures from its beginning to its end."""
    await asyncio.sleep(0)
    # What the tests before have left in memory is not walked through meanwhile.
    gc.disable()
    pulse = Heartbeat()
    beating = asyncio.create_task(pulse.beat())
    try:
        yield pulse
        pulse.feel()
    finally:
        beating.cancel()
        gc.enable()


async def quietest(act: Callable[[], Awaitable[T]], below_ms: float) -> tuple[T, float]:
    """Returns what acting gave and how long it held the loop: of three times, the one that held it least.

    What the code does to the loop it does each time; cold caches and fresh memory cost once. A slow or busy
    machine is allowed for.
    """
    held_ms = float("inf")
    for _ in range(_TRIES):
        async with heartbeat() as pulse:
            result = await act()
        held_ms = min(held_ms, pulse.longest_ms / slowness())
        if held_ms < below_ms:
            break
    return result, held_ms
