"""MCP over streamable HTTP: the SDK's transport on a client that is bounded and tells when a session is over.

Imported only where an entry needs it. By itself the SDK's transport stays with a session that its server has
forgotten, and asks for an event stream that ends at once as often as the server says.
"""

import asyncio
import json
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache, partial

import httpx2
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import streamable_http_client

from builtin_plugins.mcp.entries import HttpEntry
from builtin_plugins.mcp.losses import CURRENT_ATTEMPT, Attempt, Lost, SessionWatch
from builtin_plugins.mcp.messages import (
    ANSWER_BROKEN_OFF,
    ANSWER_TOO_LARGE,
    MAX_MESSAGE_BYTES,
    TOO_LARGE_WORDS,
    ReadingPace,
    answered_id,
    has_too_many_values,
)

_CONNECT_SECONDS = 10.0
_GOODBYE_SECONDS = 2.0
# A call has one to itself as long as it lasts.
_MAX_CONNECTIONS = 300
_SESSION = "mcp-session-id"
_EVENTS = "text/event-stream"
_ENCODING = "content-encoding"
_END_OF_EVENT = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_SERVER_ERRORS = range(-32099, -31999)


@asynccontextmanager
async def http_streams(entry: HttpEntry, watch: SessionWatch) -> AsyncIterator[TransportStreams]:
    """Yields a session's streams as long as the block lasts; `watch` learns when the server has ended it."""
    # How long an answer may take is decided by each call. Proxies and netrc of ours are not for them.
    timeout = httpx2.Timeout(None, connect=_CONNECT_SECONDS)
    # Certificates are read for the first one: on a thread nobody waits for that.
    transport = await asyncio.to_thread(_SessionTransport, watch)
    async with (
        httpx2.AsyncClient(
            # What is compressed has no bound that could be told beforehand.
            headers={**entry.headers, "Accept-Encoding": "identity"},
            timeout=timeout,
            transport=transport,
            trust_env=False,
        ) as client,
        streamable_http_client(
            entry.url, http_client=client, max_sse_event_size=MAX_MESSAGE_BYTES
        ) as streams,
    ):
        yield streams


@cache
def _trust() -> ssl.SSLContext:
    """Returns whose certificates are believed; reading them takes long, and they are the same for all."""
    return httpx2.create_ssl_context(trust_env=False)


