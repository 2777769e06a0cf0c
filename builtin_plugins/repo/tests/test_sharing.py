"""Visibility and grants: who sees an object, and who may do what with it."""

import pytest

from guildhall_sdk import rfc3339

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]

HOUR = 3600 * 1000


async def rights(client, found):
    """What the client can do, tried without changing anything: a stale tag stops each."""
    path, stale = f"/api/repo-obj/{found['id']}", {"If-Match": '"stale"'}
    tried = {
        "read": await client.get(path),
        "manage": await client.post(f"{path}/visibility", {"visibility": "team"}, headers=stale),
        "delete": await client.delete(path, headers=stale),
    }
    return {name for name, response in tried.items() if response.status_code in (200, 412)}


async def test_what_is_private_is_the_owners_alone(hall, upload, listed, content):
    found = await upload(hall.acme.member, "a", visibility="private")
    assert await rights(hall.acme.member, found) == {"read", "manage", "delete"}
    for other in (hall.acme.owner, hall.acme.colleague, hall.acme.org_owner, hall.operator):
        assert await rights(other, found) == set()
        assert await content(other, found) == 404
        assert await listed(other) == []


async def test_what_is_the_teams_follows_the_role(hall, upload):
    found = await upload(hall.acme.member, "a")
    assert await rights(hall.acme.viewer, found) == {"read"}
    assert await rights(hall.acme.colleague, found) == {"read"}
    assert await rights(hall.acme.admin, found) == {"read", "manage", "delete"}
    assert await rights(hall.acme.second_team.owner, found) == set()
    assert await rights(hall.globex.owner, found) == set()


@pytest.mark.parametrize(
    ("capability", "expected", "writes"),
    [
        ("view", {"read"}, 409),
        ("edit", {"read"}, 200),
        ("manage", {"read", "manage", "delete"}, 200),
    ],
)
async def test_a_grant_gives_what_its_capability_says(hall, upload, share, capability, expected, writes):
    author, colleague = hall.acme.member, hall.acme.colleague
    found = await upload(author, "a", visibility="private")
    grants = await share(author, found, capability, user=colleague)
    assert [entry["capability"] for entry in grants["items"]] == [capability]
    assert (await author.get(f"/api/repo-obj/{found['id']}")).json()["visibility"] == "shared"
    assert await rights(colleague, found) == expected
    assert await rights(hall.acme.owner, found) == set()
    assert (await colleague.put("/api/repo/a", content=b"x")).status_code == writes


async def test_a_grant_admits_whatever_the_role_says(hall, upload, share, content):
    viewer = hall.acme.viewer
    found = await upload(hall.acme.member, "a", b"one", visibility="private")
    await share(hall.acme.member, found, "edit", user=viewer)
    assert (await viewer.put("/api/repo/a", content=b"two")).status_code == 200
    assert (await viewer.put("/api/repo/b", content=b"two")).status_code == 403
    assert await content(viewer, found) == b"two"


async def test_a_grant_to_a_team_reaches_its_people_and_never_another_company(
    hall, upload, share, listed, content
):
    second = hall.acme.second_team
    found = await upload(hall.acme.member, "a", b"here")
    await share(hall.acme.member, found, "view", team=second.id)
    assert await content(second.viewer, found) == b"here"
    assert await listed(second.viewer, shared="1") == ["a"]
    assert await listed(hall.acme.member, shared="1") == []
    assert await listed(hall.acme.viewer, shared="1") == []
    foreign = hall.globex
    for holder in ({"user": foreign.member}, {"team": foreign.team_id}):
        answer = await share(hall.acme.member, found, "view", expect=400, **holder)
        assert answer["errors"][0]["pointer"] == "/principal_id"


async def test_a_grant_ends_by_itself(hall, upload, share, content, listed):
    author, colleague = hall.acme.member, hall.acme.colleague
    found = await upload(author, "a", b"here", visibility="private")
    ends = hall.clock.now_ms() + HOUR
    await share(author, found, "manage", user=colleague, expires_at=rfc3339(ends))
    assert await content(colleague, found) == b"here"
    assert await listed(colleague, shared="1") == ["a"]
    hall.clock.advance(milliseconds=HOUR)
    assert await content(colleague, found) == 404
    assert await listed(colleague, shared="1") == await listed(colleague) == []
    entry = (await author.get(f"/api/repo-obj/{found['id']}/grants")).json()["items"][0]
    assert (entry["expired"], entry["expires_at"]) == (True, rfc3339(ends))


