"""Those who follow things in this process, woken when something happened to one of them in any process."""

import asyncio
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar
from weakref import WeakSet

# So many ids are within what one announcement may carry.
_PER_ANNOUNCEMENT = 80
#: So many follow at once with one credential, and of one company, in a server process.
MAX_OF_CREDENTIAL, MAX_OF_COMPANY = 64, 512
# What was read is as it was until something happens; but news may be lost.
_FRESH_SECONDS = 5.0
Found = TypeVar("Found")


class Channel(Protocol):
    """Announcements between the processes of a server; None stands for some that were missed."""

    def announce(self, payload: Mapping[str, Any]) -> None:
        """Announces to every listener."""

    def listen(self) -> AbstractContextManager[AsyncIterator[Mapping[str, Any] | None]]:
        """Listens until its block ends."""


@dataclass(slots=True, eq=False)
class _Followed:
    """A thing that is followed: who is woken, and what was read of it since something happened last."""

    waiting: set[asyncio.Event] = field(default_factory=set)
    reads: "dict[Hashable, tuple[float, asyncio.Task[Any]]]" = field(default_factory=dict)


class Followers:
    """One who listens for all: what happens to a thing wakes its own followers alone.

    Its owner runs `listen` in the background from the start on.
    """

    def __init__(self, channel: Channel, refuse: Callable[[str], Exception]) -> None:
        """Takes a channel, and what makes the error for one follower too many of its words."""
        self._channel = channel
        self._refuse = refuse
        self._followed: dict[str, _Followed] = {}
        # Weak: one whose stream was never begun leaves nothing behind.
        self._admitted: dict[str, WeakSet[Any]] = {}

    def admit(self, follower: object, *, credential: str, company: str) -> None:
        """Counts one more of the caller's followers for as long as the object is there.

        Raises what `refuse` makes where the credential or the company has as many as it may.
        """
        for holder, limit, who in (
            (credential, MAX_OF_CREDENTIAL, "This credential follows"),
            (company, MAX_OF_COMPANY, "People of this company follow"),
        ):
            if len(self._admitted.get(holder, ())) >= limit:
                raise self._refuse(
                    f"{who} {limit} things here at once already; close one of these streams first."
                )
        for holder in (credential, company):
            self._admitted.setdefault(holder, WeakSet()).add(follower)
        if len(self._admitted) > MAX_OF_COMPANY:
            self._admitted = {holder: those for holder, those in self._admitted.items() if those}

    def notify(self, ids: Sequence[str]) -> None:
        """Wakes the followers of things, here and in the other processes."""
        for first in range(0, len(ids), _PER_ANNOUNCEMENT):
            self._channel.announce({"ids": list(ids[first : first + _PER_ANNOUNCEMENT])})

    def wake(self, followed: str) -> None:
        """Wakes the followers of a thing in this process, without a word that something happened to it."""
        for woken in self._waiting_for(followed):
            woken.set()

    @contextmanager
    def following(
        self, followed: str, follower: object = None, woken: asyncio.Event | None = None
    ) -> Iterator[asyncio.Event]:
        """Yields an event that is set when something happened; enter it before the thing is read.

        It is `woken` where that is given, for one who follows several things. A `follower` that was admitted
        is not counted any more when the block ends.
        """
        woken = woken or asyncio.Event()
        thing = self._followed.setdefault(followed, _Followed())
        thing.waiting.add(woken)
        try:
            yield woken
        finally:
            thing.waiting.discard(woken)
            if not thing.waiting and self._followed.get(followed) is thing:
                del self._followed[followed]
            for those in self._admitted.values():
                those.discard(follower)

    async def read_once(self, followed: str, key: Hashable, read: Callable[[], Awaitable[Found]]) -> Found:
        """Returns what `read` gives for the key, read once for all who ask before something happens again."""
        thing = self._followed.get(followed)
        if thing is None:
            return await read()
        now = asyncio.get_running_loop().time()
        at, task = thing.reads.get(key, (now, None))
        if task is None or now - at > _FRESH_SECONDS:
            task = asyncio.create_task(_finish(read))
            task.add_done_callback(_retrieve)
            thing.reads[key] = now, task
        try:
            # Who leaves does not take it from the others.
            found: Found = await asyncio.shield(task)
        except Exception:
            _forget(thing, key, task)
            raise
        return found

    def forget(self, followed: str, key: Hashable) -> None:
        """Drops what was read for a key, such as a page that is long and that few want again."""
        if (thing := self._followed.get(followed)) is not None:
            thing.reads.pop(key, None)

    async def listen(self) -> None:
        """Listens until it is cancelled."""
        with self._channel.listen() as announcements:
            # What was told before this began is looked for.
            self._wake(self._followed)
            async for announcement in announcements:
                self._wake(self._followed if announcement is None else announcement["ids"])

    def _waiting_for(self, followed: str) -> Iterable[asyncio.Event]:
        thing = self._followed.get(followed)
        return () if thing is None else thing.waiting

    def _wake(self, ids: Iterable[str]) -> None:
        for followed in list(ids):
            if (thing := self._followed.get(followed)) is not None:
                # What was read, or is being read, may be from before.
                thing.reads = {}
                self.wake(followed)


async def _finish(read: Callable[[], Awaitable[Found]]) -> Found:
    return await read()


def _retrieve(task: "asyncio.Task[Any]") -> None:
    if not task.cancelled():
        task.exception()


def _forget(thing: _Followed, key: Hashable, task: "asyncio.Task[Any]") -> None:
    if (held := thing.reads.get(key)) is not None and held[1] is task:
        del thing.reads[key]
