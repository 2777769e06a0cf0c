"""A trigger: what it matches, how it is stored, and how the API shows it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from guildhall_sdk import InvalidRequest, Row, load_queries, rfc3339

sql = load_queries(Path(__file__).with_name("queries.sql"))
#: The path of the row that lists triggers: said to be changed with what they are and with what they did.
LIST = "/api/doc-triggers"

MAX_PREFIX_BYTES = 1024
MAX_TYPES = 50
MAX_TYPE = 255
ANY = "*/*"
_WORD = r"[A-Za-z0-9!#$&^_.+-]+"
_TYPE = re.compile(rf"\*/\*|{_WORD}/(?:\*|{_WORD})")


def check_prefix(prefix: str) -> str:
    """Raises `InvalidRequest` for what no key can begin with."""
    try:
        length = len(prefix.encode())
    except UnicodeEncodeError:
        raise InvalidRequest.at("/match_prefix", "is not UTF-8") from None
    if length > MAX_PREFIX_BYTES or "\0" in prefix:
        raise InvalidRequest.at(
            "/match_prefix", f"takes {MAX_PREFIX_BYTES} bytes of UTF-8 without U+0000, as a key does"
        )
    return prefix


def check_types(types: Sequence[str]) -> Sequence[str]:
    """Raises `InvalidRequest` that names every type which is none."""
    wrong = [number for number, one in enumerate(types) if not _TYPE.fullmatch(one)]
    if wrong:
        message = "must be a media type such as text/plain, text/* or */*, without parameters"
        errors = [{"pointer": f"/match_types/{number}", "message": message} for number in wrong]
        raise InvalidRequest(f"{errors[0]['pointer']}: {message}", errors=errors)
    return types


def spellings(types: Sequence[str]) -> list[str]:
    """Returns the types as they are looked up, each once; no type is any."""
    return sorted({one.lower() for one in types}) or [ANY]


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
