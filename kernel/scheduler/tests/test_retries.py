"""Trying again, giving up, and calling off."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildhall_sdk import JobFailed, JobKind, TooManyRequests, UserError
from kernel.scheduler.completion import attempt_of, is_poisoned, wait_ms
from kernel.scheduler.tests.scheduler_env import LEASE_SECONDS, REMOTE, WORKER, remote


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


async def lapse(env, process):
    env.clock.advance(seconds=LEASE_SECONDS)
    await process.tick()


async def pass_the_backoff(env, process):
    env.clock.advance(minutes=10)
    await process.tick()


async def test_a_failed_attempt_waits_before_the_next(env):
    process = env.process()
    job = await process.enqueue(env.acme)
    await process.fail(await process.claimed())
    found = await process.job(env.acme, job.id)
    assert (found.state, found.error.code, found.finished_at) == ("queued", "broken", None)
    env.clock.advance(milliseconds=999)
    await process.tick()
    assert await process.claim() is None
    env.clock.advance(milliseconds=1001)
    await process.tick()
    again = await process.claimed()
    assert (again.id, again.attempt) == (job.id, 2)
    await process.complete(again)
    assert (await process.job(env.acme, job.id)).error is None


async def test_a_job_fails_at_its_last_attempt(env):
    process = env.process()
    job = await process.enqueue(env.acme, max_attempts=3)
    for attempt in (1, 2, 3):
        claimed = await process.claimed()
        assert claimed.attempt == attempt
        await process.fail(claimed)
        await pass_the_backoff(env, process)
    assert await process.claim() is None
    found = await process.job(env.acme, job.id)
    assert (found.state, found.attempt, found.error.code) == ("failed", 3, "broken")
    assert found.finished_at is not None


async def test_a_job_that_was_lost_again_and_again_ends_as_poison(env):
    process = env.process()
    job = await process.enqueue(env.acme, max_attempts=5)
    for _ in range(3):
        await process.claimed()
        await lapse(env, process)
        await pass_the_backoff(env, process)
    found = await process.job(env.acme, job.id)
    assert (found.state, found.attempt, found.error.code) == ("failed", 3, "poison")


async def test_an_attempt_that_is_answered_for_makes_the_lapses_before_it_forgotten(env):
    process = env.process()
    job = await process.enqueue(env.acme, max_attempts=7)
    for end in (lapse, lapse, None, lapse, lapse):
        claimed = await process.claimed()
        if end is None:
            await process.fail(claimed)
        else:
            await end(env, process)
        await pass_the_backoff(env, process)
    assert (await process.job(env.acme, job.id)).state == "queued"


async def test_a_lapse_at_the_last_attempt_fails_the_job(env):
    process = env.process()
    job = await process.enqueue(env.acme, max_attempts=1)
    await process.claimed()
    await lapse(env, process)
    found = await process.job(env.acme, job.id)
    assert (found.state, found.error.code) == ("failed", "worker_lost")


async def test_a_waiting_job_is_cancelled_at_once(env):
    process = env.process()
    later = env.clock.now_ms() + 60_000
    for job in (await process.enqueue(env.acme), await process.enqueue(env.acme, run_at=later)):
        cancelled = await process.cancel(env.acme, job.id)
        assert (cancelled.state, cancelled.finished_at) == ("cancelled", env.clock.now_ms())
        again = await process.cancel(env.acme, job.id)
        assert again == cancelled
    env.clock.advance(hours=1)
    await process.tick()
    assert await process.claim() is None


async def test_cancelling_is_for_the_team_that_has_the_job(env):
    process = env.process()
    job = await process.enqueue(env.acme)
    assert await process.cancel(env.globex, job.id) is None
    assert await process.cancel(env.acme, "job_none") is None
    assert (await process.job(env.acme, job.id)).state == "queued"


async def test_a_running_job_that_is_cancelled_may_finish(env):
    process = env.process()
    job = await process.enqueue(env.acme)
    claimed = await process.claimed()
    assert (await process.cancel(env.acme, job.id)).state == "running"
    await process.heartbeat(claimed)
    await process.complete(claimed, 7)
    found = await process.job(env.acme, job.id)
    assert (found.state, found.result) == ("succeeded", 7)


async def test_a_running_job_that_is_cancelled_is_never_tried_again(env):
    process = env.process()
    failing = await process.enqueue(env.acme)
    await process.cancel(env.acme, (held := await process.claimed()).id)
    await process.fail(held)
    lost = await process.enqueue(env.acme)
    await process.claimed()
    await process.cancel(env.acme, lost.id)
    await lapse(env, process)
    await pass_the_backoff(env, process)
    assert await process.claim() is None
    for job in (failing, lost):
        found = await process.job(env.acme, job.id)
        assert found.state == "cancelled"
        assert found.finished_at is not None


async def test_a_running_job_that_is_cancelled_is_not_tried_again_by_the_next_server(env):
    """The server is stopped while it runs: what it gives back was called off."""
    started = asyncio.Event()

    async def work(_job):
        started.set()
        await asyncio.Event().wait()

    kind = JobKind("x.toy.endless", "Never ends.", handler=work)
    process = env.process(kind)
    job = await process.enqueue(env.acme, kind.name)
    await process.scheduler.claimer.claim_round()
    await started.wait()
    await process.cancel(env.acme, job.id)
    await process.scheduler.wind_down(0)
    found = await process.job(env.acme, job.id)
    assert (found.state, found.finished_at) == ("cancelled", env.clock.now_ms())


async def test_a_retired_executor_loses_what_it_holds_to_others_at_once(env):
    process = env.process()
    job = await process.enqueue(env.acme)
    held = await process.claimed()
    await process.retire(WORKER.id)
    again = await process.claimed()
    assert (again.id, again.attempt) == (job.id, 2)
    await process.complete(again)
    assert held.claim_token != again.claim_token


async def test_a_job_is_not_blamed_for_executors_that_were_retired(env):
    process = env.process()
    job = await process.enqueue(env.acme, max_attempts=5)
    for _ in range(4):
        await process.claimed()
        await process.retire(WORKER.id)
        found = await process.job(env.acme, job.id)
        assert (found.state, found.error.code) == ("queued", "worker_retired")
    await process.complete(await process.claimed())
    assert (await process.job(env.acme, job.id)).state == "succeeded"


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
    env, error, state, code, attempt
):
    async def work(_job):
        raise error

    kind = JobKind("x.toy.raising", "Raises.", handler=work)
    process = env.process(kind)
    job = await process.enqueue(env.acme, kind.name)
    await process.drain()
    found = await process.job(env.acme, job.id)
    assert (found.state, found.attempt) == (state, attempt)
    assert code is None or found.error.code == code


async def test_too_many_requests_put_a_job_off_and_use_up_no_attempt(env):
    """To its Retry-After each time, 24 hours in all."""
    attempts = []

    async def work(job):
        attempts.append((env.clock.now_ms(), job.attempt))
        raise TooManyRequests("Not today.", code="quota_exceeded", headers={"Retry-After": str(10 * 3600)})

    kind = JobKind("x.toy.eager", "Asks too much.", handler=work, max_attempts=1)
    process = env.process(kind)
    job = await process.enqueue(env.acme, kind.name)
    began = env.clock.now_ms()
    for _ in range(40):
        await process.drain()
        env.clock.advance(hours=1)
    hours = [(at - began) / 3_600_000 for at, _ in attempts]
    assert hours == [0, 10, 20, 24]
    assert [attempt for _, attempt in attempts] == [1, 1, 1, 1]
    found = await process.job(env.acme, job.id)
    assert (found.state, found.attempt, found.error.code) == ("failed", 1, "quota_exceeded")


async def test_a_job_that_was_put_off_can_be_cancelled_and_goes_on_where_it_was(env):
    async def work(job):
        if job.payload == "refused" and not put_off:
            put_off.append(job.id)
            raise TooManyRequests("Later.", headers={"Retry-After": "30"})
        return job.attempt

    put_off = []
    kind = JobKind("x.toy.eager", "Asks too much.", handler=work, max_attempts=1)
    process = env.process(kind)
    job = await process.enqueue(env.acme, kind.name, payload="refused")
    await process.drain()
    env.clock.advance(seconds=29)
    await process.drain()
    assert (await process.job(env.acme, job.id)).state == "queued"
    env.clock.advance(seconds=1)
    await process.drain()
    found = await process.job(env.acme, job.id)
    assert (found.state, found.result, found.error) == ("succeeded", 1, None)
    put_off.clear()
    other = await process.enqueue(env.acme, kind.name, payload="refused")
    await process.drain()
    assert (await process.cancel(env.acme, other.id)).state == "cancelled"


async def test_a_handler_that_takes_too_long_is_stopped_and_tried_again(env):
    async def work(_job):
        await asyncio.Event().wait()

    kind = JobKind("x.toy.endless", "Never ends.", handler=work, timeout_seconds=0)
    process = env.process(kind)
    job = await process.enqueue(env.acme, kind.name)
    await process.drain()
    found = await process.job(env.acme, job.id)
    assert (found.state, found.error.code) == ("queued", "timeout")


@pytest.mark.parametrize("result", [float("nan"), object(), b"bytes"], ids=["nan", "object", "bytes"])
async def test_a_result_that_is_no_json_is_the_handlers_failure(env, result):
    async def work(_job):
        return result

    kind = JobKind("x.toy.odd", "Odd.", handler=work)
    process = env.process(kind)
    job = await process.enqueue(env.acme, kind.name, max_attempts=1)
    await process.drain()
    found = await process.job(env.acme, job.id)
    assert (found.state, found.error.code) == ("failed", "internal")


@pytest.mark.parametrize("text", ["a\x00b", "half \ud800 a pair", "x" * 10_000], ids=["nul", "half", "long"])
async def test_whatever_a_handler_says_is_kept_in_words_that_can_be_read(env, text):
    async def work(_job):
        raise JobFailed(text, text)

    kind = JobKind("x.toy.talking", "Says things.", handler=work)
    process = env.process(kind)
    job = await process.enqueue(env.acme, kind.name)
    await process.drain()
    found = await process.job(env.acme, job.id)
    assert found.state == "failed"
    for said in (found.error.code, found.error.message):
        assert said[0] == text[0]
        assert 0 < len(said) <= 2000
        said.encode()


async def test_one_report_that_cannot_be_written_costs_no_other_its_answer(env):
    process = env.process()
    await env.limit(env.acme, "jobs.concurrency", None, company=True)
    await process.enqueue_many(env.acme, REMOTE, 2)
    bad, good = await process.claimed(), await process.claimed()
    await asyncio.gather(
        process.scheduler.workers.fail(WORKER, bad.id, bad.claim_token, "half \ud800", "\ud800", retry=False),
        process.complete(good),
    )
    assert (await process.job(env.acme, good.id)).state == "succeeded"
    assert (await process.job(env.acme, bad.id)).state == "failed"


FITS, TOO_LARGE = "é" * (512 * 1024 - 1), "é" * (512 * 1024)


@pytest.mark.parametrize("result, code", [(FITS, None), (TOO_LARGE, "result_too_large")], ids=["fits", "not"])
@pytest.mark.parametrize("where", ["here", "at a worker"])
async def test_a_result_takes_a_mebibyte_and_more_is_a_failure_that_stays(env, result, code, where):
    async def work(_job):
        return result

    kind = JobKind("x.toy.long", "Long.", handler=work)
    process = env.process(kind, remote())
    job = await process.enqueue(env.acme, kind.name if where == "here" else REMOTE)
    if where == "here":
        await process.drain()
    else:
        claimed = await process.claimed()
        for _ in range(2):  # what landed may be said again
            await process.complete(claimed, result)
    found = await process.job(env.acme, job.id)
    assert (found.state, found.error and found.error.code) == ("failed" if code else "succeeded", code)
    assert found.result == (None if code else result)
