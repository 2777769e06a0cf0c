"""What happens to notes just now: who writes in one, and that some have changed."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from builtin_plugins.notes import service
from builtin_plugins.notes.note import (
    WRITE,
    NoteFollowers,
    followed_person,
    followed_team,
    sql,
)
from guildhall_sdk import Host, Principal, Reader, Writer
from guildhall_sdk.replies import ServerSentEvent

#: Who is not heard of again for so long writes no more; the console says so every ten seconds.
EDITING_MS = 25_000
_MAX_EDITORS = 20
# Many changes within this time are told as one, and who made one has the answer to it before.
_CALM_SECONDS = 0.5


async def editors(
    reader: Reader, caller: Principal, note_id: str, now_ms: int, *, across_company: bool = False
) -> list[dict[str, Any]]:
    """Returns the others who write in a note just now, for a caller who may read it."""
    await service.find_readable(reader, caller, note_id, across_company=across_company)
    return await _others(reader, caller, note_id, now_ms)


async def beat(writer: Writer, caller: Principal, note_id: str, now_ms: int) -> list[dict[str, Any]]:
    """Says that the caller, who may change the note, writes in it; returns the others who do."""
    note = await service.find_readable(writer, caller, note_id)
    note.require(WRITE, note.rights_of(caller))
    await writer.run(
        sql.put_editor,
        id=note_id,
        user_id=caller.user_id,
        org_id=caller.org_id,
        until=now_ms + EDITING_MS,
    )
    return await _others(writer, caller, note_id, now_ms)


async def stop(writer: Writer, caller: Principal, note_id: str, now_ms: int) -> None:
    """Says that the caller writes no more."""
    note = await service.find_readable(writer, caller, note_id)
    note.require(WRITE, note.rights_of(caller))
    await writer.run(sql.drop_editors, id=note_id, user_id=caller.user_id, org_id=caller.org_id, now=now_ms)


async def _others(reader: Reader, caller: Principal, note_id: str, now_ms: int) -> list[dict[str, Any]]:
    rows = await reader.all(
        sql.editors,
        id=note_id,
        org_id=caller.org_id,
        user_id=caller.user_id,
        now=now_ms,
        limit=_MAX_EDITORS,
    )
    return [{"user_id": row["user_id"], "name": row["name"]} for row in rows]


class NoteStream:
    """Tells one follower that notes have changed which they see in their team; which ones, lists say."""

    def __init__(self, host: Host, principal: Principal, seconds: int) -> None:
        self._followers = host.service(NoteFollowers)
        self._team = followed_team(principal.team_id)
        self._person = followed_person(principal.user_id)
        self._seconds = seconds

    async def events(self) -> AsyncIterator[ServerSentEvent]:
        """Yields `ready`, `changed` as often as something changes, and `end` when the time is over."""
        clock = asyncio.get_running_loop().time
        with (
            self._followers.following(self._team, self) as of_team,
            self._followers.following(self._person, self) as own,
        ):
            end = clock() + self._seconds
            yield ServerSentEvent(event="ready", data={})
            while (left := end - clock()) > 0:
                if await _set_within(left, of_team, own):
                    await asyncio.sleep(_CALM_SECONDS)
                    of_team.clear()
                    own.clear()
                    yield ServerSentEvent(event="changed", data={})
        yield ServerSentEvent(event="end", data={})


async def _set_within(seconds: float, *events: asyncio.Event) -> bool:
    """Waits for the first of several events; returns whether it came in time."""
    waiting = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        done, _ = await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        return bool(done)
    finally:
        for one in waiting:
            one.cancel()
