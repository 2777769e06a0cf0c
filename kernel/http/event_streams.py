"""Server-sent events on their way: the source raced with the caller and with the server's stop."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any

from guildhall_sdk import Host, Metric, Problem, Reader, Unavailable
from guildhall_sdk.metrics import Measured
from guildhall_sdk.replies import ServerSentEvent
from guildhall_sdk.request_body import ClientGone
from guildhall_sdk.services.readiness import DRAINING, NOT_READY, ServerLife
from kernel.db import Database
from kernel.http.replies import internal_error
from kernel.http.streams_of_people import StreamsOfPeople
from kernel.logs import get_logger
from libs.coordination import Background, Work
from libs.streams import close

KEEP_ALIVE_SECONDS = 15.0
# A stream outlives a sign-out, a lost role and a feature that is turned off by so much at most; it is told of
# its person's suspension or removal.
RECHECK_SECONDS = 60.0
_COMMENT = b":\n\n"
# How soon a client that was sent away comes back: the server that takes over has started by then.
_RETRY = b"retry: 2000\n"
# Of the time that a server has to stop in, so much is for answers that are under way or come meanwhile.
_FOR_ANSWERS = 0.8
_log = get_logger("http")

#: The body of a problem, for the caller.
Describe = Callable[[Problem], Any]
#: Raises a `Problem` for a caller who would not be let in any more.
Recheck = Callable[[], Awaitable[None]]


class OpenStreams:
    """The event streams of one server: each ends with its caller, or by a last event when that stops.

    An answer, which ends by itself, has most of the time that the server takes to stop.
    """

    def __init__(
        self, life: ServerLife, works: Background, drain_seconds: float, data: Database | None = None
    ) -> None:
        self.of_people = StreamsOfPeople(data)
        self._life = life
        self._works = works
        self._drain_seconds = drain_seconds
        self._open: set[_Handover] = set()
        self._stopping = self._out_of_time = False

    def metric(self) -> Metric:
        return Metric(
            "guildhall_http_event_streams",
            "Streams of server-sent events that are open",
            "gauge",
            measure=self._count,
            per_process=True,
        )

    async def end_when_stopping(self) -> None:
        await self.of_people.start()
        try:
            await self._life.until_stopping()
        finally:
            await self.of_people.stop()
        self._stopping = True
        self._stop(answers=False)
        await asyncio.sleep(self._drain_seconds * _FOR_ANSWERS)
        self._out_of_time = True
        self._stop(answers=True)

    def _stop(self, *, answers: bool) -> None:
        for handover in self._open:
            if handover.is_answer == answers:
                handover.stop()

    def chunks(
        self,
        source: AsyncIterator[ServerSentEvent],
        plugin: str,
        describe: Describe,
        recheck: Recheck,
        *,
        is_answer: bool,
        user_id: str = "",
    ) -> "EventChunks":
        """Begins the stream of a person, whose chunks have to be closed."""
        handover = _Handover(source, describe, plugin, is_answer=is_answer)
        work = self._works.start(plugin, "event stream", handover.fill)
        self._open.add(handover)
        if self._out_of_time or (self._stopping and not is_answer):
            handover.stop()
        chunks = EventChunks(self, handover, work, recheck, user_id)
        self.of_people.add(user_id, chunks)
        return chunks

    async def close(self, chunks: "EventChunks", handover: "_Handover", work: Work) -> None:
        self._open.discard(handover)
        self.of_people.discard(chunks.user_id, chunks)
        handover.close()
        await work.cancel()

    async def _count(self, host: Host, reader: Reader) -> Measured:
        return {(): len(self._open)}


class EventChunks:
    """The events of one stream as bytes.

    First a comment: the head of an answer leaves with what follows it. A source with an event at hand needs
    none.
    """

    def __init__(
        self, streams: OpenStreams, handover: "_Handover", work: Work, recheck: Recheck, user_id: str
    ) -> None:
        self.user_id = user_id
        self._loop = asyncio.get_running_loop()
        self._streams = streams
        self._handover = handover
        self._work = work
        self._recheck = recheck
        self._checked_at: float | None = None
        self._refused = self._told = False

    def look_again(self) -> None:
        """Has the caller looked up once more before anything else is sent."""
        self._told = True
        self._handover.nudge()

    async def prefetch(self, gone: "asyncio.Future[None]") -> None:
        """Waits for the first event, as long as a caller may be left without a sign; closes what has none.

        Raises what the source fails with, `ClientGone` when `gone` is done, and `Unavailable` when the server
        stops.
        """
        try:
            await self._handover.wait_for_first(gone)
        except BaseException:
            await self.aclose()
            raise

    def __aiter__(self) -> "EventChunks":
        return self

    async def __anext__(self) -> bytes:
        if self._checked_at is None:
            self._checked_at = self._loop.time()
            if not self._handover.is_filled:
                await asyncio.sleep(0)
                if not self._handover.is_filled:
                    return _COMMENT
        chunk = None if self._refused else await self._handover.take()
        if chunk is None:
            raise StopAsyncIteration
        if self._told or self._loop.time() - self._checked_at >= RECHECK_SECONDS:
            self._checked_at, self._told = self._loop.time(), False
            if (refusal := await _refusal(self._recheck)) is not None:
                self._refused = True
                return self._handover.error_event(refusal)
        return chunk

    async def aclose(self) -> None:
        await self._streams.close(self, self._handover, self._work)


class _Handover:
    """Room for one chunk: the source is asked for the next event while the one before it is sent.

    The source has a task of its own from its first step to its last, so that a comment can be sent while it
    waits, and whatever it holds open around a `yield` is closed where it was opened. A stream of many small
    events costs one wake-up on each side for each of them, and a timer for all of them together.
    """

    def __init__(
        self, source: AsyncIterator[ServerSentEvent], describe: Describe, plugin: str, *, is_answer: bool
    ) -> None:
        self.is_answer = is_answer
        self._loop = asyncio.get_running_loop()
        self._source = source
        self._describe = describe
        self._plugin = plugin
        self._chunk: bytes | None = None
        self._last: bytes | None = None
        self._over = self._closed = self._is_first = False
        self._fault: BaseException | None = None
        self._taker: asyncio.Future[bool] | None = None
        self._filler: asyncio.Future[None] | None = None
        self._silence: asyncio.TimerHandle | None = None
        self._silent_since = 0.0

    async def wait_for_first(self, gone: "asyncio.Future[None]") -> None:
        """Waits for an event or the end, but not for ever: failures are events from then on."""
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
            raise ClientGone
        if self._last is not None and not self.is_filled and not self._over:
            raise _draining()

    async def take(self) -> bytes | None:
        """Returns the next chunk, a comment where there is none for a while, None at the end."""
        if self._chunk is None and self._last is not None:
            await self._let_end()
        chunk = self._next()
        while chunk is None and not self._over:
            if not await self._wait():
                return _COMMENT
            chunk = self._next()
        return chunk

    async def _wait(self) -> bool:
        """False where it was for nothing for as long as a caller should be left without a sign."""
        self._taker, self._silent_since = self._loop.create_future(), self._loop.time()
        if self._silence is None:
            self._silence = self._loop.call_later(KEEP_ALIVE_SECONDS, self._break_silence)
        try:
            return await self._taker
        finally:
            self._taker = None

    def _break_silence(self) -> None:
        """Looks again where something came meanwhile: it is set once and not for each event."""
        self._silence = None
        if self._taker is None or self._taker.done():
            return
        left = self._silent_since + KEEP_ALIVE_SECONDS - self._loop.time()
        if left > 0:
            self._silence = self._loop.call_later(left, self._break_silence)
        else:
            self._taker.set_result(False)

    def nudge(self) -> None:
        """Has who waits for an event go on without one."""
        if self._taker is not None and not self._taker.done():
            self._taker.set_result(False)

    def _wake(self, _: object = None) -> None:
        if self._taker is not None and not self._taker.done():
            self._taker.set_result(True)

    @property
    def is_filled(self) -> bool:
        return self._chunk is not None

    def stop(self) -> None:
        """Ends the stream as the server stops: what was handed over goes out, then the event that says so."""
        self._last = _RETRY + self.error_event(_draining())
        self._wake()

    def close(self) -> None:
        """Drops what the source still gives, as nobody takes any more."""
        self._closed = True
        if self._silence is not None:
            self._silence.cancel()

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
            if self._is_first and not self.is_filled:
                self._fault = error
                return
            await self._put(self._failure(error))
        finally:
            self._over = True
            self._wake()
            await close(self._source)

    async def _let_end(self) -> None:
        """A source that has said all it had to ends by itself: no event follows its last one."""
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

    def _failure(self, error: BaseException) -> bytes:
        """Returns the event of a failure; what is no problem, or none to be told, is for the log alone."""
        if isinstance(error, Problem):
            with suppress(TypeError, ValueError):
                return self.error_event(error)
        _log.error("stream.failed", exc=error, plugin=self._plugin)
        return self.error_event(internal_error())

    def error_event(self, problem: Problem) -> bytes:
        return ServerSentEvent(event="error", data=self._describe(problem)).encode()


def _draining() -> Unavailable:
    return Unavailable(DRAINING.detail, code=NOT_READY, reason=DRAINING.reason)


def _as_exception(fault: BaseException) -> Exception:
    if isinstance(fault, Exception):
        return fault
    return RuntimeError(f"the source of an event stream ended with {type(fault).__name__}")


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
