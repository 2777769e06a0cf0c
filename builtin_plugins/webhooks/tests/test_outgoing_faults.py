"""Receivers that fail, hang, redirect or are gone, and servers that are killed meanwhile."""

import pytest

from builtin_plugins.webhooks import sending
from builtin_plugins.webhooks.sending import Sender
from builtin_plugins.webhooks.waiting import Waiting, plan_lost

pytestmark = pytest.mark.shared_server


async def test_what_fails_is_tried_again_within_ten_seconds_under_the_same_id(hall, outgoing, receiver):
    webhook = await outgoing.create()
    receiver.answer(b"Not now", 500)
    await outgoing.write_note()
    [delivery] = await outgoing.deliveries(webhook)
    assert (delivery["state"], delivery["error"], delivery["response"]["body"]) == (
        "waiting",
        "status_500",
        "Not now",
    )
    receiver.answer(b"", 204)
    await outgoing.pass_by(seconds=10)
    assert outgoing.ids == [delivery["id"]] * 2
    [delivery] = await outgoing.deliveries(webhook)
    assert (delivery["state"], delivery["attempts"]) == ("delivered", 2)
    assert (await outgoing.read(webhook))["failing_since"] is None


async def test_after_a_day_of_failures_it_is_off_and_says_why(hall, outgoing, receiver):
    webhook = await outgoing.create()
    receiver.answer(b"", 500)
    await outgoing.write_note()
    for _ in range(60):
        await outgoing.pass_by(minutes=30)
    stopped = await outgoing.read(webhook)
    assert (stopped["enabled"], stopped["stopped"]["code"]) == (False, "receiver_failing")
    [delivery] = await outgoing.deliveries(webhook)
    assert (delivery["state"], delivery["next_at"]) == ("failed", None)
    assert 8 <= len(receiver.requests) <= 15
    actions = [one["action"] for one in (await outgoing.owner.get("/api/audit")).json()["items"]]
    assert "webhook.stopped" in actions
    told = (await outgoing.owner.get("/api/notifications")).json()["items"]
    assert [one["link"] for one in told if one["kind"] == "webhooks.stopped"] == [
        f"/webhooks/out/{webhook['id']}"
    ]
    sent = len(receiver.requests)
    await outgoing.write_note()
    assert len(receiver.requests) == sent
    receiver.answer(b"", 200)
    await outgoing.owner.patch(f"/api/webhooks/{webhook['id']}", {"enabled": True})
    await outgoing.write_note()
    assert len(receiver.requests) == sent + 1


async def test_many_that_wait_for_who_does_not_answer_are_few_attempts(hall, outgoing, receiver):
    webhook = await outgoing.create()
    receiver.answer(b"", 503)
    for number in range(12):
        await outgoing.write_note(f"Tar {number}")
    for _ in range(12):
        await outgoing.pass_by(minutes=10)
    assert len(receiver.requests) <= 40
    receiver.answer(b"", 200)
    await outgoing.pass_by(hours=9)
    await outgoing.pass_by(seconds=1)
    assert {one["state"] for one in await outgoing.deliveries(webhook)} == {"delivered"}
    assert len({*outgoing.ids}) == 12


async def test_what_is_sent_again_by_hand_does_not_wait_for_the_end_of_a_rest(hall, outgoing, receiver):
    webhook = await outgoing.create()
    receiver.answer(b"", 503)
    for number in range(4):
        await outgoing.write_note(f"Tar {number}")
    await outgoing.pass_by(hours=3)
    receiver.answer(b"", 200)
    waiting = [one for one in await outgoing.deliveries(webhook) if one["state"] == "waiting"]
    path = f"/api/webhooks/{webhook['id']}/deliveries/{waiting[0]['id']}/redeliver"
    assert (await outgoing.owner.post(path)).status_code == 202
    await hall.drain_jobs()
    assert {one["state"] for one in await outgoing.deliveries(webhook)} == {"delivered"}


