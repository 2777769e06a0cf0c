"""The plugins of the docs, as somebody would use them."""

import pytest

from builtin_plugins.oop.calls import PluginFailed
from builtin_plugins.oop.tests.folders import grant, items_of, turn_on

COUNT, SUM_UP = "oop__note_counter__count_words", "oop__note_counter__sum_up"
FIND, SLUG = "oop__note_finder__find_word", "oop__note_finder__slug"


@pytest.mark.short_on("sqlite")
async def test_both_examples_work_once_they_are_granted_what_they_request(open_programs, programs):
    programs.example("note-counter").example("note-finder")
    async with open_programs(with_model=True) as hall:
        member = hall.acme.member
        listed = (await member.get("/api/tools?limit=200")).json()["items"]
        tools = {item["name"]: item for item in listed if item["source"] == "oop"}
        assert {name: tool["enabled"] for name, tool in tools.items()} == dict.fromkeys(
            (COUNT, SUM_UP, FIND, SLUG), False
        )
        await turn_on(hall, COUNT, SUM_UP, FIND, SLUG)
        note = (await member.post("/api/notes", {"title": "Harbour", "body": "three small boats"})).json()
        file = (await member.put("/api/repo/log.txt", content=b"The wind came from the west.")).json()

        assert await hall.tool(SLUG, as_=member, title="Old Harbour") == {"slug": "old-harbour"}
        for name, arguments in ((COUNT, {"note_id": note["id"]}), (FIND, {"word": "boats"})):
            with pytest.raises(PluginFailed, match="operator has not granted notes:read"):
                await hall.tool(name, as_=member, **arguments)

        await grant(hall, "note-counter", "notes:read", "files:read", "model")
        await grant(hall, "note-finder", "notes:read")
        assert await hall.tool(COUNT, as_=member, note_id=note["id"]) == {"title": "Harbour", "words": 3}
        assert await hall.tool(FIND, as_=member, word="boats") == {"found": ["Harbour"]}
        await turn_on(hall, FIND, who=hall.globex.owner)
        assert await hall.tool(FIND, as_=hall.globex.owner, word="boats") == {"found": []}
        hall.model.say("Westerly wind.")
        answer = await hall.tool(SUM_UP, as_=member, file_id=file["id"])
        assert answer == {"key": "log.txt", "summary": "Westerly wind."}
        assert "The wind came from the west." in str(hall.model.calls[-1])
        used = (await hall.acme.owner.get("/api/usage")).json()["items"]
        assert {row["used"] for row in used if row["dimension"] == "ai.requests"} == {1}

        items = await items_of(hall)
        assert items["note-finder"]["tools"] == [
            {"name": SLUG, "original": "slug"},
            {"name": FIND, "original": "find_word"},
        ]
        assert {item["status"] for item in items.values()} == {"connected"}
