"""What waits for each address, and the one job that sends it: at once, or when something is due."""

import asyncio
from collections.abc import Mapping
from contextvars import copy_context
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from builtin_plugins.webhooks.webhook import OUT_LIST, SEND, Webhook, body_of, list_changed, sql, stop_notice
from guildhall_sdk import Actor, Host, Job, NewJob, Reader, Writer, new_id
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.notifications import notify

#: So many deliveries may wait for one address; then it is off.
MAX_WAITING = 10_000
#: An address that wants its events in order has each so long after it happened: those before are known then.
IN_ORDER_MS = 1_000
_AFTER_LOST_JOB_MS = 60_000
_PRIORITY = -5
_AT_ONCE = 100


class Happened(NamedTuple):
    """An event: its id, its name, when it happened, and the job that tells of it, if one does."""

    id: str
    name: str
    at: int
    told_by: str | None = None


class Waiting:
    """Stores what is to be sent, and has it sent. The jobs are the server's own, whoever causes an event."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._own_context = copy_context()

    async def add(
        self, writer: Writer, webhook: Webhook, event: Happened, data: Mapping[str, Any]
    ) -> str | None:
        """Stores what is to be sent of an event; told of a second time it is the same."""
        await writer.one(sql.lock, id=webhook.id, team_id=webhook.team_id)
        if await writer.value(sql.waiting, id=webhook.id) >= MAX_WAITING:
            await self.stop(writer, webhook, "too_many_waiting", "Too much waits for this address.")
            return None
        now = self._host.clock.now_ms()
        delivery_id = new_id("msg", now)
        await writer.run(
            sql.add_delivery,
            id=delivery_id,
            webhook_id=webhook.id,
            org_id=webhook.org_id,
            team_id=webhook.team_id,
            event_id=event.id,
            event=event.name,
            told_by=event.told_by,
            body=body_of(event.name, event.at, data),
            due_at=max(now, event.at + IN_ORDER_MS) if webhook.ordered else now,
            created_at=now,
        )
        await self.plan(writer, webhook)
        list_changed(self._host, writer, OUT_LIST, webhook.team_id)
        return delivery_id

    async def wake(self, writer: Writer, webhook: Webhook) -> None:
        """Has everything that waits sent now."""
        await writer.run(sql.wake, id=webhook.id, now=self._host.clock.now_ms())
        await writer.run(sql.end_rest, id=webhook.id)
        await self.plan(writer, replace(webhook, rest_until=None))

    async def plan(
        self, writer: Writer, webhook: Webhook, *, ended: str | None = None, not_before: int = 0
    ) -> None:
        """Has one job look when something is due; call it with the webhook locked.

        A job that runs looks again when it ends: `ended` is the id of one that does.
        """
        locked = await writer.one(sql.lock, id=webhook.id, team_id=webhook.team_id)
        if locked is None:
            return
        job_id = None if locked["job_id"] == ended else locked["job_id"]
        due_at = await self._due_at(writer, webhook, not_before)
        if job_id is not None:
            job = await self._host.service(Jobs).get(writer, webhook.team_id, job_id)
            if job is not None and not job.ended:
                is_in_time = due_at is not None and job.state == "queued" and (job.run_at or 0) <= due_at
                if job.state == "running" or is_in_time:
                    return
                if not await self._host.service(Jobs).cancel_waiting(writer, webhook.team_id, [job_id]):
                    return  # it has just begun
        new_job = None if due_at is None else await self._enqueue(writer, webhook, due_at)
        await writer.run(sql.set_job, id=webhook.id, job_id=new_job)

    async def _due_at(self, reader: Reader, webhook: Webhook, not_before: int) -> int | None:
        if not webhook.goes_on:
            return None
        statement = sql.oldest_due if webhook.ordered else sql.next_due
        due_at = await reader.value(statement, id=webhook.id)
        return None if due_at is None else max(due_at, webhook.rest_until or 0, not_before)

    async def _enqueue(self, writer: Writer, webhook: Webhook, at: int) -> str:
        now = self._host.clock.now_ms()
        new = NewJob(
            SEND,
            webhook.org_id,
            webhook.team_id,
            webhook.owner_id,
            {"webhook_id": webhook.id},
            run_at=at if at > now else None,
            priority=_PRIORITY,
        )
        asking = self._host.service(Jobs).enqueue_for_ids(writer, [new], following=True)
        [job_id] = await asyncio.create_task(asking, context=self._own_context.copy())
        return job_id

    async def forget(self, writer: Writer, team_id: str, job_id: str | None) -> None:
        if job_id is not None:
            await self._host.service(Jobs).cancel_waiting(writer, team_id, [job_id])

    async def stop(self, writer: Writer, webhook: Webhook, code: str, message: str) -> None:
        """Turns a webhook off until somebody turns it on again, and says why."""
        now = self._host.clock.now_ms()
        await writer.run(sql.stop, id=webhook.id, code=code, message=message, at=now)
        await writer.run(sql.forget_events, id=webhook.id)
        writer.audit("webhook.stopped", ("webhook", webhook.id), detail={"code": code})
        list_changed(self._host, writer, OUT_LIST, webhook.team_id)
        place = urlsplit(webhook.url).hostname or webhook.id
        await notify(self._host, writer, stop_notice(webhook, place, "/webhooks/out", now))


def system(webhook: Webhook) -> Actor:
    return Actor("system", org_id=webhook.org_id, team_id=webhook.team_id)


async def go_on_after(host: Host, writer: Writer, job: Job) -> None:
    """Plans the next job where the one that sends failed for good, or was cancelled."""
    if job.state == "succeeded":
        return
    row = await writer.one(sql.by_job, job_id=job.id)
    if row is not None:
        webhook = Webhook.of(row)
        later = host.clock.now_ms() + _AFTER_LOST_JOB_MS
        resting = replace(webhook, rest_until=max(webhook.rest_until or 0, later))
        await host.service(Waiting).plan(writer, resting, ended=job.id)


async def plan_lost(host: Host) -> None:
    """Plans what waits and has no job: its job was lost with a backup, or deleted."""
    after = ""
    while True:
        async with host.data.read() as reader:
            rows = await reader.all(sql.unplanned, after=after, limit=_AT_ONCE)
        for row in rows:
            async with host.data.write() as writer:
                await host.service(Waiting).plan(writer, Webhook.of(row))
        if len(rows) < _AT_ONCE:
            return
        after = rows[-1]["id"]
