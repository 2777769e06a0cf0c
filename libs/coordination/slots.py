"""Slots in which tasks run."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Sequence
from contextlib import asynccontextmanager
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


class SlotHolder:
    """One that runs in a slot, and may give it up while it waits.

    `waits` are those of its waits that are under way; `slot_back` tells it that it has its slot again.
    """

    def __init__(self) -> None:
        self.waits = 0
        self.has_slot = True
        self.slot_back: asyncio.Event | None = None

    def let_go_on(self, *, has_slot: bool) -> None:
        """Ends the wait for a slot: there is one, or it is not wanted any more."""
        slot_back, self.slot_back, self.has_slot = self.slot_back, None, has_slot
        if slot_back is not None:
            slot_back.set()


Holder = TypeVar("Holder", bound=SlotHolder)


class PausableSlots(TaskSlots[Holder], ABC):
    """Slots that a task gives up while it waits for others, and has back before it goes on.

    Who inherits writes down which are given up, and chooses who may have one back.
    """

    def __init__(self, slots: int, freed: Callable[[], object]) -> None:
        super().__init__(slots, freed)
        self._resuming = asyncio.Lock()

    @abstractmethod
    async def note_given_up(self, holder: Holder) -> None:
        """Writes down that a slot is given up; whoever could use it may be told."""

    @abstractmethod
    async def choose_resumed(self, wanting: Sequence[Holder]) -> Sequence[Holder]:
        """Returns those of them that go on now, in slots that are `unworked`, or that need none any more."""

    @property
    def given_up(self) -> int:
        """Slots of tasks that wait: others may have them when no other slot is free."""
        if self.free > 0:
            return 0
        return self._slots - sum(one.has_slot or one.slot_back is not None for one in self._tasks)

    @property
    def unworked(self) -> int:
        """Slots that nobody works in: those that are free, and those that were given up."""
        return self._slots - sum(one.has_slot for one in self._tasks)

    @asynccontextmanager
    async def slot_given_up(self, holder: Holder | None) -> AsyncIterator[None]:
        """Gives up the holder's slot, if there is a holder, until the last of its waits is over.

        A wait that is cancelled goes on without a slot, which it has again as soon as there is one.
        """
        if holder is None:
            yield
            return
        holder.waits += 1
        try:
            if holder.waits == 1:
                async with self._resuming:
                    await self.note_given_up(holder)
                    holder.let_go_on(has_slot=False)
            yield
        except BaseException:
            self._want_back(holder)
            raise
        self._want_back(holder)
        if holder.slot_back is not None:
            await self.resume([holder])
        if holder.slot_back is not None:
            await holder.slot_back.wait()

    async def resume(self, holders: Sequence[Holder] | None = None) -> bool:
        """Gives slots back, to these or to all that want one; returns whether any has to wait still."""
        async with self._resuming:
            wanting = [one for one in holders or self.held if one.slot_back is not None]
            if wanting:
                for one in await self.choose_resumed(wanting):
                    one.let_go_on(has_slot=True)
        return any(one.slot_back is not None for one in wanting)

    def _want_back(self, holder: Holder) -> None:
        holder.waits -= 1
        if holder.waits == 0:
            holder.slot_back = asyncio.Event()
            self._freed()
