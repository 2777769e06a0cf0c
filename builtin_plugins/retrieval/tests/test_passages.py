"""What a question is answered from: passages of what the asker may read, word for word, with their place."""

import pytest

from guildhall_sdk import InvalidRequest
from guildhall_sdk.services.search import Passage

pytestmark = pytest.mark.shared_server

LEAVE = "# Leave\n\nParents take eleven weeks, which end before the first birthday.\n"


async def test_a_question_finds_the_passage_by_some_of_its_words(asking):
    note = await asking.note("Handbook", LEAVE)
    await asking.note("Menu", "Soup on Mondays.")
    (found,) = await asking.passages("How many weeks do parents have?")
    assert isinstance(found, Passage)
    assert (found.type, found.id, found.title, found.url) == ("note", note, "Handbook", f"/api/notes/{note}")
    assert found.text in LEAVE and "eleven weeks" in found.text
    assert found.place == {"heading": "Leave", "line": 1}
    assert found.found_by == ("words",)


async def test_a_file_comes_with_its_key_and_version(asking):
    await asking.file("rules/leave.md", b"Nothing yet.")
    made = await asking.file("rules/leave.md", LEAVE.encode())
    (found,) = await asking.passages("How many weeks do parents have?")
    assert (found.type, found.id, found.key, found.version) == ("object", made["id"], "rules/leave.md", 2)
    assert found.text in LEAVE


async def test_where_nothing_fits_there_is_nothing(asking):
    await asking.note("Handbook", LEAVE)
    assert await asking.passages("Who won the bicycle race?") == ()
    assert await asking.passages("   ") == ()


async def test_nobody_gets_what_they_may_not_read(asking):
    hall = asking.hall
    note = await asking.note("Handbook", LEAVE, visibility="private")
    await asking.file("private/leave.md", LEAVE.encode(), visibility="private")
    assert len(await asking.passages("weeks parents")) == 2
    assert await asking.passages("weeks parents", hall.globex.member) == ()
    assert await asking.passages("weeks parents", hall.acme.viewer) == ()
    await hall.acme.member.post(
        f"/api/notes/{note}/share", {"user_id": hall.acme.viewer.user_id, "permission": "notes:read"}
    )
    assert [one.id for one in await asking.passages("weeks parents", hall.acme.viewer)] == [note]


async def test_a_scope_narrows_what_is_found(asking):
    hall = asking.hall
    await asking.note("Handbook", LEAVE, visibility="team")
    await asking.file("leave.md", LEAVE.encode())
    made = await hall.acme.owner.post("/api/tokens", {"name": "narrow", "scope": ["search", "notes:read"]})
    narrow = hall.bearer(made.json()["token"])
    assert {one.type for one in await asking.passages("weeks parents", narrow)} == {"note"}


async def test_sources_say_where_to_look(asking):
    note = await asking.note("Handbook", LEAVE)
    file = await asking.file("rules/leave.md", LEAVE.encode())
    await asking.file("other/leave.md", LEAVE.encode())
    for source, expected in (
        ({"type": "note", "id": note}, [note]),
        ({"type": "object", "id": file["id"]}, [file["id"]]),
        ({"type": "object", "key": "rules/leave.md"}, [file["id"]]),
        ({"type": "folder", "key": "rules/"}, [file["id"]]),
        ({"type": "folder", "key": "rules"}, [file["id"]]),
    ):
        found = await asking.passages("weeks parents", sources=[source])
        assert [one.id for one in found] == expected, source


async def test_what_is_named_is_given_whatever_is_asked(asking):
    note = await asking.note("Handbook", LEAVE)
    found = await asking.passages("Sum this up", sources=[{"type": "note", "id": note}])
    assert [one.id for one in found] == [note]


@pytest.mark.parametrize(
    "source",
    [
        "folder",
        [],
        [{"type": "page", "id": "x"}],
        [{"type": "note"}],
        [{"type": "note", "id": "note_that_is_not_there"}],
        [{"type": "object", "key": "not/there.md"}],
        [{"type": "object", "key": "../x"}],
        [{"type": "folder", "key": "nowhere/"}],
        [{"type": "entity", "id": "ent_that_is_not_there"}],
    ],
)
async def test_a_source_that_is_none_is_refused_with_its_pointer(asking, source):
    with pytest.raises(InvalidRequest) as refused:
        await asking.passages("weeks", sources=source)
    assert refused.value.errors[0]["pointer"].startswith("/sources")


async def test_somebody_elses_note_is_no_source(asking):
    note = await asking.note("Handbook", LEAVE, client=asking.hall.globex.member)
    with pytest.raises(InvalidRequest):
        await asking.passages("weeks", sources=[{"type": "note", "id": note}])


async def test_a_file_that_is_named_is_read_though_no_job_has_come_to_it(asking):
    made = await asking.hall.acme.member.put("/api/repo/fresh.md", content=LEAVE.encode())
    source = {"type": "object", "id": made.json()["id"]}
    (found,) = await asking.passages("weeks parents", sources=[source])
    assert "eleven weeks" in found.text
