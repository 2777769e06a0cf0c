"""The one pipeline: protocol, operation, gates, handler, reply — for every request of every protocol.

The Quart applications send their requests straight to it. `asgi_http_class` is Quart's own place to put
another handling of HTTP. Ours speaks ASGI directly: it keeps the socket's backpressure for uploads and costs
half of the stock request context.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, cast

from quart import Quart

from guildhall_sdk import Host, Problem, Reply, TooManyRequests, Unavailable
from guildhall_sdk.routes import Asgi, HeaderLines, Receive, Send
from guildhall_sdk.services.server import NOT_READY, STARTING, Readiness
from kernel.db.scopes import write_scope
from kernel.http.context import Context
from kernel.http.replies import Refusal, internal_error, is_watched
from kernel.http.traffic import Traffic
from kernel.identity.authenticate import SessionUses
from kernel.scope import PUBLIC, UNAUTHENTICATED, Scope, current_scope, request_of
from libs.addresses import Network, Proxies
from libs.asgi import Deferred, behind
from libs.fair_slots import InFlight
from libs.request_body import ClientGone, RequestBody
from libs.streams import close

PEER = "guildhall.peer"  # of a scope: who holds the connection, where the client is somebody behind them
_NONE: Mapping[str, Asgi] = {}


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
        self.session_uses = SessionUses(host.data, host.clock)

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
                    await ctx.request_body.answer(partial(_send, protocol, ctx, reply))
            except ClientGone:
                pass  # nobody is there to be told the end
            except Exception as error:
                # The head is out: cutting the connection is the only way left to say that it went wrong.
                protocol.traffic.broken(ctx, error, reply.status)
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
            current_scope.set(Scope(account=account, credential=credential, request_id=ctx.request_id))
            self.session_uses.note(credential, ctx.now_ms)
            ctx.slot.take(credential.id)
        await ctx.connection.take_turn(ctx.holder)
        for gate in ctx.endpoint.gates:
            await gate(ctx)


async def _send(protocol: WireProtocol, ctx: Context, reply: Reply, may_follow: bool) -> None:
    """Sends an answer as its protocol writes it, as long as the caller is there; of `HEAD`, the head alone.

    `may_follow` says that the connection takes another request.
    """
    head = ctx.method == "HEAD"
    if reply.stream is not None and not head and is_watched(reply):
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


class StartingApp(Deferred):
    """Stands in for the application until `serve` gives it: `/ready` says so, everybody else waits."""

    def __init__(self) -> None:
        super().__init__("/ready", _say_starting)


async def _say_starting(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
    refusal = Refusal.of(Unavailable(STARTING.detail, code=NOT_READY, reason=STARTING.reason))
    await send({"type": "http.response.start", "status": refusal.status, "headers": refusal.headers})
    content = b"" if scope["method"] == "HEAD" else refusal.body
    await send({"type": "http.response.body", "body": content, "more_body": False})


def behind_proxies(application: Asgi, trusted: Sequence[Network]) -> Asgi:
    """Returns the application, with the caller's own address as the `client` of every request."""
    return behind(application, Proxies(trusted).caller, PEER) if trusted else application
