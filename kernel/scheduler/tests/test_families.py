"""A job that waits for others gives up its slot, has it again when they end, and no limit is passed."""

import asyncio

import pytest

from guildhall_sdk import Conflict, JobKind, NewJob, UserError
from guildhall_testing.databases import statement
from kernel.job_limits import StoredJobLimits
from kernel.scheduler.queue import MAX_DEPTH
from kernel.scheduler.tests.scheduler_env import REMOTE, remote, until

PARENT, CHILD = "x.toy.parent", "x.toy.child"
WAITING = "SELECT waiting FROM jobs WHERE id = :id"


class Parents:
    """A kind whose jobs ask for others within themselves, and wait for all of them."""

    def __init__(self, env, child=REMOTE, children=1, **more):
        self.child, self.children, self.more = child, children, more
        self.asked, self.back, self.may_end = [], [], asyncio.Event()
        self.may_end.set()
        own = JobKind(PARENT, "Waits for others.", handler=self.work, max_attempts=2, stoppable=True)
        kinds = (own, remote(), JobKind(CHILD, "Done here.", handler=self.nothing))
        self.process = env.process(*kinds)

    async def work(self, job):
        new = NewJob(self.child, job.org_id, job.team_id, job.user_id, within=job.id, **self.more)
        async with self.process.data.write() as writer:
            asked = await self.process.scheduler.enqueue_many(writer, [new] * self.children)
        self.asked += asked
        waits = (self.process.scheduler.wait_for_end(job.team_id, one.id, 60) for one in asked)
        states = [ended.state for ended in await asyncio.gather(*waits)]
        self.back.append(job.id)
        await self.may_end.wait()
        return states

    async def nothing(self, job):
        return None

    async def begin(self, team, many):
        """So many that run, have asked for theirs, and wait."""
        jobs = await self.process.enqueue_many(team, PARENT, many)
        assert await self.process.scheduler.claimer.claim_round() == many
        running = self.process.scheduler._local.held
        await until(lambda: all(job.waits == self.children and not job.has_slot for job in running))
        return jobs


async def used(process, team):
    """As a claim counts, which sees what is on its way to the disk."""
    async with process.data.write() as writer:
        return await StoredJobLimits().running(writer, team.org_id, team.id)


async def waiting(process, job):
    async with process.data.write() as writer:
        return await writer.value(statement(WAITING), id=job.id)


async def all_end(process):
    """Lets those that run here end; the claim loop, which does not run in these tests, gives slots back."""
    while process.scheduler._local.held:
        await process.scheduler.claimer.claim_round()
        await asyncio.sleep(0)  # a short read is answered at once, and those that run want their turn


async def soon_claimed(process):
    """Claims a job that may have to wait until one that has its slot again has ended."""
    while (job := await process.claim()) is None:  # noqa: ASYNC110
        await asyncio.sleep(0)
    return job


@pytest.mark.parametrize("company", [False, True])
async def test_who_waits_does_not_starve_whom_they_wait_for(env, company):
    """Of the limit of two, two jobs that wait leave both to what they wait for, and none to others."""
    await env.limit(env.acme, "jobs.concurrency", 2, company=company)
    parents = Parents(env, children=2)
    process = parents.process
    begun = await parents.begin(env.acme, 2)
    assert await used(process, env.acme) == (0, 0)
    await process.enqueue(env.acme, priority=50)
    first, second = await process.claimed(), await process.claimed()
    assert {first.id, second.id} < {job.id for job in parents.asked}
    assert await process.claim() is None
    assert await used(process, env.acme) == (2, 2)
    await process.complete(first)
    third = await process.claimed()
    assert third.id in {job.id for job in parents.asked}
    assert await process.claim() is None
    await process.complete(second)
    await process.complete(await soon_claimed(process))
    await process.complete(third)
    await all_end(process)
    results = [(await process.job(env.acme, job.id)).result for job in begun]
    assert results == [["succeeded", "succeeded"]] * 2
    await process.complete(await process.claimed())
    assert await used(process, env.acme) == (0, 0)


