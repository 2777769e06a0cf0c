"""Usage and limits through the front door."""

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

STORAGE = {"dimension": "storage.bytes", "limit": 100, "window": "none"}


async def rows(client, dimension):
    answer = await client.get("/api/usage")
    assert (answer.status_code, answer.json()["next_cursor"]) == (200, None)
    return {item["level"]: item for item in answer.json()["items"] if item["dimension"] == dimension}


async def test_everybody_sees_what_their_team_and_company_use(hall):
    await hall.acme.member.post("/api/notes", {"title": "12345"})
    for client in (hall.acme.viewer, hall.acme.second_team.viewer):
        found = await rows(client, "storage.bytes")
        assert found["org"]["used"] == 5
        assert found["team"]["used"] == (5 if client is hall.acme.viewer else 0)
    assert (await rows(hall.globex.owner, "storage.bytes"))["org"]["used"] == 0


async def test_a_dimension_without_a_limit_has_one_row_that_says_so(hall):
    assert await rows(hall.acme.viewer, "jobs.concurrency") == {
        level: {
            "dimension": "jobs.concurrency",
            "level": level,
            "used": 0,
            "limit": None,
            "remaining": None,
            "window": "none",
            "resets_at": None,
        }
        for level in ("org", "team")
    }


async def test_an_operator_limits_their_own_team_alone(hall):
    operator = await hall.join(hall.acme, "viewer", operator=True)
    answer = await operator.post("/api/quota", STORAGE)
    assert (answer.status_code, answer.json()) == (200, (await rows(operator, "storage.bytes"))["team"])
    assert answer.json()["limit"] == 100
    for elsewhere in (hall.acme.second_team.viewer, hall.globex.viewer):
        found = await rows(elsewhere, "storage.bytes")
        assert [found[level]["limit"] for level in ("team", "org")] == [None, None]
    lifted = await operator.post("/api/quota", {**STORAGE, "limit": None})
    assert (lifted.json()["limit"], lifted.json()["remaining"]) == (None, None)


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"dimension": "no.such"}, "/dimension"),
        ({"dimension": "Storage.bytes"}, "/dimension"),
        ({"window": "day"}, "/window"),
        ({"window": "week"}, "/window"),
        ({"limit": -1}, "/limit"),
        ({"limit": 1.5}, "/limit"),
        ({"limit": True}, "/limit"),
        ({"limit": "100"}, "/limit"),
    ],
)
async def test_a_limit_that_cannot_be_changes_nothing(hall, change, pointer):
    operator = await hall.join(hall.acme, operator=True)
    await operator.post("/api/quota", STORAGE)
    refused = await operator.post("/api/quota", {**STORAGE, **change})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
    assert [error["pointer"] for error in refused.json()["errors"]] == [pointer]
    assert (await rows(operator, "storage.bytes"))["team"]["limit"] == 100


async def test_the_largest_number_is_a_limit_too(hall):
    operator = await hall.join(hall.acme, operator=True)
    largest = 2**63 - 1
    answer = await operator.post("/api/quota", {**STORAGE, "limit": largest})
    assert (answer.status_code, answer.json()["limit"]) == (200, largest)
    assert (await operator.post("/api/quota", {**STORAGE, "limit": largest + 1})).status_code == 400


async def test_nobody_else_sets_limits(hall):
    for client in (hall.acme.owner, hall.acme.org_owner):
        refused = await client.post("/api/quota", STORAGE)
        assert (refused.status_code, refused.json()["permission"]) == (403, "instance:manage")


async def test_a_changed_limit_is_in_the_teams_trail(hall):
    operator = await hall.join(hall.acme, "owner", operator=True)
    await operator.post("/api/quota", STORAGE)
    (event,) = [
        item
        for item in (await hall.acme.owner.get("/api/audit")).json()["items"]
        if item["action"] == "quota.changed"
    ]
    assert event["target"] == {"type": "team", "id": hall.acme.team_id}
    assert event["detail"] == {**STORAGE, "from": None}
    assert event["actor"]["id"] == operator.user_id


async def test_the_first_company_has_the_enterprise_caps(open_hall):
    async with open_hall(populated=False) as hall:
        founder = {"username": "ada", "password": "a long enough password"}
        answer = await hall.anonymous.post("/api/bootstrap", founder)
        found = await rows(hall.bearer(answer.json()["token"]), "jobs.concurrency")
        assert (found["org"]["limit"], found["team"]["limit"]) == (32, None)


@pytest.mark.every_database
async def test_a_company_sees_what_each_team_used_and_an_admin_what_each_person_did_day_by_day(hall):
    for person in (hall.acme.member, hall.acme.member, hall.acme.admin):
        assert (await person.post("/api/ai/chat", {"prompt": "one two three"})).status_code == 200
    found, cursor = {}, ""
    while cursor is not None:
        answer = (await hall.acme.reader.get(f"/api/org/usage?limit=1{cursor}")).json()
        found |= {item["id"]: item for item in answer["items"]}
        cursor = answer["next_cursor"] and f"&cursor={answer['next_cursor']}"
    assert found[hall.acme.team_id]["requests"] == 3 and found[hall.acme.team_id]["tokens"] > 0
    assert found[hall.acme.second_team.id]["requests"] == 0
    assert hall.globex.team_id not in found
    refused = await hall.acme.admin.get("/api/org/usage")
    assert (refused.status_code, refused.json()["permission"]) == (403, "org:read")
    later = (await hall.acme.reader.get("/api/org/usage?from=2100-01-01T00:00:00Z")).json()["items"]
    assert {item["requests"] for item in later} == {0}

    async def days(client, user_id):
        items = (await client.get(f"/api/usage?by=day&user={user_id}")).json()["items"]
        return sum(item["requests"] for item in items)

    assert await days(hall.acme.admin, hall.acme.member.user_id) == 2
    # Whoever does not manage the team sees themselves, whoever they ask about.
    assert await days(hall.acme.member, hall.acme.admin.user_id) == 2
    assert await days(hall.acme.admin, hall.globex.member.user_id) == 0
