"""Only whoever holds a job is believed: tokens, leases, and every order in which things can cross."""

import asyncio
from itertools import permutations
from random import Random

import pytest

from guildhall_sdk import Conflict, JobKind, NotFound
from guildhall_sdk.services.jobs import Worker
from kernel.scheduler.completion import End, ReportOutcome
from kernel.scheduler.tests.workshop import LEASE_SECONDS, REMOTE, WORKER


async def whole_row(workshop, job_id):
    [row] = await workshop.rows("SELECT * FROM jobs WHERE id = :id", id=job_id)
    return row


async def assert_refused(workshop, job_id, report):
    """A stale claim, and nothing is changed."""
    before = await whole_row(workshop, job_id)
    with pytest.raises(Conflict) as caught:
        await report
    assert caught.value.code == "stale_claim"
    assert await whole_row(workshop, job_id) == before


async def test_a_completion_lands_once_and_may_be_repeated(workshop):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme)
    claimed = await wrench.claimed()
    await wrench.complete(claimed, {"n": 1})
    landed = await whole_row(workshop, job.id)
    await wrench.complete(claimed, {"n": 2})
    assert await whole_row(workshop, job.id) == landed
    done = await wrench.job(workshop.acme, job.id)
    assert (done.state, done.result, done.progress, done.attempt) == ("succeeded", {"n": 1}, 1.0, 1)


async def test_a_failure_may_be_repeated_but_not_turned_into_a_success(workshop):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme)
    claimed = await wrench.claimed()
    await wrench.fail(claimed, retry=False)
    await wrench.fail(claimed, retry=False)
    await assert_refused(workshop, job.id, wrench.complete(claimed))
    assert (await wrench.job(workshop.acme, job.id)).state == "failed"


async def test_a_failed_attempt_may_be_repeated_while_its_job_waits_for_the_next(workshop):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme)
    claimed = await wrench.claimed()
    await wrench.fail(claimed)
    waiting = await whole_row(workshop, job.id)
    await wrench.fail(claimed)
    assert await whole_row(workshop, job.id) == waiting
    await assert_refused(workshop, job.id, wrench.complete(claimed))


@pytest.mark.parametrize("token", [None, "", "1", "1.", "2.ffffff", "..", "999999999999.a", "x" * 5000])
async def test_a_token_that_is_not_the_current_one_changes_nothing(workshop, token):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme)
    await wrench.claimed()
    scheduler = wrench.scheduler
    await assert_refused(workshop, job.id, scheduler.workers.heartbeat(WORKER, job.id, token, 0.5))
    await assert_refused(workshop, job.id, scheduler.workers.complete(WORKER, job.id, token, {"n": 1}))
    await assert_refused(
        workshop, job.id, scheduler.workers.fail(WORKER, job.id, token, "c", "m", retry=True)
    )


@pytest.mark.parametrize("verb", ["heartbeat", "complete", "fail"])
async def test_a_lease_that_is_over_lets_nothing_land_even_before_anybody_noticed(workshop, verb):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme)
    claimed = await wrench.claimed()
    workshop.clock.advance(seconds=LEASE_SECONDS)
    await assert_refused(workshop, job.id, getattr(wrench, verb)(claimed))


async def test_what_the_attempt_before_said_does_not_speak_for_a_late_one(workshop):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme)
    await wrench.fail(await wrench.claimed())
    workshop.clock.advance(minutes=1)
    await wrench.tick()
    second = await wrench.claimed()
    workshop.clock.advance(seconds=LEASE_SECONDS)
    await assert_refused(workshop, job.id, wrench.fail(second))


async def test_a_heartbeat_keeps_a_job_for_another_lease(workshop):
    wrench = workshop.wrench()
    await wrench.enqueue(workshop.acme)
    claimed = await wrench.claimed()
    for _ in range(5):
        workshop.clock.advance(seconds=LEASE_SECONDS - 1)
        await wrench.heartbeat(claimed, 0.5)
        await wrench.tick()
    await wrench.complete(claimed)
    assert (await wrench.job(workshop.acme, claimed.id)).attempt == 1


