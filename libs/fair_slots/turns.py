"""Turns on an event loop: what many requests of one holder ask for is spread out between those of others."""

import asyncio
from collections import deque
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

# Who shares the loop has one step at a time; who had it alone for a while has a few, which costs less.
ALONE_STEPS = 8
ALONE_AFTER_SECONDS = 0.25
#: Where a server passes a connection's holder on to its applications, in `scope["state"]`.
CONNECTION_HOLDER = "holder"


class LoopTurns:
    """Turns on one event loop: a holder gets few of them each time around, so that others are served too.

    A holder that is alone goes on at once. However many tasks of one holder are ready, another waits for one
    of them, or for `ALONE_STEPS` where nobody else has asked for a while.
    """

    def __init__(self) -> None:
        self._had: dict[str, int] = {}
        # In the order of arrival.
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._going_around = False
        self._last_holder = ""
        self._shared_at = -ALONE_AFTER_SECONDS

    async def take(self, holder: str) -> None:
        """Returns when it is the holder's turn. `holder` is a company's id, or another key of one caller."""
        loop = asyncio.get_running_loop()
        if holder != self._last_holder:
            self._last_holder, self._shared_at = holder, loop.time()
        had = self._had.get(holder, 0)
        if holder not in self._waiting and (had == 0 or had < self._steps()):
            self._had[holder] = had + 1
            self._go_around()
            return
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.setdefault(holder, deque()).append(turn)
        self._go_around()
        await turn

    def _steps(self) -> int:
        alone = asyncio.get_running_loop().time() - self._shared_at >= ALONE_AFTER_SECONDS
        return ALONE_STEPS if alone else 1

    def _go_around(self) -> None:
        if not self._going_around:
            self._going_around = True
            asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        self._going_around = False
        self._had.clear()
        for holder in list(self._waiting):
            for _ in range(self._steps()):
                self._give_turn(holder)
        if self._had:
            self._go_around()

    def _give_turn(self, holder: str) -> None:
        """Gives a turn to the first of the holder's who still waits for one."""
        waiting = self._waiting.get(holder, deque())
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                self._had[holder] = self._had.get(holder, 0) + 1
                break
        if not waiting:
            self._waiting.pop(holder, None)


class TurnsOfLoops:
    """The `LoopTurns` of each event loop; those of a loop that stopped would never come around again."""

    def __init__(self) -> None:
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, LoopTurns] = WeakKeyDictionary()

    async def take(self, holder: str) -> None:
        """Returns when it is the holder's turn on the running event loop."""
        loop = asyncio.get_running_loop()
        turns = self._turns.get(loop)
        if turns is None:
            turns = self._turns[loop] = LoopTurns()
        await turns.take(holder)


#: Of all requests of this process.
TURNS = TurnsOfLoops()


class ConnectionHolder:
    """The holder whose turns a connection takes: its address, and then the last caller on it."""

    __slots__ = ("key",)

    def __init__(self, key: str) -> None:
        self.key = key


async def take_turn(scope: Mapping[str, Any], holder: str) -> None:
    """Takes a turn for the request's caller, who also holds the connection from here on."""
    connection = scope.get("state", {}).get(CONNECTION_HOLDER)
    if connection is not None:
        connection.key = holder
    await TURNS.take(holder)
