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
    """Hypercorn's idle task, begun late."""

    waiting: ClassVar["WeakSet[LateIdleTask]"] = WeakSet()

    def __init__(self) -> None:
        super().__init__()
        self._timer: asyncio.TimerHandle | None = None
        self._begin: Callable[[], None] | None = None

    async def restart(self, task_group: Any, action: Callable[[], Any]) -> None:
        await self.stop()
        self._begin = lambda: self._start(task_group, action)
        self._timer = asyncio.get_running_loop().call_later(BRIEFLY_IDLE_SECONDS, self._begin)
        self.waiting.add(self)

    async def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = self._begin = None
        if self._handle is not None:
            await super().stop()

    def begin_now(self) -> None:
        if self._timer is not None and self._begin is not None:
            self._timer.cancel()
            self._begin()

    def _start(self, task_group: Any, action: Callable[[], Any]) -> None:
        self._timer = self._begin = None
        self.waiting.discard(self)
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
