"""Old jobs go a few at a time; whatever else a server does waits for none of it."""

import asyncio
from contextlib import suppress

import asyncpg
import pytest

from builtin_plugins.retention import ended_jobs
from builtin_plugins.retention.ended_jobs import KEEP_JOBS_DAYS
from guildhall_sdk import JobKind
from guildhall_testing.site_databases import opened_database
from kernel.clock import SystemClock
from kernel.scheduler.tests.scheduler_env import REMOTE, SchedulerEnv

KEPT_MS = KEEP_JOBS_DAYS.default * 24 * 3600 * 1000


async def test_an_ended_job_is_kept_for_a_month(env):
    process = env.process()
    await process.enqueue(env.acme)
    await process.complete(await process.claimed())
    live = await process.enqueue(env.acme)
    env.clock.advance(milliseconds=KEPT_MS - 1)
    await process.prune()
    assert await env.value("SELECT COUNT(*) FROM jobs") == 2
    env.clock.advance(minutes=10)
    await process.prune()
    assert [row["id"] for row in await env.rows("SELECT id FROM jobs")] == [live.id]


async def test_however_many_are_old_all_go(env, monkeypatch):
    monkeypatch.setattr(ended_jobs, "_FIRST_BATCH", 7)
    process = env.process()
    for job in await process.enqueue_many(env.acme, REMOTE, 30):
        await process.cancel(env.acme, job.id)
    env.clock.advance(milliseconds=KEPT_MS)
    await process.prune()
    assert await env.value("SELECT COUNT(*) FROM jobs") == 0


async def old_jobs(env, many):
    """So many that ended long ago."""
    await env.backlog(env.globex, REMOTE, many)
    await env.run("UPDATE jobs SET state = 'succeeded', finished_at = 0, id = 'job_00' || id")


async def left(env):
    return await env.value("SELECT COUNT(*) FROM jobs WHERE finished_at = 0")


async def test_what_is_not_over_yet_is_passed_by(env, monkeypatch):
    """However old it is, and however many of it lie before what may go."""
    monkeypatch.setattr(ended_jobs, "_FIRST_BATCH", 2)
    process = env.process()
    jobs = await process.enqueue_many(env.acme, REMOTE, 9)
    for job in jobs[5:]:
        await process.cancel(env.acme, job.id)
    env.clock.advance(milliseconds=KEPT_MS + 1)
    await process.prune()
    assert {row["id"] for row in await env.rows("SELECT id FROM jobs")} == {job.id for job in jobs[:5]}


async def test_a_batch_that_takes_long_is_followed_by_a_shorter_one(env):
    prunes = ended_jobs.EndedJobs(env.process().ended_jobs)
    sizes = []
    for took in (0.001, 0.001, 0.03, 0.03, 0.015, *[1.0] * 10, *[0.0] * 20):
        prunes._adapt(took, 500)
        sizes.append(prunes._batch)
    assert sizes[:5] == [100, 200, 100, 50, 50]
    assert min(sizes) == 1
    assert sizes[-1] == 500


SLOW_DELETES = {
    "sqlite": [
        "CREATE TABLE slowness (n INTEGER)",
        "INSERT INTO slowness WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number "
        "WHERE n < 300) SELECT n FROM number",
        "CREATE TRIGGER slow_deletes BEFORE DELETE ON jobs BEGIN "
        "SELECT COUNT(*) FROM slowness AS a, slowness AS b WHERE a.n + b.n = -1; END",
    ],
    "postgresql": [
        "CREATE FUNCTION slowly() RETURNS TRIGGER LANGUAGE plpgsql AS "
        "$$ BEGIN PERFORM pg_sleep(0.003); RETURN OLD; END $$",
        "CREATE TRIGGER slow_deletes BEFORE DELETE ON jobs FOR EACH ROW EXECUTE FUNCTION slowly()",
    ],
}


@pytest.fixture
async def own_env(hall_sites, hall_database):
    """An environment of its own, whose tables may be changed."""
    async with hall_sites.lease(hall_database) as site, opened_database(site) as data:
        yield await SchedulerEnv(site, data).cleared()


async def runs_on_while_it_prunes(env, lease_seconds):
    """A job whose lease has been renewed for as long again as it was, and which was begun once."""
    may_end, began = asyncio.Event(), []

    async def work(job):
        began.append(job.attempt)
        await may_end.wait()

    kind = JobKind("x.toy.local", "Here.", handler=work)
    process = env.process(kind, lease_seconds=lease_seconds, clock=SystemClock())
    job = await process.enqueue(env.acme, kind.name)
    await process.scheduler.start()
    pruning_task = asyncio.create_task(process.prune())
    try:
        first = last = None
        while last is None or last < first + 1000 * lease_seconds:
            last = await env.value("SELECT lease_until FROM jobs WHERE id = :id", id=job.id)
            first = first or last
            assert len(began) < 2, "it was called lost"
            await asyncio.sleep(0.01)
        may_end.set()
        done = await process.scheduler.wait_for_end(env.acme.id, job.id, 30)
        assert (done.state, done.attempt) == ("succeeded", 1)
    finally:
        may_end.set()
        pruning_task.cancel()
        with suppress(asyncio.CancelledError):
            await pruning_task
        await process.scheduler.stop()


async def test_a_prune_that_takes_its_time_holds_up_no_lease(own_env):
    for text in SLOW_DELETES[own_env.database]:
        await own_env.run(text)
    await old_jobs(own_env, 5_000)
    await runs_on_while_it_prunes(own_env, lease_seconds=2)
    assert 0 < await left(own_env) < 5_000, "it went on all the while"


@pytest.mark.hall_databases("postgresql")
async def test_a_prune_waits_for_no_row_that_somebody_holds(env):
    await old_jobs(env, 20)
    other = await asyncpg.connect(env.site.database_url)
    try:
        async with other.transaction():
            await other.execute("SELECT 1 FROM jobs WHERE finished_at = 0 LIMIT 1 FOR UPDATE")
            await runs_on_while_it_prunes(env, lease_seconds=2)
            assert await left(env) == 1
    finally:
        await other.close()


@pytest.mark.hall_databases("postgresql")
async def test_processes_that_prune_at_once_do_each_other_no_harm(env):
    await old_jobs(env, 500)
    async with env.more_databases(4) as databases:
        processes = [env.process(data=data) for data in databases]
        while await left(env):
            await asyncio.gather(*(process.prune() for process in processes))
