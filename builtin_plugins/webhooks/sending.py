"""Sending what waits: one job for each address at a time, and a rest for who does not answer."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

from builtin_plugins.webhooks.waiting import Waiting, system
from builtin_plugins.webhooks.webhook import (
    GIVE_UP_MS,
    IN_VAULT,
    OLD_IN_VAULT,
    OUT_LIST,
    TELL,
    TEST_EVENT,
    Webhook,
    list_changed,
    retry_in_ms,
    signature,
    sql,
)
from guildhall_sdk import Event, Host, JobCall, Principal, Reader, Row, UserError, Writer
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.services.identity import AuthorityEnded, Credentials, Vault
from guildhall_sdk.services.outbound import OutboundFailed, OutboundHttp, OutboundRequest
from libs.records import FieldsMissing, restored

TIMEOUT_SECONDS = 15.0
MAX_RESPONSE = 4_096
AT_ONCE = 8
_CHANCE = 16
_BATCH = 32
#: After so many failures in a row one delivery at a time finds out whether the other side is back.
_FAILURES_BEFORE_REST = 3
# A job gives up its slot after so long, for the team's other jobs.
_JOB_MS = 30_000
_LOOK_AGAIN_MS = 500
_SUSPENDED_MS = 60_000
_REST = ("org_suspended", "tenant_suspended")


class Outcome(NamedTuple):
    """What became of one attempt; `error` is None where the other side took it."""

    error: str | None
    status: int | None
    response: str | None
    duration_ms: int
    at: int


class Sender:
    """Sends deliveries, each until the other side takes it or a day has passed."""

    def __init__(self, host: Host) -> None:
        self._host = host

    @cached_property
    def _queue(self) -> Waiting:
        return self._host.service(Waiting)

    @cached_property
    def _events(self) -> Mapping[str, Event]:
        return {event.name: event for event in self._host.service(Plugins).declared(Event)}

    async def send_waiting(self, job: JobCall) -> int:
        """Sends what is due, part by part; returns how many the other side took."""
        team_id, webhook_id = job.team_id, job.payload["webhook_id"]
        begun, taken = self._host.clock.steady_ms(), 0
        while self._host.clock.steady_ms() - begun < _JOB_MS:
            async with self._host.data.read() as reader:
                row = await reader.one(sql.webhook, id=webhook_id, team_id=team_id)
                if row is None or not (webhook := Webhook.of(row)).goes_on:
                    return taken
                waiting = await self._waiting(reader, webhook)
            if not waiting:
                return taken
            principal = await self._owner(webhook)
            if principal is None:
                return taken
            outcomes = await self._send_part(webhook, principal, waiting)
            taken += sum(outcome.error is None for _, outcome in outcomes)
            if not await self._record(webhook, outcomes):
                return taken
        return taken

    async def _waiting(self, reader: Reader, webhook: Webhook) -> Sequence[Row]:
        """Returns what is sent next; while the other side fails it is one delivery, and in a rest none."""
        now = self._host.clock.now_ms()
        if webhook.rest_until is not None and now < webhook.rest_until:
            return ()
        limit = 1 if webhook.failures >= _FAILURES_BEFORE_REST else _BATCH
        if not webhook.ordered:
            return await reader.all(sql.due, id=webhook.id, now=now, limit=limit)
        rows = await reader.all(sql.oldest, id=webhook.id, limit=limit)
        if not rows or rows[0]["due_at"] > now:
            return ()
        told_by = rows[0]["told_by"]
        if told_by is None:
            return rows
        # Ids sort by time: those of the same millisecond are as old.
        before = f"{told_by[:-_CHANCE]}~"
        earlier = {"team_id": webhook.team_id, "kind": TELL, "before": before}
        return () if await reader.one(sql.earlier_untold, **earlier) else rows

    async def _owner(self, webhook: Webhook) -> Principal | None:
        """Returns whom the webhook acts as; stops it where that is nobody any more."""
        try:
            async with self._host.data.read() as reader:
                return await self._host.service(Credentials).reauthorize(
                    reader,
                    user_id=webhook.owner_id,
                    team_id=webhook.team_id,
                    scope=webhook.scope,
                    asked_with=webhook.made_with,
                )
        except AuthorityEnded as ended:
            async with self._host.data.write(system(webhook)) as writer:
                if ended.code in _REST:
                    later = self._host.clock.now_ms() + _SUSPENDED_MS
                    health = {"failures": webhook.failures, "failing_since": webhook.failing_since}
                    await writer.run(sql.set_health, id=webhook.id, **health, rest_until=later)
                else:
                    await self._queue.stop(writer, webhook, ended.code, ended.message)
            return None

    async def _send_part(
        self, webhook: Webhook, principal: Principal, waiting: Sequence[Row]
    ) -> list[tuple[Row, Outcome]]:
        """Sends deliveries, several at once or one after another until the first that fails."""
        async with self._host.data.read() as reader:
            readable = [row for row in waiting if await self._may_hear(reader, principal, row)]
            secrets = await self._secrets(reader, webhook)
        hidden = {row["id"] for row in waiting} - {row["id"] for row in readable}
        if hidden:
            async with self._host.data.write(system(webhook)) as writer:
                now = self._host.clock.now_ms()
                for delivery_id in sorted(hidden):
                    given = {"id": delivery_id, "webhook_id": webhook.id, "error": "not_readable", "now": now}
                    await writer.run(sql.skip, **given)
        if not webhook.ordered:
            gate = asyncio.Semaphore(AT_ONCE)
            sent = (self._send_within(gate, webhook, row, secrets) for row in readable)
            return list(zip(readable, await asyncio.gather(*sent), strict=True))
        outcomes: list[tuple[Row, Outcome]] = []
        for row in readable:
            outcomes.append((row, await self._send(webhook, row, secrets)))
            if outcomes[-1][1].error is not None:
                break
        return outcomes

    async def _may_hear(self, reader: Reader, principal: Principal, row: Row) -> bool:
        """Tells whether the owner may know of an event now; it says things by their ids alone."""
        if row["event"] == TEST_EVENT:
            return True
        event = self._events.get(row["event"])
        if event is None:
            return False
        if event.readable is None:
            return principal.may("settings:manage")
        try:
            payload = restored(event.type, json.loads(row["body"])["data"])
        except FieldsMissing:
            return False
        return await event.readable(self._host, reader, principal, payload)

    async def _secrets(self, reader: Reader, webhook: Webhook) -> Sequence[str]:
        vault, found = self._host.service(Vault), []
        kinds = [IN_VAULT]
        if webhook.old_secret_until is not None and self._host.clock.now_ms() < webhook.old_secret_until:
            kinds.append(OLD_IN_VAULT)
        for kind in kinds:
            secret = await vault.get(reader, kind, webhook.org_id, webhook.id)
            if secret is not None:
                found.append(secret.decode())
        return found

    async def _send_within(
        self, gate: asyncio.Semaphore, webhook: Webhook, row: Row, secrets: Sequence[str]
    ) -> Outcome:
        async with gate:
            return await self._send(webhook, row, secrets)

    async def _send(self, webhook: Webhook, row: Row, secrets: Sequence[str]) -> Outcome:
        clock, body = self._host.clock, row["body"].encode()
        at, begun = clock.now_ms(), clock.steady_ms()
        seconds = at // 1000
        headers = {
            "content-type": "application/json",
            "webhook-id": row["id"],
            "webhook-timestamp": str(seconds),
            "webhook-signature": " ".join(signature(one, row["id"], seconds, body) for one in secrets),
        }
        request = OutboundRequest(
            plugin="webhooks",
            org_id=webhook.org_id,
            url=webhook.url,
            method="POST",
            headers=headers,
            body=body,
            timeout_seconds=TIMEOUT_SECONDS,
            max_bytes=MAX_RESPONSE,
            truncate=True,
        )
        try:
            answer = await self._host.service(OutboundHttp).send(request)
        except (OutboundFailed, UserError) as failure:
            return Outcome(failure.code, None, None, clock.steady_ms() - begun, at)
        text = answer.body.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
        error = None if 200 <= answer.status < 300 else f"status_{answer.status}"
        return Outcome(error, answer.status, text, clock.steady_ms() - begun, at)

    async def _record(self, webhook: Webhook, outcomes: Sequence[tuple[Row, Outcome]]) -> bool:
        """Writes what became of attempts, and how the other side is; returns whether to go on at once."""
        async with self._host.data.write(system(webhook)) as writer:
            await writer.one(sql.lock, id=webhook.id, team_id=webhook.team_id)
            for row, outcome in outcomes:
                await writer.run(sql.record, webhook_id=webhook.id, **_recorded(row, outcome))
            list_changed(self._host, writer, OUT_LIST, webhook.team_id)
            if not outcomes:
                return True
            return await self._note_health(writer, webhook, outcomes)

    async def _note_health(
        self, writer: Writer, webhook: Webhook, outcomes: Sequence[tuple[Row, Outcome]]
    ) -> bool:
        now = self._host.clock.now_ms()
        failed = [outcome for _, outcome in outcomes if outcome.error is not None]
        if any(outcome.status == 410 for outcome in failed):
            message = "The receiver answers that it is gone for good."
            await self._queue.stop(writer, webhook, "receiver_gone", message)
            return False
        if len(failed) < len(outcomes):
            well = {"failures": 0, "failing_since": None, "rest_until": None}
            await writer.run(sql.set_health, id=webhook.id, **well)
            if webhook.failures:
                await writer.run(sql.wake, id=webhook.id, now=now)
            return not (webhook.ordered and failed)
        failures, since = webhook.failures + len(failed), webhook.failing_since or failed[0].at
        if any(_is_given_up(row, outcome) for row, outcome in outcomes):
            message = "The receiver has not taken anything for a day. Turn it on again when it answers."
            await self._queue.stop(writer, webhook, "receiver_failing", message)
            return False
        rest_until = None
        if failures >= _FAILURES_BEFORE_REST:
            rounds = 1 if webhook.failures < _FAILURES_BEFORE_REST else webhook.failures
            rest_until = now + retry_in_ms(rounds)
            failures = max(_FAILURES_BEFORE_REST, webhook.failures + 1)
        health = {"failures": failures, "failing_since": since, "rest_until": rest_until}
        await writer.run(sql.set_health, id=webhook.id, **health)
        return False


def _is_given_up(row: Row, outcome: Outcome) -> bool:
    first_at = row["first_at"] or outcome.at
    return outcome.error is not None and outcome.at - first_at >= GIVE_UP_MS


def _recorded(row: Row, outcome: Outcome) -> dict[str, Any]:
    """Returns what is stored of an attempt; one that has failed for a day is not tried again."""
    attempts = row["attempts"] + 1
    taken, given_up = outcome.error is None, _is_given_up(row, outcome)
    over = taken or given_up
    return {
        "id": row["id"],
        "state": "delivered" if taken else "failed" if given_up else "waiting",
        "attempts": attempts,
        "due_at": None if over else outcome.at + retry_in_ms(attempts),
        "at": outcome.at,
        "duration_ms": outcome.duration_ms,
        "status": outcome.status,
        "response": outcome.response,
        "error": outcome.error,
        "finished_at": outcome.at if over else None,
    }


async def send_waiting(job: JobCall) -> dict[str, int]:
    sender = job.host.service(Sender)
    taken = await sender.send_waiting(job)
    # What found nothing that it may send does not look again at once.
    not_before = 0 if taken else job.host.clock.now_ms() + _LOOK_AGAIN_MS
    job.on_success(partial(_go_on, job, not_before))
    return {"delivered": taken}


async def _go_on(job: JobCall, not_before: int, writer: Writer) -> None:
    """Plans the next job in the transaction that ends this one: nothing comes in between."""
    webhook_id = job.payload["webhook_id"]
    await writer.one(sql.lock, id=webhook_id, team_id=job.team_id)
    row = await writer.one(sql.webhook, id=webhook_id, team_id=job.team_id)
    if row is not None and row["job_id"] in (None, job.id):
        queue = job.host.service(Waiting)
        await queue.plan(writer, Webhook.of(row), ended=job.id, not_before=not_before)
