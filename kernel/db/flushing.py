"""Waiting for the disk together: one flush of the database's log serves everybody who committed before it."""

import asyncio
from collections.abc import Awaitable, Callable

from kernel.db.accounts import own_context
from kernel.db.errors import busy


class Flushes:
    """Calls `flush` for all who wait, and again for those who came while it was under way."""

    def __init__(self, flush: Callable[[], Awaitable[object]]) -> None:
        self._flush = flush
        self._waiting: list[asyncio.Future[None]] = []
        self._flushing: asyncio.Task[None] | None = None

    def flushed(self) -> "asyncio.Future[None]":
        """Has a result once everything that was committed before this call is durable."""
        outcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(outcome)
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._run(), context=own_context())
        return outcome

    async def settled(self, seconds: float) -> None:
        """Waits until nobody waits any more, for so long at most."""
        if self._flushing is not None:
            await asyncio.wait([self._flushing], timeout=seconds)

    async def _run(self) -> None:
        try:
            while self._waiting:
                waiting, self._waiting = self._waiting, []
                await self._flush_for(waiting)
        finally:
            self._flushing = None

    async def _flush_for(self, waiting: "list[asyncio.Future[None]]") -> None:
        try:
            await self._flush()
        except BaseException as error:
            for outcome in waiting:
                if not outcome.done():
                    outcome.set_exception(busy("The database cannot take this just now."))
            if not isinstance(error, Exception):
                raise
        else:
            for outcome in waiting:
                if not outcome.done():
                    outcome.set_result(None)
