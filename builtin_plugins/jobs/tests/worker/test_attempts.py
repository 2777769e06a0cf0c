"""One attempt at a job: what the server hears of it, and when it must hear nothing."""

import asyncio
import math
import threading

import pytest

from builtin_plugins.jobs.worker.api_client import TokenRefused
from guildhall_sdk import JobFailed, TooManyRequests


async def returns(result):
    return result


async def test_a_result_is_brought_with_the_token_of_the_claim(api, start_attempt):
    async def handler(call):
        return {"id": call.id, "sum": sum(call.payload), "attempt": call.attempt}

    _, task = start_attempt(handler, payload=[1, 2])
    completing = await api.next("complete")
    assert completing.job_id == "job_1"
    assert completing.body == {"claim_token": "1.abc", "result": {"id": "job_1", "sum": 3, "attempt": 1}}
    assert completing.headers["authorization"] == "Bearer ghw_canary"
    completing.answer(200, {})
    assert (await task).outcome == "done"


async def test_heartbeats_come_at_a_third_of_the_lease_and_extend_it(api, clock, start_attempt, make_gate):
    gate = make_gate()
    _, task = start_attempt(gate, seconds=60)
    await gate.entered()
    await clock.slept(2)
    clock.pass_time(19.9)
    await clock.slept(0.1)
    assert api.unread() == 0
    for _ in range(6):
        clock.pass_time(20)
        beat = await api.next("heartbeat")
        assert beat.body == {"claim_token": "1.abc"}
        beat.extend(60)
        await clock.slept(2)
    gate.open()
    (await api.next("complete")).answer(200, {})
    assert (await task).outcome == "done"


async def test_progress_goes_with_the_next_heartbeat_soon(api, clock, start_attempt):
    said, release = threading.Event(), threading.Event()

    async def handler(call):
        await call.progress(0.25)
        said.set()
        await asyncio.to_thread(release.wait, 20)

    _, task = start_attempt(handler)
    assert await asyncio.to_thread(said.wait, 20)
    await clock.slept(2)
    clock.pass_time(2)
    beat = await api.next("heartbeat")
    assert beat.body == {"claim_token": "1.abc", "progress": 0.25}
    beat.extend()
    await clock.slept(2)
    clock.pass_time(2)
    await clock.slept(2)
    assert api.unread() == 0
    release.set()
    (await api.next("complete")).answer(200, {})
    await task


@pytest.mark.parametrize("fraction", [-0.1, 1.1, math.nan, math.inf])
async def test_progress_beyond_its_bounds_is_the_handlers_fault(api, start_attempt, fraction):
    async def handler(call):
        await call.progress(fraction)

    start_attempt(handler)
    assert (await api.next("fail")).body["error"]["code"] == "handler_crashed"


async def test_a_handler_that_blocks_holds_up_no_heartbeat(api, clock, start_attempt):
    release = threading.Event()

    async def handler(_call):
        release.wait(60)
        return "late"

    _, task = start_attempt(handler)
    await clock.slept(2)
    clock.pass_time(20)
    (await api.next("heartbeat")).extend()
    await clock.slept(2)
    release.set()
    completing = await api.next("complete")
    assert completing.body["result"] == "late"
    completing.answer(200, {})
    assert (await task).outcome == "done"


@pytest.mark.parametrize("error", [RuntimeError("canary-inside"), SystemExit(3), KeyboardInterrupt()])
async def test_a_crash_is_tried_again_and_tells_nothing_of_its_inside(api, start_attempt, error):
    async def handler(_call):
        raise error

    _, task = start_attempt(handler)
    failing = await api.next("fail")
    assert failing.body["retry"] is True
    assert failing.body["claim_token"] == "1.abc"
    assert failing.body["error"] == {
        "code": "handler_crashed",
        "message": f"The worker's handler ended with {type(error).__name__}; its log says more.",
    }
    failing.answer(200, {})
    assert (await task).outcome == "failed"


