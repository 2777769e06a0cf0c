"""The one dispatcher: row, gates, body, handler, reply — for every request."""

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from guildhall_sdk import Auth, Host, Metric, Problem, Reader, Reply, TooManyRequests, Unavailable
from guildhall_sdk.ids import request_id as made_request_id
from guildhall_sdk.metrics import Distribution, Measured
from guildhall_sdk.mounts import Asgi, Receive, Send
from guildhall_sdk.replies import ServerSentEvent
from guildhall_sdk.request_body import ClientGone
from guildhall_sdk.services.readiness import Readiness
from kernel.db.accounts import PUBLIC, current_account, request_of
from kernel.declarations.routes import CORS_HEADERS
from kernel.http.context import READING, Context
from kernel.http.event_streams import OpenStreams
from kernel.http.gates import (
    Authentication,
    RowLimits,
    check_feature,
    check_feature_again,
    check_permission,
    check_suspension,
)
from kernel.http.idempotency import IdempotentCalls
from kernel.http.replies import (
    encoded,
    encoded_aside,
    etag_matches,
    internal_error,
    is_long,
    no_chunks,
    problem_reply,
    send_reply,
)
from kernel.http.request_parsing import ApiRequestBody, RequestParser
from kernel.http.root_mount import asked_alone, asked_before_pages
from kernel.http.router import Router
from kernel.identity.acting import acting_credential
from kernel.identity.authenticate import SessionUses
from kernel.logs import current_request_id, get_logger
from kernel.registry import BoundRoute
from libs.fair_slots import TURNS, InFlight, Slot, take_turn
from libs.streams import close

UNMATCHED = "none"
_log = get_logger("http")

Observer = Callable[[BoundRoute, Reply], None]