class _SessionTransport(httpx2.AsyncBaseTransport):
    def __init__(self, watch: SessionWatch) -> None:
        limits = httpx2.Limits(max_connections=_MAX_CONNECTIONS, max_keepalive_connections=8)
        self._inner = httpx2.AsyncHTTPTransport(verify=_trust(), trust_env=False, limits=limits)
        self._watch = watch
        self._over = False
        self._pace = _Pace()
        self._reading = ReadingPace()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "DELETE":
            if self._over:
                return httpx2.Response(204, request=request)
            request.extensions["timeout"] = dict.fromkeys(
                ("connect", "read", "write", "pool"), _GOODBYE_SECONDS
            )
        if request.method == "GET":
            await self._pace.wait(resuming="last-event-id" in request.headers)
        attempt = CURRENT_ATTEMPT.get() if request.method == "POST" else None
        if attempt is not None:
            request.extensions["trace"] = partial(_follow, attempt)
            attempt.untaken = True
        response = await self._send(request)
        if response.headers.get(_ENCODING, "identity").lower() != "identity":
            self._watch.hint = "compresses its answers, which it was asked not to do"
            del response.headers[_ENCODING]  # so that nobody unpacks them
        if _SESSION in request.headers and await _forgets_session(response):
            if attempt is not None:
                attempt.untaken = True
            self._end(Lost("does not know the session any more", forgotten=True))
        elif response.status_code >= 400:
            self._watch.hint = f"answers {response.status_code}"
        if not response.is_closed:
            request_id = await _id_of(request)
            if not response.headers.get("content-type", "").lower().startswith(_EVENTS):
                response.stream = _BoundedStream(response.stream, request_id)
            else:
                if request.method == "GET":
                    response.stream = _PacedStream(response.stream, self._pace)
                response.stream = _BoundedEvents(response.stream, request_id, self._reading)
        return response

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        try:
            return await self._inner.handle_async_request(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            self._end(Lost("cannot be reached"))
            raise
        except httpx2.TransportError:
            self._end(Lost("has broken off the connection"))
            raise

    def _end(self, lost: Lost) -> None:
        self._over = True
        self._watch.lose(lost)

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _follow(attempt: Attempt, event: str, details: object) -> None:
    if event.endswith("send_request_headers.started"):
        attempt.untaken = False


async def _forgets_session(response: httpx2.Response) -> bool:
    """Returns whether a server forgot the session: by 404, or 400 as in the JavaScript SDK's example."""
    if response.status_code != 400:
        return response.status_code == 404
    response.stream = _BoundedStream(response.stream, None)
    try:
        error = json.loads(await response.aread())["error"]
        return error["code"] in _SERVER_ERRORS and "session" in error["message"].lower()
    except (httpx2.TransportError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return False


class _Pace:
    """Event streams are opened ever more slowly while they end as soon as they have begun."""

    _FIRST, _LONGEST, _LONGEST_RESUMING, _GOOD = 0.1, 30.0, 2.0, 5.0

    def __init__(self) -> None:
        self._pause = 0.0

    async def wait(self, *, resuming: bool) -> None:
        await asyncio.sleep(min(self._pause, self._LONGEST_RESUMING if resuming else self._LONGEST))

    def ended_after(self, seconds: float) -> None:
        good = seconds >= self._GOOD
        self._pause = 0.0 if good else min(max(self._FIRST, 2 * self._pause), self._LONGEST)


class _PacedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: object, pace: _Pace) -> None:
        assert isinstance(inner, httpx2.AsyncByteStream)
        self._inner = inner
        self._pace = pace
        self._began = asyncio.get_running_loop().time()
        self._closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._inner:
            yield piece

    async def aclose(self) -> None:
        if not self._closed:
            self._closed = True
            self._pace.ended_after(asyncio.get_running_loop().time() - self._began)
        await self._inner.aclose()


class _BoundedStream(httpx2.AsyncByteStream):
    """An answer as a whole; in place of one that is too large or breaks off, an error for its call alone."""

    def __init__(self, inner: object, request_id: int | None) -> None:
        assert isinstance(inner, httpx2.AsyncByteStream)
        self._inner = inner
        self._request_id = request_id

    async def __aiter__(self) -> AsyncIterator[bytes]:
        whole = b""
        try:
            async for piece in self._inner:
                whole += piece
                if len(whole) > MAX_MESSAGE_BYTES:
                    break
        except httpx2.TransportError:
            if self._request_id is None:
                raise
            whole = _error(self._request_id, ANSWER_BROKEN_OFF, "the answer broke off")
        if len(whole) > MAX_MESSAGE_BYTES or has_too_many_values(whole):
            whole = _too_large(self._request_id)
        yield whole

    async def aclose(self) -> None:
        await self._inner.aclose()


class _BoundedEvents(httpx2.AsyncByteStream):
    """Event by event; in place of an answer that is too large, an error."""

    def __init__(self, inner: object, request_id: int | None, pace: ReadingPace) -> None:
        assert isinstance(inner, httpx2.AsyncByteStream)
        self._inner = inner
        self._request_id = request_id
        self._pace = pace

    async def __aiter__(self) -> AsyncIterator[bytes]:
        begun = b""
        async for piece in self._inner:
            await self._pace.spend(size=len(piece))
            start = max(0, len(begun) - 3)
            begun += piece
            while (found := _END_OF_EVENT.search(begun, start)) is not None:
                event, begun, start = begun[: found.end()], begun[found.end() :], 0
                await self._pace.spend(lines=1)
                yield self._error() if has_too_many_values(event) else event
            if len(begun) > MAX_MESSAGE_BYTES:
                yield self._error()
                return
        yield begun

    def _error(self) -> bytes:
        """Returns the error as an event; nothing where no request is answered."""
        return b"" if self._request_id is None else b"data: %b\n\n" % _too_large(self._request_id)

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _id_of(request: httpx2.Request) -> int | None:
    return answered_id(await request.aread()) if request.method == "POST" else None


def _too_large(request_id: int | None) -> bytes:
    """Raises `ReadError` where nobody waits for an answer."""
    if request_id is None:
        raise httpx2.ReadError(f"an answer of more than {MAX_MESSAGE_BYTES // 2**20} MiB")
    return _error(request_id, ANSWER_TOO_LARGE, TOO_LARGE_WORDS)


def _error(request_id: int, code: int, message: str) -> bytes:
    error = {"code": code, "message": message}
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": error}).encode()
