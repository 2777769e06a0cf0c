"""Rounds of work that come again and again."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

_AFTER_TROUBLE_SECONDS = 0.5

Answer = TypeVar("Answer")


class Loop:
    """Calls `work` every so often for as long as it is started; a round that fails does not end it.

    `seconds` until the next round may be asked for after each; what cannot tell is asked again soon. What a
    round raised goes to `failed`.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[], Awaitable[object]],
        seconds: float | Callable[[], Awaitable[float]],
        failed: Callable[[Exception], object],
    ) -> None:
        self._name = name
        self._work = work
        self._seconds = seconds
        self._failed = failed
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
            await asyncio.sleep(_AFTER_TROUBLE_SECONDS if seconds is None else seconds)

    async def _guarded(self, work: Callable[[], Awaitable[Answer]]) -> Answer | None:
        try:
            return await work()
        except Exception as error:
            self._failed(error)
            return None
