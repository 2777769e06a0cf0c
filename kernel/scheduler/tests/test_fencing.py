"""Only whoever holds a job is believed: tokens, leases, and every order in which things can cross."""

import asyncio
from itertools import permutations
from random import Random

import pytest

from guildhall_sdk import Conflict, JobKind, NotFound
from guildhall_sdk.services.jobs import Worker
from kernel.scheduler.completion import End, ReportOutcome
from kernel.scheduler.core import Core
from kernel.scheduler.tests.scheduler_env import LEASE_SECONDS, REMOTE, WORKER


async def whole_row(env, job_id):
    [row] = await env.rows("SELECT * FROM jobs WHERE id = :id", id=job_id)
    return row


async def assert_refused(env, job_id, report):
    """A stale claim, and nothing is changed."""
    before = await whole_row(env, job_id)
    with pytest.raises(Conflict) as caught:
        await report
    assert caught.value.code == "stale_claim"
    assert await whole_row(env, job_id) == before


async def test_a_completion_lands_once_and_may_be_repeated(env):
    process = env.process()
    job = await process.enqueue(env.acme)
    claimed = await process.claimed()
    await process.complete(claimed, {"n": 1})
    landed = await whole_row(env, job.id)
    await process.complete(claimed, {"n": 2})
    assert await whole_row(env, job.id) == landed
    done = await process.job(env.acme, job.id)
    assert (done.state, done.result, done.progress, done.attempt) == ("succeeded", {"n": 1}, 1.0, 1)


async def test_a_failure_may_be_repeated_but_not_turned_into_a_success(env):
    process = env.process()
    job = await process.enqueue(env.acme)
    claimed = await process.claimed()
    await process.fail(claimed, retry=False)
    await process.fail(claimed, retry=False)
    await assert_refused(env, job.id, process.complete(claimed))
    assert (await process.job(env.acme, job.id)).state == "failed"


async def test_a_failed_attempt_may_be_repeated_while_its_job_waits_for_the_next(env):
    process = env.process()
    job = await process.enqueue(env.acme)
    claimed = await process.claimed()
    await process.fail(claimed)
    waiting = await whole_row(env, job.id)
    await process.fail(claimed)
    assert await whole_row(env, job.id) == waiting
    await assert_refused(env, job.id, process.complete(claimed))


@pytest.mark.parametrize("token", [None, "", "1", "1.", "2.ffffff", "..", "999999999999.a", "x" * 5000])
async def test_a_token_that_is_not_the_current_one_changes_nothing(env, token):
    process = env.process()
    job = await process.enqueue(env.acme)
    await process.claimed()
    scheduler = process.scheduler
    await assert_refused(env, job.id, scheduler.workers.heartbeat(WORKER, job.id, token, 0.5))
    await assert_refused(env, job.id, scheduler.workers.complete(WORKER, job.id, token, {"n": 1}))
    await assert_refused(env, job.id, scheduler.workers.fail(WORKER, job.id, token, "c", "m", retry=True))


@pytest.mark.parametrize("verb", ["heartbeat", "complete", "fail"])
async def test_a_lease_that_is_over_lets_nothing_land_even_before_anybody_noticed(env, verb):
    process = env.process()
    job = await process.enqueue(env.acme)
    claimed = await process.claimed()
    env.clock.advance(seconds=LEASE_SECONDS)
    await assert_refused(env, job.id, getattr(process, verb)(claimed))


async def test_what_the_attempt_before_said_does_not_speak_for_a_late_one(env):
    process = env.process()
    job = await process.enqueue(env.acme)
    await process.fail(await process.claimed())
    env.clock.advance(minutes=1)
    await process.tick()
    second = await process.claimed()
    env.clock.advance(seconds=LEASE_SECONDS)
    await assert_refused(env, job.id, process.fail(second))


async def test_a_heartbeat_keeps_a_job_for_another_lease(env):
    process = env.process()
    await process.enqueue(env.acme)
    claimed = await process.claimed()
    for _ in range(5):
        env.clock.advance(seconds=LEASE_SECONDS - 1)
        await process.heartbeat(claimed, 0.5)
        await process.tick()
    await process.complete(claimed)
    assert (await process.job(env.acme, claimed.id)).attempt == 1


