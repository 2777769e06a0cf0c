"""Who may use a connection next: no holder has more than a share, and none waits behind another's queue."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class First:
    """The two holders that go before all others: the owner, who may have every slot, and the guests."""

    owner: str
    guests: str


class FairSlots:
    """A semaphore that holders share: first come, first served within one, and holder by holder.

    The two in `first` go before the others, by turns. Of the slots, `reserve` are for those two alone, and
    the last of several for the owner. `refuse` makes the error for whoever waits longer than `patience`.
    `when_free` is called when one was given back and none is held any more.
    """

    def __init__(
        self,
        slots: int,
        *,
        share: int,
        reserve: int,
        patience: float,
        refuse: Callable[[], Exception],
        first: First,
        when_free: Callable[[], None] | None = None,
    ) -> None:
        self.free = slots
        self._owner, self._guests = self._first = (first.owner, first.guests)
        self._for_others = slots - reserve
        self._for_owner = 1 if reserve > 1 else 0
        self._share = share
        self._patience = patience
        self._refuse_with = refuse
        self._when_free = when_free
        self._held: dict[str, int] = {}
        # In the order of their turns: whoever was let in goes to the end.
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._first_had_last_turn = False
        self.waited_seconds = 0.0

    def take_at_once(self, holder: str) -> bool:
        """Takes a slot if one is free; nobody is overtaken, as those who wait have no room by definition."""
        if holder in self._waiting or not self._has_room(holder):
            return False
        self._hold(holder)
        return True

    async def take(self, holder: str) -> None:
        """Returns once the holder has a slot; raises what `refuse` makes when there is none for too long."""
        if self.take_at_once(holder):
            return
        loop = asyncio.get_running_loop()
        slot: asyncio.Future[None] = loop.create_future()
        self._waiting.setdefault(holder, deque()).append(slot)
        self._let_in()
        began = loop.time()
        patience = loop.call_at(began + self._patience, self._refuse, slot)
        try:
            await slot
        except BaseException:
            self._give_up(holder, slot)
            raise
        finally:
            patience.cancel()
            self.waited_seconds += loop.time() - began

    def give_back(self, holder: str) -> None:
        left = self._held[holder] - 1
        if left:
            self._held[holder] = left
        else:
            del self._held[holder]
        self.free += 1
        if holder not in self._first:
            self._for_others += 1
        if self._waiting:
            self._let_in()
        if self._when_free is not None and not self._held:
            self._when_free()

    def _has_room(self, holder: str) -> bool:
        if self.free == 0 or holder == self._owner:
            return self.free > 0
        if holder == self._guests:
            return self.free > self._for_owner
        return self._for_others > 0 and self._held.get(holder, 0) < self._share

    def _hold(self, holder: str) -> None:
        self.free -= 1
        self._held[holder] = self._held.get(holder, 0) + 1
        if holder not in self._first:
            self._for_others -= 1

    def _let_in(self) -> None:
        while (holder := self._whose_turn()) is not None:
            waiting = self._waiting[holder]
            slot = waiting.popleft()
            if not waiting:
                del self._waiting[holder]
            if slot.done():  # it was cancelled, which uses up no turn
                continue
            if waiting:
                self._waiting[holder] = self._waiting.pop(holder)
            self._hold(holder)
            self._first_had_last_turn = holder in self._first
            slot.set_result(None)

    def _whose_turn(self) -> str | None:
        first = next((who for who in self._first if who in self._waiting and self._has_room(who)), None)
        if first is not None and not self._first_had_last_turn:
            return first
        others = (who for who in self._waiting if who not in self._first and self._has_room(who))
        return next(others, first)

    def _refuse(self, slot: "asyncio.Future[None]") -> None:
        if not slot.done():
            slot.set_exception(self._refuse_with())

    def _give_up(self, holder: str, slot: "asyncio.Future[None]") -> None:
        """Gives up waiting; one that was let in and cancelled in the same moment passes the slot on."""
        if slot.done() and not slot.cancelled() and slot.exception() is None:
            self.give_back(holder)
            return
        waiting = self._waiting.get(holder)
        if waiting is not None and slot in waiting:
            waiting.remove(slot)
            if not waiting:
                del self._waiting[holder]