async def test_progress_is_shown_and_a_heartbeat_without_leaves_it(workshop):
    wrench = workshop.wrench()
    await wrench.enqueue(workshop.acme)
    claimed = await wrench.claimed()
    await wrench.heartbeat(claimed, 0.25)
    await wrench.heartbeat(claimed)
    assert (await wrench.job(workshop.acme, claimed.id)).progress == 0.25


async def test_a_worker_of_another_company_or_team_sees_no_job(workshop):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme)
    claimed = await wrench.claimed()
    for stranger in (
        Worker("exe_1", "globex", org_id=workshop.globex.org_id),
        Worker("exe_2", "second", org_id=workshop.acme.org_id, team_id=workshop.acme_second.id),
    ):
        before = await whole_row(workshop, job.id)
        with pytest.raises(NotFound):
            await wrench.complete(claimed, worker=stranger)
        with pytest.raises(NotFound):
            await wrench.scheduler.workers.heartbeat(stranger, job.id, claimed.claim_token)
        assert await whole_row(workshop, job.id) == before


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


async def in_this_order(workshop, order):
    wrench, expected = workshop.wrench(), Expected()
    job = await wrench.enqueue(workshop.acme, max_attempts=50)
    tokens = {1: await wrench.claimed(), 2: None}
    for position, step in enumerate(order):
        told = f"{step} at {position} of {order}"
        verb, _, who = step.partition(" ")
        if verb == "lapse":
            workshop.clock.advance(seconds=LEASE_SECONDS)
            await wrench.tick()
            expected.lapse()
        elif verb == "reclaim":
            workshop.clock.advance(seconds=LEASE_SECONDS / 2)
            await wrench.tick()
            taken = await wrench.claim()
            tokens[2] = taken or tokens[2]
            assert (taken is not None) == expected.reclaim(), told
        elif tokens[int(who)] is not None:
            try:
                await getattr(wrench, verb)(tokens[int(who)])
                answer = True
            except Conflict:
                answer = False
            assert answer == expected.report(int(who), verb), told
        assert (await wrench.job(workshop.acme, job.id)).state == expected.state, told
    await workshop.run("DELETE FROM jobs")


@pytest.mark.parametrize("most", [12, pytest.param(120, marks=pytest.mark.long_form)])
@pytest.mark.parametrize("report", ["complete 1", "fail 1"])
async def test_complete_lapse_and_reclaim_in_any_order_let_one_attempt_land(workshop, report, most):
    """The first holder reports twice and at any time; the second holder's attempt is never touched by it.

    On SQLite, where a step is quick, in every order; elsewhere in some, and in every one in the long form.
    """
    orders = sorted(set(permutations(["complete 1", report, "lapse", "reclaim", "complete 2"])))
    if workshop.database != "sqlite" and most < len(orders):
        orders = Random(report).sample(orders, most)
    for order in orders:
        await in_this_order(workshop, order)


async def test_the_old_token_is_refused_after_a_reclaim_and_the_new_holder_goes_on(workshop):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme)
    first = await wrench.claimed()
    workshop.clock.advance(seconds=LEASE_SECONDS)
    await wrench.tick()
    workshop.clock.advance(minutes=1)
    await wrench.tick()
    second = await wrench.claimed()
    assert (second.id, second.attempt) == (job.id, 2)
    for verb in (wrench.heartbeat, wrench.complete, wrench.fail):
        await assert_refused(workshop, job.id, verb(first))
    await wrench.complete(second, {"by": 2})
    await assert_refused(workshop, job.id, wrench.complete(first, {"by": 1}))
    assert (await wrench.job(workshop.acme, job.id)).result == {"by": 2}


async def test_two_reports_in_one_batch_count_as_one(workshop):
    wrench = workshop.wrench()
    await wrench.enqueue(workshop.acme)
    claimed = await wrench.claimed()
    report = wrench.scheduler._endings.report
    ends = [End(claimed.id, claimed.claim_token, "complete", result=str(n)) for n in range(3)]
    outcomes = await asyncio.gather(*map(report, ends))
    assert outcomes == [ReportOutcome.ACCEPTED, ReportOutcome.DUPLICATE, ReportOutcome.DUPLICATE]
    assert (await wrench.job(workshop.acme, claimed.id)).result == 0


