"""Nobody is locked out for good: the last operator, a company's last org_owner, and who makes owners."""

import asyncio

import pytest

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


def refusal(response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


@pytest.fixture
async def office(hall):
    """The operator's own team, with an admin of it."""
    body = {"username": "office-admin", "role": "admin"}
    response = await hall.operator.post("/api/members", body)
    assert response.status_code == 201, response.text
    return hall.bearer(response.json()["token"])


async def test_an_admin_does_not_remove_the_only_operator(hall, office):
    path = f"/api/members/{hall.operator.user_id}"
    assert refusal(await office.delete(path)) == (409, "last_operator")
    assert refusal(await office.patch(path, {"role": "viewer"})) == (409, "last_operator")
    assert (await hall.operator.get("/api/admin/status")).status_code == 200


@pytest.mark.own_server
async def test_an_operator_does_not_remove_themself(hall, office):
    path = f"/api/members/{hall.operator.user_id}"
    assert refusal(await hall.operator.delete(path)) == (409, "last_operator")
    assert refusal(await hall.operator.patch(path, {"role": "admin"})) == (409, "last_operator")


async def test_the_last_membership_of_each_operator_stays(hall):
    other = await hall.join(hall.acme, "member", operator=True)
    path = f"/api/members/{other.user_id}"
    assert refusal(await hall.acme.owner.delete(path)) == (409, "last_operator")
    assert refusal(await hall.acme.owner.patch(path, {"role": "viewer"})) == (409, "last_operator")
    assert (await hall.acme.owner.patch(path, {"role": "admin"})).status_code == 200


async def test_an_operator_leaves_a_team_while_they_have_another(hall):
    other = await hall.join(hall.acme, "member", operator=True)
    second = hall.acme.second_team
    joined = await second.owner.post("/api/members", {"username": other.username, "role": "member"})
    assert joined.status_code == 201
    path = f"/api/members/{other.user_id}"
    assert (await second.owner.patch(path, {"role": "viewer"})).status_code == 200
    assert (await hall.acme.owner.delete(path)).status_code == 204
    assert refusal(await second.owner.delete(path)) == (409, "last_operator")


@pytest.mark.every_database
async def test_two_teams_that_remove_an_operator_at_once_leave_one_membership(hall):
    second = hall.acme.second_team
    for number in range(4):
        other = await hall.join(hall.acme, "member", operator=True, username=f"twofold-{number}")
        await second.owner.post("/api/members", {"username": other.username, "role": "member"})
        path = f"/api/members/{other.user_id}"
        answers = await asyncio.gather(hall.acme.owner.delete(path), second.owner.delete(path))
        assert sorted(answer.status_code for answer in answers) == [204, 409]
        assert {answer.json()["code"] for answer in answers if answer.content} == {"last_operator"}


async def test_a_companys_last_org_owner_stays(hall):
    acme = hall.acme
    path = f"/api/members/{acme.org_owner.user_id}"
    for by in (acme.owner, acme.admin, acme.org_admin):
        assert refusal(await by.delete(path)) == (409, "last_org_owner")
        assert refusal(await by.patch(path, {"role": "viewer"})) == (409, "last_org_owner")
    assert (await acme.org_owner.get("/api/org")).status_code == 200


async def test_an_org_owner_who_is_in_no_team_does_not_count(hall):
    acme = hall.acme
    other = await hall.join(acme, "owner", org_role="org_owner")
    assert (await acme.owner.delete(f"/api/members/{other.user_id}")).status_code == 204
    assert refusal(await acme.owner.delete(f"/api/members/{acme.org_owner.user_id}")) == (
        409,
        "last_org_owner",
    )


@pytest.mark.every_database
async def test_of_two_org_owners_who_are_removed_at_once_one_stays(hall):
    acme = hall.acme
    for number in range(4):
        other = await hall.join(acme, "owner", org_role="org_owner", username=f"co-owner-{number}")
        paths = [f"/api/members/{person.user_id}" for person in (other, acme.org_owner)]
        answers = await asyncio.gather(*(acme.owner.delete(path) for path in paths))
        assert sorted(answer.status_code for answer in answers) == [204, 409]
        assert {answer.json()["code"] for answer in answers if answer.content} == {"last_org_owner"}
        if answers[1].status_code == 204:  # so that the next round has the same two
            await acme.owner.post("/api/members", {"username": acme.org_owner.username, "role": "owner"})
            await acme.owner.delete(f"/api/members/{other.user_id}")


@pytest.mark.every_database
async def test_removing_one_org_owner_and_clearing_the_other_at_once_leaves_one(hall):
    acme = hall.acme
    other = await hall.join(acme, "owner", org_role="org_owner")
    answers = await asyncio.gather(
        acme.owner.delete(f"/api/members/{acme.org_owner.user_id}"),
        acme.org_owner.patch(f"/api/org/members/{other.user_id}", {"org_role": None}),
    )
    assert sorted(answer.status_code < 300 for answer in answers) == [False, True]
    if answers[0].status_code == 204:
        # Who was removed while they asked is in no team any more.
        refused = {(401, "unauthenticated"), (409, "last_org_owner"), (403, "permission_denied")}
        assert refusal(answers[1]) in refused
        assert (await other.get("/api/org")).status_code == 200
    else:
        assert refusal(answers[0]) == (409, "last_org_owner")


async def test_an_admin_makes_no_owner_of_themself_or_anybody(hall, new_account):
    acme, puppet = hall.acme, await new_account("member")
    for user_id in (acme.admin.user_id, puppet.user_id):
        response = await acme.admin.patch(f"/api/members/{user_id}", {"role": "owner"})
        assert refusal(response) == (403, "permission_denied")
    response = await acme.admin.post("/api/members", {"username": "new-owner", "role": "owner"})
    assert refusal(response) == (403, "permission_denied")
    assert (await acme.admin.get("/api/whoami")).json()["team"]["role"] == "admin"


async def test_an_admin_neither_demotes_nor_removes_an_owner(hall):
    acme = hall.acme
    path = f"/api/members/{acme.owner.user_id}"  # not the only one: the org_owner is owner too
    assert refusal(await acme.admin.patch(path, {"role": "member"})) == (403, "permission_denied")
    assert refusal(await acme.admin.delete(path)) == (403, "permission_denied")
    assert (await acme.owner.get("/api/whoami")).json()["team"]["role"] == "owner"


@pytest.mark.parametrize("who", ["owner", "org_admin", "operator"])
async def test_owners_come_from_an_owner_an_org_admin_or_an_operator(hall, who, new_account):
    by = await hall.join(hall.acme, "admin", operator=True) if who == "operator" else hall.acme[who]
    account = await new_account("member")
    path = f"/api/members/{account.user_id}"
    assert (await by.patch(path, {"role": "owner"})).status_code == 200
    assert (await by.patch(path, {"role": "member"})).status_code == 200


@pytest.mark.parametrize("who", ["org_admin", "operator"])
async def test_nobody_raises_their_own_role(hall, who):
    by = await hall.join(hall.acme, "admin", operator=True) if who == "operator" else hall.acme[who]
    path = f"/api/members/{by.user_id}"
    assert refusal(await by.patch(path, {"role": "owner"})) == (403, "permission_denied")
    assert (await by.get("/api/whoami")).json()["team"]["role"] == "admin"


async def test_a_scope_that_holds_less_than_an_owner_removes_none(hall):
    machine = await hall.with_token(hall.acme.owner, scope=["members:manage"])
    co_owner = await hall.join(hall.acme, "owner")
    assert refusal(await machine.delete(f"/api/members/{co_owner.user_id}")) == (403, "permission_denied")
