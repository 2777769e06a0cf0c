"""Processes that share a database: what a dead one held is taken up soon, and nobody is dead by mistake."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from guildhall_sdk import JobKind
from kernel.scheduler.rescue import SILENT_MS
from kernel.scheduler.tests.scheduler_env import until
from kernel.scheduler.tests.test_clocks import BOTH_WAYS, HOUR_MS, on_a_database_clock

LOCAL = "x.toy.local"
LOOKS = SILENT_MS // 1000 + 1
shared_database = pytest.mark.hall_databases("postgresql")


async def endless(_job):
    await asyncio.Event().wait()


KIND = JobKind(LOCAL, "Never ends.", handler=endless)


@asynccontextmanager
async def processes(env, many):
    """Each with a row of its own and no tasks: it gives a sign, listens and looks when a test says so."""
    async with env.more_databases(many) as databases:
        made = [env.process(KIND, data=data) for data in databases]
        for process in made:
            await process.scheduler.heartbeat.register()
        yield made
        for process in made:
            await process.scheduler.signals._others.stop()
            await process.scheduler._local.wind_down(0)


async def begun(env, process):
    """A job that the process runs."""
    job = await process.enqueue(env.acme, LOCAL)
    await process.scheduler.claimer.claim_round()  # unless its own loop has claimed it already
    assert process.scheduler._local.find(job.id)
    return job


async def listen(process):
    await process.scheduler.signals._others.start()
    await until(lambda: process.scheduler.signals._others._line.listening)


async def seconds_pass(env, watcher, *signing, looks=LOOKS):
    """The watcher looks every second, and the others give their sign."""
    for _ in range(looks):
        env.clock.advance(seconds=1)
        for process in signing:
            await process.scheduler.heartbeat.beat()
        await watcher.scheduler.recovery.recover()


async def row_of(env, job):
    [row] = await env.rows("SELECT state, attempt, lapses FROM jobs WHERE id = :id", id=job.id)
    return row["state"], row["attempt"], row["lapses"]


@shared_database
async def test_what_a_dead_process_held_waits_for_another_attempt(env):
    async with processes(env, 2) as (dead, alive):
        job = await begun(env, dead)
        await seconds_pass(env, alive, looks=LOOKS - 1)
        assert await row_of(env, job) == ("running", 1, 0)
        await seconds_pass(env, alive, looks=1)
        found = await alive.job(env.acme, job.id)
        assert (found.state, found.error.code) == ("queued", "worker_lost")
        assert await row_of(env, job) == ("scheduled", 1, 1)
        env.clock.advance(seconds=2)
        await alive.tick()
        assert await alive.scheduler.claimer.claim_round() == 1
        assert await row_of(env, job) == ("running", 2, 1)


@shared_database
async def test_a_job_that_kills_its_server_again_and_again_ends_as_poison(env):
    async with processes(env, 1) as (alive,):
        job = await alive.enqueue(env.acme, LOCAL, max_attempts=5)
        for lapses in (1, 2, 3):
            victim = env.process(KIND)
            await victim.scheduler.heartbeat.register()
            assert await victim.scheduler.claimer.claim_round() == 1
            await seconds_pass(env, alive)
            assert (await row_of(env, job))[1:] == (lapses, lapses)
            env.clock.advance(minutes=1)
            await alive.tick()
            await victim.scheduler._local.wind_down(0)
        found = await alive.job(env.acme, job.id)
        assert (found.state, found.error.code) == ("failed", "poison")


@shared_database
async def test_what_workers_outside_hold_is_theirs_whatever_process_they_claimed_from(env):
    async with env.more_databases(2) as databases:
        dead, alive = (env.process(data=data) for data in databases)
        for process in (dead, alive):
            await process.scheduler.heartbeat.register()
        await dead.enqueue(env.acme)
        held = await dead.claimed()
        await seconds_pass(env, alive)
        await alive.complete(held)
        assert (await alive.job(env.acme, held.id)).state == "succeeded"


@shared_database
async def test_a_process_that_is_silent_but_connected_keeps_its_jobs(env):
    async with processes(env, 2) as (stalled, watcher):
        await listen(stalled)
        job = await begun(env, stalled)
        await seconds_pass(env, watcher, looks=3 * LOOKS)
        assert await row_of(env, job) == ("running", 1, 0)
        await stalled.scheduler.heartbeat.beat()
        assert await env.value("SELECT COUNT(*) FROM processes") == 2


@shared_database
async def test_a_process_that_lost_its_connection_and_signs_keeps_its_jobs(env):
    async with processes(env, 2) as (cut_off, watcher):
        job = await begun(env, cut_off)
        await seconds_pass(env, watcher, cut_off, looks=3 * LOOKS)
        assert await row_of(env, job) == ("running", 1, 0)


@shared_database
async def test_the_lock_is_held_again_after_the_connection_was_lost(env):
    async with processes(env, 2) as (stalled, watcher):
        await listen(stalled)
        await env.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND query LIKE '%pg_advisory_lock_shared%'"
            " AND pid <> pg_backend_pid()"
        )
        line = stalled.scheduler.signals._others._line
        await until(lambda: not line.listening)
        await until(lambda: line.listening)
        job = await begun(env, stalled)
        await seconds_pass(env, watcher)
        assert await row_of(env, job) == ("running", 1, 0)


@shared_database
async def test_who_was_taken_for_dead_drops_what_it_lost_and_keeps_what_it_claimed_since(env):
    async with processes(env, 2) as (frozen, other):
        before = frozen.scheduler.heartbeat.id
        await env.limit(env.acme, "jobs.concurrency", None, company=True)
        lost = await begun(env, frozen)
        await seconds_pass(env, other)
        since = await begun(env, frozen)
        await frozen.scheduler.heartbeat.beat()
        await frozen.scheduler.renewal.renew_if_due()
        assert frozen.scheduler.heartbeat.id != before
        await until(lambda: [job.id for job in frozen.scheduler._local.held] == [since.id])
        await seconds_pass(env, other)
        assert await row_of(env, lost) == ("scheduled", 1, 1)
        assert await row_of(env, since) == ("scheduled", 1, 1), "known under its new name, and dead again"


@shared_database
async def test_a_sign_given_in_the_last_moment_counts(env):
    async with processes(env, 2) as (slow, watcher):
        job = await begun(env, slow)
        recover_from = watcher.scheduler.recovery.recover_from
        found = []

        async def just_before(silent):
            found.append(silent)
            await slow.scheduler.heartbeat.beat()
            await recover_from(silent)

        watcher.scheduler.recovery.recover_from = just_before
        await seconds_pass(env, watcher)
        assert found
        assert await row_of(env, job) == ("running", 1, 0)


@shared_database
async def test_of_several_who_notice_a_death_one_takes_over(env):
    async with processes(env, 5) as (dead, *others):
        job = await begun(env, dead)
        for _ in range(LOOKS):
            env.clock.advance(seconds=1)
            for other in others:
                await other.scheduler.heartbeat.beat()
            await asyncio.gather(*(other.scheduler.recovery.recover() for other in others))
        assert await row_of(env, job) == ("scheduled", 1, 1)
        assert await env.value("SELECT COUNT(*) FROM processes") == 4


@shared_database
@BOTH_WAYS
async def test_a_clock_that_jumps_makes_nobody_dead(env, hours):
    async with env.more_databases(1) as (data,):
        watcher, time = on_a_database_clock(env, KIND)
        other = env.process(KIND, data=data)
        for process in (watcher, other):
            await process.scheduler.heartbeat.register()
        job = await begun(env, other)
        await seconds_pass(env, watcher, looks=2)
        time.ahead_ms += hours * HOUR_MS
        await seconds_pass(env, watcher, other, looks=LOOKS)
        assert await row_of(env, job) == ("running", 1, 0)
        await other.scheduler._local.wind_down(0)


@shared_database
async def test_a_process_that_leaves_is_looked_for_by_nobody(env, started):
    process = await started(env.process(KIND))
    assert await env.value("SELECT COUNT(*) FROM processes") == 1
    await process.scheduler.stop()
    assert await env.value("SELECT COUNT(*) FROM processes") == 0


@pytest.mark.hall_databases("sqlite")
async def test_who_owns_the_file_alone_gives_no_signs(env, started):
    process = await started(env.process(KIND))
    await begun(env, process)
    assert await env.value("SELECT COUNT(*) FROM processes") == 0
    await process.scheduler.wind_down(0)


async def test_silence_is_measured_by_whoever_could_have_heard(env):
    silent = env.process(KIND).scheduler.recovery.silent_processes
    assert [silent({"a": 1, "b": 1}, now) for now in (0, 1000, 2000, 3000, 4000)] == [[]] * 5
    assert silent({"a": 1, "b": 2}, 5000) == ["a"]
    assert silent({"a": 1, "b": 2}, 6000) == ["a"]
    assert silent({"b": 2}, 10_000) == [], "it has not looked for four seconds itself"
    assert [silent({"b": 2}, now) for now in (11_000, 12_000, 13_000, 14_000)] == [[]] * 4
    assert silent({"b": 2}, 15_000) == ["b"]
