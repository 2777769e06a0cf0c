"""Creating, changing, listing and deleting triggers, without HTTP.

They are found by key and type: the prefixes of a team, each linked to the longest one above it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from builtin_plugins.triggers.trigger import LIST, Trigger, check_prefix, check_types, spellings, sql
from guildhall_sdk import Conflict, Host, InvalidRequest, NotFound, Principal, Reader, Writer, new_id
from guildhall_sdk.plugin import TeamMove
from guildhall_sdk.replies import encode_cursor
from guildhall_sdk.services.pages import LiveLists
from guildhall_sdk.services.workflows import Workflows


async def _make_findable(writer: Writer, trigger: Trigger) -> None:
    """Makes a trigger findable; the team's triggers are locked."""
    team_id, prefix = trigger.team_id, trigger.match_prefix
    parent = await writer.value(sql.parent_of, team_id=team_id, prefix=prefix)
    if await writer.value(sql.insert_prefix, team_id=team_id, prefix=prefix, parent=parent) is not None:
        await writer.run(sql.put_between, team_id=team_id, prefix=prefix, length=len(prefix))
    types = json.dumps(spellings(trigger.match_types))
    await writer.run(sql.insert_matches, id=trigger.id, team_id=team_id, prefix=prefix, types=types)


async def _make_unfindable(writer: Writer, trigger: Trigger) -> None:
    """Undoes `add`; the team's triggers are locked."""
    team_id, prefix = trigger.team_id, trigger.match_prefix
    await writer.run(sql.delete_matches, id=trigger.id)
    dropped = await writer.one(sql.drop_prefix, team_id=team_id, prefix=prefix)
    if dropped is not None:
        await writer.run(sql.put_below, team_id=team_id, prefix=prefix, parent=dropped["parent"])


MAX_TRIGGERS = 1_000
MAX_INPUT_BYTES = 64 * 1024
# A page of the longest inputs would not fit in memory many times over; a cursor leads on from anywhere.
MAX_BYTES_PER_PAGE = 2 * 1024 * 1024
NEWEST = "~"
OBJECT_ID = "object_id"

Warnings = Sequence[Mapping[str, str]]


async def create(
    writer: Writer, workflows: Workflows, caller: Principal, fields: Mapping[str, Any], now_ms: int
) -> tuple[Trigger, Warnings]:
    """Creates a trigger; the warnings say what its workflow would refuse of the input."""
    trigger = _checked(
        Trigger(
            id=new_id("trg", now_ms),
            org_id=caller.org_id,
            team_id=caller.team_id,
            workflow_slug=fields["workflow_slug"],
            match_prefix=fields.get("match_prefix", ""),
            match_types=fields.get("match_types", ()),
            input=fields.get("input", {}),
            fire_on_derived=fields.get("fire_on_derived", False),
            enabled=fields.get("enabled", True),
            created_by=caller.user_id,
            created_at=now_ms,
            updated_at=now_ms,
        )
    )
    warnings = await warnings_of(writer, workflows, trigger)
    await lock(writer, caller.team_id)
    if await writer.value(sql.many_of_team, team_id=caller.team_id) >= MAX_TRIGGERS:
        raise Conflict(
            f"A team has at most {MAX_TRIGGERS} triggers. Delete some first.", code="too_many_triggers"
        )
    await writer.run(
        sql.insert_trigger,
        **_stored(trigger),
        org_id=trigger.org_id,
        user_id=trigger.created_by,
        now=now_ms,
    )
    if trigger.enabled:
        await _make_findable(writer, trigger)
    writer.audit("trigger.created", ("trigger", trigger.id), detail={"workflow": trigger.workflow_slug})
    return trigger, warnings


