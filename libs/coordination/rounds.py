"""Rounds of work that come again and again, and tasks that nobody waits for."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from contextvars import Context
from typing import Any, TypeVar

_AFTER_TROUBLE_SECONDS = 0.5

Answer = TypeVar("Answer")


class Loop:
    """Calls `work` every so often for as long as it is started; a round that fails does not end it.

    `seconds` until the next round may be asked for after each; what cannot tell is asked again soon. What a
    round raised goes to `failed`. With `wake` the next round comes as soon as that is set; the round clears
    it.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[], Awaitable[object]],
        seconds: float | Callable[[], Awaitable[float]],
        failed: Callable[[Exception], object],
        wake: asyncio.Event | None = None,
    ) -> None:
        self._name = name
        self._work = work
        self._seconds = seconds
        self._failed = failed
        self._wake = wake
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._go_on(), name=self._name)

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _go_on(self) -> None:
        while True:
            await self._guarded(self._work)
            given = self._seconds
            seconds = given if isinstance(given, float) else await self._guarded(given)
            await self._pause(_AFTER_TROUBLE_SECONDS if seconds is None else seconds)

    async def _pause(self, seconds: float) -> None:
        if self._wake is None:
            await asyncio.sleep(seconds)
        else:
            await _set_within(self._wake, seconds)

    async def _guarded(self, work: Callable[[], Awaitable[Answer]]) -> Answer | None:
        try:
            return await work()
        except Exception as error:
            self._failed(error)
            return None


async def repeat_when_woken(
    woken: asyncio.Event, work: Callable[[], Awaitable[object]], seconds: float
) -> None:
    """Calls `work` now, as soon as it is woken, and so many seconds after it ended; until it is cancelled."""
    while True:
        woken.clear()
        await work()
        await _set_within(woken, seconds)


async def _set_within(event: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


class TaskSet:
    """Tasks that go on to their end, also when whoever waits for them is cancelled."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(
        self, work: Coroutine[Any, Any, Answer], context: Context | None = None
    ) -> asyncio.Task[Answer]:
        task = asyncio.create_task(work, context=context)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def finished(self) -> None:
        """Returns when all that were started by now have ended."""
        if self._tasks:
            await asyncio.wait(self._tasks)
