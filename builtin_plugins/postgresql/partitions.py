"""Tables of PostgreSQL in partitions by the month: made ahead, and dropped as a whole."""

import re
from datetime import UTC, datetime

from guildhall_sdk import Reader, Statement, Writer
from guildhall_sdk.engines.engine import Partition, PartitionedTable, Partitions
from guildhall_sdk.ids import first_id

_AHEAD = 2
# Whoever comes meanwhile waits behind us for as long.
_LOCK_MS = 200
_PARTITIONS = """
SELECT child.relname AS name, pg_get_expr(child.relpartbound, child.oid) AS bounds
FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
WHERE inhparent = to_regclass(:parent)
"""
_BOUNDS = re.compile(r"FOR VALUES FROM \((?:'([^']*)'|MINVALUE)\) TO \('([^']*)'\)")


class MonthlyPartitions(Partitions):
    """The partitions of one table; what belongs to no month that was made is in `<table>_default`."""

    def __init__(self, partitioned: PartitionedTable) -> None:
        self._partitioned = partitioned
        self.table = partitioned.table

    async def read(self, reader: Reader) -> list[Partition]:
        """Reads which partitions there are, the oldest first, without the one for everything else."""
        rows = await reader.all(_statement(_PARTITIONS), parent=self.table)
        found = [(str(row["name"]), _BOUNDS.fullmatch(str(row["bounds"]))) for row in rows]
        made = [Partition(name, match[1] or "", match[2]) for name, match in found if match is not None]
        return sorted(made, key=lambda one: one.low)

    async def missing(self, reader: Reader, now_ms: int) -> list[Partition]:
        """Returns the partitions of this month and the next two that can be made now.

        A month of which rows are in the default already has none: they stay there.
        """
        made = await self.read(reader)
        wanted = [
            one
            for one in self._months(now_ms)
            if not any(one.low < other.high and other.low < one.high for other in made)
        ]
        taken = _statement(
            f"SELECT 1 AS one FROM {self.table}_default WHERE id >= :low AND id < :high LIMIT 1"
        )
        return [one for one in wanted if await reader.one(taken, low=one.low, high=one.high) is None]

    async def make(self, writer: Writer, now_ms: int) -> str | None:
        """Makes the next partition that is missing, and returns its name; None where there is none.

        Raises 503 where somebody holds the table for longer than a moment.
        """
        await writer.serialize(f"partitions of {self.table}")
        missing = await self.missing(writer, now_ms)
        if not missing:
            return None
        await _run(writer, f"SET LOCAL lock_timeout = {_LOCK_MS}")
        name, low, high = missing[0].name, missing[0].low, missing[0].high
        await _run(writer, f"CREATE TABLE {name} (LIKE {self.table} INCLUDING DEFAULTS INCLUDING INDEXES)")
        if self._partitioned.unique:
            await _run(writer, f"CREATE UNIQUE INDEX ON {name} ({', '.join(self._partitioned.unique)})")
        for column, many in self._partitioned.distinct.items():
            await _run(writer, f"ALTER TABLE {name} ALTER COLUMN {column} SET (n_distinct = {many})")
        bounds = f"FOR VALUES FROM ('{low}') TO ('{high}')"
        await _run(writer, f"ALTER TABLE {self.table} ATTACH PARTITION {name} {bounds}")
        return name

    async def hold(self, writer: Writer, partition: Partition) -> bool:
        """Keeps others from writing to a partition until the transaction ends; they may read.

        Returns False, and holds nothing, where somebody has written to it and is not done.
        """
        await _run(
            writer,
            f"DO $$ BEGIN SET LOCAL lock_timeout = {_LOCK_MS}; LOCK TABLE {partition.name} IN SHARE MODE; "
            "EXCEPTION WHEN lock_not_available THEN NULL; END $$",
        )
        held = _statement(
            "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE pid = pg_backend_pid() AND mode = 'ShareLock'"
            " AND granted AND relation = to_regclass(:name) AND database ="
            " (SELECT oid FROM pg_database WHERE datname = current_database()))"
        )
        return bool(await writer.value(held, name=partition.name))

    async def drop(self, writer: Writer, partition: Partition) -> bool:
        """Drops a partition; returns False, and drops none, where somebody holds the table for long."""
        await _run(
            writer,
            f"DO $$ BEGIN SET LOCAL lock_timeout = {_LOCK_MS}; DROP TABLE {partition.name}; "
            "EXCEPTION WHEN lock_not_available THEN NULL; END $$",
        )
        there = _statement("SELECT to_regclass(:name) IS NOT NULL")
        return not await writer.value(there, name=partition.name)

    def _months(self, now_ms: int) -> list[Partition]:
        now = datetime.fromtimestamp(now_ms / 1000, UTC)
        number = now.year * 12 + now.month - 1
        starts = [_start(number + ahead) for ahead in range(_AHEAD + 2)]
        ids = [first_id(self._partitioned.prefix, int(start.timestamp() * 1000)) for start in starts]
        return [
            Partition(f"{self.table}_{start:%Y_%m}", low, high)
            for start, low, high in zip(starts, ids, ids[1:], strict=False)
        ]


def _start(month: int) -> datetime:
    return datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC)


def _statement(text: str) -> Statement:
    return Statement("partitions", text, text)


async def _run(writer: Writer, text: str) -> None:
    await writer.run(_statement(text))
