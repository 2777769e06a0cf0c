"""What a kind reserves: at the claim, spent by a success, given back by anything else."""

import pytest

from guildhall_sdk import JobFailed, JobKind
from kernel.scheduler.tests.workshop import LEASE_SECONDS, REMOTE, WORKER, remote

KIND = remote(reserves={"work.slots": 1, "work.units": 10})
NOTHING, HELD, SPENT = (0, 0), (1, 10), (0, 10)


async def used(workshop, wrench):
    counted = await wrench.used(workshop.acme)
    return counted["work.slots"], counted["work.units"]


async def test_nothing_is_reserved_before_the_claim_and_a_success_spends_it(workshop):
    wrench = workshop.wrench(KIND)
    await wrench.enqueue(workshop.acme)
    assert await used(workshop, wrench) == NOTHING
    claimed = await wrench.claimed()
    assert await used(workshop, wrench) == HELD
    await wrench.complete(claimed)
    assert await used(workshop, wrench) == SPENT
    await wrench.complete(claimed)
    assert await used(workshop, wrench) == SPENT


async def fail_for_good(workshop, wrench, claimed):
    await wrench.fail(claimed, retry=False)


async def fail_and_retry(workshop, wrench, claimed):
    await wrench.fail(claimed)


async def lapse(workshop, wrench, _claimed):
    workshop.clock.advance(seconds=LEASE_SECONDS)
    await wrench.tick()


async def retire(workshop, wrench, _claimed):
    await wrench.retire(WORKER.id)


async def give_back(workshop, wrench, claimed):
    await wrench.scheduler.claimer.give_back([{"id": claimed.id, "claim_token": claimed.claim_token}])


async def cancel_and_fail(workshop, wrench, claimed):
    await wrench.cancel(workshop.acme, claimed.id)
    await wrench.fail(claimed)


ENDS = [fail_for_good, fail_and_retry, lapse, retire, give_back, cancel_and_fail]


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
async def test_anything_but_a_success_gives_it_back(workshop, end):
    wrench = workshop.wrench(KIND)
    await wrench.enqueue(workshop.acme)
    claimed = await wrench.claimed()
    await end(workshop, wrench, claimed)
    assert await used(workshop, wrench) == NOTHING


async def test_every_attempt_reserves_anew_and_only_the_last_one_spends(workshop):
    wrench = workshop.wrench(KIND)
    await wrench.enqueue(workshop.acme)
    for _ in range(3):
        await wrench.fail(await wrench.claimed())
        workshop.clock.advance(minutes=1)
        await wrench.tick()
    await wrench.complete(await wrench.claimed())
    assert await used(workshop, wrench) == SPENT


async def test_a_late_completion_spends_nothing(workshop):
    wrench = workshop.wrench(KIND)
    await wrench.enqueue(workshop.acme)
    claimed = await wrench.claimed()
    await lapse(workshop, wrench, claimed)
    with pytest.raises(Exception, match="not the current one"):
        await wrench.complete(claimed)
    assert await used(workshop, wrench) == NOTHING


async def test_without_room_a_job_is_put_off_and_goes_when_room_returns(workshop):
    wrench = workshop.wrench(KIND)
    await workshop.limit(workshop.acme, "work.slots", 1)
    first, second = await wrench.enqueue(workshop.acme, priority=1), await wrench.enqueue(workshop.acme)
    held = await wrench.claimed()
    assert held.id == first.id
    assert await wrench.claim() is None
    put_off = await wrench.job(workshop.acme, second.id)
    assert (put_off.state, put_off.attempt, put_off.started_at, put_off.error) == ("queued", 0, None, None)
    assert await used(workshop, wrench) == HELD
    await wrench.complete(held)
    workshop.clock.advance(seconds=30)
    await wrench.tick()
    again = await wrench.claimed()
    assert (again.id, again.attempt) == (second.id, 1)


async def test_a_spent_day_puts_jobs_off_until_the_next(workshop):
    wrench = workshop.wrench(KIND)
    await workshop.limit(workshop.acme, "work.units", 10)
    await wrench.enqueue_many(workshop.acme, REMOTE, 2)
    await wrench.complete(await wrench.claimed())
    for _ in range(5):
        assert await wrench.claim() is None
        workshop.clock.advance(seconds=31)
        await wrench.tick()
    workshop.clock.advance(days=1)
    await wrench.tick()
    await wrench.claimed()


async def test_jobs_that_are_put_off_are_in_nobodys_way(workshop):
    wrench = workshop.wrench(KIND, remote("x.workshop.free"))
    await workshop.limit(workshop.acme, "work.slots", 0)
    await wrench.enqueue_many(workshop.acme, REMOTE, 10)
    free = await wrench.enqueue(workshop.acme, "x.workshop.free")
    assert (await wrench.claimed(kinds=[REMOTE, "x.workshop.free"])).id == free.id


@pytest.mark.parametrize("failing", [False, True])
async def test_a_local_job_settles_as_a_remote_one_does(workshop, failing):
    async def work(_job):
        if failing:
            raise JobFailed("no", "No.")

    kind = JobKind("x.workshop.local", "Runs here.", handler=work, reserves=KIND.reserves)
    wrench = workshop.wrench(kind)
    await wrench.enqueue(workshop.acme, kind.name)
    await wrench.scheduler.drain()
    assert await used(workshop, wrench) == (NOTHING if failing else SPENT)
