"""Deletes the oldest events of the chains, and signs where each begins from then on.

Only what a signed checkpoint has vouched for goes, and each event is verified once more as it goes: a chain
that does not hold stays as it is, for whoever looks into it.
"""

import json
from collections.abc import Sequence

from builtin_plugins.audit.chain import NOBODY, event_holds, redaction_of, sql
from builtin_plugins.audit.checkpoints import Checkpoint, checkpoint_of, read_floor
from builtin_plugins.audit.partitions import EVENTS, DroppedMonths, log_not_deleted
from guildhall_sdk import Clock, Reader, Row, Writer
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.ids import first_id

#: Nothing younger goes, whoever asks for it.
MIN_DAYS = 30
_DAY_MS = 24 * 3600 * 1000
_CHAINS = 50
_EVENTS = 200


class TrailRetention:
    """Implements the SDK's `AuditRetention`."""

    def __init__(self, key: bytes, clock: Clock, engine: DatabaseEngine) -> None:
        partitions = engine.partitions(EVENTS)
        self._months = None if partitions is None else DroppedMonths(partitions, clock)
        self._key = key
        self._clock = clock
        # Where the portion before ended; whatever was passed by is looked at again from the first chain on.
        self._after = ""

    async def count(self, reader: Reader, before: int) -> int:
        return int(await reader.value(sql.count_older, before=first_id("evt", self._bounded(before))))

    async def delete_before(self, writer: Writer, before: int, limit: int) -> int:
        before, gone = self._bounded(before), 0
        await writer.serialize("floors of the audit trail")
        if self._months is not None and (dropped := await self._months.drop(writer, self._key, before)):
            return dropped
        while True:
            due = await writer.all(sql.due_chains, after=self._after, before=before, limit=_CHAINS)
            for row in due:
                gone += await self._delete_first(writer, str(row["chain"]), before, limit - gone)
                if gone >= limit:
                    return gone
                self._after = str(row["chain"])
            if len(due) < _CHAINS:
                self._after = ""
                break
        if self._months is not None and not gone:
            await self._months.drop_empty(writer, before)
        return gone

    def _bounded(self, before: int) -> int:
        return min(before, self._clock.now_ms() - MIN_DAYS * _DAY_MS)

    async def _delete_first(self, writer: Writer, chain: str, before: int, limit: int) -> int:
        """Deletes the first events of a chain up to one that is too young, or not vouched for."""
        gone, floor = 0, await read_floor(writer, self._key, chain)
        reached = Checkpoint(chain, 0, "", 0) if floor is None else floor
        while gone < limit:
            row = await writer.one(sql.next_verified, chain=chain, after=reached.seq)
            verified = None if row is None else checkpoint_of(row, self._key)
            if verified is None:
                break
            events = await writer.all(
                sql.first_events, chain=chain, until=verified.seq, before=before, limit=limit - gone
            )
            if not events or not self._follow(reached, events):
                break
            reached = Checkpoint(chain, int(events[-1]["seq"]), str(events[-1]["mac"]), 0)
            await self._set_floor(writer, reached)
            gone += len(events)
        return gone

    def _follow(self, last: Checkpoint, events: Sequence[Row]) -> bool:
        """Tells whether these events follow that one and are what was written.

        Who changes the time of an event would else have it deleted for them, and signed for.
        """
        mac = last.mac
        for seq, event in enumerate(events, last.seq + 1):
            if event["seq"] != seq or not event_holds(self._key, mac, event):
                log_not_deleted(last.chain, seq)
                return False
            mac = str(event["mac"])
        return True

    async def redact(
        self, writer: Writer, chain: str, after: int, *, person: str | None, names: Sequence[str]
    ) -> tuple[int, int] | None:
        events = await writer.all(sql.events_after, chain=chain, after=after, limit=_EVENTS)
        if not events:
            return None
        words, count = [json.dumps(name) for name in names if name], 0
        for event in events:
            named = event["actor_name"] in names or any(word in event["detail"] for word in words)
            if person is None or named or person in (event["actor_id"], event["target_id"]):
                detail = redaction_of(self._key, event)
                await writer.run(sql.redact_event, id=event["id"], actor_name=NOBODY, detail=detail)
                count += 1
        return int(events[-1]["seq"]), count

    async def _set_floor(self, writer: Writer, last: Checkpoint) -> None:
        floor = Checkpoint(last.chain, last.seq, last.mac, self._clock.now_ms(), "floor")
        await writer.run(sql.set_floor, **floor.row(self._key))
        await writer.run(sql.forget_checkpoints, chain=floor.chain, before=floor.seq)
        await writer.run(sql.delete_events, chain=floor.chain, until=floor.seq)
