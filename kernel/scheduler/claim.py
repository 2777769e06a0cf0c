"""The claim: fair between teams, within every cap, fenced by a token."""

import json
import secrets
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any

from guildhall_sdk import Queries, Row, Writer
from kernel.scheduler.fairness import WaitingTeam, give_turns, plan_turns, room_in
from kernel.scheduler.parking import Parking
from kernel.scheduler.presence import Presence
from kernel.scheduler.reservations import Reservations
from kernel.scheduler.statements import MAX_FEW, LeaseClock, as_keys, for_few, sql

_MAX_REFUSALS = 20
_TOKEN_BYTES = 12
_FEW_HEADS = 32


# Whose a job is: an id, and the name that is shown.
Holder = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Reach:
    """Which jobs somebody may have."""

    pools: tuple[str, ...]
    in_process: bool
    org_id: str | None
    team_id: str | None
    provides: tuple[str, ...] | None
    shared_only: bool = False

    @property
    def requirement_binds(self) -> Mapping[str, Any]:
        """The binds of statements that ask for jobs which need nothing but these, or any."""
        return {"any_requirement": int(self.provides is None), "provided": as_keys(self.provides or ())}


@dataclass(frozen=True, slots=True)
class Taken:
    """The rows of claimed jobs, and whether there may be as many again to be had at once."""

    rows: Sequence[Row] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class Claimant:
    """The one for whom jobs are claimed, and which they may have.

    With `shared_only` only those that run in the place of another which waits for them.
    """

    id: str
    name: str
    pools: tuple[str, ...]
    in_process: bool = False
    org_id: str | None = None
    team_id: str | None = None
    provides: tuple[str, ...] | None = None
    shared_only: bool = False

    @property
    def holder(self) -> Holder:
        return self.id, self.name

    @property
    def reach(self) -> Reach:
        return Reach(self.pools, self.in_process, self.org_id, self.team_id, self.provides, self.shared_only)


