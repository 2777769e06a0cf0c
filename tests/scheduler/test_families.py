"""A job that waits for another it asked for shares its place with it, and the limit stays exact."""

import asyncio

import pytest

from guildhall_sdk import Conflict, JobKind, NewJob, UserError
from kernel.job_limits import StoredJobLimits
from kernel.scheduler.families import MAX_DEPTH
from tests.scheduler.workshop import LEASE_SECONDS, REMOTE, remote, until

PARENT, CHILD = "x.workshop.parent", "x.workshop.child"


class Parents:
    """A kind whose jobs ask for others within themselves, and wait for all of them."""

    def __init__(self, workshop, child=REMOTE, children=1, **more):
        self.child, self.children, self.more = child, children, more
        self.asked = []
        own = JobKind(PARENT, "Waits for others.", handler=self.work, max_attempts=2)
        kinds = (own, remote(), JobKind(CHILD, "Done here.", handler=self.nothing))
        self.wrench = workshop.wrench(*kinds)

    async def work(self, job):
        new = NewJob(self.child, job.org_id, job.team_id, job.user_id, within=job.id, **self.more)
        async with self.wrench.data.write() as writer:
            asked = await self.wrench.scheduler.enqueue_many(writer, [new] * self.children)
        self.asked += asked
        waits = (self.wrench.scheduler.wait_for_end(job.team_id, one.id, 60) for one in asked)
        return [ended.state for ended in await asyncio.gather(*waits)]

    async def nothing(self, job):
        return None

    async def begin(self, team, many):
        """So many that run, and have asked for theirs."""
        jobs = await self.wrench.enqueue_many(team, PARENT, many)
        assert await self.wrench.scheduler.claimer.claim_round() == many
        await until(lambda: len(self.asked) == many * self.children)
        return jobs


async def used(wrench, team):
    async with wrench.data.read() as reader:
        return await StoredJobLimits().running(reader, team.org_id, team.id)


@pytest.mark.parametrize("company", [False, True])
async def test_who_waits_does_not_starve_whom_they_wait_for(workshop, company):
    """Of the limit of two, two jobs that wait leave a place each for one of theirs, and none for others."""
    await workshop.limit(workshop.acme, "jobs.concurrency", 2, company=company)
    parents = Parents(workshop, children=2)
    wrench = parents.wrench
    begun = await parents.begin(workshop.acme, 2)
    await wrench.enqueue(workshop.acme, priority=50)
    first, second = await wrench.claimed(), await wrench.claimed()
    assert {first.id, second.id} < {job.id for job in parents.asked}
    assert await wrench.claim() is None
    assert await used(wrench, workshop.acme) == (2, 2)
    await wrench.complete(first)
    third = await wrench.claimed()
    assert third.id in {job.id for job in parents.asked}
    assert await wrench.claim() is None
    await wrench.complete(second)
    await wrench.complete(await wrench.claimed())
    await wrench.complete(third)
    await wrench.scheduler._local.idle()
    results = [(await wrench.job(workshop.acme, job.id)).result for job in begun]
    assert results == [["succeeded", "succeeded"]] * 2
    await wrench.complete(await wrench.claimed())
    assert await used(wrench, workshop.acme) == (0, 0)


async def test_slots_of_the_process_are_lent_like_places_of_the_team(workshop, monkeypatch):
    """Every slot of this process waits for a job that only this process runs."""
    monkeypatch.setattr("kernel.scheduler.scheduler.LOCAL_SLOTS", 2)
    parents = Parents(workshop, child=CHILD)
    begun = await parents.begin(workshop.acme, 2)
    other = await parents.wrench.enqueue(workshop.acme, CHILD, priority=50)
    assert await parents.wrench.scheduler.claimer.claim_round() == 2
    assert (await parents.wrench.job(workshop.acme, other.id)).state == "queued"
    await parents.wrench.scheduler.drain()
    ended = [(await parents.wrench.job(workshop.acme, job.id)).result for job in begun]
    assert ended == [["succeeded"]] * 2
    assert (await parents.wrench.job(workshop.acme, other.id)).state == "succeeded"


