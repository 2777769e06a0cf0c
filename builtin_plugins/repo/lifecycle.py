"""The rules of each team: read, set with a day's notice, and what they would delete now."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from builtin_plugins.repo import lifecycle_rules
from builtin_plugins.repo.lifecycle_rules import DAY_MS, AppliedRules, Rules, Uses
from guildhall_sdk import Principal, Reader, Row, Writer, load_queries, rfc3339, rfc3339_or_none
from guildhall_sdk.commands import OpenedHost
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.retention import RetainedByTeams
from guildhall_sdk.services.stored_objects import MAX_KEPT

sql = load_queries(Path(__file__).with_name("lifecycle.sql"))

NOTICE_MS = DAY_MS
_NEVER = 2**62
_MAX_LOOKED_AT = 5_000
_PAGE = 500
_MAX_TEAMS = 100


class Lifecycle(NamedTuple):
    """The rules of a team, when they hold, and what has gone by them so far."""

    rules: Rules = ()
    holds_from: int | None = None
    versions: int = 0
    bytes: int = 0


class Preview(NamedTuple):
    """What would go now. Not `complete`, there is more than was looked at."""

    versions: int
    markers: int
    deleted_objects: int
    bytes: int
    complete: bool

    def public(self) -> dict[str, Any]:
        return {
            "versions": self.versions,
            "markers": self.markers,
            "deleted_objects": self.deleted_objects,
            "bytes": self.bytes,
            "complete": self.complete,
        }


async def of_team(reader: Reader, team_id: str, org_id: str) -> Lifecycle:
    row = await reader.one(sql.of_team, team_id=team_id, org_id=org_id)
    if row is None:
        return Lifecycle()
    found = lifecycle_rules.decode(row["rules"])
    return Lifecycle(found, row["holds_from"] if found else None, row["versions"], row["bytes"])


async def set_rules(writer: Writer, who: Principal, rules: Rules, now_ms: int) -> None:
    """Sets the rules of the caller's team. Those that could delete more hold a day later."""
    lifecycle_rules.check(rules)
    await writer.serialize(f"lifecycle:{who.team_id}")
    before = await of_team(writer, who.team_id, who.org_id)
    if list(before.rules) == list(rules):
        return
    holds_from = now_ms + NOTICE_MS
    if lifecycle_rules.milder(rules, before.rules):
        holds_from = max(now_ms, before.holds_from or now_ms)
    await writer.run(
        sql.set_rules,
        team_id=who.team_id,
        org_id=who.org_id,
        user_id=who.user_id,
        rules=lifecycle_rules.encode(rules),
        holds_from=holds_from,
        due_at=holds_from if rules else _NEVER,
        now=now_ms,
    )
    detail = {"rules": len(rules), "holds_from": rfc3339(holds_from)}
    writer.audit("lifecycle.set" if rules else "lifecycle.deleted", ("team", who.team_id), detail=detail)


def public(lifecycle: Lifecycle, preview: Preview) -> dict[str, Any]:
    """Returns the rules as the API shows them, with what they would delete now."""
    return {
        "rules": [
            {
                "id": rule.id,
                "enabled": rule.enabled,
                "prefix": rule.prefix,
                "old_version_days": rule.old_version_days,
                "keep_old_versions": rule.keep_old_versions,
                "empty_markers": rule.empty_markers,
                "deleted_days": rule.deleted_days,
            }
            for rule in lifecycle.rules
        ],
        "holds_from": rfc3339_or_none(lifecycle.holds_from),
        "preview": preview.public(),
        "thrown_away": {"versions": lifecycle.versions, "bytes": lifecycle.bytes},
    }


