"""A clock that is set on or back, on the host or in the database, loses no job and holds up none."""

import asyncio

import pytest

from guildhall_sdk import JobKind
from guildhall_sdk.services.jobs import Worker
from kernel.clock import SystemClock
from kernel.scheduler.core import Core
from kernel.scheduler.tests.scheduler_env import LEASE_SECONDS, REMOTE, WORKER

HOUR_MS = 3600_000
BOTH_WAYS = pytest.mark.parametrize("hours", [1, -1])


@BOTH_WAYS
async def test_the_hosts_clock_jumps_and_no_lease_is_shorter_or_longer(env, hours):
    process = env.process()
    await env.limit(env.acme, "jobs.concurrency", None, company=True)
    await process.enqueue_many(env.acme, REMOTE, 2)
    kept, lost = await process.claimed(), await process.claimed()
    await process.tick()
    env.clock.jump(hours=hours)
    await process.tick()
    env.clock.advance(seconds=LEASE_SECONDS - 1)
    await process.tick()
    await process.complete(kept)
    env.clock.advance(seconds=1)
    await process.tick()
    found = await process.job(env.acme, lost.id)
    assert (found.state, found.error.code) == ("queued", "worker_lost")


@BOTH_WAYS
async def test_a_retry_after_the_hosts_clock_jumped_comes_as_soon_as_ever(env, hours):
    process = env.process()
    await process.enqueue(env.acme)
    claimed = await process.claimed()
    env.clock.jump(hours=hours)
    await process.fail(claimed)
    await process.tick()
    assert await process.claim() is None
    env.clock.advance(seconds=2)
    await process.tick()
    assert (await process.claimed()).attempt == 2


@BOTH_WAYS
async def test_a_lapse_after_the_hosts_clock_jumped_is_tried_again_as_soon_as_ever(env, hours):
    process = env.process()
    await process.enqueue(env.acme)
    await process.claimed()
    env.clock.jump(hours=hours)
    env.clock.advance(seconds=LEASE_SECONDS)
    await process.tick()
    env.clock.advance(seconds=2)
    await process.tick()
    assert (await process.claimed()).attempt == 2


async def test_what_waits_for_a_retry_when_the_clock_is_set_back_waits_minutes_not_hours(env):
    process = env.process()
    await process.enqueue(env.acme)
    await process.fail(await process.claimed())
    await process.tick()
    env.clock.jump(hours=-5)
    await process.tick()
    env.clock.advance(minutes=10)
    await process.tick()
    assert (await process.claimed()).attempt == 2


async def test_a_time_that_somebody_named_is_kept_by_the_clock_on_the_wall(env):
    process = env.process()
    await process.enqueue(env.acme, run_at=env.clock.now_ms() + HOUR_MS)
    await process.tick()
    env.clock.jump(hours=-1)
    env.clock.advance(hours=1)
    await process.tick()
    assert await process.claim() is None
    env.clock.jump(hours=1)
    await process.tick()
    await process.claimed()


@BOTH_WAYS
async def test_what_is_shown_of_a_job_is_the_time_of_day(env, hours):
    process = env.process()
    job = await process.enqueue(env.acme)
    env.clock.jump(hours=hours)
    claimed = await process.claimed()
    now = env.clock.now_ms()
    assert claimed.lease.expires_at == now + LEASE_SECONDS * 1000
    assert (await process.scheduler.workers.heartbeat(WORKER, job.id, claimed.claim_token)).expires_at == (
        now + LEASE_SECONDS * 1000
    )
    await process.complete(claimed)
    found = await process.job(env.acme, job.id)
    assert found.started_at == found.finished_at == now


class DatabaseClock:
    """How far the leases' clock, as the database would tell it, is ahead of the host's."""

    def __init__(self):
        self.ahead_ms = 0


def on_a_database_clock(env, *kinds):
    process, time = env.process(*kinds), DatabaseClock()

    class OnDatabaseClock(Core):
        __slots__ = ()
        now = property(lambda core: core.clock.steady_ms() + time.ahead_ms)
        wall = property(lambda core: core.clock.now_ms() + time.ahead_ms)

    object.__setattr__(process.scheduler.core, "__class__", OnDatabaseClock)
    return process, time


