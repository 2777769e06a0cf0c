"""Stopping a job whose process is gone before it could obey."""

import asyncio

from guildhall_sdk import JobKind
from kernel.scheduler.tests.scheduler_env import LEASE_SECONDS, until


async def test_a_job_that_was_to_be_stopped_is_cancelled_when_its_process_is_lost(env):
    """Also at its last attempt, where it would have failed."""
    begun = asyncio.Event()

    async def wait(job):
        begun.set()
        await asyncio.Event().wait()

    kind = JobKind("x.toy.waits", "Waits.", handler=wait, stoppable=True, max_attempts=1)
    lost, other = env.process(kind), env.process(kind)
    job = await lost.enqueue(env.acme, kind.name)
    await lost.scheduler.claimer.claim_round()
    await begun.wait()
    async with env.data.write() as writer:
        await other.scheduler.stop_running(writer, env.acme.id, job.id)
    env.clock.advance(seconds=LEASE_SECONDS + 1)
    await other.tick()
    assert (await other.job(env.acme, job.id)).state == "cancelled"
    await lost.scheduler.wind_down(0)
    await until(lambda: not lost.scheduler._local.held)
    assert (await other.job(env.acme, job.id)).state == "cancelled"
