"""Hints between the processes of one PostgreSQL: words on named channels, that may get lost."""

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any
from uuid import uuid4

from builtin_plugins.postgresql.connect import connect
from builtin_plugins.postgresql.stuck_transactions import LOOK_SECONDS, StuckTransactions
from guildhall_sdk.engines.pools import LocalChannel, OnMessage

_log = logging.getLogger("guildhall.db")
_TOGETHER_SECONDS = 0.02
_AGAIN_SECONDS = 1.0
_PATIENCE_SECONDS = 10.0
_NOTIFY_CHANNEL = "guildhall"
# PostgreSQL takes less than 8,000 bytes in one notification.
_NOTIFY_BYTES = 7_500
# Of each channel: one that is flooded takes no words from the others.
_MAX_UNSENT = 10_000
_HOLD = "SELECT pg_advisory_lock_shared(hashtextextended($1, 0))"
_LET_GO = "SELECT pg_advisory_unlock_shared(hashtextextended($1, 0))"

Word = tuple[str, str]


class Channel(LocalChannel):
    """A channel of the line that all channels of this process share."""

    def __init__(self, line: "Line", name: str, on_message: OnMessage) -> None:
        self._line = line
        self.name = name
        self.on_message = on_message

    @property
    def listening(self) -> bool:
        return self._line.listening

    def notify(self, message: str = "") -> None:
        self._line.notify((self.name, message))

    async def start(self) -> None:
        await self._line.join(self)

    async def stop(self) -> None:
        await self._line.leave(self)


class Line:
    """One connection that listens and tells, for all channels. Outside any transaction: inside, a word would
    hold up every commit behind those before it."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._own = uuid4().hex
        self._channels: list[Channel] = []
        self._connection: Any = None
        self._keeping: asyncio.Task[None] | None = None
        self._notifying: asyncio.Task[None] | None = None
        self._unsent: dict[Word, None] = {}
        self._unsent_of: Counter[str] = Counter()
        self._held: set[str] = set()
        self._turn = asyncio.Lock()

    @property
    def listening(self) -> bool:
        return self._connection is not None

    async def join(self, channel: Channel) -> None:
        self._channels.append(channel)
        if self._keeping is None:
            self._keeping = asyncio.create_task(self._listen_for_ever(), name="listening to other processes")
        elif self.listening:
            channel.on_message(None)

    async def leave(self, channel: Channel) -> None:
        """Removes a channel; what it was told last still goes out, as far as the connection lets it."""
        if channel in self._channels:
            self._channels.remove(channel)
        if not self._channels:
            await self._hang_up()

    def notify(self, word: Word) -> None:
        if word not in self._unsent:
            if self._unsent_of[word[0]] >= _MAX_UNSENT:
                return  # nobody listens for long: what is behind the words is found by looking
            self._unsent_of[word[0]] += 1
            self._unsent[word] = None
        if self.listening and (self._notifying is None or self._notifying.done()):
            self._notifying = asyncio.create_task(self._notify_soon())

    async def hold(self, key: str) -> None:
        """Takes a lock that the connection holds for as long as it lives, and the next one after it.

        Shared, so that the next one need not wait until the database has noticed the end of the one before.
        """
        async with self._turn:
            self._held.add(key)
            # A connection that is lost just now is followed by one that takes the lock.
            with suppress(Exception):
                await self._execute(_HOLD, key)

    async def let_go(self, key: str) -> None:
        async with self._turn:
            self._held.discard(key)
            with suppress(Exception):
                await self._execute(_LET_GO, key)

    async def _execute(self, statement: str, *values: str) -> None:
        """Runs a statement in its turn."""
        await self._answer(
            lambda connection: connection.execute(statement, *values, timeout=_PATIENCE_SECONDS)
        )

    async def _answer(self, ask: Callable[[Any], Awaitable[object]]) -> None:
        """Asks the connection, if there is one; one that gives no answer is given up for another."""
        if (connection := self._connection) is None:
            return
        try:
            await ask(connection)
        except TimeoutError:
            connection.terminate()
            raise

    async def _hang_up(self) -> None:
        if self._notifying is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_AGAIN_SECONDS):
                    await self._notifying
        keeping, self._keeping = self._keeping, None
        if keeping is not None:
            keeping.cancel()
            with suppress(asyncio.CancelledError):
                await keeping
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None

    async def _notify_soon(self) -> None:
        while self._unsent:
            await asyncio.sleep(_TOGETHER_SECONDS)
            words, self._unsent = list(self._unsent), {}
            self._unsent_of.clear()
            # Lost with its connection: whoever listens looks now and then by itself.
            with suppress(Exception):
                for text in _notifications(self._own, words):
                    async with self._turn:
                        await self._execute("SELECT pg_notify($1, $2)", _NOTIFY_CHANNEL, text)

    async def _listen_for_ever(self) -> None:
        logged = False
        while True:
            lost = asyncio.Event()
            try:
                await self._listen(lost)
            except Exception as error:
                if not logged:
                    fields = {"error": type(error).__name__}
                    _log.warning("db.not_listening", extra={"fields": fields})
                logged = True
            else:
                logged = False
                for channel in list(self._channels):
                    channel.on_message(None)
                if self._unsent:
                    self.notify(next(iter(self._unsent)))
                await self._end_stuck_until(lost)
                self._connection = None
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _end_stuck_until(self, lost: asyncio.Event) -> None:
        """Looks now and then for others' transactions that stand still, until the connection is lost."""
        stuck = StuckTransactions()
        while not lost.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await lost.wait()
            with suppress(Exception):
                async with self._turn:
                    await self._answer(lambda connection: stuck.end_stuck(connection, _PATIENCE_SECONDS))

    async def _listen(self, lost: asyncio.Event) -> None:
        connection = await connect(self._url)
        connection.add_termination_listener(lambda _: lost.set())
        try:
            await connection.add_listener(_NOTIFY_CHANNEL, self._on_notification)
            async with self._turn:
                for key in self._held:
                    await connection.execute(_HOLD, key, timeout=_PATIENCE_SECONDS)
                self._connection = connection
        except BaseException:
            connection.terminate()
            raise

    def _on_notification(self, _connection: Any, _pid: int, _name: str, text: object) -> None:
        by, words = json.loads(str(text))
        if by == self._own:
            return
        for name, word in words:
            for channel in list(self._channels):
                if channel.name == name:
                    channel.on_message(word)


def _notifications(by: str, words: Sequence[Word]) -> Iterator[str]:
    """Yields as few texts as hold all the words; a word that alone is too long is an error of its sender."""
    together: list[Word] = []
    size = 0
    for name, word in words:
        added = len(json.dumps([name, word])) + 2
        if together and size + added > _NOTIFY_BYTES:
            yield json.dumps([by, together])
            together, size = [], 0
        together.append((name, word))
        size += added
    if together:
        yield json.dumps([by, together])
