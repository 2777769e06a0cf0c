"""Once a suspension is answered no claim commits; what waits goes on when it is lifted."""

import asyncio

import pytest

from kernel.scheduler.tests.scheduler_env import REMOTE

ROUNDS = pytest.mark.parametrize("rounds", [3, pytest.param(15, marks=pytest.mark.long_form)])


async def test_the_jobs_of_a_suspended_company_wait_and_the_held_ones_may_end(env):
    process = env.process()
    await process.enqueue_many(env.acme, REMOTE, 2)
    held = await process.claimed()
    await env.suspend(env.acme)
    assert await process.claim() is None
    await process.enqueue(env.globex)
    assert (await process.claimed()).team_id == env.globex.id
    await process.heartbeat(held)
    await process.complete(held)
    await env.suspend(env.acme, False)
    assert (await process.claimed()).team_id == env.acme.id


async def test_a_suspended_tenant_claims_nothing_and_the_held_ones_may_end(env):
    process = env.process()
    await process.enqueue_many(env.acme, REMOTE, 2)
    held = await process.claimed()
    await env.suspend_tenant()
    assert await process.claim() is None
    await process.fail(held, retry=False)
    await env.suspend_tenant(False)
    await process.claimed()


async def race(env, suspend, rounds):
    """Claimers that never pause, while it is suspended and lifted; how many claims there were."""
    await env.limit(env.acme, "jobs.concurrency", None, company=True)
    async with env.more_databases(4) as databases:
        processes = [env.process(data=data) for data in databases]
        stopped = False
        claims = 0

        async def claim_for_ever(process):
            nonlocal claims
            while not stopped:
                if job := await process.claim():
                    claims += 1
                    await process.complete(job)
                await asyncio.sleep(0)

        claiming = asyncio.gather(*map(claim_for_ever, processes))
        for _ in range(rounds):
            await processes[0].enqueue_many(env.acme, REMOTE, 10)
            await suspend(True)
            attempts = await env.value("SELECT SUM(attempt) FROM jobs")
            for _ in range(10):
                await asyncio.sleep(0)
            [ended] = await env.rows("SELECT SUM(attempt) AS attempts, COUNT(*) AS jobs FROM jobs")
            assert ended["attempts"] == attempts, "a claim committed after the suspension was answered"
            await suspend(False)
        while await env.value("SELECT COUNT(*) FROM jobs WHERE state <> 'succeeded'"):
            pass
        stopped = True
        await claiming
    assert claims == rounds * 10


@ROUNDS
async def test_no_claim_commits_after_a_company_was_suspended(env, rounds):
    await race(env, lambda suspended: env.suspend(env.acme, suspended), rounds)


@ROUNDS
async def test_no_claim_commits_after_the_tenant_was_suspended(env, rounds):
    await race(env, env.suspend_tenant, rounds)
