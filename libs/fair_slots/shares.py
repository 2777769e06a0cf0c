"""Shares of an event loop, of memory, and of a thread for long computations.

What many requests of one company ask for is spread out, so that nobody waits behind another's queue.
"""

import asyncio
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from math import inf
from time import monotonic
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

# Who shares the loop has one step at a time; who had it alone for a while has a few, which costs less.
ALONE_STEPS = 8
ALONE_AFTER_SECONDS = 0.25
#: Where a server passes a connection's holder on to its applications, in `scope["state"]`.
CONNECTION_HOLDER = "holder"
PER_CREDENTIAL = 512
# Of long bodies and long answers together; what is shorter is bounded by the number of requests.
BYTES_PER_COMPANY = 128 * 1024 * 1024
LONG_BYTES = 128 * 1024
#: Makes the error that a caller gets of the text that tells what to do.
Refuse = Callable[[str], Exception]
Result = TypeVar("Result")
#: A computation that yields where others may have their turn.
Steps = Generator[None, None, Result]
_Begun = tuple["Future[Any]", Steps[Any]]


class LoopTurns:
    """Turns on one event loop: a holder gets few of them each time around, so that others are served too.

    A holder that is alone goes on at once. However many tasks of one holder are ready, another waits for one
    of them, or for `ALONE_STEPS` where nobody else has asked for a while.
    """

    def __init__(self) -> None:
        self._had: dict[str, int] = {}
        # In the order of arrival.
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._going_around = False
        self._last_holder = ""
        self._shared_at = -ALONE_AFTER_SECONDS

    async def take(self, holder: str) -> None:
        """Returns when it is the holder's turn. `holder` is a company's id, or another key of one caller."""
        loop = asyncio.get_running_loop()
        if holder != self._last_holder:
            self._last_holder, self._shared_at = holder, loop.time()
        had = self._had.get(holder, 0)
        turn: asyncio.Future[None] | None = None
        if holder not in self._waiting and (had == 0 or had < self._steps()):
            self._had[holder] = had + 1
        else:
            turn = loop.create_future()
            self._waiting.setdefault(holder, deque()).append(turn)
        if not self._going_around:
            self._going_around = True
            loop.call_soon(self._next)
        if turn is not None:
            await turn

    def _steps(self) -> int:
        alone = asyncio.get_running_loop().time() - self._shared_at >= ALONE_AFTER_SECONDS
        return ALONE_STEPS if alone else 1

    def _next(self) -> None:
        self._had.clear()
        for holder in list(self._waiting):
            for _ in range(self._steps()):
                self._give_turn(holder)
        self._going_around = bool(self._had)
        if self._going_around:
            asyncio.get_running_loop().call_soon(self._next)

    def _give_turn(self, holder: str) -> None:
        """Gives a turn to the first of the holder's who still waits for one."""
        waiting = self._waiting.get(holder, deque())
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                self._had[holder] = self._had.get(holder, 0) + 1
                break
        if not waiting:
            self._waiting.pop(holder, None)


class TurnsOfLoops:
    """The `LoopTurns` of each event loop; those of a loop that stopped would never come around again."""

    def __init__(self) -> None:
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, LoopTurns] = WeakKeyDictionary()

    def of_running_loop(self) -> LoopTurns:
        """Returns the turns of the event loop that runs here."""
        loop = asyncio.get_running_loop()
        turns = self._turns.get(loop)
        if turns is None:
            turns = self._turns[loop] = LoopTurns()
        return turns

    async def take(self, holder: str) -> None:
        """Returns when it is the holder's turn on the running event loop."""
        await self.of_running_loop().take(holder)


#: Of all requests of this process.
TURNS = TurnsOfLoops()


class ConnectionHolder:
    """The holder whose turns a connection takes: its address, and then the last caller on it."""

    __slots__ = ("_turns", "key")

    def __init__(self, key: str) -> None:
        self.key = key
        self._turns = TURNS.of_running_loop()

    async def take_turn(self, key: str | None = None) -> None:
        """Returns when it is the turn of whoever holds the connection: from now on `key`, if given."""
        if key is not None:
            self.key = key
        await self._turns.take(self.key)


class RecentHolders:
    """Which two holders came by last, and when by the clock of an event loop."""

    def __init__(self) -> None:
        self._last = self._other = ("", -inf)

    def note(self, holder: str) -> None:
        if holder != self._last[0]:
            self._other = self._last
        self._last = (holder, monotonic())

    def another_since(self, moment: float, holder: str) -> bool:
        """Tells whether some holder but this one came by since then."""
        return any(who != holder and when >= moment for who, when in (self._last, self._other))


class InFlight:
    """Counts the requests under way, from their gates to the last byte of their answer."""

    def __init__(self, refuse: Refuse, *, max_requests: int | None = None) -> None:
        """Allows each credential so many requests at once, or `PER_CREDENTIAL` where none is given.

        One too many raises what `refuse` makes of the reason.
        """
        #: Returns the slot of one request, for `with closing(in_flight.slot()) as slot:` around it.
        #: Inside the block `slot.take(credential)` counts the request for its caller.
        self.slot = partial(Slot, refuse, max_requests, Counter[str](), Counter[str]())


