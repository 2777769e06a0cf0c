"""People as a directory makes, finds, changes and lets go of them."""

import pytest

from builtin_plugins.scim import people, searching
from builtin_plugins.scim.tests.conftest import directory_of

pytestmark = pytest.mark.shared_server

ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"


def kind(response):
    body = response.json()
    assert body["schemas"] == ["urn:ietf:params:scim:api:messages:2.0:Error"]
    assert response.headers["content-type"] == "application/scim+json"
    assert body["status"] == str(response.status_code)
    return response.status_code, body.get("scimType")


async def people_of(client):
    return {one["username"]: one for one in (await client.get("/api/org/members")).json()["items"]}


async def test_a_person_comes_with_name_address_and_team(hall, directory):
    made = await directory.user(
        "ada@acme.test",
        externalId="x-1",
        name={"givenName": "Ada", "familyName": "Lovelace"},
        emails=[{"value": "ada@acme.test", "primary": True}],
        **{ENTERPRISE: {"department": "Sums"}},
    )
    assert made["active"] is True and made["meta"]["resourceType"] == "User"
    assert made[ENTERPRISE] == {"department": "Sums"}
    read = await directory.call("GET", f"/Users/{made['id']}", expect=200)
    assert read.json() == made | {"groups": read.json()["groups"]}
    assert read.headers["etag"] == read.json()["meta"]["version"]
    assert made["meta"]["location"].endswith(f"/scim/v2/Users/{made['id']}")
    person = (await people_of(hall.acme.org_owner))["ada@acme.test"]
    assert person["display_name"] == "Ada Lovelace"
    assert [one["role"] for one in person["teams"]] == ["member"]


async def test_a_name_is_there_once_in_a_company(hall, directory, other_directory):
    await directory.user("Grace")
    assert kind(await directory.call("POST", "/Users", {"userName": "gRACE"})) == (409, "uniqueness")
    member = hall.acme.member.username
    assert kind(await directory.call("POST", "/Users", {"userName": member})) == (409, "uniqueness")
    # Another company's names are nothing to this one, and nobody learns of them.
    theirs = await other_directory.user("Grace")
    assert theirs["userName"] == "Grace"
    assert (await other_directory.user(member))["userName"] == member


async def test_people_made_by_hand_are_found_and_taken_over(hall, directory):
    member = hall.acme.member
    (found,) = await directory.find("Users", f'userName eq "{member.username.upper()}"')
    assert found["id"] == member.user_id and found["active"] is True
    await directory.patch(
        f"/Users/{member.user_id}",
        {"op": "add", "path": "externalId", "value": "e-7"},
        {"op": "replace", "value": {"displayName": "Renamed by the directory"}},
    )
    (again,) = await directory.find("Users", 'externalId eq "e-7"')
    assert again["displayName"] == "Renamed by the directory"
    assert (await member.get("/api/whoami")).json()["user"]["display_name"] == "Renamed by the directory"


async def test_whoever_is_deactivated_is_out_at_once(hall, directory):
    person = hall.acme.member
    token = await hall.with_token(person)
    made = await person.post("/api/jobs", {"kind": "x.example-tools.word-count", "payload": {"text": "a b"}})
    assert made.status_code in (201, 202), made.text
    for operation in (
        {"op": "replace", "path": "active", "value": False},
        {"op": "Replace", "value": {"active": "False"}},
    ):
        answer = await directory.patch(f"/Users/{person.user_id}", operation)
        assert answer.json()["active"] is False
        for client in (person, token):
            response = await client.get("/api/whoami")
            assert (response.status_code, response.json()["code"]) == (403, "person_suspended")
        await directory.patch(f"/Users/{person.user_id}", {"op": "replace", "path": "active", "value": True})
        assert (await person.get("/api/whoami")).status_code == 200


async def test_putting_a_person_without_active_lets_nobody_in_again(hall, directory):
    made = await directory.user("quiet", active=False)
    assert made["active"] is False
    put = await directory.call(
        "PUT", f"/Users/{made['id']}", {"userName": "quiet", "title": "Dr"}, expect=200
    )
    assert put.json()["active"] is False and put.json()["title"] == "Dr"


async def test_who_is_deleted_is_gone_and_their_name_is_free(hall, directory):
    made = await directory.user("short-lived", externalId="gone")
    await directory.call("DELETE", f"/Users/{made['id']}", expect=204)
    assert kind(await directory.call("GET", f"/Users/{made['id']}")) == (404, None)
    assert kind(await directory.call("DELETE", f"/Users/{made['id']}")) == (404, None)
    assert "short-lived" not in await people_of(hall.acme.org_owner)
    again = await directory.user("short-lived")
    assert again["id"] != made["id"]