def _shown(trigger: Trigger, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what the trail may tell of the fields: what is kept under a prefix it names by id alone."""
    told = ("workflow_slug", "match_types", "fire_on_derived", "enabled")
    values = {name: getattr(trigger, name) for name in told if name in fields}
    return {name: list(value) if name == "match_types" else value for name, value in values.items()}


async def update(
    writer: Writer,
    workflows: Workflows,
    caller: Principal,
    trigger_id: str,
    fields: Mapping[str, Any],
    now_ms: int,
) -> tuple[Trigger, Warnings]:
    """Changes the named fields; what was uploaded before is still decided by what matched then."""
    await lock(writer, caller.team_id)
    before = await find(writer, caller, trigger_id)
    if not fields:
        return before, ()
    changed = _checked(replace(before, **fields, updated_at=max(now_ms, before.updated_at)))
    warnings: Warnings = ()
    if {"workflow_slug", "input"} & fields.keys():
        warnings = await warnings_of(writer, workflows, changed)
    await writer.run(sql.update_trigger, **_stored(changed), now=changed.updated_at)
    if _matched(changed) != _matched(before):
        if before.enabled:
            await _make_unfindable(writer, before)
        if changed.enabled:
            await _make_findable(writer, changed)
    detail = {"fields": sorted(fields), "from": _shown(before, fields), "to": _shown(changed, fields)}
    writer.audit("trigger.updated", ("trigger", changed.id), detail=detail)
    return changed, warnings


async def lock(writer: Writer, team_id: str) -> None:
    """Locks a team's triggers for whoever changes them: they are counted, and their prefixes linked."""
    await writer.serialize(f"doc_triggers.{team_id}")


async def find(reader: Reader, caller: Principal, trigger_id: str) -> Trigger:
    """Raises `NotFound` for a trigger that is not of the caller's team."""
    row = await reader.one(sql.trigger, id=trigger_id, team_id=caller.team_id)
    if row is None:
        raise NotFound()
    return Trigger.of(row)


async def list_page(
    reader: Reader, caller: Principal, before: str | None, fetched: int
) -> tuple[list[Trigger], str | None]:
    """Returns the team's triggers, newest first; a page of long inputs may be shorter than asked for."""
    rows = await reader.all(
        sql.triggers_of_team,
        team_id=caller.team_id,
        before=before or NEWEST,
        limit=fetched,
        max_bytes=MAX_BYTES_PER_PAGE,
    )
    page = [Trigger.of(row) for row in rows[: fetched - 1]]
    more = bool(page) and rows[0]["candidates"] > len(page)
    return page, encode_cursor(page[-1].id) if more else None


async def delete(writer: Writer, caller: Principal, trigger_id: str) -> None:
    """Deletes a trigger, which from here on has no history either; runs that it started remain."""
    await lock(writer, caller.team_id)
    trigger = await find(writer, caller, trigger_id)
    if trigger.enabled:
        await _make_unfindable(writer, trigger)
    await writer.run(sql.delete_trigger, id=trigger_id, team_id=caller.team_id)
    writer.audit("trigger.deleted", ("trigger", trigger_id))


async def move_to_team(host: Host, writer: Writer, how: TeamMove) -> None:
    """Moves a team's triggers with their history; the prefixes of both teams are linked anew."""
    source, target = how.source.id, how.target.id
    for team_id in sorted((source, target)):
        await lock(writer, team_id)
    for row in await writer.all(sql.all_of_team, team_id=source):
        trigger = Trigger.of(row)
        if trigger.enabled:
            await _make_unfindable(writer, trigger)
        await writer.run(sql.move_trigger, id=trigger.id, source=source, target=target)
        await writer.run(sql.move_fires, id=trigger.id, source=source, target=target)
        if trigger.enabled:
            await _make_findable(writer, replace(trigger, team_id=target))
    writer.after_commit(partial(host.service(LiveLists).changed, LIST, source, target))


async def warnings_of(reader: Reader, workflows: Workflows, trigger: Trigger) -> Warnings:
    """Returns what the workflow, as it is now, would refuse of the trigger's input.

    Raises `InvalidRequest` where the team has no such workflow. What is wrong today may be right once the
    workflow is published anew, so it is told and not refused.
    """
    slug, team_id = trigger.workflow_slug, trigger.team_id
    given = dict(trigger.input)
    if OBJECT_ID in (await workflows.declared_inputs(reader, team_id, slug) or ()):
        given[OBJECT_ID] = ""
    refused = await workflows.refused_inputs(reader, team_id, slug, given)
    if refused is None:
        message = "is no workflow of this team; publish it first"
        raise InvalidRequest(
            f"/workflow_slug: {message}",
            code="unknown_workflow",
            errors=[{"pointer": "/workflow_slug", "message": message}],
        )
    return refused


def _matched(trigger: Trigger) -> tuple[object, ...]:
    """Returns what decides which versions a trigger matches."""
    return trigger.enabled, trigger.match_prefix, trigger.match_types


def _checked(trigger: Trigger) -> Trigger:
    check_prefix(trigger.match_prefix)
    check_types(trigger.match_types)
    if len(_encoded(trigger.input).encode()) > MAX_INPUT_BYTES:
        raise InvalidRequest.at("/input", f"takes {MAX_INPUT_BYTES} bytes of JSON")
    return trigger


def _stored(trigger: Trigger) -> dict[str, Any]:
    given, types = _encoded(trigger.input), _encoded(list(trigger.match_types))
    return {
        "id": trigger.id,
        "team_id": trigger.team_id,
        "workflow_slug": trigger.workflow_slug,
        "match_prefix": trigger.match_prefix,
        "match_types": types,
        "fire_on_derived": int(trigger.fire_on_derived),
        "enabled": int(trigger.enabled),
        "size": len(given) + len(types) + len(trigger.match_prefix),
        "input": given,
    }


def _encoded(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
