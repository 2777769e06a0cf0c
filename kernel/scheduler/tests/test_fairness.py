"""Whose turn it is: no team waits for another's backlog, and none is owed what it did not ask for."""

from collections import Counter

import pytest

from guildhall_sdk import JobKind
from guildhall_sdk.jobs import JobBinding
from guildhall_sdk.services.jobs import Worker
from kernel.scheduler.tests.workshop import REMOTE


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
