"""A value made of rows, used again until they change."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from guildhall_sdk import Reader
from guildhall_sdk.data import Data

Value = TypeVar("Value")

#: What was compared with the database so many seconds ago is used without looking again.
FRESH_SECONDS = 0.05
_SETTLED_SECONDS = 1.2 * FRESH_SECONDS


class RowCache(Generic[Value]):
    """A value made of rows, used again until their version changes.

    `version` is one cheap query, `load` makes the value; both run in one read scope. Whoever changes the rows
    awaits `settle()` before they answer, as `Reply(…, before_sending=cache.settle)`: from then on every
    process sees the change with its next request.
    """

    def __init__(
        self,
        data: Data,
        version: Callable[[Reader], Awaitable[object]],
        load: Callable[[Reader], Awaitable[Value]],
    ) -> None:
        self._data = data
        self._version = version
        self._load = load
        self._lock = asyncio.Lock()
        self._checked_at = float("-inf")
        self._known: tuple[object, Value] | None = None

    async def get(self) -> Value:
        """Returns the value as of now, or as of `FRESH_SECONDS` ago. Not inside a scope."""
        came_at = time.monotonic()
        if self._known is not None and self._checked_at > came_at - FRESH_SECONDS:
            return self._known[1]
        async with self._lock:
            # Whoever held the lock may have looked already, late enough for this caller too.
            if self._known is None or self._checked_at <= came_at - FRESH_SECONDS:
                await self._refresh()
            assert self._known is not None
            return self._known[1]

    async def settle(self) -> None:
        """Waits, after the commit, until no process uses what was there before. Not inside a scope."""
        # A call with an idempotency key commits when it first waits: the time is counted from then on.
        await asyncio.sleep(0)
        self._checked_at = float("-inf")
        await asyncio.sleep(_SETTLED_SECONDS)

    async def _refresh(self) -> None:
        began = time.monotonic()
        async with self._data.read() as reader:
            version = await self._version(reader)
            if self._known is None or self._known[0] != version:
                self._known = (version, await self._load(reader))
        self._checked_at = began