async def test_who_is_gone_for_good_is_sent_nothing_any_more(hall, outgoing, receiver):
    webhook = await outgoing.create()
    receiver.answer(b"", 410)
    await outgoing.write_note()
    assert (await outgoing.read(webhook))["stopped"]["code"] == "receiver_gone"


async def test_a_redirect_inward_leads_nowhere(hall, outgoing, receiver):
    webhook = await outgoing.create()
    receiver.answer(b"", 307, Location=f"{receiver.url}/elsewhere")
    await outgoing.write_note()
    assert [line for line, _, _ in receiver.requests] == ["POST /in HTTP/1.1"]
    [delivery] = await outgoing.deliveries(webhook)
    assert (delivery["state"], delivery["error"]) == ("waiting", "status_307")


async def test_who_hangs_holds_up_nobody_for_long(hall, outgoing, receiver, monkeypatch):
    monkeypatch.setattr(sending, "TIMEOUT_SECONDS", 0.1)
    webhook = await outgoing.create()
    receiver.silent = True
    await outgoing.write_note()
    [delivery] = await outgoing.deliveries(webhook)
    assert (delivery["state"], delivery["error"]) == ("waiting", "outbound_timeout")
    receiver.silent = False
    await outgoing.pass_by(seconds=10)
    assert (await outgoing.deliveries(webhook))[0]["state"] == "delivered"


async def test_a_long_answer_is_cut(hall, outgoing, receiver):
    webhook = await outgoing.create()
    receiver.answer(b"x" * 100_000)
    await outgoing.write_note()
    [delivery] = await outgoing.deliveries(webhook)
    assert (delivery["state"], len(delivery["response"]["body"])) == ("delivered", sending.MAX_RESPONSE)


async def test_killed_after_it_was_sent_it_is_sent_again_with_the_same_id(outgoing, monkeypatch):
    webhook, record = await outgoing.create(), Sender._record

    async def killed(self, webhook, outcomes):
        raise OSError("the process is gone")

    monkeypatch.setattr(Sender, "_record", killed)
    await outgoing.write_note()
    assert [one["state"] for one in await outgoing.deliveries(webhook)] == ["waiting"]
    monkeypatch.setattr(Sender, "_record", record)
    await outgoing.pass_by(minutes=1)
    assert len(outgoing.ids) >= 2
    assert len({*outgoing.ids}) == 1
    assert [one["state"] for one in await outgoing.deliveries(webhook)] == ["delivered"]


async def test_what_lost_its_job_is_sent_after_the_next_start(hall, outgoing, receiver, monkeypatch):
    webhook, plan = await outgoing.create(), Waiting.plan

    async def nothing(self, writer, webhook, **more):
        return None

    monkeypatch.setattr(Waiting, "plan", nothing)
    await outgoing.write_note()
    monkeypatch.setattr(Waiting, "plan", plan)
    assert receiver.requests == []
    await plan_lost(hall.server.host_of("webhooks"))
    await hall.drain_jobs()
    assert [one["state"] for one in await outgoing.deliveries(webhook)] == ["delivered"]


async def test_a_job_that_is_cancelled_loses_nothing(hall, outgoing, receiver):
    webhook = await outgoing.create()
    receiver.answer(b"", 500)
    await outgoing.write_note()
    receiver.answer(b"", 200)
    jobs = (await outgoing.owner.get("/api/jobs?kind=webhooks.send&state=queued")).json()["items"]
    assert jobs
    for job in jobs:
        cancelled = await outgoing.owner.post(f"/api/jobs/{job['id']}/cancel")
        assert cancelled.status_code == 200, cancelled.text
    await outgoing.pass_by(minutes=2)
    assert [one["state"] for one in await outgoing.deliveries(webhook)] == ["delivered"]


async def test_too_much_that_waits_turns_it_off(hall, outgoing, receiver, monkeypatch):
    monkeypatch.setattr("builtin_plugins.webhooks.waiting.MAX_WAITING", 2)
    webhook = await outgoing.create()
    receiver.answer(b"", 500)
    for number in range(3):
        await outgoing.write_note(f"Tar {number}")
    assert (await outgoing.read(webhook))["stopped"]["code"] == "too_many_waiting"
