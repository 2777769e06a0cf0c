"""Time as the worker lives through it; tests put their own in its place."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

from guildhall_sdk import Clock

T = TypeVar("T")


class WorkerClock(Clock, Protocol):
    """`steady_ms` goes on while the machine sleeps or the process is stopped; leases are judged by it."""

    async def sleep(self, seconds: float) -> None: ...


class RealTime:
    """Implements `WorkerClock` by the clock of the machine."""

    def __init__(self, clock: Clock) -> None:
        self.now_ms = clock.now_ms
        self.steady_ms = clock.steady_ms

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def within(clock: WorkerClock, seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """What `work` comes to; TimeoutError, and an end to it, where that takes longer."""
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
