"""Whose turn it is: weighted fair queueing between lines that wait, each of a group."""

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

# How far behind the foremost a line may be: what it did not use while it was away is not owed to it.
CREDIT = 2.0
UNLIMITED = 1_000_000_000


class Capacity(NamedTuple):
    """How many more jobs may run: all told, and of those that no other job waits for."""

    all: int = UNLIMITED
    ordinary: int = UNLIMITED

    def fits(self, awaited: bool) -> bool:
        """Returns whether one more has room; one that another job waits for counts among all alone."""
        return self.all > 0 and (awaited or self.ordinary > 0)

    def less(self, awaited: bool) -> "Capacity":
        return Capacity(self.all - 1, self.ordinary - (not awaited))


NO_LIMIT = Capacity()


class Head(NamedTuple):
    """A job that waits, and whether another job waits for it."""

    id: str
    awaited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Those who wait behind one another, with their virtual time, and how many more may run.

    `awaited` says that some of them are such that others wait for; these stand before the rest.
    """

    id: str
    group_id: str
    vtime: float
    weight: float
    capacity: Capacity = NO_LIMIT
    group_capacity: Capacity = NO_LIMIT
    awaited: bool = False


class Turns(NamedTuple):
    """The jobs that go now, in order, and the virtual times afterwards.

    With `cut_short` it would be the turn of a line of which not all that wait are known.
    """

    jobs: Sequence[str]
    vtimes: Mapping[str, float]
    cut_short: bool = False


def max_turns(lines: Sequence[Line], top: float, slots: int) -> int:
    """Returns how many turns one line gets at most, if no line runs out of jobs."""
    if len(lines) == 1:
        return max(0, min(slots, lines[0].capacity.all, lines[0].group_capacity.all))
    endless = {line.id: [Head(line.id, line.awaited)] * slots for line in lines}
    return max(Counter(give_turns(lines, endless, top, slots).jobs).values(), default=0)


def give_turns(
    lines: Sequence[Line],
    waiting: Mapping[str, Sequence[Head]],
    top: float,
    slots: int,
    known: int | None = None,
) -> Turns:
    """Gives each slot to the line whose virtual time would be least after it; ties go by the line's id.

    Of a line with `known` jobs there may be more: nobody behind it goes before them.
    """
    capacities = [line.capacity for line in lines]
    group_capacities = {line.group_id: line.group_capacity for line in lines}
    given = [0] * len(lines)
    turns = [
        (max(line.vtime, top - CREDIT) + 1 / line.weight, line.id, index) for index, line in enumerate(lines)
    ]
    heapq.heapify(turns)
    jobs: list[str] = []
    vtimes: dict[str, float] = {}
    while turns and len(jobs) < slots:
        after, line_id, index = turns[0]
        group_id, heads = lines[index].group_id, waiting.get(line_id, ())
        is_out = given[index] >= len(heads)
        awaited = bool(heads) and heads[min(given[index], len(heads) - 1)].awaited
        has_capacity = capacities[index].fits(awaited) and group_capacities[group_id].fits(awaited)
        if has_capacity and is_out and known is not None and 0 < known <= len(heads):
            return Turns(jobs=jobs, vtimes=vtimes, cut_short=True)
        if is_out or not has_capacity:
            heapq.heappop(turns)
            continue
        jobs.append(heads[given[index]].id)
        given[index] += 1
        capacities[index], group_capacities[group_id] = (
            capacities[index].less(awaited),
            group_capacities[group_id].less(awaited),
        )
        vtimes[line_id] = after
        heapq.heapreplace(turns, (after + 1 / lines[index].weight, line_id, index))
    return Turns(jobs=jobs, vtimes=vtimes)
