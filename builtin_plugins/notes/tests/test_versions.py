"""Versions of a note, its tags, and the orders of lists."""

import asyncio

import pytest

from builtin_plugins.notes import listing, service

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


def code(response):
    return response.status_code, response.json().get("code")


async def test_every_change_of_the_text_is_a_version(hall, write_note):
    author = hall.acme.member
    note = await write_note(author, title="Plan", body="one", visibility="team", tags=["a"])
    path = f"/api/notes/{note['id']}"
    hall.clock.advance(seconds=60)
    await hall.acme.admin.put(path, {"body": "two"})
    await author.put(path, {"visibility": "team", "body": "two"})
    await author.put(path, {"title": "Plan B", "tags": ["b"]})
    items = (await author.get(f"{path}/versions")).json()["items"]
    assert [(one["version"], one["title"], one["created_by"]) for one in items] == [
        (3, "Plan B", author.user_id),
        (2, "Plan", hall.acme.admin.user_id),
        (1, "Plan", author.user_id),
    ]
    assert items[2]["created_at"] == note["created_at"] < items[1]["created_at"]
    first = (await author.get(f"{path}/versions/1")).json()
    assert first == {**items[2], "body": "one", "tags": ["a"]}
    assert (await author.get(f"{path}/versions/3")).json()["tags"] == ["b"]
    for number in ("0", "4", "x", "99999999999999999999"):
        assert code(await author.get(f"{path}/versions/{number}")) == (404, "not_found")


@pytest.mark.every_database
async def test_what_is_saved_while_somebody_types_is_one_version_of_some_minutes(hall, write_note):
    author, colleague = hall.acme.member, hall.acme.admin
    made = await author.post("/api/notes", {"title": "Plan", "body": "o", "visibility": "team"})
    path = f"/api/notes/{made.json()['id']}"

    async def save(client, body, autosave=1):
        answer = await client.put(f"{path}?autosave={autosave}", {"body": body})
        assert answer.status_code == 200, answer.text

    async def bodies():
        numbers = [one["version"] for one in (await author.get(f"{path}/versions")).json()["items"]]
        return [(await author.get(f"{path}/versions/{number}")).json()["body"] for number in numbers]

    await save(author, "on")
    await save(author, "one")
    assert await bodies() == ["one"]
    # Somebody else's begins another, and so does what one comes back to.
    await save(colleague, "one two")
    await save(colleague, "one two.")
    await save(author, "three")
    assert await bodies() == ["three", "one two.", "one"]
    # What is saved on purpose stays as it was.
    await save(author, "saved", autosave=0)
    await save(author, "saved, and on")
    assert await bodies() == ["saved, and on", "saved", "three", "one two.", "one"]
    hall.clock.advance(seconds=service.AUTOSAVE_MS / 1000)
    await save(author, "after a while")
    assert (await bodies())[:2] == ["after a while", "saved, and on"]
    # The trail has the beginnings; that somebody else sees it from now on is no part of the typing.
    await author.put(f"{path}?autosave=1", {"visibility": "private"})
    trail = (await hall.acme.owner.get("/api/audit?action=note.updated")).json()["items"]
    assert len([one for one in trail if one["target"]["id"] == made.json()["id"]]) == 6


async def test_of_many_who_autosave_at_once_each_change_lands_or_is_refused(hall, write_note):
    note = await write_note(hall.acme.member, visibility="team")
    path = f"/api/notes/{note['id']}"
    hall.clock.advance(seconds=service.AUTOSAVE_MS / 1000)
    tag = (await hall.acme.member.get(path)).headers["etag"]
    saves = [
        client.put(f"{path}?autosave=1", {"body": client.user_id}, headers={"If-Match": tag})
        for client in (hall.acme.member, hall.acme.admin, hall.acme.owner)
    ]
    answers = await asyncio.gather(*saves)
    assert sorted(answer.status_code for answer in answers) == [200, 412, 412]
    assert len((await hall.acme.member.get(f"{path}/versions")).json()["items"]) == 2


