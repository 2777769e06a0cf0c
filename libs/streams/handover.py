"""A source of events that runs in a task of its own, and hands each over to whoever sends them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from enum import Enum
from typing import Any

from libs.streams.closing import close


class First(Enum):
    """What came first: an event or the end of the source, or that the caller left, or that it all stops."""

    HERE = "here"
    GONE = "gone"
    STOPPED = "stopped"


class Handover:
    """Room for one chunk: the source is asked for the next event while the one before it is sent.

    The source has a task of its own from its first step to its last, so that a comment can be sent while it
    waits, and whatever it holds open around a `yield` is closed where it was opened. A stream of many small
    events costs one wake-up on each side for each of them, and a timer for all of them together.
    """

    def __init__(
        self,
        source: AsyncIterator[Any],
        encode: Callable[[Any], bytes],
        describe: Callable[[BaseException], bytes],
        *,
        comment: bytes,
        silence_seconds: float,
    ) -> None:
        """Takes a source, how its events and its failure are written, and what is sent while it is silent."""
        self._loop = asyncio.get_running_loop()
        self._source = source
        self._encode = encode
        self._describe = describe
        self._comment = comment
        self._silence_seconds = silence_seconds
        self._chunk: bytes | None = None
        self._last: bytes | None = None
        self._over = self._closed = self._is_first = False
        self._fault: BaseException | None = None
        self._taker: asyncio.Future[bool] | None = None
        self._filler: asyncio.Future[None] | None = None
        self._silence: asyncio.TimerHandle | None = None
        self._silent_since = 0.0

    @property
    def is_filled(self) -> bool:
        return self._chunk is not None

    async def fill(self) -> None:
        """Runs the source to its end, its failure or its cancellation, whichever comes first."""
        try:
            async for event in self._source:
                if self._closed:
                    return
                await self._put(self._encode(event))
        except (Exception, SystemExit, asyncio.CancelledError) as error:
            if self._closed or _is_cancelled():
                raise
            if self._is_first and not self.is_filled:
                self._fault = error
                return
            await self._put(self._describe(error))
        finally:
            self._over = True
            self._wake()
            await close(self._source)

    async def wait_for_first(self, gone: "asyncio.Future[None]") -> First:
        """Waits for an event or the end, but not for ever: failures are events from then on.

        Raises what the source fails with until then.
        """
        self._is_first = True
        gone.add_done_callback(self._wake)
        try:
            while not (self.is_filled or self._over or gone.done() or self._last) and await self._wait():
                pass
        finally:
            self._is_first = False
            gone.remove_done_callback(self._wake)
        if self._fault is not None:
            raise _as_exception(self._fault)
        if gone.done():
            return First.GONE
        stopped = self._last is not None and not self.is_filled and not self._over
        return First.STOPPED if stopped else First.HERE

    async def take(self) -> bytes | None:
        """Returns the next chunk, a comment where there is none for a while, None at the end."""
        if self._chunk is None and self._last is not None:
            await self._let_end()
        chunk = self._next()
        while chunk is None and not self._over:
            if not await self._wait():
                return self._comment
            chunk = self._next()
        return chunk

    def nudge(self) -> None:
        """Has who waits for an event go on without one."""
        if self._taker is not None and not self._taker.done():
            self._taker.set_result(False)

    def stop(self, last: bytes) -> None:
        """Ends the stream: what was handed over goes out, then this."""
        self._last = last
        self._wake()

    def close(self) -> None:
        """Drops what the source still gives, as nobody takes any more."""
        self._closed = True
        if self._silence is not None:
            self._silence.cancel()

    async def _wait(self) -> bool:
        """Returns False where it was for nothing for as long as a caller should be left without a sign."""
        self._taker, self._silent_since = self._loop.create_future(), self._loop.time()
        if self._silence is None:
            self._silence = self._loop.call_later(self._silence_seconds, self._break_silence)
        try:
            return await self._taker
        finally:
            self._taker = None

    def _break_silence(self) -> None:
        """Looks again where something came meanwhile: it is set once and not for each event."""
        self._silence = None
        if self._taker is None or self._taker.done():
            return
        left = self._silent_since + self._silence_seconds - self._loop.time()
        if left > 0:
            self._silence = self._loop.call_later(left, self._break_silence)
        else:
            self._taker.set_result(False)

    def _wake(self, _: object = None) -> None:
        if self._taker is not None and not self._taker.done():
            self._taker.set_result(True)

    async def _let_end(self) -> None:
        """Lets a source end that has said all it had to: no event follows its last one."""
        for _ in range(2):
            await asyncio.sleep(0)
        self._chunk = None

    def _next(self) -> bytes | None:
        chunk, self._chunk = self._chunk, None
        if self._filler is not None and not self._filler.done():
            self._filler.set_result(None)
        if chunk is None and self._last is not None and not self._over:
            chunk, self._over = self._last, True
        return chunk

    async def _put(self, chunk: bytes) -> None:
        while self._chunk is not None:
            self._filler = self._loop.create_future()
            await self._filler
        self._chunk = chunk
        self._wake()


def _as_exception(fault: BaseException) -> Exception:
    if isinstance(fault, Exception):
        return fault
    return RuntimeError(f"the source of an event stream ended with {type(fault).__name__}")


def _is_cancelled() -> bool:
    """Tells whether this task is cancelled from outside; a cancellation inside the source is a failure."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
