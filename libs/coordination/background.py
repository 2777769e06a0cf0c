"""Work in the background: each piece has an owner, a name and an end."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0
STOP_SECONDS = 10.0

Run = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BackgroundReports:
    """What the owner of all the work is told: `begins` runs in the task of each piece before it does.

    `fails` has the seconds after which it begins again, None where it does not; `goes_on` did not end when it
    was told to.
    """

    begins: Callable[[], None]
    fails: Callable[["Work", BaseException, float | None], None]
    goes_on: Callable[["Work"], None]


class Work:
    """A piece of work, which begins again when it fails."""

    def __init__(self, owner: str, name: str, run: Run, reports: BackgroundReports) -> None:
        self.owner = owner
        self.name = name
        self.reports = reports
        self._run = run
        self.task: asyncio.Task[None] | None = None
        #: Whether it was told to end.
        self.ending = False

    def start(self, then: Callable[[], None]) -> None:
        self.task = asyncio.create_task(self._go_on(), name=f"{self.owner}: {self.name}")
        self.task.add_done_callback(lambda _: then())

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
        self.reports.begins()
        loop, pause = asyncio.get_running_loop(), FIRST_PAUSE_SECONDS
        while True:
            began = loop.time()
            try:
                await self._run()
                return
            except (Exception, SystemExit, asyncio.CancelledError) as error:
                if self._is_cancelled():
                    if not isinstance(error, asyncio.CancelledError):
                        self.reports.fails(self, error, None)
                    return
                if loop.time() - began >= LONGEST_PAUSE_SECONDS:
                    pause = FIRST_PAUSE_SECONDS
                self.reports.fails(self, error, pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    def _is_cancelled(self) -> bool:
        """Tells whether this work was cancelled by us; a cancellation that it met elsewhere is a failure.

        The task's own count is not enough: cancel scopes within the work may take back more than theirs.
        """
        return self.ending or (self.task is not None and self.task.cancelling() > 0)


class Background:
    """All the work of a process, by owners."""

    def __init__(self, reports: BackgroundReports) -> None:
        self._reports = reports
        self._works: set[Work] = set()
        self._stopped = False

    def start(self, owner: str, name: str, run: Run) -> Work:
        """Begins it, unless all such work was stopped already: then it has ended before it began."""
        if not callable(run):
            raise TypeError(f"the work {name} of {owner} is no function: give the function, not its result")
        work = Work(owner, name, run, self._reports)
        if not self._stopped:
            self._works.add(work)
            work.start(lambda: self._works.discard(work))
        return work

    @property
    def left(self) -> bool:
        """Whether there is work that has not ended; after `stop` nothing ends it any more."""
        return bool(self._works)

    def named(self, name: str) -> list[Work]:
        """Returns the work of a name that has not ended."""
        return [work for work in self._works if work.name == name]

    async def end(self, owner: str) -> None:
        """Ends the work of one owner."""
        await _end([work for work in self._works if work.owner == owner])

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
            tasks[task].reports.goes_on(tasks[task])