async def test_slots_of_the_process_are_given_up_like_places_of_the_team(env, monkeypatch):
    """Every slot of this process waits for a job that only this process runs."""
    monkeypatch.setattr("kernel.scheduler.scheduler.LOCAL_SLOTS", 2)
    parents = Parents(env, child=CHILD)
    begun = await parents.begin(env.acme, 2)
    other = await parents.process.enqueue(env.acme, CHILD, priority=50)
    assert await parents.process.scheduler.claimer.claim_round() == 2
    assert (await parents.process.job(env.acme, other.id)).state == "queued"
    await parents.process.drain()
    ended = [(await parents.process.job(env.acme, job.id)).result for job in begun]
    assert ended == [["succeeded"]] * 2
    assert (await parents.process.job(env.acme, other.id)).state == "succeeded"


async def test_who_waits_takes_no_place_from_others(env):
    """Of two places the one that waits and the one it waits for have one together."""
    await env.limit(env.acme, "jobs.concurrency", 2)
    parents = Parents(env)
    process, team = parents.process, env.acme
    await parents.begin(team, 1)
    child = await process.claimed()
    assert child.id == parents.asked[0].id
    await process.enqueue_many(team, REMOTE, 2)
    beside = await process.claimed()
    assert await process.claim() is None
    assert await used(process, team) == (2, 2)
    for job in (child, beside):
        await process.complete(job)
    await all_end(process)


@pytest.mark.parametrize("company", [False, True])
async def test_who_has_waited_goes_on_only_when_there_is_room_and_before_whatever_waits(env, company):
    """What it waited for is cancelled before it ran, and the one place is another's: it leaves no room."""
    await env.limit(env.acme, "jobs.concurrency", 1, company=company)
    parents = Parents(env)
    process, team = parents.process, env.acme
    [parent] = await parents.begin(team, 1)
    other = await process.enqueue(team, within=parent.id, priority=50)
    held = await process.claimed()
    assert held.id == other.id
    await process.cancel(team, parents.asked[0].id)
    running = process.scheduler._local.find(parent.id)
    await until(lambda: running.slot_back is not None)
    await process.scheduler.claimer.claim_round()
    assert await waiting(process, parent) == 2
    assert (parents.back, await used(process, team)) == ([], (1, 1))
    await process.enqueue(team, within=parent.id, priority=50)
    parents.may_end.clear()
    await process.complete(held)
    assert await process.claim() is None
    await until(lambda: parents.back == [parent.id])
    assert await used(process, team) == (1, 1)
    parents.may_end.set()
    await all_end(process)
    assert await process.claim() is not None


async def test_a_wait_that_is_stopped_ends_without_a_slot(env):
    await env.limit(env.acme, "jobs.concurrency", 1)
    parents = Parents(env)
    process, team = parents.process, env.acme
    [parent] = await parents.begin(team, 1)
    child = await process.claimed()
    process.scheduler._local.stop([parent.id])
    await all_end(process)
    assert (await process.job(team, parent.id)).state == "cancelled"
    assert await used(process, team) == (1, 1)
    await process.complete(child)


async def test_one_that_was_lost_while_it_waited_begins_with_a_slot(env):
    """Its next attempt waits for the same one, which goes on meanwhile."""
    await env.limit(env.acme, "jobs.concurrency", 1)
    parents = Parents(env, unique_key="once")
    process, team = parents.process, env.acme
    [parent] = await parents.begin(team, 1)
    child = await process.claimed()
    await process.scheduler.wind_down(0)
    assert (await process.job(team, parent.id)).state == "queued"
    again = Parents(env, unique_key="once")
    assert await again.process.scheduler.claimer.claim_round() == 0
    await process.fail(child)
    assert await again.process.scheduler.claimer.claim_round() == 1
    assert await waiting(process, parent) == 0
    running = again.process.scheduler._local.find(parent.id)
    await until(lambda: not running.has_slot)
    assert [job.id for job in again.asked] == [child.id]
    env.clock.advance(seconds=10)
    await again.process.tick()
    await again.process.complete(await again.process.claimed())
    await all_end(again.process)
    assert (await process.job(team, parent.id)).result == ["succeeded"]


