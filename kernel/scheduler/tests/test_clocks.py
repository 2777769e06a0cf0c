"""A clock that is set on or back, on the host or in the database, loses no job and holds up none."""

import asyncio

import pytest

from guildhall_sdk import JobKind
from guildhall_sdk.services.jobs import Worker
from kernel.clock import SystemClock
from kernel.scheduler.tests.workshop import LEASE_SECONDS, REMOTE, WORKER

HOUR_MS = 3600_000
BOTH_WAYS = pytest.mark.parametrize("hours", [1, -1])


@BOTH_WAYS
async def test_the_hosts_clock_jumps_and_no_lease_is_shorter_or_longer(workshop, hours):
    wrench = workshop.wrench()
    await workshop.limit(workshop.acme, "jobs.concurrency", None, company=True)
    await wrench.enqueue_many(workshop.acme, REMOTE, 2)
    kept, lost = await wrench.claimed(), await wrench.claimed()
    await wrench.tick()
    workshop.clock.jump(hours=hours)
    await wrench.tick()
    workshop.clock.advance(seconds=LEASE_SECONDS - 1)
    await wrench.tick()
    await wrench.complete(kept)
    workshop.clock.advance(seconds=1)
    await wrench.tick()
    found = await wrench.job(workshop.acme, lost.id)
    assert (found.state, found.error.code) == ("queued", "worker_lost")


@BOTH_WAYS
async def test_a_retry_after_the_hosts_clock_jumped_comes_as_soon_as_ever(workshop, hours):
    wrench = workshop.wrench()
    await wrench.enqueue(workshop.acme)
    claimed = await wrench.claimed()
    workshop.clock.jump(hours=hours)
    await wrench.fail(claimed)
    await wrench.tick()
    assert await wrench.claim() is None
    workshop.clock.advance(seconds=2)
    await wrench.tick()
    assert (await wrench.claimed()).attempt == 2


@BOTH_WAYS
async def test_a_lapse_after_the_hosts_clock_jumped_is_tried_again_as_soon_as_ever(workshop, hours):
    wrench = workshop.wrench()
    await wrench.enqueue(workshop.acme)
    await wrench.claimed()
    workshop.clock.jump(hours=hours)
    workshop.clock.advance(seconds=LEASE_SECONDS)
    await wrench.tick()
    workshop.clock.advance(seconds=2)
    await wrench.tick()
    assert (await wrench.claimed()).attempt == 2


async def test_what_waits_for_a_retry_when_the_clock_is_set_back_waits_minutes_not_hours(workshop):
    wrench = workshop.wrench()
    await wrench.enqueue(workshop.acme)
    await wrench.fail(await wrench.claimed())
    await wrench.tick()
    workshop.clock.jump(hours=-5)
    await wrench.tick()
    workshop.clock.advance(minutes=10)
    await wrench.tick()
    assert (await wrench.claimed()).attempt == 2


async def test_a_time_that_somebody_named_is_kept_by_the_clock_on_the_wall(workshop):
    wrench = workshop.wrench()
    await wrench.enqueue(workshop.acme, run_at=workshop.clock.now_ms() + HOUR_MS)
    await wrench.tick()
    workshop.clock.jump(hours=-1)
    workshop.clock.advance(hours=1)
    await wrench.tick()
    assert await wrench.claim() is None
    workshop.clock.jump(hours=1)
    await wrench.tick()
    await wrench.claimed()


@BOTH_WAYS
async def test_what_is_shown_of_a_job_is_the_time_of_day(workshop, hours):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme)
    workshop.clock.jump(hours=hours)
    claimed = await wrench.claimed()
    now = workshop.clock.now_ms()
    assert claimed.lease.expires_at == now + LEASE_SECONDS * 1000
    assert (await wrench.scheduler.workers.heartbeat(WORKER, job.id, claimed.claim_token)).expires_at == (
        now + LEASE_SECONDS * 1000
    )
    await wrench.complete(claimed)
    found = await wrench.job(workshop.acme, job.id)
    assert found.started_at == found.finished_at == now


class DatabaseClock:
    """The leases' clock as the database would tell it, set on or back while the host's goes on."""

    def __init__(self, clock):
        self._clock, self.ahead_ms = clock, 0

    def now(self):
        return self._clock.steady_ms() + self.ahead_ms

    def time_of_day(self):
        return self._clock.now_ms() + self.ahead_ms

    def to_time_of_day(self, lease_until):
        return lease_until


def on_a_database_clock(workshop, *kinds):
    wrench = workshop.wrench(*kinds)
    time = DatabaseClock(workshop.clock)
    object.__setattr__(wrench.scheduler.core, "time", time)
    return wrench, time


