"""Lanes that wait in vain, kept out of the way of claims: of suspended companies, and of teams without room.

A suspension holds the lanes of its company at once. Those of teams without room are held by upkeep, and only
where there are many: a claim walks past a few more quickly than they are held and released. Whatever makes
room releases them; what is missed, as by two transactions that do not see each other, upkeep finds when it
looks again.
"""

from collections.abc import Iterable, Sequence

from guildhall_sdk import Data, Reader, Row, Writer
from kernel.scheduler.fairness import room_in
from kernel.scheduler.statements import as_keys, sql

# So many lanes are looked at together, and so often in one round where those before were in the way.
_LOOKED_AT = 250
_MAX_LOOKS = 8
# Fewer that wait in vain are left where they are.
_MANY = 32

Place = tuple[str, float, str]
HeldPlace = tuple[str, str, str]
_FIRST: Place = ("", -1.0, "")
_FIRST_HELD: HeldPlace = ("", "", "")


class Holding:
    """Holds lanes and releases them; one per process, as every process's upkeep does both."""

    def __init__(self, data: Data) -> None:
        self._data = data
        self._place = _FIRST
        self._held_place = _FIRST_HELD
        #: Held a moment ago: a job that ended meanwhile may not have seen it.
        self._fresh: dict[str, str] = {}
        self._any = True

    async def release(self, writer: Writer, rows: Iterable[Row]) -> None:
        """Releases the lanes of teams whose jobs ended, in the transaction in which they did."""
        teams = {row["team_id"]: row["org_id"] for row in rows} if self._any else {}
        if teams:
            companies = as_keys(teams.values())
            await writer.run(sql.release_lanes, companies=companies, teams=as_keys(teams))
            await writer.run(sql.release_companies, companies=companies)

    async def release_team(self, writer: Writer, org_id: str, team_id: str) -> None:
        """Releases a team's lanes for a job that needs no room of its own."""
        if self._any:
            await writer.run(sql.release_lanes, companies=as_keys([org_id]), teams=as_keys([team_id]))

    async def look(self) -> bool:
        """Looks at some lanes; returns whether any was released."""
        released = await self._release_missed()
        for _ in range(_MAX_LOOKS):
            if not await self._hold_some():
                break
        async with self._data.read() as reader:
            self._any = await reader.one(sql.any_held) is not None
        return released

    async def _hold_some(self) -> bool:
        """Holds those of the next lanes that wait in vain, if they are many; returns whether they were."""
        pool, vtime, team_id = self._place
        async with self._data.read() as reader:
            lanes = await reader.all(
                sql.lanes_to_look_at, pool=pool, vtime=vtime, team_id=team_id, max_rows=_LOOKED_AT
            )
            in_vain = {} if len(lanes) < _MANY else await _without_room(reader, lanes)
        last = lanes[-1] if len(lanes) == _LOOKED_AT else None
        self._place = _FIRST if last is None else (last["pool"], last["vtime"], last["team_id"])
        if len(in_vain) < _MANY:
            return False
        async with self._data.write() as writer:
            locked = {
                row["org_id"]
                for row in await writer.all(sql.companies_held, companies=as_keys(in_vain.values()))
            }
            lanes = [lane for lane in lanes if lane["team_id"] in in_vain and lane["org_id"] in locked]
            in_vain = await _without_room(writer, lanes)
            if in_vain:
                binds = {"companies": as_keys(in_vain.values()), "teams": as_keys(in_vain)}
                held = await writer.all(sql.hold_lanes, **binds)
                self._fresh.update({row["team_id"]: row["org_id"] for row in held})
        return last is not None

    async def _release_missed(self) -> bool:
        """Releases those of the lanes that were held last, and of some others, which have room by now."""
        org_id, team_id, pool = self._held_place
        teams, self._fresh = self._fresh, {}
        async with self._data.read() as reader:
            held = await reader.all(
                sql.held_lanes, org_id=org_id, team_id=team_id, pool=pool, max_rows=_LOOKED_AT
            )
            last = held[-1] if len(held) == _LOOKED_AT else None
            self._held_place = (
                _FIRST_HELD if last is None else (last["org_id"], last["team_id"], last["pool"])
            )
            teams.update({lane["team_id"]: lane["org_id"] for lane in held})
            looked_at = [{"team_id": team, "org_id": org} for team, org in teams.items()]
            in_vain = await _without_room(reader, looked_at) if looked_at else {}
        free = {team: org for team, org in teams.items() if team not in in_vain}
        if not free:
            return False
        async with self._data.write() as writer:
            binds = {"companies": as_keys(free.values()), "teams": as_keys(free)}
            return bool(await writer.all(sql.release_lanes, **binds))


async def _without_room(reader: Reader, lanes: Sequence[Row]) -> dict[str, str]:
    """Returns teams, with their companies, of which no job can be claimed now."""
    if not lanes:
        return {}
    teams = {lane["team_id"]: lane["org_id"] for lane in lanes}
    keys = as_keys(teams)
    suspended = {
        row["org_id"] for row in await reader.all(sql.suspended_of, companies=as_keys(teams.values()))
    }
    borrowing = {row["team_id"] for row in await reader.all(sql.teams_with_borrowers, teams=keys)}
    full = {
        row["team_id"]
        for row in await reader.all(sql.rooms, teams=keys)
        if room_in(row, "team") <= 0 or room_in(row, "org") <= 0
    }
    return {
        team: org
        for team, org in teams.items()
        if org in suspended or (team in full and team not in borrowing)
    }
