"""Turns on the event loop: what many requests of one company ask of it is spread out, one after the other."""

import asyncio
from collections import deque
from collections.abc import Mapping
from typing import Any


class LoopTurns:
    """A holder has one turn each time around the loop; in between the loop looks at everybody's sockets.

    Whoever comes alone goes on at once. However many of one holder are ready, another waits for one of them.
    """

    def __init__(self) -> None:
        self._had_one: set[str] = set()
        # In the order of arrival.
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._going_around = False

    async def take(self, holder: str) -> None:
        """Returns when it is the holder's turn. `holder` is a company's id, or what else stands for one."""
        if holder not in self._had_one:
            self._had_one.add(holder)
            self._go_around()
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(holder, deque()).append(turn)
        await turn

    def _go_around(self) -> None:
        if not self._going_around:
            self._going_around = True
            asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        self._going_around = False
        self._had_one.clear()
        for holder in list(self._waiting):
            self._give_turn(holder)
        if self._had_one:
            self._go_around()

    def _give_turn(self, holder: str) -> None:
        """To the first who still waits for it."""
        waiting = self._waiting[holder]
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                self._had_one.add(holder)
                break
        if not waiting:
            del self._waiting[holder]


#: Of all requests of this process.
TURNS = LoopTurns()


#: Where a server passes a connection's holder on to its applications, in `scope["state"]`.
CONNECTION_HOLDER = "holder"


class ConnectionHolder:
    """Whose turns the bytes of a connection take: its address's, then of who was its caller last."""

    __slots__ = ("key",)

    def __init__(self, key: str) -> None:
        self.key = key


async def take_turn(scope: Mapping[str, Any], holder: str) -> None:
    """The turn of a request whose caller is known from here on."""
    connection = scope.get("state", {}).get(CONNECTION_HOLDER)
    if connection is not None:
        connection.key = holder
    await TURNS.take(holder)
