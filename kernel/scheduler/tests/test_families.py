"""A job that waits for others gives up its slot, has it again when they end, and no limit is passed."""

import asyncio

import pytest

from guildhall_sdk import Conflict, JobKind, NewJob, UserError
from kernel.job_limits import StoredJobLimits
from kernel.scheduler.queue import MAX_DEPTH
from kernel.scheduler.tests.workshop import REMOTE, remote, until
from kernel.testing.databases import statement

PARENT, CHILD = "x.workshop.parent", "x.workshop.child"
WAITING = "SELECT waiting FROM jobs WHERE id = :id"


class Parents:
    """A kind whose jobs ask for others within themselves, and wait for all of them."""

    def __init__(self, workshop, child=REMOTE, children=1, **more):
        self.child, self.children, self.more = child, children, more
        self.asked, self.back, self.may_end = [], [], asyncio.Event()
        self.may_end.set()
        own = JobKind(PARENT, "Waits for others.", handler=self.work, max_attempts=2, stoppable=True)
        kinds = (own, remote(), JobKind(CHILD, "Done here.", handler=self.nothing))
        self.wrench = workshop.wrench(*kinds)

    async def work(self, job):
        new = NewJob(self.child, job.org_id, job.team_id, job.user_id, within=job.id, **self.more)
        async with self.wrench.data.write() as writer:
            asked = await self.wrench.scheduler.enqueue_many(writer, [new] * self.children)
        self.asked += asked
        waits = (self.wrench.scheduler.wait_for_end(job.team_id, one.id, 60) for one in asked)
        states = [ended.state for ended in await asyncio.gather(*waits)]
        self.back.append(job.id)
        await self.may_end.wait()
        return states

    async def nothing(self, job):
        return None

    async def begin(self, team, many):
        """So many that run, have asked for theirs, and wait."""
        jobs = await self.wrench.enqueue_many(team, PARENT, many)
        assert await self.wrench.scheduler.claimer.claim_round() == many
        running = self.wrench.scheduler._local.held
        await until(lambda: all(job.waits == self.children and not job.has_slot for job in running))
        return jobs


async def used(wrench, team):
    """As a claim counts, which sees what is on its way to the disk."""
    async with wrench.data.write() as writer:
        return await StoredJobLimits().running(writer, team.org_id, team.id)


async def waiting(wrench, job):
    async with wrench.data.write() as writer:
        return await writer.value(statement(WAITING), id=job.id)


async def all_end(wrench):
    """Lets those that run here end; the claim loop, which does not run in these tests, gives slots back."""
    while wrench.scheduler._local.held:
        await wrench.scheduler.claimer.claim_round()
        await asyncio.sleep(0)  # a short read is answered at once, and those that run want their turn


async def soon_claimed(wrench):
    """Claims a job that may have to wait until one that has its slot again has ended."""
    while (job := await wrench.claim()) is None:  # noqa: ASYNC110
        await asyncio.sleep(0)
    return job


@pytest.mark.parametrize("company", [False, True])
async def test_who_waits_does_not_starve_whom_they_wait_for(workshop, company):
    """Of the limit of two, two jobs that wait leave both to what they wait for, and none to others."""
    await workshop.limit(workshop.acme, "jobs.concurrency", 2, company=company)
    parents = Parents(workshop, children=2)
    wrench = parents.wrench
    begun = await parents.begin(workshop.acme, 2)
    assert await used(wrench, workshop.acme) == (0, 0)
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
    await wrench.complete(await soon_claimed(wrench))
    await wrench.complete(third)
    await all_end(wrench)
    results = [(await wrench.job(workshop.acme, job.id)).result for job in begun]
    assert results == [["succeeded", "succeeded"]] * 2
    await wrench.complete(await wrench.claimed())
    assert await used(wrench, workshop.acme) == (0, 0)


async def test_slots_of_the_process_are_given_up_like_places_of_the_team(workshop, monkeypatch):
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


async def test_who_waits_takes_no_place_from_others(workshop):
    """Of two places the one that waits and the one it waits for have one together."""
    await workshop.limit(workshop.acme, "jobs.concurrency", 2)
    parents = Parents(workshop)
    wrench, team = parents.wrench, workshop.acme
    await parents.begin(team, 1)
    child = await wrench.claimed()
    assert child.id == parents.asked[0].id
    await wrench.enqueue_many(team, REMOTE, 2)
    beside = await wrench.claimed()
    assert await wrench.claim() is None
    assert await used(wrench, team) == (2, 2)
    for job in (child, beside):
        await wrench.complete(job)
    await all_end(wrench)