async def test_of_a_success_and_a_failure_reported_at_once_one_is_refused(workshop):
    wrench = workshop.wrench()
    await wrench.enqueue(workshop.acme)
    claimed = await wrench.claimed()
    reports = await asyncio.gather(
        wrench.complete(claimed), wrench.fail(claimed, retry=False), return_exceptions=True
    )
    assert sorted(type(one).__name__ for one in reports) == ["Conflict", "NoneType"]
    expected = "succeeded" if reports[0] is None else "failed"
    assert (await wrench.job(workshop.acme, claimed.id)).state == expected


async def test_completions_race_with_the_reaper_of_another_process(workshop):
    """Whichever is first, the job either succeeded or is free for the next attempt."""
    async with workshop.more_databases(2) as (here, there):
        worker, reaper = workshop.wrench(data=here), workshop.wrench(data=there)
        await worker.enqueue_many(workshop.acme, REMOTE, 30, max_attempts=50)
        await workshop.limit(workshop.acme, "jobs.concurrency", None, company=True)
        claimed = [await worker.claimed() for _ in range(30)]
        half = len(claimed) // 2
        # The leases of half of them are over, for the reaper and for the completion alike.
        await workshop.run(
            "UPDATE jobs SET lease_until = 1 WHERE id IN (SELECT id FROM jobs ORDER BY id LIMIT :half)",
            half=half,
        )
        reports = asyncio.gather(*(worker.complete(job) for job in claimed), return_exceptions=True)
        _, told = await asyncio.gather(reaper.tick(), reports)
        for job, answer in zip(claimed, told, strict=True):
            state = (await worker.job(workshop.acme, job.id)).state
            assert state == ("succeeded" if answer is None else "queued"), (answer, state)
        assert sum(answer is None for answer in told) == len(claimed) - half


async def test_an_attempt_that_lost_its_job_has_no_effect(workshop):
    """A local attempt goes on after its lease was over: its effect does not happen, the next one's does."""
    effects, go_on = [], asyncio.Event()

    async def work(job):
        async def effect(_writer):
            effects.append(job.attempt)

        job.on_success(effect)
        if job.attempt == 1:
            await go_on.wait()
        return job.attempt

    wrench = workshop.wrench(JobKind("x.workshop.slow", "Waits.", handler=work))
    job = await wrench.enqueue(workshop.acme, "x.workshop.slow")
    assert await wrench.scheduler.claimer.claim_round() == 1
    await asyncio.sleep(0)
    workshop.clock.advance(seconds=LEASE_SECONDS)
    other = workshop.wrench(JobKind("x.workshop.slow", "Waits.", handler=work))
    await other.tick()
    workshop.clock.advance(minutes=1)
    await other.scheduler.drain()
    assert (await other.job(workshop.acme, job.id)).result == 2
    go_on.set()
    await wrench.scheduler.drain()
    assert effects == [2]
    assert (await other.job(workshop.acme, job.id)).result == 2


async def test_a_frozen_process_that_wakes_drops_what_it_lost(workshop):
    stopped = []

    async def work(job):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.append(job.attempt)
            raise

    kind = JobKind("x.workshop.endless", "Never ends.", handler=work)
    wrench = workshop.wrench(kind)
    await wrench.enqueue(workshop.acme, kind.name)
    await wrench.scheduler.claimer.claim_round()
    await asyncio.sleep(0)
    workshop.clock.advance(seconds=LEASE_SECONDS + 1)
    await workshop.wrench(kind).tick()
    await wrench.tick()
    await wrench.scheduler._local.idle()
    assert stopped == [1]


