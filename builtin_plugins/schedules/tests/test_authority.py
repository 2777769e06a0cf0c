"""As whom the runs of a schedule act: a right that is gone stops it, and nobody uses another's."""

import pytest

from builtin_plugins.schedules.tests.conftest import SLUG

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


async def stopped_code(schedules, made, **time):
    """Returns why a schedule has stopped by its next time, at which it started nothing."""
    before = len(await schedules.runs(made))
    await schedules.pass_by(**(time or {"seconds": 60}))
    assert len(await schedules.runs(made)) == before
    stopped = (await schedules.read(made))["stopped"]
    return None if stopped is None else stopped["code"]


@pytest.mark.every_database
async def test_it_stops_where_its_owner_may_not_run_workflows_any_more(hall, schedules):
    admin = await hall.join(hall.acme, "admin")
    made = await schedules.create(as_=admin, every_seconds=60)
    await schedules.pass_by(seconds=60)
    await hall.acme.owner.patch(f"/api/members/{admin.user_id}", {"role": "viewer"})
    assert await stopped_code(schedules, made) == "permission_denied"
    assert "workflows:run" in (await schedules.read(made))["stopped"]["message"]
    assert await stopped_code(schedules, made, hours=2) == "permission_denied"
    trail = (await hall.acme.owner.get("/api/audit")).json()["items"]
    assert [one["detail"] for one in trail if one["action"] == "schedule.stopped"] == [
        {"code": "permission_denied"}
    ]


@pytest.mark.every_database
async def test_it_rests_with_a_suspended_person_and_goes_on_with_them(hall, schedules):
    admin = await hall.join(hall.acme, "admin")
    made = await schedules.create(as_=admin, every_seconds=60, missed="all")
    await hall.acme.org_owner.post(f"/api/org/members/{admin.user_id}/suspend")
    await hall.drain_jobs()
    assert (await schedules.read(made))["stopped"]["code"] == "person_suspended"
    assert await stopped_code(schedules, made, minutes=10) == "person_suspended"
    await hall.acme.org_owner.post(f"/api/org/members/{admin.user_id}/resume")
    await hall.drain_jobs()
    assert (await schedules.read(made))["stopped"] is None
    assert await schedules.runs(made) == []
    await schedules.pass_by(seconds=60)
    assert len(await schedules.runs(made)) == 1


@pytest.mark.every_database
async def test_it_stops_when_its_owner_leaves_and_goes_on_as_who_turns_it_on(hall, schedules, tools):
    admin = await hall.join(hall.acme, "admin")
    made = await schedules.create(as_=admin, every_seconds=60)
    await hall.acme.owner.delete(f"/api/members/{admin.user_id}")
    await hall.drain_jobs()
    assert (await schedules.read(made))["stopped"]["code"] == "person_removed"
    changed = await schedules.change(made, as_=hall.acme.admin, enabled=True)
    assert (changed["stopped"], changed["owner"]["id"]) == (None, hall.acme.admin.user_id)
    await schedules.pass_by(seconds=60)
    assert [call.principal.user_id for call in tools.calls] == [hall.acme.admin.user_id]


async def test_it_acts_in_the_scope_of_the_token_that_made_it_and_ends_with_it(hall, schedules, tools):
    scope = ["workflows:read", "workflows:write", "workflows:run"]
    issued = (await hall.acme.owner.post("/api/tokens", {"scope": scope})).json()
    made = await schedules.create(as_=hall.acme.owner.bearing(issued["token"]), every_seconds=60)
    await schedules.pass_by(seconds=60)
    assert [call.principal.permissions for call in tools.calls] == [set(scope)]
    await hall.acme.owner.delete(f"/api/tokens/{issued['id']}")
    assert await stopped_code(schedules, made) == "credential_revoked"


async def test_it_ends_with_the_token_that_expires(hall, schedules):
    issued = (await hall.acme.owner.post("/api/tokens", {"ttl": 90})).json()
    made = await schedules.create(as_=hall.acme.owner.bearing(issued["token"]), every_seconds=60)
    await schedules.pass_by(seconds=60)
    assert await stopped_code(schedules, made) == "credential_expired"


async def test_a_session_that_ends_ends_no_schedule(hall, schedules):
    admin = await hall.join(hall.acme, "admin")
    made = await schedules.create(as_=admin, cron="0 0 1 * *")
    await admin.post("/api/logout")
    await schedules.pass_by(days=70)
    assert len(await schedules.runs(made)) == 1


async def test_who_may_not_run_workflows_schedules_none(hall, schedules):
    token = await hall.with_token(hall.acme.owner, scope=["workflows:read", "workflows:write"])
    refused = await token.post("/api/schedules", {"workflow_slug": SLUG, "every_seconds": 60})
    assert (refused.status_code, refused.json()["permission"]) == (403, "workflows:run")


async def test_who_says_what_it_starts_is_who_it_acts_as(hall, schedules, tools):
    made = await schedules.create(every_seconds=60)
    scoped = await hall.with_token(
        hall.acme.admin, scope=["workflows:write", "workflows:read", "workflows:run"]
    )
    assert (await schedules.change(made, as_=scoped, every_seconds=30))["owner"] == made["owner"]
    await schedules.pass_by(seconds=30)
    assert "notes:read" in tools.calls[-1].principal.permissions
    changed = await schedules.change(made, as_=scoped, input={"value": "mine"})
    assert changed["owner"]["id"] == hall.acme.admin.user_id
    await schedules.pass_by(seconds=30)
    assert tools.calls[-1].principal.user_id == hall.acme.admin.user_id
    assert "notes:read" not in tools.calls[-1].principal.permissions


async def test_what_a_narrower_token_changes_of_the_times_narrows_nothing(hall, schedules, tools):
    made = await schedules.create(every_seconds=60, overlap="queue")
    narrow = await hall.with_token(hall.acme.admin, scope=["workflows:write", "workflows:read"])
    await schedules.change(made, as_=narrow, enabled=False)
    await schedules.change(made, as_=narrow, enabled=True)
    await schedules.pass_by(seconds=60)
    await schedules.pass_by(seconds=60)
    (first, second) = tools.calls
    assert first.principal.permissions == second.principal.permissions
    assert {"notes:read", "workflows:run"} <= first.principal.permissions
    assert first.principal.user_id == hall.acme.owner.user_id


@pytest.mark.every_database
async def test_a_workflow_that_is_gone_or_takes_something_else_stops_it(hall, schedules):
    given, other = [await schedules.create(every_seconds=60, input={"value": "x"}) for _ in range(2)]
    await schedules.publish(inputs={"value": {"type": "string"}, "more": {"type": "string"}})
    assert await stopped_code(schedules, given) == "invalid_input"
    assert "more" in (await schedules.read(other))["stopped"]["message"]
    await schedules.publish()
    assert await stopped_code(schedules, given) == "invalid_input"
    await schedules.change(given, enabled=True)
    await schedules.pass_by(seconds=60)
    assert len(await schedules.runs(given)) == 1


async def test_another_company_sees_nothing_of_it(hall, schedules):
    made = await schedules.create(every_seconds=60)
    stranger, path = hall.globex.owner, f"/api/schedules/{made['id']}"
    answers = [
        await stranger.get(path),
        await stranger.patch(path, {"enabled": False}),
        await stranger.delete(path),
        await stranger.post(f"{path}/run"),
    ]
    assert [answer.status_code for answer in answers] == [404] * 4
    assert (await stranger.get("/api/schedules")).json()["items"] == []
    assert await schedules.read(made) == made
