"""The worker as a whole: claiming, waiting out trouble, and stopping."""

import asyncio
import threading

import pytest

from kernel.worker.faults import Refused, TokenRefused, WorkerStuck


async def fine(_call):
    return "fine"


async def test_it_claims_by_long_poll_and_again_after_every_job(desk, start_worker, lines):
    start_worker(fine, models=["small"])
    for number in (1, 2, 3):
        claim = await desk.next("claim")
        assert claim.body == {"kinds": ["x.toy.sum"], "models": ["small"], "max_wait": 25}
        claim.give(f"job_{number}")
        completing = await desk.next("complete")
        assert completing.job_id == f"job_{number}"
        completing.answer(200, {})
    await desk.next("claim")
    assert lines.told("done job_3 x.toy.sum after 0.0 s")
    assert lines.shown == "3 done, 0 failed | waiting for jobs"


async def test_an_empty_answer_after_the_wait_is_followed_by_the_next_claim(desk, pace, start_worker):
    start_worker(fine)
    for _ in range(3):
        claim = await desk.next("claim")
        pace.advance(seconds=25)
        claim.answer(204)
    await desk.next("claim")


async def test_a_server_that_answers_empty_at_once_is_not_stormed(desk, pace, start_worker):
    start_worker(fine)
    for low, high in ((0.5, 1), (1, 2), (2, 4)):
        (await desk.next("claim")).answer(204)
        wait = await pace.slept(low, high)
        assert desk.unread() == 0
        pace.pass_time(wait)
    await desk.next("claim")


async def test_it_runs_as_many_jobs_as_it_has_slots_and_claims_none_beyond(
    desk, start_worker, make_gate, pace
):
    gate = make_gate()
    worker, task = start_worker(gate, slots=2)
    (await desk.next("claim")).give("job_1")
    (await desk.next("claim")).give("job_2")
    await gate.entered(2)
    await pace.slept(3600)
    assert desk.unread() == 0
    worker.stop()
    gate.open()
    for _ in range(2):
        (await desk.next("complete")).answer(200, {})
    await task
    assert desk.unread() == 0


async def test_trouble_is_waited_out_longer_each_time_and_said_once(desk, pace, start_worker, lines):
    start_worker(fine)
    (await desk.next("claim")).hang_up()
    pace.pass_time(await pace.slept(0.5, 1))
    for low, high in ((1, 2), (2, 4), (4, 8)):
        (await desk.next("claim")).problem(503, "unavailable", "The database is busy.")
        pace.pass_time(await pace.slept(low, high))
    (await desk.next("claim")).give()
    (await desk.next("complete")).answer(200, {})
    await desk.next("claim")
    assert [event.partition(" (")[0] for event in lines.events if event.startswith("no jobs")] == [
        "no jobs for now: 127.0.0.1 cannot be reached: Server disconnected without sending a response.",
        "no jobs for now: The database is busy.",
    ]
    assert lines.told("the server gives jobs again")


async def test_a_server_that_is_not_there_yet_is_waited_for(desk, pace, start_worker, client, lines):
    client.base_url = "http://127.0.0.1:1"
    start_worker(fine)
    wait = await pace.slept(0.5, 1)
    assert lines.told("127.0.0.1 cannot be reached")
    client.base_url = desk.url
    pace.pass_time(wait)
    await desk.next("claim")


async def test_it_waits_as_long_as_the_server_asks(desk, pace, start_worker):
    start_worker(fine)
    (await desk.next("claim")).problem(429, "rate_limited", "Slower.", Retry_After="90")
    wait = await pace.slept(90, 91)
    pace.pass_time(89.9)
    assert desk.unread() == 0
    pace.pass_time(wait - 89.9)
    await desk.next("claim")


async def test_a_server_that_never_answers_is_asked_again(desk, pace, start_worker, lines):
    start_worker(fine)
    await desk.next("claim")
    pace.pass_time(await pace.slept(40))
    await desk.next("gone")
    pace.pass_time(await pace.slept(0.5, 1))
    await desk.next("claim")
    assert lines.told("takes too long to answer")


@pytest.mark.parametrize("job", [[], {"id": 3}, {"id": "job_1", "kind": "x.toy.sum"}, None])
async def test_an_answer_that_is_not_a_job_is_trouble_like_any_other(desk, pace, start_worker, job, lines):
    start_worker(fine)
    (await desk.next("claim")).answer(200, job)
    await pace.slept(0.5, 1)
    assert lines.told("no jobs for now")