async def test_the_list_of_grants_says_who_gave_what(hall, upload, share):
    author, colleague = hall.acme.member, hall.acme.colleague
    found = await upload(author, "a")
    await share(author, found, "view", user=colleague)
    grants = await share(author, found, "edit", user=colleague)
    entry = grants["items"][0]
    assert entry == {
        "principal_type": "user",
        "principal_id": colleague.user_id,
        "name": colleague.username,
        "capability": "edit",
        "permissions": ["files:read", "files:write"],
        "granted_by": author.user_id,
        "granted_by_name": author.username,
        "granted_at": entry["granted_at"],
        "expires_at": None,
        "expired": False,
    }
    assert len(grants["items"]) == 1
    assert (await colleague.get(f"/api/repo-obj/{found['id']}/grants")).status_code == 403


async def test_the_list_of_grants_has_pages(hall, upload, share):
    author, path = hall.acme.member, "/api/repo-obj/{id}/grants"
    found = await upload(author, "a")
    holders = [hall.acme.colleague, hall.acme.viewer, hall.acme.admin, hall.acme.owner, hall.acme.reader]
    for holder in holders:
        await share(author, found, "view", user=holder)
    seen, cursor = [], None
    while True:
        query = {"limit": 2, **({"cursor": cursor} if cursor else {})}
        page = (await author.get(path.format(**found), params=query)).json()
        seen.append([entry["principal_id"] for entry in page["items"]])
        if (cursor := page["next_cursor"]) is None:
            break
    assert [len(ids) for ids in seen] == [2, 2, 1]
    assert {one for ids in seen for one in ids} == {holder.user_id for holder in holders}
    for query in ({"limit": 0}, {"limit": 201}, {"limit": "x"}, {"cursor": "bm9uZQ"}):
        assert (await author.get(path.format(**found), params=query)).status_code == 400


async def test_the_older_way_to_share_means_view(hall, upload, content):
    author, colleague = hall.acme.member, hall.acme.colleague
    found = await upload(author, "a", b"here", visibility="private")
    response = await author.post(f"/api/repo-obj/{found['id']}/share", {"user_id": colleague.user_id})
    assert response.json()["items"][0]["capability"] == "view"
    assert await content(colleague, found) == b"here"


@pytest.mark.every_database
async def test_what_is_revoked_is_gone_at_once_and_again_is_no_error(hall, upload, share, content):
    author, colleague = hall.acme.member, hall.acme.colleague
    found = await upload(author, "a", b"here", visibility="private")
    await share(author, found, "manage", user=colleague)
    for _ in range(2):
        response = await author.post(f"/api/repo-obj/{found['id']}/unshare", {"user_id": colleague.user_id})
        assert (response.status_code, response.json()["items"]) == (200, [])
    assert await content(colleague, found) == 404


async def test_a_grant_sleeps_while_the_object_is_private(hall, upload, share, content, listed):
    author, colleague = hall.acme.member, hall.acme.colleague
    found = await upload(author, "a", b"here")
    await share(author, found, "manage", user=colleague)
    path = f"/api/repo-obj/{found['id']}/visibility"
    assert (await author.post(path, {"visibility": "private"})).json()["visibility"] == "private"
    assert await content(colleague, found) == 404
    assert await listed(colleague, shared=1) == []
    await author.post(path, {"visibility": "shared"})
    assert await content(colleague, found) == b"here"
    assert await listed(colleague, shared=1) == ["a"]


