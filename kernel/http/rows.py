"""The API as a protocol: rows of JSON, found by path, and answered as RFC 9457 and their schemas say."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

from guildhall_sdk import Auth, Host, NotFound, Problem, Reply, Unavailable
from guildhall_sdk.errors import MethodNotAllowed
from guildhall_sdk.replies import ServerSentEvent
from guildhall_sdk.routes import HeaderLines
from guildhall_sdk.services.server import Readiness, RefusalReasons
from kernel.declarations.routes import CORS_HEADERS
from kernel.http.context import READING, UNMATCHED, Context, open_api_body, read_request
from kernel.http.event_streams import EventChunks, OpenStreams
from kernel.http.gates import Authentication, check_again
from kernel.http.idempotency import IdempotentCalls
from kernel.http.pipeline import RowTraffic
from kernel.registry import BoundRoute
from libs.fair_slots import RESULTS
from libs.negotiation import etag_matches
from libs.routing import PathTree, path_params
from libs.streams import close, no_chunks
from libs.strict_json import encode_short, encode_steps, encode_text

Observer = Callable[[BoundRoute, Reply], None]
_API = (b"/api", b"/api/")
_OF_GATES = (403, 429)
_SECURITY: Mapping[bytes, bytes] = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
}
_PAGE: Mapping[bytes, bytes] = {
    b"cross-origin-opener-policy": b"same-origin",
    b"permissions-policy": b"camera=(), microphone=(), geolocation=()",
}
_PRIVATE: Mapping[bytes, bytes] = {
    **_SECURITY,
    b"cache-control": b"private, no-store",
    b"vary": b"Authorization",
}
_PUBLIC: Mapping[bytes, bytes] = {**_SECURITY, b"cache-control": b"no-store"}


class Router:
    """Finds the row of a raw path: a literal one by one look-up, the others by a walk over their segments."""

    def __init__(self, routes: Sequence[BoundRoute]) -> None:
        self._literal: dict[tuple[str, bytes], BoundRoute] = {}
        self._tree: PathTree[BoundRoute] = PathTree()
        self.has_root_pages = any(_is_root_page(bound) for bound in routes)
        for bound in routes:
            row = bound.row
            if "/:" not in row.path and "/*" not in row.path:
                self._literal[row.method, row.path.encode()] = bound
            self._tree.add(row.path, bound, empty_rest=row.raw_wildcard)

    def find(self, method: str, raw_path: bytes) -> tuple[BoundRoute, Mapping[str, str]]:
        """Returns the first row in declared order that takes both; HEAD goes where GET goes."""
        method_of_row = "GET" if method == "HEAD" else method
        exact = self._literal.get((method_of_row, raw_path))
        if exact is not None:
            return exact, {}
        found = self._rows_at(raw_path)
        if not found or (method_of_row != "GET" and all(map(_is_root_page, found))):
            raise NotFound("There is no such path; GET /api/docs lists what there is.")
        for bound in found:
            if bound.row.method == method_of_row:
                params = path_params(bound.row.path, raw_path, raw_rest=bound.row.raw_wildcard)
                if params is None:
                    raise NotFound()
                return bound, params
        raise _not_allowed(method, found)

    def takes(self, raw_path: bytes) -> bool:
        """Tells whether the path belongs to a row of any method but for pages at the root, or to the API."""
        return _is_of_api(raw_path) or not all(map(_is_root_page, self._rows_at(raw_path)))

    def _rows_at(self, raw_path: bytes) -> Sequence[BoundRoute]:
        """Returns the rows of all methods; what another row has is no page at the root, nor is the API."""
        found = self._tree.find(raw_path)
        others = [bound for bound in found if not _is_root_page(bound)]
        return others if others or _is_of_api(raw_path) else found


class ProblemAnswers:
    """Refuses in problems as RFC 9457 writes them, and answers with the headers of a row."""

    async def refuse(self, problem: Problem, ctx: Context) -> Reply:
        reply = _problem_reply(problem, ctx)
        ctx.content = await content_of(reply, ctx.holder)
        return reply

    def headers(self, reply: Reply, ctx: Context) -> HeaderLines:
        if ctx.row.cors:
            reply = replace(reply, headers={**reply.headers, **CORS_HEADERS})
        if ctx.row is not UNMATCHED:
            reply = replace(reply, headers={**_rate_headers(ctx, reply.status), **reply.headers})
        return header_lines(reply, ctx.content, ctx.request_id, private=ctx.row.auth is not Auth.PUBLIC)


class Rows(ProblemAnswers):
    """The protocol of all rows: the built-in one of the pipeline."""

    open_body = staticmethod(open_api_body)

    def __init__(
        self,
        routes: Sequence[BoundRoute],
        host_of: Callable[[str], Host],
        authentication: Authentication,
        streams: OpenStreams,
        observer: Observer | None = None,
        *,
        held: Set[str] = frozenset(),
    ) -> None:
        self.router = Router(routes)
        self.traffic = RowTraffic()
        self._endpoints = {
            bound.name: authentication.endpoint(bound, host_of(bound.plugin_id), held=bound.listed in held)
            for bound in routes
        }
        self._streams = streams
        self._idempotent = IdempotentCalls()
        self._observer = observer

    def read(self, ctx: Context) -> None:
        bound, params = self.router.find(ctx.method, ctx.scope["raw_path"])
        ctx.enter(self._endpoints[bound.name], params)

    async def run(self, ctx: Context) -> Reply:
        """Reads the body, calls the handler, and encodes what it answers."""
        raw_body = await read_request(ctx)
        if ctx.method == "POST" and "idempotency-key" in ctx.headers:
            answer = await self._idempotent.answer_once(ctx, raw_body, lambda: self._handle(ctx))
        else:
            answer = await self._handle(ctx)
        if answer.before_sending is not None:
            await answer.before_sending()
        await ctx.connection.take_turn()
        ctx.content = await content_of(answer, ctx.holder)
        if ctx.method in READING:  # what was done is told, however long it takes to tell
            ctx.slot.carry(ctx.holder, len(ctx.content))
        return answer

    async def _handle(self, ctx: Context) -> Reply:
        try:
            answer = await ctx.endpoint.bound.handler(ctx)
            reply = answer if isinstance(answer, Reply) else Reply(answer, ctx.row.status)
            if reply.events is not None:
                chunks = await self._streamed(ctx, reply.events, prefetch=reply.prefetch)
                reply = replace(reply, events=None, stream=chunks)
        except Problem as problem:
            return _refusal_reply(problem, ctx)
        if self._observer is not None:
            self._observer(ctx.endpoint.bound, reply)
        if (held := ctx.headers.get("if-none-match")) is not None:
            reply = _conditional(held, ctx, reply)
        if ctx.events is not None and reply.stream is None:
            await ctx.drop_events()
        return reply

    async def _streamed(
        self, ctx: Context, events: AsyncIterator[ServerSentEvent], *, prefetch: bool
    ) -> AsyncIterator[bytes]:
        if ctx.method == "HEAD":
            await close(events)
            return no_chunks()

        def describe(problem: Problem) -> Any:
            return _refusal_reply(problem, ctx).body

        whose = "" if ctx.who is None else ctx.who.user_id
        plugin_id = ctx.endpoint.bound.plugin_id
        recheck = partial(check_again, ctx)
        chunks = EventChunks(events, plugin_id, describe, recheck, is_answer=prefetch, user_id=whose)
        self._streams.begin(chunks)
        ctx.events = chunks
        if prefetch:
            async with ctx.request_body.watched() as gone:
                await chunks.prefetch(gone)
        return chunks


def _rate_headers(ctx: Context, status: int) -> Mapping[str, str]:
    """Returns what is left of the budget that the request was counted in, as the IETF's draft has it."""
    rates, credential_id = ctx.endpoint.rates, None
    if ctx.row.auth is not Auth.PUBLIC:
        if ctx.who is not None:
            credential_id = ctx.who.credential.id
        elif status == HTTPStatus.TOO_MANY_REQUESTS:  # it was refused before it was looked up
            credential_id = rates.id_of(ctx.bearer_token() or "")
        if credential_id is None:
            return {}
    name = "address" if credential_id is None else "credential"
    standing = rates.limiters[name].standing(credential_id or ctx.address_key)
    if standing is None:
        return {}
    return {
        "RateLimit-Policy": f'"{name}";q={standing.burst};w={standing.window}',
        "RateLimit": f'"{name}";r={standing.left};t={standing.reset}',
    }