async def test_an_older_version_is_made_the_newest_as_a_new_one(hall, write_note):
    author = hall.acme.member
    note = await write_note(author, title="Okapi", body="one", tags=["a"])
    path = f"/api/notes/{note['id']}"
    await author.put(path, {"title": "Zebra", "body": "two", "tags": []})
    before = (await author.get(path)).headers["etag"]
    stale = await author.post(f"{path}/versions/1/restore", headers={"If-Match": '"stale"'})
    assert code(stale) == (412, "precondition_failed")
    restored = await author.post(f"{path}/versions/1/restore")
    assert restored.status_code == 200 and restored.headers["etag"] != before
    assert [restored.json()[name] for name in ("title", "body", "tags")] == ["Okapi", "one", ["a"]]
    versions = (await author.get(f"{path}/versions")).json()["items"]
    assert [one["version"] for one in versions] == [3, 2, 1]
    hits = (await author.get("/api/search", params={"q": "okapi"})).json()["items"]
    assert [hit["id"] for hit in hits] == [note["id"]]


async def test_versions_are_seen_and_restored_by_who_may(hall, write_note, share):
    author, note = hall.acme.member, await write_note(hall.acme.member, body="one")
    path = f"/api/notes/{note['id']}"
    await author.put(path, {"body": "two"})
    assert code(await hall.acme.admin.get(f"{path}/versions")) == (404, "not_found")
    assert code(await hall.globex.owner.get(f"{path}/versions/1")) == (404, "not_found")
    await share(author, note, hall.acme.viewer)
    assert (await hall.acme.viewer.get(f"{path}/versions/1")).json()["body"] == "one"
    assert code(await hall.acme.viewer.post(f"{path}/versions/1/restore")) == (403, "permission_denied")


@pytest.mark.every_database
async def test_versions_come_in_pages_and_the_oldest_go(hall, write_note, monkeypatch):
    author, note = hall.acme.member, await write_note(hall.acme.member, body="0")
    path = f"/api/notes/{note['id']}"
    monkeypatch.setattr(service, "MAX_VERSIONS", 3)
    for number in range(1, 6):
        await author.put(path, {"body": str(number)})
    first = (await author.get(f"{path}/versions?limit=2")).json()
    rest = (await author.get(f"{path}/versions?limit=2&cursor={first['next_cursor']}")).json()
    assert [one["version"] for one in first["items"] + rest["items"]] == [6, 5, 4, 3]
    assert rest["next_cursor"] is None
    monkeypatch.setattr(service, "MAX_VERSION_BYTES", 2)
    await author.put(path, {"body": "6"})
    last = (await author.get(f"{path}/versions")).json()["items"]
    assert [one["version"] for one in last] == [7, 6, 5]


async def test_lists_in_each_order(hall, write_note, listed):
    author = hall.acme.member
    notes = {}
    for title in ("beta", "Alpha", "gamma"):
        hall.clock.advance(seconds=1)
        notes[title] = (await write_note(author, title=title, tags=["Greek"]))["id"]
    hall.clock.advance(seconds=1)
    await author.put(f"/api/notes/{notes['beta']}", {"body": "changed"})
    orders = {
        "created": ["gamma", "Alpha", "beta"],
        "updated": ["beta", "gamma", "Alpha"],
        "title": ["Alpha", "beta", "gamma"],
    }
    for sort, titles in orders.items():
        for more in ("", "&tag=greek"):
            wanted = [notes[title] for title in titles]
            assert await listed(author, f"?sort={sort}{more}") == wanted
            seen, cursor = [], ""
            while cursor is not None:
                query = f"?sort={sort}{more}&limit=1" + (f"&cursor={cursor}" if cursor else "")
                page = (await author.get(f"/api/notes{query}")).json()
                seen += [one["id"] for one in page["items"]]
                cursor = page["next_cursor"]
            assert seen == wanted
    assert await listed(author) == [notes[title] for title in orders["created"]]
    refused = await author.get("/api/notes?sort=updated&cursor=bm90ZQ")
    assert code(refused) == (400, "invalid_request")


async def test_each_order_shows_what_each_may_see(hall, write_note, listed, share):
    acme, author = hall.acme, hall.acme.member
    private = await write_note(author, title="private", tags=["x"])
    ours = await write_note(author, title="ours", visibility="team", tags=["x"])
    given = await write_note(author, title="given", tags=["x"])
    await share(author, given, acme.viewer)
    for query in ("?sort=updated", "?sort=title", "?tag=x", "?tag=x&sort=updated"):
        assert set(await listed(author, query)) == {private["id"], ours["id"], given["id"]}
        assert set(await listed(acme.viewer, query)) == {ours["id"], given["id"]}
        assert await listed(acme.admin, query) == [ours["id"]]
        assert await listed(hall.globex.owner, query) == []
        assert await listed(acme.reader, f"{query}&scope=org") == [ours["id"]]


