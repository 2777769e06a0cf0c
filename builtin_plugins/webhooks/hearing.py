"""Which teams want which events, known in every process: whoever causes another pays nothing for webhooks."""

import asyncio
from collections.abc import Collection, Mapping
from contextlib import suppress

from builtin_plugins.webhooks.webhook import ON_EVENT, sql
from guildhall_sdk import Host, Writer
from guildhall_sdk.data import Reader
from guildhall_sdk.subscriptions import Events

_NAME = f"webhooks.{ON_EVENT}"
# News may be lost: then somebody looks. After longer without a look every event is taken for wanted.
_LOOK_EVERY_SECONDS = 2.0


class Hearing:
    """Has the server ask for webhooks where there are some. In doubt it asks."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._news = host.news("webhooks")
        self._teams: Mapping[str, Collection[str]] = {}
        self._woken = asyncio.Event()

    def changed(self, writer: Writer, team_id: str, events: Collection[str]) -> None:
        """Says that a team wants events, or does not any more, once the transaction commits."""
        writer.after_commit(lambda: self._take(team_id, events))

    def _take(self, team_id: str, events: Collection[str]) -> None:
        """Has this process ask at once; what is not wanted any more goes with the next look."""
        more = {event: {*self._teams.get(event, ()), team_id} for event in events}
        self._narrow({**self._teams, **more})
        self._news.announce({})

    def _narrow(self, teams: Mapping[str, Collection[str]]) -> None:
        self._teams = teams
        self._host.service(Events).narrow(_NAME, teams)

    async def look(self) -> None:
        """Reads which teams want which events."""
        async with self._host.data.read() as reader:
            self._narrow(await _subscribed(reader))

    async def follow(self) -> None:
        """Looks again and again; while that fails every event is asked for."""
        try:
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK_EVERY_SECONDS):
                        await self._woken.wait()
                self._woken.clear()
                await self.look()
        finally:
            self._host.service(Events).narrow(_NAME, None)

    async def listen(self) -> None:
        """Looks at once where another process says that something has changed."""
        with self._news.listen() as announcements:
            async for _ in announcements:
                self._woken.set()


async def _subscribed(reader: Reader) -> Mapping[str, Collection[str]]:
    found: dict[str, set[str]] = {}
    for row in await reader.all(sql.every_subscribed):
        found.setdefault(row["event"], set()).add(row["team_id"])
    return found