@dataclass(slots=True, eq=False)
class Slot:
    """The place of one request among those under way, until it is closed.

    `held` counts the requests of every caller, and `of_companies` the bytes of every company.
    """

    refuse: Refuse
    limit: int | None
    held: Counter[str]
    of_companies: Counter[str]
    key: str | None = None
    company: str = ""
    carried: int = 0

    def take(self, key: str) -> None:
        """Counts the request for a caller; refuses it where too many are under way already."""
        limit = PER_CREDENTIAL if self.limit is None else self.limit
        if self.held[key] >= limit:
            raise self.refuse(f"{limit} such requests of yours are under way; wait for one of them to end.")
        self.held[key] += 1
        self.key = key

    def carry(self, company: str, size: int) -> None:
        """Counts bytes that the request holds in memory until the slot is closed.

        Refuses them where the company's other requests already hold too much.
        """
        if size <= LONG_BYTES:
            return
        others = self.of_companies[company] - self.carried
        if others and others + self.carried + size > BYTES_PER_COMPANY:
            raise self.refuse(
                "Too many long bodies and answers of your company are under way; wait for one to end."
            )
        self.company = company
        self.carried += size
        self.of_companies[company] += size

    def settle(self, held: int, size: int) -> None:
        """Corrects what was counted by `carry` before the work, once its real size is known."""
        if held > LONG_BYTES and self.carried:
            self.carried += size - held
            self.of_companies[self.company] += size - held

    def close(self) -> None:
        """Frees the place, and what was carried."""
        if self.key is not None:
            self.held[self.key] -= 1
            if not self.held[self.key]:
                del self.held[self.key]
        if self.carried:
            self.of_companies[self.company] -= self.carried
            if not self.of_companies[self.company]:
                del self.of_companies[self.company]


class FairThread:
    """A thread that computes one step at a time: in order for one holder, and in turn between holders.

    However much a holder asks for at once, another waits for one step of it at most. The thread ends when
    there is nothing to do.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._changed = threading.Lock()
        # In the order of their turns: whoever had one goes to the end.
        self._waiting: dict[str, deque[_Begun]] = {}
        self._working = False

    async def run(self, holder: str, work: Callable[..., Result], *arguments: Any) -> Result:
        """Runs `work` in one step. `holder` is a company's id, or another key of one caller."""
        return await self.run_steps(holder, _in_one(work, *arguments))

    async def run_steps(self, holder: str, steps: Steps[Result]) -> Result:
        """Runs the steps one by one, with those of other holders in between, and returns the result."""
        future: Future[Result] = Future()
        with self._changed:
            self._waiting.setdefault(holder, deque()).append((future, steps))
            begin, self._working = not self._working, True
        if begin:
            threading.Thread(target=self._work, name=self._name, daemon=True).start()
        return await asyncio.wrap_future(future)

    def _work(self) -> None:
        while (taken := self._take()) is not None:
            holder, future, steps = taken
            if not future.cancelled() and _is_unfinished(future, steps):
                self._go_on_later(holder, future, steps)
            del taken, future, steps

    def _take(self) -> tuple[str, "Future[Any]", Steps[Any]] | None:
        with self._changed:
            holder = next(iter(self._waiting), None)
            if holder is None:
                self._working = False
                return None
            queue = self._waiting.pop(holder)
            future, steps = queue.popleft()
            if queue:
                self._waiting[holder] = queue
            return holder, future, steps

    def _go_on_later(self, holder: str, future: "Future[Any]", steps: Steps[Any]) -> None:
        """Queues the next step before what the holder asked for since, and after every other holder."""
        with self._changed:
            queue = self._waiting.pop(holder, None) or deque()
            queue.appendleft((future, steps))
            self._waiting[holder] = queue


def finished(steps: Steps[Result]) -> Result:
    """Takes all steps at once, and returns the result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result


def _in_one(work: Callable[..., Result], *arguments: Any) -> Steps[Result]:
    return work(*arguments)
    yield


def _is_unfinished(future: "Future[Any]", steps: Steps[Any]) -> bool:
    """Takes one step; settles the future where it was the last."""
    try:
        next(steps)
    except StopIteration as end:
        _settle(future, future.set_result, end.value)
    except BaseException as error:
        _settle(future, future.set_exception, error)
    else:
        return True
    return False


def _settle(future: "Future[Any]", settle: Callable[[Any], None], outcome: Any) -> None:
    """Sets the outcome of a future, unless whoever waited has given up."""
    if future.set_running_or_notify_cancel():
        settle(outcome)


#: Reads and validates what callers send.
BODIES = FairThread("bodies")
#: Takes long texts apart, compares and marks them.
TEXTS = FairThread("texts")
#: Reads and writes what jobs give.
RESULTS = FairThread("results")
