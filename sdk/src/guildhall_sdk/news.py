"""Small announcements between the parts of a plugin in all server processes: `host.news(channel)`."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

MAX_NEWS_BYTES = 3_500

#: What was told; None says that some may have been missed, so look for yourself.
Announcement = Mapping[str, Any] | None


class News(Protocol):
    """One channel of one plugin. An announcement arrives at most once: a lost or busy connection loses some.

    What must not be lost is written to the database; news says when to look there.
    """

    def tell(self, payload: Mapping[str, Any]) -> None:
        """Announces the payload to every listener, in this process and the others, without waiting.

        Inside a transaction use `writer.after_commit(lambda: news.tell(…))`, so that nobody hears of what is
        rolled back. The payload is an object of at most `MAX_NEWS_BYTES` as JSON, else a `ValueError`.
        """
        ...

    def listen(self) -> AbstractContextManager[AsyncIterator[Announcement]]:
        """Listens until its block ends: `with news.listen() as announcements:`.

        Inside, `async for announcement in announcements:`. A slow listener misses the oldest, and reads None
        in their place.
        """
        ...
