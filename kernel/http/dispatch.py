"""The one dispatcher: row, gates, body, handler, reply — for every request."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from guildhall_sdk import Auth, Body, Host, Problem, Reply, new_id
from guildhall_sdk.schema import obj
from kernel.config import Settings
from kernel.http.body import ClientGone, Receive, read_body, refuse_by_length
from kernel.http.context import Context
from kernel.http.decoding import decode_json
from kernel.http.etags import etag_matches
from kernel.http.gates import RateGate, authenticate, check_feature, check_permission, check_suspension
from kernel.http.idempotency import answer_once
from kernel.http.problems import internal_error, problem_reply
from kernel.http.router import Router
from kernel.http.sending import Send, Sender
from kernel.http.validation import Validator, parse_query
from kernel.logs import get_logger
from kernel.registry import BoundRoute

_log = get_logger("http")
_SANE_REQUEST_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_WITHOUT_BODY = frozenset({"GET", "OPTIONS"})
_NOTHING = obj({})

Observer = Callable[[BoundRoute, Reply], None]


class Dispatcher:
    """Carries one ASGI request from its path to its answer."""

    def __init__(
        self,
        routes: Sequence[BoundRoute],
        host: Host,
        settings: Settings,
        observer: Observer | None = None,
    ) -> None:
        self._router = Router(routes)
        self._host = host
        self._settings = settings
        self._sender = Sender(secure=settings.base_url.startswith("https://"))
        self._rates = RateGate(settings.rate_limit, host.clock)
        self._validators: dict[str, Validator] = {}
        self._observer = observer

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        request_id = self._request_id(headers)
        method: str = scope["method"]
        bound: BoundRoute | None = None
        ctx: Context | None = None
        try:
            bound, params = self._router.find(method, scope["raw_path"])
            ctx = Context(
                host=self._host,
                bound=bound,
                method=method,
                path=scope["path"],
                params=params,
                raw_query=scope["query_string"],
                headers=headers,
                address=(scope.get("client") or ("unknown",))[0],
                request_id=request_id,
                receive=receive,
            )
            reply = await self._answer(ctx, receive)
        except Problem as problem:
            reply = problem_reply(problem, request_id)
        except ClientGone:
            _log.info("request.abandoned", request_id=request_id, method=method)
            return
        except Exception as error:
            _log.error("request.failed", exc=error, request_id=request_id, method=method, path=scope["path"])
            reply = problem_reply(internal_error(), request_id)
        private = bound is None or bound.row.auth is not Auth.PUBLIC
        await self._sender.send(send, reply, request_id=request_id, private=private, head=method == "HEAD")
        self._record(bound, ctx, reply, request_id, method, started)

    async def _answer(self, ctx: Context, receive: Receive) -> Reply:
        """The gates in their decided order, the body, the handler."""
        await authenticate(ctx, self._settings)
        self._rates.check(ctx)
        check_suspension(ctx)
        await check_feature(ctx)
        check_permission(ctx)
        raw_body = await self._read_inputs(ctx, receive)
        if ctx.method == "POST" and "idempotency-key" in ctx.headers:
            return await answer_once(ctx, raw_body, lambda: self._handle(ctx))
        return await self._handle(ctx)

    async def _handle(self, ctx: Context) -> Reply:
        try:
            reply = await ctx.bound.handler(ctx)
        except Problem as problem:
            return problem_reply(problem, ctx.request_id)
        if self._observer is not None:
            self._observer(ctx.bound, reply)
        return self._conditional(ctx, reply)

    @staticmethod
    def _conditional(ctx: Context, reply: Reply) -> Reply:
        held = ctx.headers.get("if-none-match")
        if held is None or reply.etag is None or ctx.bound.row.method != "GET" or reply.status != 200:
            return reply
        if not etag_matches(held, reply.etag, weak=True):
            return reply
        # With its headers: a browser puts those of a 304 over the ones that it kept.
        return Reply(status=304, headers=reply.headers, etag=reply.etag)

    async def _read_inputs(self, ctx: Context, receive: Receive) -> bytes:
        """Checks the query, then the body, against the row; gives the raw body."""
        row = ctx.bound.row
        if row.query is None:
            ctx.query = dict(parse_qsl(ctx.raw_query.decode("ascii", "replace"), keep_blank_values=True))
        else:
            ctx.query = parse_query(ctx.raw_query, row.query)
        if row.method in _WITHOUT_BODY or row.body_kind is Body.RAW:
            return b""
        refuse_by_length(ctx.headers, row.max_body)
        raw_body = await read_body(receive, row.max_body)
        schema = _NOTHING if row.body is None else row.body
        if schema:
            ctx.body = decode_json(raw_body) if raw_body else {}
            self._validator(ctx.bound, schema).check(ctx.body)
        elif raw_body:
            ctx.body = decode_json(raw_body)
        return raw_body

    def _validator(self, bound: BoundRoute, schema: Mapping[str, Any]) -> Validator:
        validator = self._validators.get(bound.name)
        if validator is None:
            validator = self._validators[bound.name] = Validator.compile(schema)
        return validator

    def _request_id(self, headers: Mapping[str, str]) -> str:
        given = headers.get("x-request-id", "")
        return given if _SANE_REQUEST_ID.fullmatch(given) else new_id("req", self._host.clock.now_ms())

    @staticmethod
    def _record(
        bound: BoundRoute | None,
        ctx: Context | None,
        reply: Reply,
        request_id: str,
        method: str,
        started: float,
    ) -> None:
        _log.info(
            "request.done",
            request_id=request_id,
            method=method,
            route=bound.row.path if bound else None,
            status=reply.status,
            user=ctx.principal.user_id if ctx is not None and ctx.signed_in else None,
            ms=round((time.perf_counter() - started) * 1000, 2),
        )
