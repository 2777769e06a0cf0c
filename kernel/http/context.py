"""One request: as it came, what its row takes of it, and past its gates as a handler sees it.

A body that may take a while to read is read on a thread, one at a time and company by company: however many
one of them sends at once, the others get their turn. Small ones never wait for it.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NoReturn, cast

from guildhall_sdk import (
    Actor,
    Body,
    Host,
    PermissionDenied,
    Principal,
    Reader,
    Route,
    Setting,
    TooLarge,
    Writer,
)
from guildhall_sdk.data import TENANT
from guildhall_sdk.errors import InvalidJson, InvalidRequest, PreconditionFailed, Problem, Unauthenticated
from guildhall_sdk.ids import request_id
from guildhall_sdk.routes import Receive, Send, Verified
from guildhall_sdk.schema import obj
from guildhall_sdk.settings import Value
from kernel.db.database import Database
from kernel.registry import BoundRoute
from kernel.scope import check_unchanged
from kernel.validation import Validator, invalid_request
from libs.addresses import address_key
from libs.fair_slots import BODIES, CONNECTION_HOLDER, LONG_BYTES, ConnectionHolder, Slot, Steps
from libs.json_validation import Misfit, TooManyParameters, decode_query, parse_query
from libs.negotiation import etag_matches
from libs.rate_limits import CallerBudgets
from libs.request_body import RequestBody
from libs.streams import close
from libs.strict_json import JsonFault, count_marks, decode_json, decode_steps

WrapWrite = Callable[[AbstractAsyncContextManager[Writer]], AbstractAsyncContextManager[Writer]]
#: Lets a request through, or raises the `Problem`.
Gate = Callable[["Context"], Awaitable[None]]

READING = frozenset({"GET", "HEAD", "OPTIONS"})
_NO_PARAMS: Mapping[str, str] = {}
_WITHOUT_BODY = frozenset({"GET", "OPTIONS"})
_NOTHING = obj({})
# Of what is within both bounds, reading and validating takes a few milliseconds at the worst.
_SMALL_BYTES = 32 * 1024
_SMALL_MARKS = 500
#: The row of a request for which none was found.
UNMATCHED = Route("none", "none", "none", "No row took the request")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Endpoint:
    """A row, or an operation of an adapter, with all that can be decided about it before a request comes."""

    bound: BoundRoute
    host: Host
    rates: CallerBudgets
    authenticate: Gate
    gates: tuple[Gate, ...]
    #: Whether a suspension of the company or the tenant stops it.
    stoppable: bool
    #: Checks the body; None takes any.
    validator: Validator | None = None


class Context:
    """One request, whatever its protocol; the pipeline fills it in on the way to the SDK's `Call`.

    `endpoint` is there once it is known what the request asks for, `parsed` is the request as its adapter
    read it, `who` is the caller, and `content` is the body of the answer, unless the handler has
    `answered` by itself.
    """

    endpoint: Endpoint
    request_body: RequestBody

    def __init__(
        self, host: Host, scope: Mapping[str, Any], receive: Receive, send: Send, slot: Slot
    ) -> None:
        self.started = time.perf_counter()
        self.host = host
        self.service = host.service
        self.scope = scope
        self.receive = receive
        self.send = send
        self.slot = slot
        self.answered = False
        self.content = b""
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.raw_query: bytes = scope["query_string"]
        headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            headers[name.decode("latin-1")] = value.decode("latin-1")
        self.headers: Mapping[str, str] = headers
        self.address: str = (scope.get("client") or ("unknown",))[0]
        self.address_key = address_key(self.address)
        self.now_ms = host.clock.now_ms()
        self.request_id = request_id(self.headers.get("x-request-id", ""), self.now_ms)
        self.row = UNMATCHED
        self.plugin_id: str | None = None
        self.params = _NO_PARAMS
        self.query: Mapping[str, Any] = {}
        self.body: Any = None
        self.parsed: Any = None
        self.events: AsyncIterator[bytes] | None = None
        self.who: Principal | None = None
        #: The key of fair shares: the company, or the address where nobody signed in.
        self.holder = f"@{self.address}"
        self.connection: ConnectionHolder = scope.get("state", {}).get(CONNECTION_HOLDER) or ConnectionHolder(
            self.holder
        )
        self._verified: Verified | None = None
        #: What handlers remember of the caller.
        self.known: dict[Callable[..., Any], Any] = {}
        #: Wraps each write scope of this request; for the kernel only.
        self.wrap_write: WrapWrite | None = None

    def bearer_token(self) -> str | None:
        """Returns the credentials of the Authorization header, if it is of the Bearer scheme."""
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        return token.strip() or None if scheme.lower() == "bearer" else None

    def enter(self, endpoint: Endpoint, params: Mapping[str, str] = _NO_PARAMS, parsed: Any = None) -> None:
        """Begins what the request asks for."""
        self.endpoint = endpoint
        self.host = endpoint.host
        self.service = endpoint.host.service
        self.row = endpoint.bound.row
        self.plugin_id = endpoint.bound.plugin_id
        self.params = params
        self.parsed = parsed

    def sign_in(self, principal: Principal, verified: Verified | None = None) -> None:
        """Sets the caller; each write checks one who was `verified`, however long the request takes."""
        self.who = self.principal = principal
        self.holder = principal.org_id
        self._verified = verified

    @cached_property
    def principal(self) -> Principal:
        """The caller, whom `sign_in` sets here: nobody is, before."""
        raise Unauthenticated("Sign in first: send Authorization: Bearer <token>.")

    @property
    def signed_in(self) -> bool:
        return self.who is not None

    def read(self) -> AbstractAsyncContextManager[Reader]:
        return self.host.data.read()

    @asynccontextmanager
    async def write(self, actor: Actor | None = None, *, alone: bool = False) -> AsyncIterator[Writer]:
        """Opens a write scope, and checks in its transaction that the caller still is who they were."""
        company = TENANT if self.who is None else self.who.org_id
        within = company if self.endpoint.stoppable else None
        known, data = self._verified, cast(Database, self.host.data)
        if known is not None and (within is None or self.host.clock.now_ms() >= known.until):
            known = None
        version = None if known is None else known.version
        scope: AbstractAsyncContextManager[Writer] = data.write(
            actor or self.actor(), within=within, alone=alone, version=version, recheck=self._recheck
        )
        if self.wrap_write is not None:
            scope = self.wrap_write(scope)
        async with scope as writer:
            if self._verified is not None and known is None:
                await self._recheck(writer)
            yield writer

    async def check_caller(self) -> Principal | None:
        """Returns the caller as they are now, if they are asked for again; raises for one who changed."""
        if self._verified is None:
            return None
        async with self.read() as reader:
            return await self._recheck(reader)

    async def _recheck(self, reader: Reader) -> Principal | None:
        assert self._verified is not None
        caller = await self._verified.look_up(reader)
        if caller is not self.principal:
            check_unchanged(self.principal, caller)
        return caller

    async def remembered(self, load: Callable[["Context"], Awaitable[Value]]) -> Value:
        if load not in self.known:
            self.known[load] = await load(self)
        return cast(Value, self.known[load])

    def actor(self) -> Actor:
        who = self.who
        if who is None:
            return Actor("anonymous", request_id=self.request_id)
        return Actor(who.username, who.user_id, who.org_id, who.team_id, self.request_id)

    def setting(self, setting: Setting[Value]) -> Value:
        return self.host.setting(setting)

    def require(self, permission: str) -> None:
        if not self.principal.may(permission):
            raise PermissionDenied(permission)

    def check_if_match(self, etag: str) -> None:
        wanted = self.headers.get("if-match")
        if wanted is not None and not etag_matches(wanted, etag, weak=False):
            raise PreconditionFailed("It changed since you read it; read it again and repeat.")

    def count_calls(self, count: int) -> None:
        if count > 0:
            self.endpoint.rates.count_more(self.principal.credential.id, count)

    def hold_bytes(self, size: int) -> None:
        self.slot.carry(self.holder, size)

    def settle_bytes(self, held: int, size: int) -> None:
        self.slot.settle(held, size)

    async def hung_up(self) -> None:
        await self.request_body.hung_up()

    async def drop_events(self) -> None:
        """Ends a stream of events that was begun for an answer that is not sent; for the kernel only."""
        if self.events is not None:
            await close(self.events)

    def stream(self) -> AsyncIterator[bytes]:
        return self.request_body.stream(self.row.max_body)


class SlowBody(Problem, status=408, code="slow_body", title="The body came too slowly"):
    """The body of a request stopped arriving, or takes too long."""


class ApiRequestBody(RequestBody):
    def too_large(self, limit: int) -> Exception:
        return TooLarge(f"The body is larger than the {limit} bytes that this route takes.", limit=limit)

    def too_slow(self) -> Exception:
        return SlowBody("The body stopped arriving, or came too slowly; send it again.")


def open_api_body(ctx: Context) -> ApiRequestBody:
    """Returns the body of a request, of which nothing is read yet."""
    headers = ctx.headers
    announced = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    return ApiRequestBody(ctx.receive, unread=announced, on_request="expect" in headers)


class RefusedBody(Mapping[str, Any]):
    """Stands for a body that its row does not take, where the resource has the first word.

    On a judged row the handler learns from the resource whether this caller may do that at all: who may
    not is told so, whatever they sent. Whoever may hears what is wrong with it when it is looked at.
    """

    def __init__(self, fault: Problem) -> None:
        self._fault = fault

    def __getitem__(self, name: str) -> NoReturn:
        raise self._fault

    def __iter__(self) -> Iterator[str]:
        raise self._fault

    def __len__(self) -> int:
        raise self._fault


def validator_of(row: Route) -> Validator | None:
    """Returns what checks the body of a row, or None where it takes any JSON."""
    schema = _NOTHING if row.body is None else row.body
    return Validator(schema) if schema else None


async def read_request(ctx: Context) -> bytes:
    """Fills in the query and the body, and returns the raw one; raises `InvalidRequest` at what is wrong."""
    row = ctx.row
    if ctx.raw_query or row.query:
        ctx.query = _query_of(ctx)
    if row.method in _WITHOUT_BODY or row.body_kind is Body.RAW:
        return b""
    announced = ctx.headers.get("content-length", "0")
    if not (announced.isascii() and announced.isdigit()):
        raise InvalidRequest("Content-Length is not a number.")
    if int(announced) > row.max_body:
        raise ctx.request_body.too_large(row.max_body)  # before a byte of it is read
    if "transfer-encoding" in ctx.headers:
        raw_body = await ctx.request_body.read(row.max_body, partial(ctx.slot.carry, ctx.holder))
    else:
        if int(announced) > LONG_BYTES:
            ctx.slot.carry(ctx.holder, int(announced))
        raw_body = await ctx.request_body.read(row.max_body)
    if row.body_kind is Body.WHOLE:
        ctx.body = raw_body
        return raw_body
    validator = ctx.endpoint.validator
    try:
        if not raw_body:
            ctx.body = None if validator is None else {}
        elif len(raw_body) <= _SMALL_BYTES and count_marks(raw_body) <= _SMALL_MARKS:
            ctx.body = decode_json(raw_body)
        else:
            ctx.body = await BODIES.run_steps(ctx.holder, _check_in_steps(raw_body, validator))
            validator = None
        if validator is not None:
            validator.check(ctx.body)
    except (InvalidRequest, JsonFault) as fault:
        problem = InvalidJson(fault.detail, errors=fault.errors) if isinstance(fault, JsonFault) else fault
        if not _left_to_the_resource(ctx):
            raise problem from None
        ctx.body = RefusedBody(problem)
    return raw_body


def _check_in_steps(raw_body: bytes, validator: Validator | None) -> Steps[Any]:
    """Reads a long body and checks it, with the bodies of other companies in between."""
    body = yield from decode_steps(raw_body)
    yield
    if validator is not None:
        validator.check(body)
    return body


def _query_of(ctx: Context) -> dict[str, Any]:
    """Returns what the row declares; all that was sent where it declares nothing at all."""
    declared = ctx.row.query
    try:
        return decode_query(ctx.raw_query) if declared is None else parse_query(ctx.raw_query, declared)
    except Misfit as misfit:
        raise invalid_request(misfit.complaints) from None
    except TooManyParameters as refusal:
        raise InvalidRequest(str(refusal)) from None


def _left_to_the_resource(ctx: Context) -> bool:
    """Tells whether only the resource may admit the caller; it is asked before the body is read."""
    row = ctx.row
    if row.body is None or row.permission is None:
        return False
    return row.resource_decides and not ctx.principal.may(row.permission)
