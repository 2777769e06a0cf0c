"""Entity tags, and what happens when many write at once."""

import asyncio
from collections import Counter

import pytest

pytestmark = pytest.mark.shared_server

AT_ONCE = 20


async def test_a_tag_names_one_state_of_a_note(hall, write_note, share):
    author = hall.acme.member
    note = await write_note(author)
    path = f"/api/notes/{note['id']}"
    tags = [(await author.get(path)).headers["etag"]]
    tags.append((await author.put(path, {"title": "Changed"})).headers["etag"])
    await share(author, note, hall.acme.viewer)
    tags.append((await author.get(path)).headers["etag"])
    await author.delete(f"{path}/share", {"user_id": hall.acme.viewer.user_id})
    tags.append((await author.get(path)).headers["etag"])
    assert len(set(tags)) == 4
    assert all(tag.startswith('"') and tag.endswith('"') for tag in tags)


async def test_an_unchanged_note_is_not_sent_again(hall, write_note):
    author = hall.acme.member
    path = f"/api/notes/{(await write_note(author))['id']}"
    tag = (await author.get(path)).headers["etag"]
    response = await author.get(path, headers={"If-None-Match": tag})
    assert (response.status_code, response.content) == (304, b"")
    await author.put(path, {"body": "new"})
    assert (await author.get(path, headers={"If-None-Match": tag})).status_code == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE", "share", "unshare"])
async def test_a_stale_tag_changes_nothing(hall, write_note, share, method):
    author, viewer = hall.acme.member, hall.acme.viewer
    note = await write_note(author)
    path = f"/api/notes/{note['id']}"
    await share(author, note, viewer)
    stale = (await author.get(path)).headers["etag"]
    await author.put(path, {"body": "meanwhile"})
    before = (await author.get(path)).json()
    headers = {"If-Match": stale}
    if method == "PUT":
        response = await author.put(path, {"body": "late"}, headers=headers)
    elif method == "DELETE":
        response = await author.delete(path, headers=headers)
    elif method == "share":
        body = {"user_id": hall.acme.colleague.user_id, "permission": "notes:read"}
        response = await author.post(f"{path}/share", body, headers=headers)
    else:
        response = await author.delete(f"{path}/share", {"user_id": viewer.user_id}, headers=headers)
    assert (response.status_code, response.json()["code"]) == (412, "precondition_failed")
    assert (await author.get(path)).json() == before


async def test_a_current_tag_or_a_star_lets_the_change_through(hall, write_note):
    author = hall.acme.member
    path = f"/api/notes/{(await write_note(author))['id']}"
    tag = (await author.get(path)).headers["etag"]
    assert (await author.put(path, {"body": "1"}, headers={"If-Match": f'"other", {tag}'})).status_code == 200
    assert (await author.put(path, {"body": "2"}, headers={"If-Match": "*"})).status_code == 200


async def test_who_may_not_see_a_note_learns_nothing_from_tags(hall, write_note):
    note = await write_note(hall.acme.member)
    response = await hall.acme.owner.put(
        f"/api/notes/{note['id']}", {"body": "x"}, headers={"If-Match": '"x"'}
    )
    assert response.status_code == 404


async def test_of_many_changes_from_one_tag_exactly_one_lands(hall, write_note):
    author = hall.acme.member
    path = f"/api/notes/{(await write_note(author))['id']}"
    tag = (await author.get(path)).headers["etag"]
    responses = await asyncio.gather(
        *(author.put(path, {"body": str(number)}, headers={"If-Match": tag}) for number in range(AT_ONCE))
    )
    assert Counter(response.status_code for response in responses) == {200: 1, 412: AT_ONCE - 1}
    (winner,) = [response for response in responses if response.status_code == 200]
    assert (await author.get(path)).json() == winner.json()


async def test_changes_without_a_tag_all_land_one_after_the_other(hall, write_note):
    author = hall.acme.member
    note = await write_note(author)
    path = f"/api/notes/{note['id']}"
    responses = await asyncio.gather(*(author.put(path, {"body": str(n)}) for n in range(AT_ONCE)))
    assert {response.status_code for response in responses} == {200}
    assert len({response.headers["etag"] for response in responses}) == AT_ONCE
    assert (await author.get(path)).headers["etag"] == f'"{note["id"]}.{AT_ONCE + 1}"'


async def test_a_note_is_deleted_once(hall, write_note):
    author = hall.acme.member
    path = f"/api/notes/{(await write_note(author))['id']}"
    responses = await asyncio.gather(*(author.delete(path) for _ in range(AT_ONCE)))
    assert Counter(response.status_code for response in responses) == {204: 1, 404: AT_ONCE - 1}


async def test_parallel_shares_with_one_person_leave_one_share(hall, write_note):
    author = hall.acme.member
    path = f"/api/notes/{(await write_note(author))['id']}"
    body = {"user_id": hall.acme.viewer.user_id, "permission": "notes:write"}
    responses = await asyncio.gather(*(author.post(f"{path}/share", body) for _ in range(AT_ONCE)))
    assert {response.status_code for response in responses} == {200}
    assert len((await author.get(path)).json()["shared_with"]) == 1


async def test_a_share_racing_the_deletion_leaves_nothing_behind(hall, write_note):
    author = hall.acme.member
    path = f"/api/notes/{(await write_note(author))['id']}"
    body = {"user_id": hall.acme.viewer.user_id, "permission": "notes:read"}
    calls = [author.post(f"{path}/share", body) for _ in range(8)]
    responses = await asyncio.gather(*calls[:4], author.delete(path), *calls[4:])
    assert {response.status_code for response in responses} <= {200, 204, 404}
    assert (await hall.acme.viewer.get("/api/notes")).json()["items"] == []
