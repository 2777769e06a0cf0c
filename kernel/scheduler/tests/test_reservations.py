"""What a kind reserves: at the claim, spent by a success, given back by anything else."""

import pytest

from guildhall_sdk import JobFailed, JobKind
from kernel.scheduler.tests.scheduler_env import LEASE_SECONDS, REMOTE, WORKER, remote

KIND = remote(reserves={"work.slots": 1, "work.units": 10})
NOTHING, HELD, SPENT = (0, 0), (1, 10), (0, 10)


async def used(env, process):
    counted = await process.used(env.acme)
    return counted["work.slots"], counted["work.units"]


async def test_nothing_is_reserved_before_the_claim_and_a_success_spends_it(env):
    process = env.process(KIND)
    await process.enqueue(env.acme)
    assert await used(env, process) == NOTHING
    claimed = await process.claimed()
    assert await used(env, process) == HELD
    await process.complete(claimed)
    assert await used(env, process) == SPENT
    await process.complete(claimed)
    assert await used(env, process) == SPENT


async def fail_for_good(env, process, claimed):
    await process.fail(claimed, retry=False)


async def fail_and_retry(env, process, claimed):
    await process.fail(claimed)


async def lapse(env, process, _claimed):
    env.clock.advance(seconds=LEASE_SECONDS)
    await process.tick()


async def retire(env, process, _claimed):
    await process.retire(WORKER.id)


async def give_back(env, process, claimed):
    await process.scheduler.claimer.give_back([{"id": claimed.id, "claim_token": claimed.claim_token}])


async def cancel_and_fail(env, process, claimed):
    await process.cancel(env.acme, claimed.id)
    await process.fail(claimed)


ENDS = [fail_for_good, fail_and_retry, lapse, retire, give_back, cancel_and_fail]


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
async def test_anything_but_a_success_gives_it_back(env, end):
    process = env.process(KIND)
    await process.enqueue(env.acme)
    claimed = await process.claimed()
    await end(env, process, claimed)
    assert await used(env, process) == NOTHING


async def test_every_attempt_reserves_anew_and_only_the_last_one_spends(env):
    process = env.process(KIND)
    await process.enqueue(env.acme)
    for _ in range(3):
        await process.fail(await process.claimed())
        env.clock.advance(minutes=1)
        await process.tick()
    await process.complete(await process.claimed())
    assert await used(env, process) == SPENT


async def test_a_late_completion_spends_nothing(env):
    process = env.process(KIND)
    await process.enqueue(env.acme)
    claimed = await process.claimed()
    await lapse(env, process, claimed)
    with pytest.raises(Exception, match="not the current one"):
        await process.complete(claimed)
    assert await used(env, process) == NOTHING


async def test_without_room_a_job_is_put_off_and_goes_when_room_returns(env):
    process = env.process(KIND)
    await env.limit(env.acme, "work.slots", 1)
    first, second = await process.enqueue(env.acme, priority=1), await process.enqueue(env.acme)
    held = await process.claimed()
    assert held.id == first.id
    assert await process.claim() is None
    put_off = await process.job(env.acme, second.id)
    assert (put_off.state, put_off.attempt, put_off.started_at, put_off.error) == ("queued", 0, None, None)
    assert await used(env, process) == HELD
    await process.complete(held)
    env.clock.advance(seconds=30)
    await process.tick()
    again = await process.claimed()
    assert (again.id, again.attempt) == (second.id, 1)


async def test_a_spent_day_puts_jobs_off_until_the_next(env):
    process = env.process(KIND)
    await env.limit(env.acme, "work.units", 10)
    await process.enqueue_many(env.acme, REMOTE, 2)
    await process.complete(await process.claimed())
    for _ in range(5):
        assert await process.claim() is None
        env.clock.advance(seconds=31)
        await process.tick()
    env.clock.advance(days=1)
    await process.tick()
    await process.claimed()


async def test_jobs_that_are_put_off_are_in_nobodys_way(env):
    process = env.process(KIND, remote("x.toy.free"))
    await env.limit(env.acme, "work.slots", 0)
    await process.enqueue_many(env.acme, REMOTE, 10)
    free = await process.enqueue(env.acme, "x.toy.free")
    assert (await process.claimed(kinds=[REMOTE, "x.toy.free"])).id == free.id


@pytest.mark.parametrize("failing", [False, True])
async def test_a_local_job_settles_as_a_remote_one_does(env, failing):
    async def work(_job):
        if failing:
            raise JobFailed("no", "No.")

    kind = JobKind("x.toy.local", "Runs here.", handler=work, reserves=KIND.reserves)
    process = env.process(kind)
    await process.enqueue(env.acme, kind.name)
    await process.drain()
    assert await used(env, process) == (NOTHING if failing else SPENT)
