"""The audit trail: events that commit with the change they tell of, chained per company."""

import json
from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from guildhall_sdk import Actor, Clock, Reader, Row, Writer, load_queries, new_id, rfc3339
from guildhall_sdk.services import Vault
from kernel.audit.events import detail_json, event_mac, head_seal, safe_text, safe_text_or_none
from kernel.db import AuditEntry

sql = load_queries(Path(__file__).with_name("queries.sql"))

INSTANCE_CHAIN = "instance"
_SYSTEM = Actor("system")
_AFTER_EVERY_ID = "evt_~"
_MAX_ENDS = 10_000
_NAMES = frozenset({"key", "title", "filename", "prefix"})


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

    @cached_property
    def key(self) -> bytes:
        return self._vault.derive("audit")

    async def append(self, writer: Writer, entries: Sequence[AuditEntry]) -> None:
        """Called right before a commit. Chains are locked in one order everywhere: no deadlock."""
        for chain, group in groupby(sorted(entries, key=_chain_of), key=_chain_of):
            await self._extend(writer, chain, list(group))

    async def _extend(self, writer: Writer, chain: str, entries: Sequence[AuditEntry]) -> None:
        """From where the chain ended as far as this process knows; if it does not, from where it does."""
        known = self._ends.get(chain)
        if known is None or not await self._extend_from(known, writer, chain, entries):
            head = await writer.one(sql.hold_head, chain=chain)
            if head is None:
                raise RuntimeError(f"the audit chain {chain} could not be held")
            found = _End(int(head["seq"]), str(head["mac"]))
            if not await self._extend_from(found, writer, chain, entries):
                raise RuntimeError(f"the audit chain {chain} could not be extended")

    async def _extend_from(
        self, end: "_End", writer: Writer, chain: str, entries: Sequence[AuditEntry]
    ) -> bool:
        """False when the chain does not end there; then nothing was written."""
        now = self._clock.now_ms()
        ids = sorted(new_id("evt", now) for _ in entries)
        events, seq, mac = list[dict[str, Any]](), end.seq, end.mac
        for event_id, entry in zip(ids, entries, strict=True):
            seq += 1
            event = {"id": event_id, "chain": chain, "seq": seq, "at": now, **_columns(entry)}
            mac = event["mac"] = event_mac(self.key, mac, event)
            events.append(event)
        moved = await writer.one(
            sql.move_head,
            chain=chain,
            seq=seq,
            mac=mac,
            seal=head_seal(self.key, chain, seq, mac),
            seq_before=end.seq,
            mac_before=end.mac,
        )
        if moved is None:
            return False
        for event in events:
            await writer.run(sql.add_event, **event)
        self._ends[chain] = _End(seq, mac)
        if len(self._ends) > _MAX_ENDS:
            del self._ends[next(iter(self._ends))]
        return True

    async def of_team(
        self, reader: Reader, org_id: str, team_id: str, before: str | None, limit: int
    ) -> list[dict[str, Any]]:
        rows = await reader.all(
            sql.events_of_team, org_id=org_id, team_id=team_id, before=before or _AFTER_EVERY_ID, limit=limit
        )
        return [_shown(row) for row in rows]

    async def of_org(
        self, reader: Reader, org_id: str, before: str | None, limit: int
    ) -> list[dict[str, Any]]:
        rows = await reader.all(
            sql.events_of_org, org_id=org_id, before=before or _AFTER_EVERY_ID, limit=limit
        )
        return [_shown(row) for row in rows]

    async def count(self, reader: Reader) -> int:
        return int(await reader.value(sql.count_events))


def _chain_of(entry: AuditEntry) -> str:
    return (entry.actor or _SYSTEM).org_id or INSTANCE_CHAIN


def _columns(entry: AuditEntry) -> dict[str, Any]:
    actor = entry.actor or _SYSTEM
    return {
        "org_id": actor.org_id,
        "team_id": actor.team_id,
        "actor_id": actor.user_id,
        "actor_name": safe_text(actor.name),
        "action": safe_text(entry.action),
        "target_type": safe_text_or_none(entry.target_type),
        "target_id": safe_text_or_none(entry.target_id),
        "detail": detail_json(entry.detail),
        "request_id": safe_text_or_none(actor.request_id),
    }


def _shown(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "at": rfc3339(row["at"]),
        "actor": {"id": row["actor_id"], "name": row["actor_name"]},
        "action": row["action"],
        "target": {"type": row["target_type"], "id": row["target_id"]},
        "detail": _without_names(json.loads(row["detail"])),
        "request_id": row["request_id"],
    }


def _without_names(detail: dict[str, Any]) -> dict[str, Any]:
    """What was written before names stayed out is in its chain for ever, and shown to nobody."""
    return {
        name: _without_names(value) if isinstance(value, dict) else value
        for name, value in detail.items()
        if name not in _NAMES
    }