async def test_a_process_that_stood_still_keeps_what_nobody_has_taken(workshop):
    """It renews before it calls anybody lost, itself included."""
    go_on = asyncio.Event()

    async def work(_job):
        await go_on.wait()

    kind = JobKind("x.workshop.long", "Waits.", handler=work)
    wrench = workshop.wrench(kind)
    job = await wrench.enqueue(workshop.acme, kind.name)
    await wrench.scheduler.claimer.claim_round()
    workshop.clock.advance(seconds=LEASE_SECONDS * 3)
    await wrench.scheduler.upkeep.tick()
    go_on.set()
    await wrench.scheduler.drain()
    found = await wrench.job(workshop.acme, job.id)
    assert (found.state, found.attempt) == ("succeeded", 1)


async def test_a_local_job_keeps_its_lease_for_as_long_as_it_runs(workshop):
    go_on = asyncio.Event()

    async def work(_job):
        await go_on.wait()

    kind = JobKind("x.workshop.long", "Takes hours.", handler=work)
    wrench = workshop.wrench(kind)
    job = await wrench.enqueue(workshop.acme, kind.name)
    await wrench.scheduler.claimer.claim_round()
    for _ in range(10):
        workshop.clock.advance(seconds=LEASE_SECONDS / 2)
        await wrench.tick()
    go_on.set()
    await wrench.scheduler.drain()
    found = await wrench.job(workshop.acme, job.id)
    assert (found.state, found.attempt) == ("succeeded", 1)


async def test_an_effect_that_fails_takes_its_success_along(workshop):
    async def work(job):
        async def effect(writer):
            raise ValueError("not today")

        job.on_success(effect)
        return "done"

    kind = JobKind("x.workshop.effect", "Fails at the end.", handler=work)
    wrench = workshop.wrench(kind)
    job = await wrench.enqueue(workshop.acme, kind.name, max_attempts=1)
    await wrench.scheduler.drain()
    found = await wrench.job(workshop.acme, job.id)
    assert (found.state, found.result, found.error.code) == ("failed", None, "internal")


async def test_a_report_that_was_durable_before_its_answer_got_lost_runs_no_effect_twice(workshop):
    wrench = workshop.wrench()
    await wrench.enqueue(workshop.acme)
    claimed = await wrench.claimed()
    effects = []

    async def effect(_writer):
        effects.append(1)

    endings = wrench.scheduler._endings
    end = End(claimed.id, claimed.claim_token, "complete", result="1")
    assert await endings.report(end, effect) is ReportOutcome.ACCEPTED
    assert await endings.report(end, effect) is ReportOutcome.DUPLICATE
    assert effects == [1]


async def test_a_local_jobs_progress_is_shown_and_not_written_every_time(workshop):
    calls, steps = asyncio.Queue(), asyncio.Queue()

    async def work(job):
        while (fraction := await steps.get()) is not None:
            await job.progress(fraction)
            calls.put_nowait(fraction)

    wrench = workshop.wrench(JobKind("x.workshop.long", "Goes on.", handler=work))
    job = await wrench.enqueue(workshop.acme, "x.workshop.long")
    await wrench.scheduler.claimer.claim_round()

    async def shown_after(fraction):
        steps.put_nowait(fraction)
        await calls.get()
        return (await wrench.job(workshop.acme, job.id)).progress

    assert await shown_after(0.25) == 0.25
    before = workshop.data.write_scopes
    assert [await shown_after(fraction) for fraction in (0.3, 0.4, 0.5)] == [0.25] * 3
    assert workshop.data.write_scopes == before
    workshop.clock.advance(seconds=1)
    assert await shown_after(7) == 1.0
    steps.put_nowait(None)
    await wrench.scheduler.drain()


async def test_a_job_that_names_two_effects_fails(workshop):
    async def effect(_writer):
        return None

    async def work(job):
        job.on_success(effect)
        job.on_success(effect)

    wrench = workshop.wrench(JobKind("x.workshop.two", "Two effects.", handler=work))
    job = await wrench.enqueue(workshop.acme, "x.workshop.two", max_attempts=1)
    await wrench.scheduler.drain()
    assert (await wrench.job(workshop.acme, job.id)).state == "failed"
