"""What jobs said, in the database: numbered from 1 in the order it was said."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builtin_plugins.jobs.events.followers import JobFollowers
from guildhall_sdk import Conflict, Host, Job, JobCall, Reader, Writer, load_queries
from guildhall_sdk.services.jobs import NewJobEvent

sql = load_queries(Path(__file__).with_name("queries.sql"))

RESTART = "restart"
# Behind what the end of a job said no attempt adds anything.
_ENDED = 2**31 - 1


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One event; `data` is JSON."""

    number: int
    event: str
    data: str


class StoredJobEvents:
    """Implements the SDK's `JobEvents`."""

    def __init__(self, host: Host) -> None:
        self._followers = host.service(JobFollowers)

    async def begin(self, writer: Writer, job: JobCall) -> None:
        number, attempt = await _last(writer, job)
        if attempt > job.attempt:
            raise _stale()
        if number == 0 and job.attempt == 1:
            return
        # The numbers go on: whoever has seen some of these gets on with what follows.
        await writer.run(sql.drop_events, job_id=job.id, team_id=job.team_id)
        restart = NewJobEvent(RESTART, {"attempt": job.attempt})
        await self._add(writer, job, number, job.attempt, [restart])

    async def append(self, writer: Writer, job: JobCall | Job, events: Sequence[NewJobEvent]) -> None:
        attempt = _ENDED if isinstance(job, Job) else job.attempt
        number, last_attempt = await _last(writer, job)
        if last_attempt > attempt:
            raise _stale()
        await self._add(writer, job, number, attempt, events)

    async def _add(
        self,
        writer: Writer,
        job: JobCall | Job,
        number: int,
        attempt: int,
        events: Sequence[NewJobEvent],
    ) -> None:
        for place, event in enumerate(events, number + 1):
            await writer.run(
                sql.add_event,
                job_id=job.id,
                number=place,
                team_id=job.team_id,
                attempt=attempt,
                event=event.event,
                data=_encoded(event.data),
            )
        job_id = job.id
        writer.after_commit(lambda: self._followers.tell([job_id]))


async def last_number(reader: Reader, job: Job) -> int:
    """The number of the last event of a job; 0 where it has said nothing."""
    found = await reader.one(sql.last_event, job_id=job.id, team_id=job.team_id)
    return 0 if found is None else int(found["number"])


async def events_after(reader: Reader, job: Job, number: int, limit: int) -> list[StoredEvent]:
    """The events of a job behind a number, in their order."""
    rows = await reader.all(sql.events_after, job_id=job.id, team_id=job.team_id, after=number, limit=limit)
    return [StoredEvent(row["number"], row["event"], row["data"]) for row in rows]


async def _last(writer: Writer, job: JobCall | Job) -> tuple[int, int]:
    """The number and the attempt of what was said last, until the transaction ends."""
    await writer.serialize(f"job_events:{job.id}")
    found = await writer.one(sql.last_event, job_id=job.id, team_id=job.team_id)
    return (0, 0) if found is None else (found["number"], found["attempt"])


def _encoded(data: Mapping[str, Any]) -> str:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which no database takes
        return json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text


def _stale() -> Conflict:
    return Conflict("Another attempt at this job has begun, or it has ended.", code="stale_claim")