async def test_what_was_given_is_listed_while_it_is_there(hall, upload, share, listed):
    """In both kinds of list, to a person and to a team; also what is a document."""
    author, colleague, elsewhere = hall.acme.member, hall.acme.colleague, hall.acme.second_team.owner
    found = await upload(author, "a/b.md", b"# Here", visibility="private")
    await share(author, found, user=colleague)
    await share(author, found, team=hall.acme.second_team.id)

    async def seen(client):
        documents = (await client.get("/api/documents")).json()["items"]
        folders = (await client.get("/api/repo?shared=1&delimiter=/")).json()["folders"]
        return await listed(client, shared=1), folders, [document["key"] for document in documents]

    path = f"/api/repo-obj/{found['id']}"
    for client in (colleague, elsewhere):
        assert await seen(client) == (["a/b.md"], ["a/"], ["a/b.md"])
    assert (await author.delete(f"{path}?keep=1")).status_code == 204
    for client in (colleague, elsewhere):
        assert await seen(client) == ([], [], [])
    assert (await author.post(f"{path}/restore", {})).status_code == 200
    for client in (colleague, elsewhere):
        assert await seen(client) == (["a/b.md"], ["a/"], ["a/b.md"])


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/principal_type"),
        ({"principal_type": "user", "principal_id": "usr_x"}, "/capability"),
        ({"principal_type": "user", "capability": "view"}, "/principal_id"),
        ({"principal_type": "user", "principal_id": "usr_x", "capability": "view"}, "/principal_id"),
        ({"principal_type": "team", "principal_id": "team_x", "capability": "view"}, "/principal_id"),
        ({"user_id": "usr_x"}, "/user_id"),
        ({"user_id": "usr_x", "capability": "edit"}, "/capability"),
        ({"user_id": "usr_x", "principal_id": "usr_x"}, "/principal_id"),
    ],
)
@pytest.mark.any_database
async def test_a_share_that_names_nobody_is_refused_at_its_place(hall, upload, body, pointer):
    found = await upload(hall.acme.member, "a")
    response = await hall.acme.member.post(f"/api/repo-obj/{found['id']}/share", body)
    assert response.status_code == 400
    assert [error["pointer"] for error in response.json()["errors"]] == [pointer]


@pytest.mark.parametrize(
    "ends",
    [
        "yesterday",
        "2001-01-01T00:00:00Z",
        "2030-01-01",
        "2030-01-01T00:00:00",
        "0001-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59-14:00",
    ],
)
@pytest.mark.any_database
async def test_an_end_that_is_none_or_past_is_refused(hall, upload, share, ends):
    found = await upload(hall.acme.member, "a")
    answer = await share(
        hall.acme.member, found, "view", user=hall.acme.colleague, expires_at=ends, expect=400
    )
    assert answer["errors"][0]["pointer"] == "/expires_at"


async def test_the_last_moment_that_a_time_can_name_is_an_end(hall, upload, share):
    found = await upload(hall.acme.member, "a")
    last = "9999-12-31T23:59:59.999999Z"
    await share(hall.acme.member, found, "view", user=hall.acme.colleague, expires_at=last)
    (entry,) = (await hall.acme.member.get(f"/api/repo-obj/{found['id']}/grants")).json()["items"]
    assert entry["expires_at"] == "9999-12-31T23:59:59.999Z"


async def test_the_owner_cannot_be_granted_what_is_theirs(hall, upload, share):
    found = await upload(hall.acme.member, "a")
    await share(hall.acme.admin, found, "view", user=hall.acme.member, expect=400)


async def test_nobody_gives_more_than_they_hold(hall, upload, share):
    found = await upload(hall.acme.member, "a")
    scoped = await hall.with_token(hall.acme.member, scope=["files:read", "files:manage"])
    await share(scoped, found, "view", user=hall.acme.colleague)
    await share(scoped, found, "edit", user=hall.acme.colleague, expect=403)


async def test_a_key_that_somebody_holds_is_taken(hall, upload, content):
    found = await upload(hall.acme.member, "a", b"mine", visibility="private")
    for other in (hall.acme.colleague, hall.acme.owner):
        response = await other.put("/api/repo/a", content=b"theirs")
        assert (response.status_code, response.json()["code"]) == (409, "key_taken")
    assert (await hall.acme.viewer.put("/api/repo/a", content=b"x")).status_code == 403
    assert (await hall.acme.second_team.member.put("/api/repo/a", content=b"x")).status_code == 201
    assert await content(hall.acme.member, found) == b"mine"


