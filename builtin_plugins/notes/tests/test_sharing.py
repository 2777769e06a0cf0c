"""Sharing a note with somebody by name."""

import pytest

from guildhall_sdk.services.tenancy import Directory

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


async def test_a_private_note_opens_for_whom_it_was_shared_with(hall, write_note, share, listed):
    author, colleague = hall.acme.member, hall.acme.colleague
    note = await write_note(author, body="between us")
    shared = await share(author, note, colleague)
    assert shared["shared_with"] == [
        {"user_id": colleague.user_id, "name": colleague.username, "permission": "notes:read"}
    ]
    read = (await colleague.get(f"/api/notes/{note['id']}")).json()
    assert read["body"] == "between us"
    assert await listed(colleague) == [note["id"]]
    assert (await hall.acme.owner.get(f"/api/notes/{note['id']}")).status_code == 404


@pytest.mark.parametrize(
    ("permission", "change", "delete", "pass_on"),
    [
        ("notes:read", 403, 403, 403),
        ("notes:write", 200, 403, 403),
        ("notes:delete", 403, 204, 403),
        ("notes:manage", 403, 403, 200),
    ],
)
async def test_a_share_gives_reading_and_what_it_names(
    hall, write_note, share, permission, change, delete, pass_on
):
    note = await write_note(hall.acme.member)
    path = f"/api/notes/{note['id']}"
    viewer = hall.acme.viewer
    await share(hall.acme.member, note, viewer, permission)
    assert (await viewer.get(path)).json()["permissions"] == sorted({"notes:read", permission})
    assert (await viewer.put(path, {"title": "Changed"})).status_code == change
    target = {"user_id": hall.acme.colleague.user_id, "permission": "notes:read"}
    assert (await viewer.post(f"{path}/share", target)).status_code == pass_on
    assert (await viewer.delete(path)).status_code == delete


async def test_a_share_reaches_into_another_team_of_the_company(hall, write_note, share, listed):
    note = await write_note(hall.acme.member)
    grantee = hall.acme.second_team.viewer
    await share(hall.acme.member, note, grantee, "notes:write")
    assert await listed(grantee) == [note["id"]]
    assert (await grantee.put(f"/api/notes/{note['id']}", {"body": "from afar"})).status_code == 200
    assert (await hall.acme.second_team.owner.get(f"/api/notes/{note['id']}")).status_code == 404


async def test_a_note_seen_in_two_ways_is_listed_once(hall, write_note, share, listed):
    note = await write_note(hall.acme.member, visibility="team")
    await share(hall.acme.member, note, hall.acme.reader)
    assert await listed(hall.acme.reader) == [note["id"]]
    assert await listed(hall.acme.reader, "?scope=org") == [note["id"]]


async def test_sharing_again_replaces_what_was_given(hall, write_note, share):
    note = await write_note(hall.acme.member)
    await share(hall.acme.member, note, hall.acme.viewer, "notes:write")
    shared = await share(hall.acme.member, note, hall.acme.viewer, "notes:read")
    assert [entry["permission"] for entry in shared["shared_with"]] == ["notes:read"]
    assert (await hall.acme.viewer.put(f"/api/notes/{note['id']}", {"title": "a"})).status_code == 403


@pytest.mark.every_database
async def test_an_ended_share_closes_the_note_at_once(hall, write_note, share, listed):
    author, colleague = hall.acme.member, hall.acme.colleague
    note = await write_note(author)
    await share(author, note, colleague)
    path = f"/api/notes/{note['id']}"
    assert (await author.delete(f"{path}/share", {"user_id": colleague.user_id})).status_code == 204
    assert (await colleague.get(path)).status_code == 404
    assert await listed(colleague) == []
    assert (await author.get(path)).json()["shared_with"] == []
    assert (await author.delete(f"{path}/share", {"user_id": colleague.user_id})).status_code == 404


async def test_only_who_manages_a_note_sees_with_whom_it_is_shared(hall, write_note, share):
    note = await write_note(hall.acme.member, visibility="team")
    await share(hall.acme.member, note, hall.acme.viewer)
    path = f"/api/notes/{note['id']}"
    for client, sees in ((hall.acme.member, True), (hall.acme.admin, True), (hall.acme.colleague, False)):
        one = (await client.get(path)).json()
        (among,) = (await client.get("/api/notes")).json()["items"]
        assert ("shared_with" in one, "shared_with" in among) == (sees, sees)
        assert one == among


