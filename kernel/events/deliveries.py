"""Delivering events: a job for each event and subscription."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from guildhall_sdk import EventCall, JobCall, JobFailed, JobKind, NewJob, Origin, Row, Writer
from guildhall_sdk.jobs import running_job
from guildhall_sdk.subscriptions import JOB_ENDED, JobEnded
from kernel.events.outbox import Listener, Outbox, is_delivery, sql
from kernel.logs import get_logger
from kernel.scheduler.callbacks import at_depth
from kernel.scheduler.core import JobEvents
from kernel.scheduler.rows import scope_of

MAX_DEPTH = 8
#: Behind what people asked for themselves.
PRIORITY = -10
_log = get_logger("events")
_ENDED = ("succeeded", "failed", "cancelled")


@dataclass(frozen=True, slots=True)
class Delivered:
    """One attempt at one delivery, and how it went."""

    subscription: str
    event: str
    payload: Any
    attempt: int
    error: str | None


def job_for(row: Row, listener: Listener) -> NewJob:
    """Makes the job that delivers what a row of the outbox holds."""
    scope = None if row["scope"] is None else json.loads(row["scope"])
    payload = {
        "delivery": row["id"],
        "event_id": row["event_id"],
        "event": row["event"],
        "payload": json.loads(row["payload"]),
        "matches": None if row["matches"] is None else json.loads(row["matches"]),
        "at": row["created_at"],
        "depth": row["depth"],
        "credential_id": row["credential_id"],
        "scope": scope,
    }
    return NewJob(
        row["subscription"],
        row["org_id"],
        row["team_id"],
        row["user_id"],
        payload,
        priority=PRIORITY,
        max_attempts=listener.subscription.max_attempts,
        asked_with=row["credential_id"],
        scope=None if scope is None else frozenset(scope),
    )


class Deliveries(JobEvents):
    """The kinds of jobs that deliver, and what becomes of these jobs."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        #: For tests: told of every attempt.
        self.observer: Callable[[Delivered], None] | None = None
        self._under_way: dict[str, Delivered] = {}
        #: Called when one ended and makes room for the next.
        self.on_room: Callable[[], None] = lambda: None

    def kinds(self) -> list[JobKind]:
        return [
            JobKind(
                listener.kind,
                listener.subscription.doc,
                handler=partial(self._deliver, listener),
                max_attempts=listener.subscription.max_attempts,
                timeout_seconds=listener.subscription.timeout_seconds,
                public=False,
                outlives_person=True,
            )
            for listener in self._outbox.listeners
        ]

    def kind_of_another(self, name: str) -> JobKind | None:
        """Returns a kind for a delivery whose plugin is not here: it waits until a server has it."""
        if not is_delivery(name):
            return None
        return JobKind(name, "Waits for its plugin.", handler=self._put_back, public=False)

    async def jobs_ended(self, writer: Writer, rows: Sequence[Row]) -> None:
        """Records the ends in their transaction; a delivery that succeeded leaves no job behind."""
        ended = [row["id"] for row in rows if row["state"] in _ENDED and not is_delivery(row["kind"])]
        delivered = [row["id"] for row in rows if row["state"] == "succeeded" and is_delivery(row["kind"])]
        if self.observer is not None:
            await self._observe(writer, [row for row in rows if row["id"] in self._under_way], self.observer)
        if delivered:
            await writer.run(sql.forget_jobs, ids=json.dumps(delivered))
        if len(ended) < len(rows):
            writer.after_commit(self.on_room)
        if ended and self._outbox.wanted(JOB_ENDED):
            found = await writer.all(sql.ended_jobs, ids=json.dumps(ended))
            # A plugin's job in a team that is none of its company's: others share this transaction.
            for lost in await self._outbox.emit_deep(writer, JOB_ENDED, [_job_ended(row) for row in found]):
                _log.warning("event.without_team", event=JOB_ENDED.name, team=lost["team_id"])

    async def _observe(
        self, writer: Writer, rows: Sequence[Row], observer: Callable[[Delivered], None]
    ) -> None:
        """Tells of attempts as they are recorded: what an effect raised is known only now."""
        failed = [row["id"] for row in rows if row["state"] != "succeeded"]
        found = await writer.all(sql.error_codes, ids=json.dumps(failed)) if failed else ()
        codes = {row["id"]: row["error_code"] or "failed" for row in found}
        ends = [replace(self._under_way[row["id"]], error=codes.get(row["id"])) for row in rows]

        def tell() -> None:
            for row, end in zip(rows, ends, strict=True):
                self._under_way.pop(row["id"], None)
                observer(end)

        writer.after_commit(tell)

    async def _deliver(self, listener: Listener, job: JobCall) -> None:
        if self.observer is not None:
            content = job.payload
            self._under_way[job.id] = Delivered(
                job.kind, content["event"], content["payload"], job.attempt, None
            )
        await self._hand_over(listener, job)

    async def _hand_over(self, listener: Listener, job: JobCall) -> None:
        content = job.payload
        if content["depth"] > MAX_DEPTH:
            _log.warning(
                "event.loop", subscription=job.kind, event=content["event"], team=job.team_id, depth=MAX_DEPTH
            )
            raise JobFailed(
                "event_loop",
                f"{MAX_DEPTH} events led to one another; reacting to {content['event']} causes it again.",
            )
        depth = content["depth"]
        call = EventCall(
            id=content["delivery"],
            event=content["event"],
            event_id=content["event_id"],
            payload=listener.restored(content["payload"]),
            at=content["at"],
            attempt=job.attempt,
            origin=Origin(
                org_id=job.org_id,
                team_id=job.team_id,
                user_id=job.user_id,
                credential_id=content["credential_id"],
                scope=None if content["scope"] is None else frozenset(content["scope"]),
            ),
            job=job,
            host=job.host,
            on_success=lambda effect: job.on_success(at_depth(depth, effect)),
            # A job that was made before there were any has none.
            matches=content.get("matches"),
        )
        before = running_job.set(replace(running_job.get(), depth=depth))
        try:
            await listener.subscription.handler(call)
        finally:
            running_job.reset(before)

    async def _put_back(self, job: JobCall) -> None:
        content = job.payload
        row = {
            "id": content["delivery"],
            "event_id": content["event_id"],
            "event": content["event"],
            "subscription": job.kind,
            "org_id": job.org_id,
            "team_id": job.team_id,
            "user_id": job.user_id,
            "credential_id": content["credential_id"],
            "scope": None if content["scope"] is None else json.dumps(content["scope"]),
            "depth": content["depth"],
            "payload": json.dumps(content["payload"]),
            "matches": None if content.get("matches") is None else json.dumps(content["matches"]),
            "created_at": content["at"],
        }

        async def keep(writer: Writer) -> None:
            await writer.all(sql.record, deliveries=json.dumps([row]))

        _log.warning("event.put_back", subscription=job.kind, event=content["event"], delivery=row["id"])
        job.on_success(keep)


def _job_ended(row: Row) -> tuple[JobEnded, Origin, int]:
    payload = JobEnded(
        job_id=row["id"],
        kind=row["kind"],
        state=row["state"],
        attempt=row["attempt"],
        error=row["error_code"],
    )
    origin = Origin(
        org_id=row["org_id"],
        team_id=row["team_id"],
        user_id=row["user_id"],
        credential_id=row["asked_with"],
        scope=scope_of(row),
    )
    return payload, origin, row["depth"]
