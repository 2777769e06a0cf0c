"""Looks at a schedule whose time has come: starts its workflow, waits for the run before, or says why not."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from builtin_plugins.schedules.planning import Planner
from builtin_plugins.schedules.schedule import Schedule, Skipped, list_changed, sql
from builtin_plugins.schedules.times import grace_ms
from guildhall_sdk import (
    Actor,
    Conflict,
    EventCall,
    Host,
    InvalidRequest,
    Job,
    JobCall,
    NotFound,
    PermissionDenied,
    Principal,
    Problem,
    Reader,
    Row,
    TooManyRequests,
    UserError,
    Writer,
)
from guildhall_sdk.errors import FeatureDisabled, PaymentRequired, RetryLater
from guildhall_sdk.plugin import Features
from guildhall_sdk.services.identity import AuthorityEnded, Credentials
from guildhall_sdk.services.workflows import RunCause, Workflows

#: So many times wait for the run before, or are made up for after a stop; older ones are left out.
MAX_WAITING = 1_000
_SUSPENDED_SECONDS = 60
_REST = ("org_suspended", "tenant_suspended")


@dataclass(frozen=True, slots=True)
class Turn:
    """What is to become of a schedule that is due.

    `time` is the one that starts now, None where nothing does, and `skipped` why not. `waits_until` says that
    all up to then wait for the run before.
    """

    time: int | None
    following: int
    queued_until: int | None
    skipped: Skipped | None = None


def turn_of(schedule: Schedule, now: int) -> Turn:
    """Decides which time starts now, by what was missed; whether a run is still under way decides later."""
    times, due, queued_until = schedule.times, schedule.due_at, schedule.queued_until
    assert due is not None
    if queued_until is not None and due <= queued_until:
        if queued_until - due > MAX_WAITING * 1000:
            due = times.last(MAX_WAITING, due, queued_until)[0]
        return Turn(due, times.after(due), queued_until)
    if due > now - grace_ms(times, due):
        return Turn(due, times.after(due), None)
    if schedule.missed == "all":
        waiting = times.last(MAX_WAITING, due, now)
        return Turn(waiting[0], times.after(waiting[0]), waiting[-1])
    latest = times.last(1, due, now)[-1]
    if latest > now:  # the clocks of the zone were changed since it was planned
        return Turn(None, latest, None)
    if schedule.missed == "none" and latest <= now - grace_ms(times, latest):
        return Turn(None, times.after(latest), None, "missed")
    return Turn(latest, times.after(latest), None)


class ScheduleStarter:
    """Starts what is due, each time once: the start and the next time are one transaction."""

    def __init__(self, host: Host) -> None:
        self._host = host

    @cached_property
    def _workflows(self) -> Workflows:
        return self._host.service(Workflows)

    async def look(self, team_id: str, schedule_id: str) -> str | None:
        """Looks at a schedule once; returns the id of the run that it started, if any."""
        now = self._host.clock.now_ms()
        async with self._host.data.read() as reader:
            row = await reader.one(sql.schedule, id=schedule_id, team_id=team_id)
        if row is None or row["due_at"] is None or row["due_at"] > now:
            return None
        schedule = Schedule.of(row)
        try:
            return await self._look(schedule, now)
        except (AuthorityEnded, _Refused) as ended:
            await self._stop(schedule, ended.code, ended.message)
            return None

    async def _look(self, schedule: Schedule, now: int) -> str | None:
        async with self._host.data.read() as reader:
            principal = await self._owner(reader, schedule)
            is_on = await self._is_on(reader, schedule)
            under_way = await self._run_under_way(reader, schedule)
        # Off the loop: times that are years apart, or many that were missed, take a while to find.
        turn = await asyncio.to_thread(turn_of, schedule, now)
        if not is_on:
            turn = replace(turn, time=None, skipped="plugin_off")
        return await self._take(schedule, turn, principal, under_way, now)

    async def _owner(self, reader: Reader, schedule: Schedule) -> Principal:
        assert schedule.owner_id is not None
        try:
            return await self._host.service(Credentials).reauthorize(
                reader,
                user_id=schedule.owner_id,
                team_id=schedule.team_id,
                scope=schedule.scope,
                asked_with=schedule.made_with,
            )
        except AuthorityEnded as ended:
            if ended.code in _REST:  # it goes on when the company does
                raise RetryLater(ended.message, headers={"Retry-After": str(_SUSPENDED_SECONDS)}) from None
            raise

    async def _is_on(self, reader: Reader, schedule: Schedule) -> bool:
        """Tells whether the plugin of a ready-made schedule is on for the team."""
        if schedule.plugin is None:
            return True
        switches = await self._host.service(Features).of_team(reader, schedule.team_id)
        return switches.switched_off(schedule.plugin) is None

    async def _run_under_way(self, reader: Reader, schedule: Schedule) -> str | None:
        if schedule.last_run_id is None:
            return None
        run = await self._workflows.summary(reader, schedule.team_id, schedule.last_run_id)
        return None if run is None or run.state != "running" else run.id

    async def _take(
        self, schedule: Schedule, turn: Turn, principal: Principal, under_way: str | None, now: int
    ) -> str | None:
        """Does it in one transaction, unless somebody else has done it or changed the schedule."""
        actor = Actor(principal.username, principal.user_id, principal.org_id, principal.team_id)
        async with self._host.data.write(actor, within=schedule.org_id) as writer:
            locked = await writer.one(sql.lock, id=schedule.id, team_id=schedule.team_id)
            if not _is_as_read(locked, schedule):
                return None
            if turn.time is None:
                await self._decide(writer, schedule, turn)
                return None
            is_queued = turn.queued_until is not None and turn.time <= turn.queued_until
            if under_way is not None and (is_queued or schedule.overlap == "queue"):
                await self._wait(writer, schedule, turn, now)
                return None
            if under_way is not None and schedule.overlap == "skip":
                await self._decide(writer, schedule, replace(turn, time=None, skipped="overlap"))
                return None
            return await self._start(writer, schedule, turn, principal, under_way)

    async def _start(
        self, writer: Writer, schedule: Schedule, turn: Turn, principal: Principal, under_way: str | None
    ) -> str | None:
        run_id = None
        try:
            async with writer.savepoint():
                if under_way is not None:
                    with suppress(Conflict, NotFound):  # it has ended meanwhile
                        await self._workflows.cancel(writer, schedule.team_id, under_way)
                cause = RunCause(trigger_id=schedule.id)
                slug = schedule.workflow_slug
                run = await self._workflows.start(writer, principal, slug, schedule.input, cause=cause)
                run_id = run.id
        except FeatureDisabled:
            turn = replace(turn, skipped="feature_disabled")
        except (TooManyRequests, PaymentRequired) as refusal:
            headers = {"Retry-After": refusal.headers.get("Retry-After", str(_SUSPENDED_SECONDS))}
            raise RetryLater(refusal.detail, headers=headers) from refusal
        except Problem as refusal:
            if refusal.status >= 500:
                raise
            raise _Refused(_code_of(refusal), _words_of(refusal)) from refusal
        await self._decide(writer, schedule, turn, run_id)
        return run_id

    async def _wait(self, writer: Writer, schedule: Schedule, turn: Turn, now: int) -> None:
        """Has this time, and those of the queue that have come since, wait for the run before.

        Its end is told; at the next time it is looked for all the same.
        """
        assert turn.time is not None
        times, newest = schedule.times, max(turn.time, turn.queued_until or 0)
        following = times.after(newest)
        if schedule.overlap == "queue" and now - grace_ms(times, following) < following <= now:
            newest = following
        nothing = dict.fromkeys(("last_at", "skipped", "run_id"))
        await writer.run(sql.decided, id=schedule.id, due_at=turn.time, queued_until=newest, **nothing)
        await self._host.service(Planner).plan(writer, replace(schedule, job_id=None), times.after(now))

    async def _decide(
        self, writer: Writer, schedule: Schedule, turn: Turn, run_id: str | None = None
    ) -> None:
        """Records what became of a time, and plans the next."""
        queued = turn.queued_until
        binds = {
            "due_at": turn.following,
            "queued_until": None if queued is None or turn.following > queued else queued,
            "last_at": None if run_id is None else turn.time,
            "skipped": turn.skipped,
            "run_id": run_id,
        }
        await writer.run(sql.decided, id=schedule.id, **binds)
        # The job that looks now runs, and ends by itself.
        await self._host.service(Planner).plan(writer, replace(schedule, job_id=None), turn.following)

    async def _stop(self, schedule: Schedule, code: str, message: str) -> None:
        async with self._host.data.write(_system(schedule)) as writer:
            locked = await writer.one(sql.lock, id=schedule.id, team_id=schedule.team_id)
            if _is_as_read(locked, schedule):
                await stop(self._host, writer, schedule, code, message)


class _Refused(Exception):
    """The workflow cannot be started as it is; the transaction that tried it changes nothing."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


