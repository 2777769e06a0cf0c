"""The one pipeline: protocol, operation, gates, handler, reply — for every request of every protocol.

The Quart applications send their requests straight to it. `asgi_http_class` is Quart's own place to put
another handling of HTTP. Ours speaks ASGI directly: it keeps the socket's backpressure for uploads and costs
half of the stock request context.
"""

import time
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, cast

from quart import Quart

from guildhall_sdk import Auth, Host, Problem, Reply, TooManyRequests, Unavailable
from guildhall_sdk.metrics import Distribution, Measure, measured_from
from guildhall_sdk.routes import Adapter, Asgi, HeaderLines, Receive, Send
from guildhall_sdk.services.server import Readiness, Tracing
from kernel.db.scopes import write_scope
from kernel.http.context import UNMATCHED, Context
from kernel.http.event_streams import internal_error
from kernel.logs import get_logger
from kernel.scope import COMPANIES, PUBLIC, UNAUTHENTICATED, Scope, change_scope, current_scope, request_of
from libs.addresses import Network, Proxies
from libs.asgi import behind
from libs.fair_slots import InFlight
from libs.request_body import ClientGone, RequestBody
from libs.streams import close

PEER = "guildhall.peer"  # of a scope: who holds the connection, where the client is somebody behind them
_NONE: Mapping[str, Asgi] = {}
_WATCHED_FROM = 1024 * 1024
_MAX_TRACEPARENT = 128
UNKNOWN = "Unknown"


class Traffic(ABC):
    """Counts and logs the answers of one protocol.

    Never a path, query or header is logged, which may hold a credential: only what the request was found to
    be for, under the name `label`.
    """

    def __init__(self, name: str, label: str) -> None:
        self._log = get_logger(name)
        self._label = label
        self._counts = Counter[tuple[str, ...]]()
        self._abandoned = 0

    @abstractmethod
    def subject(self, ctx: Context) -> str | None:
        """Returns what a request is for, as the log names it."""

    @abstractmethod
    def done(self, ctx: Context, status: int) -> None: ...

    def abandoned(self, ctx: Context) -> None:
        self._abandoned += 1
        self._log.info("request.abandoned", **self._fields(ctx, 0))

    def failed(self, ctx: Context, error: Exception, what: str = "request.failed", status: int = 500) -> None:
        self._log.error(what, exc=error, plugin=ctx.plugin_id, **self._fields(ctx, status))

    def _fields(self, ctx: Context, status: int) -> dict[str, str | float | None]:
        return {
            "request_id": ctx.request_id,
            "method": ctx.method[:16],
            self._label: self.subject(ctx),
            "status": status,
            "user": None if ctx.who is None else ctx.who.user_id,
            "ms": round((time.perf_counter() - ctx.started) * 1000, 2),
        }


class RowTraffic(Traffic):
    """The answers of all rows, and the requests that no row took."""

    def __init__(self) -> None:
        super().__init__("http", "route")
        self._seconds = defaultdict[tuple[str, ...], Distribution](Distribution)

    def subject(self, ctx: Context) -> str | None:
        return None if ctx.row is UNMATCHED else ctx.row.path

    def done(self, ctx: Context, status: int) -> None:
        fields = self._fields(ctx, status)
        row = (ctx.row.method, ctx.row.path)
        self._counts[*row, str(status)] += 1
        self._seconds[row].observe(time.perf_counter() - ctx.started)
        self._log.info_plain("request.done", **fields)

    def measures(self) -> Mapping[str, Measure]:
        return {
            "guildhall_http_requests_total": measured_from(lambda: dict(self._counts)),
            "guildhall_http_request_duration_seconds": measured_from(lambda: dict(self._seconds)),
            "guildhall_http_requests_abandoned_total": measured_from(lambda: {(): self._abandoned}),
        }


