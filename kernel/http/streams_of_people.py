"""The open streams of each person: told at once when that person may not be let in any more."""

from collections import defaultdict
from typing import Protocol

from guildhall_sdk.engines.pools import SilentChannel
from kernel.db import Database


class TellableStream(Protocol):
    def look_again(self) -> None:
        """Has the caller looked up once more before anything else is sent."""
        ...


class StreamsOfPeople:
    """The streams of this process, and a word to the others; without `data` there are no others."""

    def __init__(self, data: Database | None = None) -> None:
        self._streams: defaultdict[str, set[TellableStream]] = defaultdict(set)
        self._others = SilentChannel() if data is None else data.announcements("people", self._on_word)

    def __len__(self) -> int:
        return len(self._streams)

    async def start(self) -> None:
        await self._others.start()

    async def stop(self) -> None:
        await self._others.stop()

    def add(self, user_id: str, stream: TellableStream) -> None:
        self._streams[user_id].add(stream)

    def discard(self, user_id: str, stream: TellableStream) -> None:
        self._streams[user_id].discard(stream)
        if not self._streams[user_id]:
            del self._streams[user_id]

    def person_changed(self, user_id: str) -> None:
        """Has the streams of somebody looked at again, here and in the other processes."""
        self._on_word(user_id)
        self._others.tell(user_id)

    def _on_word(self, user_id: str | None) -> None:
        """Looks at the streams of a person; at all of them where words may have been lost."""
        for one in list(self._streams) if user_id is None else [user_id]:
            for stream in tuple(self._streams.get(one, ())):
                stream.look_again()
