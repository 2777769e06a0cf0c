"""Who sees a note, and who may change it."""

import pytest

from guildhall_sdk.services.tenancy import Directory

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


async def statuses(client, note):
    """What reading, changing and deleting answer; the last only where it would be refused."""
    path = f"/api/notes/{note['id']}"
    read = (await client.get(path)).status_code
    change = (await client.put(path, {"title": "Changed"})).status_code
    delete = (await client.delete(path)).status_code
    return read, change, delete


@pytest.mark.every_database
async def test_a_private_note_is_for_its_owner_alone(hall, write_note, listed):
    note = await write_note(hall.acme.member)
    others = [
        hall.acme.owner,
        hall.acme.admin,
        hall.acme.colleague,
        hall.acme.viewer,
        hall.acme.org_owner,
        hall.acme.second_team.owner,
        hall.globex.owner,
        hall.operator,
        await hall.join(hall.acme, "owner", operator=True),
    ]
    for client in others:
        assert await statuses(client, note) == (404, 404, 404), client.username
        assert await listed(client) == []
    for client in (hall.acme.org_owner, hall.operator):
        assert await listed(client, "?scope=org") == []
        assert (await client.get(f"/api/notes/{note['id']}?scope=org")).status_code == 404
    assert await listed(hall.acme.member) == [note["id"]]


async def test_a_team_note_follows_the_roles_of_the_team(hall, write_note, listed):
    acme = hall.acme
    expected = {
        acme.viewer: (200, 403, 403),
        acme.colleague: (200, 200, 403),
        acme.admin: (200, 200, 204),
    }
    for client, answers in expected.items():
        note = await write_note(acme.member, visibility="team")
        assert note["id"] in await listed(client)
        assert await statuses(client, note) == answers, client.username


async def test_a_refusal_names_the_permission(hall, write_note):
    note = await write_note(hall.acme.member, visibility="team")
    response = await hall.acme.viewer.put(f"/api/notes/{note['id']}", {"title": "a"})
    assert (response.json()["code"], response.json()["permission"]) == ("permission_denied", "notes:write")


async def test_a_team_note_stays_in_its_team(hall, write_note, listed):
    note = await write_note(hall.acme.member, visibility="team")
    for client in (hall.acme.second_team.owner, hall.globex.owner, hall.operator):
        assert await statuses(client, note) == (404, 404, 404)
        assert await listed(client) == []


async def test_the_owner_may_do_everything_whatever_their_role(hall, write_note):
    author = await hall.join(hall.acme, "member")
    note = await write_note(author, visibility="team")
    await set_role(hall, author, "worker")
    path = f"/api/notes/{note['id']}"
    assert (await author.get(path)).status_code == 200
    assert (await author.put(path, {"title": "Mine"})).status_code == 200
    target = {"user_id": hall.acme.viewer.user_id}
    assert (await author.post(f"{path}/share", {**target, "permission": "notes:delete"})).status_code == 200
    assert (await author.delete(f"{path}/share", target)).status_code == 204
    assert (await author.delete(path)).status_code == 204
    assert (await author.post("/api/notes", {"title": "New"})).status_code == 403


async def test_an_owner_in_another_team_is_a_stranger(hall, write_note, listed):
    author = await hall.join(hall.acme, "member")
    note = await write_note(author)
    async with hall.server.data.write() as writer:
        directory = hall.server.service(Directory)
        await directory.add_member(writer, hall.acme.second_team.id, author.user_id, "owner")
        await directory.remove_member(writer, hall.acme.team_id, author.user_id)
    assert (await author.get(f"/api/notes/{note['id']}")).status_code == 401
    elsewhere = await token_in(hall, author, hall.acme.second_team.id)
    assert await statuses(elsewhere, note) == (404, 404, 404)
    assert await listed(elsewhere) == []


async def test_only_who_manages_a_note_decides_who_sees_it(hall, write_note):
    note = await write_note(hall.acme.member, visibility="team")
    path = f"/api/notes/{note['id']}"
    refused = await hall.acme.colleague.put(path, {"title": "Hidden", "visibility": "private"})
    assert (refused.status_code, refused.json()["permission"]) == (403, "notes:manage")
    assert (await hall.acme.member.get(path)).json() == note
    assert (await hall.acme.colleague.put(path, {"visibility": "team"})).status_code == 200
    assert (await hall.acme.admin.put(path, {"visibility": "private"})).status_code == 200
    assert (await hall.acme.admin.get(path)).status_code == 404


