"""Writing what comes in pieces: not each by itself, and none of them late."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteLimits:
    """When what is pending is written: so long after the first of it, or once there is `enough` of it."""

    seconds: float = 0.2
    enough: int = 2048
    #: From here on whoever adds waits for the write.
    most: int = 32 * 2048
    #: So often a write is tried that fails by what passes by itself, with a pause in between.
    tries: int = 20
    again_seconds: float = 0.5


class PendingWrites(Generic[Item]):
    """Items that wait to be written together, in their order, by a task beside whoever adds them."""

    def __init__(
        self,
        write: Callable[[Sequence[Item]], Awaitable[None]],
        passing: type[Exception],
        limits: WriteLimits = WriteLimits(),  # noqa: B008 - it is frozen
    ) -> None:
        """Takes what writes a batch, and the error that passes by itself: any other ends the writing."""
        self._write = write
        self._passing = passing
        self._limits = limits
        self._pending: list[Item] = []
        self._size = 0
        self._some, self._enough, self._closing = asyncio.Event(), asyncio.Event(), False
        self._order = asyncio.Lock()
        self._writing = asyncio.create_task(self._write_now_and_then())

    @property
    def last(self) -> Item | None:
        """The item that came last, while it is pending."""
        return self._pending[-1] if self._pending else None

    async def add(self, item: Item, size: int, *, in_place: bool = False) -> None:
        """Adds an item, or puts it in the place of the last; `size` is by how much there is more to write."""
        if self._writing.done():
            self._writing.result()
        if in_place:
            self._pending.pop()
        self._pending.append(item)
        self._size += size
        self._some.set()
        if self._size >= self._limits.enough:
            self._enough.set()
        if self._size >= self._limits.most:
            await self.flush()

    async def put(self, item: Item) -> None:
        """Writes an item at once, behind what was added before it."""
        self._pending.append(item)
        await self.flush()

    async def finish(self) -> None:
        """Writes what is left."""
        self._closing = True
        self._some.set()
        self._enough.set()
        await self._writing
        await self.flush()

    async def stop(self) -> None:
        """Writes nothing any more."""
        self._writing.cancel()
        await asyncio.wait({self._writing})

    async def _write_now_and_then(self) -> None:
        while not self._closing:
            await self._some.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._limits.seconds):
                    await self._enough.wait()
            await self.flush()

    async def flush(self) -> None:
        """Writes what is pending; raises what the write raises."""
        async with self._order:
            taken, self._pending, self._size = self._pending, [], 0
            self._some.clear()
            self._enough.clear()
            for left in reversed(range(self._limits.tries if taken else 0)):
                try:
                    await self._write(taken)
                    return
                except self._passing:
                    if not left:
                        raise
                    await asyncio.sleep(self._limits.again_seconds)