async def test_a_revoked_token_ends_the_worker(desk, start_worker):
    _, task = start_worker(fine)
    (await desk.next("claim")).problem(401, "unauthenticated", "No such token.")
    with pytest.raises(TokenRefused, match="No such token"):
        await task


async def test_a_token_revoked_while_a_job_runs_ends_the_worker_and_the_handler(
    desk, pace, start_worker, make_gate
):
    gate = make_gate()
    _, task = start_worker(gate)
    (await desk.next("claim")).give()
    await gate.entered()
    await pace.slept(2)
    pace.pass_time(20)
    (await desk.next("heartbeat")).problem(401, "unauthenticated", "No such token.")
    with pytest.raises(TokenRefused):
        await task
    assert await asyncio.to_thread(gate.stopped.wait, 20)
    assert desk.unread() == 0


@pytest.mark.parametrize("status", [400, 403, 404, 405, 301])
async def test_who_was_never_let_in_does_not_stay(desk, start_worker, status):
    _, task = start_worker(fine)
    (await desk.next("claim")).problem(status, "no", "That is not for you.")
    with pytest.raises(Refused, match=r"That is not for you\."):
        await task


async def test_who_was_let_in_once_waits_out_a_refusal(desk, pace, start_worker):
    start_worker(fine)
    claim = await desk.next("claim")
    pace.advance(seconds=25)
    claim.answer(204)
    (await desk.next("claim")).problem(404, "not_found", "There is nothing here.")
    pace.pass_time(await pace.slept(0.5, 1))
    await desk.next("claim")


async def work_off(desk, job_id, kind="x.toy.sum"):
    claim = await desk.next("claim")
    claim.give(job_id, kind=kind)
    (await desk.next("complete")).answer(200, {})
    return claim.body["kinds"]


async def nothing_for(desk, pace, seconds):
    claim = await desk.next("claim")
    pace.advance(seconds=seconds)
    claim.answer(204)


@pytest.mark.parametrize("welcome", [False, True])
async def test_a_kind_that_the_server_lost_is_left_out_and_the_others_go_on(
    desk, pace, start_worker, lines, welcome
):
    """As after a restart without a plugin; from time to time it is asked about again."""
    here, gone = "x.toy.sum", "x.gone.sum"
    start_worker(fine, also=[gone])
    if welcome:
        assert await work_off(desk, "job_1") == [here, gone]
    (await desk.next("claim")).not_known(gone)
    assert await work_off(desk, "job_2") == [here]
    assert lines.told("the server does not know x.gone.sum: going on without")
    await nothing_for(desk, pace, seconds=300)
    (await desk.next("claim")).not_known(gone)
    assert await work_off(desk, "job_3") == [here]
    await nothing_for(desk, pace, seconds=300)
    assert await work_off(desk, "job_4", gone) == [here, gone]
    await desk.next("claim")
    assert lines.told("the server knows x.gone.sum again")
    assert sum("does not know" in event for event in lines.events) == 1


async def test_a_worker_none_of_whose_kinds_are_known_does_not_stay(desk, start_worker):
    _, task = start_worker(fine)
    (await desk.next("claim")).not_known("x.toy.sum")
    with pytest.raises(Refused, match="There is no job kind"):
        await task


async def test_a_worker_that_lost_all_its_kinds_waits_for_them(desk, pace, start_worker, lines):
    start_worker(fine)
    await work_off(desk, "job_1")
    (await desk.next("claim")).not_known("x.toy.sum")
    pace.pass_time(await pace.slept(0.5, 1))
    await work_off(desk, "job_2")
    assert lines.told("There is no job kind")


async def test_told_to_stop_it_claims_no_more_and_finishes_what_it_holds(
    desk, start_worker, make_gate, lines
):
    gate = make_gate()
    worker, task = start_worker(gate)
    (await desk.next("claim")).give()
    await gate.entered()
    worker.stop()
    gate.open()
    completing = await desk.next("complete")
    assert completing.body["result"] == "fine"
    completing.answer(200, {})
    await task
    assert lines.told("stopping: finishing 1 job")
    assert desk.unread() == 0