async def test_scope_org_spans_the_company_and_shows_nothing_private(hall, write_note, listed):
    acme = hall.acme
    first = await write_note(acme.member, visibility="team")
    await write_note(acme.member)
    second = await write_note(acme.second_team.member, visibility="team")
    await write_note(acme.second_team.member)
    await write_note(hall.globex.member, visibility="team")
    for client in (acme.reader, acme.org_admin, acme.org_owner):
        assert await listed(client, "?scope=org") == [second["id"], first["id"]]
        assert await listed(client) == await listed(client, "?scope=team") == [first["id"]]


async def test_scope_org_shows_the_caller_their_own_and_what_they_were_given(hall, write_note, share, listed):
    acme = hall.acme
    own = await write_note(acme.org_admin)
    given = await write_note(acme.second_team.member)
    await share(acme.second_team.member, given, acme.org_admin)
    assert await listed(acme.org_admin, "?scope=org") == [given["id"], own["id"]]


@pytest.mark.parametrize("path", ["/api/notes", "/api/notes/{id}"])
async def test_scope_org_needs_org_read(hall, write_note, path):
    note = await write_note(hall.acme.member, visibility="team")
    for client in (hall.acme.member, hall.acme.admin):
        response = await client.get(path.format(id=note["id"]) + "?scope=org")
        assert (response.status_code, response.json()["permission"]) == (403, "org:read")
    narrow = await hall.with_token(hall.acme.reader, scope=["notes:read"])
    assert (await narrow.get(path.format(id=note["id"]) + "?scope=org")).status_code == 403


async def test_a_company_reader_opens_a_note_of_another_team_with_scope_org_and_changes_nothing(
    hall, write_note
):
    note = await write_note(hall.acme.second_team.member, visibility="team")
    path = f"/api/notes/{note['id']}"
    assert (await hall.acme.org_owner.get(path)).status_code == 404
    response = await hall.acme.org_owner.get(f"{path}?scope=org")
    assert response.status_code == 200
    assert "shared_with" not in response.json()
    assert (await hall.acme.org_owner.put(f"{path}?scope=org", {"title": "a"})).status_code == 404
    assert (await hall.acme.org_owner.delete(path)).status_code == 404


async def test_a_scoped_token_does_less_than_its_owner(hall, write_note, listed):
    author = hall.acme.member
    note = await write_note(author, visibility="team")
    path = f"/api/notes/{note['id']}"
    reading = await hall.with_token(author, scope=["notes:read"])
    assert (await reading.get(path)).status_code == 200
    assert await listed(reading) == [note["id"]]
    assert "shared_with" not in (await reading.get(path)).json()
    for method, body in (("PUT", {"title": "a"}), ("DELETE", None)):
        assert (await reading.request(method, path, body)).status_code == 403
    elsewhere = await hall.with_token(author, scope=["files:read"])
    assert (await elsewhere.get(path)).status_code == 403
    assert (await elsewhere.get("/api/notes")).status_code == 403


async def test_a_demotion_counts_at_the_next_call(hall, write_note):
    note = await write_note(hall.acme.member, visibility="team")
    person = await hall.join(hall.acme, "member")
    path = f"/api/notes/{note['id']}"
    assert (await person.put(path, {"title": "a"})).status_code == 200
    await set_role(hall, person, "viewer")
    assert (await person.put(path, {"title": "b"})).status_code == 403


async def set_role(hall, person, role):
    async with hall.server.data.write() as writer:
        await hall.server.service(Directory).set_role(writer, person.team_id, person.user_id, role)


async def token_in(hall, person, team_id):
    from guildhall_sdk.services.identity import Credentials, NewToken

    async with hall.server.data.write() as writer:
        issued = await hall.server.service(Credentials).issue(
            writer, NewToken(kind="session", user_id=person.user_id, team_id=team_id, expires_at=None)
        )
    return person.bearing(issued.token)
