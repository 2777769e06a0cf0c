"""Lanes that wait in vain are out of the way of claims, and back as soon as there is something to be had."""

import pytest

from kernel.job_limits import StoredJobLimits
from kernel.scheduler import holding
from tests.scheduler.workshop import REMOTE

HELD = "SELECT COUNT(*) FROM job_lanes WHERE held = 1"
HOLD_ALL = "UPDATE job_lanes SET held = 1"


@pytest.fixture
def eager(monkeypatch):
    """Holds one lane as it would many."""
    monkeypatch.setattr(holding, "_MANY", 1)


async def full_team(workshop):
    """Returns a wrench, and the one job that a team may run, whose lane is held."""
    wrench, team = workshop.wrench(), workshop.acme
    await workshop.limit(team, "jobs.concurrency", 1)
    await wrench.enqueue_many(team, REMOTE, 3)
    running = await wrench.claimed()
    await wrench.tick()
    assert await workshop.value(HELD) == 1
    assert await wrench.claim() is None
    return wrench, running


async def test_a_team_at_its_cap_is_held_until_a_job_of_its_ends(workshop, eager):
    wrench, running = await full_team(workshop)
    await wrench.complete(running)
    assert await workshop.value(HELD) == 0
    running = await wrench.claimed()
    await wrench.tick()
    assert await workshop.value(HELD) == 1
    await wrench.fail(running, retry=False)
    assert await wrench.claim() is not None


async def test_a_team_at_its_cap_is_held_until_it_may_have_more(workshop, eager):
    wrench, _ = await full_team(workshop)
    async with workshop.data.write() as writer:
        await StoredJobLimits().set_team_cap(writer, workshop.acme.id, 2)
    assert await wrench.claim() is not None


async def test_a_company_at_its_cap_is_held_until_any_job_of_it_ends(workshop, eager):
    wrench = workshop.wrench()
    await workshop.limit(workshop.acme, "jobs.concurrency", 1, company=True)
    await wrench.enqueue(workshop.acme)
    running = await wrench.claimed()
    await wrench.enqueue(workshop.acme_second)
    await wrench.tick()
    assert await workshop.value(HELD) == 1
    await wrench.complete(running)
    assert (await wrench.claimed()).team_id == workshop.acme_second.id


async def test_a_job_within_another_is_claimed_past_the_hold_of_its_team(workshop, eager):
    wrench, running = await full_team(workshop)
    child = await wrench.enqueue(workshop.acme, within=running.id)
    assert (await wrench.claimed()).id == child.id


async def test_a_job_that_lapses_releases_its_team(workshop, eager):
    wrench, _ = await full_team(workshop)
    workshop.clock.advance(seconds=10_000)
    await wrench.tick()
    assert await wrench.claim() is not None


async def test_a_lane_that_was_held_by_mistake_is_released_by_upkeep(workshop):
    wrench = workshop.wrench()
    await wrench.enqueue(workshop.acme)
    await workshop.run(HOLD_ALL)
    assert await wrench.claim() is None
    await wrench.tick()
    assert await wrench.claim() is not None


async def test_a_suspension_holds_and_its_end_releases_at_once(workshop):
    wrench = workshop.wrench()
    await wrench.enqueue(workshop.acme)
    await workshop.suspend(workshop.acme)
    assert await workshop.value(HELD) == 1
    await wrench.tick()
    assert await workshop.value(HELD) == 1
    await workshop.suspend(workshop.acme, False)
    assert await wrench.claim() is not None


async def test_a_few_teams_at_their_cap_are_left_where_they_are(workshop):
    wrench = workshop.wrench()
    await workshop.limit(workshop.acme, "jobs.concurrency", 1)
    await wrench.enqueue_many(workshop.acme, REMOTE, 2)
    await wrench.claimed()
    await wrench.tick()
    assert await workshop.value(HELD) == 0
