"""What starts when the time of a schedule has come, as whom, and what does not."""

import asyncio
from itertools import pairwise

import pytest

from builtin_plugins.schedules.planning import Planner
from builtin_plugins.schedules.starting import MAX_WAITING, ScheduleStarter, turn_of
from builtin_plugins.schedules.tests.test_times import schedule
from guildhall_sdk import Statement

LOSE = Statement("lose", *["DELETE FROM jobs WHERE id = :id"] * 2)
pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


@pytest.mark.every_database
async def test_a_workflow_starts_at_each_time_as_who_made_the_schedule(hall, schedules, tools):
    made = await schedules.create(every_seconds=60, input={"value": "tick"})
    await schedules.pass_by(seconds=59)
    assert await schedules.runs(made) == []
    await schedules.pass_by(seconds=1)
    await schedules.pass_by(seconds=60)
    assert await schedules.states(made) == ["succeeded"] * 2
    assert [call.value for call in tools.calls] == ["tick"] * 2
    assert {call.principal.user_id for call in tools.calls} == {hall.acme.owner.user_id}
    shown, runs = await schedules.read(made), await schedules.runs(made)
    assert shown["last_run_id"] == runs[-1]["id"]
    assert (shown["last_skipped"], shown["stopped"]) == (None, None)
    assert shown["last_at"] == made["next"][1]


@pytest.mark.every_database
async def test_a_time_starts_once_however_often_and_by_however_many_it_is_looked_at(hall, schedules):
    made = await schedules.create(every_seconds=60)
    hall.clock.advance(seconds=60)
    starter = schedules.starter()
    looks = [starter.look(hall.acme.id, made["id"]) for _ in range(8)]
    started = [run_id for run_id in await asyncio.gather(*looks) if run_id is not None]
    await hall.drain_jobs()
    assert [run["id"] for run in await schedules.runs(made)] == started
    assert len(started) == 1


async def test_the_grid_of_seconds_is_kept(hall, schedules):
    made = await schedules.create(every_seconds=60)
    await schedules.pass_by(seconds=85)  # late, and yet the next one is in time
    shown = await schedules.read(made)
    assert shown["next"][0] == made["next"][1]
    assert len(await schedules.runs(made)) == 1


@pytest.mark.parametrize(("missed", "started"), [("none", 0), ("last", 1), ("all", 5)])
@pytest.mark.every_database
async def test_what_was_missed_is_made_up_for_as_chosen(hall, schedules, missed, started):
    made = await schedules.create(every_seconds=3600, missed=missed)
    await schedules.pass_by(hours=5, minutes=20)
    assert await schedules.states(made) == ["succeeded"] * started
    shown = await schedules.read(made)
    assert shown["next"][0] > made["next"][4]
    assert shown["last_skipped"] == ("missed" if missed == "none" else None)
    await schedules.pass_by(minutes=40)
    assert len(await schedules.runs(made)) == started + 1


async def test_of_very_many_missed_ones_the_last_thousand_are_made_up_for(hall, schedules):
    for when in ({"every_seconds": 1}, {"cron": "* * * * *"}):
        one = schedule(missed="all", due_at=60_000, **when)
        turn = turn_of(one, 10_000_000_000)
        assert len(one.times.last(MAX_WAITING * 2, turn.time, turn.queued_until)) == MAX_WAITING
        assert turn.queued_until <= 10_000_000_000 < one.times.after(turn.queued_until)


@pytest.mark.every_database
async def test_a_start_is_left_out_while_the_run_before_goes_on(hall, schedules, tools):
    made = await schedules.create(every_seconds=60, overlap="skip")
    tools.held = True
    await schedules.pass_by(seconds=60)
    await schedules.pass_by(seconds=60)
    assert await schedules.states(made) == ["running"]
    assert (await schedules.read(made))["last_skipped"] == "overlap"
    tools.held = False
    await schedules.pass_by(seconds=30)
    await schedules.pass_by(seconds=30)
    assert await schedules.states(made) == ["succeeded"] * 2


