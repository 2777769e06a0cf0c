"""The lanes along which claims walk: opened for jobs that wait, and blocked where none of them may run."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from guildhall_sdk import Reader, Row, Writer
from guildhall_sdk.data import Data
from kernel.job_limits.blocked_lanes import block_lanes, unblock_lanes
from kernel.scheduler.fairness import room_in
from kernel.scheduler.statements import as_keys, sql

# A pool, a team, its company, and what the jobs need.
Lane = tuple[str, str, str, str]

# So many lanes are looked at together, and so often in one round where those before were in the way.
_LOOKED_AT = 250
_MAX_LOOKS = 8
# Fewer that cannot run are left where they are: a claim walks past them more quickly than they are blocked.
_MANY = 32
_FIRST: Row = {"pool": "", "vtime": -1.0, "team_id": ""}
_FIRST_BLOCKED: Row = {"org_id": "", "team_id": "", "pool": ""}


def lane_of(row: Mapping[str, Any]) -> Lane:
    return row["pool"], row["team_id"], row["org_id"], row["requirement"] or ""


async def open_lanes(writer: Writer, lanes: Iterable[Lane]) -> None:
    """Makes sure that a claim comes by; always in the same order, so that two of us never cross."""
    for pool, team_id, org_id, requirement in sorted(set(lanes)):
        if await writer.value(sql.lane, pool=pool, team_id=team_id, requirement=requirement) == 1:
            continue
        if requirement:
            await writer.run(sql.keep_time, pool=pool, team_id=team_id, org_id=org_id)
            await writer.run(sql.open_lane_for, pool=pool, team_id=team_id, requirement=requirement)
        else:
            await writer.run(sql.open_lane, pool=pool, team_id=team_id, org_id=org_id)


class BlockedLanes:
    """Blocks lanes of teams without room, and clears them; one per process, as every process does both.

    A suspension blocks those of its company by itself. Whatever makes room clears a lane in its own
    transaction; what is missed, as by two that do not see each other, upkeep finds when it looks again.
    """

    def __init__(self, data: Data) -> None:
        self._data = data
        self._place = _FIRST
        self._blocked_place = _FIRST_BLOCKED
        #: Blocked a moment ago: a job that ended meanwhile may not have seen it.
        self._fresh: dict[str, str] = {}
        self._any = True

    async def clear(self, writer: Writer, rows: Iterable[Row]) -> None:
        """Clears the lanes of teams whose jobs ended or wait, in the transaction in which they do."""
        teams = {row["team_id"]: row["org_id"] for row in rows} if self._any else {}
        if teams:
            await unblock_lanes(writer, "limit", teams.values(), teams)

    async def look(self) -> bool:
        """Looks at some lanes; returns whether any was cleared."""
        cleared = await self._clear_missed()
        for _ in range(_MAX_LOOKS):
            if not await self._block_some():
                break
        async with self._data.read() as reader:
            self._any = await reader.one(sql.any_blocked) is not None
        return cleared

    async def _block_some(self) -> bool:
        """Blocks those of the next lanes that cannot run, if they are many; returns whether they were."""
        async with self._data.read() as reader:
            lanes = await reader.all(sql.lanes_to_look_at, **self._place, max_rows=_LOOKED_AT)
            reasons = {} if len(lanes) < _MANY else await _reasons(reader, lanes)
        self._place = _next_place(lanes, _FIRST)
        if len(reasons) < _MANY:
            return False
        async with self._data.write() as writer:
            companies = as_keys(org_id for org_id, _ in reasons.values())
            locked = {row["org_id"] for row in await writer.all(sql.free_companies, companies=companies)}
            lanes = [lane for lane in lanes if lane["team_id"] in reasons and lane["org_id"] in locked]
            reasons = await _reasons(writer, lanes)
            for by in ("suspension", "limit"):
                teams = {team: org_id for team, (org_id, reason) in reasons.items() if reason == by}
                if teams:
                    blocked = await block_lanes(writer, by, teams.values(), teams)
                    self._fresh.update({row["team_id"]: row["org_id"] for row in blocked})
        return self._place is not _FIRST

    async def _clear_missed(self) -> bool:
        """Clears those of the lanes that were blocked last, and of some others, which may run by now."""
        teams, self._fresh = self._fresh, {}
        async with self._data.read() as reader:
            blocked = await reader.all(sql.blocked_lanes, **self._blocked_place, max_rows=_LOOKED_AT)
            self._blocked_place = _next_place(blocked, _FIRST_BLOCKED)
            teams.update({lane["team_id"]: lane["org_id"] for lane in blocked})
            reasons = await _reasons(reader, [{"team_id": one, "org_id": org} for one, org in teams.items()])
        free = {team: org for team, org in teams.items() if team not in reasons}
        if not free:
            return False
        async with self._data.write() as writer:
            cleared = [
                *await unblock_lanes(writer, "suspension", free.values(), free),
                *await unblock_lanes(writer, "limit", free.values(), free),
            ]
        return bool(cleared)


def _next_place(rows: Sequence[Row], first: Row) -> Row:
    """Returns where the next look begins: behind these, or at the first again when they were the last."""
    return first if len(rows) < _LOOKED_AT else {name: rows[-1][name] for name in first}


async def _reasons(reader: Reader, lanes: Sequence[Row]) -> dict[str, tuple[str, str]]:
    """Returns teams of which no job can be claimed now, each with its company and what keeps it."""
    if not lanes:
        return {}
    teams = {lane["team_id"]: lane["org_id"] for lane in lanes}
    keys, companies = as_keys(teams), as_keys(teams.values())
    suspended = {row["org_id"] for row in await reader.all(sql.suspended_of, companies=companies)}
    awaited = {row["team_id"] for row in await reader.all(sql.teams_with_awaited, teams=keys)}
    full = {
        row["team_id"]
        for row in await reader.all(sql.rooms, teams=keys)
        if not all(room_in(row, level).fits(row["team_id"] in awaited) for level in ("team", "org"))
    }
    return {
        team: (org, "suspension" if org in suspended else "limit")
        for team, org in teams.items()
        if org in suspended or team in full
    }
