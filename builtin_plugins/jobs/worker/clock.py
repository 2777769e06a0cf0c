"""Time as the worker lives through it, and how long it waits before the next try."""

import asyncio
import random
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from guildhall_sdk import Clock

T = TypeVar("T")

Spread = Callable[[], float]
#: A number from 0 to 1, by chance.
by_chance: Spread = random.SystemRandom().random


class WorkerClock(Clock, Protocol):
    """`steady_ms` goes on while the machine sleeps or the process is stopped; leases are checked by it."""

    async def sleep(self, seconds: float) -> None: ...


class RealTime:
    """Implements `WorkerClock` by the clock of the machine."""

    def __init__(self, clock: Clock) -> None:
        self.now_ms = clock.now_ms
        self.steady_ms = clock.steady_ms

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def within(clock: WorkerClock, seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """Returns what `work` comes to; TimeoutError, and an end to it, where that takes longer."""
    task = asyncio.ensure_future(work)
    timer = asyncio.ensure_future(clock.sleep(seconds))
    try:
        await asyncio.wait({task, timer}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise TimeoutError
    finally:
        task.cancel()
        timer.cancel()
        await asyncio.gather(task, timer, return_exceptions=True)


class Backoff:
    """Doubles up to `maximum`; each wait is between half of that and all of it."""

    def __init__(self, first: float, maximum: float, spread: Spread = by_chance) -> None:
        self._first = first
        self._maximum = maximum
        self._spread = spread
        self._tries = 0

    def next_seconds(self, retry_after: float | None = None) -> float:
        """Returns how long to wait, never less than the server asked for."""
        reach = min(self._maximum, self._first * float(2**self._tries))
        if reach < self._maximum:
            self._tries += 1
        if retry_after is not None:
            return retry_after + min(reach, 1 + retry_after / 10) * self._spread()
        return reach * (0.5 + 0.5 * self._spread())

    def start_over(self) -> None:
        self._tries = 0
