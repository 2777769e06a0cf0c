"""Walks every chain and says where it no longer holds."""

import hmac
from dataclasses import dataclass
from typing import Literal

from guildhall_sdk import Data, Row
from kernel.audit.events import event_mac, head_seal
from kernel.audit.trail import Trail, sql

PAGE = 500
_BEFORE_EVERY_NUMBER = -(2**63)

FaultKind = Literal["changed", "missing", "cut", "unsealed"]

_SENTENCES: dict[FaultKind, str] = {
    "changed": "was edited, inserted or moved",
    "missing": "is missing",
    "cut": "is missing: the end of the chain was cut off",
    "unsealed": "stands behind the end of its chain, or that end was changed",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """The first place where a chain does not hold. A missing event has a number but no id."""

    chain: str
    seq: int
    event_id: str | None
    kind: FaultKind

    def __str__(self) -> str:
        event = f"event {self.event_id} (number {self.seq})" if self.event_id else f"event number {self.seq}"
        return f"chain {self.chain}: {event} {_SENTENCES[self.kind]}"


@dataclass(frozen=True, slots=True)
class Verdict:
    chains: int
    events: int
    faults: tuple[Fault, ...]

    @property
    def ok(self) -> bool:
        return not self.faults


async def verify(database: Data, trail: Trail, *, page: int = PAGE) -> Verdict:
    """Every chain as it stood when its turn came; the server may go on writing meanwhile."""
    async with database.read() as reader:
        chains = [str(row["chain"]) for row in await reader.all(sql.chains)]
    events, faults = 0, list[Fault]()
    for chain in chains:
        walked, fault = await _verify_chain(database, trail.key, chain, page)
        events += walked
        if fault is not None:
            faults.append(fault)
    return Verdict(len(chains), events, tuple(faults))


async def _verify_chain(database: Data, key: bytes, chain: str, page: int) -> tuple[int, Fault | None]:
    """How many events hold from the start on, and the first that does not."""
    async with database.read() as reader:
        ends = await reader.one(sql.ends_of_chain, chain=chain)
    if ends is None:
        raise RuntimeError(f"the ends of the chain {chain} could not be read")
    last_event = int(ends["last_event"] or 0)
    seq, mac, event_id, after = 0, "", None, _BEFORE_EVERY_NUMBER
    while after < last_event:
        async with database.read() as reader:
            rows = await reader.all(
                sql.events_of_chain, chain=chain, after=after, until=last_event, limit=page
            )
        for row in rows:
            if row["seq"] > seq + 1:
                return seq, Fault(chain, seq + 1, None, "missing")
            if row["seq"] <= seq or not _holds(key, mac, row):
                return seq, Fault(chain, row["seq"], row["id"], "changed")
            seq, mac, event_id = seq + 1, row["mac"], row["id"]
        after = rows[-1]["seq"] if rows else last_event
    return seq, _fault_at_end(key, chain, ends, seq, mac, event_id)


def _holds(key: bytes, mac_before: str, row: Row) -> bool:
    return hmac.compare_digest(event_mac(key, mac_before, row).encode(), row["mac"].encode())


def _fault_at_end(
    key: bytes, chain: str, ends: Row, seq: int, mac: str, event_id: str | None
) -> Fault | None:
    head_seq = ends["seq"]
    if head_seq is None:
        return Fault(chain, seq, event_id, "unsealed")
    sealed = hmac.compare_digest(head_seal(key, chain, head_seq, ends["mac"]).encode(), ends["seal"].encode())
    if sealed and head_seq > seq:
        return Fault(chain, seq + 1, None, "cut")
    if not sealed or head_seq < seq or ends["mac"] != mac:
        return Fault(chain, seq, event_id, "unsealed")
    return None
