"""What background work does before it opens a connection: it waits a moment for one that is in use."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TypeVar

# Much of it begins at once, for a statement or two each: a connection costs more than they do.
_MOMENT_SECONDS = 0.5

Connection = TypeVar("Connection")


class IdleConnectionWaiters:
    """Wakes background work, first come, first served, when a connection is given back."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    def notify(self) -> None:
        """Wakes the first who waits."""
        while self._waiting:
            woken = self._waiting.popleft()
            if not woken.done():
                woken.set_result(None)
                return

    async def wait_for(self, take_idle: Callable[[], Connection | None]) -> Connection | None:
        """Returns what `take_idle` gives once one is given back, or None when none was for a moment."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _MOMENT_SECONDS
        while (left := deadline - loop.time()) > 0:
            woken: asyncio.Future[None] = loop.create_future()
            self._waiting.append(woken)
            try:
                await asyncio.wait({woken}, timeout=left)
            finally:
                woken.cancel()
            if (connection := take_idle()) is not None:
                return connection
        return None
