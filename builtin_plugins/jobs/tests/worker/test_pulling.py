"""The worker as a whole: claiming, waiting out trouble, and stopping."""

import asyncio
import threading

import pytest

from builtin_plugins.jobs.worker.api_client import Refused, TokenRefused, WorkerStuck


async def fine(_call):
    return "fine"


async def test_it_claims_by_long_poll_and_again_after_every_job(api, start_worker, lines):
    start_worker(fine, models=["small"])
    for number in (1, 2, 3):
        claim = await api.next("claim")
        assert claim.body == {"kinds": ["x.toy.sum"], "models": ["small"], "max_wait": 25}
        claim.give(f"job_{number}")
        completing = await api.next("complete")
        assert completing.job_id == f"job_{number}"
        completing.answer(200, {})
    await api.next("claim")
    assert lines.show("done job_3 x.toy.sum after 0.0 s")
    assert lines.shown == "3 done, 0 failed | waiting for jobs"


async def test_an_empty_answer_after_the_wait_is_followed_by_the_next_claim(api, clock, start_worker):
    start_worker(fine)
    for _ in range(3):
        claim = await api.next("claim")
        clock.advance(seconds=25)
        claim.answer(204)
    await api.next("claim")


async def test_a_server_that_answers_empty_at_once_is_not_stormed(api, clock, start_worker):
    start_worker(fine)
    for low, high in ((0.5, 1), (1, 2), (2, 4)):
        (await api.next("claim")).answer(204)
        wait = await clock.slept(low, high)
        assert api.unread() == 0
        clock.pass_time(wait)
    await api.next("claim")


async def test_it_runs_as_many_jobs_as_it_has_slots_and_claims_none_beyond(
    api, start_worker, make_gate, clock
):
    gate = make_gate()
    worker, task = start_worker(gate, slots=2)
    (await api.next("claim")).give("job_1")
    (await api.next("claim")).give("job_2")
    await gate.entered(2)
    await clock.slept(3600)
    assert api.unread() == 0
    worker.stop()
    gate.open()
    for _ in range(2):
        (await api.next("complete")).answer(200, {})
    await task
    assert api.unread() == 0


async def test_trouble_is_waited_out_longer_each_time_and_said_once(api, clock, start_worker, lines):
    start_worker(fine)
    (await api.next("claim")).hang_up()
    clock.pass_time(await clock.slept(0.5, 1))
    for low, high in ((1, 2), (2, 4), (4, 8)):
        (await api.next("claim")).problem(503, "unavailable", "The database is busy.")
        clock.pass_time(await clock.slept(low, high))
    (await api.next("claim")).give()
    (await api.next("complete")).answer(200, {})
    await api.next("claim")
    assert [event.partition(" (")[0] for event in lines.events if event.startswith("no jobs")] == [
        "no jobs for now: 127.0.0.1 cannot be reached: Server disconnected without sending a response.",
        "no jobs for now: The database is busy.",
    ]
    assert lines.show("the server gives jobs again")


async def test_a_server_that_is_not_there_yet_is_waited_for(api, clock, start_worker, client, lines):
    client.base_url = "http://127.0.0.1:1"
    start_worker(fine)
    wait = await clock.slept(0.5, 1)
    assert lines.show("127.0.0.1 cannot be reached")
    client.base_url = api.url
    clock.pass_time(wait)
    await api.next("claim")


async def test_it_waits_as_long_as_the_server_asks(api, clock, start_worker):
    start_worker(fine)
    (await api.next("claim")).problem(429, "rate_limited", "Slower.", Retry_After="90")
    wait = await clock.slept(90, 91)
    clock.pass_time(89.9)
    assert api.unread() == 0
    clock.pass_time(wait - 89.9)
    await api.next("claim")


async def test_a_server_that_never_answers_is_asked_again(api, clock, start_worker, lines):
    start_worker(fine)
    await api.next("claim")
    clock.pass_time(await clock.slept(40))
    await api.next("gone")
    clock.pass_time(await clock.slept(0.5, 1))
    await api.next("claim")
    assert lines.show("takes too long to answer")


