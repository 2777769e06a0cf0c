"""The tables of a database as files, and back: what an engine does for backup and restore."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from guildhall_sdk.data import Reader, Row, Statement, Writer
from guildhall_sdk.services.storage import TableChecksum


class RowsDigest:
    """Adds up the digests of rows: equal for the same rows in any order."""

    def __init__(self) -> None:
        self._rows = 0
        self._sum = 0

    def add(self, row: bytes) -> None:
        """Counts one row, in whatever form the engine always writes it."""
        self._rows += 1
        self._sum += int.from_bytes(hashlib.sha256(row).digest(), "big")

    def checksum(self) -> TableChecksum:
        """Returns the checksum of all rows so far."""
        return TableChecksum(self._rows, f"{self._sum % 2**256:064x}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoredSchema:
    """The schema that copied tables had, for an engine whose copies hold rows alone."""

    #: The texts that make it, in order, and the lock that whoever migrates holds.
    steps: Sequence[str]
    lock: str
    sequences: Mapping[str, int]


class TableCopy(Protocol):
    """The tables as they were copied out at one moment, with reading in just that state."""

    tables: Mapping[str, TableChecksum]
    sequences: Mapping[str, int]

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        """Returns the rows of a statement."""


class TableRestoration(Protocol):
    """Tables that stand ready, and are not there for anybody else before `commit`."""

    tables: Mapping[str, TableChecksum]

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        """Runs a statement in the restored tables."""

    async def commit(self) -> str | None:
        """Puts them in place at once; returns what an operator should know of what stood there."""


@dataclass(frozen=True, slots=True)
class CheckedCopy:
    """The damage in copied tables, what they hold, and the rows that were asked for, if it can give them."""

    damage: str | None
    tables: Mapping[str, TableChecksum]
    rows: Sequence[Row] | None


@dataclass(frozen=True, slots=True)
class Partition:
    """A table of the rows whose ids are `low` or above, and below `high`."""

    name: str
    low: str
    high: str


@dataclass(frozen=True, slots=True)
class PartitionedTable:
    """A table in partitions by the month, by the ids of its rows, which begin with `prefix` and their time.

    `unique` are columns of which each partition has an index of its own: one over all would need the id.
    `distinct` is how many values of a column the planner shall think there are.
    """

    table: str
    prefix: str
    unique: Sequence[str] = ()
    distinct: Mapping[str, float] = field(default_factory=dict)


class Partitions(Protocol):
    """The partitions of one table; what belongs to no month that was made is in one for everything else."""

    async def read(self, reader: Reader) -> list[Partition]:
        """Reads which partitions there are, the oldest first, without the one for everything else."""

    async def missing(self, reader: Reader, now_ms: int) -> list[Partition]:
        """Returns the partitions of this month and the next two that can be made now."""

    async def make(self, writer: Writer, now_ms: int) -> str | None:
        """Makes the next partition that is missing, and returns its name; None where there is none."""

    async def hold(self, writer: Writer, partition: Partition) -> bool:
        """Keeps others from writing to a partition until the transaction ends; False where it cannot."""

    async def drop(self, writer: Writer, partition: Partition) -> bool:
        """Drops a partition; returns False, and drops none, where somebody holds the table for long."""