async def test_owners_and_operators_are_not_a_directory_of_admins_to_change(hall):
    admins = await directory_of(hall, hall.acme.org_admin)
    owner = hall.acme.org_owner
    change = {"op": "replace", "path": "emails", "value": [{"value": "mine@evil.test"}]}
    assert kind(await admins.patch(f"/Users/{owner.user_id}", change, expect=403)) == (403, None)
    off = {"op": "replace", "path": "active", "value": False}
    response = await admins.patch(f"/Users/{owner.user_id}", off, expect=None)
    assert response.status_code in (403, 409)
    response = await admins.call("DELETE", f"/Users/{owner.user_id}")
    assert response.status_code in (403, 409)
    assert (await owner.get("/api/whoami")).status_code == 200


async def test_the_last_owner_stays(hall, directory):
    owner = hall.acme.org_owner
    off = {"op": "replace", "path": "active", "value": False}
    assert kind(await directory.patch(f"/Users/{owner.user_id}", off, expect=409)) == (409, None)
    assert (await owner.get("/api/whoami")).status_code == 200


async def test_a_write_of_what_somebody_else_changed_is_refused(hall, directory):
    made = await directory.user("versions")
    etag = made["meta"]["version"]
    changed = {"op": "replace", "path": "title", "value": "Captain"}
    unchanged = await directory.call("GET", f"/Users/{made['id']}")
    etag = unchanged.headers["etag"]
    first = await directory.call(
        "PATCH", f"/Users/{made['id']}", {"Operations": [changed]}, expect=200, **{"If-Match": etag}
    )
    assert first.headers["etag"] != etag
    for method, body in (("PATCH", {"Operations": [changed]}), ("PUT", {"userName": "versions"})):
        late = await directory.call(method, f"/Users/{made['id']}", body, **{"If-Match": etag})
        assert kind(late) == (412, None)
    late = await directory.call("DELETE", f"/Users/{made['id']}", **{"If-Match": etag})
    assert kind(late) == (412, None)
    same = await directory.call("GET", f"/Users/{made['id']}", **{"If-None-Match": first.headers["etag"]})
    assert same.status_code == 304


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"userName": ""},
        {"userName": "a\u0001b"},
        {"userName": "x" * 300},
        {"userName": 7},
        {"userName": "ok", "active": "perhaps"},
        {"userName": "ok", "emails": "ada@acme.test"},
        {"userName": "ok", "emails": [{"value": "no address"}]},
        {
            "userName": "ok",
            "emails": [{"value": "a@b.test", "primary": True}, {"value": "c@d.test", "primary": True}],
        },
        {"userName": "ok", "displayName": "x\ny"},
        {"userName": "ok", "name": []},
    ],
)
async def test_what_is_no_person_is_refused_in_words(directory, body):
    response = await directory.call("POST", "/Users", body)
    assert kind(response) == (400, "invalidValue")
    assert len(response.json()["detail"]) > 10


async def test_lists_go_page_by_page_and_show_what_is_asked_for(hall, directory):
    for number in range(5):
        await directory.user(f"pages-{number}", title="Paged")
    shown = []
    start = 1
    while True:
        query = {"startIndex": start, "count": 2, "filter": 'title eq "paged"', "attributes": "userName"}
        page = (await directory.client.get("/scim/v2/Users", params=query)).json()
        assert page["totalResults"] == 5
        if not page["Resources"]:
            break
        shown += page["Resources"]
        start += 2
    assert sorted(one["userName"] for one in shown) == [f"pages-{number}" for number in range(5)]
    assert {*shown[0]} == {"schemas", "id", "userName"}
    total = (await directory.client.get("/scim/v2/Users", params={"count": 0})).json()
    assert total["Resources"] == [] and total["totalResults"] >= 5
    body = {"filter": 'title eq "Paged"', "excludedAttributes": ["meta", "title"], "count": 1}
    (one,) = (await directory.call("POST", "/Users/.search", body, expect=200)).json()["Resources"]
    assert "meta" not in one and "title" not in one and one["active"] is True


@pytest.mark.parametrize("text", [r'id eq "\u0000"', r'userName eq "\ud83d"', r'externalId eq "\udfff"'])
async def test_no_filter_reaches_the_database_with_what_it_does_not_take(directory, text):
    for path in ("/Users", "/Groups"):
        response = await directory.client.get(f"/scim/v2{path}", params={"filter": text})
        assert kind(response) == (400, "invalidFilter")


