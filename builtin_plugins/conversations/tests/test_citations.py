"""Answers from sources: each sentence with the passage that proves it; nothing where nothing was found."""

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

LEAVE = "Parents take eleven weeks, which end before the first birthday."


async def test_an_answer_names_the_passage_that_proves_it(hall, begin):
    made = await hall.acme.member.post("/api/notes", {"title": "Handbook", "body": LEAVE})
    hall.model.say("Parents take eleven weeks [1].")
    talk = await begin()
    answer = await talk.answered("How many weeks do parents have?", sources="workspace")
    (cited,) = answer["citations"]
    assert (cited["n"], cited["type"], cited["id"]) == (1, "note", made.json()["id"])
    assert cited["quote"] in LEAVE and cited["place"] == {"line": 1}
    assert LEAVE in str(hall.model.calls[-1].body["messages"])


async def test_where_nothing_is_found_the_model_is_not_asked(hall, begin):
    talk = await begin()
    answer = await talk.answered("Who won the bicycle race?", sources="workspace")
    assert answer["citations"] == [] and answer["state"] == "done"
    assert hall.model.calls == []


async def test_nobody_is_cited_what_they_may_not_read(hall, begin):
    body = {"title": "Handbook", "body": LEAVE, "visibility": "private"}
    await hall.acme.owner.post("/api/notes", body)
    talk = await begin()
    answer = await talk.answered("How many weeks do parents have?", sources="workspace")
    assert answer["citations"] == [] and hall.model.calls == []