@pytest.mark.parametrize("job", [[], {"id": 3}, {"id": "job_1", "kind": "x.toy.sum"}, None])
async def test_an_answer_that_is_not_a_job_is_trouble_like_any_other(api, clock, start_worker, job, lines):
    start_worker(fine)
    (await api.next("claim")).answer(200, job)
    await clock.slept(0.5, 1)
    assert lines.show("no jobs for now")


async def test_a_revoked_token_ends_the_worker(api, start_worker):
    _, task = start_worker(fine)
    (await api.next("claim")).problem(401, "unauthenticated", "No such token.")
    with pytest.raises(TokenRefused, match="No such token"):
        await task


async def test_a_token_revoked_while_a_job_runs_ends_the_worker_and_the_handler(
    api, clock, start_worker, make_gate
):
    gate = make_gate()
    _, task = start_worker(gate)
    (await api.next("claim")).give()
    await gate.entered()
    await clock.slept(2)
    clock.pass_time(20)
    (await api.next("heartbeat")).problem(401, "unauthenticated", "No such token.")
    with pytest.raises(TokenRefused):
        await task
    assert await asyncio.to_thread(gate.stopped.wait, 20)
    assert api.unread() == 0


@pytest.mark.parametrize("status", [400, 403, 404, 405, 301])
async def test_who_was_never_let_in_does_not_stay(api, start_worker, status):
    _, task = start_worker(fine)
    (await api.next("claim")).problem(status, "no", "That is not for you.")
    with pytest.raises(Refused, match=r"That is not for you\."):
        await task


async def test_who_was_let_in_once_waits_out_a_refusal(api, clock, start_worker):
    start_worker(fine)
    claim = await api.next("claim")
    clock.advance(seconds=25)
    claim.answer(204)
    (await api.next("claim")).problem(404, "not_found", "There is nothing here.")
    clock.pass_time(await clock.slept(0.5, 1))
    await api.next("claim")


async def work_off(api, job_id, kind="x.toy.sum"):
    claim = await api.next("claim")
    claim.give(job_id, kind=kind)
    (await api.next("complete")).answer(200, {})
    return claim.body["kinds"]


async def nothing_for(api, clock, seconds):
    claim = await api.next("claim")
    clock.advance(seconds=seconds)
    claim.answer(204)


@pytest.mark.parametrize("welcome", [False, True])
async def test_a_kind_that_the_server_lost_is_left_out_and_the_others_go_on(
    api, clock, start_worker, lines, welcome
):
    """As after a restart without a plugin; from time to time it is asked about again."""
    here, gone = "x.toy.sum", "x.gone.sum"
    start_worker(fine, also=[gone])
    if welcome:
        assert await work_off(api, "job_1") == [here, gone]
    (await api.next("claim")).not_known(gone)
    assert await work_off(api, "job_2") == [here]
    assert lines.show("the server does not know x.gone.sum: going on without")
    await nothing_for(api, clock, seconds=300)
    (await api.next("claim")).not_known(gone)
    assert await work_off(api, "job_3") == [here]
    await nothing_for(api, clock, seconds=300)
    assert await work_off(api, "job_4", gone) == [here, gone]
    await api.next("claim")
    assert lines.show("the server knows x.gone.sum again")
    assert sum("does not know" in event for event in lines.events) == 1


async def test_a_worker_none_of_whose_kinds_are_known_does_not_stay(api, start_worker):
    _, task = start_worker(fine)
    (await api.next("claim")).not_known("x.toy.sum")
    with pytest.raises(Refused, match="There is no job kind"):
        await task


async def test_a_worker_that_lost_all_its_kinds_waits_for_them(api, clock, start_worker, lines):
    start_worker(fine)
    await work_off(api, "job_1")
    (await api.next("claim")).not_known("x.toy.sum")
    clock.pass_time(await clock.slept(0.5, 1))
    await work_off(api, "job_2")
    assert lines.show("There is no job kind")


async def test_told_to_stop_it_claims_no_more_and_finishes_what_it_holds(api, start_worker, make_gate, lines):
    gate = make_gate()
    worker, task = start_worker(gate)
    (await api.next("claim")).give()
    await gate.entered()
    worker.stop()
    gate.open()
    completing = await api.next("complete")
    assert completing.body["result"] == "fine"
    completing.answer(200, {})
    await task
    assert lines.show("stopping: finishing 1 job")
    assert api.unread() == 0


