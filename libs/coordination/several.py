"""The same work for many, several at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


async def each_of(items: Iterable[Item], work: Callable[[Item], Awaitable[None]], at_once: int) -> None:
    """Works on each item, on `at_once` at a time; the first failure ends all, and is raised."""
    coming = iter(items)

    async def take_turns() -> None:
        for item in coming:
            await work(item)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(take_turns())
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
