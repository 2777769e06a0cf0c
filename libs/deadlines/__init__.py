"""How long tasks may take: one timer for all of them, where a timer each would cost more than a short job."""

import asyncio
from math import inf


class Deadlines:
    """Cancels what takes too long. Between `begin` and `end` a task is under watch."""

    def __init__(self) -> None:
        self._due: dict[asyncio.Task[object], float] = {}
        self._met: set[asyncio.Task[object]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._next = inf

    def begin(self, task: asyncio.Task[object], seconds: float) -> None:
        self._due[task] = due = asyncio.get_running_loop().time() + seconds
        if due < self._next:
            self._set_timer(due)

    def end(self, task: asyncio.Task[object]) -> bool:
        """Tells whether a task was cancelled for taking too long; that cancellation is over with this."""
        self._due.pop(task, None)
        if task not in self._met:
            return False
        self._met.discard(task)
        task.uncancel()
        return True

    def _set_timer(self, due: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._next = due
        self._timer = asyncio.get_running_loop().call_at(due, self._cancel_overdue)

    def _cancel_overdue(self) -> None:
        """Cancels what is overdue and sets the timer anew, also where the reason for it ended meanwhile."""
        self._timer, self._next = None, inf
        now = asyncio.get_running_loop().time()
        for task in [task for task, due in self._due.items() if due <= now]:
            del self._due[task]
            self._met.add(task)
            task.cancel()
        if self._due:
            self._set_timer(min(self._due.values()))