class Dispatcher:
    """Carries one ASGI request from its path to its answer."""

    def __init__(
        self,
        routes: Sequence[BoundRoute],
        host: Host,
        authenticate: Authentication,
        host_of: Callable[[str], Host],
        streams: OpenStreams,
        row_limits: RowLimits,
        observer: Observer | None = None,
        otherwise: Asgi | None = None,
    ) -> None:
        """Takes the rows and what serves them; `otherwise` answers the paths that no row takes."""
        self._otherwise = otherwise
        self._router = Router(routes)
        self._host = host
        self._authenticate = authenticate
        self._hosts = {bound.plugin_id: host_of(bound.plugin_id) for bound in routes}
        self._streams = streams
        self._row_limits = row_limits
        self._in_flight = InFlight(partial(TooManyRequests, headers={"Retry-After": "1"}))
        self.session_uses = SessionUses(host.data, host.clock)
        self._parser = RequestParser()
        self._idempotent = IdempotentCalls()
        self._traffic = Traffic()
        self._observer = observer

    def metrics(self) -> Sequence[Metric]:
        return self._traffic.metrics()

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        if self._otherwise is not None and not self._router.takes(scope["raw_path"]):
            asked = asked_before_pages if self._router.has_root_pages else asked_alone
            if await asked(self._otherwise, scope, receive, send):
                return
        with self._in_flight.slot() as slot:
            await self._serve(scope, receive, send, slot)

    async def _serve(self, scope: Mapping[str, Any], receive: Receive, send: Send, slot: Slot) -> None:
        started = time.perf_counter()
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        request_id = made_request_id(headers.get("x-request-id", ""), self._host.clock.now_ms())
        method: str = scope["method"]
        bound: BoundRoute | None = None
        ctx: Context | None = None
        request_body = ApiRequestBody(receive, headers)
        current_request_id.set(request_id)
        try:
            bound, params = self._router.find(method, scope["raw_path"])
            ctx = Context(
                host=self._hosts[bound.plugin_id],
                bound=bound,
                method=method,
                path=scope["path"],
                params=params,
                raw_query=scope["query_string"],
                headers=headers,
                address=(scope.get("client") or ("unknown",))[0],
                request_id=request_id,
                request_body=request_body,
            )
            ctx.slot = slot
            try:
                answer = await self._answer(ctx, slot, scope)
                if answer.before_sending is not None:
                    await answer.before_sending()
                await TURNS.take(ctx.holder)
                reply = await encoded_aside(answer, ctx.holder) if is_long(answer.body) else encoded(answer)
                if method in READING:  # what was done is told, however long it takes to tell
                    slot.carry(ctx.holder, len(reply.content or b""))
            except BaseException:
                await ctx.drop_events()
                raise
        except Problem as problem:
            reply = encoded(self._refused(problem, request_id))
        except ClientGone:
            self._traffic.abandon()
            _log.info("request.abandoned", request_id=request_id, method=method)
            return
        except Exception as error:
            route = bound.row.path if bound else None  # the path itself may name what is private
            plugin = bound.plugin_id if bound else None
            _log.error(
                "request.failed", exc=error, request_id=request_id, method=method, route=route, plugin=plugin
            )
            reply = encoded(problem_reply(internal_error(), request_id))
        if bound is not None and bound.row.cors:
            reply = replace(reply, headers={**reply.headers, **CORS_HEADERS})
        if reply.stream is not None and method != "HEAD":
            reply = replace(reply, stream=request_body.while_wanted(reply.stream))
        if not await request_body.finished():
            reply = replace(reply, headers={**reply.headers, "Connection": "close"})
        private = bound is None or bound.row.auth is not Auth.PUBLIC
        deliver = partial(
            send_reply, send, reply, request_id=request_id, private=private, head=method == "HEAD"
        )
        try:
            await request_body.answer(deliver)
        except ClientGone:
            pass  # nobody is there to be told the end
        except Exception as error:
            # The head is out: cutting the connection is the only way left to say that it went wrong.
            plugin = bound.plugin_id if bound else None
            _log.error("reply.broken", exc=error, request_id=request_id, method=method, plugin=plugin)
            raise
        finally:
            self._record(bound, ctx, reply, request_id, method, started)

    async def _answer(self, ctx: Context, slot: Slot, scope: Mapping[str, Any]) -> Reply:
        """Runs the gates in their decided order, reads the body and calls the handler."""
        await self._authenticate(ctx, scope)
        if ctx.bound.row.limit:
            self._row_limits.count(ctx)
        current_account.set(request_of(ctx.principal.org_id) if ctx.signed_in else PUBLIC)
        acting_credential.set(ctx.principal.credential if ctx.signed_in else None)
        if ctx.signed_in:
            slot.take(ctx.principal.credential.id)
            self.session_uses.note(ctx.principal.credential)
        await take_turn(scope, ctx.holder)
        await check_suspension(ctx)
        check_feature(ctx)
        check_permission(ctx)
        raw_body = await self._parser.read(ctx, slot)
        if ctx.method == "POST" and "idempotency-key" in ctx.headers:
            return await self._idempotent.answer_once(ctx, raw_body, lambda: self._handle(ctx))
        return await self._handle(ctx)

    async def _handle(self, ctx: Context) -> Reply:
        try:
            answer = await ctx.bound.handler(ctx)
            reply = answer if isinstance(answer, Reply) else Reply(answer, ctx.bound.row.status)
            if reply.events is not None:
                chunks = await self._streamed(ctx, reply.events, prefetch=reply.prefetch)
                reply = replace(reply, events=None, stream=chunks)
        except Problem as problem:
            return self._refused(problem, ctx.request_id)
        if self._observer is not None:
            self._observer(ctx.bound, reply)
        sent = self._conditional(ctx, reply)
        if ctx.events is not None and sent.stream is None:
            await ctx.drop_events()
        return sent

    async def _streamed(
        self, ctx: Context, events: AsyncIterator[ServerSentEvent], *, prefetch: bool
    ) -> AsyncIterator[bytes]:
        if ctx.method == "HEAD":
            await close(events)
            return no_chunks()
        request_id = ctx.request_id

        def describe(problem: Problem) -> Any:
            return self._refused(problem, request_id).body

        async def recheck() -> None:
            await ctx.check_caller()
            await check_feature_again(ctx)

        whose = ctx.principal.user_id if ctx.signed_in else ""
        chunks = self._streams.chunks(
            events, ctx.bound.plugin_id, describe, recheck, is_answer=prefetch, user_id=whose
        )
        ctx.events = chunks
        if prefetch:
            async with ctx.request_body.watched() as gone:
                await chunks.prefetch(gone)
        return chunks

    def _refused(self, problem: Problem, request_id: str) -> Reply:
        if isinstance(problem, Unavailable):
            self._host.service(Readiness).suspect(problem)
        return problem_reply(problem, request_id)

    @staticmethod
    def _conditional(ctx: Context, reply: Reply) -> Reply:
        held = ctx.headers.get("if-none-match")
        if held is None or reply.etag is None or ctx.bound.row.method != "GET" or reply.status != 200:
            return reply
        if not etag_matches(held, reply.etag, weak=True):
            return reply
        # With its headers: a browser puts those of a 304 over the ones that it kept.
        return Reply(status=304, headers=reply.headers, etag=reply.etag)

    def _record(
        self,
        bound: BoundRoute | None,
        ctx: Context | None,
        reply: Reply,
        request_id: str,
        method: str,
        started: float,
    ) -> None:
        seconds = time.perf_counter() - started
        self._traffic.record(bound, reply.status, seconds)
        _log.info_plain(
            "request.done",
            request_id=request_id,
            method=method[:16],
            route=bound.row.path if bound else None,
            status=reply.status,
            user=ctx.principal.user_id if ctx is not None and ctx.signed_in else None,
            ms=round(seconds * 1000, 2),
        )


