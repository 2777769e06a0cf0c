"""Reading the trail: pages of events, newest first, as the API shows them."""

import json
from typing import Any

from builtin_plugins.audit.chain import sql
from guildhall_sdk import Actor, Reader, Row, rfc3339
from guildhall_sdk.data import Data

# Events that a search scans for one page.
_MAX_SCANNED = 800
_AFTER_EVERY_ID = "evt_~"
_NAMES = frozenset({"key", "title", "filename", "prefix"})


class StoredTrail:
    """Implements the SDK's `AuditTrail`."""

    async def of_team(
        self, reader: Reader, org_id: str, team_id: str, before: str | None, limit: int
    ) -> list[dict[str, Any]]:
        rows = await reader.all(
            sql.events_of_team, org_id=org_id, team_id=team_id, before=before or _AFTER_EVERY_ID, limit=limit
        )
        return [_event_json(row) for row in rows]

    async def of_org(
        self, reader: Reader, org_id: str, before: str | None, limit: int
    ) -> list[dict[str, Any]]:
        rows = await reader.all(
            sql.events_of_org, org_id=org_id, before=before or _AFTER_EVERY_ID, limit=limit
        )
        return [_event_json(row) for row in rows]

    async def find(
        self,
        reader: Reader,
        org_id: str,
        team_id: str | None,
        before: str | None,
        limit: int,
        *,
        actor: str = "",
        action: str = "",
    ) -> tuple[list[dict[str, Any]], str | None]:
        place = {"org_id": org_id, "before": before or _AFTER_EVERY_ID}
        found, ended = sql.found_of_org, sql.scan_ended_of_org
        if team_id is not None:
            place["team_id"] = team_id
            found, ended = sql.found_of_team, sql.scan_ended_of_team
        rows = await reader.all(
            found, **place, actor=actor, action=action, max_scanned=_MAX_SCANNED, limit=limit + 1
        )
        events = [_event_json(row) for row in rows[:limit]]
        if len(rows) > limit:
            return events, str(events[-1]["id"])
        last = await reader.one(ended, **place, passed=_MAX_SCANNED - 1)
        return events, None if last is None else str(last["id"])

    async def count(self, reader: Reader) -> int:
        return int(await reader.value(sql.count_events))


async def record_restore(data: Data) -> None:
    """Records the event of a restore, once: the restored database brings the fact along."""
    async with data.read() as reader:
        if await reader.one(sql.restored_from) is None:
            return
    async with data.write(Actor("operator")) as writer:
        row = await writer.one(sql.forget_restored_from)
        if row is not None:
            writer.audit("instance.restored", ("backup", str(row["value"])))


def _event_json(row: Row) -> dict[str, Any]:
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
    """Returns the detail without names, which old events hold in their chain and nobody is shown."""
    return {
        name: _without_names(value) if isinstance(value, dict) else value
        for name, value in detail.items()
        if name not in _NAMES
    }
