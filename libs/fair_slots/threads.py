"""A thread for long computations, which all share: one step at a time, and holder by holder."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import Any, TypeVar

Result = TypeVar("Result")
#: A computation that yields where others may have their turn.
Steps = Generator[None, None, Result]
_Begun = tuple["Future[Any]", Steps[Any]]


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
