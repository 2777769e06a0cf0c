"""Whose turn it is: weighted fair queueing between the teams that wait for one pool. No database here."""

import heapq
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from guildhall_sdk import Row

# How far behind the foremost a team may be: what it did not use while it was away is not owed to it.
CREDIT = 2.0
UNLIMITED = 1_000_000_000


@dataclass(frozen=True, slots=True)
class WaitingTeam:
    """A team in the order of its virtual time, how much more it and its company may run, what it switched."""

    team_id: str
    org_id: str
    vtime: float
    weight: float
    room: int
    org_room: int
    switches: str | None = None


def room_in(counted: Row, level: str) -> int:
    """Returns how many more may run, by a row of `rooms`: of the `team`, or of the `org`."""
    cap = counted[f"{level}_cap"]
    used: int = counted[f"{level}_running"] - counted[f"{level}_lent"]
    return UNLIMITED if cap is None else cap - used


@dataclass(frozen=True, slots=True)
class Turns:
    """The jobs that go now, in order, and the virtual times afterwards.

    With `cut_short` it would be the turn of a team of which not all waiting jobs are known.
    """

    jobs: Sequence[str]
    vtimes: Mapping[str, float]
    cut_short: bool = False


class _Line:
    """The jobs that one team may be given, in order; one that shares a place needs no room."""

    def __init__(
        self, team: WaitingTeam, waiting: Sequence[str], sharing: Sequence[str], known: int | None
    ) -> None:
        self.team = team
        self._room = team.room
        self._may_go_on = known is not None and 0 < known <= len(waiting)
        self._waiting = deque(waiting)
        self._sharing = dict.fromkeys(sharing)

    def next(self, org_room: int) -> str | None:
        if self._room > 0 and org_room > 0 and self._waiting:
            return self._waiting[0]
        return next(iter(self._sharing), None)

    def is_cut(self, org_room: int) -> bool:
        """Tells, once `next` has none, whether only those that are known have run out."""
        return self._may_go_on and self._room > 0 and org_room > 0

    def take(self, job_id: str) -> int:
        """Takes a job; returns how much room it costs."""
        if self._waiting and self._waiting[0] == job_id:
            self._waiting.popleft()
        else:
            with suppress(ValueError):
                self._waiting.remove(job_id)
        if job_id in self._sharing:
            del self._sharing[job_id]
            return 0
        self._room -= 1
        return 1


@dataclass(frozen=True, slots=True)
class Plan:
    """Whose turns come, in order, where no team runs out of jobs; and the virtual times afterwards."""

    order: Sequence[str]
    vtimes: Mapping[str, float]

    @property
    def max_turns(self) -> int:
        """How many turns one team gets at most."""
        return max(Counter(self.order).values(), default=0)

    def filled(self, waiting: Mapping[str, Sequence[str]]) -> Turns | None:
        """Returns the turns with these jobs; None where a team has too few."""
        lines = {team_id: iter(waiting.get(team_id, ())) for team_id in self.vtimes}
        jobs = [next(lines[team_id], None) for team_id in self.order]
        known = [job_id for job_id in jobs if job_id is not None]
        return Turns(known, self.vtimes) if len(known) == len(jobs) else None


def plan_turns(teams: Sequence[WaitingTeam], top: float, slots: int) -> Plan:
    """Gives each slot to the team whose virtual time would be least after it, while it has room."""
    rooms = [team.room for team in teams]
    org_rooms = {team.org_id: team.org_room for team in teams}
    turns = _first_turns(teams, top)
    order: list[str] = []
    vtimes: dict[str, float] = {}
    while turns and len(order) < slots:
        after, team_id, index = turns[0]
        team = teams[index]
        if rooms[index] <= 0 or org_rooms[team.org_id] <= 0:
            heapq.heappop(turns)
            continue
        rooms[index] -= 1
        org_rooms[team.org_id] -= 1
        order.append(team_id)
        vtimes[team_id] = after
        heapq.heapreplace(turns, (after + 1 / team.weight, team_id, index))
    return Plan(order, vtimes)


def _first_turns(teams: Sequence[WaitingTeam], top: float) -> list[tuple[float, str, int]]:
    """Returns a heap: the virtual time of each team after its next turn, its id, and its index."""
    turns = [
        (max(team.vtime, top - CREDIT) + 1 / team.weight, team.team_id, index)
        for index, team in enumerate(teams)
    ]
    heapq.heapify(turns)
    return turns


def give_turns(
    teams: Sequence[WaitingTeam],
    waiting: Mapping[str, Sequence[str]],
    top: float,
    slots: int,
    sharing: Mapping[str, Sequence[str]] = {},
    known: int | None = None,
) -> Turns:
    """Gives each slot to the team whose virtual time would be least after it; ties go by the team's id.

    `sharing` are the jobs that run in the place of another which waits for them, each of another one.
    Of a team with `known` jobs there may be more: nobody behind it goes before them.
    """
    org_room = {team.org_id: team.org_room for team in teams}
    lines = [
        _Line(team, waiting.get(team.team_id, ()), sharing.get(team.team_id, ()), known) for team in teams
    ]
    turns = _first_turns(teams, top)
    chosen: list[str] = []
    vtimes: dict[str, float] = {}
    while turns and len(chosen) < slots:
        after, team_id, index = heapq.heappop(turns)
        line = lines[index]
        job_id = line.next(org_room[line.team.org_id])
        if job_id is None:
            if line.is_cut(org_room[line.team.org_id]):
                return Turns(chosen, vtimes, cut_short=True)
            continue
        org_room[line.team.org_id] -= line.take(job_id)
        chosen.append(job_id)
        vtimes[team_id] = after
        heapq.heappush(turns, (after + 1 / line.team.weight, team_id, index))
    return Turns(chosen, vtimes)
