"""How many may wait: places that are counted now and then, not with each that is taken."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

# So few places are given out whole; of more a part, because other processes give them out as well.
FEW_PLACES = 64
_SHARE = 8
_COUNT_AGAIN_MS = 1000
_MAX_REMEMBERED = 10_000


@dataclass(slots=True)
class _Places:
    """The places that this process may still hand out, as of the last count."""

    left: int = 0
    was_all: bool = False
    counted_at: int | None = None
    counting: asyncio.Lock = field(default_factory=asyncio.Lock)


class CountedPlaces:
    """Hands out places of which each holder has so many.

    A count gives out places, and only once these are used up is there another. What leaves in between makes
    no room until then, so the limit is never passed by what one process takes in; several together may pass
    it by `FEW_PLACES` each. A holder without a place left is counted again at most once a second.
    """

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._holders: defaultdict[str, _Places] = defaultdict(_Places)

    async def take(
        self, holder: str, many: int, max_places: int, count: Callable[[], Awaitable[int]]
    ) -> bool:
        """Takes so many places; returns whether there were. `count` returns how many are taken by now."""
        if holder not in self._holders and len(self._holders) >= _MAX_REMEMBERED:
            self._holders.clear()  # then they are counted again
        places = self._holders[holder]
        if places.left < many:
            async with places.counting:
                if places.left < many and not await self._recount(places, many, max_places, count):
                    return False
        places.left -= many
        return True

    async def _recount(
        self, places: _Places, many: int, max_places: int, count: Callable[[], Awaitable[int]]
    ) -> bool:
        """Counts, and returns whether there is room for so many."""
        now = self._now_ms()
        just_counted = places.counted_at is not None and 0 <= now - places.counted_at < _COUNT_AGAIN_MS
        if just_counted and places.was_all:
            return False
        capacity = max(0, max_places - await count())
        share = capacity if capacity <= FEW_PLACES else max(FEW_PLACES, many, capacity // _SHARE)
        places.left = min(share, capacity)
        places.was_all, places.counted_at = places.left == capacity, now
        return capacity >= many
