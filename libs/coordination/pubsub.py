"""Messages to whoever listens, in this process and in the others: at most once."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from libs.coordination.ends import Channel

# One who does not keep up misses the oldest.
_MAX_UNREAD = 256

#: Two words without a blank.
Topic = tuple[str, str]
#: None stands for messages that may have been missed.
Message = Mapping[str, Any] | None


class Subscription(AsyncIterator[Message]):
    """The messages that one listener has not read yet."""

    def __init__(self) -> None:
        self._unread: deque[Message] = deque()
        self._some = asyncio.Event()

    def put(self, message: Message) -> None:
        if len(self._unread) >= _MAX_UNREAD:
            self._unread.popleft()
            self._unread[0] = None
        if message is not None or not self._unread or self._unread[-1] is not None:
            self._unread.append(message)
        self._some.set()

    async def __anext__(self) -> Message:
        while not self._unread:
            self._some.clear()
            await self._some.wait()
        return self._unread.popleft()


class PubSub:
    """All topics of a process, on one channel to the others."""

    def __init__(
        self, open_channel: Callable[[str, Callable[[str | None], None]], Channel], name: str
    ) -> None:
        self._listeners: dict[Topic, set[Subscription]] = {}
        self._others = open_channel(name, self._on_message)

    async def start(self) -> None:
        await self._others.start()

    async def stop(self) -> None:
        await self._others.stop()

    def publish(self, topic: Topic, text: str) -> None:
        """Sends a JSON object to all who listen."""
        self._receive(topic, json.loads(text))
        self._others.notify(" ".join((*topic, text)))

    @contextmanager
    def subscribe(self, topic: Topic) -> Iterator[Subscription]:
        """Listens to a topic until the block ends."""
        subscription = Subscription()
        listeners = self._listeners.setdefault(topic, set())
        listeners.add(subscription)
        try:
            yield subscription
        finally:
            listeners.discard(subscription)
            if not listeners and self._listeners.get(topic) is listeners:
                del self._listeners[topic]

    def _receive(self, topic: Topic, message: Message) -> None:
        for listener in self._listeners.get(topic, ()):
            listener.put(message)

    def _on_message(self, word: str | None) -> None:
        if word is None:
            for topic in self._listeners:
                self._receive(topic, None)
            return
        first, second, text = word.split(" ", 2)
        if (first, second) in self._listeners:
            self._receive((first, second), json.loads(text))