async def test_a_job_within_a_job_within_a_job_has_the_one_place(workshop):
    await workshop.limit(workshop.acme, "jobs.concurrency", 1)
    wrench, team = workshop.wrench(), workshop.acme
    await wrench.enqueue(team)
    family = [await wrench.claimed()]
    for _ in range(MAX_DEPTH - 1):
        await wrench.enqueue(team, within=family[-1].id)
        family.append(await wrench.claimed())
        assert await used(wrench, team) == (1, 1)
    await wrench.enqueue(team, within=family[-1].id)
    with pytest.raises(UserError, match="8 deep") as refused:
        await wrench.enqueue(team, within=(await wrench.claimed()).id)
    assert refused.value.code == "too_deep"
    for job in reversed(family):
        await wrench.complete(job)


@pytest.mark.parametrize("leaving", ["lapsed", "completed", "given back"])
async def test_when_one_in_the_middle_is_gone_its_own_keeps_the_place(workshop, leaving):
    """The first waits for the second, that for the third: the first does not count again beside the third."""
    await workshop.limit(workshop.acme, "jobs.concurrency", 1)
    wrench, team = workshop.wrench(), workshop.acme
    await wrench.enqueue(team)
    first = await wrench.claimed()
    await wrench.enqueue(team, within=first.id)
    second = await wrench.claimed()
    await wrench.enqueue(team, within=second.id)
    third = await wrench.claimed()
    if leaving == "completed":
        await wrench.complete(second)
    elif leaving == "given back":
        await wrench.scheduler.claimer.give_back([{"id": second.id, "claim_token": second.claim_token}])
    else:
        workshop.clock.advance(seconds=LEASE_SECONDS - 1)
        await wrench.heartbeat(first)
        await wrench.heartbeat(third)
        workshop.clock.advance(seconds=1)
        await wrench.tick()
    assert await used(wrench, team) == (1, 1)
    assert await wrench.claim() is None
    await wrench.complete(third)
    assert await used(wrench, team) == (1, 1)


async def test_when_who_waited_is_lost_the_other_goes_on_in_the_place(workshop):
    """Then the one is in the other's way, not beside it; the next attempt waits for the same one."""
    await workshop.limit(workshop.acme, "jobs.concurrency", 1)
    wrench, team = workshop.wrench(), workshop.acme
    parent = await wrench.enqueue(team, priority=1)
    lost = await wrench.claimed()
    child = await wrench.enqueue(team, within=parent.id, unique_key="once")
    held = await wrench.claimed()
    assert held.id == child.id
    workshop.clock.advance(seconds=LEASE_SECONDS - 1)
    await wrench.heartbeat(held)
    workshop.clock.advance(seconds=2)
    await wrench.tick()
    workshop.clock.advance(seconds=30)
    await wrench.tick()
    assert (await wrench.job(team, parent.id)).state == "queued"
    assert await used(wrench, team) == (1, 1)
    assert await wrench.claim() is None
    await wrench.fail(held)
    again = await wrench.claimed()
    assert again.id == lost.id
    workshop.clock.advance(seconds=LEASE_SECONDS - 1)
    await wrench.heartbeat(again)
    await wrench.tick()
    assert (await wrench.enqueue(team, within=parent.id, unique_key="once")).id == child.id
    assert (await wrench.claimed()).id == child.id
    assert await used(wrench, team) == (1, 1)


async def test_what_was_asked_for_before_has_the_place_but_is_not_cancelled_along(workshop):
    await workshop.limit(workshop.acme, "jobs.concurrency", 1)
    wrench, team = workshop.wrench(), workshop.acme
    parent = await wrench.enqueue(team, priority=1)
    there = await wrench.enqueue(team, unique_key="once")
    await wrench.claimed()
    assert await wrench.claim() is None
    assert (await wrench.enqueue(team, within=parent.id, unique_key="once")).id == there.id
    await wrench.cancel(team, parent.id)
    assert (await wrench.claimed()).id == there.id
    assert await used(wrench, team) == (1, 1)


