"""Whoever waits for a job's end is told of it, wherever it ends, and nobody looks for each of them."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from kernel.scheduler.tests.scheduler_env import REMOTE, until
from libs.coordination import ends

LONG = 60


@pytest.fixture
def no_looking(monkeypatch):
    """Only what is told is heard."""
    monkeypatch.setattr(ends, "LOOK_SECONDS", 1e9)


def wait_for(process, team, job, seconds=LONG):
    return asyncio.create_task(process.scheduler.wait_for_end(team.id, job.id, seconds))


async def until_waited_for(process, *jobs):
    """Each has been looked at, and had not ended then."""
    await until(lambda: all(job.id in process.scheduler.signals.end_watch._waiting for job in jobs))
    await until(lambda: process.scheduler.signals.end_watch._looking)


async def test_who_waits_for_an_end_hears_of_it(env, started, no_looking):
    process = await started(env.process())
    job = await process.enqueue(env.acme)
    held = await process.claimed()
    looking = asyncio.create_task(process.scheduler.wait_for_end(env.acme.id, job.id, LONG))
    await asyncio.sleep(0)
    await process.complete(held, 5)
    assert (await asyncio.wait_for(looking, LONG)).result == 5
    running = await process.enqueue(env.acme)
    assert (await process.scheduler.wait_for_end(env.acme.id, running.id, 0)).state == "queued"
    assert await process.scheduler.wait_for_end(env.globex.id, job.id, LONG) is None


async def test_many_who_wait_cost_one_look_for_all_of_them(env, started, monkeypatch):
    monkeypatch.setattr(ends, "LOOK_SECONDS", 0.01)
    process = await started(env.process())
    jobs = await process.enqueue_many(env.acme, REMOTE, 20)
    gets, looks = [], []
    watch = process.scheduler.signals.end_watch
    get, find_ended = process.scheduler.get, watch._find_ended

    async def counted_get(*told):
        gets.append(told)
        return await get(*told)

    async def counted_look(ids):
        looks.append({*ids})
        return await find_ended(ids)

    monkeypatch.setattr(process.scheduler, "get", counted_get)
    waits = [wait_for(process, env.acme, job) for job in jobs]
    await until_waited_for(process, *jobs)
    monkeypatch.setattr(watch, "_find_ended", counted_look)
    await until(lambda: len(looks) >= 10)
    assert len(gets) == 20, "each of them looked again by itself"
    assert all(ids == {job.id for job in jobs} for ids in looks)
    for job in jobs:
        await process.cancel(env.acme, job.id)
    assert {job.state for job in await asyncio.gather(*waits)} == {"cancelled"}


async def test_an_end_that_no_word_told_of_is_found_by_looking(env, started, monkeypatch):
    monkeypatch.setattr(ends, "LOOK_SECONDS", 0.01)
    process = await started(env.process())
    job = await process.enqueue(env.acme)
    wait = wait_for(process, env.acme, job)
    await until_waited_for(process, job)
    await env.run("UPDATE jobs SET state = 'succeeded', finished_at = 1")
    assert (await asyncio.wait_for(wait, LONG)).state == "succeeded"


async def test_a_look_that_fails_is_followed_by_another(env, started, monkeypatch):
    monkeypatch.setattr(ends, "LOOK_SECONDS", 0.01)
    process = await started(env.process())
    job = await process.enqueue(env.acme)
    look, failures = process.scheduler.signals.end_watch._poll, iter([True])

    async def fails_once():
        if next(failures, False):
            raise ConnectionError("not just now")
        await look()

    monkeypatch.setattr(process.scheduler.signals.end_watch, "_poll", fails_once)
    wait = wait_for(process, env.acme, job)
    await until_waited_for(process, job)
    await env.run("UPDATE jobs SET state = 'failed', finished_at = 1")
    assert (await asyncio.wait_for(wait, LONG)).state == "failed"


async def test_a_retry_is_no_end(env, started, no_looking):
    process = await started(env.process())
    job = await process.enqueue(env.acme)
    wait = wait_for(process, env.acme, job)
    await until_waited_for(process, job)
    await process.fail(await process.claimed())
    assert not wait.done()
    env.clock.advance(minutes=1)
    await process.tick()
    await process.complete(await process.claimed(), "well")
    assert (await asyncio.wait_for(wait, LONG)).result == "well"


async def test_a_job_that_was_called_off_while_somebody_held_it_ends_for_whoever_waits(
    env, started, no_looking
):
    process = await started(env.process())
    job = await process.enqueue(env.acme)
    held = await process.claimed()
    wait = wait_for(process, env.acme, job)
    await until_waited_for(process, job)
    await process.cancel(env.acme, job.id)
    await process.scheduler.claimer.give_back([{"id": held.id, "claim_token": held.claim_token}])
    assert (await asyncio.wait_for(wait, LONG)).state == "cancelled"


@asynccontextmanager
async def two_processes(env, started):
    async with env.more_databases(2) as databases:
        here, there = [await started(env.process(data=data)) for data in databases]
        for process in (here, there):
            await until(lambda process=process: process.scheduler.signals._others._line.listening)
        try:
            yield here, there
        finally:
            await asyncio.gather(here.scheduler.stop(), there.scheduler.stop())


@pytest.mark.hall_databases("postgresql")
async def test_an_end_in_another_process_is_heard_of(env, started, no_looking):
    async with two_processes(env, started) as (here, there):
        done = await here.enqueue(env.acme)
        held = await there.claimed()
        cancelled = await here.enqueue(env.acme)
        waits = [wait_for(here, env.acme, job) for job in (done, cancelled)]
        await until(lambda: len(there.scheduler.signals.end_watch._wanted_elsewhere) == 2)
        await there.complete(held)
        await there.cancel(env.acme, cancelled.id)
        ended = await asyncio.wait_for(asyncio.gather(*waits), LONG)
        assert [job.state for job in ended] == ["succeeded", "cancelled"]


@pytest.mark.hall_databases("postgresql")
async def test_an_end_is_heard_of_by_whoever_begins_to_wait_in_the_same_moment(env, started, no_looking):
    """The job ends after it was looked at, and before the other process knows that somebody waits."""
    async with two_processes(env, started) as (here, there):
        job = await here.enqueue(env.acme)
        held = await there.claimed()
        get = here.scheduler.get

        async def looked_at_just_before(*told):
            found = await get(*told)
            if found.state == "running":
                await there.complete(held)
            return found

        here.scheduler.get = looked_at_just_before
        wait = wait_for(here, env.acme, job)
        assert (await asyncio.wait_for(wait, LONG)).state == "succeeded"


@pytest.mark.hall_databases("postgresql")
async def test_ends_that_nobody_waits_for_are_told_to_nobody(env, started, no_looking):
    async with two_processes(env, started) as (here, there):
        told = []
        here.scheduler.signals.end_watch._ends.on_message = told.append
        await env.limit(env.acme, "jobs.concurrency", None, company=True)
        for _ in await there.enqueue_many(env.acme, REMOTE, 5):
            await there.complete(await there.claimed())
        last = await there.enqueue(env.acme)
        held = await there.claimed()
        wait = wait_for(here, env.acme, last)
        await until(lambda: there.scheduler.signals.end_watch._wanted_elsewhere)
        await there.complete(held)
        await until(lambda: told)
        assert told == [last.id]
        here.scheduler.signals.end_watch.close()
        await wait


async def test_what_is_remembered_for_others_is_bounded(env, monkeypatch):
    monkeypatch.setattr(ends, "_MAX_REMEMBERED", 3)
    watch = env.process().scheduler.signals.end_watch
    watch._shared = True
    watch.notify(f"job_{n}" for n in range(10))
    for n in range(20, 30):
        watch._on_wait_elsewhere(f"job_{n}")
    assert list(watch._ended_lately) == ["job_7", "job_8", "job_9"]
    assert list(watch._wanted_elsewhere) == ["job_27", "job_28", "job_29"]


async def test_when_the_server_stops_whoever_waits_gets_the_job_as_it_is(env, no_looking):
    process = env.process()
    await process.scheduler.start()
    job = await process.enqueue(env.acme)
    waits = [wait_for(process, env.acme, job) for _ in range(3)]
    await until_waited_for(process, job)
    await process.scheduler.wind_down(0)
    assert [found.state for found in await asyncio.wait_for(asyncio.gather(*waits), LONG)] == ["queued"] * 3
    late = wait_for(process, env.acme, job)
    assert (await asyncio.wait_for(late, LONG)).state == "queued"
    await process.scheduler.stop()
