"""An event loop that stands still: everybody waits, so the log says whose code holds it."""

import asyncio
import logging
import sys
import time
from collections.abc import Iterator
from threading import Event, Thread, get_ident
from types import FrameType

from guildhall_sdk import Host
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.services.server import ServerLife

BLOCKED_SECONDS = 1.0
_BEATS_PER_LIMIT = 4
_log = logging.getLogger("guildhall.loop")


class LoopMonitor:
    """A timer of the loop records the time; a thread looks at it, and at the loop's stack when it is late."""

    def __init__(self, host: Host) -> None:
        self._life = host.service(ServerLife)
        self._plugins = host.service(Plugins)
        self._limit = BLOCKED_SECONDS
        self._beaten_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._stopped = Event()

    async def run(self) -> None:
        """Watches the loop from when the server answers until this is cancelled."""
        await self._life.started.wait()
        self._beat()
        Thread(target=self._watch, args=(get_ident(),), name="loop monitor", daemon=True).start()
        try:
            await asyncio.Event().wait()
        finally:
            self._stopped.set()
            if self._timer is not None:
                self._timer.cancel()

    def _beat(self) -> None:
        self._beaten_at = time.monotonic()
        self._timer = asyncio.get_running_loop().call_later(self._limit / _BEATS_PER_LIMIT, self._beat)

    def _watch(self, loop_thread: int) -> None:
        reported = 0.0
        while not self._stopped.wait(self._limit / _BEATS_PER_LIMIT):
            beaten_at = self._beaten_at
            if beaten_at == reported or time.monotonic() - beaten_at < self._limit:
                continue
            frame = sys._current_frames().get(loop_thread)
            # Waiting for something to do: then it is the machine that has no time for us.
            if frame is None or frame.f_code.co_name == "select":
                continue
            # Whoever held it before may be nobody's plugin, and the next one a plugin's.
            if self._report(frame, time.monotonic() - beaten_at):
                reported = beaten_at

    def _report(self, innermost: FrameType, seconds: float) -> bool:
        """Reports a plugin whose code held the loop, and returns whether there is one.

        Where no plugin is on the stack, the machine is as likely to be at fault, or the loop waits in C.
        """
        for frame in _outwards(innermost):
            owner = self._plugins.plugin_of(str(frame.f_globals.get("__name__")))
            if owner is not None:
                place = f"{frame.f_code.co_filename.rsplit('/', 1)[-1]}:{frame.f_lineno}"
                fields = {"plugin": owner, "place": place, "seconds": round(seconds, 1)}
                _log.warning("loop.blocked", extra={"fields": fields})
                return True
        return False


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back
