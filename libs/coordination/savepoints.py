"""Callbacks of several that share one transaction."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

Item = TypeVar("Item")


class SharedTooLong(Exception):
    """Callbacks took too long for a transaction that several share; fewer of them may not."""


async def run_behind_savepoints(
    groups: Sequence[Sequence[Item]],
    work: Callable[[Sequence[Item]], Awaitable[None]],
    savepoint: Callable[[], AbstractAsyncContextManager[None]],
    seconds: float | None = None,
) -> list[tuple[Item, Exception]]:
    """Calls `work` for each group, so that what fails is undone alone; returns which items failed, and how.

    First all behind one savepoint: only when one of them fails they are undone together, and run again for
    each item behind a savepoint of its own. What comes of a call that was undone nobody sees but its own
    memory. Raises `SharedTooLong` where it all takes longer than so many seconds.
    """
    limit = asyncio.timeout(seconds)
    items = [item for group in groups for item in group]
    try:
        async with limit:
            if len(items) > 1 and await _all_well(groups, work, savepoint):
                return []
            return await _each(items, work, savepoint)
    except TimeoutError:
        if not limit.expired():
            raise
        raise SharedTooLong("callbacks took too long for a transaction that others share") from None


async def _all_well(
    groups: Sequence[Sequence[Item]],
    work: Callable[[Sequence[Item]], Awaitable[None]],
    savepoint: Callable[[], AbstractAsyncContextManager[None]],
) -> bool:
    try:
        async with savepoint():
            for group in groups:
                await work(group)
    except Exception:
        return False
    return True


async def _each(
    items: Sequence[Item],
    work: Callable[[Sequence[Item]], Awaitable[None]],
    savepoint: Callable[[], AbstractAsyncContextManager[None]],
) -> list[tuple[Item, Exception]]:
    failed: list[tuple[Item, Exception]] = []
    for item in items:
        try:
            async with savepoint():
                await work([item])
        except Exception as error:
            failed.append((item, error))
    return failed
