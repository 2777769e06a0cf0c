"""`Expect: 100-continue`: a client is told to go on when somebody wants its body, and not before."""

from collections.abc import Awaitable, Callable
from typing import Any

import h11
from hypercorn.typing import AppWrapper, ASGIReceiveCallable, ASGISendCallable, Scope


class PatientConnection(h11.Connection):
    """Does not ask Hypercorn to tell the client to go on at once, before the app has seen the head."""

    @property
    def they_are_waiting_for_100_continue(self) -> bool:
        return False

    @property
    def waits_to_go_on(self) -> bool:
        return super().they_are_waiting_for_100_continue


class OnceWanted:
    """The app of one request whose sender waits: `go_on` is called when the app first asks for the body.

    An app that has begun to answer by then has refused it; what it still reads, it throws away.
    """

    def __init__(self, app: AppWrapper, go_on: Callable[[], Awaitable[None]]) -> None:
        self._app = app
        self._go_on = go_on

    async def __call__(
        self,
        scope: Scope,
        receive: ASGIReceiveCallable,
        send: ASGISendCallable,
        sync_spawn: Callable[..., Any],
        call_soon: Callable[..., Any],
    ) -> None:
        waits = True

        async def receive_when_told() -> Any:
            nonlocal waits
            if waits:
                waits = False
                await self._go_on()
            return await receive()

        async def send_as_it_is(message: Any) -> None:
            nonlocal waits
            waits = False
            await send(message)

        await self._app(scope, receive_when_told, send_as_it_is, sync_spawn, call_soon)
