"""Creating, changing, listing, rotating and deleting webhooks, and sending deliveries again, without HTTP."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from operator import attrgetter
from typing import Any

from builtin_plugins.webhooks.hearing import Hearing
from builtin_plugins.webhooks.waiting import Happened, Waiting
from builtin_plugins.webhooks.webhook import (
    IN_VAULT,
    OLD_IN_VAULT,
    OUT_LIST,
    TEST_EVENT,
    Webhook,
    delivery_json,
    list_changed,
    new_secret,
    sql,
)
from guildhall_sdk import (
    Conflict,
    Event,
    Host,
    InvalidRequest,
    NotFound,
    Principal,
    Reader,
    Row,
    Writer,
    new_id,
)
from guildhall_sdk.plugin import Plugins, TeamContent, TeamMove
from guildhall_sdk.replies import encode_cursor
from guildhall_sdk.services.identity import Credentials, Vault

MAX_WEBHOOKS = 100
#: For how long the secret before signs too.
OLD_SECRET_MS = 24 * 3_600_000
NEWEST = "~"
#: Whoever says one of these is who it acts as from then on.
_WHAT = ("url", "events", "filter")


class Webhooks:
    """The webhooks of all teams."""

    def __init__(self, host: Host) -> None:
        self._host = host

    @cached_property
    def _waiting(self) -> Waiting:
        return self._host.service(Waiting)

    @cached_property
    def _vault(self) -> Vault:
        return self._host.service(Vault)

    @cached_property
    def event_names(self) -> frozenset[str]:
        """The names of all events that a webhook may want."""
        return frozenset(event.name for event in self._host.service(Plugins).declared(Event))

    def events(self) -> list[dict[str, str]]:
        """Returns what a webhook may want: each event with when it happens."""
        declared = self._host.service(Plugins).declared(Event)
        return [{"name": event.name, "doc": event.doc} for event in sorted(declared, key=attrgetter("name"))]

    async def find(self, reader: Reader, caller: Principal, webhook_id: str) -> Webhook:
        """Raises `NotFound` for what is not of the caller's team."""
        row = await reader.one(sql.webhook, id=webhook_id, team_id=caller.team_id)
        if row is None:
            raise NotFound()
        return Webhook.of(row)

    async def page(
        self, reader: Reader, caller: Principal, before: str | None, fetched: int
    ) -> tuple[list[Webhook], str | None]:
        """Returns the team's webhooks, newest first."""
        found = {"team_id": caller.team_id, "before": before or NEWEST, "limit": fetched}
        rows = await reader.all(sql.webhooks_of_team, **found)
        return [Webhook.of(row) for row in rows[: fetched - 1]], _cursor(rows, fetched)

    async def create(
        self, writer: Writer, caller: Principal, fields: Mapping[str, Any], url: str
    ) -> tuple[Webhook, str]:
        """Creates a webhook for an address that was checked; returns it with its secret."""
        now = self._host.clock.now_ms()
        self._check_events(fields["events"])
        webhook = Webhook(
            id=new_id("whk", now),
            org_id=caller.org_id,
            team_id=caller.team_id,
            url=url,
            events=sorted(set(fields["events"])),
            filter=fields.get("filter", {}),
            ordered=fields.get("ordered", False),
            enabled=fields.get("enabled", True),
            owner_id=caller.user_id,
            owner_name=caller.display_name,
            made_with=await self._host.service(Credentials).hold_maker(writer, caller.credential),
            scope=caller.credential.scope,
            old_secret_until=None,
            failures=0,
            failing_since=None,
            rest_until=None,
            job_id=None,
            stop=None,
            created_at=now,
            updated_at=now,
        )
        await writer.serialize(f"webhooks.{caller.team_id}")
        if await writer.value(sql.many_of_team, team_id=caller.team_id) >= MAX_WEBHOOKS:
            raise Conflict(
                f"A team has at most {MAX_WEBHOOKS} webhooks. Delete some first.", code="too_many_webhooks"
            )
        await writer.run(sql.insert_webhook, **webhook.stored())
        await self._store_events(writer, webhook)
        secret = new_secret()
        await self._vault.put(writer, IN_VAULT, webhook.org_id, webhook.id, secret.encode())
        detail = {"events": list(webhook.events)}
        writer.audit("webhook.created", ("webhook", webhook.id), detail=detail)
        list_changed(self._host, writer, OUT_LIST, caller.team_id)
        return webhook, secret

    async def change(
        self,
        writer: Writer,
        caller: Principal,
        webhook_id: str,
        fields: Mapping[str, Any],
    ) -> Webhook:
        """Changes the named fields; an address in them was checked.

        Who says where it leads and what of, or turns on what has stopped, is who it acts as from then on.
        """
        await writer.one(sql.lock, id=webhook_id, team_id=caller.team_id)
        before = await self.find(writer, caller, webhook_id)
        if not fields:
            return before
        changed = replace(
            before, **dict(fields), updated_at=max(self._host.clock.now_ms(), before.updated_at + 1)
        )
        if "events" in fields:
            self._check_events(fields["events"])
            changed = replace(changed, events=sorted(set(fields["events"])))
        revived = bool(fields.get("enabled")) and (before.stop is not None or not before.enabled)
        if revived or any(getattr(changed, name) != getattr(before, name) for name in _WHAT):
            made_with = await self._host.service(Credentials).hold_maker(writer, caller.credential)
            changed = replace(
                changed,
                owner_id=caller.user_id,
                owner_name=caller.display_name,
                made_with=made_with,
                scope=caller.credential.scope,
            )
        if revived or changed.url != before.url:
            changed = replace(changed, stop=None, failures=0, failing_since=None, rest_until=None)
        await writer.run(sql.update_webhook, **changed.stored())
        await self._store_events(writer, changed)
        if changed.goes_on:
            await self._waiting.wake(writer, changed)
        writer.audit("webhook.updated", ("webhook", changed.id), detail={"fields": sorted(fields)})
        list_changed(self._host, writer, OUT_LIST, caller.team_id)
        return changed

    async def delete(self, writer: Writer, caller: Principal, webhook_id: str) -> None:
        """Deletes a webhook with its deliveries; what waits is not sent any more."""
        webhook = await self.find(writer, caller, webhook_id)
        await writer.run(sql.delete_webhook, id=webhook_id, team_id=caller.team_id)
        for kind in (IN_VAULT, OLD_IN_VAULT):
            await self._vault.delete(writer, kind, webhook.org_id, webhook_id)
        await self._waiting.forget(writer, webhook.team_id, webhook.job_id)
        writer.audit("webhook.deleted", ("webhook", webhook_id))
        list_changed(self._host, writer, OUT_LIST, caller.team_id)

    async def rotate(self, writer: Writer, caller: Principal, webhook_id: str) -> tuple[Webhook, str]:
        """Gives a webhook another secret; the one before signs too for a day."""
        await writer.one(sql.lock, id=webhook_id, team_id=caller.team_id)
        webhook = await self.find(writer, caller, webhook_id)
        now = self._host.clock.now_ms()
        old = await self._vault.get(writer, IN_VAULT, webhook.org_id, webhook_id)
        if old is not None:
            await self._vault.put(writer, OLD_IN_VAULT, webhook.org_id, webhook_id, old)
        secret = new_secret()
        await self._vault.put(writer, IN_VAULT, webhook.org_id, webhook_id, secret.encode())
        until = now + OLD_SECRET_MS
        await writer.run(sql.set_old_secret, id=webhook_id, team_id=caller.team_id, until=until, now=now)
        writer.audit("webhook.rotated", ("webhook", webhook_id))
        return replace(webhook, old_secret_until=until, updated_at=now), secret

    async def test(self, writer: Writer, caller: Principal, webhook_id: str) -> dict[str, Any]:
        """Has a message sent that says nothing, and returns its delivery."""
        webhook = await self.find(writer, caller, webhook_id)
        if not webhook.goes_on:
            raise Conflict("This webhook is off. Turn it on first.", code="webhook_off")
        now = self._host.clock.now_ms()
        event, data = Happened(new_id("evt", now), TEST_EVENT, now), {"webhook_id": webhook_id}
        delivery_id = await self._waiting.add(writer, webhook, event, data)
        if delivery_id is None:
            raise Conflict("Too much waits for this address already.", code="too_many_waiting")
        return await self.delivery(writer, caller, webhook_id, delivery_id)

    async def deliveries(
        self, reader: Reader, caller: Principal, webhook_id: str, before: str | None, fetched: int
    ) -> tuple[list[dict[str, Any]], str | None]:
        """Returns the deliveries of a webhook, newest first."""
        await self.find(reader, caller, webhook_id)
        rows = await reader.all(
            sql.deliveries,
            webhook_id=webhook_id,
            team_id=caller.team_id,
            before=before or NEWEST,
            limit=fetched,
        )
        return [delivery_json(row) for row in rows[: fetched - 1]], _cursor(rows, fetched)

    async def delivery(
        self, reader: Reader, caller: Principal, webhook_id: str, delivery_id: str
    ) -> dict[str, Any]:
        where = {"id": delivery_id, "webhook_id": webhook_id, "team_id": caller.team_id}
        row = await reader.one(sql.delivery, **where)
        if row is None:
            raise NotFound()
        return delivery_json(row)

    async def redeliver(
        self, writer: Writer, caller: Principal, webhook_id: str, delivery_id: str
    ) -> dict[str, Any]:
        """Has a delivery sent again as it was, under its id."""
        await writer.one(sql.lock, id=webhook_id, team_id=caller.team_id)
        webhook = await self.find(writer, caller, webhook_id)
        await self.delivery(writer, caller, webhook_id, delivery_id)
        if not webhook.goes_on:
            raise Conflict("This webhook is off. Turn it on first.", code="webhook_off")
        where = {"id": delivery_id, "webhook_id": webhook_id, "team_id": caller.team_id}
        await writer.run(sql.send_again, **where, now=self._host.clock.now_ms())
        await self._waiting.wake(writer, webhook)
        writer.audit("webhook.redelivered", ("webhook", webhook_id), detail={"delivery": delivery_id})
        list_changed(self._host, writer, OUT_LIST, caller.team_id)
        return await self.delivery(writer, caller, webhook_id, delivery_id)

    async def _store_events(self, writer: Writer, webhook: Webhook) -> None:
        """Has the events of a webhook lead to it; those of one that is off lead nowhere."""
        await writer.run(sql.forget_events, id=webhook.id)
        if webhook.goes_on:
            for event in webhook.events:
                await writer.run(sql.add_event, team_id=webhook.team_id, event=event, id=webhook.id)
            self._host.service(Hearing).changed(writer, webhook.team_id, webhook.events)

    def _check_events(self, names: list[str]) -> None:
        for number, name in enumerate(names):
            if name not in self.event_names:
                known = ", ".join(sorted(self.event_names))
                raise InvalidRequest.at(f"/events/{number}", f"is no event here; there are {known}")


def _cursor(rows: Sequence[Row], fetched: int) -> str | None:
    return encode_cursor(rows[fetched - 2]["id"]) if len(rows) == fetched else None


async def _move_to_team(host: Host, writer: Writer, how: TeamMove) -> None:
    """Moves a team's webhooks; one of somebody outside the other team stops at its next delivery."""
    source, target = how.source.id, how.target.id
    waiting = host.service(Waiting)
    moved = await writer.all(sql.all_of_team, team_id=source)
    for row in moved:
        await waiting.forget(writer, source, row["job_id"])
    for statement in (sql.move_webhooks, sql.move_events, sql.move_deliveries):
        await writer.run(statement, source=source, target=target)
    for row in moved:
        found = await writer.one(sql.webhook, id=row["id"], team_id=target)
        assert found is not None
        webhook = Webhook.of(found)
        await waiting.wake(writer, webhook)
        host.service(Hearing).changed(writer, target, webhook.events)


CONTENT = TeamContent(name="webhooks", held=sql.held_by_team, move=_move_to_team)
