"""Groups of a directory: teams, and roles in them or in the company."""

import pytest

from builtin_plugins.scim import group_reading, handlers
from builtin_plugins.scim.tests.conftest import directory_of
from builtin_plugins.scim.tests.test_people import kind

pytestmark = pytest.mark.shared_server


async def teams_of(hall, user_id):
    response = await hall.acme.org_owner.get("/api/org/members", params={"limit": 200})
    people = response.json()["items"]
    (person,) = [one for one in people if one["user_id"] == user_id]
    return {team["name"]: team["role"] for team in person["teams"]}, person["org_role"]


def members(*ids):
    return [{"value": one} for one in ids]


async def test_a_group_is_a_team_and_its_members_are_in_it(hall, directory):
    ada, ben = await directory.user("ada"), await directory.user("ben")
    group = await directory.group("Harbour", ada["id"], externalId="g-1")
    assert [one["value"] for one in group["members"]] == [ada["id"]]
    assert (await teams_of(hall, ada["id"]))[0]["Harbour"] == "member"
    teams = (await hall.acme.org_owner.get("/api/org/teams")).json()["items"]
    assert group["id"] in {team["id"] for team in teams}
    path = f"/Groups/{group['id']}"
    await directory.patch(path, {"op": "add", "path": "members", "value": members(ben["id"])})
    (user,) = await directory.find("Users", 'userName eq "ben"')
    assert "Harbour" in {one["display"] for one in user["groups"]}
    await directory.patch(path, {"op": "remove", "path": f'members[value eq "{ada["id"]}"]'})
    assert "Harbour" not in (await teams_of(hall, ada["id"]))[0]
    await directory.patch(path, {"op": "remove", "path": "members", "value": members(ben["id"])})
    assert "Harbour" not in (await teams_of(hall, ben["id"]))[0]
    await directory.patch(path, {"op": "replace", "path": "members", "value": members(ada["id"], ben["id"])})
    put = await directory.call(
        "PUT", path, {"displayName": "Quay", "members": members(ben["id"])}, expect=200
    )
    assert [one["value"] for one in put.json()["members"]] == [ben["id"]]
    assert (await teams_of(hall, ben["id"]))[0]["Quay"] == "member"


async def test_teams_that_are_there_are_groups(hall, directory):
    team = (await hall.acme.member.get("/api/whoami")).json()["team"]
    (found,) = await directory.find("Groups", f'displayName eq "{team["name"].upper()}"')
    assert found["id"] == team["id"]
    assert hall.acme.member.user_id in {one["value"] for one in found["members"]}
    response = await directory.call("POST", "/Groups", {"displayName": team["name"]})
    assert kind(response) == (409, "uniqueness")


async def test_a_role_group_gives_its_role_and_takes_it_away(hall, directory):
    ada = await directory.user("roles-ada")
    await directory.group("Deck", ada["id"])
    admins = await directory.group("Deck:admin", ada["id"])
    assert (await teams_of(hall, ada["id"]))[0]["Deck"] == "admin"
    path = f"/Groups/{admins['id']}"
    await directory.patch(path, {"op": "remove", "path": "members"})
    assert (await teams_of(hall, ada["id"]))[0]["Deck"] == "member"
    ben = await directory.user("roles-ben")
    await directory.patch(path, {"op": "add", "path": "members", "value": members(ben["id"])})
    assert (await teams_of(hall, ben["id"]))[0]["Deck"] == "admin"
    await directory.call("DELETE", path, expect=204)
    assert "Deck" not in (await teams_of(hall, ben["id"]))[0]


async def test_what_was_given_by_hand_comes_back(hall, directory):
    member = hall.acme.member
    team = (await member.get("/api/whoami")).json()["team"]
    before = (await teams_of(hall, member.user_id))[0][team["name"]]
    group = await directory.group(f"{team['name']}:admin", member.user_id)
    assert (await teams_of(hall, member.user_id))[0][team["name"]] == "admin"
    await directory.patch(f"/Groups/{group['id']}", {"op": "remove", "path": "members"})
    assert (await teams_of(hall, member.user_id))[0][team["name"]] == before


async def test_roles_in_the_company_come_by_groups_and_never_beyond_the_tokens_own(hall, directory):
    ada = await directory.user("company-ada")
    group = await directory.group("company:org_admin", ada["id"])
    assert (await teams_of(hall, ada["id"]))[1] == "org_admin"
    await directory.patch(f"/Groups/{group['id']}", {"op": "remove", "path": "members"})
    assert (await teams_of(hall, ada["id"]))[1] is None
    plain = await directory.group("company:org_owner", ada["id"])
    assert (await teams_of(hall, ada["id"]))[1] is None, "a team of that name, and no owner"
    await directory.call("DELETE", f"/Groups/{plain['id']}", expect=204)


