"""Events of a job: what it says while it runs, kept so that a follower can take it up again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from guildhall_sdk.data import Writer


@dataclass(frozen=True, slots=True)
class NewJobEvent:
    """One event: its name, and data that is JSON."""

    event: str
    data: Mapping[str, Any]


class JobEvents(Protocol):
    """Appends to what `GET /api/jobs/:id/events` sends; its followers are woken in every process."""

    async def append(self, writer: Writer, job_id: str, events: Sequence[NewJobEvent]) -> None:
        """Adds events in their order. Call it now and then with several, not for each word of a model."""
        ...
