"""Whose turn it is: no team waits for another's backlog, and none is owed what it did not ask for."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildhall_sdk import JobKind
from guildhall_sdk.jobs import JobBinding
from guildhall_sdk.services.jobs import Worker
from kernel.scheduler.fairness import CREDIT, UNLIMITED, Head, Room, WaitingTeam, give_turns, max_turns
from tests.scheduler.workshop import REMOTE

WEIGHTS = (1.0, 2.0, 4.0)


def _rooms(most):
    some = st.one_of(st.integers(-2, most), st.just(UNLIMITED))
    return st.builds(Room, some, some)


_teams = st.lists(
    st.builds(
        WaitingTeam,
        team_id=st.sampled_from([f"team_{n}" for n in range(8)]),
        org_id=st.sampled_from(["org_a", "org_b", "org_c"]),
        vtime=st.floats(0, 1000),
        weight=st.sampled_from(WEIGHTS),
        room=_rooms(6),
        awaited=st.booleans(),
    ),
    unique_by=lambda team: team.team_id,
)


@st.composite
def situations(draw):
    rooms = {org: draw(_rooms(8)) for org in ("org_a", "org_b", "org_c")}
    teams = [replace(one, org_room=rooms[one.org_id]) for one in draw(_teams)]
    waiting = {}
    for team in teams:
        awaited = draw(st.integers(1, 3)) if team.awaited else 0
        waiting[team.team_id] = [
            Head(f"{team.team_id}/{n}", n < awaited) for n in range(awaited + draw(st.integers(0, 4)))
        ]
    top = draw(st.floats(0, 50)) + max((team.vtime for team in teams), default=0)
    return teams, waiting, top, draw(st.integers(0, 30))


def _given(teams, waiting, jobs):
    """How many jobs went, all told and of those that nobody waits for: by team, and by company."""
    awaited = {head.id for line in waiting.values() for head in line if head.awaited}
    counts = {name: [0, 0] for team in teams for name in (team.team_id, team.org_id)}
    companies = {team.team_id: team.org_id for team in teams}
    for job in jobs:
        team_id = job.partition("/")[0]
        for name in (team_id, companies[team_id]):
            counts[name][0] += 1
            counts[name][1] += job not in awaited
    return counts


@given(situations())
def test_turns_keep_within_every_room_and_waste_no_slot(situation):
    teams, waiting, top, slots = situation
    jobs = give_turns(teams, waiting, top, slots).jobs
    counts = _given(teams, waiting, jobs)
    assert len(set(jobs)) == len(jobs) <= slots
    for team in teams:
        for name, room in ((team.team_id, team.room), (team.org_id, team.org_room)):
            assert all(many <= max(0, most) for many, most in zip(counts[name], room, strict=True))
        left = waiting[team.team_id][counts[team.team_id][0] :]
        if left and all(
            Room(room.all - counts[name][0], room.ordinary - counts[name][1]).fits(left[0].awaited)
            for name, room in ((team.team_id, team.room), (team.org_id, team.org_room))
        ):
            assert len(jobs) == slots, "a slot was left while a job could have had it"


@given(situations())
def test_a_teams_jobs_go_in_their_own_order_and_its_time_never_runs_back(situation):
    teams, waiting, top, slots = situation
    turns = give_turns(teams, waiting, top, slots)
    for team in teams:
        its_own = [job for job in turns.jobs if job.startswith(f"{team.team_id}/")]
        assert its_own == [head.id for head in waiting[team.team_id]][: len(its_own)]
        if its_own:
            expected = max(team.vtime, top - CREDIT) + len(its_own) / team.weight
            assert abs(turns.vtimes[team.team_id] - expected) < 1e-6
        else:
            assert team.team_id not in turns.vtimes


@given(situations())
def test_knowing_only_the_first_jobs_of_each_team_changes_nobodys_turn(situation):
    teams, waiting, top, slots = situation
    whole = give_turns(teams, waiting, top, slots).jobs
    known = max_turns(teams, top, slots)
    first = {team_id: jobs[:known] for team_id, jobs in waiting.items()}
    turns = give_turns(teams, first, top, slots, known=known)
    assert turns.jobs == whole[: len(turns.jobs)]
    assert bool(turns.jobs) == bool(whole)
    assert turns.cut_short or turns.jobs == whole


@given(st.lists(st.sampled_from(WEIGHTS), min_size=2, max_size=6), st.integers(50, 400))
def test_under_contention_each_team_gets_its_share(weights, slots):
    teams = [
        WaitingTeam(team_id=f"team_{n}", org_id=f"org_{n}", vtime=0.0, weight=weight)
        for n, weight in enumerate(weights)
    ]
    waiting = {team.team_id: [Head(f"{team.team_id}/{n}") for n in range(slots)] for team in teams}
    jobs = give_turns(teams, waiting, 0.0, slots).jobs
    for team in teams:
        share = slots * team.weight / sum(weights)
        got = sum(job.startswith(f"{team.team_id}/") for job in jobs)
        assert abs(got - share) <= len(teams) + team.weight


async def unlimited(workshop):
    for team in (workshop.acme, workshop.globex):
        await workshop.limit(team, "jobs.concurrency", None, company=True)


async def test_five_jobs_do_not_wait_for_another_teams_twenty_thousand(workshop):
    wrench = workshop.wrench()
    await unlimited(workshop)
    await workshop.backlog(workshop.acme, REMOTE, 20_000)
    for _ in range(10):
        await wrench.claimed()
    await wrench.enqueue_many(workshop.globex, REMOTE, 5)
    next_few = [(await wrench.claimed()).team_id for _ in range(10)]
    assert next_few.count(workshop.globex.id) == 5


async def test_a_batch_is_shared_out_too(workshop):
    """A server that claims for all its slots at once does not fill them from the backlog."""

    async def work(_job):
        return None

    kind = "x.workshop.local"
    wrench = workshop.wrench(JobKind(kind, "Runs here.", handler=work))
    await unlimited(workshop)
    await wrench.enqueue_many(workshop.acme, kind, 200)
    await wrench.enqueue_many(workshop.globex, kind, 20)
    async with workshop.data.write() as writer:
        local = next(who for who in wrench.scheduler.claimer._runners if who.name == "local")
        rows = await wrench.scheduler.claimer._claim.take(writer, local, 40)
    assert [row["team_id"] for row in rows].count(workshop.globex.id) == 20


async def test_a_plan_gives_a_companys_teams_their_weight(workshop):
    wrench = workshop.wrench()
    async with workshop.data.write() as writer:
        for team, plan in ((workshop.acme, "free"), (workshop.globex, "enterprise")):
            await wrench.quotas.apply_plan(writer, team.org_id, plan)
    await unlimited(workshop)
    for team in (workshop.acme, workshop.globex):
        await wrench.enqueue_many(team, REMOTE, 50)
    claimed = [(await wrench.claimed()).team_id for _ in range(50)]
    assert claimed.count(workshop.globex.id) == 40


async def test_a_team_that_was_away_is_owed_no_more_than_its_credit(workshop):
    wrench = workshop.wrench()
    await unlimited(workshop)
    await wrench.enqueue_many(workshop.globex, REMOTE, 1)
    await wrench.claimed()
    await wrench.enqueue_many(workshop.acme, REMOTE, 60)
    for _ in range(40):
        await wrench.claimed()
    await wrench.enqueue_many(workshop.globex, REMOTE, 20)
    next_ten = [(await wrench.claimed()).team_id for _ in range(10)]
    assert next_ten.count(workshop.globex.id) in (6, 7)


async def test_a_team_that_was_busy_alone_is_not_punished_for_it(workshop):
    wrench = workshop.wrench()
    await unlimited(workshop)
    await wrench.enqueue_many(workshop.acme, REMOTE, 60)
    for _ in range(50):
        await wrench.claimed()
    await wrench.enqueue_many(workshop.globex, REMOTE, 20)
    next_ten = [(await wrench.claimed()).team_id for _ in range(10)]
    assert next_ten.count(workshop.acme.id) >= 3


async def test_a_worker_of_one_team_or_company_is_given_no_other_ones_jobs(workshop):
    wrench = workshop.wrench()
    await unlimited(workshop)
    first = await wrench.enqueue(workshop.acme)
    second = await wrench.enqueue(workshop.acme_second)
    other = await wrench.enqueue(workshop.globex)
    of_second = Worker("exe_1", "second", workshop.acme_second.org_id, workshop.acme_second.id)
    of_acme, of_globex = (
        Worker("exe_2", "acme", workshop.acme.org_id),
        Worker("exe_3", "globex", workshop.globex.org_id),
    )
    assert (await wrench.claimed(of_second)).id == second.id
    assert await wrench.claim(of_second) is None
    assert (await wrench.claimed(of_acme)).id == first.id
    assert await wrench.claim(of_acme) is None
    assert (await wrench.claimed(of_globex)).id == other.id


def bound(worker_id, *, pushed=False):
    return JobBinding(worker_id, "the gpu", pushed)


async def test_a_job_that_is_bound_to_an_executor_is_for_that_one_only(workshop):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme, bound_to=bound("exe_gpu"))
    assert await wrench.claim() is None
    claimed = await wrench.claimed(Worker("exe_gpu", "the gpu"))
    assert claimed.id == job.id
    assert (await wrench.job(workshop.acme, job.id)).worker == "the gpu"


async def test_what_only_a_retired_executor_could_run_fails(workshop):
    wrench = workshop.wrench()
    held = await wrench.enqueue(workshop.acme, bound_to=bound("exe_gpu"))
    await wrench.claimed(Worker("exe_gpu", "the gpu"))
    waiting = await wrench.enqueue(workshop.acme, bound_to=bound("exe_gpu"))
    other = await wrench.enqueue(workshop.acme, bound_to=bound("exe_cpu"))
    await wrench.retire("exe_gpu")
    for job in (held, waiting):
        found = await wrench.job(workshop.acme, job.id)
        assert (found.state, found.error.code) == ("failed", "worker_retired")
    assert (await wrench.job(workshop.acme, other.id)).state == "queued"


async def test_a_push_job_shows_the_name_of_its_endpoint(workshop):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme, bound_to=bound("exe_url", pushed=True), payload=3)
    await wrench.scheduler.drain()
    found = await wrench.job(workshop.acme, job.id)
    assert (found.state, found.result, found.worker) == ("succeeded", {"pushed": 3}, "the gpu")


async def test_a_team_whose_jobs_want_another_model_is_in_nobodys_way(workshop):
    """It has the first turn, and nothing for this worker: the next team's job goes."""
    wrench = workshop.wrench()
    await unlimited(workshop)
    await wrench.enqueue(workshop.acme, bound_to=bound("exe_gpu"), requirement="large")
    await wrench.enqueue(workshop.globex, bound_to=bound("exe_gpu"), requirement="small")
    worker = Worker("exe_gpu", "the gpu")
    claimed = [await wrench.claim(worker, provides=["small"]) for _ in range(2)]
    assert [None if one is None else one.team_id for one in claimed] == [workshop.globex.id, None]
    assert (await wrench.claim(worker, provides=["large", "small"])).team_id == workshop.acme.id


