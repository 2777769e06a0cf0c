"""Whose turn it is: weighted fair queueing between the teams that wait for one pool. No database here."""

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from guildhall_sdk import Row

# How far behind the foremost a team may be: what it did not use while it was away is not owed to it.
CREDIT = 2.0
UNLIMITED = 1_000_000_000


class Room(NamedTuple):
    """How many more jobs may run: all told, and of those that no other job waits for."""

    all: int = UNLIMITED
    ordinary: int = UNLIMITED

    def fits(self, awaited: bool) -> bool:
        """Returns whether one more has room; one that another job waits for counts among all alone."""
        return self.all > 0 and (awaited or self.ordinary > 0)

    def less(self, awaited: bool) -> "Room":
        return Room(self.all - 1, self.ordinary - (not awaited))


NO_LIMIT = Room()


class Head(NamedTuple):
    """A job that waits, and whether another job waits for it."""

    id: str
    awaited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingTeam:
    """A team in the order of its virtual time, how much more it and its company may run, what it switched.

    `awaited` says that some of its jobs are such that others wait for; these stand before the rest.
    """

    team_id: str
    org_id: str
    vtime: float
    weight: float
    room: Room = NO_LIMIT
    org_room: Room = NO_LIMIT
    switches: str | None = None
    awaited: bool = False


def room_in(counted: Row, level: str) -> Room:
    """Returns how many more may run, by a row of `rooms`: of the `team`, or of the `org`."""
    cap = counted[f"{level}_cap"]
    if cap is None:
        return NO_LIMIT
    return Room(cap - counted[f"{level}_working"], cap - counted[f"{level}_ordinary"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """The jobs that go now, in order, and the virtual times afterwards.

    With `cut_short` it would be the turn of a team of which not all waiting jobs are known.
    """

    jobs: Sequence[str]
    vtimes: Mapping[str, float]
    cut_short: bool = False


def max_turns(teams: Sequence[WaitingTeam], top: float, slots: int) -> int:
    """Returns how many turns one team gets at most, if no team runs out of jobs."""
    endless = {team.team_id: [Head(team.team_id, team.awaited)] * slots for team in teams}
    return max(Counter(give_turns(teams, endless, top, slots).jobs).values(), default=0)


def give_turns(
    teams: Sequence[WaitingTeam],
    waiting: Mapping[str, Sequence[Head]],
    top: float,
    slots: int,
    known: int | None = None,
) -> Turns:
    """Gives each slot to the team whose virtual time would be least after it; ties go by the team's id.

    Of a team with `known` jobs there may be more: nobody behind it goes before them.
    """
    rooms = [team.room for team in teams]
    org_rooms = {team.org_id: team.org_room for team in teams}
    given = [0] * len(teams)
    turns = [
        (max(team.vtime, top - CREDIT) + 1 / team.weight, team.team_id, index)
        for index, team in enumerate(teams)
    ]
    heapq.heapify(turns)
    jobs: list[str] = []
    vtimes: dict[str, float] = {}
    while turns and len(jobs) < slots:
        after, team_id, index = turns[0]
        team, line = teams[index], waiting.get(team_id, ())
        is_out = given[index] >= len(line)
        awaited = bool(line) and line[min(given[index], len(line) - 1)].awaited
        has_room = rooms[index].fits(awaited) and org_rooms[team.org_id].fits(awaited)
        if has_room and is_out and known is not None and 0 < known <= len(line):
            return Turns(jobs=jobs, vtimes=vtimes, cut_short=True)
        if is_out or not has_room:
            heapq.heappop(turns)
            continue
        jobs.append(line[given[index]].id)
        given[index] += 1
        rooms[index], org_rooms[team.org_id] = (
            rooms[index].less(awaited),
            org_rooms[team.org_id].less(awaited),
        )
        vtimes[team_id] = after
        heapq.heapreplace(turns, (after + 1 / team.weight, team_id, index))
    return Turns(jobs=jobs, vtimes=vtimes)
