"""Feature flags: what plugins declare, and what each team turned on or off."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from guildhall_sdk import Clock, Feature, NotFound, Reader, Writer, load_queries

sql = load_queries(Path(__file__).with_name("toggles.sql"))


class TeamFeatures:
    """The SDK's `Features`. A feature that nobody declared is off for everyone."""

    def __init__(self, declared: Sequence[Feature], clock: Clock) -> None:
        self._clock = clock
        self.declare(declared)

    def declare(self, declared: Sequence[Feature]) -> None:
        """These and no others, from now on."""
        self._declared = {feature.name: feature for feature in declared}

    async def listing(self, reader: Reader, team_id: str) -> list[dict[str, Any]]:
        rows = await reader.all(sql.toggles_of_team, team_id=team_id, kind="feature")
        chosen = {row["name"]: bool(row["enabled"]) for row in rows}
        return [
            {
                "name": name,
                "description": feature.description,
                "enabled": chosen.get(name, feature.enabled_by_default),
            }
            for name, feature in sorted(self._declared.items())
        ]

    async def enabled(self, reader: Reader, team_id: str, name: str) -> bool:
        if name not in self._declared:
            return False
        chosen = await reader.value(sql.toggle, team_id=team_id, kind="feature", name=name)
        return self._declared[name].enabled_by_default if chosen is None else bool(chosen)

    async def set(self, writer: Writer, team_id: str, name: str, enabled: bool) -> None:
        if name not in self._declared:
            raise NotFound("There is no feature of this name.")
        now = self._clock.now_ms()
        await writer.run(
            sql.set_toggle, team_id=team_id, kind="feature", name=name, enabled=int(enabled), now=now
        )
