"""Announcements between the parts of a plugin, in this process and the others: at most once."""

import asyncio
import json
import re
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from guildhall_sdk.context import MAX_NEWS_BYTES, Announcement
from kernel.db import Database

# One who does not keep up misses the oldest.
_MAX_UNHEARD = 256
_CHANNEL = "news"
_NAME = re.compile(r"[a-z][a-z0-9._-]{0,63}")
# In ASCII and without blanks: what the database carries is counted in bytes.
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)

Key = tuple[str, str]


class NewsListener(AsyncIterator[Announcement]):
    """The announcements that one listener of a channel has not read yet."""

    def __init__(self) -> None:
        self._unheard: deque[Announcement] = deque()
        self._some = asyncio.Event()

    def put(self, announcement: Announcement) -> None:
        if len(self._unheard) >= _MAX_UNHEARD:
            self._unheard.popleft()
            self._unheard[0] = None
        if announcement is not None or not self._unheard or self._unheard[-1] is not None:
            self._unheard.append(announcement)
        self._some.set()

    async def __anext__(self) -> Announcement:
        while not self._unheard:
            self._some.clear()
            await self._some.wait()
        return self._unheard.popleft()


class Newsroom:
    """The channels of all plugins, on one channel of the database."""

    def __init__(self, data: Database) -> None:
        self._listeners: dict[Key, set[NewsListener]] = {}
        self._others = data.announcements(_CHANNEL, self._on_word)

    async def start(self) -> None:
        await self._others.start()

    async def stop(self) -> None:
        await self._others.stop()

    def channel(self, plugin: str, name: str) -> "PluginNews":
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"the plugin {plugin} names a channel {name!r}: take a letter of a-z, "
                "then up to 63 of a-z, 0-9, '.', '_' and '-'"
            )
        return PluginNews(self, (plugin, name))

    def tell(self, key: Key, payload: Mapping[str, Any]) -> None:
        text = _ENCODER.encode(payload)
        if not isinstance(payload, Mapping) or len(text) > MAX_NEWS_BYTES:
            raise ValueError(
                f"{'/'.join(key)}: news is an object of at most {MAX_NEWS_BYTES} bytes as JSON; "
                "put what is longer into the database, and its id here"
            )
        self._hear(key, json.loads(text))
        self._others.tell(" ".join((*key, text)))

    @contextmanager
    def listen(self, key: Key) -> Iterator[AsyncIterator[Announcement]]:
        listener = NewsListener()
        listeners = self._listeners.setdefault(key, set())
        listeners.add(listener)
        try:
            yield listener
        finally:
            listeners.discard(listener)
            if not listeners and self._listeners.get(key) is listeners:
                del self._listeners[key]

    def _hear(self, key: Key, announcement: Announcement) -> None:
        for listener in self._listeners.get(key, ()):
            listener.put(announcement)

    def _on_word(self, word: str | None) -> None:
        if word is None:
            for key in self._listeners:
                self._hear(key, None)
            return
        plugin, name, text = word.split(" ", 2)
        if (plugin, name) in self._listeners:
            self._hear((plugin, name), json.loads(text))


class PluginNews:
    """The SDK's `News`."""

    __slots__ = ("_key", "_newsroom")

    def __init__(self, newsroom: Newsroom, key: Key) -> None:
        self._newsroom = newsroom
        self._key = key

    def tell(self, payload: Mapping[str, Any]) -> None:
        self._newsroom.tell(self._key, payload)

    @contextmanager
    def listen(self) -> Iterator[AsyncIterator[Announcement]]:
        with self._newsroom.listen(self._key) as announcements:
            yield announcements
