"""The claim: fair between teams, within every cap, fenced by a token."""

import json
import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from guildhall_sdk import JobKind, Row, TooManyRequests, Writer
from guildhall_sdk.services import Quotas
from kernel.scheduler.fairness import UNLIMITED, WEIGHTS, WaitingTeam, give_turns
from kernel.scheduler.statements import LeaseClock, sql

# Settled or given back when the job ends; should nobody do either, this is when it lapses.
_RESERVED_MS = 24 * 3600 * 1000
_LONGEST_POSTPONEMENT_MS = 30_000
_MOST_REFUSALS = 20


@dataclass(frozen=True, slots=True)
class Claimant:
    """For whom jobs are claimed, and which they may have."""

    id: str
    name: str
    pools: tuple[str, ...]
    in_process: bool = False
    org_id: str | None = None
    team_id: str | None = None
    models: tuple[str, ...] | None = None

    @property
    def models_told(self) -> str | None:
        return None if self.models is None else json.dumps(self.models)


class Claim:
    """Claims inside a transaction of the caller's.

    Two statements and no fewer: the first has the companies' rows locked, the second counts what runs
    with a snapshot that is younger than the locks. In one statement the count would be older than the
    lock it relies on, and two claimers would both see the same room.
    """

    def __init__(self, kinds: Mapping[str, JobKind], quotas: Quotas, time: LeaseClock, lease_ms: int) -> None:
        self._kinds = kinds
        self._quotas = quotas
        self._time = time
        self._lease_ms = lease_ms

    async def take(self, writer: Writer, claimant: Claimant, slots: int) -> list[Row]:
        """The rows of the jobs that are the claimant's now, at most so many."""
        if not claimant.in_process and await self._is_retired(writer, claimant):
            return []
        admitted: list[Row] = []
        # Jobs that the quota refuses make room for those behind them.
        for _ in range(_MOST_REFUSALS):
            taken: list[Row] = []
            for pool in claimant.pools:
                if (left := slots - len(admitted) - len(taken)) > 0:
                    taken += await self._take_from(writer, pool, claimant, left)
            kept = await self._with_quota(writer, taken)
            admitted += kept
            if len(kept) == len(taken):
                break
        return admitted

    @staticmethod
    async def _is_retired(writer: Writer, claimant: Claimant) -> bool:
        """Asked anew: it may have waited a while. Whoever retires it waits for this claim, and sees it."""
        return await writer.value(sql.retired_at, id=claimant.id) is not None

    async def _take_from(self, writer: Writer, pool: str, claimant: Claimant, slots: int) -> Sequence[Row]:
        lanes = await writer.all(
            sql.lock_lanes,
            pool=pool,
            org_id=claimant.org_id,
            team_id=claimant.team_id,
            models=claimant.models_told,
            most=slots,
        )
        if not lanes:
            return ()
        teams = await self.teams_with_room(writer, lanes)
        most = min(slots, max((min(team.room, team.org_room) for team in teams), default=0))
        if most <= 0:
            return ()
        waiting = await self._waiting(writer, pool, claimant, [team.team_id for team in teams], most)
        turns = give_turns(teams, waiting, lanes[0]["top"], slots)
        if not turns.jobs:
            return ()
        # Lanes before jobs, as whoever enqueues: with a key they may wait for a job that we changed.
        await writer.run(sql.advance_lanes, pool=pool, lanes=json.dumps(list(turns.vtimes.items())))
        rows = await writer.all(
            sql.take,
            jobs=json.dumps([[job_id, secrets.token_hex(12)] for job_id in turns.jobs]),
            now=self._time.now(),
            wall=self._time.time_of_day(),
            lease_ms=self._lease_ms,
            held_by=claimant.id,
            executor=claimant.name,
            in_process=int(claimant.in_process),
        )
        order = {job_id: position for position, job_id in enumerate(turns.jobs)}
        return sorted(rows, key=lambda row: order[row["id"]])

    async def teams_with_room(self, writer: Writer, lanes: Sequence[Row]) -> list[WaitingTeam]:
        ids = json.dumps([lane["team_id"] for lane in lanes])
        counted = {row["team_id"]: row for row in await writer.all(sql.rooms, teams=ids)}
        return [
            WaitingTeam(
                lane["team_id"],
                lane["org_id"],
                lane["vtime"],
                WEIGHTS.get(lane["plan"], 1.0),
                _room(counted[lane["team_id"]], "team"),
                _room(counted[lane["team_id"]], "org"),
            )
            for lane in lanes
        ]

    async def _waiting(
        self, writer: Writer, pool: str, claimant: Claimant, teams: Sequence[str], most: int
    ) -> Mapping[str, Sequence[str]]:
        waiting: dict[str, list[str]] = defaultdict(list)
        ids, models = json.dumps(teams), claimant.models_told
        for row in await writer.all(sql.heads, pool=pool, teams=ids, models=models, most=most):
            waiting[row["team_id"]].append(row["id"])
        return waiting

    async def _with_quota(self, writer: Writer, taken: list[Row]) -> list[Row]:
        """Those that their kind's reservation was had for; the others wait for the quota to come back.

        By company, since each reservation holds its company's place until the commit: whoever claims for
        several takes them in the same order.
        """
        admitted = [row for row in taken if not self._reserves(row)]
        for row in sorted((row for row in taken if self._reserves(row)), key=lambda row: str(row["org_id"])):
            try:
                reservation = await self._quotas.reserve(
                    writer, row["org_id"], row["team_id"], self._reserves(row), _RESERVED_MS
                )
            except TooManyRequests as refusal:
                wait = min(_LONGEST_POSTPONEMENT_MS, 1000 * int(refusal.headers.get("Retry-After", "1")))
                await writer.run(sql.postpone, id=row["id"], wall=self._time.time_of_day(), wait_ms=wait)
            else:
                await writer.run(sql.note_reservation, id=row["id"], reservation=reservation.id)
                admitted.append(row)
        return admitted

    def _reserves(self, row: Row) -> Mapping[str, int]:
        kind = self._kinds.get(row["kind"])
        return {} if kind is None else kind.reserves


def _room(counted: Row, level: str) -> int:
    limit = counted[f"{level}_limit"]
    return UNLIMITED if limit is None else limit - counted[f"{level}_running"]