@BOTH_WAYS
async def test_the_databases_clock_jumps_and_whoever_works_keeps_the_job(env, hours):
    process, time = on_a_database_clock(env)
    await process.enqueue(env.acme)
    claimed = await process.claimed()
    await process.tick()
    time.ahead_ms += hours * HOUR_MS
    env.clock.advance(seconds=1)
    await process.tick()
    await process.heartbeat(claimed)
    await process.complete(claimed)
    assert (await process.job(env.acme, claimed.id)).attempt == 1


@BOTH_WAYS
async def test_the_databases_clock_jumps_and_whoever_is_gone_is_noticed_after_a_lease(env, hours):
    process, time = on_a_database_clock(env)
    await process.enqueue(env.acme)
    claimed = await process.claimed()
    await process.tick()
    time.ahead_ms += hours * HOUR_MS
    await process.tick()
    env.clock.advance(seconds=LEASE_SECONDS - 1)
    await process.tick()
    assert (await process.job(env.acme, claimed.id)).state == "running"
    env.clock.advance(seconds=2)
    await process.tick()
    assert (await process.job(env.acme, claimed.id)).state == "queued"


@BOTH_WAYS
async def test_the_databases_clock_jumps_when_the_own_leases_are_due_and_no_job_is_dropped(env, hours):
    go_on = asyncio.Event()

    async def work(_job):
        await go_on.wait()
        return "done"

    process, time = on_a_database_clock(env, JobKind("x.toy.long", "Waits.", handler=work))
    job = await process.enqueue(env.acme, "x.toy.long")
    await process.scheduler.claimer.claim_round()
    await process.tick()
    time.ahead_ms += hours * HOUR_MS
    env.clock.advance(seconds=LEASE_SECONDS / 2)
    await process.tick()
    go_on.set()
    await process.drain()
    found = await process.job(env.acme, job.id)
    assert (found.state, found.attempt) == ("succeeded", 1)


@pytest.mark.hall_databases("postgresql")
async def test_processes_that_share_a_database_measure_leases_by_its_clock(env):
    """Whatever the hosts think: one is a year ahead."""

    class YearAhead(SystemClock):
        def now_ms(self):
            return super().now_ms() + 365 * 24 * HOUR_MS

        def steady_ms(self):
            return super().steady_ms() + 365 * 24 * HOUR_MS

    ahead, right = env.process(clock=YearAhead()), env.process(clock=SystemClock())
    job = await right.enqueue(env.acme)
    claimed = await right.claimed()
    await ahead.tick()
    await ahead.heartbeat(claimed)
    await right.complete(claimed)
    done = await right.job(env.acme, job.id)
    assert (done.state, done.attempt) == ("succeeded", 1)
    assert abs(done.finished_at - SystemClock().now_ms()) < HOUR_MS


async def test_a_renewal_that_the_database_refused_is_tried_at_the_next_tick(env):
    """Not a third of a lease later: two refusals would cost a job that runs well."""
    go_on = asyncio.Event()

    async def work(_job):
        await go_on.wait()

    process = env.process(JobKind("x.toy.long", "Waits.", handler=work))
    await process.enqueue(env.acme, "x.toy.long")
    await process.scheduler.claimer.claim_round()
    renew, refusals = process.scheduler.renewal._renew, iter([True, False])

    async def renew_after_a_refusal():
        if next(refusals):
            raise ConnectionError("not just now")
        await renew()

    process.scheduler.renewal._renew = renew_after_a_refusal
    env.clock.advance(seconds=LEASE_SECONDS / 2)
    with pytest.raises(ConnectionError):
        await process.tick()
    env.clock.advance(seconds=1)
    await process.tick()
    until = await env.value("SELECT lease_until FROM jobs")
    assert until == env.clock.steady_ms() + LEASE_SECONDS * 1000
    go_on.set()
    await process.drain()


@pytest.mark.parametrize("lease_seconds", [1, 2, 60])
async def test_upkeep_comes_by_often_enough_for_every_lease(env, lease_seconds):
    process = env.process(lease_seconds=lease_seconds)
    assert await process.scheduler.upkeep._until_next() <= lease_seconds / 3
    worker = Worker("exe_1", "one")
    await process.enqueue(env.acme)
    assert (await process.claimed(worker)).lease.seconds == lease_seconds
