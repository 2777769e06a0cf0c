"""What other plugins' rows still need of versions that could go."""

import json
from collections.abc import Sequence

from guildhall_sdk import Reader, Row
from guildhall_sdk.services.description import Plugins
from guildhall_sdk.services.stored_objects import VersionsInUse


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
