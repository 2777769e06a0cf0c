"""What people find by meaning: with none of the words, after a change, and after it is gone."""

import asyncio

import pytest

from builtin_plugins.embeddings.models import sql
from builtin_plugins.embeddings.tests.conftest import ON, tools_of

pytestmark = pytest.mark.shared_server


async def test_a_note_is_found_with_none_of_its_words(reading):
    ships = await reading.note("Berths", "Each vessel pays for the night.")
    await reading.note("Party", "We bring cake.")
    await reading.read()
    assert await reading.ids("boat", mode="words") == []
    found = await reading.search("boat")
    assert [item["id"] for item in found["items"]] == [ships]
    assert found["items"][0]["found_by"] == ["meaning"]
    assert found["items"][0]["passage"] == {"text": "Each vessel pays for the night.", "place": {"line": 1}}


async def test_what_both_find_comes_first(reading):
    meant = await reading.note("Berths", "Each vessel pays for the night.")
    both = await reading.note("A boat", "The boat is blue.")
    await reading.read()
    found = (await reading.search("boat", mode="hybrid"))["items"]
    assert [item["id"] for item in found] == [both, meant]
    assert [item["found_by"] for item in found] == [["words", "meaning"], ["meaning"]]
    scores = [item["score"] for item in found]
    assert scores == sorted(scores, reverse=True) and 0 < scores[1] < scores[0] <= 1


async def test_a_passage_names_the_heading_above_it(reading):
    filler = "Sentences about nothing of interest to anybody at all. " * 18
    await reading.note("Handbook", f"# First\n\n{filler}\n\n# Boats\n\nA vessel lies at the quay. {filler}")
    await reading.read()
    (hit,) = (await reading.search("boat harbour", mode="meaning"))["items"]
    assert hit["passage"]["place"]["heading"] == "Boats"
    assert hit["passage"]["text"].startswith("# Boats")


async def test_a_text_that_changed_is_not_found_by_what_it_said(reading):
    note = await reading.note("Plan", "A vessel.")
    await reading.read()
    assert await reading.ids("boat") == [note]
    await reading.hall.acme.member.put(f"/api/notes/{note}", {"body": "A forest."})
    assert await reading.ids("boat") == []  # not even before it was read anew
    await reading.read()
    assert await reading.ids("boat") == []
    assert await reading.ids("tree") == [note]


async def test_what_is_deleted_is_not_found(reading):
    note = await reading.note("Plan", "A vessel.")
    await reading.read()
    await reading.hall.acme.member.delete(f"/api/notes/{note}")
    assert await reading.ids("boat", mode="meaning") == []


async def test_nothing_is_found_by_meaning_that_has_nothing_to_do_with_it(reading):
    await reading.note("Plan", "A vessel.")
    await reading.read()
    assert await reading.ids("forest", mode="meaning") == []


async def test_who_asks_for_a_phrase_or_without_a_word_asks_for_words(reading):
    note = await reading.note("Plan", "A vessel for rest.")
    await reading.read()
    assert await reading.ids('"a boat"') == []
    assert await reading.ids("boat -vessel") == []
    assert await reading.ids("boat") == [note]


async def test_pages_follow_one_another_and_repeat_nothing(reading):
    notes = [
        await reading.note(f"Boat {number}", "A vessel." if number % 2 else "Blue.") for number in range(70)
    ]
    await reading.read()
    seen, cursor = [], None
    while True:
        found = await reading.search("boat", limit=9, **({"cursor": cursor} if cursor else {}))
        seen += [item["id"] for item in found["items"]]
        cursor = found["next_cursor"]
        if cursor is None:
            break
    assert sorted(seen) == sorted(notes)


async def test_meaning_has_pages_too(reading):
    notes = [await reading.note(f"Note {number}", "A vessel.") for number in range(7)]
    await reading.read()
    first = await reading.search("boat", mode="meaning", limit=4)
    second = await reading.search("boat", mode="meaning", limit=4, cursor=first["next_cursor"])
    assert sorted(item["id"] for item in first["items"] + second["items"]) == sorted(notes)
    assert second["next_cursor"] is None


async def test_a_long_text_has_many_passages_and_is_one_hit(reading):
    long = "\n\n".join(f"Paragraph {number} of a vessel in the harbour. " * 20 for number in range(80))
    note = await reading.note("Long", long)
    await reading.read()
    assert await reading.ids("boat", mode="meaning") == [note]


async def test_files_are_found_by_what_they_say(reading):
    made = await reading.file("docs/berths.md", b"# Quay\n\nEach vessel pays.\n")
    await reading.hall.drain_jobs()
    await reading.read()
    (hit,) = (await reading.search("boat", mode="meaning"))["items"]
    assert (hit["type"], hit["id"]) == ("object", made["id"])
    assert hit["passage"]["place"] == {"heading": "Quay", "line": 1}


async def test_a_file_without_a_text_is_found_by_its_name_and_waits_for_no_reader(reading):
    async def waiting():
        async with reading.hall.server.data.read() as reader:
            return await reader.value(sql.count_waiting)

    before = await waiting()
    made = await reading.file("quay/gull.bin", b"\x00\x01")
    assert await waiting() == before
    assert await reading.ids("gull") == [made["id"]]


async def test_without_embeddings_everything_is_found_by_words(hall):
    made = await hall.acme.member.post("/api/notes", {"title": "A boat", "body": "Blue."})
    for mode in ({}, {"mode": "hybrid"}, {"mode": "meaning"}, {"mode": "words"}):
        answer = await hall.acme.member.get("/api/search", params={"q": "boat", **mode})
        (hit,) = answer.json()["items"]
        assert (hit["id"], hit["score"], hit["found_by"]) == (made.json()["id"], 1.0, ["words"])


@pytest.mark.own_server
async def test_it_is_read_by_itself_soon_after_it_was_written(open_hall, subject_model):
    async with open_hall(**ON) as hall:
        tools = tools_of(hall)
        note = await tools.note("Berths", "A vessel.")
        async with asyncio.timeout(60):
            while await tools.ids("boat", mode="meaning") != [note]:
                pass
        await hall.acme.member.put(f"/api/notes/{note}", {"body": "A forest."})
        async with asyncio.timeout(60):
            while await tools.ids("tree", mode="meaning") != [note]:
                pass
