"""Schedules that plugins ship: every team has them from its first look on, turned off."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, get_args

from builtin_plugins.schedules.schedule import ID_PREFIX, NOTHING_YET, Missed, Overlap, Schedule, encoded, sql
from builtin_plugins.schedules.times import MAX_EVERY_SECONDS, check_times
from guildhall_sdk import Host, InvalidRequest, Principal, Reader, Writer, new_id
from guildhall_sdk.hooks import Declarer
from guildhall_sdk.plugin import Features, Plugins
from guildhall_sdk.services.workflows import ReadySchedule

_NOW = 0


def check_ready(row: ReadySchedule, declarer: Declarer) -> str | None:
    """Returns what is wrong with a schedule that a plugin declares."""
    if [one.name for one in declarer.declared(ReadySchedule)].count(row.name) > 1:
        return f"the schedule {row.name} is declared twice"
    if row.every_seconds is not None and not 1 <= row.every_seconds <= MAX_EVERY_SECONDS:
        return f"the schedule {row.name}: every_seconds is 1 to {MAX_EVERY_SECONDS}"
    if row.missed not in get_args(Missed) or row.overlap not in get_args(Overlap):
        return f"the schedule {row.name}: missed is one of {get_args(Missed)}, overlap of {get_args(Overlap)}"
    try:
        check_times(asdict(row), _NOW)
        json.dumps(row.input)
    except InvalidRequest as refusal:
        return f"the schedule {row.name}: {refusal.detail}"
    except (TypeError, ValueError):
        return f"the schedule {row.name}: its input is no JSON"
    return None


class ReadyMade:
    """What plugins ship, and which of it a team has."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def _shipped(self, caller: Principal) -> Mapping[tuple[str, str], ReadySchedule]:
        """Returns what plugins that are on for the caller's team ship."""
        switches = self._host.service(Features).of(caller)
        owned = self._host.service(Plugins).owned(ReadySchedule, switches)
        return {(plugin, row.name): row for plugin, row in owned}

    def plugins(self, caller: Principal) -> Sequence[str]:
        """Returns the ids of plugins that ship some, and are on for the team."""
        return sorted({plugin for plugin, _ in self._shipped(caller)})

    def is_there(self, caller: Principal, plugin: str | None, name: str | None) -> bool:
        """Tells whether a schedule is the team's own, or still shipped by a plugin that is on."""
        return plugin is None or (plugin, name or "") in self._shipped(caller)

    async def materialize(self, caller: Principal) -> None:
        """Gives the team what plugins ship, and what they ship otherwise now unless the team changed it.

        Not inside a scope. Where nothing is missing this only reads. It is the server that writes: a team
        whose company is suspended can look at its schedules too.
        """
        shipped = self._shipped(caller)
        if not shipped:
            return
        async with self._host.data.read() as reader:
            missing = await self._missing(reader, caller.team_id, shipped)
        if not missing:
            return
        async with self._host.data.write() as writer:
            await writer.serialize(f"schedules.{caller.team_id}")
            for key, schedule_id in (await self._missing(writer, caller.team_id, shipped)).items():
                await self._take_over(writer, caller, key, shipped[key], schedule_id)

    async def _missing(
        self, reader: Reader, team_id: str, shipped: Mapping[tuple[str, str], ReadySchedule]
    ) -> dict[tuple[str, str], str | None]:
        """Returns what the team lacks or has in an older form, with the id of that."""
        had = {(row["plugin"], row["name"]): row for row in await reader.all(sql.ready_made, team_id=team_id)}
        return {
            key: None if key not in had else had[key]["id"]
            for key, row in shipped.items()
            if key not in had or (not had[key]["changed"] and had[key]["ready"] != _form(row))
        }

    async def _take_over(
        self,
        writer: Writer,
        caller: Principal,
        key: tuple[str, str],
        row: ReadySchedule,
        schedule_id: str | None,
    ) -> None:
        now = self._host.clock.now_ms()
        given: dict[str, Any] = {**asdict(row), "ready": _form(row)}
        if schedule_id is not None:
            found = await writer.one(sql.schedule, id=schedule_id, team_id=caller.team_id)
            assert found is not None
            had = Schedule.of(found)
            # One that is on keeps the time that is planned, and goes on from there by the new ones.
            await writer.run(sql.update_schedule, **replace(had, **given).stored())
            return
        plugin, _ = key
        new = Schedule(
            id=new_id(ID_PREFIX, now),
            org_id=caller.org_id,
            team_id=caller.team_id,
            plugin=plugin,
            begins=now,
            enabled=False,
            created_at=now,
            updated_at=now,
            **NOTHING_YET,
            **given,
        )
        await writer.run(sql.insert_schedule, **new.stored())


def _form(row: ReadySchedule) -> str:
    return encoded(asdict(row))