async def test_told_to_stop_it_leaves_an_idle_claim(api, clock, start_worker):
    worker, task = start_worker(fine)
    await api.next("claim")
    worker.stop()
    clock.pass_time(await clock.slept(1))
    await task
    await api.next("gone")


async def test_a_job_that_was_given_as_it_was_told_to_stop_is_not_lost(api, clock, start_worker):
    worker, task = start_worker(fine)
    claim = await api.next("claim")
    worker.stop()
    await clock.slept(1)
    claim.give()
    (await api.next("complete")).answer(200, {})
    await task


async def test_told_to_stop_while_it_waits_out_trouble_it_stops(api, clock, start_worker):
    worker, task = start_worker(fine)
    (await api.next("claim")).problem(503, "unavailable", "Busy.", Retry_After="600")
    await clock.slept(600, 661)
    worker.stop()
    await task


async def test_told_twice_it_gives_back_what_it_holds(api, start_worker, make_gate, lines):
    gate = make_gate()
    worker, task = start_worker(gate)
    (await api.next("claim")).give()
    await gate.entered()
    worker.stop()
    worker.stop()
    failing = await api.next("fail")
    assert failing.body == {
        "claim_token": "1.abc",
        "error": {"code": "worker_stopped", "message": "The worker was stopped before it ended."},
        "retry": True,
    }
    failing.answer(200, {})
    await task
    assert lines.show("leaving: giving 1 job back")
    assert await asyncio.to_thread(gate.stopped.wait, 20)


async def test_told_twice_it_leaves_soon_even_when_nobody_answers(api, clock, start_worker, make_gate):
    gate = make_gate()
    worker, task = start_worker(gate)
    (await api.next("claim")).give()
    await gate.entered()
    worker.stop()
    worker.stop()
    await api.next("fail")
    clock.pass_time(await clock.slept(5))
    await task


async def test_told_twice_it_still_brings_a_result_that_it_has(api, clock, start_worker):
    worker, task = start_worker(fine)
    (await api.next("claim")).give()
    (await api.next("complete")).problem(503, "unavailable", "Busy.")
    wait = await clock.slept(0.25, 0.5)
    worker.stop()
    worker.stop()
    clock.pass_time(wait)
    (await api.next("complete")).answer(200, {})
    await task


async def test_a_slot_is_free_only_when_its_handler_has_let_go(api, clock, start_worker):
    release = threading.Event()

    async def deaf(_call):
        release.wait(60)

    worker, _ = start_worker(deaf, timeout_seconds=10)
    (await api.next("claim")).give()
    await clock.slept(10)
    clock.pass_time(10)
    (await api.next("fail")).answer(200, {})
    await clock.slept(30)
    assert worker.untidy
    assert api.unread() == 0
    release.set()
    await api.next("claim")
    assert not worker.untidy


async def test_a_worker_whose_every_handler_is_deaf_ends(api, clock, start_worker, lines):
    release = threading.Event()

    async def deaf(_call):
        release.wait(60)

    _, task = start_worker(deaf, timeout_seconds=10)
    (await api.next("claim")).give()
    await clock.slept(10)
    clock.pass_time(10)
    (await api.next("fail")).answer(200, {})
    clock.pass_time(await clock.slept(30))
    with pytest.raises(WorkerStuck, match="start the worker anew"):
        await task
    assert lines.show("job_1 x.toy.sum was told to stop and does not: its slot stays taken")
    release.set()


async def test_a_worker_that_cannot_say_what_it_does_ends(api, start_worker, lines, monkeypatch):
    _, task = start_worker(fine)
    (await api.next("claim")).give()
    completing = await api.next("complete")

    def broken(text):
        raise BrokenPipeError

    monkeypatch.setattr(lines, "event", broken)
    completing.answer(200, {})
    with pytest.raises(BrokenPipeError):
        await task


async def test_a_claim_that_lay_unread_while_the_process_stood_still_is_an_old_one(
    api, clock, start_worker, lines
):
    start_worker(fine)
    claim = await api.next("claim")
    clock.advance(seconds=25 + 60)
    claim.give(seconds=60)
    await api.next("claim")
    assert lines.show("dropped job_1 x.toy.sum after 0.0 s: its lease is over")
