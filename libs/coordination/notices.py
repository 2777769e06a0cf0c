"""Notices to every process, of which none is missed for long."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence

from libs.coordination.ends import Channel
from libs.coordination.rounds import Loop


class PolledNotices(ABC):
    """Tells this process and the others of ids; beneath that each polls for those that no word told of.

    `loop` makes the rounds of a function.
    """

    def __init__(
        self,
        open_channel: Callable[[str, Callable[[str | None], None]], Channel],
        name: str,
        loop: Callable[[Callable[[], Awaitable[object]]], Loop],
    ) -> None:
        self._others = open_channel(name, self._on_message)
        self._loop = loop(self.poll)

    @abstractmethod
    def receive(self, ids: Sequence[str]) -> None:
        """Acts on those of these ids that are this process's."""

    @abstractmethod
    async def poll(self) -> None:
        """Looks for ids that no word told of."""

    async def start(self) -> None:
        await self._others.start()
        self._loop.start()

    async def stop(self) -> None:
        await self._loop.stop()
        await self._others.stop()

    def notify(self, ids: Sequence[str]) -> None:
        """Tells this process, and the others."""
        self.receive(ids)
        for one in ids:
            self._others.notify(one)

    def _on_message(self, one: str | None) -> None:
        if one is not None:  # what was missed is found by the poll
            self.receive([one])
