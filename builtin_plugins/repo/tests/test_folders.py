"""Folders by prefix, the bin, and versions that become the newest again."""

import pytest

from builtin_plugins.repo import listing
from builtin_plugins.repo.tests.reading_here import documents_are_read_here  # noqa: F401 - a fixture
from guildhall_testing.statements import before_statements

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]

KEYS = ["a/1", "a/2", "a/b/3", "c", "d/4", "e", "f/g/5"]


async def folder(client, **query):
    found, cursor = [], None
    while True:
        more = {"cursor": cursor} if cursor else {}
        response = await client.get("/api/repo", params={"delimiter": "/", **query, **more})
        assert response.status_code == 200, response.text
        page = response.json()
        found += sorted([*page["folders"], *(item["key"] for item in page["items"])])
        cursor = page["next_cursor"]
        if cursor is None:
            return found


@pytest.mark.every_database
async def test_a_folder_is_listed_without_what_lies_below_its_folders(hall, upload):
    for key in KEYS:
        await upload(hall.acme.member, key)
    for limit in (1, 2, 3, 200):
        assert await folder(hall.acme.viewer, limit=limit) == ["a/", "c", "d/", "e", "f/"]
        assert await folder(hall.acme.viewer, limit=limit, prefix="a/") == ["a/1", "a/2", "a/b/"]
    assert await folder(hall.globex.member) == []


async def test_a_page_of_many_folders_asks_the_database_twice(hall, upload, monkeypatch):
    whole = [*(f"{name}/" for name in "abcdef"), "g", *(f"{name}/" for name in "hi"), "z"]
    for key in (*(f"{name}{file}" for name in whole if name[-1] == "/" for file in range(6)), "g", "z"):
        await upload(hall.acme.member, key)
    asked = []

    def note(call):
        if call.statement.name in ("page", "folded_page"):
            asked.append((call.statement.name, call.binds["limit"]))

    before_statements(monkeypatch.setattr, note)
    monkeypatch.setattr(listing, "_FIRST_LOOK", 2)
    assert await folder(hall.acme.viewer, limit=20) == whole
    assert asked == [("page", 3), ("folded_page", 20)]
    for limit in (1, 2, 3, 4):
        assert await folder(hall.acme.viewer, limit=limit) == whole
        assert await folder(hall.acme.viewer, limit=limit, prefix="h/") == [f"h/{file}" for file in range(6)]


async def test_what_was_deleted_can_be_brought_back_by_whoever_may_delete_it(hall, upload):
    member, viewer = hall.acme.member, hall.acme.viewer
    made = await upload(member, "plan.txt", b"one")
    path = f"/api/repo-obj/{made['id']}"
    assert (await viewer.delete(f"{path}?keep=1")).status_code == 403
    assert (await member.delete(f"{path}?keep=1")).status_code == 204
    assert (await member.get(path)).status_code == 404
    bin_of = (await member.get("/api/repo?deleted=1")).json()["items"]
    assert [(one["id"], one["versions"][0]["size"]) for one in bin_of] == [(made["id"], 3)]
    assert (await hall.globex.member.get("/api/repo?deleted=1")).json()["items"] == []
    assert (await viewer.post(f"{path}/restore", {})).status_code == 403
    assert (await hall.globex.owner.post(f"{path}/restore", {})).status_code == 404
    restored = await member.post(f"{path}/restore", {})
    assert (restored.status_code, restored.json()["version"]) == (200, 1)
    assert (await member.get("/api/repo?deleted=1")).json()["items"] == []
    assert (await member.get(f"{path}/content")).content == b"one"


async def test_private_things_in_the_bin_are_seen_by_their_owner_alone(hall, upload):
    made = await upload(hall.acme.member, "own.txt", visibility="private")
    await hall.acme.member.delete(f"/api/repo-obj/{made['id']}?keep=1")
    assert (await hall.acme.owner.get("/api/repo?deleted=1")).json()["items"] == []
    assert len((await hall.acme.member.get("/api/repo?deleted=1")).json()["items"]) == 1


async def test_an_older_version_becomes_the_newest_again(hall, upload):
    member, viewer = hall.acme.member, hall.acme.viewer
    made = await upload(member, "plan.txt", b"one")
    await upload(member, "plan.txt", b"second")
    path = f"/api/repo-obj/{made['id']}"
    assert (await viewer.post(f"{path}/restore", {"version": 1})).status_code == 403
    assert (await member.post(f"{path}/restore", {"version": 9})).status_code == 404
    restored = (await member.post(f"{path}/restore", {"version": 1})).json()
    assert (restored["version"], restored["size"]) == (3, 3)
    assert (await member.get(f"{path}/content")).content == b"one"


async def test_an_object_says_what_its_reader_may_do_with_it(hall, upload):
    member, viewer = hall.acme.member, hall.acme.viewer
    made = await upload(member, "plan.txt")
    every = ["files:delete", "files:manage", "files:read", "files:write"]
    assert made["permissions"] == every
    assert (await viewer.get(f"/api/repo-obj/{made['id']}")).json()["permissions"] == ["files:read"]
    grant = {"principal_type": "user", "principal_id": viewer.person.user_id, "capability": "edit"}
    assert (await member.post(f"/api/repo-obj/{made['id']}/share", grant)).status_code == 200
    for listed in ("/api/repo", "/api/repo?shared=1"):
        items = (await viewer.get(listed)).json()["items"]
        assert [one["permissions"] for one in items] == [["files:read", "files:write"]]
