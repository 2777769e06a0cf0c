"""Checkpoints: how far a chain was verified, and when, sealed beside it in the database.

Each is made by walking on from the one before, so the first event to the last was read once. Whoever trusts
that verifies from the newest one on. A checkpoint also vouches for its event as an anchor does.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from builtin_plugins.audit.chain import sql
from guildhall_sdk import Reader, Row
from libs.trail_records import seal, seal_holds

CheckpointKind = Literal["verified", "floor"]


class Checkpoint(NamedTuple):
    """An event by number and mac, and when the chain up to it held.

    Of the kind `floor`: the events up to it were deleted by rule, and the chain begins after it.
    """

    chain: str
    seq: int
    mac: str
    at: int
    kind: CheckpointKind = "verified"

    def row(self, key: bytes) -> dict[str, Any]:
        """Returns the columns of the row that says so."""
        said = {"chain": self.chain, "seq": self.seq, "mac": self.mac, "at": self.at, "kind": self.kind}
        return {**said, "seal": seal(key, "checkpoint", said)}


class CheckpointsOfChain(NamedTuple):
    """The checkpoints of a chain from some number on, in order, and the numbers of those nobody signed."""

    signed: Sequence[Checkpoint]
    forged: Sequence[int]

    @property
    def floor(self) -> Checkpoint | None:
        return next((one for one in reversed(self.signed) if one.kind == "floor"), None)


async def read_checkpoints(
    reader: Reader, key: bytes, chain: str, since: int | None = None
) -> CheckpointsOfChain:
    """Reads all checkpoints of a chain, or the last that was made up to `since`, and those after it."""
    first = 0
    if since is not None:
        first = await reader.value(sql.last_checkpoint, chain=chain, since=since) or 0
    rows = await reader.all(sql.checkpoints, chain=chain, first=first)
    read = [(int(row["seq"]), checkpoint_of(row, key)) for row in rows]
    signed = [one for _, one in read if one is not None]
    return CheckpointsOfChain(signed, [seq for seq, one in read if one is None])


async def read_floor(reader: Reader, key: bytes, chain: str) -> Checkpoint | None:
    """Reads after which event a chain begins; returns None for one that begins with the first."""
    row = await reader.one(sql.floor, chain=chain)
    return None if row is None else checkpoint_of(row, key)


def checkpoint_of(row: Row, key: bytes) -> Checkpoint | None:
    """Returns the checkpoint that a row tells of, or None where nobody signed it."""
    return Checkpoint(*(row[name] for name in Checkpoint._fields)) if _holds(key, row) else None


def _holds(key: bytes, row: Row) -> bool:
    said = {name: row[name] for name in ("chain", "seq", "mac", "at", "kind")}
    return seal_holds(key, str(row["seal"]), "checkpoint", said)