@pytest.mark.every_database
async def test_starts_wait_in_a_queue_for_the_run_before(hall, schedules, tools):
    made = await schedules.create(every_seconds=60, overlap="queue")
    tools.held = True
    for _ in range(3):
        await schedules.pass_by(seconds=60)
    assert await schedules.states(made) == ["running"]
    tools.held = False
    await schedules.pass_by(seconds=20)
    assert await schedules.states(made) == ["succeeded"] * 3
    runs = await schedules.runs(made)
    assert all(before["finished_at"] <= after["created_at"] for before, after in pairwise(runs))
    await schedules.pass_by(seconds=40)
    assert await schedules.states(made) == ["succeeded"] * 4


@pytest.mark.every_database
async def test_a_start_cancels_the_run_before(hall, schedules, tools):
    made = await schedules.create(every_seconds=60, overlap="cancel")
    tools.held = True
    await schedules.pass_by(seconds=60)
    await schedules.pass_by(seconds=60)
    assert await schedules.states(made) == ["cancelled", "running"]
    tools.held = False
    await schedules.pass_by(seconds=30)
    assert await schedules.states(made) == ["cancelled", "succeeded"]


async def test_what_is_off_starts_nothing_and_goes_on_from_the_moment_it_is_turned_on(hall, schedules):
    made = await schedules.create(every_seconds=60, enabled=False, missed="all")
    await schedules.pass_by(minutes=5)
    await schedules.change(made, enabled=True)
    await schedules.pass_by(seconds=0)
    assert await schedules.runs(made) == []
    await schedules.pass_by(seconds=60)
    await schedules.change(made, enabled=False)
    await schedules.pass_by(minutes=5)
    assert len(await schedules.runs(made)) == 1


async def test_what_was_deleted_or_changed_starts_at_no_time_of_before(hall, schedules):
    gone, changed = [await schedules.create(every_seconds=60) for _ in range(2)]
    assert (await schedules.admin.delete(f"/api/schedules/{gone['id']}")).status_code == 204
    await schedules.change(changed, every_seconds=600)
    await schedules.pass_by(minutes=5)
    assert await schedules.runs(gone) == await schedules.runs(changed) == []
    await schedules.pass_by(minutes=5)
    assert len(await schedules.runs(changed)) == 1
    waiting = (await schedules.admin.get("/api/jobs?state=queued&kind=schedules.start")).json()["items"]
    assert len(waiting) == 1


async def test_it_can_be_started_by_hand_and_keeps_its_times(hall, schedules, tools):
    made = await schedules.create(every_seconds=3600)
    answer = await hall.acme.admin.post(f"/api/schedules/{made['id']}/run")
    assert answer.status_code == 202, answer.text
    assert answer.headers["Location"] == f"/api/runs/{answer.json()['id']}"
    await hall.drain_jobs()
    assert [call.principal.user_id for call in tools.calls] == [hall.acme.admin.user_id]
    shown = await schedules.read(made)
    assert (shown["last_run_id"], shown["next"]) == (answer.json()["id"], made["next"])


async def test_a_suspended_company_rests_and_goes_on(hall, schedules):
    made = await schedules.create(every_seconds=3600)
    await hall.suspend(hall.acme)
    await schedules.pass_by(hours=3)
    assert await schedules.runs(made) == []
    assert (await schedules.read(made))["stopped"] is None
    await hall.resume(hall.acme)
    await hall.drain_jobs()
    assert len(await schedules.runs(made)) == 1


async def test_while_workflows_are_off_nothing_starts(hall, schedules):
    made = await schedules.create(every_seconds=3600)
    await hall.set_feature(hall.acme, "workflows", False)
    await schedules.pass_by(hours=3)
    await hall.set_feature(hall.acme, "workflows", True)
    assert await schedules.runs(made) == []
    await schedules.pass_by(seconds=30)
    assert len(await schedules.runs(made)) == 1


