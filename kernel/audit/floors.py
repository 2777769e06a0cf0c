"""Throws away the oldest events of the chains, and signs where each begins from then on.

Only what a signed checkpoint has vouched for goes: a chain that does not hold stays as it is, for whoever
looks into it.
"""

from guildhall_sdk import Clock, Reader, Writer
from kernel.audit.checkpoints import Checkpoint, checkpoint_of, read_floor
from kernel.audit.partitions import DroppedMonths
from kernel.audit.trail import Trail, sql
from kernel.db import Dialect
from kernel.db.partitions import first_id
from kernel.logs import get_logger

_log = get_logger("audit")
#: Nothing younger goes, whoever asks for it.
MIN_DAYS = 30
_DAY_MS = 24 * 3600 * 1000
_CHAINS = 50


class Floors:
    """Implements the SDK's `AuditRetention`."""

    def __init__(self, trail: Trail, clock: Clock, dialect: Dialect) -> None:
        self._months = DroppedMonths(clock) if dialect == "postgresql" else None
        self._trail = trail
        self._clock = clock
        # Where the portion before ended; whatever was passed by is looked at again from the first chain on.
        self._after = ""

    async def count(self, reader: Reader, before: int) -> int:
        return int(await reader.value(sql.count_older, before=first_id("evt", self._bounded(before))))

    async def throw_away(self, writer: Writer, before: int, limit: int) -> int:
        before, gone = self._bounded(before), 0
        await writer.serialize("floors of the audit trail")
        if self._months is not None and (dropped := await self._months.drop(writer, self._trail.key, before)):
            return dropped
        while True:
            due = await writer.all(sql.due_chains, after=self._after, before=before, limit=_CHAINS)
            for row in due:
                gone += await self._throw_away(writer, str(row["chain"]), before, limit - gone)
                if gone >= limit:
                    return gone
                self._after = str(row["chain"])
            if len(due) < _CHAINS:
                self._after = ""
                return gone

    def _bounded(self, before: int) -> int:
        return min(before, self._clock.now_ms() - MIN_DAYS * _DAY_MS)

    async def _throw_away(self, writer: Writer, chain: str, before: int, limit: int) -> int:
        """Throws away the first events of a chain up to one that is too young, or not vouched for."""
        gone, floor = 0, await read_floor(writer, self._trail.key, chain)
        start = 0 if floor is None else floor.seq
        while gone < limit:
            row = await writer.one(sql.next_verified, chain=chain, after=start + gone)
            verified = None if row is None else checkpoint_of(row, self._trail.key)
            if verified is None:
                break
            events = await writer.all(
                sql.first_events, chain=chain, until=verified.seq, before=before, limit=limit - gone
            )
            if not events:
                break
            if not self._follow(chain, start + gone, [int(event["seq"]) for event in events]):
                break
            last = events[-1]
            await self._set_floor(writer, Checkpoint(chain, int(last["seq"]), str(last["mac"]), 0))
            gone += len(events)
        return gone

    def _follow(self, chain: str, after: int, numbers: list[int]) -> bool:
        """Tells whether these numbers follow the floor without a gap, as those of a whole chain do."""
        if numbers == list(range(after + 1, after + 1 + len(numbers))):
            return True
        _log.error("audit.not_thrown_away", chain=chain, event=after + 1, hint="guildhall audit verify")
        return False

    async def _set_floor(self, writer: Writer, last: Checkpoint) -> None:
        floor = Checkpoint(last.chain, last.seq, last.mac, self._clock.now_ms(), "floor")
        await writer.run(sql.set_floor, **floor.row(self._trail.key))
        await writer.run(sql.forget_checkpoints, chain=floor.chain, before=floor.seq)
        await writer.run(sql.delete_events, chain=floor.chain, until=floor.seq)