async def test_whoever_may_write_may_not_decide_who_sees_it(hall, upload):
    await upload(hall.acme.member, "a")
    colleague = hall.acme.colleague
    response = await colleague.put("/api/repo/a", content=b"x", params={"visibility": "private"})
    assert (response.status_code, response.json()["permission"]) == (403, "files:manage")
    assert (await colleague.put("/api/repo/a", content=b"x")).status_code == 200


async def test_a_reader_of_the_company_sees_what_teams_show_to_themselves(hall, upload, listed, content):
    second, reader = hall.acme.second_team, hall.acme.reader
    found = await upload(second.member, "a", b"here")
    await upload(second.member, "b", visibility="private")
    await upload(second.member, "c", visibility="shared")
    assert await listed(reader) == []
    assert await listed(reader, scope="org") == ["a"]
    assert await content(reader, found) == 404
    assert await content(reader, found, scope="org") == b"here"
    assert (await reader.put(f"/api/repo-obj/{found['id']}")).status_code == 405
    for path in ("/api/repo", f"/api/repo-obj/{found['id']}", f"/api/repo-obj/{found['id']}/content"):
        response = await hall.acme.member.get(path, params={"scope": "org"})
        assert (response.status_code, response.json()["permission"]) == (403, "org:read")


async def test_a_scope_narrows_what_ownership_gives(hall, upload):
    found = await upload(hall.acme.member, "a", visibility="private")
    scoped = await hall.with_token(hall.acme.member, scope=["files:read"])
    assert await rights(scoped, found) == {"read"}
    assert (await scoped.put("/api/repo/a", content=b"x")).status_code == 403


async def test_share_targets_are_the_teams_people_and_the_companys_teams(hall):
    answer = (await hall.acme.viewer.get("/api/share-targets")).json()
    assert hall.acme.member.user_id in {person["id"] for person in answer["users"]}
    assert hall.acme.second_team.member.user_id not in {person["id"] for person in answer["users"]}
    assert {team["id"] for team in answer["teams"]} == {hall.acme.team_id, hall.acme.second_team.id}


async def test_the_audit_trail_tells_of_sharing_visibility_and_deletion(hall, upload, share):
    author = hall.acme.member
    found = await upload(author, "a")
    await share(author, found, "edit", user=hall.acme.colleague)
    await author.post(f"/api/repo-obj/{found['id']}/unshare", {"user_id": hall.acme.colleague.user_id})
    await author.post(f"/api/repo-obj/{found['id']}/visibility", {"visibility": "private"})
    await author.delete(f"/api/repo-obj/{found['id']}")
    items = (await hall.acme.owner.get("/api/audit")).json()["items"]
    told = [item["action"] for item in items if (item["target"] or {}).get("id") == found["id"]]
    assert told == [
        "object.deleted",
        "object.visibility_changed",
        "object.unshared",
        "object.shared",
        "object.created",
    ]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/repo-obj/{id}/share", {}),
        ("POST", "/api/repo-obj/{id}/unshare", {"zz": 1}),
        ("POST", "/api/repo-obj/{id}/visibility", {"visibility": "zz"}),
        ("PUT", "/api/documents/{id}", {"zz": 1}),
        ("PUT", "/api/documents/{id}", []),
    ],
)
@pytest.mark.any_database
async def test_who_may_not_is_told_so_whatever_they_sent(hall, method, path, body):
    """Who may, though their role alone would not let them, hears what is wrong with it."""
    author, viewer = await hall.join(hall.acme, "member"), hall.acme.viewer
    told = {"title": "Minutes", "body": "x", "visibility": "team"}
    document = (await author.post("/api/documents", told)).json()
    demoted = await hall.acme.owner.patch(f"/api/members/{author.user_id}", {"role": "viewer"})
    assert demoted.status_code == 200
    statuses = {viewer: 403, hall.globex.viewer: 404, author: 400, hall.acme.owner: 400}
    for client, status in statuses.items():
        response = await client.request(method, path.format(**document), json=body)
        assert response.status_code == status, (client, response.text)