@pytest.mark.parametrize("provides", [None, ["large", "small"]])
async def test_a_team_whose_jobs_want_several_models_is_one_team(workshop, provides):
    """It has one turn for each of another team's, whichever of its jobs go, and its most urgent go first."""
    wrench = workshop.wrench()
    await unlimited(workshop)
    for number in range(12):
        requirement = (None, "large", "small")[number % 3]
        await wrench.enqueue(workshop.acme, requirement=requirement, priority=number, payload=number)
        await wrench.enqueue(workshop.globex, requirement="small")
    claimed = [await wrench.claim(provides=provides) for _ in range(12)]
    assert Counter(one.team_id for one in claimed) == {workshop.acme.id: 6, workshop.globex.id: 6}
    assert sorted(one.payload for one in claimed if one.team_id == workshop.acme.id) == [6, 7, 8, 9, 10, 11]


async def test_a_team_that_returns_for_another_model_keeps_the_turns_it_had(workshop):
    """The lane of the model before is gone by then."""
    wrench = workshop.wrench()
    await unlimited(workshop)
    await wrench.enqueue_many(workshop.acme, REMOTE, 6, requirement="large")
    for _ in range(6):
        await wrench.claimed()
    await wrench.tick()
    await wrench.enqueue_many(workshop.acme, REMOTE, 4, requirement="small")
    await wrench.enqueue_many(workshop.globex, REMOTE, 4, requirement="small")
    claimed = [await wrench.claim(provides=["small"]) for _ in range(3)]
    assert [one.team_id for one in claimed] == [workshop.globex.id] * 2 + [workshop.acme.id]
