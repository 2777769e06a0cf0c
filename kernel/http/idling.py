"""Waiting for the next request of a connection, at the price of a timer instead of a task.

Hypercorn starts a task after every answer, to close the connection should nothing follow, and cancels
it with the next request. On a busy connection that is a sixth of the whole cost of a request. Here the
task starts only once the connection has been idle for a while, or when the server stops.
"""

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar
from weakref import WeakSet

import hypercorn.asyncio.tcp_server
from hypercorn.asyncio.worker_context import AsyncioSingleTask

BRIEFLY_IDLE_SECONDS = 1.0


class LateIdleTask(AsyncioSingleTask):
    """Hypercorn's idle task, begun late. The timer is left running from request to request: it looks then."""

    waiting: ClassVar["WeakSet[LateIdleTask]"] = WeakSet()

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._begin: Callable[[], None] | None = None
        self._idle_since = 0.0

    async def restart(self, task_group: Any, action: Callable[[], Any]) -> None:
        await self.stop()
        self._begin = lambda: self._start(task_group, action)
        self._idle_since = self._loop.time()
        if self._timer is None:
            self._look_in(BRIEFLY_IDLE_SECONDS)
            self.waiting.add(self)

    async def stop(self) -> None:
        self._begin = None
        if self._handle is not None:
            await super().stop()

    def begin_now(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._begin is not None:
            self._begin()

    def _look_in(self, seconds: float) -> None:
        self._timer = self._loop.call_later(seconds, self._look)

    def _look(self) -> None:
        self._timer = None
        left = self._idle_since + BRIEFLY_IDLE_SECONDS - self._loop.time()
        if self._begin is not None and left > 0:
            self._look_in(left)
        else:
            self.waiting.discard(self)
            self.begin_now()

    def _start(self, task_group: Any, action: Callable[[], Any]) -> None:
        self._begin = None
        idling = action()
        try:
            self._handle = task_group._task_group.create_task(idling)
        except RuntimeError:
            # The connection ended meanwhile, and its group of tasks with it.
            idling.close()


def begin_all() -> None:
    """Before a server stops: its idle connections must hear of it."""
    for task in list(LateIdleTask.waiting):
        task.begin_now()


def install() -> None:
    """Hypercorn names its class in this one place and offers no other way in."""
    hypercorn.asyncio.tcp_server.AsyncioSingleTask = LateIdleTask  # type: ignore[attr-defined]