async def test_two_that_wait_for_each_other_are_not_two_in_no_place(workshop):
    """The one asked for the other, was lost, and is now asked for by it."""
    await workshop.limit(workshop.acme, "jobs.concurrency", 1)
    wrench, team = workshop.wrench(), workshop.acme
    one = await wrench.enqueue(team, unique_key="one")
    held = await wrench.claimed()
    other = await wrench.enqueue(team, within=one.id)
    await wrench.claimed()
    await wrench.fail(held)
    workshop.clock.advance(seconds=10)
    await wrench.tick()
    assert (await wrench.enqueue(team, within=other.id, unique_key="one")).id == one.id
    assert await wrench.claim() is None
    assert await used(wrench, team) == (1, 1)


@pytest.mark.parametrize("company", [False, True])
async def test_who_waits_takes_no_place_from_others(workshop, company):
    """Of two places the one that waits and the one it waits for have one together."""
    await workshop.limit(workshop.acme, "jobs.concurrency", 2, company=company)
    wrench, team = workshop.wrench(), workshop.acme
    await wrench.enqueue(team)
    parent = await wrench.claimed()
    await wrench.enqueue(team, within=parent.id)
    await wrench.claimed()
    await wrench.enqueue_many(team, REMOTE, 2)
    await wrench.claimed()
    assert await wrench.claim() is None
    assert await used(wrench, team) == (2, 2)


async def test_a_place_is_lent_once_however_many_claim(workshop):
    await workshop.limit(workshop.acme, "jobs.concurrency", 2)
    async with workshop.more_databases(8) as databases:
        wrenches = [workshop.wrench(data=data) for data in databases]
        wrench, team = wrenches[0], workshop.acme
        parents = await wrench.enqueue_many(team, REMOTE, 2, priority=1)
        for _ in parents:
            await wrench.claimed()
        for parent in parents:
            await wrench.enqueue_many(team, REMOTE, 16, within=parent.id)
        for _ in range(8):
            claims = await asyncio.gather(*(one.claim() for one in wrenches))
            held = [job for job in claims if job is not None]
            assert len(held) == len({job.id for job in held}) <= 2
            assert await used(wrench, team) == (2, 2)
            await asyncio.gather(*(wrench.complete(job) for job in held))


async def test_a_job_is_cancelled_with_the_one_it_was_asked_for_within(workshop):
    wrench, team = workshop.wrench(), workshop.acme
    parent = await wrench.enqueue(team, priority=9)
    await wrench.claimed()
    running = await wrench.enqueue(team, within=parent.id, priority=8)
    held = await wrench.claimed()
    waiting = await wrench.enqueue(team, within=parent.id)
    later = await wrench.enqueue(team, within=running.id, run_at=workshop.clock.now_ms() + 60_000)
    apart = await wrench.enqueue(team)
    found = await wrench.cancel(team, parent.id)
    assert found.state == "running"
    states = [(await wrench.job(team, job.id)).state for job in (waiting, later, running, apart)]
    assert states == ["cancelled", "cancelled", "running", "queued"]
    await wrench.fail(held)
    assert (await wrench.job(team, running.id)).state == "cancelled"
    for over in (parent, running):
        with pytest.raises(Conflict) as refused:
            await wrench.enqueue(team, within=over.id)
        assert refused.value.code == "parent_ended"


async def test_a_job_within_one_of_another_team_is_refused(workshop):
    wrench = workshop.wrench()
    theirs = await wrench.enqueue(workshop.globex)
    second = await wrench.enqueue(workshop.acme_second)
    for parent_id in (theirs.id, second.id, "job_none"):
        with pytest.raises(UserError) as refused:
            await wrench.enqueue(workshop.acme, within=parent_id)
        assert refused.value.code == "unknown_job"
    assert await workshop.rows("SELECT id FROM jobs WHERE within IS NOT NULL") == []


async def test_cancelling_and_asking_at_once_leave_nothing_behind(workshop):
    """Whichever comes first: what is asked for within a cancelled job is refused, or cancelled along."""
    async with workshop.more_databases(2) as databases:
        one, other = (workshop.wrench(data=data) for data in databases)
        for _ in range(10):
            parent = await one.enqueue(workshop.acme)
            asking = (one.enqueue(workshop.acme, within=parent.id) for _ in range(4))
            await asyncio.gather(*asking, other.cancel(workshop.acme, parent.id), return_exceptions=True)
    left = await workshop.rows("SELECT id FROM jobs WHERE state <> 'cancelled'")
    assert left == []
