"""The claim: fair between teams, within every cap, fenced by a token."""

import json
import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any, NamedTuple

from guildhall_sdk import Row, Writer
from guildhall_sdk.data import Queries
from guildhall_sdk.jobs import HIGHEST_PRIORITY
from kernel.scheduler.callbacks import reserve
from kernel.scheduler.core import Core
from kernel.scheduler.lanes import Parking, WaitingTeam, capacity_in
from kernel.scheduler.rescue import Heartbeat
from kernel.scheduler.statements import MAX_FEW, as_keys, for_few, sql
from libs.fair_queue import Head, give_turns, max_turns

_MAX_REFUSALS = 20
_TOKEN_BYTES = 12
_FEW_HEADS = 32


# Suffixes of statements, and what these are bound to.
_Forms = Sequence[tuple[str, Mapping[str, str]]]


class Taken(NamedTuple):
    """The rows of claimed jobs, and whether there may be as many again to be had at once."""

    rows: Sequence[Row] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class Claimant:
    """The one for whom jobs are claimed, and which they may have; jobs are shown with the `name`.

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


class Claim:
    """Claims inside a transaction of the caller's.

    Two statements and no fewer: the first has the companies' rows locked, the second counts what runs
    with a snapshot that is younger than the locks. In one statement the count would be older than the
    lock it relies on, and two claimers would both see the same room.
    """

    def __init__(self, core: Core, heartbeat: Heartbeat, parking: Parking) -> None:
        self._core = core
        self._heartbeat = heartbeat
        self._parking = parking

    async def take_for(self, writer: Writer, reach: Claimant, holders: Sequence[Claimant]) -> Taken:
        """Claims a job for each of the holders, who have one reach; as often as one stands there."""
        free = list(holders) if reach.in_process else await _still_serving(writer, holders)
        admitted: list[Row] = []
        # Jobs that nothing could be reserved for make room for those behind them.
        for _ in range(_MAX_REFUSALS):
            taken: list[Row] = []
            more = False
            for pool in reach.pools:
                if left := free[len(taken) :]:
                    found = await self._take_from(writer, pool, reach, left)
                    taken += found.rows
                    more = more or found.more
            reserved = await reserve(self._core, writer, taken)
            admitted += reserved
            if len(reserved) == len(taken):
                break
            more = True
            for row in reserved:
                free.remove(next(holder for holder in free if holder.id == row["held_by"]))
        return Taken(admitted, more)

    async def _take_from(
        self, writer: Writer, pool: str, reach: Claimant, holders: Sequence[Claimant]
    ) -> Taken:
        slots, forms = len(holders), await _forms(writer, pool, reach)
        lanes = await _lock_lanes(writer, pool, reach, forms, slots)
        if not lanes:
            return Taken()
        with_capacity = await self.teams_with_capacity(writer, lanes)
        teams = await self._parking.put_aside(writer, pool, with_capacity, slots)
        if not teams:
            return Taken()
        top = lanes[0]["top"]
        known = max_turns(teams, top, slots)
        heads = await _heads(writer, forms, {"pool": pool, "teams": [team.id for team in teams]}, known)
        if reach.awaited_only:
            heads = {team: [head for head in first if head.awaited] for team, first in heads.items()}
        turns = give_turns(teams, heads, top, slots, known)
        if not turns.jobs:
            return Taken()
        taken = zip(turns.jobs, holders, strict=False)
        rows = await writer.all(
            _of(turns.jobs).take,
            pool=pool,
            lanes=json.dumps(list(turns.vtimes.items())),
            jobs=json.dumps([[one, secrets.token_hex(_TOKEN_BYTES), by.id, by.name] for one, by in taken]),
            now=self._core.now,
            wall=self._core.wall,
            lease_ms=self._core.lease_ms,
            in_process=int(reach.in_process),
            process_id=self._heartbeat.id if reach.in_process else None,
        )
        self._core.events.jobs_moved(writer, rows)
        by_id = {row["id"]: row for row in rows}
        in_order = [by_id[job_id] for job_id in turns.jobs if job_id in by_id]
        return Taken(in_order, more=turns.cut_short or slots in (len(lanes), len(in_order)))

    async def teams_with_capacity(self, writer: Writer, lanes: Sequence[Row]) -> list[WaitingTeam]:
        ids = as_keys(lane["team_id"] for lane in lanes)
        counted = {row["team_id"]: row for row in await writer.all(_of(lanes).capacities, teams=ids)}
        return [
            WaitingTeam(
                id=lane["team_id"],
                group_id=lane["org_id"],
                vtime=lane["vtime"],
                weight=lane["weight"],
                capacity=capacity_in(counted[lane["team_id"]], "team"),
                group_capacity=capacity_in(counted[lane["team_id"]], "org"),
                switches=counted[lane["team_id"]]["switches"],
                awaited=bool(lane["awaited"]),
            )
            for lane in lanes
        ]


async def _forms(writer: Writer, pool: str, reach: Claimant) -> _Forms:
    """Returns by which forms of a statement jobs are found, by what they need, with what each is bound to."""
    if reach.provides is None:
        return [("", {})]
    needed = await writer.all(sql.needed, pool=pool, provided=as_keys(reach.provides))
    requirements = sorted(row["requirement"] for row in needed)
    return [("_without_requirement", {"none": ""}), *(("_for", {"requirement": one}) for one in requirements)]


async def _lock_lanes(writer: Writer, pool: str, reach: Claimant, forms: _Forms, slots: int) -> Sequence[Row]:
    """Returns a lane of each of the teams whose turn it is, at most so many, in order."""
    binds = {"pool": pool, "org_id": reach.org_id, "team_id": reach.team_id, "max_rows": slots}
    of_company = "" if reach.org_id is None else "_of_company"
    lanes: dict[str, Row] = {}
    for form, of_form in forms:
        statement = getattr(sql, f"lock_lanes{form}{of_company}")
        for lane in await writer.all(statement, **binds, **of_form, awaited_only=int(reach.awaited_only)):
            lanes.setdefault(lane["team_id"], lane)
    return sorted(lanes.values(), key=lambda lane: (lane["vtime"], lane["team_id"]))[:slots]


async def _heads(
    writer: Writer, forms: _Forms, binds: Mapping[str, Any], max_rows: int
) -> Mapping[str, Sequence[Head]]:
    """Returns so many of each team's jobs, in order."""
    teams, of_any_need = binds["teams"], forms[0][0] == ""
    rows: list[Row] = []
    named = for_few if of_any_need and len(teams) * max_rows <= _FEW_HEADS else sql
    for form, of_form in forms if max_rows > 0 else ():
        bound = {**binds, **of_form, "teams": json.dumps(teams), "max_rows": max_rows}
        rows += await writer.all(getattr(named, f"heads{form}"), **bound)
    if not of_any_need:
        rows.sort(key=lambda row: (-row["priority"], row["run_at"], row["id"]))
    found: dict[str, list[Head]] = defaultdict(list)
    for row in rows:
        found[row["team_id"]].append(Head(row["id"], row["priority"] > HIGHEST_PRIORITY))
    # Behind these a job of another requirement may come, which was not looked at.
    return {team_id: jobs[:max_rows] for team_id, jobs in found.items()}


async def _still_serving(writer: Writer, holders: Sequence[Claimant]) -> list[Claimant]:
    """Returns the holders that are not retired meanwhile; who retires one waits for this claim."""
    gone = {row["id"] for row in await writer.all(sql.retired, ids=json.dumps([one.id for one in holders]))}
    return [holder for holder in holders if holder.id not in gone]


def _of(some: Sized) -> Queries:
    """Returns the statements that are for so many."""
    return for_few if len(some) <= MAX_FEW else sql
