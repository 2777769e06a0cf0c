"""An address of ours that starts a workflow: how it is stored, and how the API shows it and what came in."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builtin_plugins.webhooks.webhook import Stop, stored_stop
from guildhall_sdk import Row, load_queries, rfc3339, rfc3339_or_none

hook_sql = load_queries(Path(__file__).with_name("hooks.sql"))

HOOK_IN_VAULT = "hook_in"
PLUGIN_ID = "webhooks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hook:
    """An incoming webhook at one moment; times are milliseconds since the epoch.

    It acts as its owner, in the scope of the credential that said last what it starts.
    """

    id: str
    org_id: str
    team_id: str
    workflow_slug: str
    scheme: str
    schema: Mapping[str, Any] | None
    wait_seconds: int
    enabled: bool
    owner_id: str
    owner_name: str | None
    made_with: str | None
    scope: frozenset[str] | None
    last_at: int | None
    stop: Stop | None
    created_at: int
    updated_at: int

    @classmethod
    def of(cls, row: Row) -> "Hook":
        return cls(
            **{name: row[name] for name in (*_WRITTEN, "owner_name", "last_at")},
            schema=None if row["schema"] is None else json.loads(row["schema"]),
            enabled=bool(row["enabled"]),
            scope=None if row["scope"] is None else frozenset(json.loads(row["scope"])),
            stop=Stop.of(row),
        )

    @property
    def goes_on(self) -> bool:
        """Whether it starts anything."""
        return self.enabled and self.stop is None

    def stored(self) -> dict[str, Any]:
        """Returns what a person says of it, as its row has it."""
        return {
            **{name: getattr(self, name) for name in _WRITTEN},
            "schema": None if self.schema is None else json.dumps(self.schema),
            "enabled": int(self.enabled),
            "scope": None if self.scope is None else json.dumps(sorted(self.scope)),
            **stored_stop(self.stop),
        }

    def public(self, base_url: str) -> dict[str, Any]:
        """Returns the address as the API shows it."""
        return {
            "id": self.id,
            "url": f"{base_url.rstrip('/')}/hooks/{self.id}",
            "workflow_slug": self.workflow_slug,
            "scheme": self.scheme,
            "schema": self.schema,
            "wait_seconds": self.wait_seconds,
            "enabled": self.enabled,
            "owner": {"id": self.owner_id, "name": self.owner_name},
            "last_at": rfc3339_or_none(self.last_at),
            "stopped": None if self.stop is None else self.stop.public(),
            "created_at": rfc3339(self.created_at),
            "updated_at": rfc3339(self.updated_at),
        }


_WRITTEN = (
    *("id", "org_id", "team_id", "workflow_slug", "scheme", "wait_seconds", "owner_id", "made_with"),
    *("created_at", "updated_at"),
)


def incoming_json(row: Row, *, with_body: bool) -> dict[str, Any]:
    """Returns what came in as the API shows it; the body is for whoever may change workflows."""
    return {
        "id": row["id"],
        "delivery_key": row["delivery_key"],
        "state": row["state"],
        "run_id": row["run_id"],
        "replay_of": row["replay_of"],
        "error": row["error"],
        "size": row["size"],
        "body": row["body"] if with_body else None,
        "created_at": rfc3339(row["created_at"]),
    }
