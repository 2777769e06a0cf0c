"""Tables in partitions by the month, which an engine makes ahead and drops as a whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from guildhall_sdk.data import Reader, Writer


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
        ...

    async def missing(self, reader: Reader, now_ms: int) -> list[Partition]:
        """Returns the partitions of this month and the next two that can be made now."""
        ...

    async def make(self, writer: Writer, now_ms: int) -> str | None:
        """Makes the next partition that is missing, and returns its name; None where there is none."""
        ...

    async def hold(self, writer: Writer, partition: Partition) -> bool:
        """Keeps others from writing to a partition until the transaction ends; False where it cannot."""
        ...

    async def drop(self, writer: Writer, partition: Partition) -> bool:
        """Drops a partition; returns False, and drops none, where somebody holds the table for long."""
        ...
