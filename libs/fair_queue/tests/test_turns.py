"""Whose turn it is: no line waits for another's backlog, and none is owed what it did not ask for."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from libs.fair_queue import CREDIT, UNLIMITED, Capacity, Head, Line, give_turns, max_turns

WEIGHTS = (1.0, 2.0, 4.0)


def _capacities(most):
    some = st.one_of(st.integers(-2, most), st.just(UNLIMITED))
    return st.builds(Capacity, some, some)


_lines = st.lists(
    st.builds(
        Line,
        id=st.sampled_from([f"line_{n}" for n in range(8)]),
        group_id=st.sampled_from(["group_a", "group_b", "group_c"]),
        vtime=st.floats(0, 1000),
        weight=st.sampled_from(WEIGHTS),
        capacity=_capacities(6),
        awaited=st.booleans(),
    ),
    unique_by=lambda line: line.id,
)


@st.composite
def situations(draw):
    capacities = {org: draw(_capacities(8)) for org in ("group_a", "group_b", "group_c")}
    lines = [replace(one, group_capacity=capacities[one.group_id]) for one in draw(_lines)]
    waiting = {}
    for line in lines:
        awaited = draw(st.integers(1, 3)) if line.awaited else 0
        waiting[line.id] = [
            Head(f"{line.id}/{n}", n < awaited) for n in range(awaited + draw(st.integers(0, 4)))
        ]
    top = draw(st.floats(0, 50)) + max((line.vtime for line in lines), default=0)
    return lines, waiting, top, draw(st.integers(0, 30))


def _given(lines, waiting, jobs):
    """How many jobs went, all told and of those that nobody waits for: by line, and by group."""
    awaited = {head.id for line in waiting.values() for head in line if head.awaited}
    counts = {name: [0, 0] for line in lines for name in (line.id, line.group_id)}
    companies = {line.id: line.group_id for line in lines}
    for job in jobs:
        line_id = job.partition("/")[0]
        for name in (line_id, companies[line_id]):
            counts[name][0] += 1
            counts[name][1] += job not in awaited
    return counts


@given(situations())
def test_turns_keep_within_every_room_and_waste_no_slot(situation):
    lines, waiting, top, slots = situation
    jobs = give_turns(lines, waiting, top, slots).jobs
    counts = _given(lines, waiting, jobs)
    assert len(set(jobs)) == len(jobs) <= slots
    for line in lines:
        for name, capacity in ((line.id, line.capacity), (line.group_id, line.group_capacity)):
            assert all(many <= max(0, most) for many, most in zip(counts[name], capacity, strict=True))
        left = waiting[line.id][counts[line.id][0] :]
        if left and all(
            Capacity(capacity.all - counts[name][0], capacity.ordinary - counts[name][1]).fits(
                left[0].awaited
            )
            for name, capacity in ((line.id, line.capacity), (line.group_id, line.group_capacity))
        ):
            assert len(jobs) == slots, "a slot was left while a job could have had it"


@given(situations())
def test_the_jobs_of_a_line_go_in_their_own_order_and_its_time_never_runs_back(situation):
    lines, waiting, top, slots = situation
    turns = give_turns(lines, waiting, top, slots)
    for line in lines:
        its_own = [job for job in turns.jobs if job.startswith(f"{line.id}/")]
        assert its_own == [head.id for head in waiting[line.id]][: len(its_own)]
        if its_own:
            expected = max(line.vtime, top - CREDIT) + len(its_own) / line.weight
            assert abs(turns.vtimes[line.id] - expected) < 1e-6
        else:
            assert line.id not in turns.vtimes


@given(situations())
def test_knowing_only_the_first_jobs_of_each_line_changes_nobodys_turn(situation):
    lines, waiting, top, slots = situation
    whole = give_turns(lines, waiting, top, slots).jobs
    known = max_turns(lines, top, slots)
    first = {line_id: jobs[:known] for line_id, jobs in waiting.items()}
    turns = give_turns(lines, first, top, slots, known=known)
    assert turns.jobs == whole[: len(turns.jobs)]
    assert bool(turns.jobs) == bool(whole)
    assert turns.cut_short or turns.jobs == whole


@given(st.lists(st.sampled_from(WEIGHTS), min_size=2, max_size=6), st.integers(50, 400))
def test_under_contention_each_line_gets_its_share(weights, slots):
    lines = [
        Line(id=f"line_{n}", group_id=f"group_{n}", vtime=0.0, weight=weight)
        for n, weight in enumerate(weights)
    ]
    waiting = {line.id: [Head(f"{line.id}/{n}") for n in range(slots)] for line in lines}
    jobs = give_turns(lines, waiting, 0.0, slots).jobs
    for line in lines:
        share = slots * line.weight / sum(weights)
        got = sum(job.startswith(f"{line.id}/") for job in jobs)
        assert abs(got - share) <= len(lines) + line.weight
