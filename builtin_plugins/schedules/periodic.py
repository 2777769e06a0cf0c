"""Periodic jobs that plugins declare: each time enqueues one for each team, or one in all, and no second."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextvars import copy_context
from dataclasses import asdict
from functools import cached_property
from pathlib import Path

from builtin_plugins.schedules.times import MAX_EVERY_SECONDS, Times, check_times, times_of
from guildhall_sdk import Host, InvalidRequest, JobKind, NewJob, Reader, Row, Writer, load_queries
from guildhall_sdk.hooks import Declarer
from guildhall_sdk.plugin import Features, Plugins
from guildhall_sdk.services.jobs import Jobs, PeriodicJob

sql = load_queries(Path(__file__).with_name("periodic.sql"))

_AT_ONCE = 200
_LOOK_EVERY_SECONDS = 5.0
_EPOCH = 0


def check_periodic(row: PeriodicJob, declarer: Declarer) -> str | None:
    """Returns what is wrong with a periodic job that a plugin declares."""
    what = f"the periodic job {row.kind}"
    if row.kind not in [kind.name for kind in declarer.declared(JobKind)]:
        return f"{what}: its kind is none of this plugin's; declare it by declare_job_kinds"
    if [one.kind for one in declarer.declared(PeriodicJob)].count(row.kind) > 1:
        return f"{what} is declared twice"
    if row.every_seconds is not None and not 1 <= row.every_seconds <= MAX_EVERY_SECONDS:
        return f"{what}: every_seconds is 1 to {MAX_EVERY_SECONDS}"
    if row.per not in ("team", "instance"):
        return f"{what}: per is team or instance"
    try:
        check_times(asdict(row), _EPOCH)
        json.dumps(row.payload)
    except InvalidRequest as refusal:
        return f"{what}: {refusal.detail}"
    except (TypeError, ValueError):
        return f"{what}: its payload is no JSON"
    return None


class PeriodicRunner:
    """Implements the SDK's `PeriodicJobs`. A time is moved on in the transaction that enqueues its jobs."""

    def __init__(self, host: Host) -> None:
        self._host = host
        # Whatever calls: the jobs are the server's own.
        self._own_context = copy_context()

    @cached_property
    def _declared(self) -> Mapping[tuple[str, str], PeriodicJob]:
        owned = self._host.service(Plugins).owned(PeriodicJob)
        return {(plugin, row.kind): row for plugin, row in owned}

    async def run(self) -> None:
        """Enqueues what is due, again and again; returns where no plugin declares any."""
        while self._declared:
            await self.enqueue_due()
            await asyncio.sleep(_LOOK_EVERY_SECONDS)

    async def enqueue_due(self) -> int:
        enqueued = 0
        known = await self._known()
        for key, row in self._declared.items():
            if key in known and known[key]["due_at"] <= self._host.clock.now_ms():
                enqueued += await self._enqueue(key, row)
        return enqueued

    async def _known(self) -> Mapping[tuple[str, str], Row]:
        """Returns the next times; those that a plugin declares anew, or otherwise, begin now."""
        async with self._host.data.read() as reader:
            known = await _rows(reader)
        now = self._host.clock.now_ms()
        changed = [
            key for key, row in self._declared.items() if key not in known or _differs(known[key], row)
        ]
        if not changed:
            return known
        async with self._host.data.write() as writer:
            for plugin, kind in changed:
                row = self._declared[plugin, kind]
                due_at = _times(row, now).after(now)
                named = {"plugin": plugin, "kind": kind, "form": _form(row), "due_at": due_at}
                if (plugin, kind) in known:
                    await writer.run(sql.change, before=known[plugin, kind]["form"], **named)
                else:
                    await writer.run(sql.add, **named)
            return await _rows(writer)

    async def _enqueue(self, key: tuple[str, str], row: PeriodicJob) -> int:
        """Enqueues the jobs of a time, some teams in each transaction: a kill leaves the rest for later."""
        enqueued = 0
        while True:
            async with self._host.data.write() as writer:
                at = await writer.one(sql.lock, plugin=key[0], kind=key[1])
                now = self._host.clock.now_ms()
                if at is None or at["due_at"] > now:  # another process was faster
                    return enqueued
                found = await self._found(writer, row, at["after_team"])
                wanted = [team for team in found if await self._wants(writer, key[0], team)]
                await self._enqueue_for(writer, row, wanted)
                enqueued += len(wanted)
                if row.per == "team" and len(found) == _AT_ONCE:
                    await _move_on(writer, key, at["due_at"], found[-1]["team_id"])
                    continue
                await _move_on(writer, key, _times(row, at["due_at"]).after(now), "")
                return enqueued

    async def _found(self, reader: Reader, row: PeriodicJob, after: str) -> Sequence[Row]:
        if row.per == "instance":
            return await reader.all(sql.team_of_instance)
        return await reader.all(sql.teams, after=after, limit=_AT_ONCE)

    async def _wants(self, reader: Reader, plugin: str, team: Row) -> bool:
        if team["user_id"] is None:
            return False
        switches = await self._host.service(Features).of_team(reader, team["team_id"])
        return switches.switched_off(plugin) is None

    async def _enqueue_for(self, writer: Writer, row: PeriodicJob, teams: Sequence[Row]) -> None:
        if not teams:
            return
        new = [
            NewJob(
                row.kind,
                team["org_id"],
                team["team_id"],
                team["user_id"],
                row.payload,
                unique_key="periodic",
                scope=frozenset(),
            )
            for team in teams
        ]
        asking = self._host.service(Jobs).enqueue_for_ids(writer, new, following=True)
        await asyncio.create_task(asking, context=self._own_context.copy())


async def _rows(reader: Reader) -> Mapping[tuple[str, str], Row]:
    return {(row["plugin"], row["kind"]): row for row in await reader.all(sql.known)}


async def _move_on(writer: Writer, key: tuple[str, str], due_at: int, after_team: str) -> None:
    await writer.run(sql.move_on, plugin=key[0], kind=key[1], due_at=due_at, after_team=after_team)


def _times(row: PeriodicJob, begins: int) -> Times:
    return times_of(row.cron, row.every_seconds, row.timezone, begins)


def _form(row: PeriodicJob) -> str:
    return json.dumps([row.every_seconds, row.cron, row.timezone, row.per])


def _differs(known: Row, row: PeriodicJob) -> bool:
    return bool(known["form"] != _form(row))
