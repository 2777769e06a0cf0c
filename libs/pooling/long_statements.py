"""Statements that keep a processor busy: one of each holder at once, with rests while others are at work."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from libs.pooling.fair_slots import FairSlots

# A holder that came by within this time counts as at work.
_AT_WORK_SECONDS = 1.0
_SHORTEST_REST_SECONDS, _LONGEST_REST_SECONDS = 0.01, 1.0


class LongStatements:
    """Lets one long statement of each holder run at a time, as many at once as there are slots.

    While another holder is at work, the next one of the same holder waits for as long again as the last one
    took: its long statements then take half of one processor at most, and the other feels little of them.
    `another_since` tells whether some other holder was at work since a time of the loop's clock.
    """

    def __init__(self, slots: FairSlots, another_since: Callable[[float, str], bool]) -> None:
        self._slots = slots
        self._another_since = another_since

    @asynccontextmanager
    async def held(self, holder: str) -> AsyncIterator[None]:
        """Holds the holder's turn to run a long statement, for the length of the block."""
        await self._slots.take(holder)
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            yield
        finally:
            ended = loop.time()
            if self._another_since(ended - _AT_WORK_SECONDS, holder):
                rest = min(max(ended - began, _SHORTEST_REST_SECONDS), _LONGEST_REST_SECONDS)
                loop.call_later(rest, self._slots.give_back, holder)
            else:
                self._slots.give_back(holder)
