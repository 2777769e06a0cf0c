"""Those who follow things in this process, woken when something happened to one of them in any process."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from guildhall_sdk.news import News

# So many ids are within what one announcement may carry.
_PER_ANNOUNCEMENT = 80


class Followers:
    """One who listens for all: what happens to a thing wakes its own followers alone.

    A plugin makes one of a channel of `host.news`, and runs `listen` in the background from its start on.
    """

    def __init__(self, news: News) -> None:
        self._news = news
        self._waiting: dict[str, set[asyncio.Event]] = {}

    def tell(self, ids: Sequence[str]) -> None:
        """Wakes the followers of things, here and in the other processes."""
        for first in range(0, len(ids), _PER_ANNOUNCEMENT):
            self._news.tell({"ids": list(ids[first : first + _PER_ANNOUNCEMENT])})

    @contextmanager
    def following(self, followed: str) -> Iterator[asyncio.Event]:
        """Yields an event that is set when something happened; enter it before the thing is read."""
        woken = asyncio.Event()
        waiting = self._waiting.setdefault(followed, set())
        waiting.add(woken)
        try:
            yield woken
        finally:
            waiting.discard(woken)
            if not waiting and self._waiting.get(followed) is waiting:
                del self._waiting[followed]

    async def listen(self) -> None:
        """Listens until it is cancelled."""
        with self._news.listen() as announcements:
            # What was told before this began is looked for.
            self._wake(self._waiting)
            async for announcement in announcements:
                self._wake(self._waiting if announcement is None else announcement["ids"])

    def _wake(self, ids: Iterable[str]) -> None:
        for followed in list(ids):
            for woken in self._waiting.get(followed, ()):
                woken.set()