async def test_progress_is_shown_and_a_heartbeat_without_leaves_it(env):
    process = env.process()
    await process.enqueue(env.acme)
    claimed = await process.claimed()
    await process.heartbeat(claimed, 0.25)
    await process.heartbeat(claimed)
    assert (await process.job(env.acme, claimed.id)).progress == 0.25


async def test_a_worker_of_another_company_or_team_sees_no_job(env):
    process = env.process()
    job = await process.enqueue(env.acme)
    claimed = await process.claimed()
    for stranger in (
        Worker("exe_1", "globex", org_id=env.globex.org_id),
        Worker("exe_2", "second", org_id=env.acme.org_id, team_id=env.acme_second.id),
    ):
        before = await whole_row(env, job.id)
        with pytest.raises(NotFound):
            await process.complete(claimed, worker=stranger)
        with pytest.raises(NotFound):
            await process.scheduler.workers.heartbeat(stranger, job.id, claimed.claim_token)
        assert await whole_row(env, job.id) == before


class Expected:
    """What every step should answer, told in a few lines: who holds it, and which report landed last."""

    def __init__(self):
        self.holder, self.landed, self.state = 1, None, "running"

    def report(self, who, verb):
        if self.holder == who and self.state == "running":
            self.holder, self.landed = None, (who, verb)
            self.state = "succeeded" if verb == "complete" else "queued"
            return True
        return self.landed == (who, verb)

    def lapse(self):
        if self.state == "running":
            self.holder, self.landed, self.state = None, None, "queued"

    def reclaim(self):
        if self.state != "queued":
            return False
        self.holder, self.landed, self.state = 2, None, "running"
        return True


async def in_this_order(env, order):
    process, expected = env.process(), Expected()
    job = await process.enqueue(env.acme, max_attempts=50)
    tokens = {1: await process.claimed(), 2: None}
    for position, step in enumerate(order):
        told = f"{step} at {position} of {order}"
        verb, _, who = step.partition(" ")
        if verb == "lapse":
            env.clock.advance(seconds=LEASE_SECONDS)
            await process.tick()
            expected.lapse()
        elif verb == "reclaim":
            env.clock.advance(seconds=LEASE_SECONDS / 2)
            await process.tick()
            taken = await process.claim()
            tokens[2] = taken or tokens[2]
            assert (taken is not None) == expected.reclaim(), told
        elif tokens[int(who)] is not None:
            try:
                await getattr(process, verb)(tokens[int(who)])
                answer = True
            except Conflict:
                answer = False
            assert answer == expected.report(int(who), verb), told
        assert (await process.job(env.acme, job.id)).state == expected.state, told
    await env.run("DELETE FROM jobs")


@pytest.mark.parametrize("most", [12, pytest.param(120, marks=pytest.mark.long_form)])
@pytest.mark.parametrize("report", ["complete 1", "fail 1"])
async def test_complete_lapse_and_reclaim_in_any_order_let_one_attempt_land(env, report, most):
    """The first holder reports twice and at any time; the second holder's attempt is never touched by it.

    On SQLite, where a step is quick, in every order; elsewhere in some, and in every one in the long form.
    """
    orders = sorted(set(permutations(["complete 1", report, "lapse", "reclaim", "complete 2"])))
    if env.database != "sqlite" and most < len(orders):
        orders = Random(report).sample(orders, most)
    for order in orders:
        await in_this_order(env, order)


async def test_the_old_token_is_refused_after_a_reclaim_and_the_new_holder_goes_on(env):
    process = env.process()
    job = await process.enqueue(env.acme)
    first = await process.claimed()
    env.clock.advance(seconds=LEASE_SECONDS)
    await process.tick()
    env.clock.advance(minutes=1)
    await process.tick()
    second = await process.claimed()
    assert (second.id, second.attempt) == (job.id, 2)
    for verb in (process.heartbeat, process.complete, process.fail):
        await assert_refused(env, job.id, verb(first))
    await process.complete(second, {"by": 2})
    await assert_refused(env, job.id, process.complete(first, {"by": 1}))
    assert (await process.job(env.acme, job.id)).result == {"by": 2}