@pytest.mark.parametrize("retry", [False, True])
async def test_a_handler_fails_its_job_in_its_own_words(api, start_attempt, retry):
    async def handler(_call):
        raise JobFailed("no_lane", "There is no such lane.", retry=retry)

    start_attempt(handler)
    failing = await api.next("fail")
    assert failing.body["error"] == {"code": "no_lane", "message": "There is no such lane."}
    assert failing.body["retry"] is retry


async def test_too_many_requests_put_the_job_off(api, start_attempt):
    async def handler(_call):
        raise TooManyRequests("The endpoint is busy.", headers={"Retry-After": "30"})

    start_attempt(handler)
    failing = await api.next("fail")
    assert failing.body["error"] == {"code": "rate_limited", "message": "The endpoint is busy."}
    assert failing.body["retry_after"] == 30


@pytest.mark.parametrize("result", [{1, 2}, math.nan, object(), {(1, 2): 3}, b"bytes"])
async def test_a_result_that_is_not_json_fails_for_good(api, start_attempt, result):
    start_attempt(lambda _call: returns(result))
    failing = await api.next("fail")
    assert failing.body["error"]["code"] == "result_not_json"
    assert failing.body["retry"] is False


async def test_a_result_that_holds_itself_is_not_json(api, start_attempt):
    loop = []
    loop.append(loop)
    start_attempt(lambda _call: returns(loop))
    assert (await api.next("fail")).body["error"]["code"] == "result_not_json"


@pytest.mark.parametrize("status", [422, 400, 413])
async def test_a_refused_result_fails_with_the_servers_words(api, start_attempt, status):
    _, task = start_attempt(lambda _call: returns({"days": -1}))
    (await api.next("complete")).problem(status, "result_rejected", "days must be 0 or more")
    failing = await api.next("fail")
    assert failing.body["error"] == {"code": "result_rejected", "message": "days must be 0 or more"}
    assert failing.body["retry"] is False
    failing.answer(200, {})
    assert (await task).outcome == "failed"


async def test_a_job_that_is_somebody_elses_is_dropped_at_its_heartbeat(api, clock, start_attempt, make_gate):
    gate = make_gate()
    _, task = start_attempt(gate)
    await gate.entered()
    await clock.slept(2)
    clock.pass_time(20)
    (await api.next("heartbeat")).problem(409, "stale_claim", "The claim is stale.")
    ending = await task
    assert (ending.outcome, ending.words) == ("dropped", "The claim is stale.")
    assert await asyncio.to_thread(gate.stopped.wait, 20)
    assert api.unread() == 0


@pytest.mark.parametrize("status", [409, 404])
async def test_a_job_that_is_somebody_elses_is_dropped_at_its_report(api, start_attempt, status):
    _, task = start_attempt(lambda _call: returns(1))
    (await api.next("complete")).problem(status, "stale_claim", "The claim is stale.")
    assert (await task).outcome == "dropped"
    assert api.unread() == 0


async def test_a_result_is_kept_until_the_server_takes_it(api, clock, start_attempt):
    _, task = start_attempt(lambda _call: returns("kept"))
    (await api.next("complete")).hang_up()
    clock.pass_time(await clock.slept(0.25, 0.5))
    (await api.next("complete")).problem(503, "unavailable", "Busy.")
    clock.pass_time(await clock.slept(0.5, 1))
    completing = await api.next("complete")
    assert completing.body == {"claim_token": "1.abc", "result": "kept"}
    completing.answer(200, {})
    assert (await task).outcome == "done"


async def test_a_report_waits_as_long_as_the_server_asks(api, clock, start_attempt):
    _, task = start_attempt(lambda _call: returns("kept"))
    (await api.next("complete")).problem(429, "rate_limited", "Slower.", Retry_After="7")
    wait = await clock.slept(7, 7.6)
    clock.pass_time(6.9)
    assert api.unread() == 0
    clock.pass_time(wait - 6.9)
    (await api.next("complete")).answer(200, {})
    assert (await task).outcome == "done"


