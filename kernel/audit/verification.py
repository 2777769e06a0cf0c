"""Walks every chain and says where it no longer holds."""

import hmac
from dataclasses import dataclass
from typing import Literal

from guildhall_sdk import Data, Row, rfc3339
from kernel.audit.anchors import Anchored
from kernel.audit.trail import Trail, event_mac, head_seal, sql

PAGE = 500
_BEFORE_EVERY_NUMBER = -(2**63)
_NO_ANCHORS = (
    "there is no anchor: a chain that was cut off, or removed with its company, "
    "cannot be told from a whole one"
)

FaultKind = Literal["changed", "missing", "cut", "unsealed", "contradicted", "lost", "eventless", "ownerless"]

_SENTENCES: dict[FaultKind, str] = {
    "changed": "was edited, inserted or moved",
    "missing": "is missing",
    "cut": "is missing: the end of the chain was cut off",
    "unsealed": "stands behind the end of its chain, or that end was changed",
    "contradicted": "is another than the one that was anchored: the chain was cut and went on",
    "lost": "was anchored and is missing: the chain was cut off, or removed as a whole",
    "eventless": "is missing: the company is there and none of its events",
    "ownerless": "belongs to a company that is not there",
}


@dataclass(frozen=True, slots=True)
class Fault:
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


@dataclass(frozen=True, slots=True)
class Verdict:
    """The faults that were found, and in `remarks` what could not be told."""

    chains: int
    events: int
    faults: tuple[Fault, ...]
    anchor_faults: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.faults and not self.anchor_faults


async def verify(
    database: Data, trail: Trail, anchored: Anchored | None = None, *, page: int = PAGE
) -> Verdict:
    """Verifies every chain as it stands when its turn comes; the server may go on writing meanwhile."""
    anchored = anchored or Anchored()
    async with database.read() as reader:
        chains = [str(row["chain"]) for row in await reader.all(sql.chains)]
        eventless = [str(row["id"]) for row in await reader.all(sql.companies_without_chain)]
        ownerless = [str(row["chain"]) for row in await reader.all(sql.chains_without_company)]
    faults = [Fault(chain, 1, None, "eventless") for chain in eventless]
    faults += [Fault(chain, 1, None, "ownerless") for chain in ownerless]
    events = 0
    for chain in chains:
        walked, fault = await _ChainWalk(database, trail.key, chain, anchored, page).run()
        events += walked
        if fault is not None:
            faults.append(fault)
    for chain in sorted(anchored.events.keys() - set(chains)):
        seq = min(anchored.events[chain])
        faults.append(Fault(chain, seq, None, "lost", anchored.events[chain][seq][1]))
    return Verdict(len(chains), events, tuple(faults), anchored.faults, _remarks(anchored))


def _remarks(anchored: Anchored) -> tuple[str, ...]:
    if anchored.last_at is None:
        return (*anchored.remarks, _NO_ANCHORS)
    last = (
        f"events after the last anchor, of {rfc3339(anchored.last_at)}, could have been cut off without trace"
    )
    return (*anchored.remarks, last)


class _ChainWalk:
    """One chain from its first event to its last."""

    def __init__(self, database: Data, key: bytes, chain: str, anchored: Anchored, page: int) -> None:
        self._database = database
        self._key = key
        self._chain = chain
        self._anchored = anchored.events.get(chain, {})
        self._page = page
        self._seq, self._mac = 0, ""
        self._event_id: str | None = None

    async def run(self) -> tuple[int, Fault | None]:
        """Counts the events that hold from the start on, and returns the first that does not."""
        async with self._database.read() as reader:
            ends = await reader.one(sql.ends_of_chain, chain=self._chain)
        if ends is None:
            raise RuntimeError(f"the ends of the chain {self._chain} could not be read")
        last_event, after = int(ends["last_event"] or 0), _BEFORE_EVERY_NUMBER
        while after < last_event:
            async with self._database.read() as reader:
                rows = await reader.all(
                    sql.events_of_chain, chain=self._chain, after=after, until=last_event, limit=self._page
                )
            for row in rows:
                if (fault := self._step(row)) is not None:
                    return self._seq, fault
            after = rows[-1]["seq"] if rows else last_event
        return self._seq, self._fault_at_end(ends)

    def _step(self, row: Row) -> Fault | None:
        seq = self._seq + 1
        if row["seq"] > seq:
            return self._fault(seq, None, "missing")
        if row["seq"] < seq or not self._holds(row):
            return self._fault(row["seq"], row["id"], "changed")
        if seq in self._anchored and self._anchored[seq][0] != row["mac"]:
            return self._fault(seq, row["id"], "contradicted", self._anchored[seq][1])
        self._seq, self._mac, self._event_id = seq, row["mac"], row["id"]
        return None

    def _holds(self, row: Row) -> bool:
        try:
            expected = event_mac(self._key, self._mac, row)
        except (TypeError, ValueError):  # a damaged row may hold anything
            return False
        return hmac.compare_digest(expected.encode(), str(row["mac"]).encode())

    def _fault_at_end(self, ends: Row) -> Fault | None:
        head_seq = ends["seq"]
        if head_seq is None:
            return self._fault(self._seq, self._event_id, "unsealed")
        seal = head_seal(self._key, self._chain, head_seq, ends["mac"])
        sealed = hmac.compare_digest(seal.encode(), str(ends["seal"]).encode())
        if sealed and head_seq > self._seq:
            return self._fault(self._seq + 1, None, "cut")
        if not sealed or head_seq < self._seq or ends["mac"] != self._mac:
            return self._fault(self._seq, self._event_id, "unsealed")
        lost = min((seq for seq in self._anchored if seq > self._seq), default=None)
        if lost is not None:
            return self._fault(self._seq + 1, None, "lost", self._anchored[lost][1])
        return None

    def _fault(self, seq: int, event_id: str | None, kind: FaultKind, at: int | None = None) -> Fault:
        return Fault(self._chain, seq, event_id, kind, at)
