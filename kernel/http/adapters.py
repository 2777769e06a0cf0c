"""Protocols of plugins in the pipeline, by prefix or at an address of their own; whole applications too."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from quart import Quart

from guildhall_sdk import Auth, Host, Problem, Reply, Route, Unavailable
from guildhall_sdk.errors import RetryLater, Unauthenticated
from guildhall_sdk.routes import Adapter, Asgi, HeaderLines, Operation, Receive, Send
from kernel.http.context import READING, UNMATCHED, ApiRequestBody, Context, Endpoint
from kernel.http.gates import endpoint_of, verify
from kernel.http.pipeline import OperationTraffic, Pipeline, behind_proxies, create_app
from kernel.http.rows import ProblemAnswers, Rows
from kernel.registry import BoundRoute
from libs.addresses import Network
from libs.asgi import first_found
from libs.rate_limits import CallerBudgets
from libs.request_body import RefusableBody, RequestBody

_FAILED = 500
_MAX_PREPARED = 1000


class AdaptedProtocol:
    """The protocol of one adapter: its operations are rows to the gates."""

    def __init__(self, adapter: Adapter, plugin_id: str, host: Host, rates: CallerBudgets) -> None:
        assert adapter.protocol is not None
        self.traffic = OperationTraffic(adapter)
        self._adapted = adapter.protocol(host)
        self._prefix = adapter.prefix
        self._plugin_id = plugin_id
        self._host = host
        self._rates = rates
        self._endpoints: dict[Operation, Endpoint] = {}

    def open_body(self, ctx: Context) -> RequestBody:
        return RefusableBody(ctx.receive, ctx.scope, self._adapted)

    def read(self, ctx: Context) -> None:
        try:
            parsed = self._adapted.read(ctx.scope, ctx.request_body)
            operation = self._adapted.operation(parsed)
        except Problem:
            self._rates.count_unproven(ctx.address_key)
            raise
        ctx.enter(self._endpoints.get(operation) or self._prepare(operation), parsed=parsed)

    async def _authenticate(self, ctx: Context) -> None:
        try:
            claim = await self._adapted.claim(ctx.parsed, ctx.address)
        except (Unavailable, RetryLater):
            raise
        except Problem:
            self._rates.count_unproven(ctx.address_key)
            raise
        if claim is not None:
            verified = await verify(ctx.address_key, claim.key, claim.verify, self._rates)
            ctx.sign_in(verified.principal, verified)
            return
        self._rates.count_unproven(ctx.address_key)
        if ctx.row.auth is not Auth.PUBLIC:
            raise Unauthenticated("Sign in first: this needs a credential.")

    async def run(self, ctx: Context) -> Reply:
        return await self._finish(ctx, await ctx.endpoint.bound.handler(ctx))

    async def refuse(self, problem: Problem, ctx: Context) -> Reply:
        return await self._finish(ctx, self._adapted.refuse(problem, ctx.scope, ctx.request_id))

    async def _finish(self, ctx: Context, reply: Reply) -> Reply:
        if ctx.row is not UNMATCHED:
            reply = await self._adapted.finish(ctx.parsed, reply)
        ctx.content = reply.content or b""
        return reply

    def headers(self, reply: Reply, ctx: Context) -> HeaderLines:
        return self._adapted.headers(reply, ctx.request_id)

    def _prepare(self, operation: Operation) -> Endpoint:
        async def handle(ctx: Context) -> Reply:
            return await operation.run(ctx, ctx.parsed)

        row = Route(
            "POST" if operation.writes else "GET",
            self._prefix,
            operation.name,
            operation.name,
            Auth.PUBLIC if operation.public else Auth.BEARER,
            permission=operation.permission,
            feature=operation.feature,
            resource_decides=operation.permission is None,
        )
        if len(self._endpoints) >= _MAX_PREPARED:  # of an adapter that makes one for each request
            self._endpoints.clear()
        bound = BoundRoute(self._plugin_id, row, handle)
        endpoint = endpoint_of(bound, self._host, self._rates, self._authenticate)
        self._endpoints[operation] = endpoint
        return endpoint


class ServedApp(ProblemAnswers):
    """A whole application of a plugin behind the gates of a public row: every caller is a stranger to it."""

    def __init__(self, adapter: Adapter, plugin_id: str, host: Host, rates: CallerBudgets) -> None:
        assert adapter.app is not None
        self.traffic = OperationTraffic(adapter)
        self._app = adapter.app(host)
        self._reading, self._writing = (
            endpoint_of(
                BoundRoute(plugin_id, Route(method, adapter.prefix, name, name, Auth.PUBLIC), self.run),
                host,
                rates,
                self._count,
            )
            for method, name in (("GET", "Read"), ("POST", "Write"))
        )

    def open_body(self, ctx: Context) -> RequestBody:
        """Returns an empty body: the application reads what there is by itself."""
        return ApiRequestBody(ctx.receive, unread=False)

    def read(self, ctx: Context) -> None:
        ctx.enter(self._reading if ctx.method in READING else self._writing)

    async def _count(self, ctx: Context) -> None:
        ctx.endpoint.rates.count_public(ctx.address_key)

    async def run(self, ctx: Context) -> Reply:
        """Lets the application answer, and returns the status that it sent."""
        status = _FAILED

        async def send(message: Mapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status, ctx.answered = message["status"], True
            await ctx.send(message)

        await self._app(ctx.scope, ctx.receive, send)
        return Reply(status=status)


class Applications:
    """The applications of one server: its rows and, below their prefixes, its adapters."""

    def __init__(self, pipeline: Pipeline, rows: Rows, trusted_proxies: Sequence[Network]) -> None:
        self._pipeline = pipeline
        self._rows = rows
        self._trusted = trusted_proxies
        self._root: Asgi | None = None
        self._below: dict[str, Asgi] = {}
        #: Those of adapters with an address of their own, which they have to themselves, by name.
        self.own: dict[str, Quart] = {}
        self.measures = {**rows.traffic.measures()}

    def add(self, adapter: Adapter, plugin_id: str, host: Host, rates: CallerBudgets) -> None:
        kind: type[AdaptedProtocol | ServedApp] = ServedApp if adapter.protocol is None else AdaptedProtocol
        protocol = kind(adapter, plugin_id, host, rates)
        self.measures |= protocol.traffic.measures()
        app = partial(self._pipeline.serve, protocol)
        if adapter.prefix == "/":
            self._root = app
        else:
            self._below[adapter.prefix] = behind_proxies(app, self._trusted)
        if adapter.bind is not None:
            self.own[adapter.name] = create_app(behind_proxies(app, self._trusted))

    def main(self) -> Quart:
        return create_app(behind_proxies(self._at_root(), self._trusted), self._below)

    def _at_root(self) -> Asgi:
        """Returns what serves rows, and by the adapter at the root the paths that none takes.

        What that does not find is left to pages at the root, where there are any.
        """
        serve_rows, router = partial(self._pipeline.serve, self._rows), self._rows.router
        if self._root is None:
            return serve_rows
        others = first_found(self._root, serve_rows) if router.has_root_pages else self._root

        async def serve(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
            application = serve_rows if router.takes(scope["raw_path"]) else others
            await application(scope, receive, send)

        return serve
