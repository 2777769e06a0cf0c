"""Who sent a message, and how long its request may still take."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

from guildhall_sdk import Actor, Host, Principal, Reader, RequestContext, Writer
from guildhall_sdk.request_body import ClientGone

MAX_SECONDS = 60.0
Service = TypeVar("Service")
Result = TypeVar("Result")


class Caller:
    """One request's caller. All messages of a batch share its time."""

    def __init__(self, ctx: RequestContext) -> None:
        self._ctx = ctx
        self._deadline = asyncio.get_running_loop().time() + MAX_SECONDS

    @property
    def principal(self) -> Principal:
        return self._ctx.principal

    @property
    def headers(self) -> Mapping[str, str]:
        return self._ctx.headers

    @property
    def host(self) -> Host:
        return self._ctx.host

    def service(self, protocol: Callable[..., Service]) -> Service:
        return self._ctx.service(protocol)

    def read(self) -> AbstractAsyncContextManager[Reader]:
        return self._ctx.read()

    def write_unless_suspended(self) -> AbstractAsyncContextManager[Writer]:
        """Raises `PaymentRequired`, which the row itself does not: most of what it is asked only reads."""
        who = self.principal
        actor = Actor(who.username, who.user_id, who.org_id, who.team_id, self._ctx.request_id)
        return self.host.data.write(actor, within=who.org_id)

    def time_limit(self) -> asyncio.Timeout:
        return asyncio.timeout_at(self._deadline)

    async def hung_up(self) -> None:
        await self._ctx.hung_up()


async def unless_gone(caller: Caller, work: Coroutine[Any, Any, Result]) -> Result:
    """The result of the work, which ends when the caller leaves: nobody could ever take it up again."""
    working = asyncio.create_task(work)
    gone = asyncio.ensure_future(caller.hung_up())
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientGone
    finally:
        gone.cancel()
        working.cancel()
        await asyncio.wait({working, gone})
