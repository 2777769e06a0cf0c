"""Walks every chain, or what came since its checkpoint, and says where it no longer holds."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from guildhall_sdk import rfc3339
from guildhall_sdk.data import Data
from kernel.audit.anchors import Anchored
from kernel.audit.chain_walk import PAGE, ChainWalk, Fault
from kernel.audit.checkpoints import Checkpoint, read_checkpoints, read_floor
from kernel.audit.trail import INSTANCE_CHAIN, Trail, sql

LAST_CHECKPOINT = 2**63 - 1
_NO_ANCHORS = (
    "there is no anchor: a chain that was cut off, or removed with its company, "
    "cannot be told from a whole one"
)

Progress = Callable[[int], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The faults that were found, and in `remarks` what could not be told.

    `events` were walked; `passed` came before the checkpoints that the walk began at, and `thrown_away` were
    those before that, which had been kept for long enough.
    """

    chains: int
    events: int
    faults: tuple[Fault, ...]
    anchor_faults: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    passed: int = 0
    thrown_away: int = 0

    @property
    def ok(self) -> bool:
        return not self.faults and not self.anchor_faults


async def verify(
    database: Data,
    trail: Trail,
    anchored: Anchored | None = None,
    *,
    since: int | None = None,
    page: int = PAGE,
    progress: Progress | None = None,
) -> Verdict:
    """Verifies every chain as it stands when its turn comes; the server may go on writing meanwhile.

    With `since`, a time or `LAST_CHECKPOINT`, each is walked from the last checkpoint that was made by then.
    """
    anchored = anchored or Anchored()
    async with database.read() as reader:
        chains = [str(row["chain"]) for row in await reader.all(sql.chains)]
        faults = [
            Fault(str(row["id"]), 1, None, "eventless")
            for row in await reader.all(sql.companies_without_chain)
        ]
        for chain in chains:
            if chain != INSTANCE_CHAIN and await reader.one(sql.is_company, id=chain) is None:
                faults.append(Fault(chain, 1, None, "ownerless"))
    events = passed = thrown_away = 0
    for chain in chains:
        found = await _verify_chain(
            database, trail, chain, anchored.events.get(chain, {}), since, page, progress
        )
        events, passed = events + found.events, passed + found.passed
        thrown_away += found.thrown_away
        faults += found.faults
    for chain in sorted(anchored.events.keys() - set(chains)):
        seq = min(anchored.events[chain])
        faults.append(Fault(chain, seq, None, "lost", anchored.events[chain][seq][1]))
    remarks = _remarks(anchored, since, passed, thrown_away)
    return Verdict(len(chains), events, tuple(faults), anchored.faults, remarks, passed, thrown_away)


async def _verify_chain(
    database: Data,
    trail: Trail,
    chain: str,
    anchored: Mapping[int, tuple[str, int]],
    since: int | None,
    page: int,
    progress: Progress | None,
) -> Verdict:
    """Verifies one chain; again from its new floor where it was thrown away from meanwhile."""
    while True:
        verdict, floor = await _verify_from_floor(database, trail, chain, anchored, since, page, progress)
        if verdict.ok or await _floor_of(database, trail, chain) == floor:
            return verdict


async def _floor_of(database: Data, trail: Trail, chain: str) -> Checkpoint | None:
    async with database.read() as reader:
        return await read_floor(reader, trail.key, chain)


async def _verify_from_floor(
    database: Data,
    trail: Trail,
    chain: str,
    anchored: Mapping[int, tuple[str, int]],
    since: int | None,
    page: int,
    progress: Progress | None,
) -> tuple[Verdict, Checkpoint | None]:
    """Verifies one chain from its floor, which it returns; signed checkpoints vouch as anchors do."""
    floor = await _floor_of(database, trail, chain)
    async with database.read() as reader:
        known = await read_checkpoints(reader, trail.key, chain, since)
    faults = [Fault(chain, seq, None, "forged") for seq in known.forged]
    start = floor
    if since is not None and not faults:
        made_by_then = [one for one in known.signed[:1] if one.at <= since]
        start = max([*made_by_then, *([] if start is None else [start])], key=_number, default=None)
    vouched = {one.seq: (one.mac, one.at) for one in known.signed} | dict(anchored)
    walk = ChainWalk(database, trail.key, chain, vouched, start=start, page=page, after_page=progress)
    fault = await walk.run()
    passed = 0 if start is None else start.seq
    found = (*faults, *([] if fault is None else [fault]))
    thrown_away = 0 if floor is None else floor.seq
    return Verdict(1, walk.seq - passed, found, passed=passed - thrown_away, thrown_away=thrown_away), floor


def _number(checkpoint: Checkpoint) -> int:
    return checkpoint.seq


def _remarks(anchored: Anchored, since: int | None, passed: int, thrown_away: int) -> tuple[str, ...]:
    remarks = anchored.remarks
    if thrown_away:
        remarks += (f"{thrown_away} events were thrown away, each when it had been kept for long enough",)
    if since is not None:
        remarks += (f"{passed} events before the checkpoints were not read again",)
    if anchored.last_at is None:
        return (*remarks, _NO_ANCHORS)
    last = (
        f"events after the last anchor, of {rfc3339(anchored.last_at)}, could have been cut off without trace"
    )
    return (*remarks, last)
