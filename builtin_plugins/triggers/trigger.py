"""A trigger, as it is stored and as the API shows it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from guildhall_sdk import Row, rfc3339

#: Why a version that a trigger matched started no run.
Reason = Literal[
    "no_permission",
    "derived",
    "feature_disabled",
    "quota",
    "suspended",
    "workflow_missing",
    "invalid_input",
    "loop",
    "budget",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """A trigger at one moment; times are milliseconds since the epoch."""

    id: str
    org_id: str
    team_id: str
    workflow_slug: str
    match_prefix: str
    match_types: Sequence[str]
    input: Mapping[str, Any]
    fire_on_derived: bool
    enabled: bool
    created_by: str
    created_at: int
    updated_at: int

    @classmethod
    def of(cls, row: Row) -> "Trigger":
        return cls(
            id=row["id"],
            org_id=row["org_id"],
            team_id=row["team_id"],
            workflow_slug=row["workflow_slug"],
            match_prefix=row["match_prefix"],
            match_types=json.loads(row["match_types"]),
            input=json.loads(row["input"]),
            fire_on_derived=bool(row["fire_on_derived"]),
            enabled=bool(row["enabled"]),
            created_by=row["created_by"],
            created_at=row["created_at"],
            updated_at=row["updated_at"],
        )

    def public(self) -> dict[str, Any]:
        """Returns the trigger as the API shows it."""
        return {
            "id": self.id,
            "workflow_slug": self.workflow_slug,
            "match_prefix": self.match_prefix,
            "match_types": list(self.match_types),
            "input": self.input,
            "fire_on_derived": self.fire_on_derived,
            "enabled": self.enabled,
            "created_by": self.created_by,
            "created_at": rfc3339(self.created_at),
            "updated_at": rfc3339(self.updated_at),
        }