async def test_deleting_a_group_lets_its_people_go_and_keeps_the_team(hall, directory):
    ada = await directory.user("goes-ada")
    group = await directory.group("Shortlived", ada["id"])
    await directory.call("DELETE", f"/Groups/{group['id']}", expect=204)
    assert kind(await directory.call("GET", f"/Groups/{group['id']}")) == (404, None)
    assert "Shortlived" not in (await teams_of(hall, ada["id"]))[0]
    teams = (await hall.acme.org_owner.get("/api/org/teams", params={"limit": 200})).json()["items"]
    assert group["id"] in {team["id"] for team in teams}
    again = await directory.group("Shortlived")
    assert again["id"] == group["id"]


async def test_groups_of_another_company_are_nothing_here(hall, directory, other_directory):
    theirs = await other_directory.group("Theirs", hall.globex.member.user_id)
    for method, body in (
        ("GET", None),
        ("PUT", {"displayName": "Mine"}),
        ("PATCH", {"Operations": [{"op": "remove", "path": "members"}]}),
        ("DELETE", None),
    ):
        assert kind(await directory.call(method, f"/Groups/{theirs['id']}", body)) == (404, None)
    assert await directory.find("Groups", 'displayName eq "Theirs"') == []
    assert await directory.find("Groups", f'members.value eq "{hall.globex.member.user_id}"') == []


async def test_groups_are_found_by_their_members(hall, directory):
    ada = await directory.user("found-ada")
    group = await directory.group("Findable", ada["id"])
    found = await directory.find("Groups", f'id eq "{group["id"]}" and members[value eq "{ada["id"]}"]')
    assert [one["id"] for one in found] == [group["id"]]
    found = await directory.find("Groups", f'members.value eq "{ada["id"]}" and displayName eq "findable"')
    assert [one["id"] for one in found] == [group["id"]]
    other = await directory.user("found-ben")
    assert not await directory.find("Groups", f'id eq "{group["id"]}" and members.value eq "{other["id"]}"')
    page = await directory.client.get("/scim/v2/Groups", params={"excludedAttributes": "members"})
    assert all("members" not in one for one in page.json()["Resources"])


async def test_an_admins_directory_makes_no_owner_and_owners_stay_in_their_teams(hall):
    admins = await directory_of(hall, hall.acme.org_admin)
    owner = hall.acme.owner
    team = (await owner.get("/api/whoami")).json()["team"]
    group = await admins.group(f"{team['name']}:viewer", owner.user_id)
    assert (await teams_of(hall, owner.user_id))[0][team["name"]] == "owner"
    await admins.call("DELETE", f"/Groups/{group['id']}", expect=204)
    assert (await teams_of(hall, owner.user_id))[0][team["name"]] == "owner"


async def test_groups_of_many_members_come_page_by_page_and_are_found(directory, monkeypatch):
    monkeypatch.setattr(group_reading, "PER_READ", 2)
    monkeypatch.setattr(group_reading, "MAX_LISTED", 4)
    ids = [(await directory.user(f"many-{number}"))["id"] for number in range(5)]
    made = [await directory.group(f"Many {number}", *ids) for number in range(2)]
    found, start = [], 1
    while True:
        answer = (await directory.call("GET", f"/Groups?startIndex={start}", expect=200)).json()
        if not answer["Resources"]:
            break
        assert answer["itemsPerPage"] == len(answer["Resources"])
        found += answer["Resources"]
        start += answer["itemsPerPage"]
    assert len(found) == answer["totalResults"]
    by_id = {one["id"]: one for one in found}
    for group in made:
        assert sorted(one["value"] for one in by_id[group["id"]]["members"]) == sorted(ids)
    text = f'displayName sw "Many" and members.value eq "{ids[4]}"'
    assert [one["id"] for one in await directory.find("Groups", text)] == [made[0]["id"]]
    answer = await directory.client.get("/scim/v2/Groups", params={"filter": text, "startIndex": "2"})
    assert [one["id"] for one in answer.json()["Resources"]] == [made[1]["id"]]
    terms = " and ".join([f'members.value eq "{ids[0]}"'] * 11)
    refused = await directory.client.get("/scim/v2/Groups", params={"filter": terms})
    assert (refused.status_code, refused.json()["scimType"]) == (400, "invalidFilter")


async def test_a_patch_of_a_group_of_many_members_is_answered_without_them(directory, monkeypatch):
    monkeypatch.setattr(handlers, "_SHOWN_MEMBERS", 1)
    ids = [(await directory.user(f"shown-{number}"))["id"] for number in range(2)]
    group = await directory.group("Shown", ids[0])
    add = {"op": "add", "path": "members", "value": [{"value": ids[1]}]}
    answer = await directory.patch(f"/Groups/{group['id']}", add, expect=204)
    assert not answer.content
    taken = {"op": "remove", "path": f'members[value eq "{ids[1]}"]'}
    answer = await directory.patch(f"/Groups/{group['id']}", taken)
    assert [one["value"] for one in answer.json()["members"]] == [ids[0]]
