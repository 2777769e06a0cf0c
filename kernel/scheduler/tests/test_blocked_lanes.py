"""Lanes that may not run are out of the way of claims, and back as soon as there is something to be had."""

import pytest

from kernel.job_limits import StoredJobLimits
from kernel.scheduler import lanes
from kernel.scheduler.tests.workshop import REMOTE

BLOCKED = "SELECT COUNT(*) FROM job_lanes WHERE blocked_by IS NOT NULL"
REASONS = "SELECT DISTINCT blocked_by FROM job_lanes"
BLOCK_ALL = "UPDATE job_lanes SET blocked_by = 'limit'"


@pytest.fixture
def eager(monkeypatch):
    """Blocks one lane as it would many."""
    monkeypatch.setattr(lanes, "_MANY", 1)


async def full_team(workshop):
    """Returns a wrench, and the one job that a team may run, whose lane is blocked."""
    wrench, team = workshop.wrench(), workshop.acme
    await workshop.limit(team, "jobs.concurrency", 1)
    await wrench.enqueue_many(team, REMOTE, 3)
    running = await wrench.claimed()
    await wrench.tick()
    assert await workshop.value(BLOCKED) == 1
    assert await wrench.claim() is None
    return wrench, running


async def test_a_team_at_its_cap_is_blocked_until_a_job_of_its_ends(workshop, eager):
    wrench, running = await full_team(workshop)
    await wrench.complete(running)
    assert await workshop.value(BLOCKED) == 0
    running = await wrench.claimed()
    await wrench.tick()
    assert await workshop.value(BLOCKED) == 1
    await wrench.fail(running, retry=False)
    assert await wrench.claim() is not None


async def test_a_team_at_its_cap_is_blocked_until_it_may_have_more(workshop, eager):
    wrench, _ = await full_team(workshop)
    async with workshop.data.write() as writer:
        await StoredJobLimits().set_team_cap(writer, workshop.acme.id, 2)
    assert await wrench.claim() is not None


async def test_a_company_at_its_cap_is_blocked_until_any_job_of_it_ends(workshop, eager):
    wrench = workshop.wrench()
    await workshop.limit(workshop.acme, "jobs.concurrency", 1, company=True)
    await wrench.enqueue(workshop.acme)
    running = await wrench.claimed()
    await wrench.enqueue(workshop.acme_second)
    await wrench.tick()
    assert await workshop.value(BLOCKED) == 1
    await wrench.complete(running)
    assert (await wrench.claimed()).team_id == workshop.acme_second.id


async def test_a_job_that_lapses_clears_its_team(workshop, eager):
    wrench, _ = await full_team(workshop)
    workshop.clock.advance(seconds=10_000)
    await wrench.tick()
    assert await wrench.claim() is not None


async def test_a_lane_that_was_blocked_by_mistake_is_cleared_by_upkeep(workshop):
    wrench = workshop.wrench()
    await wrench.enqueue(workshop.acme)
    await workshop.run(BLOCK_ALL)
    assert await wrench.claim() is None
    await wrench.tick()
    assert await wrench.claim() is not None


async def test_a_suspension_blocks_and_its_end_clears_at_once(workshop):
    wrench = workshop.wrench()
    await wrench.enqueue(workshop.acme)
    await workshop.suspend(workshop.acme)
    assert await workshop.rows(REASONS) == [{"blocked_by": "suspension"}]
    await wrench.tick()
    assert await workshop.value(BLOCKED) == 1
    await workshop.suspend(workshop.acme, False)
    assert await wrench.claim() is not None


async def test_a_few_teams_at_their_cap_are_left_where_they_are(workshop):
    wrench = workshop.wrench()
    await workshop.limit(workshop.acme, "jobs.concurrency", 1)
    await wrench.enqueue_many(workshop.acme, REMOTE, 2)
    await wrench.claimed()
    await wrench.tick()
    assert await workshop.value(BLOCKED) == 0
