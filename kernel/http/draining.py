"""How a listener stops, so that no request is lost.

Told to stop, it goes on accepting and answering until nobody sends it work any more, or for a while;
every answer closes its connection by then. Then the listener closes, and what is under way is finished.
Idle connections are closed last: not before they had the time to send what is on its way.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from kernel.http.accepting import Acceptor
from kernel.http.serving import Serving
from kernel.logs import get_logger

QUIET_SECONDS = 1.0
ACCEPTING_SECONDS = 10.0
_LOOK_SECONDS = 0.02
_log = get_logger("http")


@dataclass(frozen=True, slots=True)
class Drain:
    """`seconds` is for all of it; `quiet` how long nobody must have asked; `at_once` cuts it short."""

    seconds: float = 3.0
    quiet: float = 0.0
    at_once: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, acceptor: Acceptor, serving: Serving) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()

        def is_quiet() -> bool:
            now = loop.time()
            return now - began >= self.quiet and now - serving.last_request_at >= self.quiet

        def is_empty() -> bool:
            acceptor.end_idle(self.quiet)
            return not len(acceptor)

        await self._until(is_quiet, began + min(ACCEPTING_SECONDS, self.seconds / 2))
        acceptor.close_listener()
        await self._until(is_empty, began + self.seconds)
        if len(acceptor):
            _log.warning("drain.cut", connections=len(acceptor), after_seconds=round(loop.time() - began, 1))

    async def _until(self, condition: Callable[[], bool], deadline: float) -> None:
        while not (self.at_once.is_set() or condition()):
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left, _LOOK_SECONDS)):
                    await self.at_once.wait()
