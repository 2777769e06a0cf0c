"""The claim: fair between teams, within every cap, fenced by a token."""

import json
import secrets
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from typing import Any

from guildhall_sdk import Row, Writer
from guildhall_sdk.data import Queries
from guildhall_sdk.jobs import HIGHEST_PRIORITY
from kernel.scheduler.core import Core
from kernel.scheduler.fairness import Head, WaitingTeam, give_turns, max_turns, room_in
from kernel.scheduler.parking import Parking
from kernel.scheduler.presence import Heartbeat
from kernel.scheduler.reservations import Reservations
from kernel.scheduler.statements import MAX_FEW, as_keys, for_few, sql

_MAX_REFUSALS = 20
_TOKEN_BYTES = 12
_FEW_HEADS = 32


# Whose a job is: an id, and the name that is shown.
Holder = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Taken:
    """The rows of claimed jobs, and whether there may be as many again to be had at once."""

    rows: Sequence[Row] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class Claimant:
    """The one for whom jobs are claimed, and which they may have.

    With `awaited_only` only those that other jobs wait for.
    """

    id: str
    name: str
    pools: tuple[str, ...]
    in_process: bool = False
    org_id: str | None = None
    team_id: str | None = None
    provides: tuple[str, ...] | None = None
    awaited_only: bool = False

    @property
    def holder(self) -> Holder:
        return self.id, self.name

    @property
    def reach(self) -> "Claimant":
        """Which jobs they may have, whoever they are."""
        return replace(self, id="", name="")


class Claim:
    """Claims inside a transaction of the caller's.

    Two statements and no fewer: the first has the companies' rows locked, the second counts what runs
    with a snapshot that is younger than the locks. In one statement the count would be older than the
    lock it relies on, and two claimers would both see the same room.
    """

    def __init__(
        self, core: Core, reservations: Reservations, heartbeat: Heartbeat, parking: Parking
    ) -> None:
        self._core = core
        self._reservations = reservations
        self._heartbeat = heartbeat
        self._parking = parking

    async def take(self, writer: Writer, claimant: Claimant, slots: int) -> list[Row]:
        """Claims at most so many jobs for the claimant, and returns their rows."""
        return list((await self.take_for(writer, claimant.reach, [claimant.holder] * slots)).rows)

    async def take_for(self, writer: Writer, reach: Claimant, holders: Sequence[Holder]) -> Taken:
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

    async def _take_from(
        self, writer: Writer, pool: str, reach: Claimant, holders: Sequence[Holder]
    ) -> Taken:
        slots = len(holders)
        lanes = await self._lock_lanes(writer, pool, reach, slots)
        if not lanes:
            return Taken()
        with_room = await self.teams_with_room(writer, lanes)
        teams = await self._parking.put_aside(writer, pool, with_room, slots)
        if not teams:
            return Taken()
        top = lanes[0]["top"]
        known = max_turns(teams, top, slots)
        turns = give_turns(teams, await self._waiting(writer, pool, reach, teams, known), top, slots, known)
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
            now=self._core.time.now(),
            wall=self._core.time.time_of_day(),
            lease_ms=self._core.lease_ms,
            in_process=int(reach.in_process),
            process_id=self._heartbeat.id if reach.in_process else None,
        )
        order = {job_id: position for position, job_id in enumerate(turns.jobs)}
        in_order = sorted(rows, key=lambda row: order[row["id"]])
        return Taken(in_order, more=turns.cut_short or slots in (len(lanes), len(in_order)))

    async def _lock_lanes(self, writer: Writer, pool: str, reach: Claimant, slots: int) -> Sequence[Row]:
        """Returns a lane of each of the teams whose turn it is, at most so many, in order."""
        binds: dict[str, Any] = {
            "pool": pool,
            "team_id": reach.team_id,
            "awaited_only": int(reach.awaited_only),
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
                team_id=lane["team_id"],
                org_id=lane["org_id"],
                vtime=lane["vtime"],
                weight=lane["weight"],
                room=room_in(counted[lane["team_id"]], "team"),
                org_room=room_in(counted[lane["team_id"]], "org"),
                switches=counted[lane["team_id"]]["switches"],
                awaited=bool(lane["awaited"]),
            )
            for lane in lanes
        ]

    async def _waiting(
        self, writer: Writer, pool: str, reach: Claimant, teams: Sequence[WaitingTeam], max_rows: int
    ) -> Mapping[str, Sequence[Head]]:
        """Returns so many of each team's jobs, in order."""
        if max_rows <= 0:
            return {}
        binds = {"pool": pool, "teams": json.dumps([team.team_id for team in teams]), "max_rows": max_rows}
        if reach.provides is None:
            named = for_few if len(teams) * max_rows <= _FEW_HEADS else sql
            rows = list(await writer.all(named.heads, **binds))
        else:
            rows = list(await writer.all(sql.heads_without_requirement, **binds))
            for requirement in sorted(set(reach.provides)):
                rows += await writer.all(sql.heads_for, **binds, requirement=requirement)
            rows.sort(key=lambda row: (-row["priority"], row["run_at"], row["id"]))
        found: dict[str, list[Head]] = defaultdict(list)
        for row in rows:
            awaited = row["priority"] > HIGHEST_PRIORITY
            if awaited or not reach.awaited_only:
                found[row["team_id"]].append(Head(row["id"], awaited))
        # Behind these a job of another requirement may come, which was not looked at.
        return {team_id: jobs[:max_rows] for team_id, jobs in found.items()}


async def _still_serving(writer: Writer, holders: Sequence[Holder]) -> list[Holder]:
    """Returns the holders that are not retired meanwhile; who retires one waits for this claim."""
    ids = json.dumps(sorted({holder_id for holder_id, _ in holders}))
    retired = {row["id"] for row in await writer.all(sql.retired, ids=ids)}
    return [holder for holder in holders if holder[0] not in retired]


def _of(some: Sized) -> Queries:
    """Returns the statements that are for so many."""
    return for_few if len(some) <= MAX_FEW else sql


def _tokens(many: int) -> list[str]:
    """Makes random tokens, with one request to the system."""
    text = secrets.token_hex(_TOKEN_BYTES * many)
    return [text[start : start + 2 * _TOKEN_BYTES] for start in range(0, len(text), 2 * _TOKEN_BYTES)]


def _one_less(counts: Counter[str], name: str) -> bool:
    """Takes one of the name away; whether there was one."""
    counts[name] -= 1
    return counts[name] >= 0
