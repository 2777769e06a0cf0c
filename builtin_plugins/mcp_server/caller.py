"""Who sent a message, and how long its request may still take."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

from guildhall_sdk import Actor, Call, Host, Principal, Reader, Writer

MAX_SECONDS = 60.0
Service = TypeVar("Service")
Result = TypeVar("Result")


class Caller:
    """One request's caller. All messages of a batch share its time."""

    def __init__(self, call: Call) -> None:
        self._ctx = call
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

    def count_messages(self, count: int) -> None:
        """Counts the messages of a batch as the requests that they would be alone; raises 429."""
        self._ctx.count_calls(count - 1)

    def hold_bytes(self, size: int) -> None:
        """Counts the longest that answers may be before any is collected; raises 429."""
        self._ctx.hold_bytes(size)

    def settle_bytes(self, held: int, size: int) -> None:
        self._ctx.settle_bytes(held, size)

    def time_limit(self) -> asyncio.Timeout:
        return asyncio.timeout_at(self._deadline)

    async def hung_up(self) -> None:
        await self._ctx.hung_up()
