"""One after another, for each key."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class Turns:
    """A lock for each key that nobody waits for longer than so many seconds: whoever did goes on without."""

    def __init__(self, max_seconds: float) -> None:
        self._max_seconds = max_seconds
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def take(self, key: str) -> AsyncIterator[None]:
        lock = self._locks.get(key)
        if lock is None:
            lock = self._locks[key] = asyncio.Lock()
        if lock.locked():
            try:
                async with asyncio.timeout(self._max_seconds):
                    await lock.acquire()
            except TimeoutError:
                yield
                return
        else:
            await lock.acquire()
        try:
            yield
        finally:
            lock.release()
