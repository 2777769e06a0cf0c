"""A person's inbox: what its rows look like in their language, and the stream of what is new."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from builtin_plugins.notifications.service import MAX_OF_PERSON, PREFIX, InboxFollowers, kinds_by_name, sql
from guildhall_sdk import Host, Principal, Reader, Row, rfc3339, rfc3339_or_none
from guildhall_sdk.ids import first_id
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.replies import ServerSentEvent
from guildhall_sdk.services.localization import Localization
from libs.icu_messages import format_message

#: Two who are told at one moment may commit in the other order: so long it is looked back for the later one.
LOOK_BACK_MS = 10_000
_PAGE = 100


def whose(caller: Principal) -> Mapping[str, Any]:
    """Returns the binds of what a caller sees."""
    return {
        "user_id": caller.user_id,
        "org_id": caller.org_id,
        "team_id": caller.team_id,
        "every_team": int(caller.credential.is_session),
    }


async def public(host: Host, locale: str, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Returns rows as the API shows them, in the reader's language. Not inside a scope."""
    kinds = kinds_by_name(host.service(Plugins))
    messages = await host.service(Localization).messages(locale) if rows else {}
    return [_public(row, kinds, messages, locale) for row in rows]


def _public(row: Row, kinds: Mapping[str, Any], messages: Mapping[str, str], locale: str) -> dict[str, Any]:
    kind, params = kinds.get(row["kind"]), json.loads(row["params"])
    message = None if kind is None else messages.get(kind.text)
    return {
        "id": row["id"],
        "kind": row["kind"],
        "text": row["kind"] if message is None else format_message(message, params, locale),
        "params": params,
        "link": row["link"],
        "team": None if row["team_id"] is None else {"id": row["team_id"], "name": row["team_name"]},
        "created_at": rfc3339(row["created_at"]),
        "read_at": rfc3339_or_none(row["read_at"]),
    }


async def count_unread(reader: Reader, caller: Principal) -> int:
    return int(await reader.value(sql.unread, **whose(caller)))


class InboxStream:
    """One follower of their own inbox; `after` is the last that they have seen, None for whoever begins."""

    def __init__(self, host: Host, caller: Principal, after: str | None) -> None:
        self._host = host
        self._caller = caller
        self._after = after
        self._sent: set[str] = set()
        self._unread: int | None = None

    async def events(self) -> AsyncIterator[ServerSentEvent]:
        """Yields how many are unread as often as that changes, and each notification that is new."""
        with self._host.service(InboxFollowers).following(self._caller.user_id, self) as woken:
            await self._begin()
            while True:
                woken.clear()
                async for event in self._news():
                    yield event
                await woken.wait()

    async def _begin(self) -> None:
        """Takes for seen what was there before the stream, as far back as it will look."""
        since = self._looked_back()
        rows = await self._read(since, MAX_OF_PERSON)
        if self._after is None:
            self._after = rows[-1]["id"] if rows else since
        self._sent = {row["id"] for row in rows if row["id"] <= self._after}

    def _looked_back(self) -> str:
        return first_id(PREFIX, self._host.clock.now_ms() - LOOK_BACK_MS)

    async def _read(self, after: str, limit: int) -> Sequence[Row]:
        async with self._host.data.read() as reader:
            return await reader.all(sql.after, **whose(self._caller), after=after, limit=limit)

    async def _news(self) -> AsyncIterator[ServerSentEvent]:
        assert self._after is not None
        since = self._looked_back()
        after = min(self._after, since)
        while rows := await self._read(after, _PAGE):
            fresh = [row for row in rows if row["id"] not in self._sent]
            for item in await public(self._host, self._caller.locale, fresh):
                self._sent.add(item["id"])
                self._after = max(self._after, item["id"])
                yield ServerSentEvent(id=item["id"], event="notification", data=item)
            after = rows[-1]["id"]
        self._sent = {one for one in self._sent if one > min(self._after, since)}
        async with self._host.data.read() as reader:
            unread = await count_unread(reader, self._caller)
        if unread != self._unread:
            self._unread = unread
            yield ServerSentEvent(event="unread", data={"unread": unread})
