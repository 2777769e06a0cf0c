"""What happens with nobody asking, and what a locked database holds up without losing it."""

import asyncio
import sqlite3
from contextlib import asynccontextmanager

import asyncpg
import pytest

from guildhall_sdk import JobKind, Unavailable
from guildhall_sdk.services.jobs import Worker
from guildhall_testing.clock import FakeClock
from guildhall_testing.site_databases import opened_database
from kernel.scheduler import claim_loop, rescue, runner
from kernel.scheduler.tests.scheduler_env import LEASE_SECONDS, REMOTE, SchedulerEnv


async def test_an_idle_server_writes_nothing(env):
    process = env.process()
    person = Worker("usr_any", "any", team_id=env.acme.id)
    await process.enqueue(env.acme, run_at=env.clock.now_ms() + 10**9)
    await process.tick()
    before = env.data.write_scopes
    for _ in range(5):
        env.clock.advance(seconds=10)
        await process.tick()
        assert await process.claim(person) is None
    assert env.data.write_scopes == before


async def test_more_than_one_round_of_lapses_and_of_due_jobs_is_taken_up(env, monkeypatch):
    monkeypatch.setattr(rescue, "_MAX_ROWS", 3)
    process = env.process()
    await env.limit(env.acme, "jobs.concurrency", None, company=True)
    await process.enqueue_many(env.acme, REMOTE, 7)
    for _ in range(7):
        await process.claimed()
    env.clock.advance(seconds=LEASE_SECONDS)
    for _ in range(3):
        await process.tick()
    env.clock.advance(minutes=1)
    for _ in range(3):
        await process.tick()
    assert [(await process.claimed()).attempt for _ in range(7)] == [2] * 7


async def test_two_processes_reap_and_promote_without_crossing(env):
    async with env.more_databases(4) as databases:
        processes = [env.process(data=data) for data in databases]
        await env.limit(env.acme, "jobs.concurrency", None, company=True)
        await processes[0].enqueue_many(env.acme, REMOTE, 20, max_attempts=50)
        for _ in range(20):
            await processes[0].claimed()
        env.clock.advance(seconds=LEASE_SECONDS)
        await asyncio.gather(*(process.tick() for process in processes))
        assert await env.value("SELECT SUM(lapses) FROM jobs") == 20
        env.clock.advance(minutes=1)
        await asyncio.gather(*(process.tick() for process in processes))
        assert await env.value("SELECT COUNT(*) FROM jobs WHERE state = 'queued'") == 20


@pytest.mark.hall_databases("sqlite")
async def test_at_its_boot_a_server_that_owns_the_file_takes_up_what_it_left(env):
    async def work(_job):
        await asyncio.Event().wait()

    kind = JobKind("x.toy.local", "Here.", handler=work)
    killed = env.process(kind)
    ours = await killed.enqueue(env.acme, kind.name)
    await killed.scheduler.claimer.claim_round()
    workers = env.process()
    theirs = await workers.enqueue(env.globex)
    held = await workers.claimed()
    reborn = env.process(kind)
    await reborn.scheduler.upkeep.take_up_left_over()
    await reborn.tick()
    found = await reborn.job(env.acme, ours.id)
    assert (found.state, found.attempt, found.error.code) == ("queued", 1, "worker_lost")
    assert held.id == theirs.id
    await workers.complete(held)
    await killed.scheduler._local.wind_down(0)


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize("hours", [1, -1])
async def test_a_boot_after_the_clock_was_set_gives_whoever_works_outside_one_lease(env, hours):
    before = env.process()
    job = await before.enqueue(env.acme)
    held = await before.claimed()
    env.clock = FakeClock(env.clock.now_ms() + hours * 3600_000)
    reborn = env.process()
    await reborn.scheduler.upkeep.take_up_left_over()
    env.clock.advance(seconds=LEASE_SECONDS - 1)
    await reborn.tick()
    await reborn.heartbeat(held)
    env.clock.advance(seconds=LEASE_SECONDS)
    await reborn.tick()
    assert (await reborn.job(env.acme, job.id)).error.code == "worker_lost"