async def test_a_report_is_given_up_when_the_lease_is_over(api, clock, start_attempt):
    _, task = start_attempt(lambda _call: returns("lost"), seconds=60)
    (await api.next("complete")).problem(503, "unavailable", "Busy.", Retry_After="90")
    await clock.slept(60)
    clock.pass_time(60)
    ending = await task
    assert ending.outcome == "dropped"
    assert ending.words == "its lease is over: Busy."
    assert api.unread() == 0


async def test_a_server_that_does_not_answer_a_report_is_asked_again(api, clock, start_attempt):
    _, task = start_attempt(lambda _call: returns("kept"))
    await api.next("complete")
    clock.pass_time(await clock.slept(15))
    await api.next("gone")
    clock.pass_time(await clock.slept(0.25, 0.5))
    (await api.next("complete")).answer(200, {})
    assert (await task).outcome == "done"


async def test_a_frozen_worker_wakes_after_its_lease_and_reports_nothing(
    api, clock, start_attempt, make_gate
):
    gate = make_gate()
    _, task = start_attempt(gate)
    await gate.entered()
    await clock.slept(2)
    gate.open()
    clock.advance(seconds=61)  # the process stands still: no timer of its own goes off
    ending = await task
    assert (ending.outcome, ending.words) == ("dropped", "its lease is over")
    assert api.unread() == 0


async def test_a_lease_that_ends_unheard_stops_the_handler(api, clock, start_attempt, make_gate):
    gate = make_gate()
    _, task = start_attempt(gate)
    await gate.entered()
    await clock.slept(2)
    clock.pass_time(20)
    (await api.next("heartbeat")).hang_up()
    await clock.slept(0.25, 0.5)
    clock.pass_time(40)
    ending = await task
    assert (ending.outcome, ending.words) == ("dropped", "its lease is over")
    assert await asyncio.to_thread(gate.stopped.wait, 20)
    assert api.unread() == 0


async def test_a_missed_heartbeat_is_sent_again(api, clock, start_attempt, make_gate):
    gate = make_gate()
    _, task = start_attempt(gate)
    await gate.entered()
    await clock.slept(2)
    clock.pass_time(20)
    (await api.next("heartbeat")).problem(503, "unavailable", "Busy.")
    clock.pass_time(await clock.slept(0.2, 0.5))
    (await api.next("heartbeat")).extend(60)
    await clock.slept(2)
    clock.pass_time(39)  # beyond the first lease
    (await api.next("heartbeat")).extend(60)
    gate.open()
    (await api.next("complete")).answer(200, {})
    assert (await task).outcome == "done"


async def test_a_handler_that_takes_too_long_is_stopped_and_tried_again(api, clock, start_attempt, make_gate):
    gate = make_gate()
    _, task = start_attempt(gate, timeout_seconds=10)
    await gate.entered()
    await clock.slept(10)
    clock.pass_time(10)
    failing = await api.next("fail")
    assert failing.body["error"]["code"] == "timed_out" and failing.body["retry"] is True
    failing.answer(200, {})
    assert (await task).outcome == "failed"
    assert await asyncio.to_thread(gate.stopped.wait, 20)


async def test_a_revoked_token_ends_the_attempt(api, start_attempt):
    _, task = start_attempt(lambda _call: returns(1))
    (await api.next("complete")).problem(401, "unauthenticated", "The token is revoked.")
    with pytest.raises(TokenRefused, match=r"does not take this worker's token \(The token is revoked"):
        await task


async def test_a_failure_is_said_so_that_the_server_can_hear_it(api, start_attempt):
    async def handler(_call):
        raise JobFailed("", "a\0b\ud800c")

    start_attempt(handler)
    assert (await api.next("fail")).body["error"] == {"code": "failed", "message": "ab?c"}


async def test_a_failure_that_the_server_will_not_hear_is_dropped(api, start_attempt):
    async def handler(_call):
        raise JobFailed("x" * 1000, "y" * 100_000)

    _, task = start_attempt(handler)
    failing = await api.next("fail")
    assert len(failing.body["error"]["code"]) == 64 and len(failing.body["error"]["message"]) == 2000
    failing.problem(400, "invalid_request", "No.")
    assert (await task).outcome == "dropped"