async def test_two_reports_in_one_batch_count_as_one(env):
    process = env.process()
    await process.enqueue(env.acme)
    claimed = await process.claimed()
    report = process.scheduler._endings.report
    ends = [End(claimed.id, claimed.claim_token, "complete", result=str(n)) for n in range(3)]
    outcomes = await asyncio.gather(*map(report, ends))
    assert outcomes == [ReportOutcome.ACCEPTED, ReportOutcome.DUPLICATE, ReportOutcome.DUPLICATE]
    assert (await process.job(env.acme, claimed.id)).result == 0


async def test_of_a_success_and_a_failure_reported_at_once_one_is_refused(env):
    process = env.process()
    await process.enqueue(env.acme)
    claimed = await process.claimed()
    reports = await asyncio.gather(
        process.complete(claimed), process.fail(claimed, retry=False), return_exceptions=True
    )
    assert sorted(type(one).__name__ for one in reports) == ["Conflict", "NoneType"]
    expected = "succeeded" if reports[0] is None else "failed"
    assert (await process.job(env.acme, claimed.id)).state == expected


async def test_completions_race_with_the_reaper_of_another_process(env):
    """Whichever is first, the job either succeeded or is free for the next attempt."""
    async with env.more_databases(2) as (here, there):
        worker, reaper = env.process(data=here), env.process(data=there)
        await worker.enqueue_many(env.acme, REMOTE, 30, max_attempts=50)
        await env.limit(env.acme, "jobs.concurrency", None, company=True)
        claimed = [await worker.claimed() for _ in range(30)]
        half = len(claimed) // 2
        # The leases of half of them are over, for the reaper and for the completion alike.
        await env.run(
            "UPDATE jobs SET lease_until = 1 WHERE id IN (SELECT id FROM jobs ORDER BY id LIMIT :half)",
            half=half,
        )
        reports = asyncio.gather(*(worker.complete(job) for job in claimed), return_exceptions=True)
        _, told = await asyncio.gather(reaper.tick(), reports)
        for job, answer in zip(claimed, told, strict=True):
            state = (await worker.job(env.acme, job.id)).state
            assert state == ("succeeded" if answer is None else "queued"), (answer, state)
        assert sum(answer is None for answer in told) == len(claimed) - half


async def test_an_attempt_that_lost_its_job_has_no_effect(env):
    """A local attempt goes on after its lease was over: its effect does not happen, the next one's does."""
    effects, go_on = [], asyncio.Event()

    async def work(job):
        async def effect(_writer):
            effects.append(job.attempt)

        job.on_success(effect)
        if job.attempt == 1:
            await go_on.wait()
        return job.attempt

    process = env.process(JobKind("x.toy.slow", "Waits.", handler=work))
    job = await process.enqueue(env.acme, "x.toy.slow")
    assert await process.scheduler.claimer.claim_round() == 1
    await asyncio.sleep(0)
    env.clock.advance(seconds=LEASE_SECONDS)
    other = env.process(JobKind("x.toy.slow", "Waits.", handler=work))
    await other.tick()
    env.clock.advance(minutes=1)
    await other.drain()
    assert (await other.job(env.acme, job.id)).result == 2
    go_on.set()
    await process.drain()
    assert effects == [2]
    assert (await other.job(env.acme, job.id)).result == 2


async def test_a_frozen_process_that_wakes_drops_what_it_lost(env):
    stopped = []

    async def work(job):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.append(job.attempt)
            raise

    kind = JobKind("x.toy.endless", "Never ends.", handler=work)
    process = env.process(kind)
    await process.enqueue(env.acme, kind.name)
    await process.scheduler.claimer.claim_round()
    await asyncio.sleep(0)
    env.clock.advance(seconds=LEASE_SECONDS + 1)
    await env.process(kind).tick()
    await process.tick()
    await process.scheduler._local.idle()
    assert stopped == [1]


async def at_a_long_job(env):
    """A process, the job that it is at, and what lets that end."""
    go_on = asyncio.Event()

    async def work(_job):
        await go_on.wait()

    kind = JobKind("x.toy.long", "Waits.", handler=work)
    process = env.process(kind)
    job = await process.enqueue(env.acme, kind.name)
    await process.scheduler.claimer.claim_round()
    return process, job, go_on


