"""Work that comes round again and again, each in a task of its own: none waits for another."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from guildhall_sdk import Problem
from kernel.logs import get_logger

_log = get_logger("jobs")
_AFTER_TROUBLE_SECONDS = 0.5

Answer = TypeVar("Answer")


class Loop:
    """Calls `work` every so often for as long as it is started; a round that fails does not end it.

    `seconds` until the next round may be asked for after each; what cannot tell is asked again soon.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[], Awaitable[object]],
        seconds: float | Callable[[], Awaitable[float]],
    ) -> None:
        self._name = name
        self._work = work
        self._seconds = seconds
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._go_on(), name=f"jobs: {self._name}")

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
            # What a database that is away answers, it answers to everybody: that is logged elsewhere.
            if not isinstance(error, Problem):
                _log.error("jobs.round_failed", exc=error, round=self._name)
            return None
