"""The trail to read: events as somebody looks for them, and how many each day has."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from guildhall_sdk import Call, InvalidRequest, Reader, Reply, Row, load_queries, page, page_bounds, rfc3339
from guildhall_sdk.ids import first_id
from guildhall_sdk.replies import encode_cursor, time_bounds

sql = load_queries(Path(__file__).with_name("trail.sql"))
# Events that one call looks at for what it seeks.
MAX_SCANNED = 800
_AT_ONCE = 100
_AFTER_EVERY_ID, _BEFORE_EVERY_ID = "evt_~", "evt_"
DAY_MS = 86_400_000
DAYS, MAX_DAYS = 30, 92
#: Of a day with more it is said that there are more.
MAX_COUNTED = 5_000
# Events of earlier versions hold names in their chain, which nobody is shown or finds.
_NAMES = frozenset({"key", "title", "filename", "prefix"})
_SOUGHT = ("org_id", "team_id", "actor", "target", "action", "since", "before")
# What each index of the trail goes by beside the company: for events, and for how many a day has.
_NAMED_BY = {"org": (), "team": ("team_id",), "actor": ("actor",), "target": ("target",)}
_COUNTED_BY = {"org": (), "team": ("team_id",), "actor": ("actor", "team_id")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """What somebody looks for in a trail: of one team where it is given, else of the company."""

    org_id: str
    team_id: str = ""
    actor: str = ""
    target: str = ""
    action: str = ""
    words: tuple[str, ...] = ()
    since: str = _BEFORE_EVERY_ID
    before: str = _AFTER_EVERY_ID

    @property
    def base(self) -> str:
        """Returns by which index it is read: the one that names least."""
        return "target" if self.target else "actor" if self.actor else "team" if self.team_id else "org"

    @property
    def is_narrowed(self) -> bool:
        return bool(self.actor or self.target or self.action or self.words)

    def binds(self, *names: str) -> dict[str, str]:
        return {name: getattr(self, name) for name in names}


async def find(reader: Reader, sought: Sought, limit: int) -> tuple[list[dict[str, Any]], str | None]:
    """Returns events, newest first, and where to go on: None at the end.

    One call looks at a bounded number of events, so that it may find fewer than `limit`, and none.
    """
    scanned = MAX_SCANNED if sought.is_narrowed else limit + 1
    taken = scanned if sought.words else limit + 1
    base = sought.base
    found = getattr(sql, f"found_of_{base}")
    rows = await reader.all(found, **sought.binds(*_SOUGHT), max_scanned=scanned, limit=taken)
    events: list[dict[str, Any]] = []
    for number, row in enumerate(rows, 1):
        event = _event(row)
        if _holds(event, sought.words):
            if len(events) == limit:
                return events, str(events[-1]["id"])
            events.append(event)
        if number % _AT_ONCE == 0:
            await asyncio.sleep(0)
    if not sought.is_narrowed:
        return events, None
    place = sought.binds("org_id", "since", "before", *_NAMED_BY[base])
    last = await reader.one(getattr(sql, f"ended_of_{base}"), **place, passed=scanned - 1)
    return events, None if last is None else str(last["id"])


async def count_days(reader: Reader, sought: Sought, since_ms: int, until_ms: int) -> list[dict[str, Any]]:
    """Returns how many events each day in UTC has, the oldest first."""
    days = [
        (rfc3339(day).partition("T")[0], first_id("evt", day), first_id("evt", day + DAY_MS))
        for day in range(since_ms - since_ms % DAY_MS, until_ms, DAY_MS)
    ]
    base = "team" if sought.base == "target" else sought.base
    named = sought.binds("org_id", *_COUNTED_BY[base])
    counted = getattr(sql, f"days_of_{base}")
    rows = await reader.all(counted, **named, days=json.dumps(days), max_counted=MAX_COUNTED + 1)
    counts = {str(row["day"]): int(row["events"]) for row in rows}
    return [
        {"day": day, "events": min(counts[day], MAX_COUNTED), "more": counts[day] > MAX_COUNTED}
        for day, _, _ in days
    ]


def _event(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "at": rfc3339(row["at"]),
        "actor": {"id": row["actor_id"], "name": row["actor_name"]},
        "action": row["action"],
        "target": {"type": row["target_type"], "id": row["target_id"]},
        "detail": _without_names(json.loads(row["detail"])),
        "request_id": row["request_id"],
    }


def _without_names(detail: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _without_names(value) if isinstance(value, dict) else value
        for name, value in detail.items()
        if name not in _NAMES
    }


def _holds(event: Mapping[str, Any], words: Sequence[str]) -> bool:
    """Tells whether all of the words stand in what is shown of an event."""
    if not words:
        return True
    shown = (event["actor"]["name"], event["action"], *event["target"].values(), event["request_id"])
    text = " ".join(part for part in shown if part) + json.dumps(event["detail"], ensure_ascii=False)
    folded = text.casefold()
    return all(word in folded for word in words)


async def team_audit(call: Call) -> Reply:
    return await _found(call, _sought(call, call.principal.team_id))


async def org_audit(call: Call) -> Reply:
    return await _found(call, _sought(call, ""))


async def team_audit_days(call: Call) -> Reply:
    return await _days(call, _sought(call, call.principal.team_id))


async def org_audit_days(call: Call) -> Reply:
    return await _days(call, _sought(call, ""))


def _sought(call: Call, team_id: str) -> Sought:
    query = call.query
    since, until = time_bounds(call.query)
    return Sought(
        org_id=call.principal.org_id,
        team_id=team_id,
        actor=query.get("actor", ""),
        target=query.get("target", ""),
        action=query.get("action", ""),
        words=tuple(query.get("q", "").casefold().split()),
        since=_BEFORE_EVERY_ID if since is None else first_id("evt", since),
        before=_AFTER_EVERY_ID if until is None else first_id("evt", until),
    )


async def _found(call: Call, sought: Sought) -> Reply:
    before, wanted = page_bounds(call.query)
    if before is not None:
        sought = replace(sought, before=min(before, sought.before))
    async with call.read() as reader:
        found, last = await find(reader, sought, wanted - 1)
    return page([*found], None if last is None else encode_cursor(last))


async def _days(call: Call, sought: Sought) -> Reply:
    since, until = time_bounds(call.query)
    until = call.now_ms + 1 if until is None else until
    since = until - DAYS * DAY_MS if since is None else since
    if until - since > MAX_DAYS * DAY_MS:
        raise InvalidRequest.at("?from", f"lies more than {MAX_DAYS} days before the end; ask for fewer")
    async with call.read() as reader:
        return page(await count_days(reader, sought, since, until), None)


HANDLERS = {one.__name__: one for one in (team_audit, org_audit, team_audit_days, org_audit_days)}
