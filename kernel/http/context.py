"""One request: as it came, and past its gates as a handler sees it."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

from guildhall_sdk import Actor, Auth, Host, PermissionDenied, Principal, Reader, Setting, Writer
from guildhall_sdk.data import TENANT, checked_write
from guildhall_sdk.errors import PreconditionFailed, Unauthenticated
from guildhall_sdk.ids import request_id
from guildhall_sdk.routes import Receive, Send
from guildhall_sdk.settings import Value
from kernel.http.replies import etag_matches
from kernel.registry import BoundRoute
from libs.addresses import address_key
from libs.fair_slots import Slot
from libs.rate_limits import CallerBudgets
from libs.request_body import RequestBody
from libs.streams import close

Service = TypeVar("Service")
WrapWrite = Callable[[AbstractAsyncContextManager[Writer]], AbstractAsyncContextManager[Writer]]
LookUp = Callable[[Reader], Awaitable[Principal | None]]

READING = frozenset({"GET", "HEAD", "OPTIONS"})
_NO_PARAMS: Mapping[str, str] = {}


class Incoming:
    """One request as it came, whatever its protocol; `ctx` is there once its operation is known.

    `answered` says that its handler has sent the answer by itself.
    """

    body: RequestBody

    def __init__(
        self, scope: Mapping[str, Any], receive: Receive, send: Send, slot: Slot, now_ms: int
    ) -> None:
        self.started = time.perf_counter()
        self.scope = scope
        self.receive = receive
        self.send = send
        self.slot = slot
        self.answered = False
        self.method: str = scope["method"]
        self.headers: Mapping[str, str] = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        self.address: str = (scope.get("client") or ("unknown",))[0]
        self.address_key = address_key(self.address)
        self.id = request_id(self.headers.get("x-request-id", ""), now_ms)
        self.ctx: Context | None = None


class Context:
    """Implements the SDK's `Call`; the pipeline fills it in on the way through the gates.

    `parsed` is the request as its adapter read it.
    """

    __slots__ = (
        "_look_up",
        "_principal",
        "_wrap_write",
        "address",
        "address_key",
        "body",
        "bound",
        "events",
        "headers",
        "host",
        "method",
        "now_ms",
        "params",
        "parsed",
        "path",
        "query",
        "rates",
        "raw_query",
        "request_body",
        "request_id",
        "slot",
    )

    def __init__(
        self,
        host: Host,
        bound: BoundRoute,
        incoming: Incoming,
        params: Mapping[str, str] = _NO_PARAMS,
        parsed: Any = None,
    ) -> None:
        self.host = host
        self.bound = bound
        self.method = incoming.method
        self.path: str = incoming.scope["path"]
        self.params = params
        self.raw_query: bytes = incoming.scope["query_string"]
        self.query: Mapping[str, Any] = {}
        self.headers = incoming.headers
        self.address = incoming.address
        self.address_key = incoming.address_key
        self.request_id = incoming.id
        self.body: Any = None
        self.parsed = parsed
        self.now_ms = host.clock.now_ms()
        self.request_body = incoming.body
        self.events: AsyncIterator[bytes] | None = None
        self.rates: CallerBudgets | None = None
        self.slot = incoming.slot
        self._principal: Principal | None = None
        self._look_up: LookUp | None = None
        self._wrap_write: WrapWrite | None = None

    @property
    def principal(self) -> Principal:
        if self._principal is None:
            raise Unauthenticated("Sign in first: send Authorization: Bearer <token>.")
        return self._principal

    @property
    def signed_in(self) -> bool:
        return self._principal is not None

    def sign_in(self, principal: Principal, look_up: LookUp | None = None) -> None:
        """Sets the caller; with `look_up` each write asks for them again, however long the request takes."""
        self._principal = principal
        self._look_up = look_up

    @property
    def holder(self) -> str:
        """The key of fair shares: the company, or the address where nobody signed in."""
        return f"@{self.address}" if self._principal is None else self._principal.org_id

    @property
    def within(self) -> str | None:
        """Whose suspension stops this request: a company's id, the tenant, or None for nobody's."""
        row = self.bound.row
        if row.method in READING or row.while_suspended or row.auth is Auth.PROVISION:
            return None
        return TENANT if self._principal is None else self._principal.org_id

    def on_write(self, wrap: WrapWrite | None) -> None:
        """Wraps each write scope of this request, or no longer does; for the kernel only."""
        self._wrap_write = wrap

    def read(self) -> AbstractAsyncContextManager[Reader]:
        return self.host.data.read()

    def write(
        self, actor: Actor | None = None, *, alone: bool = False
    ) -> AbstractAsyncContextManager[Writer]:
        scope = self.host.data.write(actor or self.actor(), within=self.within, alone=alone)
        if self._wrap_write is not None:
            scope = self._wrap_write(scope)
        return scope if self._look_up is None else checked_write(scope, self._check_caller)

    async def check_caller(self) -> None:
        """Raises for a caller who is not any more who they were when the request came."""
        if self._look_up is not None:
            async with self.read() as reader:
                await self._check_caller(reader)

    async def _check_caller(self, reader: Reader) -> None:
        if self._look_up is not None:
            self.principal.check_unchanged(await self._look_up(reader))

    def actor(self) -> Actor:
        who = self._principal
        if who is None:
            return Actor("anonymous", request_id=self.request_id)
        return Actor(who.username, who.user_id, who.org_id, who.team_id, self.request_id)

    def setting(self, setting: Setting[Value]) -> Value:
        return self.host.setting(setting)

    def service(self, protocol: Callable[..., Service]) -> Service:
        return self.host.service(protocol)

    def require(self, permission: str) -> None:
        if not self.principal.may(permission):
            raise PermissionDenied(permission)

    def check_if_match(self, etag: str) -> None:
        wanted = self.headers.get("if-match")
        if wanted is not None and not etag_matches(wanted, etag, weak=False):
            raise PreconditionFailed("It changed since you read it; read it again and repeat.")

    def count_calls(self, count: int) -> None:
        if self.rates is not None and count > 0:
            self.rates.count_more(self.principal.credential.id, count)

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
        return self.request_body.stream(self.bound.row.max_body)