async def test_sharing_what_others_wrote_needs_notes_manage(hall, write_note, share):
    note = await write_note(hall.acme.member, visibility="team")
    path = f"/api/notes/{note['id']}/share"
    target = {"user_id": hall.acme.second_team.viewer.user_id, "permission": "notes:read"}
    for client in (hall.acme.colleague, hall.acme.viewer):
        response = await client.post(path, target)
        assert (response.status_code, response.json()["permission"]) == (403, "notes:manage")
        assert (await client.delete(path, {"user_id": target["user_id"]})).status_code == 403
    await share(hall.acme.admin, note, hall.acme.second_team.viewer, "notes:delete")


async def test_nobody_gives_more_than_they_hold(hall, write_note, share):
    note = await write_note(hall.acme.member)
    viewer = hall.acme.viewer
    await share(hall.acme.member, note, viewer, "notes:manage")
    for person in (viewer, hall.acme.colleague):
        for permission in ("notes:write", "notes:delete"):
            body = {"user_id": person.user_id, "permission": permission}
            response = await viewer.post(f"/api/notes/{note['id']}/share", body)
            assert (response.status_code, response.json()["permission"]) == (403, permission)
    await share(viewer, note, hall.acme.colleague, "notes:manage")


async def test_strangers_to_the_company_answer_as_if_they_did_not_exist(hall, write_note):
    note = await write_note(hall.acme.member)
    answers = []
    for user_id in (hall.globex.member.user_id, hall.operator.user_id, "usr_nobody"):
        body = {"user_id": user_id, "permission": "notes:read"}
        response = await hall.acme.member.post(f"/api/notes/{note['id']}/share", body)
        assert response.status_code == 400
        answers.append((response.json()["detail"], response.json()["errors"]))
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][1][0]["pointer"] == "/user_id"


async def test_a_note_is_not_shared_with_its_owner(hall, write_note):
    note = await write_note(hall.acme.member)
    body = {"user_id": hall.acme.member.user_id, "permission": "notes:read"}
    response = await hall.acme.member.post(f"/api/notes/{note['id']}/share", body)
    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (400, "/user_id")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/user_id"),
        ({"user_id": "usr_0"}, "/permission"),
        ({"user_id": "usr_0", "permission": "files:read"}, "/permission"),
        ({"user_id": "usr_0", "permission": "notes:everything"}, "/permission"),
        ({"user_id": 7, "permission": "notes:read"}, "/user_id"),
        ({"user_id": "usr_0", "permission": "notes:read", "expires_at": "never"}, "/expires_at"),
    ],
)
async def test_a_wrong_share_is_named(hall, write_note, body, pointer):
    note = await write_note(hall.acme.member)
    response = await hall.acme.member.post(f"/api/notes/{note['id']}/share", body)
    assert response.status_code == 400
    assert pointer in [error["pointer"] for error in response.json()["errors"]]


async def test_a_share_ends_with_its_holders_place_in_the_company(hall, write_note, share):
    author, leaver = hall.acme.member, await hall.join(hall.acme, "member")
    note = await write_note(author)
    await share(author, note, leaver)
    async with hall.server.data.write() as writer:
        await hall.server.service(Directory).remove_member(writer, hall.acme.team_id, leaver.user_id)
    assert (await leaver.get(f"/api/notes/{note['id']}")).status_code == 401
    assert (await author.get(f"/api/notes/{note['id']}")).json()["shared_with"] == []
    body = {"user_id": leaver.user_id, "permission": "notes:read"}
    again = await author.post(f"/api/notes/{note['id']}/share", body)
    assert (again.status_code, again.json()["errors"][0]["pointer"]) == (400, "/user_id")


async def test_a_scoped_token_uses_a_share_within_its_scope(hall, write_note, share):
    note = await write_note(hall.acme.member)
    await share(hall.acme.member, note, hall.acme.viewer, "notes:write")
    path = f"/api/notes/{note['id']}"
    reading = await hall.with_token(hall.acme.viewer, scope=["notes:read"])
    assert (await reading.get(path)).status_code == 200
    assert (await reading.put(path, {"title": "a"})).status_code == 403
    other = await hall.with_token(hall.acme.viewer, scope=["search"])
    assert (await other.get(path)).status_code == 403


@pytest.mark.parametrize(("method", "path"), [("PUT", ""), ("POST", "/share"), ("DELETE", "/share")])
async def test_who_may_not_change_a_note_is_told_so_whatever_they_sent(hall, write_note, method, path):
    note = await write_note(hall.acme.member, visibility="team")
    statuses = {hall.acme.viewer: 403, hall.globex.viewer: 404, hall.acme.member: 400}
    for client, status in statuses.items():
        response = await client.request(method, f"/api/notes/{note['id']}{path}", json={"zz": 1})
        assert response.status_code == status, (client, response.text)
