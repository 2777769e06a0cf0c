"""Server-sent events on their way: the source raced with the caller and with the server's stop."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any

from guildhall_sdk import Host, Measured, Metric, Problem, Reader, Unavailable
from guildhall_sdk.events import ServerSentEvent
from guildhall_sdk.services.readiness import NOT_READY, Readiness
from guildhall_sdk.streams import close
from kernel.background import Background
from kernel.http.replies import internal_error
from kernel.logs import get_logger
from kernel.readiness import DRAINING

KEEP_ALIVE_SECONDS = 15.0
# A stream outlives a sign-out, a lost role and a feature that is turned off by so much at most.
RECHECK_SECONDS = 60.0
_COMMENT = b":\n\n"
# How soon a client that was sent away comes back: the server that takes over has started by then.
_RETRY = b"retry: 2000\n"
_log = get_logger("http")

#: The body of a problem, for the caller.
Describe = Callable[[Problem], Any]
#: Raises a `Problem` for a caller who would not be let in any more.
Recheck = Callable[[], Awaitable[None]]


class OpenStreams:
    """The event streams of one server: each ends with its caller, or by a last event when that stops."""

    def __init__(self, readiness: Readiness, works: Background) -> None:
        self._readiness = readiness
        self._works = works
        self._open: set[_Handover] = set()
        self._stopping = False

    def metric(self) -> Metric:
        return Metric(
            "guildhall_http_event_streams",
            "Streams of server-sent events that are open",
            "gauge",
            measure=self._count,
        )

    async def end_when_stopping(self) -> None:
        await self._readiness.until_stopping()
        self._stopping = True
        for handover in self._open:
            handover.stop()

    async def chunks(
        self, source: AsyncIterator[ServerSentEvent], plugin: str, describe: Describe, recheck: Recheck
    ) -> AsyncGenerator[bytes, None]:
        """Yields the events as bytes, and first a comment: an answer's head leaves with what follows it."""
        loop, handover = asyncio.get_running_loop(), _Handover(source, describe, plugin)
        work = self._works.start(plugin, "event stream", handover.fill)
        self._open.add(handover)
        try:
            if self._stopping:
                handover.stop()
            yield _COMMENT
            checked_at = loop.time()
            while (chunk := await handover.take()) is not None:
                if loop.time() - checked_at >= RECHECK_SECONDS:
                    checked_at = loop.time()
                    if (refusal := await _refusal(recheck)) is not None:
                        yield handover.error_event(refusal)
                        return
                yield chunk
        finally:
            self._open.discard(handover)
            handover.close()
            await work.cancel()

    async def _count(self, host: Host, reader: Reader) -> Measured:
        return {(): len(self._open)}


class _Handover:
    """One chunk at a time: the source is asked for the next event when the one before it was sent.

    The source has a task of its own from its first step to its last, so that a comment can be sent while it
    waits, and whatever it holds open around a `yield` is closed where it was opened.
    """

    def __init__(self, source: AsyncIterator[ServerSentEvent], describe: Describe, plugin: str) -> None:
        self._source = source
        self._describe = describe
        self._plugin = plugin
        self._chunk: bytes | None = None
        self._last: bytes | None = None
        self._over = self._closed = False
        self._wake = asyncio.Event()
        self._taken = asyncio.Event()

    async def take(self) -> bytes | None:
        """Returns the next chunk, a comment where there is none for a while, None at the end."""
        if self._chunk is None and self._last is not None:
            await self._let_end()
        chunk = self._next()
        if chunk is not None or self._over:
            return chunk
        self._wake.clear()
        self._taken.set()
        timer = asyncio.get_running_loop().call_later(KEEP_ALIVE_SECONDS, self._wake.set)
        try:
            await self._wake.wait()
        finally:
            timer.cancel()
        chunk = self._next()
        return chunk if chunk is not None or self._over else _COMMENT

    def stop(self) -> None:
        """Ends the stream as the server stops: what was handed over goes out, then the event that says so."""
        problem = Unavailable(DRAINING.detail, code=NOT_READY, reason=DRAINING.reason)
        self._last = _RETRY + self.error_event(problem)
        self._wake.set()

    def close(self) -> None:
        """Drops what the source still gives, as nobody takes any more."""
        self._closed = True

    async def fill(self) -> None:
        """Runs the source to its end, its failure or its cancellation, whichever comes first."""
        try:
            async for event in self._source:
                if self._closed:
                    return
                if not isinstance(event, ServerSentEvent):
                    raise TypeError(f"the source of an event stream gives Events, not {type(event).__name__}")
                await self._put(event.encode())
        except (Exception, SystemExit, asyncio.CancelledError) as error:
            if self._closed or _is_cancelled():
                raise
            await self._put(self._failure(error))
        finally:
            self._over = True
            self._wake.set()
            await close(self._source)

    async def _let_end(self) -> None:
        """Lets a source that has said all it had to end by itself: no event follows its last one."""
        self._taken.set()
        for _ in range(2):
            await asyncio.sleep(0)
        self._chunk = None

    def _next(self) -> bytes | None:
        chunk, self._chunk = self._chunk, None
        if chunk is None and self._last is not None and not self._over:
            chunk, self._over = self._last, True
        return chunk

    async def _put(self, chunk: bytes) -> None:
        self._taken.clear()
        self._chunk = chunk
        self._wake.set()
        await self._taken.wait()

    def _failure(self, error: BaseException) -> bytes:
        """Returns the event of a failure; what is no problem, or none to be told, is for the log alone."""
        if isinstance(error, Problem):
            with suppress(TypeError, ValueError):
                return self.error_event(error)
        _log.error("stream.failed", exc=error, plugin=self._plugin)
        return self.error_event(internal_error())

    def error_event(self, problem: Problem) -> bytes:
        return ServerSentEvent(event="error", data=self._describe(problem)).encode()


async def _refusal(recheck: Recheck) -> Problem | None:
    try:
        await recheck()
    except Unavailable:
        return None  # nobody knows just now: the next time tells
    except Problem as problem:
        return problem
    return None


def _is_cancelled() -> bool:
    """Tells whether this task is cancelled from outside; a cancellation inside the source is a failure."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