class Claim:
    """Claims inside a transaction of the caller's.

    Two statements and no fewer: the first has the companies' rows locked, the second counts what runs
    with a snapshot that is younger than the locks. In one statement the count would be older than the
    lock it relies on, and two claimers would both see the same room.
    """

    def __init__(
        self,
        reservations: Reservations,
        time: LeaseClock,
        lease_ms: int,
        presence: Presence,
        parking: Parking,
    ) -> None:
        self._reservations = reservations
        self._time = time
        self._lease_ms = lease_ms
        self._presence = presence
        self._parking = parking

    async def take(self, writer: Writer, claimant: Claimant, slots: int) -> list[Row]:
        """Claims at most so many jobs for the claimant, and returns their rows."""
        return list((await self.take_for(writer, claimant.reach, [claimant.holder] * slots)).rows)

    async def take_for(self, writer: Writer, reach: Reach, holders: Sequence[Holder]) -> Taken:
        """Claims a job for each of the holders, who have one reach; as often as a name stands there."""
        free = list(holders) if reach.in_process else await _still_serving(writer, holders)
        admitted: list[Row] = []
        more = False
        # Jobs that nothing could be reserved for make room for those behind them.
        for _ in range(_MAX_REFUSALS):
            taken: list[Row] = []
            more = False
            for pool in reach.pools:
                if left := free[len(taken) :]:
                    found = await self._take_from(writer, pool, reach, left)
                    taken += found.rows
                    more = more or found.more
            reserved = await self._reservations.admit(writer, taken)
            admitted += reserved
            if len(reserved) == len(taken):
                break
            more = True
            served = Counter(row["held_by"] for row in reserved)
            free = [holder for holder in free if not _one_less(served, holder[0])]
        return Taken(admitted, more)

    async def _take_from(self, writer: Writer, pool: str, reach: Reach, holders: Sequence[Holder]) -> Taken:
        slots = len(holders)
        lanes = await self._lock_lanes(writer, pool, reach, slots)
        if not lanes:
            return Taken()
        with_room = await self.teams_with_room(writer, lanes)
        teams = await self._parking.put_aside(writer, pool, with_room, slots)
        if not teams:
            return Taken()
        top = lanes[0]["top"]
        borrowing = {lane["team_id"] for lane in lanes if lane["borrowers"]}
        sharing = await self._sharing(writer, pool, reach, [one for one in teams if one.team_id in borrowing])
        plan = plan_turns(teams, top, slots)
        known = 0 if reach.shared_only else plan.max_turns
        waiting = await self._waiting(writer, pool, reach, teams, known)
        turns = None if sharing or reach.shared_only else plan.filled(waiting)
        if turns is None:
            turns = give_turns(teams, waiting, top, slots, sharing, known)
        if not turns.jobs:
            return Taken()
        # Lanes before jobs, as whoever enqueues: with a key they may wait for a job that we changed.
        advance = _of(turns.vtimes).advance_lanes
        await writer.run(advance, pool=pool, lanes=json.dumps(list(turns.vtimes.items())))
        rows = await writer.all(
            _of(turns.jobs).take,
            jobs=json.dumps(
                [
                    [one, token, *holder]
                    for one, token, holder in zip(turns.jobs, _tokens(len(turns.jobs)), holders, strict=False)
                ]
            ),
            now=self._time.now(),
            wall=self._time.time_of_day(),
            lease_ms=self._lease_ms,
            in_process=int(reach.in_process),
            process_id=self._presence.id if reach.in_process else None,
        )
        order = {job_id: position for position, job_id in enumerate(turns.jobs)}
        in_order = sorted(rows, key=lambda row: order[row["id"]])
        return Taken(in_order, more=turns.cut_short or slots in (len(lanes), len(in_order)))

    async def _lock_lanes(self, writer: Writer, pool: str, reach: Reach, slots: int) -> Sequence[Row]:
        """Returns a lane of each of the teams whose turn it is, at most so many, in order."""
        binds: dict[str, Any] = {
            "pool": pool,
            "team_id": reach.team_id,
            "shared_only": int(reach.shared_only),
            "max_rows": slots,
        }
        of_company = ""
        if reach.org_id is not None:
            of_company, binds["org_id"] = "_of_company", reach.org_id
        if reach.provides is None:
            return await writer.all(getattr(sql, f"lock_lanes{of_company}"), **binds)
        without = getattr(sql, f"lock_lanes_without_requirement{of_company}")
        lanes = {lane["team_id"]: lane for lane in await writer.all(without, **binds, none="")}
        needed = await writer.all(sql.needed, pool=pool, provided=as_keys(reach.provides))
        for requirement in sorted(row["requirement"] for row in needed):
            found = getattr(sql, f"lock_lanes_for{of_company}")
            for lane in await writer.all(found, **binds, requirement=requirement):
                lanes.setdefault(lane["team_id"], lane)
        return sorted(lanes.values(), key=lambda lane: (lane["vtime"], lane["team_id"]))[:slots]

    async def teams_with_room(self, writer: Writer, lanes: Sequence[Row]) -> list[WaitingTeam]:
        ids = as_keys(lane["team_id"] for lane in lanes)
        counted = {row["team_id"]: row for row in await writer.all(_of(lanes).rooms, teams=ids)}
        return [
            WaitingTeam(
                lane["team_id"],
                lane["org_id"],
                lane["vtime"],
                lane["weight"],
                room_in(counted[lane["team_id"]], "team"),
                room_in(counted[lane["team_id"]], "org"),
                counted[lane["team_id"]]["switches"],
            )
            for lane in lanes
        ]

    async def _waiting(
        self, writer: Writer, pool: str, reach: Reach, teams: Sequence[WaitingTeam], max_rows: int
    ) -> Mapping[str, Sequence[str]]:
        """Returns so many of each team's jobs, in order."""
        if max_rows <= 0:
            return {}
        binds = {"pool": pool, "teams": json.dumps([team.team_id for team in teams]), "max_rows": max_rows}
        if reach.provides is None:
            named = for_few if len(teams) * max_rows <= _FEW_HEADS else sql
            return _by_team(await writer.all(named.heads, **binds))
        rows = list(await writer.all(sql.heads_without_requirement, **binds))
        for requirement in sorted(set(reach.provides)):
            rows += await writer.all(sql.heads_for, **binds, requirement=requirement)
        found = _by_team(sorted(rows, key=lambda row: (-row["priority"], row["run_at"], row["id"])))
        # Behind these a job of another requirement may come, which was not looked at.
        return {team_id: jobs[:max_rows] for team_id, jobs in found.items()}

    async def _sharing(
        self, writer: Writer, pool: str, reach: Reach, teams: Sequence[WaitingTeam]
    ) -> Mapping[str, Sequence[str]]:
        """Returns the first child of each job that waits for others and lends its place to none yet."""
        if not teams:
            return {}
        ids = json.dumps([team.team_id for team in teams])
        off = {team.team_id: self._parking.kinds_off(team) for team in teams}
        offers = await writer.all(sql.offers, pool=pool, teams=ids, **reach.requirement_binds)
        return _by_team([row for row in offers if row["kind"] not in off[row["team_id"]]])


async def _still_serving(writer: Writer, holders: Sequence[Holder]) -> list[Holder]:
    """Returns the holders that are not retired meanwhile; who retires one waits for this claim."""
    ids = json.dumps(sorted({holder_id for holder_id, _ in holders}))
    retired = {row["id"] for row in await writer.all(sql.retired, ids=ids)}
    return [holder for holder in holders if holder[0] not in retired]


def _of(some: Sized) -> Queries:
    """Returns the statements that are for so many."""
    return for_few if len(some) <= MAX_FEW else sql


def _by_team(rows: Sequence[Row]) -> Mapping[str, Sequence[str]]:
    jobs: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        jobs[row["team_id"]].append(row["id"])
    return jobs


def _tokens(many: int) -> list[str]:
    """Makes random tokens, with one request to the system."""
    text = secrets.token_hex(_TOKEN_BYTES * many)
    return [text[start : start + 2 * _TOKEN_BYTES] for start in range(0, len(text), 2 * _TOKEN_BYTES)]


def _one_less(counts: Counter[str], name: str) -> bool:
    """Takes one of the name away; whether there was one."""
    counts[name] -= 1
    return counts[name] >= 0
