"""One read for all who want it at the same moment."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class SharedRead(Generic[Answer]):
    """Gives everybody an answer of a read that began after they asked.

    Those who ask while one is under way share the next, which begins when that one has ended.
    """

    def __init__(self, read: Callable[[], Awaitable[Answer]]) -> None:
        self._read = read
        self._under_way: asyncio.Task[Answer] | None = None
        self._next: asyncio.Task[Answer] | None = None

    async def get(self) -> Answer:
        """Returns the answer, or raises what the read raised; who is cancelled stops nobody else's."""
        if self._next is None:
            self._next = asyncio.create_task(self._run())
            self._next.add_done_callback(_hear)
        return await asyncio.shield(self._next)

    async def _run(self) -> Answer:
        if self._under_way is not None:
            await asyncio.wait([self._under_way])
        self._under_way, self._next = self._next, None
        try:
            return await self._read()
        finally:
            self._under_way = None


def _hear(task: "asyncio.Task[Answer]") -> None:
    """Takes note of an error, as nobody may be left who waits for it."""
    if not task.cancelled():
        task.exception()
