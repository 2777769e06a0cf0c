"""Work beside requests and jobs: each piece has an owner, a name and an end before the database closes."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from guildhall_sdk import Problem
from kernel.logs import get_logger
from kernel.scope import change_scope

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0
STOP_SECONDS = 10.0
_log = get_logger("background")

Run = Callable[[], Awaitable[object]]


class Work:
    """The SDK's `BackgroundWork`."""

    def __init__(self, plugin: str, name: str, run: Run) -> None:
        self.plugin = plugin
        self.name = name
        self._run = run
        self.task: asyncio.Task[None] | None = None
        #: Whether it was told to end.
        self.ending = False

    def start(self) -> None:
        self.task = asyncio.create_task(self._go_on(), name=f"{self.plugin}: {self.name}")

    @property
    def ended(self) -> bool:
        return self.task is None or self.task.done()

    async def cancel(self) -> None:
        await _end([self])

    async def wait(self) -> None:
        if self.task is not None:
            await asyncio.wait({self.task})

    async def _go_on(self) -> None:
        """Runs the work until it returns, and begins it again when it fails.

        One that ran for long before it failed begins again as soon as the first time.
        """
        change_scope(background=True)  # also where a request began it
        loop, pause = asyncio.get_running_loop(), FIRST_PAUSE_SECONDS
        while True:
            began = loop.time()
            try:
                await self._run()
                return
            except (Exception, SystemExit, asyncio.CancelledError) as error:
                if self._is_cancelled():
                    if not isinstance(error, asyncio.CancelledError):
                        self._log_failure(error, None)
                    return
                if loop.time() - began >= LONGEST_PAUSE_SECONDS:
                    pause = FIRST_PAUSE_SECONDS
                self._log_failure(error, pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    def _is_cancelled(self) -> bool:
        """Tells whether this work was cancelled by us; a cancellation that it met elsewhere is a failure.

        The task's own count is not enough: cancel scopes within the work may take back more than theirs.
        """
        return self.ending or (self.task is not None and self.task.cancelling() > 0)

    def _log_failure(self, error: BaseException, pause: float | None) -> None:
        fields: dict[str, Any] = {"plugin": self.plugin, "work": self.name}
        if pause is not None:
            fields["again_seconds"] = pause
        if isinstance(error, Problem):  # a database that is busy, say: where it happened tells nothing
            _log.warning("background.failed", reason=f"{type(error).__name__}: {error.detail}", **fields)
        else:
            _log.error("background.failed", exc=error, **fields)


class Background:
    """The work of all plugins of one server."""

    def __init__(self) -> None:
        self._works: set[Work] = set()
        self._stopped = False

    def start(self, plugin: str, name: str, run: Run) -> Work:
        """Begins it, unless the server has stopped such work already: then it has ended before it began."""
        if not callable(run):
            raise TypeError(f"the work {name} of {plugin} is no function: give the function, not its result")
        work = Work(plugin, name, run)
        if not self._stopped:
            work.start()
            assert work.task is not None
            self._works.add(work)
            work.task.add_done_callback(lambda _: self._works.discard(work))
        return work

    @property
    def left(self) -> bool:
        """Whether there is work that has not ended; after `stop` nothing ends it any more."""
        return bool(self._works)

    async def end(self, plugin: str) -> None:
        """Ends the work of one plugin that is taken out."""
        await _end([work for work in self._works if work.plugin == plugin])

    async def stop(self) -> None:
        self._stopped = True
        await _end(list(self._works))


async def _end(works: list[Work]) -> None:
    tasks = {work.task: work for work in works if work.task is not None and not work.task.done()}
    for task, work in tasks.items():
        work.ending = True
        task.cancel()
    if tasks:
        _, left = await asyncio.wait(tasks, timeout=STOP_SECONDS)
        for task in left:
            _log.error("background.not_stopped", plugin=tasks[task].plugin, work=tasks[task].name)
