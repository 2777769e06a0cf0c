"""The rows of schedules: what they take, refuse and show."""

import pytest

from builtin_plugins.schedules.tests.conftest import SLUG

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


@pytest.mark.every_database
async def test_a_schedule_is_made_read_changed_listed_and_deleted(hall, schedules):
    owner = hall.acme.owner
    given = {
        "workflow_slug": SLUG,
        "cron": "30 8 * * MON-FRI",
        "timezone": "Europe/Amsterdam",
        "input": {"value": "ü"},
        "missed": "all",
        "overlap": "queue",
        "enabled": True,
    }
    answer = await owner.post("/api/schedules", given)
    made = answer.json()
    assert answer.headers["Location"] == f"/api/schedules/{made['id']}"
    assert {name: made[name] for name in given} == given
    assert made["owner"] == {
        "id": owner.user_id,
        "name": (await owner.get("/api/whoami")).json()["user"]["display_name"],
    }
    assert (made["every_seconds"], made["last_run_id"], made["stopped"], made["source"]) == (None,) * 4
    assert len(made["next"]) == 5
    assert sorted(made["next"]) == made["next"]
    assert await schedules.read(made, as_=hall.acme.viewer) == made
    assert (await hall.acme.viewer.get("/api/schedules")).json()["items"] == [made]
    changed = await schedules.change(made, every_seconds=90)
    assert (changed["cron"], changed["every_seconds"], changed["input"]) == (None, 90, {"value": "ü"})
    assert (await schedules.change(made, cron="0 0 * * *"))["every_seconds"] is None
    assert (await owner.delete(f"/api/schedules/{made['id']}")).status_code == 204
    assert (await owner.get(f"/api/schedules/{made['id']}")).status_code == 404
    trail = (await owner.get("/api/audit")).json()["items"]
    actions = [one["action"] for one in trail if one["target"] and one["target"]["id"] == made["id"]]
    assert actions == ["schedule.deleted", "schedule.updated", "schedule.updated", "schedule.created"]
    assert "ü" not in str(trail)


async def test_what_is_left_out_has_a_default(hall, schedules):
    made = await schedules.create(every_seconds=1)
    told = {name: made[name] for name in ("timezone", "input", "missed", "overlap", "enabled")}
    assert told == {"timezone": "UTC", "input": {}, "missed": "last", "overlap": "skip", "enabled": True}


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"cron": "0 0 30 2 *"}, "/cron"),
        ({"cron": "0 0 * * *", "every_seconds": 5}, "/cron"),
        ({}, "/cron"),
        ({"every_seconds": 0}, "/every_seconds"),
        ({"every_seconds": 1.5}, "/every_seconds"),
        ({"every_seconds": True}, "/every_seconds"),
        ({"every_seconds": 10**12}, "/every_seconds"),
        ({"every_seconds": 5, "timezone": "nowhere"}, "/timezone"),
        ({"every_seconds": 5, "missed": "some"}, "/missed"),
        ({"every_seconds": 5, "overlap": None}, "/overlap"),
        ({"every_seconds": 5, "input": {"nothing": 1}}, "/input/nothing"),
        ({"every_seconds": 5, "input": {"value": 1}}, "/input/value"),
        ({"every_seconds": 5, "input": {"value": "x" * 70_000}}, "/input"),
        ({"every_seconds": 5, "workflow_slug": "not-there"}, "/workflow_slug"),
        ({"every_seconds": 5, "owner": "somebody"}, "/owner"),
    ],
)
async def test_what_is_wrong_is_refused_at_its_place(hall, schedules, fields, pointer):
    answer = await hall.acme.owner.post("/api/schedules", {"workflow_slug": SLUG, **fields})
    assert answer.status_code == 400, answer.text
    assert answer.json()["errors"][0]["pointer"] == pointer
    assert (await hall.acme.owner.get("/api/schedules")).json()["items"] == []


async def test_a_change_is_checked_as_a_new_one_is(hall, schedules):
    made = await schedules.create(cron="0 0 * * *")
    for fields in (
        {"cron": "x"},
        {"timezone": "x"},
        {"cron": None},
        {"workflow_slug": "x"},
        {"every_seconds": 0},
    ):
        answer = await hall.acme.owner.patch(f"/api/schedules/{made['id']}", fields)
        assert answer.status_code == 400, fields
    assert await schedules.read(made) == made
    assert await schedules.change(made) == made


async def test_who_may_not_change_workflows_reads_alone(hall, schedules):
    made, path = await schedules.create(every_seconds=60), "/api/schedules"
    for client in (hall.acme.member, hall.acme.viewer):
        refused = [
            await client.post(path, {"workflow_slug": SLUG, "every_seconds": 1}),
            await client.patch(f"{path}/{made['id']}", {"enabled": False}),
            await client.delete(f"{path}/{made['id']}"),
            await client.post(f"{path}/{made['id']}/run"),
        ]
        assert [answer.json()["permission"] for answer in refused] == ["workflows:write"] * 4
    assert (await hall.anonymous.get(path)).status_code == 401


async def test_the_next_times_of_what_is_not_saved_yet_are_shown(hall):
    asked = "cron=0+8+*+*+MON&timezone=Europe/Amsterdam"
    times = (await hall.acme.viewer.get(f"/api/schedule-times?{asked}")).json()["next"]
    assert len(times) == 5
    every = (await hall.acme.viewer.get("/api/schedule-times?every_seconds=60")).json()["next"]
    assert len(every) == 5
    refused = await hall.acme.viewer.get("/api/schedule-times?cron=0+0+30+2+*")
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "/cron")


@pytest.mark.every_database
async def test_a_list_has_pages(hall, schedules):
    made = []
    for _ in range(5):
        hall.clock.advance(seconds=1)
        made.insert(0, (await schedules.create(cron="0 0 1 1 *"))["id"])
    first = (await hall.acme.viewer.get("/api/schedules?limit=3")).json()
    rest = (await hall.acme.viewer.get(f"/api/schedules?limit=3&cursor={first['next_cursor']}")).json()
    assert [one["id"] for one in first["items"] + rest["items"]] == made
    assert rest["next_cursor"] is None
