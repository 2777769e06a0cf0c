"""What the API says about audit."""

from typing import Any, TypedDict


class AuditActor(TypedDict):
    id: str | None
    name: str


class AuditTarget(TypedDict):
    id: str | None
    type: str | None


class Audit(TypedDict):
    #: noun.verb, such as login.succeeded
    action: str
    actor: AuditActor
    at: str
    #: from and to, where something was changed
    detail: dict[str, Any]
    id: str
    request_id: str | None
    target: AuditTarget


class AuditPage(TypedDict):
    items: list[Audit]
    next_cursor: str | None


class AuditDaysItem(TypedDict):
    #: In UTC
    day: str
    events: int
    #: There are more than are counted
    more: bool


class AuditDays(TypedDict):
    items: list[AuditDaysItem]
    next_cursor: str | None


__all__ = ["Audit", "AuditActor", "AuditDays", "AuditDaysItem", "AuditPage", "AuditTarget"]