@BOTH_WAYS
async def test_the_databases_clock_jumps_and_whoever_works_keeps_the_job(workshop, hours):
    wrench, time = on_a_database_clock(workshop)
    await wrench.enqueue(workshop.acme)
    claimed = await wrench.claimed()
    await wrench.tick()
    time.ahead_ms += hours * HOUR_MS
    workshop.clock.advance(seconds=1)
    await wrench.tick()
    await wrench.heartbeat(claimed)
    await wrench.complete(claimed)
    assert (await wrench.job(workshop.acme, claimed.id)).attempt == 1


@BOTH_WAYS
async def test_the_databases_clock_jumps_and_whoever_is_gone_is_noticed_after_a_lease(workshop, hours):
    wrench, time = on_a_database_clock(workshop)
    await wrench.enqueue(workshop.acme)
    claimed = await wrench.claimed()
    await wrench.tick()
    time.ahead_ms += hours * HOUR_MS
    await wrench.tick()
    workshop.clock.advance(seconds=LEASE_SECONDS - 1)
    await wrench.tick()
    assert (await wrench.job(workshop.acme, claimed.id)).state == "running"
    workshop.clock.advance(seconds=2)
    await wrench.tick()
    assert (await wrench.job(workshop.acme, claimed.id)).state == "queued"


@BOTH_WAYS
async def test_the_databases_clock_jumps_when_the_own_leases_are_due_and_no_job_is_dropped(workshop, hours):
    go_on = asyncio.Event()

    async def work(_job):
        await go_on.wait()
        return "done"

    wrench, time = on_a_database_clock(workshop, JobKind("x.workshop.long", "Waits.", handler=work))
    job = await wrench.enqueue(workshop.acme, "x.workshop.long")
    await wrench.scheduler.claimer.claim_round()
    await wrench.tick()
    time.ahead_ms += hours * HOUR_MS
    workshop.clock.advance(seconds=LEASE_SECONDS / 2)
    await wrench.tick()
    go_on.set()
    await wrench.scheduler.drain()
    found = await wrench.job(workshop.acme, job.id)
    assert (found.state, found.attempt) == ("succeeded", 1)


@pytest.mark.hall_databases("postgresql")
async def test_processes_that_share_a_database_measure_leases_by_its_clock(workshop):
    """Whatever the hosts think: one is a year ahead."""

    class YearAhead(SystemClock):
        def now_ms(self):
            return super().now_ms() + 365 * 24 * HOUR_MS

        def steady_ms(self):
            return super().steady_ms() + 365 * 24 * HOUR_MS

    ahead, right = workshop.wrench(clock=YearAhead()), workshop.wrench(clock=SystemClock())
    job = await right.enqueue(workshop.acme)
    claimed = await right.claimed()
    await ahead.tick()
    await ahead.heartbeat(claimed)
    await right.complete(claimed)
    done = await right.job(workshop.acme, job.id)
    assert (done.state, done.attempt) == ("succeeded", 1)
    assert abs(done.finished_at - SystemClock().now_ms()) < HOUR_MS


async def test_a_renewal_that_the_database_refused_is_tried_at_the_next_tick(workshop):
    """Not a third of a lease later: two refusals would cost a job that runs well."""
    go_on = asyncio.Event()

    async def work(_job):
        await go_on.wait()

    wrench = workshop.wrench(JobKind("x.workshop.long", "Waits.", handler=work))
    await wrench.enqueue(workshop.acme, "x.workshop.long")
    await wrench.scheduler.claimer.claim_round()
    renew, refusals = wrench.scheduler.renewal._renew, iter([True, False])

    async def renew_after_a_refusal():
        if next(refusals):
            raise ConnectionError("not just now")
        await renew()

    wrench.scheduler.renewal._renew = renew_after_a_refusal
    workshop.clock.advance(seconds=LEASE_SECONDS / 2)
    with pytest.raises(ConnectionError):
        await wrench.tick()
    workshop.clock.advance(seconds=1)
    await wrench.tick()
    until = await workshop.value("SELECT lease_until FROM jobs")
    assert until == workshop.clock.steady_ms() + LEASE_SECONDS * 1000
    go_on.set()
    await wrench.scheduler.drain()


@pytest.mark.parametrize("lease_seconds", [1, 2, 60])
async def test_upkeep_comes_by_often_enough_for_every_lease(workshop, lease_seconds):
    wrench = workshop.wrench(lease_seconds=lease_seconds)
    assert await wrench.scheduler.upkeep._until_next() <= lease_seconds / 3
    worker = Worker("exe_1", "one")
    await wrench.enqueue(workshop.acme)
    assert (await wrench.claimed(worker)).lease.seconds == lease_seconds