async def stop(host: Host, writer: Writer, schedule: Schedule, code: str, message: str) -> None:
    """Stops a schedule until somebody turns it on again, and says why."""
    await writer.run(sql.stop, id=schedule.id, code=code, message=message, at=host.clock.now_ms())
    writer.audit("schedule.stopped", ("schedule", schedule.id), detail={"code": code})
    list_changed(host, writer, schedule.team_id)


async def look_at_schedule(job: JobCall) -> dict[str, str | None]:
    run_id = await job.host.service(ScheduleStarter).look(job.team_id, job.payload["schedule_id"])
    return {"run_id": run_id}


async def go_on_after(host: Host, writer: Writer, job: Job) -> None:
    """Goes on with the next time where the job that looks at a schedule failed for good, or was cancelled."""
    if job.state == "succeeded":
        return
    row = await writer.one(sql.by_job, job_id=job.id)
    if row is None or row["due_at"] is None:
        return
    schedule = Schedule.of(row)
    following = schedule.times.after(max(host.clock.now_ms(), schedule.due_at or 0))
    skipped = "failed" if job.state == "failed" else "cancelled"
    binds = {"due_at": following, "queued_until": None, "last_at": None, "run_id": None}
    await writer.run(sql.decided, id=schedule.id, skipped=skipped, **binds)
    await host.service(Planner).plan(writer, replace(schedule, job_id=None), following)