class OperationTraffic(Traffic):
    """The answers of one adapter by operation; what somebody unknown asked for is not told."""

    def __init__(self, adapter: Adapter) -> None:
        super().__init__(adapter.name, "operation")
        self._counted_as = adapter.counted_as

    def subject(self, ctx: Context) -> str:
        is_named = ctx.row is not UNMATCHED and (ctx.who is not None or ctx.row.auth is Auth.PUBLIC)
        return str(ctx.row.handler) if is_named else UNKNOWN

    def done(self, ctx: Context, status: int) -> None:
        fields = self._fields(ctx, status)
        self._counts[str(fields["operation"]), str(status)] += 1
        self._log.info_plain("request.done", **fields)

    def measures(self) -> Mapping[str, Measure]:
        return {self._counted_as: measured_from(lambda: dict(self._counts))}


class WireProtocol(Protocol):
    """How the requests of one protocol are read, run and answered: rows, or an adapter."""

    @property
    def traffic(self) -> Traffic:
        """Counts and logs the requests."""

    def open_body(self, ctx: Context) -> RequestBody:
        """Returns the body of the request, of which nothing is read yet."""

    def read(self, ctx: Context) -> None:
        """Enters what the request asks for; raises the `Problem` where there is nothing like it."""

    async def run(self, ctx: Context) -> Reply:
        """Runs what the request asks for, past the gates, and sets the content of the answer."""

    async def refuse(self, problem: Problem, ctx: Context) -> Reply:
        """Returns the problem as this protocol tells it, and sets the content of the answer."""

    def headers(self, reply: Reply, ctx: Context) -> HeaderLines:
        """Returns all header lines of an answer."""


class Pipeline:
    """Carries one request from its head to its answer."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._in_flight = InFlight(partial(TooManyRequests, headers={"Retry-After": "1"}))

    async def serve(
        self, protocol: WireProtocol, scope: Mapping[str, Any], receive: Receive, send: Send
    ) -> None:
        with closing(self._in_flight.slot()) as slot:
            ctx = Context(self._host, scope, receive, send, slot)
            ctx.request_body = protocol.open_body(ctx)
            current_scope.set(Scope(account=UNAUTHENTICATED, request_id=ctx.request_id))
            write_scope.set(None)  # whatever the server wrote before it began to listen
            try:
                reply = await self._answer(protocol, ctx)
            except ClientGone:
                protocol.traffic.abandoned(ctx)
                return
            try:
                if not ctx.answered:
                    send_reply = partial(_send, protocol, ctx, reply)
                    if ctx.request_body.unread:
                        await ctx.request_body.answer(send_reply)
                    else:
                        await send_reply(not ctx.request_body.on_request)
            except ClientGone:
                pass  # nobody is there to be told the end
            except Exception as error:
                # The head is out: cutting the connection is the only way left to say that it went wrong.
                protocol.traffic.failed(ctx, error, "reply.broken", reply.status)
                raise
            finally:
                protocol.traffic.done(ctx, reply.status)

    async def _answer(self, protocol: WireProtocol, ctx: Context) -> Reply:
        """Returns the reply of the operation, or of whatever refuses it."""
        try:
            try:
                protocol.read(ctx)
                await self._admit(ctx)
                return await protocol.run(ctx)
            except BaseException:
                await ctx.drop_events()
                raise
        except Problem as problem:
            if isinstance(problem, Unavailable):
                self._host.service(Readiness).suspect(problem)
            return await protocol.refuse(problem, ctx)
        except ClientGone:
            raise
        except Exception as error:
            protocol.traffic.failed(ctx, error)
            if ctx.answered:
                raise
            return await protocol.refuse(internal_error(), ctx)

    async def _admit(self, ctx: Context) -> None:
        """Passes the gates in their decided order; who shows no credential has a stranger's share."""
        await ctx.endpoint.authenticate(ctx)
        if ctx.who is None:
            current_scope.set(Scope(account=PUBLIC, request_id=ctx.request_id))
        else:
            credential, account = ctx.who.credential, request_of(ctx.who.org_id)
            if ctx.who.org_id:
                COMPANIES.note(ctx.who.org_id)
            current_scope.set(Scope(account=account, credential=credential, request_id=ctx.request_id))
            ctx.slot.take(credential.id)
        await ctx.connection.take_turn(ctx.holder)
        for gate in ctx.endpoint.gates:
            await gate(ctx)