def _refusal_reply(problem: Problem, ctx: Context) -> Reply:
    if isinstance(problem, Unavailable):
        ctx.host.service(Readiness).suspect(problem)
    return _problem_reply(problem, ctx)


def _problem_reply(problem: Problem, ctx: Context) -> Reply:
    """Returns the answer to a problem; what a gate refused says which one, and who can lift it."""
    reasons = ctx.host.find_service(RefusalReasons) if problem.status in _OF_GATES else None
    told = {} if reasons is None else reasons.of(problem, ctx.who, ctx.method, ctx.path)
    reply = problem_reply(problem, ctx.request_id, told)
    if problem.status == HTTPStatus.UNAUTHORIZED and ctx.row.resource_metadata:
        metadata = ctx.host.settings.base_url + ctx.row.resource_metadata
        named = {"WWW-Authenticate": f'Bearer resource_metadata="{metadata}"'}
        reply = replace(reply, headers={**reply.headers, **named})
    if ctx.row.refusal is None:
        return reply
    given = ctx.row.refusal(problem)
    if isinstance(given, Reply):
        if reply.content_type in ctx.headers.get("accept", ""):
            return reply
        return replace(given, status=reply.status, headers={**reply.headers, **given.headers})
    return replace(reply, body={**reply.body, **given})


