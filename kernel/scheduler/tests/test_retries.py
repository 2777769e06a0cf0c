"""Trying again, giving up, and calling off."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildhall_sdk import JobFailed, JobKind, TooManyRequests, UserError
from kernel.scheduler.completion import attempt_of, is_poisoned, wait_ms
from kernel.scheduler.tests.workshop import LEASE_SECONDS, REMOTE, WORKER, remote


@given(st.integers(0, 10_000), st.floats(0, 1))
def test_a_wait_is_half_to_all_of_twice_the_one_before(attempt, chance):
    longest = min(600_000, 1000 * 2 ** min(attempt, 30))
    assert longest / 2 <= wait_ms(attempt, chance) <= longest


@given(st.integers(1, 12))
def test_two_jobs_that_failed_together_do_not_come_back_together(attempt):
    assert len({wait_ms(attempt) for _ in range(50)}) > 10


@given(st.integers(0, 200), st.integers(1, 100))
def test_poison_takes_three_lapses_or_half_of_many_attempts(lapses, max_attempts):
    assert is_poisoned(lapses, max_attempts) == (lapses >= 3 and lapses >= max_attempts // 2)


@given(st.text())
def test_any_text_names_an_attempt(token):
    assert 0 <= attempt_of(token) < 100_000


async def lapse(workshop, wrench):
    workshop.clock.advance(seconds=LEASE_SECONDS)
    await wrench.tick()


async def pass_the_backoff(workshop, wrench):
    workshop.clock.advance(minutes=10)
    await wrench.tick()


async def test_a_failed_attempt_waits_before_the_next(workshop):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme)
    await wrench.fail(await wrench.claimed())
    found = await wrench.job(workshop.acme, job.id)
    assert (found.state, found.error.code, found.finished_at) == ("queued", "broken", None)
    workshop.clock.advance(milliseconds=999)
    await wrench.tick()
    assert await wrench.claim() is None
    workshop.clock.advance(milliseconds=1001)
    await wrench.tick()
    again = await wrench.claimed()
    assert (again.id, again.attempt) == (job.id, 2)
    await wrench.complete(again)
    assert (await wrench.job(workshop.acme, job.id)).error is None


async def test_a_job_fails_at_its_last_attempt(workshop):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme, max_attempts=3)
    for attempt in (1, 2, 3):
        claimed = await wrench.claimed()
        assert claimed.attempt == attempt
        await wrench.fail(claimed)
        await pass_the_backoff(workshop, wrench)
    assert await wrench.claim() is None
    found = await wrench.job(workshop.acme, job.id)
    assert (found.state, found.attempt, found.error.code) == ("failed", 3, "broken")
    assert found.finished_at is not None


async def test_a_job_that_was_lost_again_and_again_ends_as_poison(workshop):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme, max_attempts=5)
    for _ in range(3):
        await wrench.claimed()
        await lapse(workshop, wrench)
        await pass_the_backoff(workshop, wrench)
    found = await wrench.job(workshop.acme, job.id)
    assert (found.state, found.attempt, found.error.code) == ("failed", 3, "poison")


async def test_an_attempt_that_is_answered_for_makes_the_lapses_before_it_forgotten(workshop):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme, max_attempts=7)
    for end in (lapse, lapse, None, lapse, lapse):
        claimed = await wrench.claimed()
        if end is None:
            await wrench.fail(claimed)
        else:
            await end(workshop, wrench)
        await pass_the_backoff(workshop, wrench)
    assert (await wrench.job(workshop.acme, job.id)).state == "queued"


async def test_a_lapse_at_the_last_attempt_fails_the_job(workshop):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme, max_attempts=1)
    await wrench.claimed()
    await lapse(workshop, wrench)
    found = await wrench.job(workshop.acme, job.id)
    assert (found.state, found.error.code) == ("failed", "worker_lost")


async def test_a_waiting_job_is_cancelled_at_once(workshop):
    wrench = workshop.wrench()
    later = workshop.clock.now_ms() + 60_000
    for job in (await wrench.enqueue(workshop.acme), await wrench.enqueue(workshop.acme, run_at=later)):
        cancelled = await wrench.cancel(workshop.acme, job.id)
        assert (cancelled.state, cancelled.finished_at) == ("cancelled", workshop.clock.now_ms())
        again = await wrench.cancel(workshop.acme, job.id)
        assert again == cancelled
    workshop.clock.advance(hours=1)
    await wrench.tick()
    assert await wrench.claim() is None


async def test_cancelling_is_for_the_team_that_has_the_job(workshop):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme)
    assert await wrench.cancel(workshop.globex, job.id) is None
    assert await wrench.cancel(workshop.acme, "job_none") is None
    assert (await wrench.job(workshop.acme, job.id)).state == "queued"


async def test_a_running_job_that_is_cancelled_may_finish(workshop):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme)
    claimed = await wrench.claimed()
    assert (await wrench.cancel(workshop.acme, job.id)).state == "running"
    await wrench.heartbeat(claimed)
    await wrench.complete(claimed, 7)
    found = await wrench.job(workshop.acme, job.id)
    assert (found.state, found.result) == ("succeeded", 7)


async def test_a_running_job_that_is_cancelled_is_never_tried_again(workshop):
    wrench = workshop.wrench()
    failing = await wrench.enqueue(workshop.acme)
    await wrench.cancel(workshop.acme, (held := await wrench.claimed()).id)
    await wrench.fail(held)
    lost = await wrench.enqueue(workshop.acme)
    await wrench.claimed()
    await wrench.cancel(workshop.acme, lost.id)
    await lapse(workshop, wrench)
    await pass_the_backoff(workshop, wrench)
    assert await wrench.claim() is None
    for job in (failing, lost):
        found = await wrench.job(workshop.acme, job.id)
        assert found.state == "cancelled"
        assert found.finished_at is not None


async def test_a_running_job_that_is_cancelled_is_not_tried_again_by_the_next_server(workshop):
    """The server is stopped while it runs: what it gives back was called off."""
    started = asyncio.Event()

    async def work(_job):
        started.set()
        await asyncio.Event().wait()

    kind = JobKind("x.workshop.endless", "Never ends.", handler=work)
    wrench = workshop.wrench(kind)
    job = await wrench.enqueue(workshop.acme, kind.name)
    await wrench.scheduler.claimer.claim_round()
    await started.wait()
    await wrench.cancel(workshop.acme, job.id)
    await wrench.scheduler.wind_down(0)
    found = await wrench.job(workshop.acme, job.id)
    assert (found.state, found.finished_at) == ("cancelled", workshop.clock.now_ms())


async def test_a_retired_executor_loses_what_it_holds_to_others_at_once(workshop):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme)
    held = await wrench.claimed()
    await wrench.retire(WORKER.id)
    again = await wrench.claimed()
    assert (again.id, again.attempt) == (job.id, 2)
    await wrench.complete(again)
    assert held.claim_token != again.claim_token


async def test_a_job_is_not_blamed_for_executors_that_were_retired(workshop):
    wrench = workshop.wrench()
    job = await wrench.enqueue(workshop.acme, max_attempts=5)
    for _ in range(4):
        await wrench.claimed()
        await wrench.retire(WORKER.id)
        found = await wrench.job(workshop.acme, job.id)
        assert (found.state, found.error.code) == ("queued", "worker_retired")
    await wrench.complete(await wrench.claimed())
    assert (await wrench.job(workshop.acme, job.id)).state == "succeeded"


OUTCOMES = [
    (JobFailed("no_such_lane", "There is none."), "failed", "no_such_lane", 1),
    (JobFailed("away", "Not now.", retry=True), "queued", "away", 1),
    (UserError("Wrong."), "failed", "invalid_request", 1),
    (TooManyRequests("Later."), "queued", "rate_limited", 0),
    (ValueError("a defect"), "queued", "internal", 1),
    (TimeoutError("its own"), "queued", "internal", 1),
    (asyncio.CancelledError("its own"), "queued", "internal", 1),
]


@pytest.mark.parametrize("error, state, code, attempt", OUTCOMES, ids=lambda one: type(one).__name__)
async def test_what_a_local_handler_raises_decides_whether_it_is_tried_again(
    workshop, error, state, code, attempt
):
    async def work(_job):
        raise error

    kind = JobKind("x.workshop.raising", "Raises.", handler=work)
    wrench = workshop.wrench(kind)
    job = await wrench.enqueue(workshop.acme, kind.name)
    await wrench.scheduler.drain()
    found = await wrench.job(workshop.acme, job.id)
    assert (found.state, found.attempt) == (state, attempt)
    assert code is None or found.error.code == code


async def test_too_many_requests_put_a_job_off_and_use_up_no_attempt(workshop):
    """To its Retry-After each time, 24 hours in all."""
    attempts = []

    async def work(job):
        attempts.append((workshop.clock.now_ms(), job.attempt))
        raise TooManyRequests("Not today.", code="quota_exceeded", headers={"Retry-After": str(10 * 3600)})

    kind = JobKind("x.workshop.eager", "Asks too much.", handler=work, max_attempts=1)
    wrench = workshop.wrench(kind)
    job = await wrench.enqueue(workshop.acme, kind.name)
    began = workshop.clock.now_ms()
    for _ in range(40):
        await wrench.scheduler.drain()
        workshop.clock.advance(hours=1)
    hours = [(at - began) / 3_600_000 for at, _ in attempts]
    assert hours == [0, 10, 20, 24]
    assert [attempt for _, attempt in attempts] == [1, 1, 1, 1]
    found = await wrench.job(workshop.acme, job.id)
    assert (found.state, found.attempt, found.error.code) == ("failed", 1, "quota_exceeded")


async def test_a_job_that_was_put_off_can_be_cancelled_and_goes_on_where_it_was(workshop):
    async def work(job):
        if job.payload == "refused" and not put_off:
            put_off.append(job.id)
            raise TooManyRequests("Later.", headers={"Retry-After": "30"})
        return job.attempt

    put_off = []
    kind = JobKind("x.workshop.eager", "Asks too much.", handler=work, max_attempts=1)
    wrench = workshop.wrench(kind)
    job = await wrench.enqueue(workshop.acme, kind.name, payload="refused")
    await wrench.scheduler.drain()
    workshop.clock.advance(seconds=29)
    await wrench.scheduler.drain()
    assert (await wrench.job(workshop.acme, job.id)).state == "queued"
    workshop.clock.advance(seconds=1)
    await wrench.scheduler.drain()
    found = await wrench.job(workshop.acme, job.id)
    assert (found.state, found.result, found.error) == ("succeeded", 1, None)
    put_off.clear()
    other = await wrench.enqueue(workshop.acme, kind.name, payload="refused")
    await wrench.scheduler.drain()
    assert (await wrench.cancel(workshop.acme, other.id)).state == "cancelled"


async def test_a_handler_that_takes_too_long_is_stopped_and_tried_again(workshop):
    async def work(_job):
        await asyncio.Event().wait()

    kind = JobKind("x.workshop.endless", "Never ends.", handler=work, timeout_seconds=0)
    wrench = workshop.wrench(kind)
    job = await wrench.enqueue(workshop.acme, kind.name)
    await wrench.scheduler.drain()
    found = await wrench.job(workshop.acme, job.id)
    assert (found.state, found.error.code) == ("queued", "timeout")


@pytest.mark.parametrize("result", [float("nan"), object(), b"bytes"], ids=["nan", "object", "bytes"])
async def test_a_result_that_is_no_json_is_the_handlers_failure(workshop, result):
    async def work(_job):
        return result

    kind = JobKind("x.workshop.odd", "Odd.", handler=work)
    wrench = workshop.wrench(kind)
    job = await wrench.enqueue(workshop.acme, kind.name, max_attempts=1)
    await wrench.scheduler.drain()
    found = await wrench.job(workshop.acme, job.id)
    assert (found.state, found.error.code) == ("failed", "internal")


@pytest.mark.parametrize("text", ["a\x00b", "half \ud800 a pair", "x" * 10_000], ids=["nul", "half", "long"])
async def test_whatever_a_handler_says_is_kept_in_words_that_can_be_read(workshop, text):
    async def work(_job):
        raise JobFailed(text, text)

    kind = JobKind("x.workshop.talking", "Says things.", handler=work)
    wrench = workshop.wrench(kind)
    job = await wrench.enqueue(workshop.acme, kind.name)
    await wrench.scheduler.drain()
    found = await wrench.job(workshop.acme, job.id)
    assert found.state == "failed"
    for said in (found.error.code, found.error.message):
        assert said[0] == text[0]
        assert 0 < len(said) <= 2000
        said.encode()


async def test_one_report_that_cannot_be_written_costs_no_other_its_answer(workshop):
    wrench = workshop.wrench()
    await workshop.limit(workshop.acme, "jobs.concurrency", None, company=True)
    await wrench.enqueue_many(workshop.acme, REMOTE, 2)
    bad, good = await wrench.claimed(), await wrench.claimed()
    await asyncio.gather(
        wrench.scheduler.workers.fail(WORKER, bad.id, bad.claim_token, "half \ud800", "\ud800", retry=False),
        wrench.complete(good),
    )
    assert (await wrench.job(workshop.acme, good.id)).state == "succeeded"
    assert (await wrench.job(workshop.acme, bad.id)).state == "failed"


FITS, TOO_LARGE = "é" * (512 * 1024 - 1), "é" * (512 * 1024)


@pytest.mark.parametrize("result, code", [(FITS, None), (TOO_LARGE, "result_too_large")], ids=["fits", "not"])
@pytest.mark.parametrize("where", ["here", "at a worker"])
async def test_a_result_takes_a_mebibyte_and_more_is_a_failure_that_stays(workshop, result, code, where):
    async def work(_job):
        return result

    kind = JobKind("x.workshop.long", "Long.", handler=work)
    wrench = workshop.wrench(kind, remote())
    job = await wrench.enqueue(workshop.acme, kind.name if where == "here" else REMOTE)
    if where == "here":
        await wrench.scheduler.drain()
    else:
        claimed = await wrench.claimed()
        for _ in range(2):  # what landed may be said again
            await wrench.complete(claimed, result)
    found = await wrench.job(workshop.acme, job.id)
    assert (found.state, found.error and found.error.code) == ("failed" if code else "succeeded", code)
    assert found.result == (None if code else result)