async def test_a_process_that_stood_still_keeps_what_nobody_has_taken(env):
    """It renews before it calls anybody lost, itself included."""
    process, job, go_on = await at_a_long_job(env)
    env.clock.advance(seconds=LEASE_SECONDS * 3)
    await process.scheduler.upkeep.tick()
    go_on.set()
    await process.drain()
    found = await process.job(env.acme, job.id)
    assert (found.state, found.attempt) == ("succeeded", 1)


async def test_a_process_that_stood_still_as_it_renewed_keeps_what_nobody_has_taken(env, monkeypatch):
    """What it wrote last is over by then, however short a time ago that seems to be."""
    process, job, go_on = await at_a_long_job(env)
    extend = Core.extend_leases

    async def extend_and_stand_still(core, *given, **named):
        extended = await extend(core, *given, **named)
        env.clock.advance(seconds=LEASE_SECONDS)
        return extended

    env.clock.advance(seconds=LEASE_SECONDS / 2)
    with monkeypatch.context() as patch:
        patch.setattr(Core, "extend_leases", extend_and_stand_still)
        await process.scheduler.renewal.renew_if_due()
    await process.scheduler.upkeep.tick()
    go_on.set()
    await process.drain()
    found = await process.job(env.acme, job.id)
    assert (found.state, found.attempt) == ("succeeded", 1)


async def test_a_local_job_keeps_its_lease_for_as_long_as_it_runs(env):
    go_on = asyncio.Event()

    async def work(_job):
        await go_on.wait()

    kind = JobKind("x.toy.long", "Takes hours.", handler=work)
    process = env.process(kind)
    job = await process.enqueue(env.acme, kind.name)
    await process.scheduler.claimer.claim_round()
    for _ in range(10):
        env.clock.advance(seconds=LEASE_SECONDS / 2)
        await process.tick()
    go_on.set()
    await process.drain()
    found = await process.job(env.acme, job.id)
    assert (found.state, found.attempt) == ("succeeded", 1)


async def test_an_effect_that_fails_takes_its_success_along(env):
    async def work(job):
        async def effect(writer):
            raise ValueError("not today")

        job.on_success(effect)
        return "done"

    kind = JobKind("x.toy.effect", "Fails at the end.", handler=work)
    process = env.process(kind)
    job = await process.enqueue(env.acme, kind.name, max_attempts=1)
    await process.drain()
    found = await process.job(env.acme, job.id)
    assert (found.state, found.result, found.error.code) == ("failed", None, "internal")


async def test_a_report_that_was_durable_before_its_answer_got_lost_runs_no_effect_twice(env):
    process = env.process()
    await process.enqueue(env.acme)
    claimed = await process.claimed()
    effects = []

    async def effect(_writer):
        effects.append(1)

    endings = process.scheduler._endings
    end = End(claimed.id, claimed.claim_token, "complete", result="1")
    assert await endings.report(end, effect) is ReportOutcome.ACCEPTED
    assert await endings.report(end, effect) is ReportOutcome.DUPLICATE
    assert effects == [1]


async def test_a_local_jobs_progress_is_shown_and_not_written_every_time(env):
    calls, steps = asyncio.Queue(), asyncio.Queue()

    async def work(job):
        while (fraction := await steps.get()) is not None:
            await job.progress(fraction)
            calls.put_nowait(fraction)

    process = env.process(JobKind("x.toy.long", "Goes on.", handler=work))
    job = await process.enqueue(env.acme, "x.toy.long")
    await process.scheduler.claimer.claim_round()

    async def shown_after(fraction):
        steps.put_nowait(fraction)
        await calls.get()
        return (await process.job(env.acme, job.id)).progress

    assert await shown_after(0.25) == 0.25
    before = env.data.write_scopes
    assert [await shown_after(fraction) for fraction in (0.3, 0.4, 0.5)] == [0.25] * 3
    assert env.data.write_scopes == before
    env.clock.advance(seconds=1)
    assert await shown_after(7) == 1.0
    steps.put_nowait(None)
    await process.drain()


async def test_a_job_that_names_two_effects_fails(env):
    async def effect(_writer):
        return None

    async def work(job):
        job.on_success(effect)
        job.on_success(effect)

    process = env.process(JobKind("x.toy.two", "Two effects.", handler=work))
    job = await process.enqueue(env.acme, "x.toy.two", max_attempts=1)
    await process.drain()
    assert (await process.job(env.acme, job.id)).state == "failed"