async def test_jobs_within_jobs_go_so_deep(env):
    process, team = env.process(), env.acme
    within = None
    for _ in range(MAX_DEPTH + 1):
        within = (await process.enqueue(team, within=within)).id
    with pytest.raises(UserError, match="8 deep") as refused:
        await process.enqueue(team, within=within)
    assert refused.value.code == "too_deep"


async def test_what_was_asked_for_before_goes_first_but_is_not_cancelled_along(env):
    await env.limit(env.acme, "jobs.concurrency", 1)
    parents = Parents(env, unique_key="once")
    process, team = parents.process, env.acme
    await process.enqueue(team, priority=50)
    there = await process.enqueue(team, unique_key="once")
    [parent] = await parents.begin(team, 1)
    assert parents.asked[0].id == there.id
    await process.cancel(team, parent.id)
    held = await process.claimed()
    assert held.id == there.id
    assert await process.claim() is None
    await process.complete(held)
    await all_end(process)


async def test_waits_are_within_the_limit_however_many_claim(env):
    """Parents in several processes, and claimers of what they wait for."""
    await env.limit(env.acme, "jobs.concurrency", 2)
    async with env.more_databases(4) as databases:
        parents = Parents(env, children=4)
        process, team = parents.process, env.acme
        claimers = [env.process(data=data) for data in databases]
        await parents.begin(team, 2)
        done = 0
        while done < 8:
            claims = await asyncio.gather(*(one.claim() for one in claimers))
            held = [job for job in claims if job is not None]
            assert len(held) == len({job.id for job in held}) <= 2
            org, own = await used(process, team)
            assert max(org, own) <= 2
            await asyncio.gather(*(process.complete(job) for job in held))
            done += len(held)
        await all_end(process)
        assert await used(process, team) == (0, 0)


async def test_a_job_is_cancelled_with_the_one_it_was_asked_for_within(env):
    process, team = env.process(), env.acme
    parent = await process.enqueue(team, priority=9)
    await process.claimed()
    running = await process.enqueue(team, within=parent.id, priority=8)
    held = await process.claimed()
    waiting = await process.enqueue(team, within=parent.id)
    later = await process.enqueue(team, within=running.id, run_at=env.clock.now_ms() + 60_000)
    apart = await process.enqueue(team)
    found = await process.cancel(team, parent.id)
    assert found.state == "running"
    states = [(await process.job(team, job.id)).state for job in (waiting, later, running, apart)]
    assert states == ["cancelled", "cancelled", "running", "queued"]
    await process.fail(held)
    assert (await process.job(team, running.id)).state == "cancelled"
    for over in (parent, running):
        with pytest.raises(Conflict) as refused:
            await process.enqueue(team, within=over.id)
        assert refused.value.code == "parent_ended"


async def test_a_job_within_one_of_another_team_is_refused(env):
    process = env.process()
    theirs = await process.enqueue(env.globex)
    second = await process.enqueue(env.acme_second)
    for parent_id in (theirs.id, second.id, "job_none"):
        with pytest.raises(UserError) as refused:
            await process.enqueue(env.acme, within=parent_id)
        assert refused.value.code == "unknown_job"
    assert await env.rows("SELECT id FROM jobs WHERE within IS NOT NULL") == []


async def test_cancelling_and_asking_at_once_leave_nothing_behind(env):
    """Whichever comes first: what is asked for within a cancelled job is refused, or cancelled along."""
    async with env.more_databases(2) as databases:
        one, other = (env.process(data=data) for data in databases)
        for _ in range(10):
            parent = await one.enqueue(env.acme)
            asking = (one.enqueue(env.acme, within=parent.id) for _ in range(4))
            await asyncio.gather(*asking, other.cancel(env.acme, parent.id), return_exceptions=True)
    left = await env.rows("SELECT id FROM jobs WHERE state <> 'cancelled'")
    assert left == []
