"""A limit on each of many short waits, at the price of one timer for all of them."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

Result = TypeVar("Result")


class WaitLimit:
    """Ends a wait that lasts too long, as `asyncio.timeout` does.

    That sets a timer and takes it back for every wait, which costs more than a piece of a stream does.
    """

    __slots__ = ("_expired", "_loop", "_task", "_timer", "_until")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[object] | None = None
        self._until: float | None = None
        self._expired = False

    async def wait(self, awaited: Awaitable[Result], seconds: float) -> Result:
        """The result of what is awaited. Raises `TimeoutError`."""
        task = asyncio.current_task()
        assert task is not None
        cancelling = task.cancelling()
        until = self._loop.time() + seconds
        self._task, self._until, self._expired = task, until, False
        if self._timer is None or self._timer.when() > until:
            self._arm(until)
        try:
            return await awaited
        except asyncio.CancelledError:
            if self._expired and task.uncancel() <= cancelling:
                raise TimeoutError from None
            raise
        finally:
            self._until = None

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self, until: float) -> None:
        self.close()
        self._timer = self._loop.call_at(until, self._check)

    def _check(self) -> None:
        self._timer = None
        if self._until is None or self._task is None:
            return  # nobody waits; the next one who does sets the timer again
        if self._loop.time() < self._until:
            self._arm(self._until)
        else:
            self._expired = True
            self._task.cancel()