async def look_at_waiting(call: EventCall) -> None:
    """Has those looked at that waited for a run which has ended."""
    host, team_id = call.host, call.origin.team_id
    async with host.data.read() as reader:
        ids = call.matches or [
            row["id"]
            for row in await reader.all(sql.waiting_for, run_id=call.payload.run_id, team_id=team_id)
        ]
    for schedule_id in ids:
        async with host.data.write() as writer:
            row = await writer.one(sql.schedule, id=schedule_id, team_id=team_id)
            if row is not None and row["queued_until"] is not None:
                await host.service(Planner).plan(writer, Schedule.of(row), host.clock.now_ms())


def _is_as_read(locked: Row | None, schedule: Schedule) -> bool:
    return locked is not None and dict(locked) == {
        "due_at": schedule.due_at,
        "updated_at": schedule.updated_at,
    }


def _system(schedule: Schedule) -> Actor:
    return Actor("system", org_id=schedule.org_id, team_id=schedule.team_id)


def _code_of(refusal: Problem) -> str:
    match refusal:
        case NotFound():
            return "workflow_missing"
        case PermissionDenied():
            return refusal.code
        case InvalidRequest() | UserError():
            return "invalid_input"
    return refusal.code


def _words_of(refusal: Problem) -> str:
    places = [f"{one['pointer'] or '/'}: {one['message']}" for one in refusal.errors[:5]]
    return "; ".join(places) or refusal.detail
