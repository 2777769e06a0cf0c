"""Whose turn it is: no team waits for another's backlog, and none is owed what it did not ask for."""

from collections import Counter

import pytest

from guildhall_sdk import JobKind
from guildhall_sdk.jobs import JobBinding
from guildhall_sdk.services.jobs import Worker
from kernel.scheduler.tests.scheduler_env import REMOTE


async def unlimited(env):
    for team in (env.acme, env.globex):
        await env.limit(team, "jobs.concurrency", None, company=True)


async def test_five_jobs_do_not_wait_for_another_teams_twenty_thousand(env):
    process = env.process()
    await unlimited(env)
    await env.backlog(env.acme, REMOTE, 20_000)
    for _ in range(10):
        await process.claimed()
    await process.enqueue_many(env.globex, REMOTE, 5)
    next_few = [(await process.claimed()).team_id for _ in range(10)]
    assert next_few.count(env.globex.id) == 5


async def test_a_batch_is_shared_out_too(env):
    """A server that claims for all its slots at once does not fill them from the backlog."""

    async def work(_job):
        return None

    kind = "x.toy.local"
    process = env.process(JobKind(kind, "Runs here.", handler=work))
    await unlimited(env)
    await process.enqueue_many(env.acme, kind, 200)
    await process.enqueue_many(env.globex, kind, 20)
    async with env.data.write() as writer:
        local = next(who for who in process.scheduler.claimer._runners if who.name == "local")
        rows = (await process.scheduler.claims.take_for(writer, local, [local] * 40)).rows
    assert [row["team_id"] for row in rows].count(env.globex.id) == 20


async def test_a_plan_gives_a_companys_teams_their_weight(env):
    process = env.process()
    async with env.data.write() as writer:
        for team, plan in ((env.acme, "free"), (env.globex, "enterprise")):
            await process.quotas.apply_plan(writer, team.org_id, plan)
    await unlimited(env)
    for team in (env.acme, env.globex):
        await process.enqueue_many(team, REMOTE, 50)
    claimed = [(await process.claimed()).team_id for _ in range(50)]
    assert claimed.count(env.globex.id) == 40


async def test_a_team_that_was_away_is_owed_no_more_than_its_credit(env):
    process = env.process()
    await unlimited(env)
    await process.enqueue_many(env.globex, REMOTE, 1)
    await process.claimed()
    await process.enqueue_many(env.acme, REMOTE, 60)
    for _ in range(40):
        await process.claimed()
    await process.enqueue_many(env.globex, REMOTE, 20)
    next_ten = [(await process.claimed()).team_id for _ in range(10)]
    assert next_ten.count(env.globex.id) in (6, 7)


async def test_a_team_that_was_busy_alone_is_not_punished_for_it(env):
    process = env.process()
    await unlimited(env)
    await process.enqueue_many(env.acme, REMOTE, 60)
    for _ in range(50):
        await process.claimed()
    await process.enqueue_many(env.globex, REMOTE, 20)
    next_ten = [(await process.claimed()).team_id for _ in range(10)]
    assert next_ten.count(env.acme.id) >= 3


async def test_a_worker_of_one_team_or_company_is_given_no_other_ones_jobs(env):
    process = env.process()
    await unlimited(env)
    first = await process.enqueue(env.acme)
    second = await process.enqueue(env.acme_second)
    other = await process.enqueue(env.globex)
    of_second = Worker("exe_1", "second", env.acme_second.org_id, env.acme_second.id)
    of_acme, of_globex = (
        Worker("exe_2", "acme", env.acme.org_id),
        Worker("exe_3", "globex", env.globex.org_id),
    )
    assert (await process.claimed(of_second)).id == second.id
    assert await process.claim(of_second) is None
    assert (await process.claimed(of_acme)).id == first.id
    assert await process.claim(of_acme) is None
    assert (await process.claimed(of_globex)).id == other.id


def bound(worker_id, *, pushed=False):
    return JobBinding(worker_id, "the gpu", pushed)


async def test_a_job_that_is_bound_to_an_executor_is_for_that_one_only(env):
    process = env.process()
    job = await process.enqueue(env.acme, bound_to=bound("exe_gpu"))
    assert await process.claim() is None
    claimed = await process.claimed(Worker("exe_gpu", "the gpu"))
    assert claimed.id == job.id
    assert (await process.job(env.acme, job.id)).worker == "the gpu"


async def test_what_only_a_retired_executor_could_run_fails(env):
    process = env.process()
    held = await process.enqueue(env.acme, bound_to=bound("exe_gpu"))
    await process.claimed(Worker("exe_gpu", "the gpu"))
    waiting = await process.enqueue(env.acme, bound_to=bound("exe_gpu"))
    other = await process.enqueue(env.acme, bound_to=bound("exe_cpu"))
    await process.retire("exe_gpu")
    for job in (held, waiting):
        found = await process.job(env.acme, job.id)
        assert (found.state, found.error.code) == ("failed", "worker_retired")
    assert (await process.job(env.acme, other.id)).state == "queued"


async def test_a_push_job_shows_the_name_of_its_endpoint(env):
    process = env.process()
    job = await process.enqueue(env.acme, bound_to=bound("exe_url", pushed=True), payload=3)
    await process.drain()
    found = await process.job(env.acme, job.id)
    assert (found.state, found.result, found.worker) == ("succeeded", {"pushed": 3}, "the gpu")


async def test_a_team_whose_jobs_want_another_model_is_in_nobodys_way(env):
    """It has the first turn, and nothing for this worker: the next team's job goes."""
    process = env.process()
    await unlimited(env)
    await process.enqueue(env.acme, bound_to=bound("exe_gpu"), requirement="large")
    await process.enqueue(env.globex, bound_to=bound("exe_gpu"), requirement="small")
    worker = Worker("exe_gpu", "the gpu")
    claimed = [await process.claim(worker, provides=["small"]) for _ in range(2)]
    assert [None if one is None else one.team_id for one in claimed] == [env.globex.id, None]
    assert (await process.claim(worker, provides=["large", "small"])).team_id == env.acme.id


@pytest.mark.parametrize("provides", [None, ["large", "small"]])
async def test_a_team_whose_jobs_want_several_models_is_one_team(env, provides):
    """It has one turn for each of another team's, whichever of its jobs go, and its most urgent go first."""
    process = env.process()
    await unlimited(env)
    for number in range(12):
        requirement = (None, "large", "small")[number % 3]
        await process.enqueue(env.acme, requirement=requirement, priority=number, payload=number)
        await process.enqueue(env.globex, requirement="small")
    claimed = [await process.claim(provides=provides) for _ in range(12)]
    assert Counter(one.team_id for one in claimed) == {env.acme.id: 6, env.globex.id: 6}
    assert sorted(one.payload for one in claimed if one.team_id == env.acme.id) == [6, 7, 8, 9, 10, 11]


async def test_a_team_that_returns_for_another_model_keeps_the_turns_it_had(env):
    """The lane of the model before is gone by then."""
    process = env.process()
    await unlimited(env)
    await process.enqueue_many(env.acme, REMOTE, 6, requirement="large")
    for _ in range(6):
        await process.claimed()
    await process.tick()
    await process.enqueue_many(env.acme, REMOTE, 4, requirement="small")
    await process.enqueue_many(env.globex, REMOTE, 4, requirement="small")
    claimed = [await process.claim(provides=["small"]) for _ in range(3)]
    assert [one.team_id for one in claimed] == [env.globex.id] * 2 + [env.acme.id]
