"""The body of one request, in any protocol: read at most once, with a limit, and not for ever."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, TypeVar

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Result = TypeVar("Result")

MINIMUM_RATE = 8 * 1024
SKIM_SECONDS = 2.0
ACCOUNTED_BYTES = 256 * 1024
SKIM_BYTES = 1024 * 1024


class ClientGone(Exception):
    """Raised when the caller has closed the connection; there is nobody to answer."""


@dataclass(eq=False)
class RequestBody(ABC):
    """The body of one request, read at most once and never left in the server's queue.

    The queue between server and app is short. A server that closes a connection puts one more message into
    it, and would wait for ever if the app had left it full. A protocol says by `too_large` and `too_slow` how
    it refuses.

    `unread` says at first that the head of the request speaks of a body, and `on_request` that the caller
    waits to be asked for it.
    """

    patience_seconds = 10.0

    receive: Receive
    unread: bool
    on_request: bool = False
    _gone: "asyncio.Future[None] | None" = None

    @abstractmethod
    def too_large(self, limit: int) -> Exception:
        """Returns the error for a body that is longer than this."""

    @abstractmethod
    def too_slow(self) -> Exception:
        """Returns the error for a body that stopped arriving, or arrives too slowly."""

    async def read(self, limit: int, account: Callable[[int], None] | None = None) -> bytes:
        """Returns the whole body, at most `limit` bytes; `account` follows its growth, and may refuse it."""
        # One buffer: of a body that comes in crumbs, each of them would take more room than it brings.
        body, accounted = bytearray(), 0
        async for chunk in self.stream(limit):
            body += chunk
            if account is not None and len(body) - accounted > ACCOUNTED_BYTES:
                account(len(body) - accounted)
                accounted = len(body)
        return bytes(body)

    async def stream(self, limit: int) -> AsyncIterator[bytes]:
        """Yields chunks as they come, never faster than they are read; too slow a body is cut off."""
        loop = asyncio.get_running_loop()
        taken, waited = 0, 0.0
        while self.unread:
            began = loop.time()
            try:
                async with asyncio.timeout(self.patience_seconds):
                    chunk = await self._next()
            except TimeoutError:
                raise self.too_slow() from None
            waited += loop.time() - began
            taken += len(chunk)
            if taken > limit:
                raise self.too_large(limit)
            if waited > self.patience_seconds and taken < waited * MINIMUM_RATE:
                raise self.too_slow()
            if chunk:
                yield chunk

    async def hung_up(self) -> None:
        """Returns when the caller has closed the connection; the rest of the body is thrown away."""
        with suppress(ClientGone):
            while True:
                await self._next()

    @asynccontextmanager
    async def watched(self) -> AsyncIterator["asyncio.Future[None]"]:
        """Gives a future that is done once the caller is gone; `while_wanted` then goes on with it.

        A block that fails ends it. The rest of the body is thrown away.
        """
        self._gone = gone = asyncio.ensure_future(self.hung_up())
        try:
            yield gone
        except BaseException:
            self._gone = None
            gone.cancel()
            await asyncio.wait({gone})
            raise

    async def while_wanted(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Yields the chunks of an answer; raises `ClientGone` for a caller who leaves before the last.

        It ends the wait for the next one too. Nobody may take what was sent until then for the whole answer.
        """
        gone = self._gone or asyncio.ensure_future(self.hung_up())
        wait = _Wait()
        gone.add_done_callback(wait.end)
        try:
            while not gone.done():
                try:
                    with wait:
                        chunk = await anext(chunks)
                except StopAsyncIteration:
                    return
                if not wait.ended:
                    yield chunk
            raise ClientGone
        finally:
            gone.remove_done_callback(wait.end)
            gone.cancel()
            if aclose := getattr(chunks, "aclose", None):
                await aclose()

    async def answer(self, send: Callable[[bool], Awaitable[None]]) -> None:
        """Sends an answer after reading the rest of a short body, and throws away what still arrives.

        `send` is told whether another request may follow on this connection, or the answer has to say that
        none can. None can where there is more to read. Nor can it where the caller still waits to be asked
        for a body, be it empty: an old client would read the answer to its next request wrongly.
        """
        if self.unread and not self.on_request:
            await self._skim()
        if not self.unread:
            await send(not self.on_request)
            return
        discarding = asyncio.ensure_future(self._discard())
        try:
            await send(False)
        finally:
            discarding.cancel()

    async def _skim(self) -> None:
        skimmed = 0
        with suppress(TimeoutError, ClientGone):
            async with asyncio.timeout(SKIM_SECONDS):
                while self.unread and skimmed < SKIM_BYTES:
                    skimmed += len(await self._next())

    async def _discard(self) -> None:
        with suppress(ClientGone):
            while self.unread:
                await self._next()

    async def _next(self) -> bytes:
        self.on_request = False
        message = await self.receive()
        if message["type"] == "http.disconnect":
            self.unread = False
            raise ClientGone
        self.unread = bool(message.get("more_body"))
        chunk: bytes = message.get("body", b"")
        return chunk


class Refusals(Protocol):
    """How a protocol refuses a body, and for how long it waits for one."""

    patience_seconds: float

    def too_large(self, limit: int) -> Exception:
        """Returns the error for a body that is longer than this."""

    def too_slow(self) -> Exception:
        """Returns the error for a body that stopped arriving, or arrives too slowly."""


class RefusableBody(RequestBody):
    """The body of a request with an ASGI scope, refused as somebody else says."""

    def __init__(self, receive: Receive, scope: Mapping[str, Any], refusals: Refusals) -> None:
        headers = dict(scope["headers"])
        framed = b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"
        later = scope.get("http_version", "1.1") not in ("1.0", "1.1")
        super().__init__(receive, unread=framed or later, on_request=b"expect" in headers)
        self.patience_seconds = refusals.patience_seconds
        self._refusals = refusals

    def too_large(self, limit: int) -> Exception:
        return self._refusals.too_large(limit)

    def too_slow(self) -> Exception:
        return self._refusals.too_slow()


class Caller(Protocol):
    """Whoever waits for an answer."""

    async def hung_up(self) -> None:
        """Returns when the caller is gone."""


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


class _Wait:
    """A block whose wait can be ended from outside; it costs no task of its own."""

    def __init__(self) -> None:
        self._task: asyncio.Task[object] | None = None
        self.ended = False

    def end(self, _: object = None) -> None:
        if self._task is not None and not self.ended:
            self.ended = True
            self._task.cancel()

    def __enter__(self) -> None:
        self._task = asyncio.current_task()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        """Returns True where the wait was ended from outside; another's cancellation goes on."""
        task, self._task = self._task, None
        if not self.ended or task is None:
            return False
        return task.uncancel() == 0 and (kind is None or issubclass(kind, asyncio.CancelledError))
