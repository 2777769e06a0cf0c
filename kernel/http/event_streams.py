"""Server-sent events on their way: the source raced with the caller and with the server's stop."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from guildhall_sdk import Problem, Unavailable
from guildhall_sdk.metrics import Measure, measured_from
from guildhall_sdk.replies import ServerSentEvent
from guildhall_sdk.services.server import DRAINING, NOT_READY, ServerLife
from kernel.db.database import Database
from kernel.logs import get_logger
from libs.coordination import Background
from libs.request_body import ClientGone
from libs.streams import First, Handover, encode_event

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


def internal_error() -> Problem:
    return Problem("Something went wrong here; the log holds the details under this request id.")


class OpenStreams:
    """The event streams of one server: each ends with its caller, or by a last event when that stops.

    An answer, which ends by itself, has most of the time that the server takes to stop. Who may not be let in
    any more is told at once, in the other processes on `data` too.
    """

    def __init__(self, life: ServerLife, works: Background, drain_seconds: float, data: Database) -> None:
        self._life = life
        self._works = works
        self._drain_seconds = drain_seconds
        self._others = data.pool.announcements("people", self._recheck)
        self._open: set[EventChunks] = set()
        self._stopping = self._out_of_time = False

    def measures(self) -> Mapping[str, Measure]:
        return {"guildhall_http_event_streams": measured_from(lambda: {(): len(self._open)})}

    async def end_when_stopping(self) -> None:
        await self._others.start()
        try:
            await self._life.stopping.wait()
        finally:
            await self._others.stop()
        self._stopping = True
        self._stop(answers=False)
        await asyncio.sleep(self._drain_seconds * _FOR_ANSWERS)
        self._out_of_time = True
        self._stop(answers=True)

    def _stop(self, *, answers: bool) -> None:
        for chunks in self._open:
            if chunks.is_answer == answers:
                chunks.stop()

    def person_changed(self, user_id: str) -> None:
        """Has the streams of somebody checked again, here and in the other processes."""
        self._recheck(user_id)
        self._others.notify(user_id)

    def _recheck(self, user_id: str | None) -> None:
        """Has the streams of a person checked again; all of them where messages may have been lost."""
        for chunks in self._open:
            if user_id in (None, chunks.user_id):
                chunks.recheck_now()

    def begin(self, chunks: "EventChunks") -> None:
        """Runs the source of a stream, which is one of the open ones until it is closed."""
        self._open.add(chunks)
        chunks.begin(self._works, self._open.discard)
        if self._out_of_time or (self._stopping and not chunks.is_answer):
            chunks.stop()


class EventChunks:
    """The events of one person's stream as bytes, which have to be closed.

    First a comment: the head of an answer leaves with what follows it. A source with an event at hand needs
    none.
    """

    def __init__(
        self,
        source: AsyncIterator[ServerSentEvent],
        plugin: str,
        describe: Describe,
        recheck: Recheck,
        *,
        is_answer: bool,
        user_id: str = "",
    ) -> None:
        self.is_answer = is_answer
        self.user_id = user_id
        self._loop = asyncio.get_running_loop()
        self._plugin = plugin
        self._describe = describe
        self._recheck = recheck
        self._checked_at: float | None = None
        self._refused = self._recheck_wanted = False
        self._handover = Handover(
            source, encode, self._failure, comment=_COMMENT, silence_seconds=KEEP_ALIVE_SECONDS
        )

    def begin(self, works: Background, on_close: "Callable[[EventChunks], None]") -> None:
        self._work = works.start(self._plugin, "event stream", self._handover.fill)
        self._on_close = on_close

    def recheck_now(self) -> None:
        """Has the caller looked up once more before anything else is sent."""
        self._recheck_wanted = True
        self._handover.nudge()

    def stop(self) -> None:
        """Ends the stream as the server stops: what was handed over goes out, then the event that says so."""
        self._handover.stop(_RETRY + self._error_event(_draining()))

    async def prefetch(self, gone: "asyncio.Future[None]") -> None:
        """Waits for the first event, as long as a caller may be left without a sign; closes what has none.

        Raises what the source fails with, `ClientGone` when `gone` is done, and `Unavailable` when the server
        stops.
        """
        try:
            first = await self._handover.wait_for_first(gone)
            if first is First.GONE:
                raise ClientGone
            if first is First.STOPPED:
                raise _draining()
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
        if self._recheck_wanted or self._loop.time() - self._checked_at >= RECHECK_SECONDS:
            self._checked_at, self._recheck_wanted = self._loop.time(), False
            try:
                with suppress(Unavailable):  # nobody knows just now: the next time tells
                    await self._recheck()
            except Problem as refusal:
                self._refused = True
                return self._error_event(refusal)
        return chunk

    async def aclose(self) -> None:
        self._on_close(self)
        self._handover.close()
        await self._work.cancel()

    def _failure(self, error: BaseException) -> bytes:
        """Returns the event of a failure; what is no problem, or none to be told, is for the log alone."""
        if isinstance(error, Problem):
            with suppress(TypeError, ValueError):
                return self._error_event(error)
        _log.error("stream.failed", exc=error, plugin=self._plugin)
        return self._error_event(internal_error())

    def _error_event(self, problem: Problem) -> bytes:
        return encode(ServerSentEvent(event="error", data=self._describe(problem)))


def encode(event: Any) -> bytes:
    if not isinstance(event, ServerSentEvent):
        raise TypeError(f"the source of an event stream gives Events, not {type(event).__name__}")
    return encode_event(event.data, event=event.event, id=event.id, text=event.text)


def _draining() -> Unavailable:
    return Unavailable(DRAINING.detail, code=NOT_READY, reason=DRAINING.reason)
