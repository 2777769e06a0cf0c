"""Small announcements between the parts of a plugin in all server processes: `host.news(channel)`."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

MAX_NEWS_BYTES = 3_500

#: What was told; None says that some may have been missed, so look for yourself.
Announcement = Mapping[str, Any] | None


class News(Protocol):
    """One channel of one plugin. Each is heard at most once: a lost connection, or a busy one, loses some.

    What must not be lost is written to the database; news says when to look there.
    """

    def tell(self, payload: Mapping[str, Any]) -> None:
        """Lets all who listen know, in this process and the others, soon and without waiting.

        Inside a transaction use `writer.after_commit(lambda: news.tell(…))`, so that nobody hears of what is
        rolled back. The payload is an object of at most `MAX_NEWS_BYTES` as JSON, else a `ValueError`.
        """
        ...

    def listen(self) -> AbstractContextManager[AsyncIterator[Announcement]]:
        """`with news.listen() as announcements:`, and inside `async for announcement in announcements:`.

        It listens until the block ends. Who is slow misses the oldest, and hears None in their place.
        """
        ...
