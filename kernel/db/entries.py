"""What a write scope hands to the audit trail."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from guildhall_sdk import Actor, Writer


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One event, buffered until right before its transaction commits."""

    action: str
    target_type: str | None
    target_id: str | None
    detail: Mapping[str, Any]
    actor: Actor | None


AuditSink = Callable[[Writer, Sequence[AuditEntry]], Awaitable[None]]
