"""Waiting until a change is on the disk: who waits, and one flush of a log for all of them."""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import Context, copy_context


def _nothing() -> None: ...


class Pending:
    """Somebody whose change is made but not durable yet, and what is to be called when it is.

    It is called also for somebody who was cancelled meanwhile: the change is made all the same.
    """

    __slots__ = ("_context", "_outcome", "_then")

    def __init__(self, then: Callable[[], None]) -> None:
        self._then = then
        self._context = copy_context()
        self._outcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def wait(self) -> None:
        """Raises what `fail` was given."""
        try:
            await self._outcome
        except asyncio.CancelledError:
            if not self._outcome.cancelled() and self._outcome.exception() is None:
                self._then()  # both came in the same moment
            raise
        self._then()

    def let_go(self) -> None:
        """Waits no more: what is to be called is called all the same, and of a failure nobody hears."""
        self._outcome.cancel()

    def succeed(self) -> None:
        if self._outcome.done():
            asyncio.get_running_loop().call_soon(self._then, context=self._context)
        else:
            self._outcome.set_result(None)

    def fail(self, error: BaseException) -> None:
        if not self._outcome.done():
            self._outcome.set_exception(error)
            self._outcome.exception()  # nobody may be left to hear of it


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
        await pending.wait()

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