async def test_told_to_stop_it_leaves_an_idle_claim(desk, pace, start_worker):
    worker, task = start_worker(fine)
    await desk.next("claim")
    worker.stop()
    pace.pass_time(await pace.slept(1))
    await task
    await desk.next("gone")


async def test_a_job_that_was_given_as_it_was_told_to_stop_is_not_lost(desk, pace, start_worker):
    worker, task = start_worker(fine)
    claim = await desk.next("claim")
    worker.stop()
    await pace.slept(1)
    claim.give()
    (await desk.next("complete")).answer(200, {})
    await task


async def test_told_to_stop_while_it_waits_out_trouble_it_stops(desk, pace, start_worker):
    worker, task = start_worker(fine)
    (await desk.next("claim")).problem(503, "unavailable", "Busy.", Retry_After="600")
    await pace.slept(600, 661)
    worker.stop()
    await task


async def test_told_twice_it_gives_back_what_it_holds(desk, start_worker, make_gate, lines):
    gate = make_gate()
    worker, task = start_worker(gate)
    (await desk.next("claim")).give()
    await gate.entered()
    worker.stop()
    worker.stop()
    failing = await desk.next("fail")
    assert failing.body == {
        "claim_token": "1.abc",
        "error": {"code": "worker_stopped", "message": "The worker was stopped before it ended."},
        "retry": True,
    }
    failing.answer(200, {})
    await task
    assert lines.told("leaving: giving 1 job back")
    assert await asyncio.to_thread(gate.stopped.wait, 20)


async def test_told_twice_it_leaves_soon_even_when_nobody_answers(desk, pace, start_worker, make_gate):
    gate = make_gate()
    worker, task = start_worker(gate)
    (await desk.next("claim")).give()
    await gate.entered()
    worker.stop()
    worker.stop()
    await desk.next("fail")
    pace.pass_time(await pace.slept(5))
    await task


async def test_told_twice_it_still_brings_a_result_that_it_has(desk, pace, start_worker):
    worker, task = start_worker(fine)
    (await desk.next("claim")).give()
    (await desk.next("complete")).problem(503, "unavailable", "Busy.")
    wait = await pace.slept(0.25, 0.5)
    worker.stop()
    worker.stop()
    pace.pass_time(wait)
    (await desk.next("complete")).answer(200, {})
    await task


async def test_a_slot_is_free_only_when_its_handler_has_let_go(desk, pace, start_worker):
    release = threading.Event()

    async def deaf(_call):
        release.wait(20)

    worker, _ = start_worker(deaf, timeout_seconds=10)
    (await desk.next("claim")).give()
    await pace.slept(10)
    pace.pass_time(10)
    (await desk.next("fail")).answer(200, {})
    await pace.slept(30)
    assert worker.untidy
    assert desk.unread() == 0
    release.set()
    await desk.next("claim")
    assert not worker.untidy


async def test_a_worker_whose_every_handler_is_deaf_ends(desk, pace, start_worker, lines):
    release = threading.Event()

    async def deaf(_call):
        release.wait(20)

    _, task = start_worker(deaf, timeout_seconds=10)
    (await desk.next("claim")).give()
    await pace.slept(10)
    pace.pass_time(10)
    (await desk.next("fail")).answer(200, {})
    pace.pass_time(await pace.slept(30))
    with pytest.raises(WorkerStuck, match="start the worker anew"):
        await task
    assert lines.told("job_1 x.toy.sum was told to stop and does not: its slot stays taken")
    release.set()


async def test_a_worker_that_cannot_say_what_it_does_ends(desk, start_worker, lines, monkeypatch):
    _, task = start_worker(fine)
    (await desk.next("claim")).give()
    completing = await desk.next("complete")

    def broken(text):
        raise BrokenPipeError

    monkeypatch.setattr(lines, "event", broken)
    completing.answer(200, {})
    with pytest.raises(BrokenPipeError):
        await task


async def test_a_claim_that_lay_unread_while_the_process_stood_still_is_an_old_one(
    desk, pace, start_worker, lines
):
    start_worker(fine)
    claim = await desk.next("claim")
    pace.advance(seconds=25 + 60)
    claim.give(seconds=60)
    await desk.next("claim")
    assert lines.told("dropped job_1 x.toy.sum after 0.0 s: its lease is over")
