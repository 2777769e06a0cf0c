"""What the users of a pool of connections share: slots, idle connections, long statements, and a flush."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

__all__ = ["FairSlots", "First", "Flushes", "IdleConnectionWaiters", "LongStatements", "Pending"]

# A holder that came by within this time counts as at work.
_AT_WORK_SECONDS = 1.0
_SHORTEST_REST_SECONDS, _LONGEST_REST_SECONDS = 0.01, 1.0
# Much background work begins at once, for a statement or two each: a connection costs more than they do.
_MOMENT_SECONDS = 0.5

Connection = TypeVar("Connection")


class First(NamedTuple):
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
        #: Those who wait for a slot, by holder.
        self.waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._first_had_last_turn = False
        self.waited_seconds = 0.0

    async def take(self, holder: str) -> None:
        """Returns once the holder has a slot; raises what `refuse` makes when there is none for too long."""
        # Nobody is overtaken, as those who wait have no room by definition.
        if holder not in self.waiting and self._has_capacity(holder):
            self._hold(holder)
            return
        loop = asyncio.get_running_loop()
        slot: asyncio.Future[None] = loop.create_future()
        self.waiting.setdefault(holder, deque()).append(slot)
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
        if self.waiting:
            self._let_in()
        if self._when_free is not None and not self._held:
            self._when_free()

    def _has_capacity(self, holder: str) -> bool:
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
            waiting = self.waiting[holder]
            slot = waiting.popleft()
            if not waiting:
                del self.waiting[holder]
            if slot.done():  # it was cancelled, which uses up no turn
                continue
            if waiting:
                self.waiting[holder] = self.waiting.pop(holder)
            self._hold(holder)
            self._first_had_last_turn = holder in self._first
            slot.set_result(None)

    def _whose_turn(self) -> str | None:
        first = next((who for who in self._first if who in self.waiting and self._has_capacity(who)), None)
        if first is not None and not self._first_had_last_turn:
            return first
        others = (who for who in self.waiting if who not in self._first and self._has_capacity(who))
        return next(others, first)

    def _refuse(self, slot: "asyncio.Future[None]") -> None:
        if not slot.done():
            slot.set_exception(self._refuse_with())

    def _give_up(self, holder: str, slot: "asyncio.Future[None]") -> None:
        """Gives up waiting; one that was let in and cancelled in the same moment passes the slot on."""
        if slot.done() and not slot.cancelled() and slot.exception() is None:
            self.give_back(holder)
            return
        waiting = self.waiting.get(holder)
        if waiting is not None and slot in waiting:
            waiting.remove(slot)
            if not waiting:
                del self.waiting[holder]


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


def _nothing() -> None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Pending:
    """Somebody whose change is made but not durable yet; `then` is called when it is, before they go on.

    They wait for `outcome`, and may cancel it: `then` is called all the same, as the change is made.
    """

    then: Callable[[], None]
    context: Context = field(default_factory=copy_context)
    outcome: "asyncio.Future[None]" = field(default_factory=asyncio.Future)

    def succeed(self) -> None:
        asyncio.get_running_loop().call_soon(self.then, context=self.context)
        if not self.outcome.done():
            self.outcome.set_result(None)

    def fail(self, error: BaseException) -> None:
        if not self.outcome.done():
            self.outcome.set_exception(error)
            self.outcome.exception()  # nobody may be left to hear of it


class Flushes:
    """Calls `flush` for all who wait, and again for those who came while it was under way.

    It runs in a context that `own_context` makes, as it is for all of them; `refuse` makes the error that
    they get where it fails.
    """

    def __init__(
        self,
        flush: Callable[[], Awaitable[object]],
        own_context: Callable[[], Context],
        refuse: Callable[[], Exception],
    ) -> None:
        self._flush = flush
        self._own_context = own_context
        self._refuse = refuse
        self._waiting: list[Pending] = []
        self._flushing: asyncio.Task[None] | None = None

    async def wait(self, then: Callable[[], None] = _nothing) -> None:
        """Returns once everything that was committed before this call is durable."""
        pending = Pending(then)
        self._waiting.append(pending)
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._run(), context=self._own_context())
        await pending.outcome

    async def settled(self, seconds: float) -> None:
        """Waits until nobody waits any more, for so long at most."""
        if self._flushing is not None:
            await asyncio.wait([self._flushing], timeout=seconds)

    async def _run(self) -> None:
        try:
            while self._waiting:
                waiting, self._waiting = self._waiting, []
                try:
                    await self._flush()
                except BaseException as error:
                    for pending in waiting:
                        pending.fail(self._refuse())
                    if not isinstance(error, Exception):
                        raise
                else:
                    for pending in waiting:
                        pending.succeed()
        finally:
            self._flushing = None
