"""Creating, changing, listing, deleting and moving schedules, without HTTP."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from builtin_plugins.schedules.planning import Planner
from builtin_plugins.schedules.ready_made import ReadyMade
from builtin_plugins.schedules.schedule import (
    ID_PREFIX,
    NOTHING_YET,
    RUN,
    Schedule,
    encoded,
    list_changed,
    sql,
)
from builtin_plugins.schedules.times import UTC, check_times
from guildhall_sdk import (
    Conflict,
    Host,
    InvalidRequest,
    NotFound,
    PermissionDenied,
    Principal,
    Reader,
    Writer,
    new_id,
)
from guildhall_sdk.plugin import TeamContent, TeamMove
from guildhall_sdk.replies import encode_cursor
from guildhall_sdk.services.identity import Credentials
from guildhall_sdk.services.workflows import RunCause, RunSummary, Workflows

MAX_SCHEDULES = 10_000
MAX_INPUT_BYTES = 64 * 1024
# A page of the longest inputs would not fit in memory many times over; a cursor leads on from anywhere.
MAX_BYTES_PER_PAGE = 2 * 1024 * 1024
NEWEST = "~"
_WHEN = {"cron", "every_seconds", "timezone"}
_WHAT = {"workflow_slug", "input"}


class Schedules:
    """The schedules of all teams."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.ready_made = ReadyMade(host)

    @cached_property
    def _workflows(self) -> Workflows:
        return self._host.service(Workflows)

    @cached_property
    def _planner(self) -> Planner:
        return self._host.service(Planner)

    async def find(self, reader: Reader, caller: Principal, schedule_id: str) -> Schedule:
        """Raises `NotFound` for what is not of the caller's team, or of a plugin that it has off."""
        row = await reader.one(sql.schedule, id=schedule_id, team_id=caller.team_id)
        if row is None or not self.ready_made.is_there(caller, row["plugin"], row["name"]):
            raise NotFound()
        return Schedule.of(row)

    async def page(
        self, reader: Reader, caller: Principal, before: str | None, fetched: int
    ) -> tuple[list[Schedule], str | None]:
        """Returns the team's schedules, newest first; a page of long inputs may be shorter than asked for."""
        rows = await reader.all(
            sql.schedules_of_team,
            team_id=caller.team_id,
            before=before or NEWEST,
            limit=fetched,
            max_bytes=MAX_BYTES_PER_PAGE,
            plugins=json.dumps(self.ready_made.plugins(caller)),
        )
        found = rows[: fetched - 1]
        more = bool(found) and rows[0]["candidates"] > len(found)
        there = [row for row in found if self.ready_made.is_there(caller, row["plugin"], row["name"])]
        return [Schedule.of(row) for row in there], encode_cursor(found[-1]["id"]) if more else None

    async def create(self, writer: Writer, caller: Principal, fields: Mapping[str, Any]) -> Schedule:
        now = self._host.clock.now_ms()
        schedule = Schedule(
            id=new_id(ID_PREFIX, now),
            org_id=caller.org_id,
            team_id=caller.team_id,
            workflow_slug=fields["workflow_slug"],
            cron=fields.get("cron"),
            every_seconds=fields.get("every_seconds"),
            timezone=fields.get("timezone", UTC),
            begins=now,
            input=fields.get("input", {}),
            missed=fields.get("missed", "last"),
            overlap=fields.get("overlap", "skip"),
            enabled=fields.get("enabled", True),
            created_at=now,
            updated_at=now,
            plugin=None,
            name=None,
            ready=None,
            **NOTHING_YET,
        )
        schedule = await self._taken_over(writer, schedule, caller)
        await self._check(writer, schedule, now)
        schedule = _due(schedule, now)
        await writer.serialize(f"schedules.{caller.team_id}")
        if await writer.value(sql.many_of_team, team_id=caller.team_id) >= MAX_SCHEDULES:
            raise Conflict(
                f"A team has at most {MAX_SCHEDULES} schedules. Delete some first.", code="too_many_schedules"
            )
        await writer.run(sql.insert_schedule, **schedule.stored())
        await self._planner.plan(writer, schedule)
        writer.audit(
            "schedule.created", ("schedule", schedule.id), detail={"workflow": schedule.workflow_slug}
        )
        return schedule

    async def change(
        self, writer: Writer, caller: Principal, schedule_id: str, fields: Mapping[str, Any]
    ) -> Schedule:
        """Changes the named fields.

        Who says what it starts, or turns on what has stopped, is who it acts as from then on: nobody has it
        act for somebody else.
        """
        await writer.one(sql.lock, id=schedule_id, team_id=caller.team_id)
        before = await self.find(writer, caller, schedule_id)
        if not fields:
            return before
        now = self._host.clock.now_ms()
        if before.plugin is not None and fields.get("workflow_slug") not in (None, before.workflow_slug):
            raise _ready_made(before.plugin, "What it starts is not changed; make one of your own.")
        changed = replace(
            before,
            **_one_of_two(fields),
            updated_at=max(now, before.updated_at + 1),
            changed=before.changed or (before.plugin is not None and bool(fields.keys() - {"enabled"})),
        )
        if changed.every_seconds != before.every_seconds:
            changed = replace(changed, begins=now)
        says_what = (changed.workflow_slug, changed.input) != (before.workflow_slug, before.input)
        has_nobody = changed.enabled and changed.owner_id is None
        if says_what or has_nobody or (fields.get("enabled") and before.stop is not None):
            changed = await self._taken_over(writer, changed, caller)
        await self._check(writer, changed, now, what=says_what or has_nobody)
        if changed.goes_on != before.goes_on or _WHEN & fields.keys():
            changed = _due(changed, now)
        await writer.run(sql.update_schedule, **changed.stored())
        if changed.due_at != before.due_at:
            await self._planner.plan(writer, changed)
        else:
            list_changed(self._host, writer, caller.team_id)
        detail = {"fields": sorted(fields), "from": _told(before, fields), "to": _told(changed, fields)}
        writer.audit("schedule.updated", ("schedule", changed.id), detail=detail)
        return changed

    async def delete(self, writer: Writer, caller: Principal, schedule_id: str) -> None:
        """Deletes a schedule; runs that it started remain."""
        schedule = await self.find(writer, caller, schedule_id)
        if schedule.plugin is not None:
            raise _ready_made(schedule.plugin, "Turn it off instead.")
        await writer.run(sql.delete_schedule, id=schedule_id, team_id=caller.team_id)
        await self._planner.forget(writer, schedule.team_id, schedule.job_id)
        writer.audit("schedule.deleted", ("schedule", schedule_id))
        list_changed(self._host, writer, caller.team_id)

    async def run_now(self, writer: Writer, caller: Principal, schedule_id: str) -> RunSummary:
        """Starts its workflow at once as the caller, whatever runs; its times stay as they are."""
        schedule = await self.find(writer, caller, schedule_id)
        cause = RunCause(trigger_id=schedule.id)
        run = await self._workflows.start(writer, caller, schedule.workflow_slug, schedule.input, cause=cause)
        where = {"id": schedule_id, "team_id": caller.team_id}
        await writer.run(sql.started_by_hand, **where, run_id=run.id, now=self._host.clock.now_ms())
        list_changed(self._host, writer, caller.team_id)
        return run

    async def _taken_over(self, writer: Writer, schedule: Schedule, caller: Principal) -> Schedule:
        """Returns the schedule as one of the caller, in the scope of their credential."""
        if not caller.may(RUN):
            raise PermissionDenied(RUN)
        made_with = await self._host.service(Credentials).hold_maker(writer, caller.credential)
        return replace(
            schedule,
            owner_id=caller.user_id,
            owner_name=caller.display_name,
            made_with=made_with,
            scope=caller.credential.scope,
            stop=None,
        )

    async def _check(self, reader: Reader, schedule: Schedule, now: int, *, what: bool = True) -> None:
        """Raises `InvalidRequest` for what can start nothing."""
        times = {name: getattr(schedule, name) for name in _WHEN}
        check_times(times, now)
        if not what:
            return
        if len(encoded(schedule.input).encode()) > MAX_INPUT_BYTES:
            raise InvalidRequest.at("/input", f"takes {MAX_INPUT_BYTES} bytes of JSON")
        refused = await self._workflows.refused_inputs(
            reader, schedule.team_id, schedule.workflow_slug, schedule.input
        )
        if refused is None:
            message = "is no workflow of this team; publish it first"
            raise InvalidRequest(
                f"/workflow_slug: {message}",
                code="unknown_workflow",
                errors=[{"pointer": "/workflow_slug", "message": message}],
            )
        if refused:
            raise InvalidRequest(f"{refused[0]['pointer']}: {refused[0]['message']}", errors=refused)


