"""A schedule: what it starts and when, how it is stored, and how the API shows it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from builtin_plugins.schedules.times import Times, times_of, upcoming
from guildhall_sdk import Host, Row, Writer, load_queries, rfc3339, rfc3339_or_none
from guildhall_sdk.services.pages import LiveLists

sql = load_queries(Path(__file__).with_name("queries.sql"))

ID_PREFIX = "sch"
LIST = "/api/schedules"
READ, WRITE, RUN, FEATURE = "workflows:read", "workflows:write", "workflows:run", "workflows"

Missed = Literal["none", "last", "all"]
Overlap = Literal["skip", "queue", "cancel"]
#: Why nothing was started at a time.
Skipped = Literal["missed", "overlap", "feature_disabled", "plugin_off", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Why a schedule cannot go on."""

    code: str
    message: str
    at: int

    def public(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message, "at": rfc3339(self.at)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A schedule at one moment; times are milliseconds since the epoch.

    It acts as its owner, in the scope of the credential that said last what it starts; `made_with` is the API
    token behind that, if any. `begins` is where the grid of `every_seconds` begins. `due_at` is the next
    time that is decided on, None while nothing is to come; those up to `queued_until` wait for the run
    before. `plugin` and `name` say whose ready-made one it is, `ready` as what it was last taken over and
    `changed` that the team has it otherwise since.
    """

    id: str
    org_id: str
    team_id: str
    workflow_slug: str
    cron: str | None
    every_seconds: int | None
    timezone: str
    begins: int
    input: Mapping[str, Any]
    missed: Missed
    overlap: Overlap
    enabled: bool
    owner_id: str | None
    owner_name: str | None
    made_with: str | None
    scope: frozenset[str] | None
    due_at: int | None
    queued_until: int | None
    job_id: str | None
    last_run_id: str | None
    last_at: int | None
    last_skipped: str | None
    stop: Stop | None
    plugin: str | None
    name: str | None
    ready: str | None
    changed: bool
    created_at: int
    updated_at: int

    @classmethod
    def of(cls, row: Row) -> "Schedule":
        same = {name: row[name] for name in _AS_THEY_ARE}
        stop = None
        if row["stopped_code"] is not None:
            stop = Stop(code=row["stopped_code"], message=row["stopped_message"], at=row["stopped_at"])
        return cls(
            **same,
            input=json.loads(row["input"]),
            enabled=bool(row["enabled"]),
            changed=bool(row["changed"]),
            scope=None if row["scope"] is None else frozenset(json.loads(row["scope"])),
            stop=stop,
        )

    @property
    def times(self) -> Times:
        """When it comes."""
        return times_of(self.cron, self.every_seconds, self.timezone, self.begins)

    @property
    def goes_on(self) -> bool:
        """Whether it starts anything."""
        return self.enabled and self.stop is None

    def stored(self) -> dict[str, Any]:
        """Returns what a person or a plugin says of it, as its row has it."""
        given = encoded(self.input)
        return {
            **{name: getattr(self, name) for name in _WRITTEN},
            "input": given,
            "size": len(given),
            "enabled": int(self.enabled),
            "changed": int(self.changed),
            "scope": None if self.scope is None else json.dumps(sorted(self.scope)),
            "stopped_code": None if self.stop is None else self.stop.code,
            "stopped_message": None if self.stop is None else self.stop.message,
            "stopped_at": None if self.stop is None else self.stop.at,
        }

    def public(self, now: int) -> dict[str, Any]:
        """Returns the schedule as the API shows it."""
        owner = None if self.owner_id is None else {"id": self.owner_id, "name": self.owner_name}
        return {
            **{name: getattr(self, name) for name in _SHOWN},
            "owner": owner,
            "source": self.plugin,
            "next": [rfc3339(time) for time in upcoming(self.times, now)],
            "last_at": rfc3339_or_none(self.last_at),
            "stopped": None if self.stop is None else self.stop.public(),
            "created_at": rfc3339(self.created_at),
            "updated_at": rfc3339(self.updated_at),
        }


_SHOWN = (
    *("id", "workflow_slug", "cron", "every_seconds", "timezone", "input", "missed", "overlap", "enabled"),
    *("last_run_id", "last_skipped", "name"),
)
_WRITTEN = (
    *("id", "org_id", "team_id", "workflow_slug", "cron", "every_seconds", "timezone", "begins", "missed"),
    *("overlap", "owner_id", "made_with", "due_at", "queued_until", "plugin", "name", "ready"),
    *("created_at", "updated_at"),
)
_AS_THEY_ARE = (*_WRITTEN, "owner_name", "job_id", "last_run_id", "last_at", "last_skipped")
#: What a new schedule has not: an owner until somebody takes it over, and a past.
NOTHING_YET: Mapping[str, Any] = {
    **dict.fromkeys(("owner_id", "owner_name", "made_with", "scope", "due_at", "queued_until", "job_id")),
    **dict.fromkeys(("last_run_id", "last_at", "last_skipped", "stop")),
    "changed": False,
}


def encoded(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def list_changed(host: Host, writer: Writer, *teams: str) -> None:
    """Says that the schedules of teams have changed, once the transaction has ended."""
    writer.after_commit(partial(host.service(LiveLists).changed, LIST, *teams))