async def test_a_sorted_page_of_long_notes_ends_early(hall, write_note, monkeypatch):
    author = hall.acme.member
    for number in range(3):
        await write_note(author, title=f"n{number}", body="x" * 100)
    monkeypatch.setattr(listing, "MAX_BYTES_PER_PAGE", 150)
    page = (await author.get("/api/notes?sort=title")).json()
    assert [one["title"] for one in page["items"]] == ["n0"]
    page = (await author.get(f"/api/notes?sort=title&cursor={page['next_cursor']}")).json()
    assert [one["title"] for one in page["items"]] == ["n1"]


@pytest.mark.any_database
async def test_tags_are_few_and_short(hall, write_note):
    author = hall.acme.member
    note = await write_note(author, tags=[" Minutes ", "minutes", "Q3"])
    assert note["tags"] == ["Minutes", "Q3"]
    path = f"/api/notes/{note['id']}"
    assert (await author.put(path, {"body": "b"})).json()["tags"] == ["Minutes", "Q3"]
    for tags in (["x" * 41], [str(number) for number in range(21)], [""], [" "], ["a\nb"], [1], "a"):
        assert code(await author.put(path, {"tags": tags})) == (400, "invalid_request")


@pytest.mark.any_database
async def test_items_carry_how_they_begin(hall, write_note):
    body = "# Decided\n\n- **We meet** on _Tuesdays_\n- [ ] invite\n\n" + "word " * 100
    await write_note(hall.acme.member, body=body)
    (note,) = (await hall.acme.member.get("/api/notes")).json()["items"]
    assert note["excerpt"].startswith("Decided We meet on Tuesdays invite word word")
    assert len(note["excerpt"]) <= 241 and note["excerpt"].endswith("…")


async def test_an_excerpt_keeps_what_is_no_mark(hall, write_note):
    text = "# Sizes\n\n- **file_name_x** is `2 * 3`, ~5 _or_ so a | b\n\n~~not~~ ***this***"
    text += "\n\n| Port | Why |\n|---|:-:|\n| Nes | **fish** |"
    note = await write_note(hall.acme.member, body=text)
    assert note["excerpt"] == "Sizes file_name_x is 2 * 3, ~5 or so a | b not this Port Why Nes fish"


@pytest.mark.parametrize("tag", ["👨‍👩‍👧", "می‌خواهم"])
async def test_a_tag_may_have_signs_that_are_joined(hall, write_note, tag):
    note = await write_note(hall.acme.member, tags=[tag])
    assert note["tags"] == [tag]
    found = (await hall.acme.member.get("/api/notes", params={"tag": tag})).json()["items"]
    assert [one["id"] for one in found] == [note["id"]]
    refused = await hall.acme.member.post("/api/notes", {"title": "None", "tags": ["\u200d"]})
    assert code(refused) == (400, "invalid_request")


@pytest.mark.every_database
@pytest.mark.parametrize("sort", ["created", "updated", "title"])
async def test_pages_of_a_tag_are_the_same_however_many_have_it(hall, write_note, share, monkeypatch, sort):
    author, reader = hall.acme.member, hall.acme.viewer
    for number in range(12):
        visibility = "private" if number % 3 == 0 else "team"
        tags = ["other"] if number % 4 == 0 else ["paged"]
        hall.clock.advance(seconds=1)
        note = await write_note(author, title=f"{number % 5}", visibility=visibility, tags=tags)
        if number == 9:
            await share(author, note, reader)
        if number == 5:
            await author.delete(f"/api/notes/{note['id']}")

    async def pages():
        found, cursor = [], ""
        while cursor is not None:
            path = f"/api/notes?tag=paged&limit=2&sort={sort}{cursor and '&cursor=' + cursor}"
            page = (await reader.get(path)).json()
            found += [one["id"] for one in page["items"]]
            cursor = page["next_cursor"]
        return found

    few = await pages()
    monkeypatch.setattr(listing, "_FEW", 2)
    monkeypatch.setattr(listing, "_PER_STEP", 3)
    assert await pages() == few
    everything = (await reader.get(f"/api/notes?sort={sort}&limit=200")).json()["items"]
    assert few == [one["id"] for one in everything if "paged" in one["tags"]] and len(few) == 6