def _conditional(held: str, ctx: Context, reply: Reply) -> Reply:
    """Returns 304 for an answer that the caller has already, with its headers.

    A browser puts those of a 304 over the ones that it kept.
    """
    etag = reply.etag if ctx.row.method == "GET" and reply.status == 200 else None
    if etag is None or not etag_matches(held, etag, weak=True):
        return reply
    return Reply(status=304, headers=reply.headers, etag=etag)


def _is_of_api(raw_path: bytes) -> bool:
    return raw_path == _API[0] or raw_path.startswith(_API[1])


def _is_root_page(bound: BoundRoute) -> bool:
    return bound.row.path.startswith("/*")


def _not_allowed(method: str, found: Sequence[BoundRoute]) -> MethodNotAllowed:
    allowed = sorted({bound.row.method for bound in found})
    headers = {"Allow": ", ".join(allowed)}
    if any(bound.row.cors for bound in found):
        headers |= CORS_HEADERS  # pages of other origins can read this refusal too
    detail = f"{method} is not possible here; {', '.join(allowed)} is."
    hints = dict.fromkeys(bound.row.instead for bound in found if bound.row.instead)
    return MethodNotAllowed(" ".join([detail, *hints]), headers=headers)


def header_lines(reply: Reply, content: bytes, request_id: str, *, private: bool) -> HeaderLines:
    """Returns the headers of a row's answer: those of every one, then its own."""
    headers = dict(_PRIVATE if private else _PUBLIC)
    headers[b"x-request-id"] = request_id.encode()
    if reply.content_type.startswith("text/html"):
        headers.update(_PAGE)
    for name, value in reply.headers.items():
        headers[name.lower().encode()] = value.encode("latin-1", "replace")
    if reply.etag is not None:
        headers[b"etag"] = reply.etag.encode()
    if reply.stream is not None or content or reply.status not in (204, 304):
        headers[b"content-type"] = reply.content_type.encode()
        if reply.stream is None:
            headers[b"content-length"] = str(len(content)).encode()
    return list(headers.items())


async def content_of(reply: Reply, holder: str) -> bytes:
    """Returns the body as bytes; what is no JSON shows here, in time for another answer.

    A long one is encoded in steps on a thread.
    """
    if reply.content is not None:
        return reply.content
    if reply.stream is not None or reply.status in (204, 304):
        return b""
    content = encode_short(reply.body)
    if content is None:
        text = await RESULTS.run_steps(holder, encode_steps(reply.body, encode_text))
        content = text.encode("utf-8", "replace")
    return content


def problem_reply(
    problem: Problem, request_id: str, reasons: Mapping[str, str] = MappingProxyType({})
) -> Reply:
    body: dict[str, Any] = {
        "type": "about:blank" if problem.code == "internal" else f"urn:guildhall:problem:{problem.code}",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.detail,
        "code": problem.code,
        "request_id": request_id,
        **reasons,
        **problem.extras,
    }
    if problem.errors:
        body["errors"] = [dict(error) for error in problem.errors]
    return Reply(body, problem.status, headers=problem.headers, content_type="application/problem+json")