@asynccontextmanager
async def locked(env):
    """Somebody holds the jobs for themselves for as long as the block lasts."""
    if env.database == "sqlite":
        file = env.site.folder / "guildhall.db"
        other = sqlite3.connect(file, isolation_level=None, check_same_thread=False, timeout=60)
        # Not on the loop: a transaction of ours that is open could then not go on to its end.
        await asyncio.to_thread(other.execute, "BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")
            other.close()
    else:
        other = await asyncpg.connect(env.site.database_url)
        try:
            async with other.transaction():
                await other.execute("LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE")
                yield
        finally:
            await other.close()


@pytest.fixture
async def impatient(hall_sites, hall_database):
    """An environment of its own, whose database is given up on after a moment."""
    async with hall_sites.lease(hall_database) as site, opened_database(site, patience=0.3) as data:
        yield await SchedulerEnv(site, data).cleared()


async def test_a_database_that_is_held_locked_loses_nothing(impatient, monkeypatch):
    """Longer than anybody's patience, with jobs at every stage; everything ends when it is free again."""
    for module, name in ((runner, "_REPORT_AGAIN_SECONDS"), (claim_loop, "_AFTER_TROUBLE_SECONDS")):
        monkeypatch.setattr(module, name, 0.01)
    monkeypatch.setattr(rescue, "TICK_SECONDS", 0.01)
    effects, may_end, started = [], asyncio.Event(), asyncio.Event()

    async def work(job):
        async def effect(_writer):
            effects.append(job.id)

        job.on_success(effect)
        started.set()
        await may_end.wait()

    kind = JobKind("x.toy.local", "Here.", handler=work)
    process = impatient.process(kind)
    await impatient.limit(impatient.acme, "jobs.concurrency", 5)
    await impatient.limit(impatient.acme, "jobs.concurrency", None, company=True)
    jobs = await process.enqueue_many(impatient.acme, kind.name, 10)
    await process.scheduler.start()
    try:
        await started.wait()
        async with locked(impatient):
            may_end.set()
            refusals = 0
            while refusals < 3:
                with pytest.raises(Unavailable):
                    await process.enqueue(impatient.acme, kind.name)
                refusals += 1
        for job in jobs:
            done = await process.scheduler.wait_for_end(impatient.acme.id, job.id, 30)
            assert (done.state, done.attempt) == ("succeeded", 1)
    finally:
        await process.scheduler.stop()
    assert sorted(effects) == sorted(job.id for job in jobs)


async def test_a_worker_that_meets_a_locked_database_may_say_it_again(impatient):
    process = impatient.process()
    await process.enqueue(impatient.acme)
    held = await process.claimed()
    async with locked(impatient):
        with pytest.raises(Unavailable):
            await process.complete(held)
    await process.complete(held)
    assert (await process.job(impatient.acme, held.id)).state == "succeeded"
    assert await process.claim(Worker("exe_2", "two")) is None


async def test_an_operator_sees_what_waits_what_runs_and_how_attempts_ended(env):
    process = env.process()
    await env.limit(env.acme, "jobs.concurrency", None, company=True)
    await process.enqueue_many(env.acme, REMOTE, 4)
    await process.enqueue(env.acme, run_at=env.clock.now_ms() + 60_000)
    await process.complete(await process.claimed())
    await process.fail(await process.claimed())
    await process.claimed()
    env.clock.advance(seconds=3)

    async def measured():
        async with env.data.read() as reader:
            measures = process.scheduler.measures().values()
            return [dict(await measure(process.scheduler.core.host, reader)) for measure in measures]

    live, longest_wait, ended, processes = await measured()
    assert live == {("scheduled", REMOTE): 2, ("queued", REMOTE): 1, ("running", REMOTE): 1}
    assert longest_wait == {(): 3.0}
    assert ended == {(REMOTE, "succeeded"): 1, (REMOTE, "retried"): 1}
    assert processes == {(): 0 if env.database == "postgresql" else 1}, "none has been started"
