"""Slots in which tasks run."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class TaskSlots(Generic[Key]):
    """So many slots, each for a task that is known by a key; whoever starts one looks before if one is free.

    `freed` is called when a slot is free again and none was before.
    """

    def __init__(self, slots: int, freed: Callable[[], object]) -> None:
        self._slots = slots
        self._freed = freed
        self._tasks: dict[Key, asyncio.Task[None]] = {}
        #: How many were started in all.
        self.begun = 0

    @property
    def free(self) -> int:
        return self._slots - len(self._tasks)

    @property
    def held(self) -> list[Key]:
        """The keys of the tasks that run."""
        return list(self._tasks)

    def run(self, key: Key, work: Coroutine[Any, Any, None], name: str) -> None:
        self.begun += 1
        self._tasks[key] = task = asyncio.create_task(work, name=name)
        task.add_done_callback(lambda _: self._leave(key))

    async def wind_down(self, seconds: float, stop_seconds: float = 1.0) -> list[Key]:
        """Lets tasks finish for so long, cancels the rest and returns their keys.

        One that does not let itself be cancelled is waited for `stop_seconds`, and no longer.
        """
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()), timeout=seconds)
        stopped = dict(self._tasks)
        for task in stopped.values():
            task.cancel()
        if stopped:
            await asyncio.wait(list(stopped.values()), timeout=stop_seconds)
        return list(stopped)

    async def idle(self) -> None:
        """Returns when no task runs."""
        while self._tasks:
            await asyncio.wait(list(self._tasks.values()))

    def _leave(self, key: Key) -> None:
        was_full = self.free <= 0
        del self._tasks[key]
        if was_full:
            self._freed()
