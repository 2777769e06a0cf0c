"""Waiting for one item of many that are handed out."""

import asyncio
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")


class Waiters(Generic[Key, Item]):
    """Those who wait for an item each, by a key that says which they may have.

    Several may wait under one key: whoever came first is served first. None is for one who is dismissed.
    """

    def __init__(self) -> None:
        self._waiting: dict[Key, list[asyncio.Future[Item | None]]] = {}

    def __iter__(self) -> Iterator[Key]:
        return iter(self._waiting)

    def __len__(self) -> int:
        return len(self._waiting)

    def count(self, key: Key) -> int:
        """Returns how many wait under this key, and have nothing yet."""
        return sum(not waiter.done() for waiter in self._waiting.get(key, ()))

    @contextmanager
    def waiting(self, key: Key) -> "Iterator[asyncio.Future[Item | None]]":
        """Yields what is done once an item was handed out; behind the block nothing is."""
        waiter: asyncio.Future[Item | None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, []).append(waiter)
        try:
            yield waiter
        finally:
            waiter.cancel()
            self._waiting[key].remove(waiter)
            if not self._waiting[key]:
                del self._waiting[key]

    def hand_out(self, key: Key, item: Item | None) -> bool:
        """Gives an item to one who waits; returns whether there was anybody."""
        for waiter in self._waiting.get(key, ()):
            if not waiter.done():
                waiter.set_result(item)
                return True
        return False

    def dismiss(self, which: Callable[[Key], bool]) -> None:
        """Ends the waiting of everybody under these keys."""
        for key in filter(which, [*self._waiting]):
            while self.hand_out(key, None):
                pass
