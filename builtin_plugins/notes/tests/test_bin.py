"""The bin: what is deleted lies there for 30 days, and can be taken out again."""

import pytest

from builtin_plugins.notes.bin import DELETED_NOTES

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


def code(response):
    return response.status_code, response.json().get("code")


async def found(client, word):
    hits = (await client.get("/api/search", params={"q": word})).json()["items"]
    return [hit["id"] for hit in hits]


async def stored(client):
    items = (await client.get("/api/usage")).json()["items"]
    return next(
        item["used"] for item in items if (item["dimension"], item["level"]) == ("storage.bytes", "team")
    )


@pytest.mark.every_database
async def test_a_deleted_note_can_be_brought_back(hall, write_note, listed):
    author = hall.acme.member
    note = await write_note(author, title="Quagga", body="striped", tags=["animals"])
    path, kept = f"/api/notes/{note['id']}", await stored(author)
    assert (await author.delete(path)).status_code == 204
    assert code(await author.get(path)) == (404, "not_found")
    assert code(await author.put(path, {"title": "x"})) == (404, "not_found")
    assert code(await author.delete(path)) == (404, "not_found")
    assert await listed(author) == [] and await found(author, "quagga") == []
    assert await listed(author, "?sort=updated") == await listed(author, "?tag=animals") == []
    (binned,) = (await author.get("/api/notes?deleted=1")).json()["items"]
    assert (binned["id"], binned["body"], binned["tags"]) == (note["id"], "striped", ["animals"])
    assert binned["deleted_at"] is not None
    assert await stored(author) == 0

    restored = await author.post(f"{path}/restore")
    assert restored.status_code == 200
    assert restored.json() == note and restored.headers["etag"] != note["id"]
    assert (await author.get(path)).headers["etag"] == restored.headers["etag"]
    assert await listed(author) == [note["id"]] and await found(author, "quagga") == [note["id"]]
    assert await listed(author, "?deleted=1") == []
    assert await stored(author) == kept
    assert (await author.post(f"{path}/restore")).status_code == 200


async def test_after_thirty_days_it_is_gone(hall, write_note, listed):
    author = hall.acme.member
    path = f"/api/notes/{(await write_note(author))['id']}"
    await author.delete(path)
    hall.clock.advance(days=30)
    assert await listed(author, "?deleted=1") == []
    assert code(await author.post(f"{path}/restore")) == (404, "not_found")


async def test_what_lay_in_the_bin_long_enough_is_thrown_away(hall, write_note):
    author = hall.acme.member
    old, young = [(await write_note(author, title=title))["id"] for title in ("old", "young")]
    await author.delete(f"/api/notes/{old}")
    before = hall.clock.now_ms()
    hall.clock.advance(days=1)
    await author.delete(f"/api/notes/{young}")
    async with hall.server.data.write() as writer:
        assert await DELETED_NOTES.count(writer, before) >= 1
        while await DELETED_NOTES.delete_expired(writer, before, 10):
            pass
        assert await DELETED_NOTES.count(writer, before) == 0
    assert code(await author.post(f"/api/notes/{old}/restore")) == (404, "not_found")
    assert (await author.post(f"/api/notes/{young}/restore")).status_code == 200


async def test_for_good_only_out_of_the_bin(hall, write_note, listed):
    author = hall.acme.member
    path = f"/api/notes/{(await write_note(author))['id']}"
    assert code(await author.delete(f"{path}?forever=1")) == (409, "not_deleted")
    await author.delete(path)
    assert (await author.delete(f"{path}?forever=1")).status_code == 204
    assert await listed(author, "?deleted=1") == []
    assert code(await author.post(f"{path}/restore")) == (404, "not_found")


async def test_the_bin_is_the_owners_and_theirs_who_may_delete(hall, write_note, listed, share):
    acme, author = hall.acme, hall.acme.member
    private = await write_note(author, title="mine")
    ours = await write_note(author, title="ours", visibility="team")
    given = await write_note(author, title="given")
    await share(author, given, acme.viewer, "notes:delete")
    for note in (private, ours, given):
        await author.delete(f"/api/notes/{note['id']}")
    assert set(await listed(author, "?deleted=1")) == {private["id"], ours["id"], given["id"]}
    assert await listed(acme.admin, "?deleted=1") == [ours["id"]]
    assert await listed(acme.viewer, "?deleted=1") == [given["id"]]
    assert await listed(hall.globex.owner, "?deleted=1") == []
    assert code(await acme.viewer.post(f"/api/notes/{ours['id']}/restore")) == (403, "permission_denied")
    assert code(await acme.admin.post(f"/api/notes/{private['id']}/restore")) == (404, "not_found")
    assert (await acme.admin.post(f"/api/notes/{ours['id']}/restore")).status_code == 200
    assert code(await hall.globex.owner.post(f"/api/notes/{given['id']}/restore")) == (404, "not_found")


async def test_restoring_heeds_the_quota_and_if_match(hall, write_note):
    author = hall.acme.member
    note = await author.post("/api/notes", {"title": "1234"})
    path = f"/api/notes/{note.json()['id']}"
    await author.delete(path)
    stale = await author.post(f"{path}/restore", headers={"If-Match": note.headers["etag"]})
    assert code(stale) == (412, "precondition_failed")
    assert (await author.post(f"{path}/restore")).status_code == 200


async def test_a_sample_that_was_deleted_is_made_again(hall):
    owner = hall.acme.owner
    await owner.post("/api/admin/seed", {})
    first = (await owner.get("/api/notes?sort=title")).json()["items"]
    await owner.delete(f"/api/notes/{first[0]['id']}")
    await owner.post("/api/admin/seed", {})
    again = (await owner.get("/api/notes?sort=title")).json()["items"]
    assert [one["title"] for one in again] == [one["title"] for one in first]


@pytest.mark.own_server
async def test_the_trail_tells_of_the_bin(hall, write_note):
    author = hall.acme.member
    path = f"/api/notes/{(await write_note(author))['id']}"
    await author.delete(path)
    await author.post(f"{path}/restore")
    await author.delete(path)
    await author.delete(f"{path}?forever=1")
    trail = (await hall.acme.reader.get("/api/org/audit")).json()["items"]
    actions = [event["action"] for event in trail if event["action"].startswith("note.")]
    assert actions == [
        "note.deleted_forever",
        "note.deleted",
        "note.restored",
        "note.deleted",
        "note.created",
    ]
