"""Lanes that may not run are out of the way of claims, and back as soon as there is something to be had."""

import pytest

from kernel.job_limits import StoredJobLimits
from kernel.scheduler import lanes
from kernel.scheduler.tests.scheduler_env import REMOTE

BLOCKED = "SELECT COUNT(*) FROM job_lanes WHERE blocked_by IS NOT NULL"
REASONS = "SELECT DISTINCT blocked_by FROM job_lanes"
BLOCK_ALL = "UPDATE job_lanes SET blocked_by = 'limit'"


@pytest.fixture
def eager(monkeypatch):
    """Blocks one lane as it would many."""
    monkeypatch.setattr(lanes, "_MANY", 1)


async def full_team(env):
    """Returns a process, and the one job that a team may run, whose lane is blocked."""
    process, team = env.process(), env.acme
    await env.limit(team, "jobs.concurrency", 1)
    await process.enqueue_many(team, REMOTE, 3)
    running = await process.claimed()
    await process.tick()
    assert await env.value(BLOCKED) == 1
    assert await process.claim() is None
    return process, running


async def test_a_team_at_its_cap_is_blocked_until_a_job_of_its_ends(env, eager):
    process, running = await full_team(env)
    await process.complete(running)
    assert await env.value(BLOCKED) == 0
    running = await process.claimed()
    await process.tick()
    assert await env.value(BLOCKED) == 1
    await process.fail(running, retry=False)
    assert await process.claim() is not None


async def test_a_team_at_its_cap_is_blocked_until_it_may_have_more(env, eager):
    process, _ = await full_team(env)
    async with env.data.write() as writer:
        await StoredJobLimits().set_team_cap(writer, env.acme.id, 2)
    assert await process.claim() is not None


async def test_a_company_at_its_cap_is_blocked_until_any_job_of_it_ends(env, eager):
    process = env.process()
    await env.limit(env.acme, "jobs.concurrency", 1, company=True)
    await process.enqueue(env.acme)
    running = await process.claimed()
    await process.enqueue(env.acme_second)
    await process.tick()
    assert await env.value(BLOCKED) == 1
    await process.complete(running)
    assert (await process.claimed()).team_id == env.acme_second.id


async def test_a_job_that_lapses_clears_its_team(env, eager):
    process, _ = await full_team(env)
    env.clock.advance(seconds=10_000)
    await process.tick()
    assert await process.claim() is not None


async def test_a_lane_that_was_blocked_by_mistake_is_cleared_by_upkeep(env):
    process = env.process()
    await process.enqueue(env.acme)
    await env.run(BLOCK_ALL)
    assert await process.claim() is None
    await process.tick()
    assert await process.claim() is not None


async def test_a_suspension_blocks_and_its_end_clears_at_once(env):
    process = env.process()
    await process.enqueue(env.acme)
    await env.suspend(env.acme)
    assert await env.rows(REASONS) == [{"blocked_by": "suspension"}]
    await process.tick()
    assert await env.value(BLOCKED) == 1
    await env.suspend(env.acme, False)
    assert await process.claim() is not None


async def test_a_few_teams_at_their_cap_are_left_where_they_are(env):
    process = env.process()
    await env.limit(env.acme, "jobs.concurrency", 1)
    await process.enqueue_many(env.acme, REMOTE, 2)
    await process.claimed()
    await process.tick()
    assert await env.value(BLOCKED) == 0
