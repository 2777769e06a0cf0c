"""Once a suspension is answered no claim commits; what waits goes on when it is lifted."""

import asyncio

import pytest

from kernel.scheduler.tests.workshop import REMOTE

ROUNDS = pytest.mark.parametrize("rounds", [3, pytest.param(15, marks=pytest.mark.long_form)])


async def test_the_jobs_of_a_suspended_company_wait_and_the_held_ones_may_end(workshop):
    wrench = workshop.wrench()
    await wrench.enqueue_many(workshop.acme, REMOTE, 2)
    held = await wrench.claimed()
    await workshop.suspend(workshop.acme)
    assert await wrench.claim() is None
    await wrench.enqueue(workshop.globex)
    assert (await wrench.claimed()).team_id == workshop.globex.id
    await wrench.heartbeat(held)
    await wrench.complete(held)
    await workshop.suspend(workshop.acme, False)
    assert (await wrench.claimed()).team_id == workshop.acme.id


async def test_a_suspended_tenant_claims_nothing_and_the_held_ones_may_end(workshop):
    wrench = workshop.wrench()
    await wrench.enqueue_many(workshop.acme, REMOTE, 2)
    held = await wrench.claimed()
    await workshop.suspend_tenant()
    assert await wrench.claim() is None
    await wrench.fail(held, retry=False)
    await workshop.suspend_tenant(False)
    await wrench.claimed()


async def race(workshop, suspend, rounds):
    """Claimers that never pause, while it is suspended and lifted; how many claims there were."""
    await workshop.limit(workshop.acme, "jobs.concurrency", None, company=True)
    async with workshop.more_databases(4) as databases:
        wrenches = [workshop.wrench(data=data) for data in databases]
        stopped = False
        claims = 0

        async def claim_for_ever(wrench):
            nonlocal claims
            while not stopped:
                if job := await wrench.claim():
                    claims += 1
                    await wrench.complete(job)
                await asyncio.sleep(0)

        claiming = asyncio.gather(*map(claim_for_ever, wrenches))
        for _ in range(rounds):
            await wrenches[0].enqueue_many(workshop.acme, REMOTE, 10)
            await suspend(True)
            attempts = await workshop.value("SELECT SUM(attempt) FROM jobs")
            for _ in range(10):
                await asyncio.sleep(0)
            [ended] = await workshop.rows("SELECT SUM(attempt) AS attempts, COUNT(*) AS jobs FROM jobs")
            assert ended["attempts"] == attempts, "a claim committed after the suspension was answered"
            await suspend(False)
        while await workshop.value("SELECT COUNT(*) FROM jobs WHERE state <> 'succeeded'"):
            pass
        stopped = True
        await claiming
    assert claims == rounds * 10


@ROUNDS
async def test_no_claim_commits_after_a_company_was_suspended(workshop, rounds):
    await race(workshop, lambda suspended: workshop.suspend(workshop.acme, suspended), rounds)


@ROUNDS
async def test_no_claim_commits_after_the_tenant_was_suspended(workshop, rounds):
    await race(workshop, workshop.suspend_tenant, rounds)
