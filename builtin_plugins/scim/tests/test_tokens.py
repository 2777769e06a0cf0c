"""Tokens of directories: who gets one, what it opens, and when it ends."""

import pytest

from builtin_plugins.scim.tests.conftest import directory_of

pytestmark = pytest.mark.shared_server


def code(response):
    return response.status_code, response.json()["code"]


async def test_whoever_manages_the_company_gets_a_token_and_nobody_else(hall):
    for admin in (hall.acme.org_owner, hall.acme.org_admin):
        response = await admin.post("/api/tokens", {"kind": "scim"})
        assert response.status_code == 201, response.text
        made = response.json()
        assert made["token"].startswith("gscim_") and made["expires_at"] is not None
    for nobody in (hall.acme.admin, hall.acme.owner, hall.acme.member):
        assert code(await nobody.post("/api/tokens", {"kind": "scim"})) == (403, "permission_denied")
    response = await hall.acme.org_owner.post("/api/tokens", {"kind": "other"})
    assert code(response) == (400, "invalid_request") and "scim" in response.json()["detail"]
    response = await hall.acme.org_owner.post("/api/tokens", {"kind": "scim", "scope": ["notes:read"]})
    assert code(response) == (400, "invalid_request")


async def test_it_opens_scim_and_nothing_else(hall, directory):
    assert (await directory.client.get("/scim/v2/Users")).status_code == 200
    for method, path in (
        ("GET", "/api/whoami"),
        ("GET", "/api/members"),
        ("GET", "/api/notes"),
        ("GET", "/api/org"),
        ("POST", "/api/tokens"),
        ("POST", "/api/mcp/server"),
        ("GET", "/scim/v3/Users"),
    ):
        response = await directory.client.request(method, path)
        assert response.status_code in (401, 404), (path, response.text)
    for token in ("gscim_", f"gscim_{'x' * 43}", directory.token[:-1], directory.token + "x"):
        response = await hall.bearer(token).get("/scim/v2/Users")
        assert response.status_code == 401
        assert response.json()["schemas"] == ["urn:ietf:params:scim:api:messages:2.0:Error"]
    assert (await hall.anonymous.get("/scim/v2/Users")).status_code == 401
    assert (await hall.acme.member.get("/scim/v2/Users")).status_code == 403


async def test_it_is_listed_and_ends_when_it_is_revoked(hall, directory):
    owner = hall.acme.org_owner
    listed = (await owner.get("/api/org/scim-tokens")).json()["items"]
    assert directory.token_id in {one["id"] for one in listed}
    assert all("token" not in one for one in listed)
    mine = next(one for one in listed if one["id"] == directory.token_id)
    assert mine["prefix"] == directory.token[:10]
    assert code(await hall.globex.org_owner.delete(f"/api/tokens/{directory.token_id}")) == (404, "not_found")
    path = f"/api/org/scim-tokens/{directory.token_id}"
    assert code(await hall.globex.org_owner.delete(path)) == (404, "not_found")
    assert code(await hall.acme.admin.delete(f"/api/tokens/{directory.token_id}")) == (404, "not_found")
    assert (await owner.delete(f"/api/tokens/{directory.token_id}")).status_code == 204
    assert (await directory.client.get("/scim/v2/Users")).status_code == 401
    second = await directory_of(hall, owner)
    shown = {one["id"]: one for one in (await owner.get("/api/tokens")).json()["items"]}
    assert shown[second.token_id]["kind"] == "scim" and directory.token_id not in shown
    assert second.token_id not in (await hall.acme.admin.get("/api/tokens")).text
    assert second.token_id not in (await hall.globex.org_owner.get("/api/tokens")).text
    await owner.post("/api/tokens", {"name": "export", "scope": ["notes:read"]})
    pages, after = [], ""
    while after is not None:
        answer = (await owner.get(f"/api/tokens?limit=1{after and '&cursor=' + after}")).json()
        pages += [one["id"] for one in answer["items"]]
        after = answer["next_cursor"]
    assert second.token_id in pages and len(pages) == len({*pages}) > 1
    assert (await owner.delete(f"/api/org/scim-tokens/{second.token_id}")).status_code == 204
    assert (await second.client.get("/scim/v2/Users")).status_code == 401


@pytest.mark.own_server
async def test_it_ends_by_itself(hall):
    made = (await hall.acme.org_owner.post("/api/tokens", {"kind": "scim", "ttl": 60})).json()
    client = hall.bearer(made["token"])
    assert (await client.get("/scim/v2/Users")).status_code == 200
    hall.clock.advance(seconds=61)
    assert (await client.get("/scim/v2/Users")).status_code == 401


async def test_it_ends_with_its_makers_rights_and_stay(hall):
    admin = hall.acme.org_admin
    directory = await directory_of(hall, admin)
    path = f"/api/org/members/{admin.user_id}"
    assert (await hall.acme.org_owner.post(f"{path}/suspend")).status_code == 200
    response = await directory.client.get("/scim/v2/Users")
    assert response.status_code == 403
    assert (await hall.acme.org_owner.post(f"{path}/resume")).status_code == 200
    assert (await directory.client.get("/scim/v2/Users")).status_code == 200
    assert (await hall.acme.org_owner.patch(path, {"org_role": None})).status_code == 200
    assert (await directory.client.get("/scim/v2/Users")).status_code == 403
    assert (await hall.acme.org_owner.delete(path)).status_code == 204
    assert (await directory.client.get("/scim/v2/Users")).status_code == 401


async def test_a_company_has_so_many_and_no_more(hall):
    statuses = [
        (await hall.globex.org_owner.post("/api/tokens", {"kind": "scim"})).status_code for _ in range(22)
    ]
    assert statuses[0] == 201 and statuses[-1] == 409


@pytest.mark.own_server
async def test_it_says_about_when_it_was_used(hall):
    owner = hall.acme.org_owner
    directory = await directory_of(hall, owner)

    async def last_used():
        (listed,) = (await owner.get("/api/org/scim-tokens")).json()["items"]
        return listed["last_used_at"]

    assert await last_used() is None
    assert (await directory.client.get("/scim/v2/Users")).status_code == 200
    first = await last_used()
    assert first is not None
    hall.clock.advance(seconds=60)
    await directory.client.get("/scim/v2/Users")
    assert await last_used() == first
    hall.clock.advance(minutes=5)
    await directory.client.get("/scim/v2/Users")
    assert await last_used() > first
