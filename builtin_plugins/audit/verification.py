"""Walks chains event by event, from their start or a checkpoint, and says where one no longer holds."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from builtin_plugins.audit.anchors import Anchored
from builtin_plugins.audit.chain import INSTANCE_CHAIN, event_holds, head_holds, is_redacted, sql
from builtin_plugins.audit.checkpoints import Checkpoint, read_checkpoints, read_floor
from guildhall_sdk import Row, rfc3339
from guildhall_sdk.data import Data

PAGE = 500
_BEFORE_EVERY_NUMBER = -(2**63)
LAST_CHECKPOINT = 2**63 - 1
_NO_ANCHORS = (
    "there is no anchor: a chain that was cut off, or removed with its company, "
    "cannot be told from a whole one"
)

Progress = Callable[[int], Awaitable[None]]

FaultKind = Literal[
    "changed", "missing", "cut", "unsealed", "contradicted", "lost", "eventless", "ownerless", "forged"
]

_SENTENCES: dict[FaultKind, str] = {
    "changed": "was edited, inserted or moved",
    "missing": "is missing",
    "cut": "is missing: the end of the chain was cut off",
    "unsealed": "stands behind the end of its chain, or that end was changed",
    "contradicted": "is another than the one that was anchored: the chain was cut and went on",
    "lost": "was anchored and is missing: the chain was cut off, or removed as a whole",
    "eventless": "is missing: the company is there and none of its events",
    "ownerless": "belongs to a company that is not there",
    "forged": "has a checkpoint that this instance did not sign",
}


class Fault(NamedTuple):
    """The first place where a chain does not hold. A missing event has a number but no id."""

    chain: str
    seq: int
    event_id: str | None
    kind: FaultKind
    anchored_at: int | None = None

    def __str__(self) -> str:
        event = f"event {self.event_id} (number {self.seq})" if self.event_id else f"event number {self.seq}"
        when = f" (anchor of {rfc3339(self.anchored_at)})" if self.anchored_at is not None else ""
        return f"chain {self.chain}: {event} {_SENTENCES[self.kind]}{when}"


class ChainWalk:
    """A walk along a chain; `seq` and `mac` are of the last event that holds.

    `anchored` gives by number the mac that somebody vouches for, and when that was. `after_page` is called
    with the number of events in each page, and may take its time.
    """

    def __init__(
        self,
        database: Data,
        key: bytes,
        chain: str,
        anchored: Mapping[int, tuple[str, int]],
        *,
        start: Checkpoint | None = None,
        page: int = PAGE,
        after_page: Callable[[int], Awaitable[None]] | None = None,
    ) -> None:
        self._database = database
        self._key = key
        self._chain = chain
        self._anchored = anchored
        self._start = start
        self._page = page
        self._after_page = after_page
        self.seq, self.mac = (0, "") if start is None else (start.seq, start.mac)
        self._event_id: str | None = None

    async def run(self) -> Fault | None:
        """Walks to the end, and compares that with where the chain is said to end."""
        async with self._database.read() as reader:
            ends = await reader.one(sql.ends_of_chain, chain=self._chain)
        if ends is None:
            raise RuntimeError(f"the ends of the chain {self._chain} could not be read")
        return await self.walk_to(int(ends["last_event"] or 0)) or self._fault_at_end(ends)

    async def walk_to(self, last: int) -> Fault | None:
        """Walks up to the event of this number, and returns the first that does not hold."""
        if (fault := await self._fault_at_start()) is not None:
            return fault
        is_full = self.seq < last
        while is_full:
            # The last one is read again with the next: whoever has its number too would be passed by.
            after = _BEFORE_EVERY_NUMBER if self.seq == 0 else self.seq - 1
            async with self._database.read() as reader:
                rows = await reader.all(
                    sql.events_of_chain, chain=self._chain, after=after, until=last, limit=self._page + 1
                )
            is_full = len(rows) > self._page
            rows = [row for row in rows if row["id"] != self._event_id]
            for row in rows:
                if (fault := self._step(row)) is not None:
                    return fault
            if self._after_page is not None:
                await self._after_page(len(rows))
        return None

    async def _fault_at_start(self) -> Fault | None:
        """Compares the checkpoint that the walk begins at with its event, which a floor has no more."""
        start, self._start = self._start, None
        if start is None:
            return None
        if start.kind == "floor":
            return await self._fault_at_floor(start)
        async with self._database.read() as reader:
            rows = await reader.all(sql.events_of_number, chain=start.chain, seq=start.seq)
        if not rows or rows[0]["mac"] != start.mac:
            return self._fault(start.seq, None, "contradicted" if rows else "lost", start.at)
        self._event_id = str(rows[0]["id"])
        return self._fault(start.seq, str(rows[1]["id"]), "changed") if len(rows) > 1 else None

    async def _fault_at_floor(self, floor: Checkpoint) -> Fault | None:
        """Looks that nothing stands below the floor again, and that it is the event that was vouched for."""
        mac, at = self._anchored.get(floor.seq, (floor.mac, None))
        if mac != floor.mac:
            return self._fault(floor.seq, None, "contradicted", at)
        async with self._database.read() as reader:
            row = await reader.one(sql.event_up_to, chain=floor.chain, until=floor.seq)
        return None if row is None else self._fault(int(row["seq"]), str(row["id"]), "changed")

    def _step(self, row: Row) -> Fault | None:
        seq = self.seq + 1
        if row["seq"] > seq:
            return self._fault(seq, None, "missing")
        if row["seq"] < seq or not event_holds(self._key, self.mac, row):
            return self._fault(row["seq"], row["id"], "changed")
        if seq in self._anchored and self._anchored[seq][0] != row["mac"]:
            return self._fault(seq, row["id"], "contradicted", self._anchored[seq][1])
        self.seq, self.mac, self._event_id = seq, row["mac"], row["id"]
        return None

    def _fault_at_end(self, ends: Row) -> Fault | None:
        head_seq = ends["seq"]
        if head_seq is None:
            return self._fault(self.seq, self._event_id, "unsealed")
        sealed = head_holds(self._key, self._chain, ends)
        if sealed and head_seq > self.seq:
            return self._fault(self.seq + 1, None, "cut")
        if not sealed or head_seq < self.seq or ends["mac"] != self.mac:
            return self._fault(self.seq, self._event_id, "unsealed")
        lost = min((seq for seq in self._anchored if seq > self.seq), default=None)
        if lost is not None:
            return self._fault(self.seq + 1, None, "lost", self._anchored[lost][1])
        return None

    def _fault(self, seq: int, event_id: str | None, kind: FaultKind, at: int | None = None) -> Fault:
        return Fault(self._chain, seq, event_id, kind, at)


class Verdict(NamedTuple):
    """The faults that were found, and in `remarks` what could not be told.

    `events` were walked; `passed` came before the checkpoints that the walk began at, and `deleted` were
    those before that, which had been kept for long enough.
    """

    chains: int
    events: int
    faults: tuple[Fault, ...]
    anchor_faults: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    passed: int = 0
    deleted: int = 0

    @property
    def ok(self) -> bool:
        return not self.faults and not self.anchor_faults


async def verify(
    database: Data,
    key: bytes,
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
    walks = _Walks(database=database, key=key, since=since, page=page, progress=progress)
    async with database.read() as reader:
        chains = [str(row["chain"]) for row in await reader.all(sql.chains)]
        faults = [
            Fault(str(row["id"]), 1, None, "eventless")
            for row in await reader.all(sql.companies_without_chain)
        ]
        for chain in chains:
            if chain != INSTANCE_CHAIN and await reader.one(sql.is_company, id=chain) is None:
                last = await reader.one(sql.last_event, chain=chain)
                if last is not None and is_redacted(key, last):
                    continue  # it was erased
                faults.append(Fault(chain, 1, None, "ownerless"))
    events = passed = deleted = 0
    for chain in chains:
        found = await walks.verify(chain, anchored.events.get(chain, {}))
        events, passed, deleted = events + found.events, passed + found.passed, deleted + found.deleted
        faults += found.faults
    for chain in sorted(anchored.events.keys() - set(chains)):
        seq = min(anchored.events[chain])
        faults.append(Fault(chain, seq, None, "lost", anchored.events[chain][seq][1]))
    return Verdict(
        chains=len(chains),
        events=events,
        faults=tuple(faults),
        anchor_faults=anchored.faults,
        remarks=_remarks(anchored, since, passed, deleted),
        passed=passed,
        deleted=deleted,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Walks:
    """Walks along the chains of one verification."""

    database: Data
    key: bytes
    since: int | None
    page: int
    progress: Progress | None

    async def verify(self, chain: str, anchored: Mapping[int, tuple[str, int]]) -> Verdict:
        """Verifies one chain; again from its new floor where events of it were deleted meanwhile."""
        while True:
            floor = await self._floor_of(chain)
            verdict = await self._verify_from(floor, chain, anchored)
            if verdict.ok or await self._floor_of(chain) == floor:
                return verdict

    async def _floor_of(self, chain: str) -> Checkpoint | None:
        async with self.database.read() as reader:
            return await read_floor(reader, self.key, chain)

    async def _verify_from(
        self, floor: Checkpoint | None, chain: str, anchored: Mapping[int, tuple[str, int]]
    ) -> Verdict:
        """Verifies one chain from its floor; signed checkpoints vouch as anchors do."""
        async with self.database.read() as reader:
            known = await read_checkpoints(reader, self.key, chain, self.since)
        faults = [Fault(chain, seq, None, "forged") for seq in known.forged]
        start = floor
        if self.since is not None and not faults:
            made_by_then = [one for one in known.signed[:1] if one.at <= self.since]
            start = max([*made_by_then, *([] if start is None else [start])], key=_number, default=None)
        vouched = {one.seq: (one.mac, one.at) for one in known.signed} | dict(anchored)
        walk = ChainWalk(
            self.database,
            self.key,
            chain,
            vouched,
            start=start,
            page=self.page,
            after_page=self.progress,
        )
        fault = await walk.run()
        passed, deleted = (0 if one is None else one.seq for one in (start, floor))
        return Verdict(
            chains=1,
            events=walk.seq - passed,
            faults=(*faults, *([] if fault is None else [fault])),
            passed=passed - deleted,
            deleted=deleted,
        )


def _number(checkpoint: Checkpoint) -> int:
    return checkpoint.seq


def _remarks(anchored: Anchored, since: int | None, passed: int, deleted: int) -> tuple[str, ...]:
    remarks = anchored.remarks
    if deleted:
        remarks += (f"{deleted} events were thrown away, each when it had been kept for long enough",)
    if since is not None:
        remarks += (f"{passed} events before the checkpoints were not read again",)
    if anchored.last_at is None:
        return (*remarks, _NO_ANCHORS)
    last = (
        f"events after the last anchor, of {rfc3339(anchored.last_at)}, could have been cut off without trace"
    )
    return (*remarks, last)
