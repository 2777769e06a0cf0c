"""What the API says about schedules."""

from typing import Any, Literal, TypedDict


class ScheduleOwner(TypedDict):
    id: str
    name: str | None


class ScheduleStopped(TypedDict):
    at: str
    code: str
    message: str


class Schedule(TypedDict):
    created_at: str
    cron: str | None
    enabled: bool
    every_seconds: int | None
    id: str
    input: dict[str, Any]
    last_at: str | None
    last_run_id: str | None
    last_skipped: Literal["missed", "overlap", "feature_disabled", "plugin_off", "failed", "cancelled"] | None
    missed: Literal["none", "last", "all"]
    name: str | None
    #: The next 5 times from now on, whether or not it is on
    next: list[str]
    overlap: Literal["skip", "queue", "cancel"]
    owner: ScheduleOwner | None
    source: str | None
    stopped: ScheduleStopped | None
    timezone: str
    updated_at: str
    workflow_slug: str


class SchedulePage(TypedDict):
    items: list[Schedule]
    next_cursor: str | None


class ScheduleRunReply(TypedDict):
    id: str
    input: Any
    state: str
    trigger_id: str | None


__all__ = ["Schedule", "ScheduleOwner", "SchedulePage", "ScheduleRunReply", "ScheduleStopped"]
