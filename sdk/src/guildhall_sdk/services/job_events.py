"""Events of a job: what it says while it runs, kept so that a follower can take it up again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from guildhall_sdk.data import Writer
from guildhall_sdk.jobs import Job, JobCall

#: The events that end a stream: nothing of the job is sent after one of these.
FINAL_EVENTS = ("done", "error")


@dataclass(frozen=True, slots=True)
class NewJobEvent:
    """One event: its name, and data that is JSON."""

    event: str
    data: Mapping[str, Any]


class JobEvents(Protocol):
    """Appends to what `GET /api/jobs/:id/events` sends; its followers are woken in every process.

    Events are kept as long as their job. `done` and `error` end a stream; a job that ends without one of
    them is told of by a `done` with the job itself.
    """

    async def begin(self, writer: Writer, job: JobCall) -> None:
        """Begins an attempt: what an earlier one said goes, and `restart` tells its followers so.

        Call it before the first `append` of a handler. An earlier attempt that still runs appends nothing
        from here on.
        """
        ...

    async def append(self, writer: Writer, job: JobCall | Job, events: Sequence[NewJobEvent]) -> None:
        """Adds events in their order: of the attempt that runs, or in `JobKind.ended` of the job.

        Call it now and then with several, not for each word of a model. Raises `Conflict` `stale_claim` for
        an attempt after which another has begun, or whose job has ended.
        """
        ...
