"""The lanes along which claims walk: opened for jobs that wait, and blocked where none of them may run.

Jobs whose plugin or feature a team has off are parked where no claim meets them. A claim that meets one moves
it into a pool of its own, named for what it waits for, and upkeep moves it back once that is on again. A
hundred thousand that wait so cost the claims of the others nothing.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from guildhall_sdk import Reader, Row, Writer
from guildhall_sdk.plugin import Switches
from kernel.db.database import Database
from kernel.job_limits import BLOCKS, set_blocked
from kernel.scheduler.statements import as_keys, sql
from libs.fair_queue import NO_LIMIT, Capacity, Line

# A pool, a team, its company, and what the jobs need.
Lane = tuple[str, str, str, str]

# So many lanes are looked at together, and so often in one round where those before were in the way.
_LANES_AT_ONCE = 250
_MAX_ROUNDS = 8
# Fewer that cannot run are left where they are: a claim walks past them more quickly than they are blocked.
_MANY = 32
_FIRST: Row = {"pool": "", "vtime": -1.0, "team_id": "", "requirement": ""}
_FIRST_BLOCKED: Row = {"org_id": "", "team_id": "", "pool": ""}
# Of jobs that are parked, or come back: so many together, and so often in one round.
_PARKED_POOLS = "off/"
_CHECKED = 256
_BROUGHT_BACK = 1000
_MAX_CHECKS = 2
_MAX_BATCHES = 20


def capacity_in(counted: Row, level: str) -> Capacity:
    """Returns how many more may run, by a row of `capacities`: of the `team`, or of the `org`."""
    cap = counted[f"{level}_cap"]
    if cap is None:
        return NO_LIMIT
    return Capacity(cap - counted[f"{level}_working"], cap - counted[f"{level}_ordinary"])


def lane_of(row: Mapping[str, Any]) -> Lane:
    return row["pool"], row["team_id"], row["org_id"], row["requirement"] or ""


async def open_lanes(writer: Writer, lanes: Iterable[Lane]) -> None:
    """Makes sure that a claim comes by; always in the same order, so that two of us never cross."""
    for pool, team_id, org_id, requirement in sorted(set(lanes)):
        if await writer.value(sql.lane, pool=pool, team_id=team_id, requirement=requirement) != 1:
            await open_lane(writer, pool, team_id, org_id, requirement)


async def open_lane(writer: Writer, pool: str, team_id: str, org_id: str, requirement: str) -> None:
    """Opens a lane that is not there, or closed."""
    first = sql.store_time if requirement else sql.open_lane
    await writer.run(first, pool=pool, team_id=team_id, org_id=org_id)
    if requirement:
        await writer.run(sql.open_lane_for, pool=pool, team_id=team_id, requirement=requirement)


class BlockedLanes:
    """Blocks lanes of teams without room, and clears them; one per process, as every process does both.

    A suspension blocks those of its company by itself. Whatever makes room clears a lane in its own
    transaction; what is missed, as by two that do not see each other, upkeep finds when it looks again.
    """

    def __init__(self, data: Database) -> None:
        self._data = data
        self._place = _FIRST
        self._blocked_place = _FIRST_BLOCKED
        #: Blocked a moment ago, with their companies: a job that ended meanwhile may not have seen it.
        self._fresh: dict[str, str] = {}
        self._any = True

    async def clear(self, writer: Writer, rows: Iterable[Row]) -> None:
        """Clears the lanes of teams whose jobs ended or wait, in the transaction in which they do."""
        if self._any and (teams := _teams_of(rows)):
            await set_blocked(writer, "limit", teams.values(), teams, blocked=False)

    async def update(self) -> bool:
        """Closes, blocks and clears some lanes, on from those before; returns whether any was cleared."""
        cleared = await self._clear_missed()
        for _ in range(_MAX_ROUNDS):
            lanes = await self._data.read_rows(sql.lanes_from, **self._place, max_rows=_LANES_AT_ONCE)
            self._place = _next_place(lanes, _FIRST)
            await self._close([lane for lane in lanes if lane["idle"]])
            if not await self._block(_teams_of(lanes)) or self._place is _FIRST:
                break
        self._any = bool(await self._data.read_rows(sql.any_blocked))
        return cleared

    async def _close(self, idle: Sequence[Row]) -> None:
        """Closes lanes in which nothing waits; one that just gets a job is passed over."""
        if not idle:
            return
        async with self._data.write() as writer:
            for one in idle:
                lane = {name: one[name] for name in ("pool", "team_id", "requirement")}
                if await writer.one(sql.lock_lane, **lane) is not None:
                    await writer.run(sql.remove_lane if one["requirement"] else sql.close_lane, **lane)

    async def _block(self, teams: Mapping[str, str]) -> bool:
        """Blocks those of these teams that cannot run, if they are many; returns whether they were."""
        async with self._data.read() as reader:
            reasons = {} if len(teams) < _MANY else await _reasons(reader, teams)
        if len(reasons) < _MANY:
            return False
        async with self._data.write() as writer:
            companies = as_keys(teams[team] for team in reasons)
            locked = {row["org_id"] for row in await writer.all(sql.free_companies, companies=companies)}
            reasons = await _reasons(writer, {one: teams[one] for one in reasons if teams[one] in locked})
            for by in BLOCKS:
                blocked = {team: teams[team] for team, reason in reasons.items() if reason == by}
                self._fresh |= _teams_of(
                    await set_blocked(writer, by, blocked.values(), blocked, blocked=True)
                )
        return True

    async def _clear_missed(self) -> bool:
        """Clears those of the lanes that were blocked last, and of some others, which may run by now."""
        teams, self._fresh = self._fresh, {}
        async with self._data.read() as reader:
            blocked = await reader.all(sql.blocked_lanes, **self._blocked_place, max_rows=_LANES_AT_ONCE)
            self._blocked_place = _next_place(blocked, _FIRST_BLOCKED)
            teams |= _teams_of(blocked)
            reasons = await _reasons(reader, teams)
        free = {team: org for team, org in teams.items() if team not in reasons}
        if not free:
            return False
        async with self._data.write() as writer:
            cleared = [await set_blocked(writer, by, free.values(), free, blocked=False) for by in BLOCKS]
        return any(cleared)


def _teams_of(rows: Iterable[Row]) -> dict[str, str]:
    """Returns the teams, each with its company."""
    return {row["team_id"]: row["org_id"] for row in rows}


def _next_place(rows: Sequence[Row], first: Row) -> Row:
    """Returns where the next look begins: behind these, or at the first again when they were the last."""
    return first if len(rows) < _LANES_AT_ONCE else {name: rows[-1][name] for name in first}


async def _reasons(reader: Reader, teams: Mapping[str, str]) -> dict[str, str]:
    """Returns teams of which no job can be claimed now, each with what keeps it."""
    if not teams:
        return {}
    keys, companies = as_keys(teams), as_keys(teams.values())
    suspended = {row["org_id"] for row in await reader.all(sql.suspended_of, companies=companies)}
    awaited = {row["team_id"] for row in await reader.all(sql.teams_with_awaited, teams=keys)}
    full = {
        row["team_id"]: "limit"
        for row in await reader.all(sql.capacities, teams=keys)
        if not all(capacity_in(row, level).fits(row["team_id"] in awaited) for level in ("team", "org"))
    }
    return full | {team: "suspension" for team, org in teams.items() if org in suspended}


@dataclass(frozen=True, slots=True, kw_only=True)
class KindSwitches:
    """Which kinds hang on what: of each the plugin's id and its feature; and how a team's choice is read."""

    owners: Mapping[str, tuple[str, str | None]]
    read: Callable[[str | None], Switches]
    #: The kinds that are held back for everybody.
    held: Callable[[], Set[str]]

    def off(self, stored: str | None) -> Mapping[str, str]:
        """Returns the kinds that these stored switches turn off, each with what it waits for."""
        switches, off = self.read(stored), dict[str, str]()
        for kind, (plugin_id, feature) in self.owners.items():
            if not switches.plugin(plugin_id):
                off[kind] = f"plugin:{plugin_id}"
            elif feature is not None and not switches.feature(feature):
                off[kind] = f"feature:{feature}"
        return off | {kind: f"held:{kind}" for kind in self.held()}

    def is_on(self, stored: str | None, what: str) -> bool:
        switches = self.read(stored)
        kind, _, name = what.partition(":")
        if kind == "held":
            return name not in self.held()
        return switches.plugin(name) if kind == "plugin" else switches.feature(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingTeam(Line):
    """A team whose jobs wait, and what it has switched."""

    switches: str | None = None


class Parking:
    """Puts jobs of kinds that are off aside, and brings them back."""

    def __init__(self, data: Database, freed: Callable[[], None], switches: KindSwitches) -> None:
        self._data = data
        self._freed = freed
        self._switches = switches
        # A feature may be off for a team that never switched anything.
        self._with_features = any(feature is not None for _, feature in switches.owners.values())

    async def put_aside(
        self, writer: Writer, pool: str, teams: Sequence[WaitingTeam], slots: int
    ) -> Sequence[WaitingTeam]:
        """Parks jobs of kinds that are off, within a claim; returns the teams whose next jobs may go.

        A team with too many to move is served next time.
        """
        if not (self._with_features or any(team.switches for team in teams) or self._switches.held()):
            return teams
        # No fewer than could be claimed: behind those that were looked at the others are not known.
        binds = {"pool": pool, "max_rows": slots + _CHECKED}
        return [team for team in teams if await self._cleared(writer, team, binds)]

    async def _cleared(self, writer: Writer, team: WaitingTeam, binds: Mapping[str, Any]) -> bool:
        """Parks the team's jobs of kinds that are off; returns whether none is among the first any more."""
        off = self._switches.off(team.switches)
        pools = json.dumps({kind: f"{_PARKED_POOLS}{what}/" for kind, what in off.items()})
        for _ in range(_MAX_CHECKS):
            parked = await writer.all(sql.park, team_id=team.id, pools=pools, **binds) if off else ()
            if not parked:
                return True
            await open_lanes(writer, map(lane_of, parked))
        writer.after_commit(self._freed)
        return False

    async def bring_back(self) -> bool:
        """Brings jobs back whose team has turned on what they waited for; returns whether there were any."""
        lanes = await self._data.read_rows(sql.parked_lanes)
        by_team = groupby(lanes, key=lambda lane: (lane["pool"], lane["team_id"]))
        came = [await self._brought_back(list(parked)) for _, parked in by_team]
        return any(came)

    async def _brought_back(self, lanes: Sequence[Row]) -> bool:
        """Brings the jobs of one team back, of all its lanes in one pool."""
        parked, team_id = lanes[0]["pool"], lanes[0]["team_id"]
        what, _, pool = parked.removeprefix(_PARKED_POOLS).partition("/")
        if not self._switches.is_on(lanes[0]["switches"], what):
            return False
        binds = {"pool": pool, "parked": parked, "team_id": team_id, "max_rows": _BROUGHT_BACK}
        for _ in range(_MAX_BATCHES):
            async with self._data.write() as writer:
                await open_lanes(writer, (lane_of({**one, "pool": pool}) for one in lanes))
                moved = await writer.all(sql.unpark, **binds)
            if len(moved) < _BROUGHT_BACK:
                break
        return True
