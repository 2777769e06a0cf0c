"""Addresses of ours that start workflows: creating, changing, listing and deleting them, without HTTP."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from builtin_plugins.webhooks.hook import HOOK_IN_VAULT, Hook, hook_sql, incoming_json
from builtin_plugins.webhooks.signatures import check_secret
from builtin_plugins.webhooks.webhook import IN_LIST, WRITE, list_changed, new_secret
from guildhall_sdk import (
    Conflict,
    Host,
    InvalidRequest,
    NotFound,
    PermissionDenied,
    Principal,
    Reader,
    Row,
    Writer,
    new_id,
)
from guildhall_sdk.plugin import TeamContent, moved_by
from guildhall_sdk.replies import encode_cursor
from guildhall_sdk.services.computing import JsonSchemas
from guildhall_sdk.services.identity import Credentials, Vault
from guildhall_sdk.services.workflows import Workflows

MAX_HOOKS = 500
RUN = "workflows:run"
NEWEST = "~"
_WHAT = ("workflow_slug", "scheme", "schema", "wait_seconds")


class HooksIn:
    """The incoming webhooks of all teams."""

    def __init__(self, host: Host) -> None:
        self._host = host

    @cached_property
    def _vault(self) -> Vault:
        return self._host.service(Vault)

    async def find(self, reader: Reader, caller: Principal, hook_id: str) -> Hook:
        """Raises `NotFound` for what is not of the caller's team."""
        row = await reader.one(hook_sql.hook, id=hook_id, team_id=caller.team_id)
        if row is None:
            raise NotFound()
        return Hook.of(row)

    async def page(
        self, reader: Reader, caller: Principal, before: str | None, fetched: int
    ) -> tuple[list[Hook], str | None]:
        """Returns the team's incoming webhooks, newest first."""
        found = {"team_id": caller.team_id, "before": before or NEWEST, "limit": fetched}
        rows = await reader.all(hook_sql.hooks_of_team, **found)
        return [Hook.of(row) for row in rows[: fetched - 1]], _cursor(rows, fetched)

    async def check(self, caller: Principal, fields: Mapping[str, Any]) -> None:
        """Raises `InvalidRequest` for a schema or a secret that cannot be used. Not inside a scope."""
        if fields.get("schema") is not None:
            schemas = self._host.service(JsonSchemas)
            await schemas.admit(caller.org_id, fields["schema"], pointer="/schema")

    async def create(
        self, writer: Writer, caller: Principal, fields: Mapping[str, Any]
    ) -> tuple[Hook, str | None]:
        """Creates an address; returns it with its secret, if its scheme has one."""
        now = self._host.clock.now_ms()
        hook = Hook(
            id=new_id("hki", now),
            org_id=caller.org_id,
            team_id=caller.team_id,
            workflow_slug=fields["workflow_slug"],
            scheme=fields["scheme"],
            schema=fields.get("schema"),
            wait_seconds=fields.get("wait_seconds", 0),
            enabled=fields.get("enabled", True),
            owner_id=caller.user_id,
            owner_name=caller.display_name,
            made_with=None,
            scope=None,
            last_at=None,
            stop=None,
            created_at=now,
            updated_at=now,
        )
        hook = await self._taken_over(writer, hook, caller)
        await self._check_workflow(writer, hook)
        await writer.serialize(f"hooks_in.{caller.team_id}")
        if await writer.value(hook_sql.many_of_team, team_id=caller.team_id) >= MAX_HOOKS:
            raise Conflict(
                f"A team has at most {MAX_HOOKS} incoming webhooks. Delete some first.",
                code="too_many_webhooks",
            )
        await writer.run(hook_sql.insert_hook, **hook.stored())
        secret = await self._set_secret(writer, hook, fields.get("secret"))
        detail = {"workflow": hook.workflow_slug, "scheme": hook.scheme}
        writer.audit("hook_in.created", ("hook_in", hook.id), detail=detail)
        list_changed(self._host, writer, IN_LIST, caller.team_id)
        return hook, secret

    async def change(
        self, writer: Writer, caller: Principal, hook_id: str, fields: Mapping[str, Any]
    ) -> tuple[Hook, str | None]:
        """Changes the named fields; returns a new secret too where another scheme needs one.

        Who says what it starts, or turns on what has stopped, is who it acts as from then on.
        """
        before = await self.find(writer, caller, hook_id)
        if not fields:
            return before, None
        given = {name: value for name, value in fields.items() if name != "secret"}
        changed = replace(before, **given, updated_at=max(self._host.clock.now_ms(), before.updated_at + 1))
        revived = bool(fields.get("enabled")) and (before.stop is not None or not before.enabled)
        if revived or any(getattr(changed, name) != getattr(before, name) for name in _WHAT):
            changed = await self._taken_over(writer, changed, caller)
            await self._check_workflow(writer, changed)
        await writer.run(hook_sql.update_hook, **changed.stored())
        secret = None
        if "secret" in fields or changed.scheme != before.scheme:
            secret = await self._set_secret(writer, changed, fields.get("secret"))
        writer.audit("hook_in.updated", ("hook_in", hook_id), detail={"fields": sorted(fields)})
        list_changed(self._host, writer, IN_LIST, caller.team_id)
        return changed, secret

    async def delete(self, writer: Writer, caller: Principal, hook_id: str) -> None:
        """Deletes an address with its history; runs that it started remain."""
        hook = await self.find(writer, caller, hook_id)
        await writer.run(hook_sql.delete_hook, id=hook_id, team_id=caller.team_id)
        await self._vault.delete(writer, HOOK_IN_VAULT, hook.org_id, hook_id)
        writer.audit("hook_in.deleted", ("hook_in", hook_id))
        list_changed(self._host, writer, IN_LIST, caller.team_id)

    async def secret_of(self, reader: Reader, hook: Hook) -> str | None:
        found = await self._vault.get(reader, HOOK_IN_VAULT, hook.org_id, hook.id)
        return None if found is None else found.decode()

    async def deliveries(
        self, reader: Reader, caller: Principal, hook_id: str, before: str | None, fetched: int
    ) -> tuple[list[dict[str, Any]], str | None]:
        """Returns what came in, newest first, of long bodies the beginning."""
        hook = await self.find(reader, caller, hook_id)
        rows = await reader.all(
            hook_sql.deliveries,
            hook_id=hook_id,
            team_id=caller.team_id,
            before=before or NEWEST,
            limit=fetched,
        )
        with_body = _may_see_bodies(caller, hook)
        items = [incoming_json(row, with_body=with_body) for row in rows[: fetched - 1]]
        return items, _cursor(rows, fetched)

    async def delivery(self, reader: Reader, caller: Principal, hook_id: str, delivery_id: str) -> Row:
        """Returns what came in once, for whoever may see its body."""
        hook = await self.find(reader, caller, hook_id)
        if not _may_see_bodies(caller, hook):
            raise PermissionDenied(WRITE)
        where = {"id": delivery_id, "hook_id": hook_id, "team_id": caller.team_id}
        row = await reader.one(hook_sql.delivery, **where)
        if row is None:
            raise NotFound()
        return row

    async def _taken_over(self, writer: Writer, hook: Hook, caller: Principal) -> Hook:
        """Returns the hook as one of the caller, in the scope of their credential."""
        if not caller.may(RUN):
            raise PermissionDenied(RUN)
        made_with = await self._host.service(Credentials).hold_maker(writer, caller.credential)
        return replace(
            hook,
            owner_id=caller.user_id,
            owner_name=caller.display_name,
            made_with=made_with,
            scope=caller.credential.scope,
            stop=None,
        )

    async def _check_workflow(self, reader: Reader, hook: Hook) -> None:
        workflows = self._host.service(Workflows)
        if await workflows.declared_inputs(reader, hook.team_id, hook.workflow_slug) is None:
            message = "is no workflow of this team; publish it first"
            raise InvalidRequest(
                f"/workflow_slug: {message}",
                code="unknown_workflow",
                errors=[{"pointer": "/workflow_slug", "message": message}],
            )

    async def _set_secret(self, writer: Writer, hook: Hook, given: str | None) -> str | None:
        """Stores a secret that somebody else made, or a new one, and returns it."""
        if hook.scheme == "none":
            if given is not None:
                check_secret(hook.scheme, given)
            await self._vault.delete(writer, HOOK_IN_VAULT, hook.org_id, hook.id)
            return None
        if given is not None:
            check_secret(hook.scheme, given)
        secret = given or new_secret()
        await self._vault.put(writer, HOOK_IN_VAULT, hook.org_id, hook.id, secret.encode())
        return secret


def _may_see_bodies(caller: Principal, hook: Hook) -> bool:
    return caller.user_id == hook.owner_id or caller.may(WRITE)


def _cursor(rows: Sequence[Row], fetched: int) -> str | None:
    return encode_cursor(rows[fetched - 2]["id"]) if len(rows) == fetched else None


HOOKS_CONTENT = TeamContent(
    name="incoming webhooks",
    held=hook_sql.held_by_team,
    move=moved_by(hook_sql.move_hooks, hook_sql.move_deliveries),
)