async def test_parts_of_what_has_none_are_left_out(directory):
    await directory.user("parts")
    for names in ("schemas.u", "schemas.urn,emails.value.x", "userName.x"):
        query = {"filter": 'userName eq "parts"', "attributes": names}
        page = await directory.client.get("/scim/v2/Users", params=query)
        assert page.status_code == 200, page.text
        assert {*page.json()["Resources"][0]} == {"schemas", "id"}
        query = {"filter": 'userName eq "parts"', "excludedAttributes": names}
        page = await directory.client.get("/scim/v2/Users", params=query)
        assert page.json()["Resources"][0]["userName"] == "parts"


async def test_the_filters_of_a_patch_are_so_long_together_and_no_longer(directory):
    person = await directory.user("patched", emails=[{"value": "p@acme.test", "type": "work"}])
    terms = " or ".join(['type eq "work"'] * 20)
    one = {"op": "replace", "path": f"emails[{terms}].display", "value": "P"}
    shown = (await directory.patch(f"/Users/{person['id']}", *[one] * 5)).json()
    assert shown["emails"][0]["display"] == "P"
    assert kind(await directory.patch(f"/Users/{person['id']}", *[one] * 6, expect=400)) == (
        400,
        "invalidFilter",
    )


async def test_scim_of_one_company_never_sees_or_touches_another(hall, directory, other_directory):
    theirs = await other_directory.user("theirs", externalId="secret-id")
    person = hall.globex.member
    for user_id in (theirs["id"], person.user_id):
        for method, body in (
            ("GET", None),
            ("PUT", {"userName": "mine"}),
            ("PATCH", {"Operations": [{"op": "replace", "path": "active", "value": False}]}),
            ("DELETE", None),
        ):
            assert kind(await directory.call(method, f"/Users/{user_id}", body)) == (404, None)
    for text in ('externalId eq "secret-id"', f'id eq "{theirs["id"]}"', f'userName eq "{person.username}"'):
        assert await directory.find("Users", text) == []
    assert await directory.find("Users", 'userName sw "theirs"') == []
    group = await directory.group("Only ours")
    add = {"op": "add", "path": "members", "value": [{"value": theirs["id"]}]}
    response = await directory.patch(f"/Groups/{group['id']}", add, expect=400)
    assert kind(response) == (400, "invalidValue")
    everybody = (await directory.client.get("/scim/v2/Users")).json()["Resources"]
    assert not {one["id"] for one in everybody} & {theirs["id"], person.user_id}
    assert (await person.get("/api/whoami")).status_code == 200


async def test_people_of_many_groups_are_shown_and_tried_in_steps(directory, monkeypatch):
    monkeypatch.setattr(people, "_FEW_GROUPS", 0)
    monkeypatch.setattr(searching, "_FEW", 1)
    ids = [(await directory.user(f"stepped-{number}", externalId="stepped"))["id"] for number in range(2)]
    group = await directory.group("Stepped", ids[1])
    text = f'externalId eq "stepped" and groups.value eq "{group["id"]}"'
    assert [one["id"] for one in await directory.find("Users", text)] == [ids[1]]
    query = {"filter": text, "attributes": "groups.display"}
    (shown,) = (await directory.client.get("/scim/v2/Users", params=query)).json()["Resources"]
    assert {"display": "Stepped"} in shown["groups"] and {*shown} == {"schemas", "id", "groups"}


async def test_everybody_is_tried_by_what_no_index_knows(directory, monkeypatch):
    monkeypatch.setattr(searching, "_PER_READ", 2)
    monkeypatch.setattr(searching, "_PER_STEP", 1)
    made = [await directory.user(f"tried-{number}", title=f"Mate {number % 2}") for number in range(5)]
    group = await directory.group("Tried", made[3]["id"])
    found = await directory.find("Users", 'title eq "mate 1"')
    assert [one["id"] for one in found] == [made[1]["id"], made[3]["id"]]
    assert found[0]["meta"] == made[1]["meta"]
    text = f'groups.value eq "{group["id"]}"'
    assert [one["id"] for one in await directory.find("Users", text)] == [made[3]["id"]]
    version = made[2]["meta"]["version"].replace('"', '\\"')
    (found,) = await directory.find("Users", f'meta.version eq "{version}"')
    assert found["id"] == made[2]["id"]
    query = {"filter": 'title sw "Mate"', "startIndex": "2", "count": "2"}
    answer = (await directory.client.get("/scim/v2/Users", params=query)).json()
    assert [one["id"] for one in answer["Resources"]] == [made[1]["id"], made[2]["id"]]
    assert answer["totalResults"] == 5