async def test_the_clock_may_be_set_back(hall, schedules):
    made = await schedules.create(every_seconds=3600)
    await schedules.pass_by(hours=1)
    hall.clock.advance(hours=-1)
    await hall.drain_jobs()
    assert len(await schedules.runs(made)) == 1
    await schedules.pass_by(hours=2)
    assert len(await schedules.runs(made)) == 2


@pytest.mark.every_database
async def test_a_start_that_is_undone_half_way_is_made_once(hall, schedules, monkeypatch):
    made = await schedules.create(every_seconds=60)
    plan, failures = Planner.plan, [OSError("away"), OSError("away")]

    async def fail_first(planner, writer, schedule, at=None):
        await plan(planner, writer, schedule, at)
        if failures:
            raise failures.pop()

    monkeypatch.setattr(Planner, "plan", fail_first)
    await schedules.pass_by(seconds=60)
    assert await schedules.runs(made) == []
    for _ in range(4):
        await schedules.pass_by(seconds=5)
    assert (len(await schedules.runs(made)), failures) == (1, [])
    assert (await schedules.read(made))["next"][0] == made["next"][1]


async def test_a_look_that_fails_for_good_leaves_out_its_time_alone(hall, schedules, monkeypatch):
    made = await schedules.create(every_seconds=3600)

    async def fail(starter, schedule, now):
        raise OSError("away")

    with monkeypatch.context() as broken:
        broken.setattr(ScheduleStarter, "_look", fail)
        for _ in range(8):
            await schedules.pass_by(minutes=7, seconds=30)
    assert (await schedules.read(made))["last_skipped"] is None
    with monkeypatch.context() as broken:
        broken.setattr(ScheduleStarter, "_look", fail)
        for _ in range(8):
            await schedules.pass_by(minutes=1)
    assert (await schedules.read(made))["last_skipped"] == "failed"
    await schedules.pass_by(hours=1)
    assert len(await schedules.runs(made)) == 1


async def test_a_job_that_somebody_cancels_or_loses_keeps_no_later_time_from_its_start(hall, schedules):
    cancelled, lost = [await schedules.create(every_seconds=3600) for _ in range(2)]
    jobs = (await schedules.admin.get("/api/jobs?kind=schedules.start")).json()["items"]
    by_schedule = {job["payload"]["schedule_id"]: job["id"] for job in jobs}
    assert (await schedules.admin.post(f"/api/jobs/{by_schedule[cancelled['id']]}/cancel")).status_code == 200
    assert (await schedules.read(cancelled))["last_skipped"] == "cancelled"
    async with hall.server.data.write() as writer:
        await writer.run(LOSE, id=by_schedule[lost["id"]])
    await hall.server.host.service(Planner).plan_lost()
    await schedules.pass_by(hours=1)
    assert (len(await schedules.runs(cancelled)), len(await schedules.runs(lost))) == (0, 1)
    await schedules.pass_by(hours=1)
    assert len(await schedules.runs(cancelled)) == 1


@pytest.mark.every_database
async def test_they_go_with_what_is_in_a_team_to_another(hall, schedules, tools):
    owner, rita_of = hall.acme.org_owner, "rita-of-schedules"
    team = (await owner.post("/api/org/teams", {"name": "Night"})).json()
    added = await owner.post("/api/org/members", {"username": rita_of, "team": team["id"], "role": "owner"})
    rita = hall.bearer(added.json()["token"])
    await schedules.publish(slug="nightly", as_=rita)
    made = await schedules.create(as_=rita, workflow_slug="nightly", every_seconds=60)
    path = f"/api/org/teams/{team['id']}"
    refused = await owner.delete(path)
    assert (refused.status_code, "schedules" in refused.json()["detail"]) == (409, True)
    assert (await owner.request("DELETE", path, {"move_to": hall.acme.id})).status_code == 204
    await schedules.pass_by(seconds=60)
    assert await schedules.states(made) == ["succeeded"]
    assert [call.principal.username for call in tools.calls] == [rita_of]
