"""Another key for an object: what goes with it, who may do it, and that it is never there twice, nor lost."""

import asyncio

import pytest

from builtin_plugins.repo.tests.reading_here import documents_are_read_here  # noqa: F401 - a fixture
from guildhall_sdk import Actor
from guildhall_sdk.services.stored_objects import Derivation, NewVersion

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


@pytest.fixture
def move():
    async def move(client, found, key, *, expect=200, headers=None):
        response = await client.post(f"/api/repo-obj/{found['id']}/move", {"key": key}, headers=headers or {})
        assert response.status_code == expect, response.text
        return response.json()

    return move


async def one_chunk(content):
    yield content


async def found_by(client, words):
    answer = await client.get("/api/search", params={"q": words, "type": "object"})
    return [item["id"] for item in answer.json()["items"]]


@pytest.mark.every_database
async def test_what_moved_is_whole_at_its_new_key(hall, upload, share, content, move, listed, used_bytes):
    author, colleague = hall.acme.member, hall.acme.colleague
    await upload(author, "in/apples.txt", b"first about cider", visibility="private")
    found = await upload(author, "in/apples.txt", b"second about juice")
    await share(author, found, "edit", user=colleague)
    await hall.drain_jobs()
    before = (await author.get(f"/api/repo-obj/{found['id']}")).json()
    stored = await used_bytes(author)
    moved = await move(author, found, "out/pears.txt")
    assert moved == {**before, "key": "out/pears.txt", "filename": "pears.txt"}
    assert [version["version"] for version in moved["versions"]] == [2, 1]
    assert await content(author, moved, version=1) == b"first about cider"
    assert await listed(author, prefix="in/") == []
    assert await listed(author, prefix="out/") == ["out/pears.txt"]
    assert await listed(colleague, shared="1") == ["out/pears.txt"]
    assert await listed(colleague, shared="1", delimiter="/", prefix="out/") == ["out/pears.txt"]
    assert await used_bytes(author) == stored
    for words in ("juice", "pears"):
        assert await found_by(author, words) == [found["id"]]
    assert await found_by(author, "apples") == []


async def test_the_same_key_again_changes_nothing(hall, upload, move):
    author = hall.acme.admin
    found = await upload(author, "a")
    moved = await move(author, found, "b")
    events = len((await author.get("/api/audit")).json()["items"])
    assert await move(author, found, "b") == moved
    trail = (await author.get("/api/audit")).json()["items"]
    assert len(trail) == events
    assert [event["action"] for event in trail if event["target"]["id"] == found["id"]] == [
        "object.moved",
        "object.created",
    ]


async def test_a_name_that_was_chosen_stays(hall, upload, move):
    found = await upload(hall.acme.member, "a/x.bin", filename="Report.pdf")
    assert (await move(hall.acme.member, found, "b/y.bin"))["filename"] == "Report.pdf"


async def test_what_was_made_from_what_is_known_of_what_moved(hall, upload, move, repository, principal):
    author, who = hall.acme.member, await principal(hall.acme.member)
    source = await upload(author, "source", b"s")
    new = NewVersion(derived_from=Derivation(source["id"], 1))
    made = await repository.write(who, Actor("a test"), author.team_id, "made", one_chunk(b"made"), new)
    await move(author, {"id": made.object_id}, "moved")
    answer = (await author.get(f"/api/repo-obj/{source['id']}/derivations")).json()
    assert [entry["key"] for entry in answer["derived"]] == ["moved"]


@pytest.mark.parametrize("key", ["", "a/../b", "./a", "k" * 1025, "é" * 513])
async def test_a_bad_key_is_refused(hall, upload, move, key):
    found = await upload(hall.acme.member, "here")
    assert (await move(hall.acme.member, found, key, expect=400))["code"] == "invalid_key"
    assert (await hall.acme.member.get(f"/api/repo-obj/{found['id']}")).json()["key"] == "here"


@pytest.mark.every_database
async def test_a_key_that_something_has_is_taken(hall, upload, move, content):
    author, colleague = hall.acme.member, hall.acme.colleague
    mine, other = await upload(author, "a", b"mine"), await upload(author, "b", b"other")
    await upload(colleague, "hidden", visibility="private")
    for key in ("b", "hidden"):
        assert (await move(author, mine, key, expect=409))["code"] == "key_taken"
    assert await content(author, mine) == b"mine"
    assert await content(author, other) == b"other"


