"""Rules of a team: checked, stored as JSON, compared, applied to what they are about; and versions in use."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from guildhall_sdk import InvalidRequest, Reader, Row
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.services.stored_objects import MAX_RULES, LifecycleRule, VersionsInUse

DAY_MS = 24 * 3600 * 1000
Rules = Sequence[LifecycleRule]


def check(rules: Rules) -> None:
    """Raises `InvalidRequest` for rules that could not be shown over S3 as they are."""
    if len(rules) > MAX_RULES:
        raise InvalidRequest.at("rules", f"has at most {MAX_RULES} rules")
    for number, rule in enumerate(rules):
        place = f"rules[{number}]"
        if not rule.acts:
            raise InvalidRequest.at(place, "needs something to throw away")
        if rule.deleted_days is not None and (rule.old_version_days is not None or rule.empty_markers):
            raise InvalidRequest.at(place, "has deleted_days and more; make a rule of each")
        if rule.keep_old_versions and rule.old_version_days is None:
            raise InvalidRequest.at(place, "has keep_old_versions without old_version_days")
        if any(rule.id == other.id for other in rules[:number]):
            raise InvalidRequest.at(f"{place}.id", "is the id of another rule too")


def encode(rules: Rules) -> str:
    return json.dumps([asdict(rule) for rule in rules], ensure_ascii=False)


def decode(stored: str) -> tuple[LifecycleRule, ...]:
    return tuple(LifecycleRule(**fields) for fields in json.loads(stored))


def milder(rules: Rules, before: Rules) -> bool:
    """Tells whether the rules delete nothing that those before them would not."""
    live = [rule for rule in before if rule.enabled]
    return all(_covered(rule, [one for one in live if rule.prefix.startswith(one.prefix)]) for rule in rules)


def _covered(rule: LifecycleRule, before: Rules) -> bool:
    if not rule.enabled:
        return True
    return (
        (rule.old_version_days is None or any(_older(rule, one) for one in before))
        and (not rule.empty_markers or any(one.empty_markers for one in before))
        and (
            rule.deleted_days is None
            or any(one.deleted_days is not None and one.deleted_days <= rule.deleted_days for one in before)
        )
    )


def _older(rule: LifecycleRule, before: LifecycleRule) -> bool:
    return (
        before.old_version_days is not None
        and rule.old_version_days is not None
        and before.old_version_days <= rule.old_version_days
        and before.keep_old_versions <= rule.keep_old_versions
    )


class AppliedRules:
    """Applies the rules of a team at one time."""

    def __init__(self, rules: Rules, now_ms: int) -> None:
        self._rules = [rule for rule in rules if rule.enabled]
        self._now = now_ms

    @property
    def old_until(self) -> int | None:
        """The time of the youngest old versions that a rule is about; None without such a rule."""
        return self._until(rule.old_version_days for rule in self._rules)

    @property
    def deleted_until(self) -> int | None:
        return self._until(rule.deleted_days for rule in self._rules)

    @property
    def about_markers(self) -> bool:
        return any(rule.empty_markers or rule.deleted_days is not None for rule in self._rules)

    def version_goes(self, row: Row) -> bool:
        return any(
            rule.old_version_days is not None
            and row["key"].startswith(rule.prefix)
            and row["old_since"] <= self._now - rule.old_version_days * DAY_MS
            and row["newer"] >= rule.keep_old_versions
            for rule in self._rules
        )

    def deleted_goes(self, row: Row) -> bool:
        return any(
            rule.deleted_days is not None
            and row["key"].startswith(rule.prefix)
            and row["updated_at"] <= self._now - rule.deleted_days * DAY_MS
            for rule in self._rules
        )

    def markers_go(self, row: Row) -> bool:
        """Tells whether an object of nothing but delete markers goes."""
        empty = any(rule.empty_markers and row["key"].startswith(rule.prefix) for rule in self._rules)
        return empty or self.deleted_goes(row)

    def _until(self, days: Iterable[int | None]) -> int | None:
        given = [one for one in days if one is not None]
        return self._now - min(given) * DAY_MS if given else None


class Uses:
    """Asks every plugin that says which versions it needs."""

    def __init__(self, plugins: Plugins) -> None:
        self._uses = [uses for _, uses in plugins.owned(VersionsInUse)]

    async def of(self, reader: Reader, team_id: str, rows: Sequence[Row]) -> set[str]:
        """Returns the ids of those versions of a team that are needed."""
        if not rows:
            return set()
        versions = json.dumps([[row["object_id"], row["number"], row["id"]] for row in rows])
        needed: set[str] = set()
        for uses in self._uses:
            found = await reader.all(uses.statement, team_id=team_id, versions=versions)
            needed.update(row["version_id"] for row in found)
        return needed
