"""Work that is waited for no longer than it may take, whatever it does when it is told to end."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

# What is told to end has so long for it, within the second that a caller who left may be waited for.
GRACE_SECONDS = 0.5
# Held on to until they end: the loop alone would let them be collected half-way.
_abandoned: set["asyncio.Task[Any]"] = set()


class OutOfTime(Exception):
    """It took longer than it may."""


class WorkFailed(Exception):
    """It ended in a way that must not end its caller: it cancelled itself, or asked the process to exit."""


async def finish_within(seconds: float, run: Callable[[], Awaitable[Any]]) -> Any:
    """Runs work in a task of its own and gives its result. Raises `OutOfTime`, and what the work raises.

    However this ends, the work was told to end; one that does not obey is left to itself.
    """
    task = asyncio.create_task(_contained(run))
    try:
        await asyncio.wait({task}, timeout=max(0.0, seconds))
        if not task.done():
            raise OutOfTime
        if task.cancelled():
            raise WorkFailed("it cancelled itself")
        return task.result()
    finally:
        await end_tasks([task])


async def end_tasks(tasks: "list[asyncio.Task[Any]]") -> None:
    """Cancels what still runs and waits a moment for it to end; what failed meanwhile is nobody's news."""
    running = {task for task in tasks if not task.done()}
    for task in running:
        task.cancel()
    if running:
        _, left = await asyncio.wait(running, timeout=GRACE_SECONDS)
        for task in left:
            _abandoned.add(task)
            task.add_done_callback(_forget)
    for task in tasks:
        if task.done():
            _forget(task)


async def _contained(run: Callable[[], Awaitable[Any]]) -> Any:
    try:
        return await run()
    except SystemExit:
        # In a task of its own it would end the whole process.
        raise WorkFailed("it asked the process to exit") from None


def _forget(task: "asyncio.Task[Any]") -> None:
    _abandoned.discard(task)
    if not task.cancelled():
        task.exception()
