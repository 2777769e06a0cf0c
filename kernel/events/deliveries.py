"""Delivering events: a job for each event and subscription."""

import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from guildhall_sdk import EventCall, Host, JobCall, JobFailed, JobKind, NewJob, Origin, Row, Writer
from guildhall_sdk.services.pages import LiveLists
from guildhall_sdk.subscriptions import JOB_ENDED, JobEnded
from kernel.events.outbox import Listener, Outbox, is_delivery, sql
from kernel.logs import get_logger
from kernel.scheduler.callbacks import Effect, at_depth
from kernel.scheduler.rows import ENDED, scope_of

MAX_DEPTH = 8
#: Behind what people asked for themselves.
PRIORITY = -10
_log = get_logger("events")
# What a row of the outbox and the payload of its job both hold: as it is, and as JSON in the row.
_AS_THEY_ARE = ("event_id", "event", "depth", "credential_id")
_ENCODED = ("payload", "matches", "scope")


def job_for(row: Row, listener: Listener) -> NewJob:
    """Makes the job that delivers what a row of the outbox holds."""
    content = {
        "delivery": row["id"],
        "at": row["created_at"],
        **{name: row[name] for name in _AS_THEY_ARE},
        **{name: None if row[name] is None else json.loads(row[name]) for name in _ENCODED},
    }
    return NewJob(
        row["subscription"],
        row["org_id"],
        row["team_id"],
        row["user_id"],
        content,
        priority=PRIORITY,
        max_attempts=listener.subscription.max_attempts,
        asked_with=row["credential_id"],
        scope=None if content["scope"] is None else frozenset(content["scope"]),
    )


def row_of(job: JobCall) -> dict[str, Any]:
    """Makes the row of the outbox again that a job was made of."""
    content = job.payload
    # A job that was made before there were any has no matches.
    encoded = {name: content.get(name) for name in _ENCODED}
    return {
        "id": content["delivery"],
        "subscription": job.kind,
        "created_at": content["at"],
        **{name: getattr(job, name) for name in ("org_id", "team_id", "user_id")},
        **{name: content[name] for name in _AS_THEY_ARE},
        **{name: None if value is None else json.dumps(value) for name, value in encoded.items()},
    }


class Deliveries:
    """The kinds of jobs that deliver, and what becomes of these jobs."""

    def __init__(self, outbox: Outbox, host: Host) -> None:
        self._outbox = outbox
        self._host = host
        #: Called when one ended and makes room for the next.
        self.on_ended: Callable[[], None] = lambda: None

    def kinds(self) -> list[JobKind]:
        return [
            JobKind(
                listener.kind,
                listener.subscription.doc,
                handler=self._handler(listener),
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
        self.jobs_moved(writer, rows)
        ended = [row["id"] for row in rows if row["state"] in ENDED and not is_delivery(row["kind"])]
        delivered = [row["id"] for row in rows if row["state"] == "succeeded" and is_delivery(row["kind"])]
        if delivered:
            await writer.run(sql.forget_jobs, ids=json.dumps(delivered))
        if len(ended) < len(rows):
            writer.after_commit(self.on_ended)
        if ended and self._outbox.wanted(JOB_ENDED):
            found = await writer.all(sql.ended_jobs, ids=json.dumps(ended))
            # A plugin's job in a team that is none of its company's: others share this transaction.
            for lost in await self._outbox.emit_deep(writer, JOB_ENDED, [_job_ended(row) for row in found]):
                _log.warning("event.without_team", event=JOB_ENDED.name, team=lost["team_id"])

    def jobs_moved(self, writer: Writer, rows: Sequence[Row]) -> None:
        """Has the lists of these teams' jobs read again; nobody lists deliveries."""
        teams = {row["team_id"] for row in rows if not is_delivery(row["kind"])}
        if teams and (lists := self._host.find_service(LiveLists)) is not None:
            writer.after_commit(partial(lists.changed, "/api/jobs", *teams))

    def _handler(self, listener: Listener) -> Callable[[JobCall], Awaitable[None]]:
        async def handle(job: JobCall) -> None:
            await self.deliver(listener, job)

        return handle

    async def deliver(self, listener: Listener, job: JobCall) -> None:
        """Runs the handler of a subscription."""
        content = job.payload
        if content["depth"] > MAX_DEPTH:
            _log.warning(
                "event.loop", subscription=job.kind, event=content["event"], team=job.team_id, depth=MAX_DEPTH
            )
            raise JobFailed(
                "event_loop",
                f"{MAX_DEPTH} events led to one another; reacting to {content['event']} causes it again.",
            )
        depth, listener = content["depth"], self._outbox.by_event.get((job.kind, content["event"]), listener)
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
            on_success=lambda effect: job.on_success(_deeper(depth, effect)),
            # A job that was made before there were any has none.
            matches=content.get("matches"),
        )
        with at_depth(depth):
            await listener.subscription.handler(call)

    async def _put_back(self, job: JobCall) -> None:
        row = row_of(job)

        async def store(writer: Writer) -> None:
            await writer.all(sql.record, deliveries=json.dumps([row]))

        _log.warning("event.put_back", subscription=job.kind, event=row["event"], delivery=row["id"])
        job.on_success(store)


def _deeper(depth: int, effect: Effect) -> Effect:
    """Returns the effect with what it causes one level deeper than the event."""

    async def deeper(writer: Writer) -> None:
        with at_depth(depth):
            await effect(writer)

    return deeper


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
