"""The audit trail: events that commit with the change they tell of, bounded, and chained per company."""

import json
from collections.abc import Sequence
from contextlib import nullcontext
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

from guildhall_sdk import Actor, Clock, Reader, Row, load_queries, new_id
from guildhall_sdk.engines.pools import LockedRead
from guildhall_sdk.services.identity import Vault
from kernel.db.database import Database
from kernel.db.scopes import AuditEntry, ScopedWriter
from libs.coordination import Turns
from libs.trail_records import bounded_object, link_mac, safe_texts, seal

DETAIL_BYTES = 4096
TEXT_LENGTH = 256
sql = load_queries(Path(__file__).with_name("audit.sql"))
INSTANCE_CHAIN = "instance"
_SYSTEM = Actor("system")
_MAX_ENDS = 10_000
# Nobody waits longer for a turn in this process: the database has the last word on who extends a chain.
_TURN_SECONDS = 0.5
# So many times in a row that a chain ended where this process had left it, nobody else extends it any more.
_TIMES_OURS = 3


class _End(NamedTuple):
    seq: int
    mac: str


class Trail:
    """The SDK's `AuditTrail`, and with `append` the sink of every write scope."""

    def __init__(self, vault: Vault, clock: Clock) -> None:
        self._vault = vault
        self._clock = clock
        # Also of transactions that did not commit: whoever extends a chain makes sure that it ends there.
        self._ends: dict[str, _End] = {}
        # Those that another process writes to as well, and how many times in a row they ended where this one
        # had left them: their end is read first, until it is ours again.
        self._extended_elsewhere: dict[str, int] = {}
        # So each knows the end that the one before makes, though that has not committed: of several who start
        # from the same end, all but one would have to ask the database for it.
        self._turns = Turns(_TURN_SECONDS)

    @cached_property
    def key(self) -> bytes:
        return self._vault.derive("audit")

    def end_to_read(self, actor: Actor | None) -> LockedRead | None:
        """Returns how an actor's transaction reads the end of its chain along with a lock, where that helps.

        Those who hold the same lock extend the chain one after another, so that it still ends there when it
        is their turn.
        """
        chain = _chain_of(actor)
        if chain not in self._extended_elsewhere:
            return None
        return LockedRead(sql.lock_and_read_end, {"chain": chain})

    async def append(self, writer: ScopedWriter, entries: Sequence[AuditEntry]) -> None:
        """Appends the entries right before a commit; locks chains in one order, so that nobody deadlocks."""
        chains: dict[str, list[AuditEntry]] = {}
        for entry in entries:
            chains.setdefault(_chain_of(entry.actor), []).append(entry)
        for chain in sorted(chains):
            async with nullcontext() if writer.exclusive else self._turns.take(chain):
                await self._extend(writer, chain, chains[chain])

    async def _extend(self, writer: ScopedWriter, chain: str, entries: Sequence[AuditEntry]) -> None:
        """Extends a chain from its end as this process knows it, or else as the database has it."""
        known = likely = self._ends.get(chain)
        shared = chain in self._extended_elsewhere
        if shared:
            likely = _end_read(writer.locked_row, chain)
        if likely is not None and await self._extend_from(likely, writer, chain, entries):
            if shared:
                self._record_end(chain, ours=likely == known)
            return
        head = await writer.one(sql.hold_head, chain=chain)
        found = _end_read(head, chain)
        if found is None:
            raise RuntimeError(f"the audit chain {chain} could not be held")
        self._record_end(chain, ours=known is None or found == known)
        if not await self._extend_from(found, writer, chain, entries):
            raise RuntimeError(f"the audit chain {chain} could not be extended")

    def _record_end(self, chain: str, *, ours: bool) -> None:
        """Records whether a chain ended where this process had left it."""
        if not ours:
            self._extended_elsewhere[chain] = 0
        elif chain in self._extended_elsewhere:
            self._extended_elsewhere[chain] += 1
            if self._extended_elsewhere[chain] >= _TIMES_OURS:
                del self._extended_elsewhere[chain]

    async def _extend_from(
        self, end: "_End", writer: ScopedWriter, chain: str, entries: Sequence[AuditEntry]
    ) -> bool:
        """Extends a chain from this end; returns False, and writes nothing, when it does not end there."""
        now = self._clock.now_ms()
        ids = sorted(map(new_id, repeat("evt", len(entries)), repeat(now)))
        events, seq, mac = list[dict[str, Any]](), end.seq, end.mac
        for event_id, entry in zip(ids, entries, strict=True):
            seq, actor = seq + 1, entry.actor or _SYSTEM
            texts = {
                "actor_name": actor.name,
                "action": entry.action,
                "target_type": entry.target_type,
                "target_id": entry.target_id,
                "request_id": actor.request_id,
            }
            event = {
                "id": event_id,
                "chain": chain,
                "seq": seq,
                "at": now,
                "org_id": actor.org_id,
                "team_id": actor.team_id,
                "actor_id": actor.user_id,
                "detail": bounded_object(entry.detail, DETAIL_BYTES),
                **safe_texts(texts, TEXT_LENGTH),
            }
            mac = event["mac"] = link_mac(self.key, mac, event)
            events.append(event)
        moved = await writer.all(
            sql.move_head,
            seq_before=end.seq,
            mac_before=end.mac,
            seq_after=seq,
            mac_after=mac,
            seal=seal(self.key, "head", chain, seq, mac),
            **events[0],
        )
        if not moved:
            return False
        if len(events) == 2:
            await writer.run(sql.add_event, **events[1])
        elif len(events) > 2:
            await writer.run(sql.add_events, events=json.dumps(events[1:]))
        self._ends[chain] = _End(seq, mac)
        if len(self._ends) > _MAX_ENDS:
            oldest = next(iter(self._ends))
            del self._ends[oldest]
            self._extended_elsewhere.pop(oldest, None)
        return True

    async def count(self, reader: Reader) -> int:
        return int(await reader.value(sql.count_events))


async def record_restore(data: Database) -> None:
    """Records the event of a restore, once: the restored database brings the fact along."""
    async with data.read() as reader:
        if await reader.one(sql.restored_from) is None:
            return
    async with data.write(Actor("operator")) as writer:
        row = await writer.one(sql.forget_restored_from)
        if row is not None:
            writer.audit("instance.restored", ("backup", str(row["value"])))


def _chain_of(actor: Actor | None) -> str:
    return (actor or _SYSTEM).org_id or INSTANCE_CHAIN


def _end_read(head: Row | None, chain: str) -> _End | None:
    """Returns the end that a row tells of, if it is this chain's."""
    if head is None or head["chain"] != chain:
        return None
    return _End(int(head["seq"]), str(head["mac"]))
