"""The people of a team."""

import asyncio

import pytest

from guildhall_sdk.principal import TEAM_ROLES

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


def refusal(response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


async def test_a_new_person_gets_a_first_session_of_seven_days(hall):
    body = {"username": "grace", "role": "member", "display_name": "Grace Hopper", "locale": "nl"}
    response = await hall.acme.admin.post("/api/members", body)
    assert response.status_code == 201
    member, token = response.json()["member"], response.json()["token"]
    assert response.headers["location"] == f"/api/members/{member['user_id']}"
    assert member == {
        "user_id": member["user_id"],
        "username": "grace",
        "display_name": "Grace Hopper",
        "role": "member",
    }
    who = (await hall.bearer(token).get("/api/whoami")).json()
    assert (who["team"]["id"], who["org"]["id"], who["locale"]) == (hall.acme.team_id, hall.acme.org_id, "nl")
    assert (who["operator"], who["org_role"]) == (False, None)
    hall.clock.advance(days=7)
    assert (await hall.bearer(token).get("/api/whoami")).status_code == 401


async def test_a_colleague_joins_another_team_as_they_are(hall, account):
    body = {"username": account.username.upper(), "role": "viewer", "password": "somebody else's choice"}
    response = await hall.acme.second_team.owner.post("/api/members", body)
    assert (response.status_code, response.json()["token"]) == (201, None)
    assert response.json()["member"]["user_id"] == account.user_id
    assert (await account.login("somebody else's choice")).status_code == 401
    assert (await account.login()).status_code == 200
    again = await hall.acme.second_team.owner.post("/api/members", body)
    assert refusal(again) == (409, "already_member")


async def test_a_name_of_another_company_is_taken(hall, account):
    for typed in (account.username, account.username.upper(), f"ｐ{account.username[1:]}"):
        response = await hall.globex.owner.post("/api/members", {"username": typed, "role": "viewer"})
        assert refusal(response) == (409, "username_taken")


@pytest.mark.every_database
async def test_adding_one_person_many_times_at_once_adds_one(hall):
    body = {"username": "hedy", "role": "member"}
    answers = await asyncio.gather(*(hall.acme.owner.post("/api/members", body) for _ in range(12)))
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 11
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {"already_member"}


@pytest.mark.every_database
async def test_two_companies_that_want_one_name_at_once_get_one(hall):
    body = {"username": "joan", "role": "member"}
    teams = [hall.acme.owner, hall.globex.owner] * 4
    answers = await asyncio.gather(*(owner.post("/api/members", body) for owner in teams))
    assert [answer.status_code for answer in answers].count(201) == 1
    assert {answer.status_code for answer in answers} == {201, 409}


@pytest.mark.parametrize(
    ("role", "granted"),
    [
        ("owner", {"viewer", "member", "admin", "owner"}),
        ("admin", {"viewer", "member", "admin"}),
        ("operator", set(TEAM_ROLES)),
    ],
)
async def test_nobody_grants_a_permission_they_do_not_hold(hall, role, granted):
    by = hall.operator if role == "operator" else hall.acme[role]
    for wanted in TEAM_ROLES:
        response = await by.post("/api/members", {"username": f"new-{wanted}-by-{role}", "role": wanted})
        assert (response.status_code == 201) is (wanted in granted)
        if wanted not in granted:
            assert refusal(response) == (403, "permission_denied")
            named = hall.server.roles.held_by(wanted) | {"instance:manage", "org:manage"}
            assert response.json()["permission"] in named


async def test_a_scope_cannot_be_left_by_adding_a_person(hall):
    machine = await hall.with_token(hall.acme.owner, scope=["members:manage"])
    response = await machine.post("/api/members", {"username": "puppet", "role": "owner"})
    assert refusal(response) == (403, "permission_denied")


@pytest.mark.parametrize("role", ["member", "viewer"])
async def test_managing_members_needs_the_permission(hall, account, role):
    by, path = hall.acme[role], f"/api/members/{account.user_id}"
    for response in (
        await by.post("/api/members", {"username": "x", "role": "viewer"}),
        await by.patch(path, {"role": "viewer"}),
        await by.delete(path),
    ):
        assert refusal(response) == (403, "permission_denied")
        assert response.json()["permission"] == "members:manage"


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"username": " grace"}, "/username"),
        ({"username": "grace\n"}, "/username"),
        ({"username": "gr\u200bace"}, "/username"),
        ({"username": ""}, "/username"),
        ({"username": "g" * 65}, "/username"),
        ({"role": "king"}, "/role"),
        ({"password": "short"}, "/password"),
        ({"password": "grace12345"}, "/password"),
        ({"locale": "x"}, "/locale"),
        ({"display_name": ""}, "/display_name"),
        ({"org_id": "org_1"}, "/org_id"),
        ({"operator": True}, "/operator"),
    ],
)
async def test_a_malformed_person_is_refused_by_field(shared_hall, wrong, pointer):
    body, owner = {"username": "grace", "role": "viewer", **wrong}, shared_hall.acme.owner
    before = (await owner.get("/api/members")).json()
    response = await owner.post("/api/members", body)
    assert refusal(response) == (400, "invalid_request")
    assert response.json()["errors"][0]["pointer"] == pointer
    assert (await owner.get("/api/members")).json() == before


