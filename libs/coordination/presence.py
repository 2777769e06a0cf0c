"""One process among those that share a database."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable

from libs.coordination.rounds import Loop


class Presence(ABC):
    """Makes this process known to the others under an id, and gives a sign of life now and then.

    Who inherits keeps the rows. `loop` makes the rounds of a function. Where this process is the only one, it
    has no id.
    """

    def __init__(self, loop: Callable[[Callable[[], Awaitable[object]]], Loop], *, shared: bool) -> None:
        self.id: str | None = self.make_id() if shared else None
        self._registered = False
        self._loop = loop(self.beat)

    @abstractmethod
    def make_id(self) -> str:
        """Makes an id that nobody has."""

    @abstractmethod
    async def add_row(self, member_id: str, before: str | None) -> None:
        """Writes the row of this process; what it had as the one it was `before` is its own."""

    @abstractmethod
    async def renew_row(self, member_id: str) -> bool:
        """Writes a sign of life; returns whether there was a row."""

    @abstractmethod
    async def remove_row(self, member_id: str) -> None:
        """Deletes the row; one that cannot be deleted is found by the others."""

    @abstractmethod
    def on_return(self, before: str) -> None:
        """Learns that the others took this process for dead under the id `before`."""

    async def start(self) -> None:
        if self.id is not None:
            await self.register()
            self._loop.start()

    async def stop(self) -> None:
        """Takes leave, so that nobody looks for it."""
        await self._loop.stop()
        if self._registered and self.id is not None:
            self._registered = False
            await self.remove_row(self.id)

    async def register(self, before: str | None = None) -> None:
        """Becomes known to the others, instead of the one it was before."""
        assert self.id is not None
        await self.add_row(self.id, before)
        self._registered = True

    async def beat(self) -> None:
        """Gives a sign of life; a process that was taken for dead meanwhile gets a new id."""
        before = self.id
        if before is None or await self.renew_row(before):
            return
        self.id = self.make_id()
        try:
            await self.register(before)
        except BaseException:
            self.id = before  # what it holds is known under this one still
            raise
        self.on_return(before)
