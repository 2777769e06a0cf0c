"""Callers who may leave before their answer is there."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

from guildhall_sdk.request_body import ClientGone

Result = TypeVar("Result")


class Caller(Protocol):
    """Whoever waits for an answer, such as a `Call`."""

    async def hung_up(self) -> None:
        """Returns when the caller is gone."""
        ...


async def unless_gone(caller: Caller, work: Coroutine[Any, Any, Result]) -> Result:
    """Waits for work and gives its result; the work ends when its caller leaves.

    Raises what the work raises, and `ClientGone` for a caller who left.
    """
    working = asyncio.create_task(work)
    gone = asyncio.ensure_future(caller.hung_up())
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientGone
    finally:
        gone.cancel()
        working.cancel()
        await asyncio.wait({working, gone})
