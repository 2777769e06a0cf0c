"""Nothing of what somebody may not read is found by meaning: no passage, title, count or score."""

import random

import pytest

from builtin_plugins.embeddings.tests.conftest import ON, tools_of

HOW = ("private", "team", "shared", "revoked", "expired", "file", "private file", "shared file", "theirs")


async def _make(tools, how, number, people):
    """Makes one document about ships; returns where it is read, and its id."""
    hall = tools.hall
    title, text = f"Document {number}", f"Number {number} is about a vessel."
    owner, other = random.choice(people), random.choice(people)
    if how == "theirs":
        return "notes", await tools.note(title, text, client=hall.globex.member, visibility="team")
    if "file" in how:
        visibility = "private" if how == "private file" else "team"
        made = await tools.file(f"{number}.txt", text.encode(), client=owner, visibility=visibility)
        if how == "shared file":
            body = {"user_id": other.user_id, "permission": "files:read"}
            await owner.post(f"/api/repo-obj/{made['id']}/share", body)
        return "repo-obj", made["id"]
    note = await tools.note(title, text, client=owner, visibility="team" if how == "team" else "private")
    if how in ("shared", "revoked", "expired"):
        await owner.post(f"/api/notes/{note}/share", {"user_id": other.user_id, "permission": "notes:read"})
    if how == "revoked":
        await owner.delete(f"/api/notes/{note}/share", {"user_id": other.user_id})
    return "notes", note


@pytest.mark.parametrize("documents", [45, pytest.param(1_700, marks=pytest.mark.long_form)])
async def test_each_finds_exactly_what_they_may_read(open_hall, subject_model, documents):
    random.seed(7)
    async with open_hall(**ON) as hall:
        tools = tools_of(hall)
        acme = [hall.acme.owner, hall.acme.admin, hall.acme.member, hall.acme.colleague]
        made = [await _make(tools, HOW[number % len(HOW)], number, acme) for number in range(documents)]
        await hall.drain_jobs()
        await tools.read()
        for person in (*acme, hall.acme.viewer, hall.globex.member):
            readable = {
                id_ for path, id_ in made if (await person.get(f"/api/{path}/{id_}")).status_code == 200
            }
            found, cursor = [], None
            while True:
                page = await tools.search(
                    "boat", person, mode="meaning", limit=50, **({"cursor": cursor} if cursor else {})
                )
                found += [item["id"] for item in page["items"]]
                cursor = page["next_cursor"]
                if cursor is None:
                    break
            assert len(found) == len(set(found))
            assert set(found) == readable if len(readable) <= 500 else set(found) <= readable


@pytest.mark.parametrize("mode", ["meaning", "hybrid"])
async def test_no_page_repeats_or_leaves_out_what_is_as_near(open_hall, subject_model, monkeypatch, mode):
    monkeypatch.setattr("builtin_plugins.search.meaning._AT_ONCE", 4)
    monkeypatch.setattr("builtin_plugins.search.meaning.WINDOW", 8)
    monkeypatch.setattr("builtin_plugins.embeddings.stores._FIRST", 10)
    monkeypatch.setattr("builtin_plugins.embeddings.stores._MORE", 6)
    async with open_hall(**ON) as hall:
        tools = tools_of(hall)
        made = [
            await tools.note(
                f"Note {number}", "A vessel. A boat." if number % 3 else "A vessel. A boat, leave."
            )
            for number in range(30)
        ]
        await tools.read()
        found, cursor = [], {}
        while cursor is not None:
            page = await tools.search("boat", mode=mode, limit=3, **cursor)
            found += page["items"]
            cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else None
        ids = [item["id"] for item in found]
        assert len(ids) == len(set(ids))
        assert set(ids) == set(made)
        scores = [item["score"] for item in found]
        assert scores == sorted(scores, reverse=True)


@pytest.mark.short_on("sqlite")
async def test_thousands_that_are_nearer_and_not_ones_own_take_no_place(open_hall, subject_model):
    async with open_hall(**ON) as hall:
        tools = tools_of(hall)
        for number in range(400):
            await tools.note(f"Boat {number}", "vessel boat ship " * 5, client=hall.acme.owner)
        for number in range(520):  # so many that they are walked among everybody's
            await tools.note(f"Forest {number}", "A tree.")
        mine = await tools.note(
            "Mine", "It rains, and a vessel passes, and there is more that matters little."
        )
        await tools.read()
        assert await tools.ids("boat", mode="meaning") == [mine]


async def test_who_loses_access_finds_nothing_from_then_on(open_hall, subject_model):
    async with open_hall(**ON) as hall:
        tools, colleague = tools_of(hall), hall.acme.colleague
        note = await tools.note("Berths", "A vessel.", visibility="private")
        await tools.read()
        share = {"user_id": colleague.user_id, "permission": "notes:read"}
        assert await tools.ids("boat", colleague) == []
        await hall.acme.member.post(f"/api/notes/{note}/share", share)
        assert await tools.ids("boat", colleague) == [note]
        await hall.acme.member.delete(f"/api/notes/{note}/share", {"user_id": colleague.user_id})
        assert await tools.ids("boat", colleague) == []


async def test_a_scope_leaves_out_what_it_leaves_out(open_hall, subject_model):
    async with open_hall(**ON) as hall:
        tools = tools_of(hall)
        await tools.note("Berths", "A vessel.", client=hall.acme.owner)
        file = await tools.file("a.txt", b"A vessel.", client=hall.acme.owner)
        await hall.drain_jobs()
        await tools.read()
        made = await hall.acme.owner.post("/api/tokens", {"name": "n", "scope": ["search", "files:read"]})
        assert await tools.ids("boat", hall.bearer(made.json()["token"])) == [file["id"]]


async def test_a_team_that_has_it_off_finds_by_words(open_hall, subject_model):
    async with open_hall(**ON) as hall:
        tools = tools_of(hall)
        await tools.note("Berths", "A vessel.")
        await tools.read()
        off = await hall.acme.owner.post("/api/plugins/embeddings", {"enabled": False})
        assert off.status_code == 200, off.text
        assert await tools.ids("boat") == []
