"""Who may use a connection next: no company has more than a share, and none waits behind another's queue."""

import asyncio
from collections import deque
from collections.abc import Callable

from kernel.db.accounts import GATES, SERVER
from kernel.db.errors import busy

_FIRST = (SERVER, GATES)


class FairSlots:
    """A semaphore that companies share: first come, first served within one, and company by company.

    The server's own work and requests at their gates go before them, by turns. Of the slots, `reserve` are
    for those two alone, and the last of several for the server. `when_free` is called when one was given
    back and none is held any more.
    """

    def __init__(
        self,
        slots: int,
        *,
        share: int,
        reserve: int,
        patience: float,
        refusal: str,
        when_free: Callable[[], None] | None = None,
    ) -> None:
        self.free = slots
        self._for_companies = slots - reserve
        self._for_server = 1 if reserve > 1 else 0
        self._share = share
        self._patience = patience
        self._refusal = refusal
        self._when_free = when_free
        self._held: dict[str, int] = {}
        # In the order of their turns: whoever was let in goes to the end.
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._server_had_last_turn = False
        self.waited_seconds = 0.0

    def take_at_once(self, holder: str) -> bool:
        """Takes a slot if one is free; nobody is overtaken, as those who wait have no room by definition."""
        if holder in self._waiting or not self._has_room(holder):
            return False
        self._hold(holder)
        return True

    async def take(self, holder: str) -> None:
        """Raises `DatabaseBusy` when there is none for too long."""
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
        if holder not in _FIRST:
            self._for_companies += 1
        if self._waiting:
            self._let_in()
        if self._when_free is not None and not self._held:
            self._when_free()

    def _has_room(self, holder: str) -> bool:
        if self.free == 0 or holder == SERVER:
            return self.free > 0
        if holder == GATES:
            return self.free > self._for_server
        return self._for_companies > 0 and self._held.get(holder, 0) < self._share

    def _hold(self, holder: str) -> None:
        self.free -= 1
        self._held[holder] = self._held.get(holder, 0) + 1
        if holder not in _FIRST:
            self._for_companies -= 1

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
            self._server_had_last_turn = holder in _FIRST
            slot.set_result(None)

    def _whose_turn(self) -> str | None:
        first = next((who for who in _FIRST if who in self._waiting and self._has_room(who)), None)
        if first is not None and not self._server_had_last_turn:
            return first
        companies = (who for who in self._waiting if who not in _FIRST and self._has_room(who))
        return next(companies, first)

    def _refuse(self, slot: "asyncio.Future[None]") -> None:
        if not slot.done():
            slot.set_exception(busy(self._refusal))

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
