"""Calls that are made once, however often and in however many processes they are asked for."""

import asyncio
from collections.abc import Hashable
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

_FIRST_LOOK_SECONDS, _LAST_LOOK_SECONDS = 0.05, 1.0

Answer = TypeVar("Answer")
Answered = TypeVar("Answered", covariant=True)


class StillRunning(Exception):
    """The same call is under way already."""


class LeasedCall(Protocol[Answered]):
    """A call that holds its key by a lease where all processes see it, and renews it while it runs."""

    async def take(self) -> bool:
        """Takes the key, unless a call holds it or has left its answer there."""

    async def find_answer(self) -> Answered | None:
        """Returns the answer of the first call, None where its key is free; raises `StillRunning`."""

    async def renew(self) -> None:
        """Gives itself another lease."""

    async def run(self) -> Answered:
        """Does what is to be done once, with the key in hand, and leaves the answer there."""


class OnceCalls(Generic[Answer]):
    """The calls of this process: whoever repeats one that is under way waits for its answer."""

    def __init__(self) -> None:
        self._ended: dict[Hashable, asyncio.Event] = {}

    async def answer(
        self, key: Hashable, call: LeasedCall[Answer], *, wait_seconds: float, renew_seconds: float
    ) -> Answer:
        """Runs the call, or returns the answer of the first; raises `StillRunning` after `wait_seconds`."""
        while not await call.take():
            found = await self._wait_for_answer(key, call, wait_seconds)
            if found is not None:
                return found
        ended = self._ended[key] = asyncio.Event()
        renewing = asyncio.create_task(_renew(call, renew_seconds), name="lease of a call")
        try:
            return await call.run()
        finally:
            renewing.cancel()
            if self._ended.get(key) is ended:
                del self._ended[key]
            ended.set()

    async def _wait_for_answer(
        self, key: Hashable, call: LeasedCall[Answer], seconds: float
    ) -> Answer | None:
        """Waits for the end of a call in this process; for one elsewhere it looks now and then."""
        loop = asyncio.get_running_loop()
        deadline, pause = loop.time() + seconds, _FIRST_LOOK_SECONDS
        while True:
            try:
                return await call.find_answer()
            except StillRunning:
                if loop.time() >= deadline:
                    raise
            first = self._ended.get(key)
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await (first or asyncio.Event()).wait()
            pause = min(2 * pause, _LAST_LOOK_SECONDS)


async def _renew(call: LeasedCall[object], seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds)
        await call.renew()
