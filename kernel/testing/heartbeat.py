"""A pulse on the event loop, for tests that nothing holds it."""

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_EVERY_SECONDS = 0.001


class Heartbeat:
    """`longest_ms` is the longest that the loop did not come round.

    In processor time of this process: what a busy machine does meanwhile does not count, and a thread that
    lets nobody else run does.
    """

    def __init__(self) -> None:
        self.longest_ms = 0.0
        self._last = time.process_time()

    async def beat(self) -> None:
        while True:
            await asyncio.sleep(_EVERY_SECONDS)
            self.feel()

    def feel(self) -> None:
        now = time.process_time()
        self.longest_ms = max(self.longest_ms, (now - self._last) * 1000)
        self._last = now


@asynccontextmanager
async def heartbeat() -> AsyncIterator[Heartbeat]:
    """Measures from its beginning to its end."""
    await asyncio.sleep(0)
    # What the tests before have left in memory is not walked through meanwhile.
    gc.freeze()
    pulse = Heartbeat()
    beating = asyncio.create_task(pulse.beat())
    try:
        yield pulse
        pulse.feel()
    finally:
        beating.cancel()
        gc.unfreeze()