class RowTraffic:
    """The requests that one row answered. A path is never kept: only the pattern that it matched."""

    __slots__ = ("labels", "seconds", "statuses")

    def __init__(self, method: str, route: str) -> None:
        self.labels = (method, route)
        self.statuses: dict[int, int] = {}
        self.seconds = Distribution()

    def record(self, status: int, seconds: float) -> None:
        self.statuses[status] = self.statuses.get(status, 0) + 1
        self.seconds.observe(seconds)


class Traffic:
    """Counts the answers of all rows, and the requests that no row took."""

    def __init__(self) -> None:
        self._of_row: dict[int | None, RowTraffic] = {}
        self._abandoned = 0

    def record(self, bound: BoundRoute | None, status: int, seconds: float) -> None:
        key = None if bound is None else id(bound)
        row = self._of_row.get(key)
        if row is None:
            method, path = (UNMATCHED, UNMATCHED) if bound is None else (bound.row.method, bound.row.path)
            row = self._of_row[key] = RowTraffic(method, path)
        row.record(status, seconds)

    def abandon(self) -> None:
        self._abandoned += 1

    def metrics(self) -> Sequence[Metric]:
        route = ("method", "route")
        return (
            Metric(
                "guildhall_http_requests_total",
                "Requests answered, by the row that took them and the status",
                "counter",
                (*route, "status"),
                measure=self._requests,
            ),
            Metric(
                "guildhall_http_request_duration_seconds",
                "Time from the request's head to the last byte of its answer",
                "histogram",
                route,
                measure=self._durations,
            ),
            Metric(
                "guildhall_http_requests_abandoned_total",
                "Requests whose caller hung up before the answer",
                "counter",
                measure=self._hung_up,
            ),
        )

    async def _requests(self, host: Host, reader: Reader) -> Measured:
        return {
            (*row.labels, str(status)): count
            for row in self._of_row.values()
            for status, count in row.statuses.items()
        }

    async def _durations(self, host: Host, reader: Reader) -> Measured:
        return {row.labels: row.seconds for row in self._of_row.values()}

    async def _hung_up(self, host: Host, reader: Reader) -> Measured:
        return {(): self._abandoned}
