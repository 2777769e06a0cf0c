"""The partitions of the trail on PostgreSQL: made ahead of their month, dropped once all in them is old."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from builtin_plugins.audit.chain import event_holds, log_error, log_info
from builtin_plugins.audit.checkpoints import Checkpoint, checkpoint_of
from guildhall_sdk import Clock, Row, Statement, Writer
from guildhall_sdk.data import Data
from guildhall_sdk.engines.engine import Partition, PartitionedTable, Partitions
from guildhall_sdk.ids import first_id

EVENTS = PartitionedTable("audit_events", "evt", ("chain", "seq"), {"org_id": -0.001, "team_id": 3})
FIRST_SECONDS = 30.0
EVERY_SECONDS = 3600.0
# What could not be dropped goes row by row for so long.
_AGAIN_MS = 600_000
_PAGE = 200
_EVENTS = """
SELECT * FROM {partition} WHERE (chain, seq) > (CAST(:chain AS TEXT), CAST(:seq AS BIGINT))
ORDER BY chain, seq LIMIT :limit
"""
# The last event of each chain in a partition, what vouches for it, and where the chain begins.
_LAST_EVENTS = """
SELECT last.chain, last.first, last.seq, last.many, event.mac,
    to_jsonb(floor) AS floor, to_jsonb(verified) AS verified
