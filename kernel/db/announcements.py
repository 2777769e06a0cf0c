"""Hints between the processes of one PostgreSQL: a word on a channel, that may get lost."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol
from uuid import uuid4

from kernel.logs import get_logger

_log = get_logger("db")
_TOGETHER_SECONDS = 0.02
_AGAIN_SECONDS = 1.0


class Announcements(Protocol):
    def tell(self) -> None:
        """Lets the others know, soon and without waiting; many calls at a time are one word."""
        ...

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class Silence:
    """For SQLite, where there is nobody else."""

    def tell(self) -> None: ...

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class Channel:
    """A connection of its own that listens and tells. Outside any transaction: inside, a word would hold up
    every commit behind those before it."""

    def __init__(self, url: str, name: str, heard: Callable[[], None]) -> None:
        self._url = url
        self._name = name
        self._heard = heard
        self._own = uuid4().hex
        self._connection: Any = None
        self._keeping: asyncio.Task[None] | None = None
        self._telling: asyncio.Task[None] | None = None
        self._untold = False

    async def start(self) -> None:
        self._keeping = asyncio.create_task(self._keep_listening(), name=f"listening on {self._name}")

    async def stop(self) -> None:
        for task in (self._keeping, self._telling):
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None

    def tell(self) -> None:
        self._untold = True
        if self._connection is not None and (self._telling is None or self._telling.done()):
            self._telling = asyncio.create_task(self._tell_soon())

    async def _tell_soon(self) -> None:
        while self._untold:
            await asyncio.sleep(_TOGETHER_SECONDS)
            self._untold = False
            # Lost with its connection: whoever listens looks now and then by itself.
            with suppress(Exception):
                await self._connection.execute("SELECT pg_notify($1, $2)", self._name, self._own)

    async def _keep_listening(self) -> None:
        while True:
            lost = asyncio.Event()
            try:
                await self._listen(lost)
            except Exception as error:
                _log.warning("db.not_listening", channel=self._name, error=type(error).__name__)
            else:
                self._heard()  # what was said before we listened
                await lost.wait()
                self._connection = None
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _listen(self, lost: asyncio.Event) -> None:
        import asyncpg

        connection = await asyncpg.connect(self._url)
        connection.add_termination_listener(lambda _: lost.set())
        await connection.add_listener(self._name, self._on_word)
        self._connection = connection

    def _on_word(self, _connection: Any, _pid: int, _channel: str, by: object) -> None:
        if by != self._own:
            self._heard()