@pytest.mark.parametrize("company", [False, True])
async def test_who_has_waited_goes_on_only_when_there_is_room_and_before_whatever_waits(workshop, company):
    """What it waited for is cancelled before it ran, and the one place is another's: it leaves no room."""
    await workshop.limit(workshop.acme, "jobs.concurrency", 1, company=company)
    parents = Parents(workshop)
    wrench, team = parents.wrench, workshop.acme
    [parent] = await parents.begin(team, 1)
    other = await wrench.enqueue(team, within=parent.id, priority=50)
    held = await wrench.claimed()
    assert held.id == other.id
    await wrench.cancel(team, parents.asked[0].id)
    running = wrench.scheduler._local.find(parent.id)
    await until(lambda: running.slot_back is not None)
    await wrench.scheduler.claimer.claim_round()
    assert await waiting(wrench, parent) == 2
    assert (parents.back, await used(wrench, team)) == ([], (1, 1))
    await wrench.enqueue(team, within=parent.id, priority=50)
    parents.may_end.clear()
    await wrench.complete(held)
    assert await wrench.claim() is None
    await until(lambda: parents.back == [parent.id])
    assert await used(wrench, team) == (1, 1)
    parents.may_end.set()
    await all_end(wrench)
    assert await wrench.claim() is not None


async def test_a_wait_that_is_stopped_ends_without_a_slot(workshop):
    await workshop.limit(workshop.acme, "jobs.concurrency", 1)
    parents = Parents(workshop)
    wrench, team = parents.wrench, workshop.acme
    [parent] = await parents.begin(team, 1)
    child = await wrench.claimed()
    wrench.scheduler._local.stop([parent.id])
    await all_end(wrench)
    assert (await wrench.job(team, parent.id)).state == "cancelled"
    assert await used(wrench, team) == (1, 1)
    await wrench.complete(child)


async def test_one_that_was_lost_while_it_waited_begins_with_a_slot(workshop):
    """Its next attempt waits for the same one, which goes on meanwhile."""
    await workshop.limit(workshop.acme, "jobs.concurrency", 1)
    parents = Parents(workshop, unique_key="once")
    wrench, team = parents.wrench, workshop.acme
    [parent] = await parents.begin(team, 1)
    child = await wrench.claimed()
    await wrench.scheduler.wind_down(0)
    assert (await wrench.job(team, parent.id)).state == "queued"
    again = Parents(workshop, unique_key="once")
    assert await again.wrench.scheduler.claimer.claim_round() == 0
    await wrench.fail(child)
    assert await again.wrench.scheduler.claimer.claim_round() == 1
    assert await waiting(wrench, parent) == 0
    running = again.wrench.scheduler._local.find(parent.id)
    await until(lambda: not running.has_slot)
    assert [job.id for job in again.asked] == [child.id]
    workshop.clock.advance(seconds=10)
    await again.wrench.tick()
    await again.wrench.complete(await again.wrench.claimed())
    await all_end(again.wrench)
    assert (await wrench.job(team, parent.id)).result == ["succeeded"]


async def test_jobs_within_jobs_go_so_deep(workshop):
    wrench, team = workshop.wrench(), workshop.acme
    within = None
    for _ in range(MAX_DEPTH + 1):
        within = (await wrench.enqueue(team, within=within)).id
    with pytest.raises(UserError, match="8 deep") as refused:
        await wrench.enqueue(team, within=within)
    assert refused.value.code == "too_deep"


async def test_what_was_asked_for_before_goes_first_but_is_not_cancelled_along(workshop):
    await workshop.limit(workshop.acme, "jobs.concurrency", 1)
    parents = Parents(workshop, unique_key="once")
    wrench, team = parents.wrench, workshop.acme
    await wrench.enqueue(team, priority=50)
    there = await wrench.enqueue(team, unique_key="once")
    [parent] = await parents.begin(team, 1)
    assert parents.asked[0].id == there.id
    await wrench.cancel(team, parent.id)
    held = await wrench.claimed()
    assert held.id == there.id
    assert await wrench.claim() is None
    await wrench.complete(held)
    await all_end(wrench)


async def test_waits_are_within_the_limit_however_many_claim(workshop):
    """Parents in several processes, and claimers of what they wait for."""
    await workshop.limit(workshop.acme, "jobs.concurrency", 2)
    async with workshop.more_databases(4) as databases:
        parents = Parents(workshop, children=4)
        wrench, team = parents.wrench, workshop.acme
        claimers = [workshop.wrench(data=data) for data in databases]
        await parents.begin(team, 2)
        done = 0
        while done < 8:
            claims = await asyncio.gather(*(one.claim() for one in claimers))
            held = [job for job in claims if job is not None]
            assert len(held) == len({job.id for job in held}) <= 2
            org, own = await used(wrench, team)
            assert max(org, own) <= 2
            await asyncio.gather(*(wrench.complete(job) for job in held))
            done += len(held)
        await all_end(wrench)
        assert await used(wrench, team) == (0, 0)


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
