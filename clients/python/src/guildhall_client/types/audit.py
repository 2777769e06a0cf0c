"""What the API says about audit."""

from typing import Any, TypedDict


class AuditEventActor(TypedDict):
    id: str | None
    name: str


class AuditEventTarget(TypedDict):
    id: str | None
    type: str | None


class AuditEvent(TypedDict):
    #: noun.verb, such as login.succeeded
    action: str
    actor: AuditEventActor
    at: str
    #: from and to, where something was changed
    detail: dict[str, Any]
    id: str
    request_id: str | None
    target: AuditEventTarget


class AuditEventPage(TypedDict):
    items: list[AuditEvent]
    next_cursor: str | None


class AuditEventDaysItem(TypedDict):
    #: In UTC
    day: str
    events: int
    #: There are more than are counted
    more: bool


class AuditEventDays(TypedDict):
    items: list[AuditEventDaysItem]
    next_cursor: str | None


__all__ = [
    "AuditEvent",
    "AuditEventActor",
    "AuditEventDays",
    "AuditEventDaysItem",
    "AuditEventPage",
    "AuditEventTarget",
]