async def preview_of(reader: Reader, team_id: str, rules: Rules, now_ms: int, uses: Uses) -> Preview:
    """Returns what would go now, whether or not the rules hold yet; of very much only a part is counted."""
    applied = AppliedRules(rules, now_ms)
    old, old_whole = await _old(reader, team_id, applied)
    deleted, deleted_whole = await _deleted(reader, team_id, applied)
    vacant, vacant_whole = await _vacant(reader, team_id, applied)
    needed = await uses.of(reader, team_id, old)
    old = [row for row in old if row["id"] not in needed]
    deleted = await _unneeded(reader, team_id, deleted, uses)
    vacant = await _unneeded(reader, team_id, vacant, uses)
    ids = json.dumps([row["id"] for row in deleted])
    size = await reader.one(sql.size_of_deleted, ids=ids, limit=_MAX_LOOKED_AT)
    assert size is not None
    in_bin = {row["id"] for row in deleted}
    # What goes with a deleted object is counted there.
    apart = [row for row in old if row["object_id"] not in in_bin]
    return Preview(
        versions=sum(not row["marker"] for row in apart),
        markers=sum(bool(row["marker"]) for row in apart) + len(vacant),
        deleted_objects=len(deleted),
        bytes=sum(row["size"] for row in apart) + size["bytes"],
        complete=old_whole and deleted_whole and vacant_whole and size["versions"] < _MAX_LOOKED_AT,
    )


async def _old(reader: Reader, team_id: str, applied: AppliedRules) -> tuple[list[Row], bool]:
    if applied.old_until is None:
        return [], True
    going: list[Row] = []
    place: dict[str, Any] = {"after_time": -1, "after_name": ""}
    for _ in range(_MAX_LOOKED_AT // _PAGE):
        rows = await reader.all(
            sql.old_versions,
            team_id=team_id,
            until=applied.old_until,
            max_kept=MAX_KEPT,
            limit=_PAGE,
            **place,
        )
        going += [row for row in rows if applied.version_goes(row) and not row["referred"]]
        if len(rows) < _PAGE:
            return going, True
        place = {"after_time": rows[-1]["old_since"], "after_name": rows[-1]["id"]}
    return going, False


async def _deleted(reader: Reader, team_id: str, applied: AppliedRules) -> tuple[list[Row], bool]:
    if applied.deleted_until is None:
        return [], True
    place = {"after_time": -1, "after_name": "", "limit": _MAX_LOOKED_AT}
    rows = await reader.all(sql.deleted_objects, team_id=team_id, until=applied.deleted_until, **place)
    going = [row for row in rows if applied.deleted_goes(row) and not row["referred"]]
    return going, len(rows) < _MAX_LOOKED_AT


async def _vacant(reader: Reader, team_id: str, applied: AppliedRules) -> tuple[list[Row], bool]:
    if not applied.about_markers:
        return [], True
    rows = await reader.all(sql.vacant_objects, team_id=team_id, after_name="", limit=_MAX_LOOKED_AT)
    going = [row for row in rows if applied.markers_go(row) and not row["referred"]]
    return going, len(rows) < _MAX_LOOKED_AT


async def _unneeded(reader: Reader, team_id: str, objects: list[Row], uses: Uses) -> list[Row]:
    """Returns the objects of which nobody needs a version."""
    ids = json.dumps([row["id"] for row in objects])
    versions = await reader.all(sql.first_versions, ids=ids, limit=_MAX_LOOKED_AT)
    needed = await uses.of(reader, team_id, versions)
    kept = {row["object_id"] for row in versions if row["id"] in needed}
    return [row for row in objects if row["id"] not in kept]


async def _describe(host: OpenedHost, now_ms: int) -> Sequence[str]:
    uses = Uses(host.service(Plugins))
    async with host.data.read() as reader:
        return await _lines(reader, now_ms, uses)


async def _lines(reader: Reader, now_ms: int, uses: Uses) -> Sequence[str]:
    rows = await reader.all(sql.all_rules, limit=_MAX_TEAMS + 1)
    lines = []
    for row in rows[:_MAX_TEAMS]:
        rules = lifecycle_rules.decode(row["rules"])
        preview = await preview_of(reader, row["team_id"], rules, now_ms, uses)
        when = "now" if row["holds_from"] <= now_ms else f"from {rfc3339(row['holds_from'])}"
        lines.append(
            f"{row['slug']}, to be thrown away {when}: {'' if preview.complete else 'at least '}"
            f"{preview.versions:,} versions, {preview.markers:,} delete markers and"
            f" {preview.deleted_objects:,} deleted objects, {preview.bytes:,} bytes;"
            f" thrown away so far: {row['versions']:,} versions, {row['bytes']:,} bytes"
        )
    if len(rows) > _MAX_TEAMS:
        lines.append("and more teams")
    return lines or ["no team has a rule: nothing is thrown away"]


OLD_VERSIONS = RetainedByTeams(
    name="versions",
    title="old versions, delete markers and deleted objects, by the rules of each team",
    describe=_describe,
)
