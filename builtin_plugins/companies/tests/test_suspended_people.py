"""People who are suspended, let in again, or removed from the company."""

import pytest

from guildhall_sdk import rfc3339

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


def code(response):
    return response.status_code, response.json().get("code")


async def suspend(by, person, verb="suspend"):
    return await by.post(f"/api/org/members/{person.user_id}/{verb}")


@pytest.mark.every_database
async def test_a_suspended_person_is_let_in_by_nothing_they_hold(hall):
    admin, person = hall.acme.org_admin, hall.acme.admin
    token = await hall.with_token(person)
    answer = await suspend(admin, person)
    assert (answer.status_code, answer.json()["status"]) == (200, "suspended")
    for client in (person, token):
        assert code(await client.get("/api/whoami")) == (403, "person_suspended")
        assert code(await client.post("/api/notes", {"title": "Still here"})) == (403, "person_suspended")
        assert code(await client.post("/api/mcp/server", {"jsonrpc": "2.0", "method": "ping", "id": 1})) == (
            403,
            "person_suspended",
        )
    body = {"username": person.username, "password": hall.password}
    assert code(await hall.anonymous.post("/api/login", body)) == (403, "person_suspended")
    wrong = {"username": person.username, "password": "not the password"}
    assert code(await hall.anonymous.post("/api/login", wrong)) == (401, "unauthenticated")
    people = (await hall.acme.member.get("/api/members")).json()["items"]
    assert {one["user_id"]: one["status"] for one in people}[person.user_id] == "suspended"

    assert (await suspend(admin, person, "resume")).json()["status"] == "active"
    assert (await person.get("/api/whoami")).status_code == 200
    assert (await token.get("/api/whoami")).status_code == 200


async def test_a_public_row_serves_who_is_suspended_as_anybody(hall):
    await suspend(hall.acme.org_admin, hall.acme.member)
    assert (await hall.acme.member.get("/api/branding")).status_code == 200


async def test_s3_keys_and_links_of_a_suspended_person_are_denied(hall):
    person = hall.acme.member
    put = await person.request("PUT", "/api/repo/a.txt", content=b"a", headers={"content-type": "text/plain"})
    assert put.status_code in (200, 201), put.text
    assert (await person.post("/api/s3/credentials", {})).status_code == 201
    made = await person.post(f"/api/repo-obj/{put.json()['id']}/presign", {})
    assert made.status_code in (200, 201), made.text
    url = made.json()["url"].removeprefix(hall.base_url)
    assert (await hall.anonymous.get(url)).status_code == 200
    await suspend(hall.acme.org_admin, person)
    denied = await hall.anonymous.get(url)
    assert denied.status_code == 403 and "AccessDenied" in denied.text


@pytest.mark.every_database
async def test_what_a_suspended_person_asked_for_ends(hall):
    person = hall.acme.member
    later = rfc3339(hall.clock.now_ms() + 3_600_000)
    body = {"kind": "x.example-tools.word-count", "payload": {"text": "one two"}, "run_at": later}
    asked = await person.post("/api/jobs", body)
    assert asked.status_code in (201, 202), asked.text
    others = (await hall.acme.admin.post("/api/jobs", body)).json()
    job_id = asked.json()["id"]
    await suspend(hall.acme.org_admin, person)
    job = (await hall.acme.owner.get(f"/api/jobs/{job_id}")).json()
    assert (job["state"], job["error"]["code"]) == ("cancelled", "person_suspended")
    assert (await hall.acme.owner.get(f"/api/jobs/{others['id']}")).json()["state"] == "queued"


async def test_nobody_locks_a_company_out_by_suspending(hall):
    acme = hall.acme
    assert code(await suspend(acme.org_admin, acme.org_admin)) == (409, "own_suspension")
    assert code(await suspend(acme.org_admin, acme.org_owner)) == (409, "last_org_owner")
    second = acme.owner
    made = await acme.org_owner.patch(f"/api/org/members/{second.user_id}", {"org_role": "org_owner"})
    assert made.status_code == 200
    assert code(await suspend(acme.org_admin, second)) == (403, "permission_denied")
    assert (await suspend(acme.org_owner, second)).status_code == 200
    # One who is suspended does not count among those who are left.
    other = await second.get("/api/org")
    assert code(other) == (403, "person_suspended")
    assert code(await suspend(acme.org_admin, acme.org_owner)) == (409, "last_org_owner")


@pytest.mark.own_server
async def test_the_last_operator_is_not_suspended(hall):
    who = (await hall.operator.get("/api/whoami")).json()
    owner = hall.operator
    # A colleague of the operator who manages their company.
    body = {"username": "deputy", "team": who["team"]["id"], "role": "member", "org_role": "org_owner"}
    added = await owner.post("/api/org/members", body)
    assert added.status_code == 201, added.text
    deputy = hall.bearer(added.json()["token"])
    refused = await deputy.post(f"/api/org/members/{who['user']['id']}/suspend")
    assert code(refused) == (409, "last_operator")


async def test_suspending_is_for_who_manages_the_company(hall):
    acme = hall.acme
    assert code(await suspend(acme.owner, acme.member)) == (403, "permission_denied")
    assert code(await suspend(acme.reader, acme.member)) == (403, "permission_denied")
    assert code(await suspend(hall.globex.org_owner, acme.member)) == (404, "not_found")


async def test_a_removed_person_is_gone_and_can_come_back(hall, actions_of):
    acme, person = hall.acme, hall.acme.member
    note = (await person.post("/api/notes", {"title": "Kept", "visibility": "team"})).json()
    removed = await acme.org_admin.delete(f"/api/org/members/{person.user_id}")
    assert removed.status_code == 204, removed.text
    assert (await person.get("/api/whoami")).status_code == 401
    people = (await acme.reader.get("/api/org/members")).json()["items"]
    assert person.user_id not in {one["user_id"] for one in people}
    assert (await acme.owner.get(f"/api/notes/{note['id']}")).json()["owner"]["id"] == person.user_id
    again = await acme.org_admin.delete(f"/api/org/members/{person.user_id}")
    assert code(again) == (404, "not_found")
    assert set((await actions_of(acme.reader))[:2]) == {"member.removed_from_company", "member.removed"}
    body = {"username": person.username, "password": hall.password}
    assert (await hall.anonymous.post("/api/login", body)).status_code == 401

    back = await acme.admin.post("/api/members", {"username": person.username, "role": "viewer"})
    assert back.status_code == 201, back.text
    listed = (await acme.viewer.get("/api/members")).json()["items"]
    assert {one["user_id"]: one["status"] for one in listed}[person.user_id] == "invited"


async def test_who_must_stay_is_not_removed(hall):
    acme = hall.acme
    assert code(await acme.org_admin.delete(f"/api/org/members/{acme.org_admin.user_id}")) == (
        409,
        "own_removal",
    )
    assert code(await acme.org_admin.delete(f"/api/org/members/{acme.org_owner.user_id}"))[0] == 409
    assert code(await acme.reader.delete(f"/api/org/members/{acme.member.user_id}")) == (
        403,
        "permission_denied",
    )
    assert code(await hall.globex.org_owner.delete(f"/api/org/members/{acme.member.user_id}")) == (
        404,
        "not_found",
    )
