"""One worker that is woken for what transactions change."""

import asyncio
from collections.abc import Collection


class ChangeSignals:
    """Wakes a worker for changes, each once: not for those that it has seen before it could be woken.

    Where `writers_take_turns`, whoever writes next sees what the one before has written, and shares its
    commit. There the worker is woken inside the transaction, and is next.
    """

    def __init__(self, *, writers_take_turns: bool) -> None:
        #: The worker waits for it, and clears it.
        self.wake = asyncio.Event()
        self._writers_take_turns = writers_take_turns
        self._changes = self._seen = 0
        self._places: set[str] | None = None

    def arriving(self, places: Collection[str]) -> None:
        """Notes the places of a change that is about to be signalled; without any it may be everywhere."""
        self._places = self._places | set(places) if places and self._places is not None else None

    def take_places(self) -> set[str]:
        """Returns the places of all changes since the last call; none where any may be elsewhere."""
        places, self._places = self._places, set()
        return places or set()

    @property
    def unseen(self) -> bool:
        """Whether there are changes, committed or not, that the worker would see if it wrote next."""
        return self._writers_take_turns and self._changes > self._seen

    async def changing(self) -> int:
        """Signals a change inside its transaction; returns the number of it for `changed`.

        By then the worker waits for its turn to write, if it was idle and writers take turns.
        """
        self._changes += 1
        number = self._changes
        if self._writers_take_turns:
            self.wake.set()
            await asyncio.sleep(0)
        return number

    def changed(self, number: int | None = None) -> None:
        """Signals a change that is committed; one without a number was not signalled before."""
        if number is None:
            self._places = None
        if number is None or number > self._seen:
            self.wake.set()

    def seen(self) -> None:
        """Signals, inside the worker's own transaction, that it has seen all there was to be seen."""
        if self._writers_take_turns:
            self._seen = self._changes
