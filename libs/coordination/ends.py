"""Waiting for the end of something that may end in another process."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager, suppress
from typing import Any, Protocol, TypeVar

LOOK_SECONDS = 5.0
# What others wait for is repeated with each of their looks.
_WANTED_SECONDS = 2.5 * LOOK_SECONDS
_MAX_REMEMBERED = 10_000

Found = TypeVar("Found")


class Channel(Protocol):
    """A channel to the other processes: words may be lost on it."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def notify(self, message: str) -> None: ...


class EndWatch:
    """Tells those who wait for an end, at once, in this process and in the others.

    Ends are many and waits are few, so an end is told to the other processes only where one of them has said
    that somebody waits for it. Beneath that, one look every few seconds for all who wait here: `find_ended`
    returns those of some ids that have ended, and `failed` gets what it raises. Not `shared`, there are no
    other processes.
    """

    def __init__(
        self,
        open_channel: Callable[[str, Callable[[str | None], None]], Channel],
        find_ended: Callable[[Sequence[str]], Awaitable[Collection[str]]],
        *,
        name: str,
        shared: bool,
        failed: Callable[[Exception], object],
    ) -> None:
        self._find_ended = find_ended
        self._name = name
        self._shared = shared
        self._failed = failed
        self._waits = open_channel(f"{name}_waits", self._on_wait_elsewhere)
        self._ends = open_channel(f"{name}_ends", self._on_end_elsewhere)
        self._waiting: dict[str, set[asyncio.Event]] = defaultdict(set)
        self._wanted_elsewhere: dict[str, float] = {}
        # An end may be told just before the word arrives that somebody waits for it.
        self._ended_lately: dict[str, None] = {}
        self._poll_now = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None
        self.closed = False

    async def start(self) -> None:
        await self._waits.start()
        await self._ends.start()

    def close(self) -> None:
        """Ends all waiting as the server stops."""
        self.closed = True
        self._wake(list(self._waiting))

    async def stop(self) -> None:
        self.close()
        looking, self._looking = self._looking, None
        if looking is not None:
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking
        await self._waits.stop()
        await self._ends.stop()

    @contextmanager
    def news_of(self, one: str) -> Iterator[asyncio.Event]:
        """Yields an event that is set when something happens to this one.

        Enter it before you look whether it has ended.
        """
        event = asyncio.Event()
        self._waiting[one].add(event)
        try:
            yield event
        finally:
            self._waiting[one].discard(event)
            if not self._waiting[one]:
                del self._waiting[one]

    async def wait(
        self,
        one: str,
        look: Callable[[], Awaitable[Found]],
        is_over: Callable[[Found], bool],
        seconds: float,
        meanwhile: Callable[[], AbstractAsyncContextManager[None]],
    ) -> Found:
        """Returns what `look` finds once that `is_over`, or as it is after so many seconds.

        It looks at first, and when there is news; `meanwhile` is entered where it has to wait at all.
        """
        now = asyncio.get_running_loop().time
        until, waits = now() + seconds, False
        async with AsyncExitStack() as stack:
            news = stack.enter_context(self.news_of(one))
            while True:
                news.clear()
                found = await look()
                left = until - now()
                if is_over(found) or left <= 0 or self.closed:
                    return found
                self.expect(one)
                if not waits:
                    waits = True
                    await stack.enter_async_context(meanwhile())
                with suppress(TimeoutError):
                    async with asyncio.timeout(left):
                        await news.wait()

    def expect(self, one: str) -> None:
        """Records that somebody in this process waits for the end of one that has not ended."""
        self._waits.notify(one)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._poll_until_ended(), name=f"{self._name}s: waits")

    def notify(self, ended: Iterable[str]) -> None:
        """Tells those who wait that these ended here."""
        for one in ended:
            if one in self._waiting:
                self._wake([one])
            if self._shared:
                self._ended_lately[one] = None
                if self._wanted_elsewhere.pop(one, None) is not None:
                    self._ends.notify(one)
        _forget_oldest(self._ended_lately)

    def _wake(self, ids: Iterable[str]) -> None:
        for one in ids:
            for event in self._waiting.get(one, ()):
                event.set()

    def _on_wait_elsewhere(self, one: str | None) -> None:
        if one is None:
            return
        if one in self._ended_lately:
            self._ends.notify(one)
            return
        now = asyncio.get_running_loop().time()
        self._wanted_elsewhere.pop(one, None)  # so that the oldest stand in front
        self._wanted_elsewhere[one] = now + _WANTED_SECONDS
        _forget_oldest(self._wanted_elsewhere)
        while next(iter(self._wanted_elsewhere.values())) <= now:
            del self._wanted_elsewhere[next(iter(self._wanted_elsewhere))]

    def _on_end_elsewhere(self, one: str | None) -> None:
        if one is None:
            self._poll_now.set()
        else:
            self._wake([one])

    async def _poll_until_ended(self) -> None:
        while self._waiting:
            self._poll_now.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._poll_now.wait()
            try:
                await self._poll()
            except Exception as error:
                self._failed(error)

    async def _poll(self) -> None:
        """Looks for ends that no word told of, and tells again what is still waited for."""
        awaited = list(self._waiting)
        ended = await self._find_ended(awaited)
        self._wake(ended)
        for one in awaited:
            if one not in ended:
                self._waits.notify(one)


def _forget_oldest(remembered: dict[str, Any]) -> None:
    while len(remembered) > _MAX_REMEMBERED:
        del remembered[next(iter(remembered))]
