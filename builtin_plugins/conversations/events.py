"""Events of conversations: stored in their order, and streamed to all who have one open."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from builtin_plugins.conversations import conversation as conversations
from builtin_plugins.conversations.message import Message, encoded, sql
from builtin_plugins.conversations.showing import show_messages
from guildhall_sdk import Host, Principal, Reader, TooManyRequests, Unavailable, Writer
from guildhall_sdk.replies import ServerSentEvent
from guildhall_sdk.services.pages import LiveLists
from libs.change_watch import Followers
from libs.coordination import PendingWrites

MESSAGE, DELTA, TOOL, DONE, STATUS = "message", "delta", "tool", "done", "status"
#: Of one conversation; whoever comes back after more reads the conversation anew.
KEPT = 2_000
_PAGE = 200
# News may be lost, and a grant can lapse: so often a stream looks by itself.
_LOOK_SECONDS = 15.0


class ConversationFollowers(Followers):
    """Woken when something happened in their conversation, in any process."""

    def __init__(self, host: Host) -> None:
        super().__init__(
            host.news("conversation-events"), partial(TooManyRequests, headers={"Retry-After": "5"})
        )


class NewEvent(NamedTuple):
    """An event of a message; a `message` or a `done` is sent with the message as it is by then."""

    event: str
    message_id: str
    data: Mapping[str, Any] = {}


async def add(
    writer: Writer, host: Host, where: tuple[str, str], events: Sequence[NewEvent], now_ms: int
) -> None:
    """Adds events to the conversation of `where`, which is (company, id); none where it was deleted."""
    org_id, conversation_id = where
    row = await writer.one(sql.next_numbers, id=conversation_id, org_id=org_id, many=len(events))
    if row is None:
        return
    for number, event in enumerate(events, int(row["event_number"]) - len(events) + 1):
        await writer.run(
            sql.add_event,
            conversation_id=conversation_id,
            number=number,
            org_id=org_id,
            message_id=event.message_id,
            event=event.event,
            now=now_ms,
            data=encoded(event.data),
        )
    notify(writer, host, conversation_id)


def notify(writer: Writer, host: Host, conversation_id: str) -> None:
    """Wakes those who follow the conversation once the transaction has committed."""
    followers = host.service(ConversationFollowers)
    writer.after_commit(lambda: followers.notify([conversation_id]))


async def forget_pieces(writer: Writer, where: tuple[str, str], number: int) -> None:
    """Drops what ended messages said piece by piece, and events so far behind the one of this number."""
    org_id, conversation_id = where
    await writer.run(sql.drop_said, conversation_id=conversation_id, org_id=org_id, old=number - KEPT)


def list_changed(writer: Writer, host: Host, *people: str) -> None:
    """Has the lists of these people be read anew on the screens where they stand."""
    lists = host.find_service(LiveLists)
    if lists is not None:
        writer.after_commit(partial(lists.changed, "/api/conversations", *people))


class ConversationStream:
    """One follower of one conversation."""

    def __init__(self, host: Host, caller: Principal, conversation_id: str, after: int) -> None:
        self._host = host
        self._caller = caller
        self._id = conversation_id
        self._after = after

    async def events(self) -> AsyncIterator[ServerSentEvent]:
        """Yields everything behind the number that the follower has seen, as long as they may read it."""
        followers = self._host.service(ConversationFollowers)
        with followers.following(self._id, self) as woken:
            while True:
                woken.clear()
                many = _PAGE
                while many == _PAGE:
                    found = await self._read()
                    many = len(found)
                    for event in found:
                        yield event
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK_SECONDS):
                        await woken.wait()

    async def _read(self) -> Sequence[ServerSentEvent]:
        """Returns what is new, for a caller who may still read the conversation; raises `NotFound`."""
        now_ms = self._host.clock.now_ms()
        async with self._host.data.read() as reader:
            await conversations.find(reader, self._caller, self._id, now_ms)
            rows = await reader.all(
                sql.events_after,
                conversation_id=self._id,
                org_id=self._caller.org_id,
                after=self._after,
                limit=_PAGE,
            )
            shown = await self._shown(
                reader, {r["message_id"] for r in rows if r["event"] in (MESSAGE, DONE)}
            )
        events: list[ServerSentEvent] = []
        for row in rows:
            self._after = row["number"]
            data: Any = {"message_id": row["message_id"], **json.loads(row["data"])}
            if row["event"] in (MESSAGE, DONE):
                if row["message_id"] not in shown:
                    continue
                data = shown[row["message_id"]]
            elif row["event"] == TOOL and data.pop("for", None) != self._caller.user_id:
                data["tool"] = {**data["tool"], "arguments": None, "result": None}
                data["tool"].pop("artifact", None)
            events.append(ServerSentEvent(id=str(row["number"]), event=row["event"], data=data))
        return events

    async def _shown(self, reader: Reader, ids: set[str]) -> Mapping[str, dict[str, Any]]:
        if not ids:
            return {}
        return {
            one["id"]: one
            for one in await show_messages(reader, self._host, self._caller, self._id, sorted(ids))
        }


class StaleTurn(Exception):
    """Another attempt has the message now, or it has ended."""


class TurnEvents(PendingWrites[NewEvent]):
    """Events of one attempt at an answer, written now and then beside the turn that says them.

    Whoever adds to them hears of a `StaleTurn` where the message is another attempt's by now.
    """

    def __init__(self, host: Host, message: Message) -> None:
        super().__init__(self._add, Unavailable)
        self._host = host
        self._message = message

    async def say(self, text: str) -> None:
        """Takes a piece of the answer; pieces that follow one another become one."""
        last = self.last
        is_more = last is not None and last.event == DELTA
        said = last.data["text"] + text if last is not None and is_more else text
        await self.add(NewEvent(DELTA, self._message.id, {"text": said}), len(text), in_place=is_more)

    async def tell(self, event: str, data: Mapping[str, Any]) -> None:
        """Writes an event at once, behind what was said before it."""
        await self.put(NewEvent(event, self._message.id, data))

    async def _add(self, events: Sequence[NewEvent]) -> None:
        where = (self._message.org_id, self._message.conversation_id)
        async with self._host.data.write(within=self._message.org_id) as writer:
            await hold_turn(writer, self._message)
            await add(writer, self._host, where, events, self._host.clock.now_ms())


async def hold_turn(writer: Writer, message: Message) -> None:
    """Locks the message for the attempt that it stands for; raises `StaleTurn` where it has it no more."""
    held = await writer.one(
        sql.is_held,
        id=message.id,
        org_id=message.org_id,
        job_id=message.job_id,
        attempt=message.attempt,
    )
    if held is None:
        raise StaleTurn
