"""Lists that change while somebody looks: one stream of a session says which, for their screens to fetch."""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from hashlib import blake2b

from builtin_plugins.console.pages import may_call
from guildhall_sdk import Call, Host, Principal, Reply, Route, TooManyRequests
from guildhall_sdk.plugin import Features, Plugins
from guildhall_sdk.replies import EVENT_STREAM, ServerSentEvent, event_stream
from guildhall_sdk.schema import integer, string
from libs.change_watch import Followers

#: So many lists are followed by one stream; a screen shows a few.
MAX_LISTS = 32
# Many changes within this time are told as one.
_GATHER_SECONDS = 0.25
_KEY_BYTES = 12

ROUTES = (
    Route(
        "GET",
        "/api/ui/events",
        "follow_lists",
        "Which lists have changed, as server-sent events: ready, changed, and end; lists that the caller may "
        "not call are left out.",
        query={
            "lists": string(
                max_length=4_000,
                default="",
                description=f"Paths of rows that list something, at most {MAX_LISTS}, with commas between",
            ),
            "wait_seconds": integer(0, 300, default=0, description="For how long the stream lasts"),
        },
        content_type=EVENT_STREAM,
    ),
)


class ChangedLists(Followers):
    """Implements the SDK's `LiveLists`."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.news("lists"), partial(TooManyRequests, headers={"Retry-After": "5"}))
        self._changed: set[tuple[str, str]] = set()
        self._has_changed = asyncio.Event()

    def changed(self, path: str, *whose: str) -> None:
        self._changed.update((path, one) for one in whose or ("",))
        self._has_changed.set()

    async def announce_changes(self) -> None:
        """Announces what has changed, all of a moment at once, until it is cancelled."""
        while True:
            await self._has_changed.wait()
            await asyncio.sleep(_GATHER_SECONDS)
            self._has_changed.clear()
            changed, self._changed = self._changed, set()
            self.notify([_key(*one) for one in changed])


def _key(path: str, whose: str) -> str:
    """Returns a name for what somebody sees of a list, short enough for an announcement of many."""
    return blake2b(f"{path}\n{whose}".encode(), digest_size=_KEY_BYTES).hexdigest()


class ListStream:
    """One follower of some lists, as far as they see them."""

    def __init__(self, host: Host, principal: Principal, lists: Sequence[str], seconds: int) -> None:
        self._followers = host.service(ChangedLists)
        self._lists = lists
        self._sees = ("", principal.org_id, principal.team_id, principal.user_id)
        self._seconds = seconds

    async def events(self) -> AsyncIterator[ServerSentEvent]:
        """Yields `ready`, `changed` as often as something changes, and `end` when the time is over."""
        clock = asyncio.get_running_loop().time
        with ExitStack() as stack:
            woken = {path: self._follow(stack, path) for path in self._lists}
            end = clock() + self._seconds
            yield ServerSentEvent(event="ready", data={"lists": [*woken]})
            while (left := end - clock()) > 0:
                await _first_of(woken.values(), left)
                if changed := list(_take(woken)):
                    yield ServerSentEvent(event="changed", data={"lists": changed})
        yield ServerSentEvent(event="end", data={})

    def _follow(self, stack: ExitStack, path: str) -> asyncio.Event:
        woken = asyncio.Event()
        for whose in self._sees:
            stack.enter_context(self._followers.following(_key(path, whose), self, woken))
        return woken


def _take(woken: dict[str, asyncio.Event]) -> Iterator[str]:
    for path, event in woken.items():
        if event.is_set():
            event.clear()
            yield path


async def _first_of(events: Collection[asyncio.Event], seconds: float) -> None:
    """Waits until one of the events is set, or for so long."""
    waiting = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        if waiting:
            await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        else:
            await asyncio.sleep(seconds)
    finally:
        for one in waiting:
            one.cancel()


async def follow_lists(call: Call) -> Reply:
    """Follows those lists that the caller may call; one that they may not is none for them."""
    who, wanted = call.principal, set(call.query["lists"].split(","))
    switches = call.service(Features).of(who)
    lists = [
        row.path
        for plugin_id, row in call.service(Plugins).route_table()
        if row.method == "GET" and row.path in wanted and may_call(who, row, switches, plugin_id)
    ]
    stream = ListStream(call.host, who, lists[:MAX_LISTS], call.query["wait_seconds"])
    call.service(ChangedLists).admit(stream, credential=who.credential.id, company=who.org_id)
    return event_stream(stream.events())


HANDLERS = {"follow_lists": follow_lists}