async def test_what_lies_in_the_bin_keeps_its_key(hall, upload, move, content):
    admin = hall.acme.admin
    binned = await upload(admin, "a", b"binned")
    assert (await admin.delete(f"/api/repo-obj/{binned['id']}?keep=1")).status_code == 204
    other = await upload(admin, "b", b"other")
    refused = await move(admin, other, "a", expect=409)
    assert (refused["code"], "brought back" in refused["detail"]) == ("key_taken", True)
    assert (await move(admin, binned, "c", expect=404))["code"] == "not_found"
    assert (await admin.post(f"/api/repo-obj/{binned['id']}/restore", {})).status_code == 200
    assert await content(admin, await move(admin, binned, "c")) == b"binned"
    assert await content(admin, await move(admin, other, "a")) == b"other"


@pytest.mark.every_database
async def test_delete_markers_alone_hold_no_key(hall, upload, move, repository, principal):
    admin, who = hall.acme.admin, await principal(hall.acme.admin)
    async with hall.server.data.write(within=admin.org_id) as writer:
        await repository.mark_deleted(writer, who, admin.team_id, "gone")
    found = await upload(admin, "here")
    assert (await move(admin, found, "gone"))["key"] == "gone"


async def test_it_takes_the_right_to_write_in_both_places(hall, upload, share, move):
    author, colleague = hall.acme.member, hall.acme.colleague
    found = await upload(author, "a", visibility="private")
    await move(hall.globex.member, found, "b", expect=404)
    await move(colleague, found, "b", expect=404)
    await share(author, found, "view", user=colleague)
    assert (await move(colleague, found, "b", expect=403))["permission"] == "files:write"
    await share(author, found, "edit", user=colleague)
    assert (await move(colleague, found, "b"))["key"] == "b"
    team = await upload(author, "team")
    assert (await move(hall.acme.viewer, team, "c", expect=403))["permission"] == "files:write"
    # What somebody was given in another team is there for them to change, not to carry elsewhere in it.
    outsider = hall.acme.second_team.member
    await share(author, team, "manage", user=outsider)
    assert (await move(outsider, team, "c", expect=403))["permission"] == "files:write"


async def test_a_stale_state_is_not_moved(hall, upload, move):
    author = hall.acme.member
    found = await upload(author, "a", b"1")
    tag = (await author.get(f"/api/repo-obj/{found['id']}")).headers["etag"]
    await upload(author, "a", b"2")
    await move(author, found, "b", expect=412, headers={"If-Match": tag})


@pytest.mark.every_database
async def test_of_many_that_want_one_key_one_has_it(hall, upload, listed):
    author = hall.acme.member
    made = [await upload(author, f"from/{number}") for number in range(12)]
    answers = await asyncio.gather(
        *(author.post(f"/api/repo-obj/{found['id']}/move", {"key": "to"}) for found in made)
    )
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 11
    assert len(await listed(author, prefix="from/")) == 11


@pytest.mark.every_database
async def test_what_is_moved_to_and_fro_while_others_write_is_never_two_nor_none(hall, upload, listed):
    author = hall.acme.member
    one, two = await upload(author, "a", b"one"), await upload(author, "b", b"two")

    async def swing(found, keys):
        for number in range(10):
            answer = await author.post(f"/api/repo-obj/{found['id']}/move", {"key": keys[number % 2]})
            assert answer.status_code in (200, 409, 503), answer.text

    async def share_over_and_over(found):
        for visibility in ("shared", "team") * 5:
            path = f"/api/repo-obj/{found['id']}/visibility"
            assert (await author.post(path, {"visibility": visibility})).status_code in (200, 503)

    await asyncio.gather(
        swing(one, ("b", "c")),
        swing(one, ("c", "a")),
        swing(two, ("c", "b")),
        swing(two, ("a", "d")),
        share_over_and_over(one),
        share_over_and_over(two),
    )
    keys = await listed(author)
    shown = [(await author.get(f"/api/repo-obj/{found['id']}")).json()["key"] for found in (one, two)]
    assert sorted(keys) == sorted(shown)
    assert len(set(keys)) == 2


async def test_whoever_writes_to_the_old_key_makes_something_new(hall, upload, move, content):
    author = hall.acme.member
    found = await upload(author, "a", b"old")
    await move(author, found, "b")
    fresh = await upload(author, "a", b"new", expect=(201,))
    assert (await content(author, found), await content(author, fresh)) == (b"old", b"new")
