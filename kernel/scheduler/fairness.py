"""Whose turn it is: weighted fair queueing between the teams that wait for one pool. No database here."""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

# How far behind the foremost a team may be: what it did not use while it was away is not owed to it.
CREDIT = 2.0

# A company's share of a contended server, by its plan.
WEIGHTS: Mapping[str, float] = {"free": 1.0, "team": 2.0, "enterprise": 4.0}
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


@dataclass(frozen=True, slots=True)
class Turns:
    """The jobs that go now, in order, and the virtual times afterwards."""

    jobs: Sequence[str]
    vtimes: Mapping[str, float]


def most_turns(teams: Sequence[WaitingTeam], slots: int) -> int:
    """How many of the slots one team can get while the others have jobs too: its share and its credit."""
    heaviest = max(team.weight for team in teams)
    share = ceil(slots * heaviest / sum(team.weight for team in teams))
    return min(slots, share + ceil(CREDIT * heaviest))


def give_turns(
    teams: Sequence[WaitingTeam], waiting: Mapping[str, Sequence[str]], top: float, slots: int
) -> Turns:
    """Gives each slot to the team whose virtual time would be least after it; ties go by the team's id."""
    org_room = {team.org_id: team.org_room for team in teams}
    turns = [
        (max(team.vtime, top - CREDIT) + 1 / team.weight, team.team_id, index, 0)
        for index, team in enumerate(teams)
        if team.room > 0 and waiting.get(team.team_id)
    ]
    heapq.heapify(turns)
    chosen: list[str] = []
    vtimes: dict[str, float] = {}
    while turns and len(chosen) < slots:
        after, team_id, index, taken = heapq.heappop(turns)
        team = teams[index]
        if org_room[team.org_id] <= 0:
            continue
        org_room[team.org_id] -= 1
        chosen.append(waiting[team_id][taken])
        vtimes[team_id] = after
        taken += 1
        if taken < min(team.room, len(waiting[team_id])):
            heapq.heappush(turns, (after + 1 / team.weight, team_id, index, taken))
    return Turns(chosen, vtimes)
