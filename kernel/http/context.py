"""One request: as it came, and past its gates as a handler sees it."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from guildhall_sdk import Actor, Host, PermissionDenied, Principal, Reader, Route, Setting, Writer
from guildhall_sdk.data import TENANT
from guildhall_sdk.errors import PreconditionFailed, Unauthenticated
from guildhall_sdk.ids import request_id
from guildhall_sdk.routes import Receive, Send
from guildhall_sdk.settings import Value
from kernel.registry import BoundRoute
from kernel.validation import Validator
from libs.addresses import address_key
from libs.fair_slots import CONNECTION_HOLDER, ConnectionHolder, Slot
from libs.negotiation import etag_matches
from libs.rate_limits import CallerBudgets
from libs.request_body import RequestBody
from libs.streams import close

WrapWrite = Callable[[AbstractAsyncContextManager[Writer]], AbstractAsyncContextManager[Writer]]
LookUp = Callable[[Reader], Awaitable[Principal | None]]
#: Lets a request through, or raises the `Problem`.
Gate = Callable[["Context"], Awaitable[None]]

READING = frozenset({"GET", "HEAD", "OPTIONS"})
_NO_PARAMS: Mapping[str, str] = {}
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
        self._look_up: LookUp | None = None
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

    def sign_in(self, principal: Principal, look_up: LookUp | None = None) -> None:
        """Sets the caller; with `look_up` each write asks for them again, however long the request takes."""
        self.who = self.principal = principal
        self.holder = principal.org_id
        self._look_up = look_up

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
        """Opens a write scope, and asks in its transaction whether the caller still is who they were."""
        company = TENANT if self.who is None else self.who.org_id
        within = company if self.endpoint.stoppable else None
        scope = self.host.data.write(actor or self.actor(), within=within, alone=alone)
        if self.wrap_write is not None:
            scope = self.wrap_write(scope)
        async with scope as writer:
            if self._look_up is not None:
                now = await self._look_up(writer)
                if now is not self.principal:
                    self.principal.check_unchanged(now)
            yield writer

    async def check_caller(self) -> Principal | None:
        """Returns the caller as they are now, if they are asked for again; raises for one who changed."""
        if self._look_up is None:
            return None
        async with self.read() as reader:
            caller = await self._look_up(reader)
        self.principal.check_unchanged(caller)
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
