"""Jobs whose plugin or feature a team has off: put aside where no claim meets them, and brought back.

A claim that meets one moves it into a pool of its own, named for what it waits for, and upkeep moves it back
once that is on again. A hundred thousand that wait so cost the claims of the others nothing.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from guildhall_sdk import Row, Writer
from guildhall_sdk.services.toggles import Switches
from kernel.scheduler.core import Core
from kernel.scheduler.fairness import WaitingTeam
from kernel.scheduler.lanes import lane_of, open_lanes
from kernel.scheduler.statements import sql

_ASIDE = "off/"
_LOOKED_AT = 256
_BROUGHT_BACK = 1000
_MAX_LOOKS = 2
_MAX_BATCHES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class KindSwitches:
    """Which kinds hang on what: of each the plugin's id and its feature; and how a team's choice is read."""

    owners: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    read: Callable[[str | None], Switches]

    def off(self, stored: str | None) -> Mapping[str, str]:
        """Returns the kinds that these stored switches turn off, each with what it waits for."""
        switches = self.read(stored)
        waiting = {kind: _waits_for(switches, *owner) for kind, owner in self.owners.items()}
        return {kind: what for kind, what in waiting.items() if what is not None}

    def is_on(self, stored: str | None, what: str) -> bool:
        switches = self.read(stored)
        kind, _, name = what.partition(":")
        return switches.plugin(name) if kind == "plugin" else switches.feature(name)


def _waits_for(switches: Switches, plugin_id: str, feature: str | None) -> str | None:
    if not switches.plugin(plugin_id):
        return f"plugin:{plugin_id}"
    return f"feature:{feature}" if feature is not None and not switches.feature(feature) else None


class Parking:
    def __init__(self, core: Core, switches: KindSwitches | None) -> None:
        self._core = core
        self._switches = switches
        # A feature may be off for a team that never switched anything.
        owners = {} if switches is None else switches.owners
        self._with_features = any(feature is not None for _, feature in owners.values())

    async def put_aside(
        self, writer: Writer, pool: str, teams: Sequence[WaitingTeam], slots: int
    ) -> Sequence[WaitingTeam]:
        """Parks jobs of kinds that are off, within a claim; returns the teams whose next jobs may go.

        A team with too many to move is served next time.
        """
        switches = self._switches
        if switches is None or not (self._with_features or any(team.switches for team in teams)):
            return teams
        # No fewer than could be claimed: behind those that were looked at the others are not known.
        looked_at = slots + _LOOKED_AT
        return [team for team in teams if await self._cleared(writer, pool, team, looked_at, switches)]

    async def _cleared(
        self, writer: Writer, pool: str, team: WaitingTeam, looked_at: int, switches: KindSwitches
    ) -> bool:
        kinds: dict[str, list[str]] = defaultdict(list)
        for kind, what in switches.off(team.switches).items():
            kinds[what].append(kind)
        clear = [
            await self._moved(writer, pool, team, what, names, looked_at) for what, names in kinds.items()
        ]
        if not all(clear):
            writer.after_commit(self._core.signals.freed)
        return all(clear)

    async def _moved(
        self,
        writer: Writer,
        pool: str,
        team: WaitingTeam,
        what: str,
        kinds: Sequence[str],
        looked_at: int,
    ) -> bool:
        """Parks jobs of these kinds; returns whether none of them stands among the first any more."""
        aside, names = f"{_ASIDE}{what}/", json.dumps(kinds)
        for _ in range(_MAX_LOOKS):
            moved = await writer.all(
                sql.park, pool=pool, team_id=team.team_id, kinds=names, aside=aside, looked_at=looked_at
            )
            if not moved:
                return True
            needs = {row["requirement"] or "" for row in moved}
            await open_lanes(writer, ((aside + pool, team.team_id, team.org_id, need) for need in needs))
        return False

    async def bring_back(self) -> bool:
        """Brings jobs back whose team has turned on what they waited for; returns whether there were any."""
        if self._switches is None:
            return False
        async with self._core.data.read() as reader:
            lanes = await reader.all(sql.parked_lanes)
        by_team = groupby(lanes, key=lambda lane: (lane["pool"], lane["team_id"]))
        came = [await self._brought(list(parked), self._switches) for _, parked in by_team]
        return any(came)

    async def _brought(self, lanes: Sequence[Row], switches: KindSwitches) -> bool:
        """Brings the jobs of one team back, of all its lanes in one pool."""
        lane = lanes[0]
        what, _, pool = lane["pool"].removeprefix(_ASIDE).partition("/")
        if not switches.is_on(lane["switches"], what):
            return False
        for _ in range(_MAX_BATCHES):
            async with self._core.data.write() as writer:
                await open_lanes(writer, (lane_of({**one, "pool": pool}) for one in lanes))
                moved = await writer.all(
                    sql.unpark,
                    pool=pool,
                    parked=lane["pool"],
                    team_id=lane["team_id"],
                    max_rows=_BROUGHT_BACK,
                )
            if len(moved) < _BROUGHT_BACK:
                break
        return True
