"""The one pipeline: protocol, operation, gates, handler, reply — for every request of every protocol."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from guildhall_sdk import Host, Problem, Reply, TooManyRequests, Unavailable
from guildhall_sdk.routes import HeaderLines, Receive, Send
from guildhall_sdk.services.server import Readiness
from kernel.db.scopes import forget_writes
from kernel.http.context import Context, Incoming
from kernel.http.gates import check_feature, check_permission, check_suspension
from kernel.http.replies import internal_error, is_watched, send_reply
from kernel.http.traffic import Traffic
from kernel.identity.authenticate import SessionUses
from kernel.scope import PUBLIC, UNAUTHENTICATED, Scope, current_scope, request_of
from libs.fair_slots import InFlight, Slot, take_turn
from libs.request_body import ClientGone, RequestBody


class WireProtocol(Protocol):
    """How the requests of one protocol are read, identified, run and answered: rows, or an adapter."""

    @property
    def traffic(self) -> Traffic:
        """Counts and logs the requests."""
        ...

    def open_body(self, incoming: Incoming) -> RequestBody:
        """Returns the body of the request, of which nothing is read yet."""
        ...

    def read(self, incoming: Incoming) -> Context:
        """Finds the operation that the request asks for; raises the `Problem` where there is none."""
        ...

    async def authenticate(self, ctx: Context, scope: Mapping[str, Any]) -> None:
        """Signs the caller in, and counts the request against their rate or their address's."""
        ...

    async def run(self, ctx: Context) -> Reply:
        """Runs the operation past the gates; its reply has its content as bytes."""
        ...

    async def refuse(self, problem: Problem, incoming: Incoming) -> Reply:
        """Returns the problem as this protocol tells it."""
        ...

    def headers(self, reply: Reply, incoming: Incoming) -> HeaderLines:
        """Returns all header lines of an answer."""
        ...


class Pipeline:
    """Carries one request from its head to its answer."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._in_flight = InFlight(partial(TooManyRequests, headers={"Retry-After": "1"}))
        self.session_uses = SessionUses(host.data, host.clock)

    async def serve(
        self, protocol: WireProtocol, scope: Mapping[str, Any], receive: Receive, send: Send
    ) -> None:
        with self._in_flight.slot() as slot:
            incoming = Incoming(scope, receive, send, slot, self._host.clock.now_ms())
            incoming.body = protocol.open_body(incoming)
            current_scope.set(Scope(account=UNAUTHENTICATED, request_id=incoming.id))
            forget_writes()
            try:
                reply = await self._answer(protocol, incoming)
            except ClientGone:
                protocol.traffic.abandoned(incoming)
                return
            try:
                if not incoming.answered:
                    await _send(protocol, incoming, reply)
            except ClientGone:
                pass  # nobody is there to be told the end
            except Exception as error:
                # The head is out: cutting the connection is the only way left to say that it went wrong.
                protocol.traffic.broken(incoming, error, reply.status)
                raise
            finally:
                protocol.traffic.done(incoming, reply.status)

    async def _answer(self, protocol: WireProtocol, incoming: Incoming) -> Reply:
        """Returns the reply of the operation, or of whatever refuses it."""
        try:
            ctx = incoming.ctx = protocol.read(incoming)
            try:
                await self._admit(protocol, ctx, incoming.scope, incoming.slot)
                return await protocol.run(ctx)
            except BaseException:
                await ctx.drop_events()
                raise
        except Problem as problem:
            if isinstance(problem, Unavailable):
                self._host.service(Readiness).suspect(problem)
            return await protocol.refuse(problem, incoming)
        except ClientGone:
            raise
        except Exception as error:
            protocol.traffic.failed(incoming, error)
            if incoming.answered:
                raise
            return await protocol.refuse(internal_error(), incoming)

    async def _admit(
        self, protocol: WireProtocol, ctx: Context, scope: Mapping[str, Any], slot: Slot
    ) -> None:
        """Passes the gates in their decided order; who shows no credential has a stranger's share."""
        await protocol.authenticate(ctx, scope)
        if ctx.signed_in:
            credential = ctx.principal.credential
            account = request_of(ctx.principal.org_id)
            current_scope.set(Scope(account=account, credential=credential, request_id=ctx.request_id))
            slot.take(credential.id)
            self.session_uses.note(credential)
        else:
            current_scope.set(Scope(account=PUBLIC, request_id=ctx.request_id))
        await take_turn(scope, ctx.holder)
        await check_suspension(ctx)
        check_feature(ctx)
        check_permission(ctx)


async def _send(protocol: WireProtocol, incoming: Incoming, reply: Reply) -> None:
    """Sends an answer as its protocol writes it, as long as the caller is there."""
    body, head = incoming.body, incoming.method == "HEAD"
    if reply.stream is not None and not head and is_watched(reply):
        reply = replace(reply, stream=body.while_wanted(reply.stream))
    if not await body.finished():
        reply = replace(reply, headers={**reply.headers, "Connection": "close"})
    headers = protocol.headers(reply, incoming)
    await body.answer(partial(send_reply, incoming.send, reply, headers, head=head))