FROM (
    SELECT chain, MIN(seq) AS first, MAX(seq) AS seq, COUNT(*) AS many FROM {partition} GROUP BY chain
) AS last
JOIN {partition} AS event ON event.chain = last.chain AND event.seq = last.seq
LEFT JOIN LATERAL (
    SELECT * FROM audit_checkpoints AS one
    WHERE one.chain = last.chain AND one.kind = 'floor' ORDER BY one.seq DESC LIMIT 1
) AS floor ON TRUE
LEFT JOIN LATERAL (
    SELECT * FROM audit_checkpoints AS one
    WHERE one.chain = last.chain AND one.kind = 'verified' AND one.seq >= last.seq ORDER BY one.seq LIMIT 1
) AS verified ON TRUE
"""
_SET_FLOORS = """
INSERT INTO audit_checkpoints (chain, seq, mac, at, kind, seal)
SELECT chain, seq, mac, at, kind, seal
FROM jsonb_to_recordset(CAST(:floors AS JSONB)) AS given (
    chain TEXT, seq BIGINT, mac TEXT, at BIGINT, kind TEXT, seal TEXT
)
ON CONFLICT (chain, seq) DO UPDATE
SET mac = excluded.mac, at = excluded.at, kind = excluded.kind, seal = excluded.seal
"""
_FORGET_CHECKPOINTS = """
DELETE FROM audit_checkpoints
USING jsonb_to_recordset(CAST(:floors AS JSONB)) AS given (chain TEXT, seq BIGINT)
WHERE audit_checkpoints.chain = given.chain AND audit_checkpoints.seq < given.seq
"""


class DroppedMonths:
    """Drops whole partitions of old events, with a floor for each chain that had some in it."""

    def __init__(self, partitions: Partitions, clock: Clock) -> None:
        self._partitions = partitions
        self._clock = clock
        self._not_before = 0

    async def drop(self, writer: Writer, key: bytes, before: int) -> int:
        """Drops the oldest partition if all in it goes, and returns how many events that were.

        It returns 0 where the events are to go row by row: of a chain that does not hold, or as somebody
        reads the table for long.
        """
        for partition in await self._old(writer, before):
            if await _is_empty(writer, partition):
                continue
            gone = await self._drop(writer, key, partition)
            if gone is None:
                self._not_before = self._clock.now_ms() + _AGAIN_MS
                return 0
            return gone
        return 0

    async def drop_empty(self, writer: Writer, before: int) -> None:
        """Drops old partitions that have nothing in them.

        Nobody else gets at the trail from then until the transaction ends.
        """
        for partition in await self._old(writer, before):
            if not await _is_empty(writer, partition) or not await self._partitions.hold(writer, partition):
                continue
            if await _is_empty(writer, partition) and await self._partitions.drop(writer, partition):
                log_info("audit.partition_dropped", partition=partition.name, events=0)

    async def _old(self, writer: Writer, before: int) -> Sequence[Partition]:
        """Returns the partitions that are older than a time; none while it is too soon to try again."""
        if self._clock.now_ms() < self._not_before:
            return ()
        bound = first_id(EVENTS.prefix, before)
        return [partition for partition in await self._partitions.read(writer) if partition.high <= bound]

    async def _drop(self, writer: Writer, key: bytes, partition: Partition) -> int | None:
        # Whoever's clock is behind writes into it still: from now on they wait.
        if not await self._partitions.hold(writer, partition):
            return None
        rows = await writer.all(_statement(_LAST_EVENTS.format(partition=partition.name)))
        floors = [_floor(row, key, self._clock.now_ms()) for row in rows]
        if None in floors or not await _all_hold(writer, key, partition, rows):
            return None
        if not await self._partitions.drop(writer, partition):
            return None
        written = json.dumps([floor.row(key) for floor in floors if floor is not None])
        for text in (_SET_FLOORS, _FORGET_CHECKPOINTS):
            await writer.run(_statement(text), floors=written)
        gone = sum(int(row["many"]) for row in rows)
        log_info("audit.partition_dropped", partition=partition.name, events=gone)
        return gone


async def _is_empty(writer: Writer, partition: Partition) -> bool:
    return await writer.one(_statement(f"SELECT 1 AS one FROM {partition.name} LIMIT 1")) is None


def _floor(row: Row, key: bytes, now: int) -> Checkpoint | None:
    """Returns the floor after the last event; None unless all up to it are there and vouched for."""
    floor, verified = (_read(row[name], key) for name in ("floor", "verified"))
    begins = 0 if floor is None else floor.seq
    if (row["floor"] is not None and floor is None) or verified is None:
        return None
    if row["first"] != begins + 1 or row["many"] != row["seq"] - begins:
        return None
    return Checkpoint(str(row["chain"]), int(row["seq"]), str(row["mac"]), now, "floor")


async def _all_hold(writer: Writer, key: bytes, partition: Partition, lasts: Sequence[Row]) -> bool:
    """Verifies every event of a partition, as one that was moved into it would go with it, and signed for."""
    floors = {str(row["chain"]): _read(row["floor"], key) for row in lasts}
    begins = {chain: "" if floor is None else floor.mac for chain, floor in floors.items()}
    statement = _statement(_EVENTS.format(partition=partition.name))
    chain, seq, mac = "", 0, ""
    while events := await writer.all(statement, chain=chain, seq=seq, limit=_PAGE):
        for event in events:
            if event["chain"] != chain:
                mac = begins.get(str(event["chain"]), "")
            chain, seq = str(event["chain"]), int(event["seq"])
            if not event_holds(key, mac, event):
                log_not_deleted(chain, seq)
                return False
            mac = str(event["mac"])
    return True


def log_not_deleted(chain: str, seq: int) -> None:
    log_error("audit.not_thrown_away", chain=chain, event=seq, hint="guildhall audit verify")


def _read(row: Any, key: bytes) -> Checkpoint | None:
    return None if row is None else checkpoint_of(json.loads(row), key)


async def make_ahead(data: Data, clock: Clock, partitions: Partitions) -> Sequence[str]:
    """Makes the partitions of this month and the next two; several processes may do it at once."""
    made = list[str]()
    while True:
        async with data.read() as reader:
            if not await partitions.missing(reader, clock.now_ms()):
                break
        async with data.write() as writer:
            name = await partitions.make(writer, clock.now_ms())
        if name is not None:
            made.append(name)
            log_info("audit.partition_made", partition=name)
    return made


async def make_partitions(data: Data, clock: Clock, partitions: Partitions) -> None:
    """Makes partitions ahead until it is cancelled, and none while the server comes up."""
    while True:
        await asyncio.sleep(FIRST_SECONDS)
        await make_ahead(data, clock, partitions)
        await asyncio.sleep(EVERY_SECONDS)


def _statement(text: str) -> Statement:
    return Statement("partitions", text, text)