def _ready_made(plugin: str, instead: str) -> Conflict:
    return Conflict(f"This schedule comes with the plugin {plugin}. {instead}", code="ready_made")


def _due(schedule: Schedule, now: int) -> Schedule:
    """Returns the schedule with its next time from now on."""
    due_at = schedule.times.after(now) if schedule.goes_on else None
    return replace(schedule, due_at=due_at, queued_until=None)


def _one_of_two(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields; one way to say when takes the place of the other."""
    given = dict(fields)
    for name, other in (("cron", "every_seconds"), ("every_seconds", "cron")):
        if given.get(name) is not None:
            given.setdefault(other, None)
    return given


def _told(schedule: Schedule, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what the trail tells of the fields: everything but the input."""
    return {name: getattr(schedule, name) for name in fields if name != "input"}


async def _move_to_team(host: Host, writer: Writer, how: TeamMove) -> None:
    """Moves a team's schedules; what acts for somebody outside the other team stops at its next time."""
    source, target = how.source.id, how.target.id
    await writer.run(sql.drop_untouched, team_id=source)
    there = {(row["plugin"], row["name"]) for row in await writer.all(sql.ready_made, team_id=target)}
    for row in await writer.all(sql.all_of_team, team_id=source):
        schedule = Schedule.of(row)
        own = int((schedule.plugin, schedule.name) in there)
        await writer.run(sql.move_schedule, id=schedule.id, source=source, target=target, own=own)
        planner = host.service(Planner)
        await planner.forget(writer, source, schedule.job_id)
        await planner.plan(writer, replace(schedule, team_id=target, job_id=None))
    list_changed(host, writer, source, target)


CONTENT = TeamContent(name="schedules", held=sql.held_by_team, move=_move_to_team)
