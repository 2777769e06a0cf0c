"""The API as a protocol: rows of JSON, found by path, and answered as RFC 9457 and their schemas say."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from guildhall_sdk import Auth, Host, Problem, Reply, Unavailable
from guildhall_sdk.replies import ServerSentEvent
from guildhall_sdk.routes import HeaderLines
from guildhall_sdk.services.server import Readiness
from kernel.declarations.routes import CORS_HEADERS
from kernel.http.context import READING, Context, Incoming
from kernel.http.event_streams import OpenStreams
from kernel.http.gates import Authentication, RowLimits, check_feature_again
from kernel.http.idempotency import IdempotentCalls
from kernel.http.replies import (
    encoded,
    encoded_aside,
    etag_matches,
    header_lines,
    is_long,
    no_chunks,
    problem_reply,
)
from kernel.http.request_parsing import ApiRequestBody, RequestParser
from kernel.http.router import Router
from kernel.http.traffic import RowTraffic
from kernel.registry import BoundRoute
from libs.fair_slots import TURNS
from libs.request_body import RequestBody
from libs.streams import close

Observer = Callable[[BoundRoute, Reply], None]


class ProblemAnswers:
    """Refuses in problems as RFC 9457 writes them, and answers with the headers of a row."""

    async def refuse(self, problem: Problem, incoming: Incoming) -> Reply:
        return encoded(problem_reply(problem, incoming.id))

    def headers(self, reply: Reply, incoming: Incoming) -> HeaderLines:
        ctx = incoming.ctx
        if ctx is not None and ctx.bound.row.cors:
            reply = replace(reply, headers={**reply.headers, **CORS_HEADERS})
        private = ctx is None or ctx.bound.row.auth is not Auth.PUBLIC
        return header_lines(reply, incoming.id, private=private)


class Rows(ProblemAnswers):
    """The protocol of all rows: the built-in one of the pipeline."""

    def __init__(
        self,
        routes: Sequence[BoundRoute],
        host_of: Callable[[str], Host],
        authentication: Authentication,
        streams: OpenStreams,
        row_limits: RowLimits,
        observer: Observer | None = None,
    ) -> None:
        self.router = Router(routes)
        self.traffic = RowTraffic()
        self._hosts = {bound.plugin_id: host_of(bound.plugin_id) for bound in routes}
        self._authentication = authentication
        self._streams = streams
        self._row_limits = row_limits
        self._parser = RequestParser()
        self._idempotent = IdempotentCalls()
        self._observer = observer

    def open_body(self, incoming: Incoming) -> RequestBody:
        return ApiRequestBody(incoming.receive, incoming.headers)

    def read(self, incoming: Incoming) -> Context:
        bound, params = self.router.find(incoming.method, incoming.scope["raw_path"])
        return Context(self._hosts[bound.plugin_id], bound, incoming, params)

    async def authenticate(self, ctx: Context, scope: Mapping[str, Any]) -> None:
        await self._authentication(ctx, scope)
        if ctx.bound.row.limit:
            self._row_limits.count(ctx)

    async def run(self, ctx: Context) -> Reply:
        """Reads the body, calls the handler, and encodes what it answers."""
        raw_body = await self._parser.read(ctx, ctx.slot)
        if ctx.method == "POST" and "idempotency-key" in ctx.headers:
            answer = await self._idempotent.answer_once(ctx, raw_body, lambda: self._handle(ctx))
        else:
            answer = await self._handle(ctx)
        if answer.before_sending is not None:
            await answer.before_sending()
        await TURNS.take(ctx.holder)
        reply = await encoded_aside(answer, ctx.holder) if is_long(answer.body) else encoded(answer)
        if ctx.method in READING:  # what was done is told, however long it takes to tell
            ctx.slot.carry(ctx.holder, len(reply.content or b""))
        return reply

    async def _handle(self, ctx: Context) -> Reply:
        try:
            answer = await ctx.bound.handler(ctx)
            reply = answer if isinstance(answer, Reply) else Reply(answer, ctx.bound.row.status)
            if reply.events is not None:
                chunks = await self._streamed(ctx, reply.events, prefetch=reply.prefetch)
                reply = replace(reply, events=None, stream=chunks)
        except Problem as problem:
            return _refused(problem, ctx)
        if self._observer is not None:
            self._observer(ctx.bound, reply)
        sent = _conditional(ctx, reply)
        if ctx.events is not None and sent.stream is None:
            await ctx.drop_events()
        return sent

    async def _streamed(
        self, ctx: Context, events: AsyncIterator[ServerSentEvent], *, prefetch: bool
    ) -> AsyncIterator[bytes]:
        if ctx.method == "HEAD":
            await close(events)
            return no_chunks()

        def describe(problem: Problem) -> Any:
            return _refused(problem, ctx).body

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


def _refused(problem: Problem, ctx: Context) -> Reply:
    if isinstance(problem, Unavailable):
        ctx.host.service(Readiness).suspect(problem)
    return problem_reply(problem, ctx.request_id)


def _conditional(ctx: Context, reply: Reply) -> Reply:
    held = ctx.headers.get("if-none-match")
    if held is None or reply.etag is None or ctx.bound.row.method != "GET" or reply.status != 200:
        return reply
    if not etag_matches(held, reply.etag, weak=True):
        return reply
    # With its headers: a browser puts those of a 304 over the ones that it kept.
    return Reply(status=304, headers=reply.headers, etag=reply.etag)
