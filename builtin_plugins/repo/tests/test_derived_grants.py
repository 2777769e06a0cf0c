"""What a holder of `manage` gives is under their own grant: it ends with it."""

import pytest

from guildhall_sdk import rfc3339

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]

HOUR = 3600 * 1000


def refusal(response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


@pytest.fixture
def give(hall):
    """`await give(client, found, user, "manage", hours=1)`: the response of sharing."""

    async def give(client, found, user, capability, hours=None, *, team=None):
        ends = {} if hours is None else {"expires_at": rfc3339(hall.clock.now_ms() + int(hours * HOUR))}
        holder = {"principal_type": "user", "principal_id": user.user_id if user else None}
        if team is not None:
            holder = {"principal_type": "team", "principal_id": team}
        body = {**holder, "capability": capability, **ends}
        return await client.post(f"/api/repo-obj/{found['id']}/share", body)

    return give


@pytest.fixture
async def managed(hall, upload, give):
    """A private object of the member's, and the colleague who manages it for an hour."""
    found = await upload(hall.acme.member, "a", visibility="private")
    assert (await give(hall.acme.member, found, hall.acme.colleague, "manage", 1)).status_code == 200
    return found


async def end_of(client, found, user) -> str | None:
    entries = (await client.get(f"/api/repo-obj/{found['id']}/grants")).json()["items"]
    return next(one["expires_at"] for one in entries if one["principal_id"] == user.user_id)


async def status_for(client, found) -> int:
    return (await client.get(f"/api/repo-obj/{found['id']}")).status_code


@pytest.mark.every_database
async def test_nobody_extends_their_own_grant(hall, managed, give):
    author, manager = hall.acme.member, hall.acme.colleague
    ends = await end_of(author, managed, manager)
    assert refusal(await give(manager, managed, manager, "manage", 2)) == (403, "permission_denied")
    assert (await give(manager, managed, manager, "manage")).status_code == 200
    assert await end_of(author, managed, manager) == ends
    body = {"principal_type": "user", "principal_id": manager.user_id, "capability": "manage"}
    path = f"/api/repo-obj/{managed['id']}/share"
    assert (await manager.post(path, {**body, "expires_at": None})).status_code == 200
    assert await end_of(author, managed, manager) == ends
    hall.clock.advance(hours=1)
    assert await status_for(manager, managed) == 404


async def test_what_a_manager_gives_ends_no_later_than_their_own(hall, managed, give):
    author, manager, viewer = hall.acme.member, hall.acme.colleague, hall.acme.viewer
    assert refusal(await give(manager, managed, viewer, "manage", 2)) == (403, "permission_denied")
    assert (await give(manager, managed, viewer, "manage")).status_code == 200
    assert await end_of(author, managed, viewer) == await end_of(author, managed, manager)
    assert (await give(manager, managed, None, "view", team=hall.acme.second_team.id)).status_code == 200
    assert await status_for(hall.acme.second_team.owner, managed) == 200
    hall.clock.advance(hours=1)
    for other in (manager, viewer, hall.acme.second_team.owner):
        assert await status_for(other, managed) == 404


async def test_a_shorter_grant_is_given_as_asked(hall, managed, give):
    manager, viewer = hall.acme.colleague, hall.acme.viewer
    assert (await give(manager, managed, viewer, "view", 0.5)).status_code == 200
    hall.clock.advance(minutes=30)
    assert await status_for(viewer, managed) == 404
    assert await status_for(manager, managed) == 200


async def test_a_grant_without_an_end_gives_what_it_likes(hall, upload, give):
    author, manager, viewer = hall.acme.member, hall.acme.colleague, hall.acme.viewer
    found = await upload(author, "b", visibility="private")
    assert (await give(author, found, manager, "manage")).status_code == 200
    assert (await give(manager, found, viewer, "view", 1000)).status_code == 200
    assert (await give(manager, found, viewer, "view")).status_code == 200
    assert await end_of(author, found, viewer) is None


async def test_who_owns_it_or_manages_by_role_is_not_bound_by_a_grant(hall, upload, give):
    author, admin, viewer = hall.acme.member, hall.acme.admin, hall.acme.viewer
    found = await upload(author, "c")
    assert (await give(author, found, admin, "manage", 1)).status_code == 200
    assert (await give(admin, found, viewer, "edit", 2)).status_code == 200
    assert (await give(author, found, viewer, "edit")).status_code == 200


async def test_a_team_that_manages_binds_its_people(hall, upload, give):
    author, theirs = hall.acme.member, hall.acme.second_team.member
    found = await upload(author, "d", visibility="private")
    assert (await give(author, found, None, "manage", 1, team=hall.acme.second_team.id)).status_code == 200
    assert refusal(await give(theirs, found, theirs, "manage", 2)) == (403, "permission_denied")
    assert (await give(theirs, found, theirs, "manage")).status_code == 200
    gone = {"principal_type": "team", "principal_id": hall.acme.second_team.id}
    await author.post(f"/api/repo-obj/{found['id']}/unshare", gone)
    assert await status_for(theirs, found) == 404


async def test_the_longer_of_two_grants_is_what_binds(hall, managed, give):
    author, manager, viewer = hall.acme.member, hall.acme.colleague, hall.acme.viewer
    assert (await give(author, managed, None, "manage", 3, team=hall.acme.team_id)).status_code == 200
    assert (await give(manager, managed, viewer, "view", 2)).status_code == 200
    assert refusal(await give(manager, managed, viewer, "view", 4)) == (403, "permission_denied")


async def test_revoking_a_manager_revokes_what_they_gave_and_what_came_of_it(hall, managed, give):
    author, manager, viewer = hall.acme.member, hall.acme.colleague, hall.acme.viewer
    third = await hall.join(hall.acme)
    assert (await give(manager, managed, viewer, "manage")).status_code == 200
    assert (await give(viewer, managed, third, "view")).status_code == 200
    by_author = await hall.join(hall.acme)
    assert (await give(author, managed, by_author, "view")).status_code == 200
    await author.post(f"/api/repo-obj/{managed['id']}/unshare", {"user_id": manager.user_id})
    for other in (manager, viewer, third):
        assert await status_for(other, managed) == 404
    assert await status_for(by_author, managed) == 200


async def test_two_who_manage_cannot_keep_each_other_alive(hall, managed, give):
    author, manager, viewer = hall.acme.member, hall.acme.colleague, hall.acme.viewer
    assert (await give(manager, managed, viewer, "manage")).status_code == 200
    assert (await give(viewer, managed, manager, "manage")).status_code == 200
    await author.post(f"/api/repo-obj/{managed['id']}/unshare", {"user_id": manager.user_id})
    for other in (manager, viewer):
        assert await status_for(other, managed) == 404


async def test_a_manager_who_is_made_less_leaves_nothing_behind(hall, managed, give):
    author, manager, viewer = hall.acme.member, hall.acme.colleague, hall.acme.viewer
    assert (await give(manager, managed, viewer, "manage")).status_code == 200
    assert (await give(author, managed, manager, "manage", 0.5)).status_code == 200
    assert await end_of(author, managed, viewer) == await end_of(author, managed, manager)
    assert (await give(author, managed, manager, "view")).status_code == 200
    assert await status_for(manager, managed) == 200
    assert await status_for(viewer, managed) == 404


async def test_nobody_shows_the_team_under_a_grant_that_ends(hall, upload, give):
    """Shown to the team, an admin would manage it by role: give themself more, and hide it again."""
    author, admin = hall.acme.member, hall.acme.admin
    found = await upload(author, "e", visibility="private")
    assert (await give(author, found, admin, "manage", 1)).status_code == 200
    path = f"/api/repo-obj/{found['id']}/visibility"
    assert refusal(await admin.post(path, {"visibility": "team"})) == (403, "permission_denied")
    widened = await admin.put("/api/repo/e", content=b"x", params={"visibility": "team"})
    assert refusal(widened) == (403, "permission_denied")
    assert (await admin.put("/api/repo/e", content=b"x", params={"visibility": "shared"})).status_code == 200
    hall.clock.advance(hours=1)
    assert await status_for(admin, found) == 404


async def test_a_grant_without_an_end_shows_it_to_the_team(hall, upload, give):
    found = await upload(hall.acme.member, "f", visibility="private")
    assert (await give(hall.acme.member, found, hall.acme.colleague, "manage")).status_code == 200
    path = f"/api/repo-obj/{found['id']}/visibility"
    assert (await hall.acme.colleague.post(path, {"visibility": "team"})).status_code == 200