class TracedPipeline(Pipeline):
    """Carries each request inside a span that continues the caller's, where they sent a `traceparent`.

    It is named by what the request was found to be for: never by its path, which may hold a credential.
    """

    def __init__(self, host: Host, tracing: Tracing) -> None:
        super().__init__(host)
        self._tracing = tracing

    async def serve(
        self, protocol: WireProtocol, scope: Mapping[str, Any], receive: Receive, send: Send
    ) -> None:
        sent = next((value for name, value in scope["headers"] if name == b"traceparent"), b"")
        parent = sent.decode("latin-1") if len(sent) <= _MAX_TRACEPARENT else None
        with self._tracing.span(UNKNOWN, parent=parent or None):
            await super().serve(protocol, scope, receive, send)

    async def _admit(self, ctx: Context) -> None:
        await super()._admit(ctx)
        change_scope(trace=self._tracing.current())

    async def _answer(self, protocol: WireProtocol, ctx: Context) -> Reply:
        reply = await super()._answer(protocol, ctx)
        subject, status = protocol.traffic.subject(ctx) or UNKNOWN, reply.status
        attributes: dict[str, str | int] = {"http.route": subject, "http.response.status_code": status}
        attributes["guildhall.request_id"] = ctx.request_id
        self._tracing.describe(f"{ctx.method[:16]} {subject}", attributes, failed=status >= 500)
        return reply


def _is_watched(reply: Reply) -> bool:
    """Tells whether a caller who leaves ends a stream at once: a short one is soon over anyway."""
    length = reply.headers.get("Content-Length", "")
    return not length.isdecimal() or int(length) > _WATCHED_FROM


async def _send(protocol: WireProtocol, ctx: Context, reply: Reply, may_follow: bool) -> None:
    """Sends an answer as its protocol writes it, as long as the caller is there; of `HEAD`, the head alone.

    `may_follow` says that the connection takes another request.
    """
    head = ctx.method == "HEAD"
    if reply.stream is not None and not head and _is_watched(reply):
        reply = replace(reply, stream=ctx.request_body.while_wanted(reply.stream))
    if not may_follow:
        reply = replace(reply, headers={**reply.headers, "Connection": "close"})
    headers = protocol.headers(reply, ctx)
    await ctx.send({"type": "http.response.start", "status": reply.status, "headers": headers})
    if reply.stream is None:
        content = b"" if head else ctx.content
        await ctx.send({"type": "http.response.body", "body": content, "more_body": False})
        return
    try:
        if not head:
            async for chunk in reply.stream:
                await ctx.send({"type": "http.response.body", "body": chunk, "more_body": True})
    finally:
        await close(reply.stream)
    await ctx.send({"type": "http.response.body", "body": b"", "more_body": False})


def create_app(rows: Asgi, adapted: Mapping[str, Asgi] = _NONE) -> Quart:
    """Makes the application; `adapted` are other protocols by the prefix of their paths."""
    prefixes = tuple(adapted.items())

    def handle(_: Quart, scope: Mapping[str, Any]) -> Any:
        path: str = scope["path"]
        for prefix, application in prefixes:
            if path.startswith(prefix) and path[len(prefix) : len(prefix) + 1] in ("", "/"):
                return partial(application, {**scope, "root_path": prefix})
        return partial(rows, scope)

    app: Any = Quart("guildhall", static_folder=None)
    app.asgi_http_class = handle
    return cast(Quart, app)


def behind_proxies(application: Asgi, trusted: Sequence[Network]) -> Asgi:
    """Returns the application, with the caller's own address as the `client` of every request."""
    return behind(application, Proxies(trusted).caller, PEER) if trusted else application