@pytest.mark.every_database
async def test_everyone_sees_the_members_page_by_page(hall):
    everyone, cursor = [], None
    while True:
        params = {"limit": 3, **({"cursor": cursor} if cursor else {})}
        answer = (await hall.acme.viewer.get("/api/members", params=params)).json()
        everyone += answer["items"]
        cursor = answer["next_cursor"]
        if cursor is None:
            break
        assert len(answer["items"]) == 3
    whole = (await hall.acme.viewer.get("/api/members")).json()
    assert whole == {"items": everyone, "next_cursor": None}
    names = [member["username"] for member in everyone]
    assert len(names) == len(set(names)) == 8
    assert all(name.startswith(f"{hall.acme.slug}-") for name in names)


async def test_a_new_role_counts_at_the_next_request(hall, new_account):
    account = await new_account("admin")
    machine = hall.bearer((await account.client.post("/api/tokens", {})).json()["token"])
    assert (await machine.get("/api/tokens")).status_code == 200
    path = f"/api/members/{account.user_id}"
    changed = await hall.acme.admin.patch(path, {"role": "viewer"})
    assert (changed.status_code, changed.json()["role"]) == (200, "viewer")
    for client in (account.client, machine):
        assert refusal(await client.get("/api/tokens")) == (403, "permission_denied")


async def test_a_role_is_granted_by_the_same_rule_when_it_is_changed(hall, account):
    path = f"/api/members/{account.user_id}"
    for wanted in ("translator", "localizer", "worker"):
        assert refusal(await hall.acme.owner.patch(path, {"role": wanted})) == (403, "permission_denied")
    assert refusal(await hall.acme.owner.patch(path, {"role": "king"})) == (400, "invalid_request")


async def test_a_removed_member_is_out_at_once_and_stays_out(hall, new_account):
    account = await new_account("admin")
    machine = hall.bearer((await account.client.post("/api/tokens", {"ttl": "never"})).json()["token"])
    assert (await hall.acme.admin.delete(f"/api/members/{account.user_id}")).status_code == 204
    for client in (account.client, machine):
        assert (await client.get("/api/whoami")).status_code == 401
    joined = await hall.acme.admin.post("/api/members", {"username": account.username, "role": "viewer"})
    assert (joined.status_code, joined.json()["token"]) == (201, None)
    for client in (account.client, machine):
        assert (await client.get("/api/whoami")).status_code == 401


async def test_removal_from_one_team_leaves_the_other(hall, account):
    await hall.acme.second_team.owner.post("/api/members", {"username": account.username, "role": "viewer"})
    elsewhere = await account.session(team=hall.acme.second_team.id)
    await hall.acme.admin.delete(f"/api/members/{account.user_id}")
    assert (await account.client.get("/api/whoami")).status_code == 401
    assert (await elsewhere.get("/api/whoami")).status_code == 200


async def test_the_last_owner_stays(hall):
    second = hall.acme.second_team
    path = f"/api/members/{second.owner.user_id}"
    for response in (await second.admin.delete(path), await second.owner.patch(path, {"role": "admin"})):
        assert refusal(response) == (409, "last_owner")
    await second.owner.patch(f"/api/members/{second.admin.user_id}", {"role": "owner"})
    assert (await second.owner.delete(path)).status_code == 204


async def test_strangers_are_not_found(hall):
    strangers = [hall.globex.member.user_id, hall.acme.second_team.member.user_id, "usr_nobody", "%00", "é"]
    for stranger in strangers:
        path = f"/api/members/{stranger}"
        assert (await hall.acme.owner.patch(path, {"role": "viewer"})).status_code in {404, 400}
        assert (await hall.acme.owner.delete(path)).status_code in {404, 400}
    assert (await hall.globex.member.get("/api/whoami")).status_code == 200


async def test_changes_are_in_the_trail(hall, account):
    path = f"/api/members/{account.user_id}"
    await hall.acme.owner.patch(path, {"role": "viewer"})
    await hall.acme.owner.patch(path, {"role": "viewer"})
    await hall.acme.owner.delete(path)
    events = (await hall.acme.owner.get("/api/audit")).json()["items"]
    about = [event for event in events if event["target"] == {"type": "user", "id": account.user_id}]
    assert [event["action"] for event in about] == ["member.removed", "member.role_changed", "member.added"]
    assert about[1]["detail"]["from"] == "member"
    assert about[1]["detail"]["to"] == "viewer"
