"""The tools of the workspace, called as an agent, a workflow or an MCP client calls them."""

import pytest

from guildhall_sdk import InvalidRequest, NotFound, PermissionDenied

pytestmark = pytest.mark.shared_server


async def test_search_gives_the_passage_that_fits(asking):
    note = await asking.note("Berths", "Each vessel pays for the night.")
    (hit,) = (await asking.call("search", query="vessel night"))["items"]
    assert (hit["id"], hit["type"], hit["found_by"]) == (note, "note", ["words"])
    assert "vessel" in hit["passage"]["text"] and "**vessel**" in hit["snippet"]


async def test_search_takes_a_sentence_of_which_some_words_do(asking):
    note = await asking.note("Berths", "Each vessel pays for the night.")
    found = await asking.call("search", query="What does every vessel have to pay here?", limit=3)
    assert [one["id"] for one in found["items"]] == [note]


async def test_a_note_is_written_read_and_changed(asking):
    made = await asking.call("write_note", title="Plan", body="First.")
    assert (await asking.call("read_note", id=made["id"]))["text"] == "First."
    await asking.call("write_note", id=made["id"], title="Plan", body="Second.")
    assert (await asking.call("read_note", id=made["id"]))["text"] == "Second."
    shown = (await asking.hall.acme.member.get(f"/api/notes/{made['id']}")).json()
    assert shown["visibility"] == "private"
    with pytest.raises(NotFound):
        await asking.call("write_note", asking.hall.acme.colleague, id=made["id"], title="x", body="y")


async def test_a_document_is_written_listed_and_read_in_parts(asking):
    text = "word " * 9_000
    made = await asking.call("write_document", key="reports/may.md", text=text)
    assert made["version"] == 1
    await asking.hall.drain_jobs()
    listed = await asking.call("list_files", prefix="reports/")
    assert [one["key"] for one in listed["items"]] == ["reports/may.md"] and listed["more"] is False
    first = await asking.call("read_document", key="reports/may.md")
    second = await asking.call("read_document", id=made["id"], **{"from": first["next"]})
    third = await asking.call("read_document", id=made["id"], **{"from": second["next"]})
    assert third["next"] is None
    assert (first["text"] + second["text"] + third["text"]).split() == text.split()


async def test_a_second_writing_is_another_version(asking):
    await asking.call("write_document", key="a.txt", text="one")
    assert (await asking.call("write_document", key="a.txt", text="two"))["version"] == 2


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search", {"query": " "}),
        ("search", {"query": "x" * 1_001}),
        ("search", {"query": "x", "limit": 0}),
        ("search", {"query": "x", "mode": "magic"}),
        ("read_document", {}),
        ("read_document", {"id": "a", "key": "b"}),
        ("write_note", {"title": "", "body": "x"}),
        ("list_files", {"limit": 100_000}),
    ],
)
async def test_arguments_that_are_none_are_refused(asking, name, arguments):
    with pytest.raises(InvalidRequest):
        await asking.call(name, **arguments)


async def test_each_wants_its_right(asking):
    hall = asking.hall
    made = await hall.acme.owner.post("/api/tokens", {"name": "narrow", "scope": ["search"]})
    narrow = hall.bearer(made.json()["token"])
    for name, arguments in (
        ("read_note", {"id": "x"}),
        ("read_document", {"id": "x"}),
        ("list_files", {}),
        ("write_note", {"title": "x", "body": "y"}),
        ("write_document", {"key": "x", "text": "y"}),
    ):
        with pytest.raises(PermissionDenied):
            await asking.call(name, narrow, **arguments)


async def test_nobody_reads_another_company(asking):
    note = await asking.note("Berths", "vessel", client=asking.hall.globex.member)
    with pytest.raises(NotFound):
        await asking.call("read_note", id=note)
    assert (await asking.call("search", query="vessel"))["items"] == []


async def test_those_that_write_say_so(asking):
    listed = (await asking.hall.acme.member.get("/api/tools")).json()["items"]
    ours = {one["name"]: one["writes"] for one in listed}
    assert {name for name, writes in ours.items() if writes and name.startswith("write_")} == {
        "write_note",
        "write_document",
    }
    reading = ("search", "read_note", "read_document", "list_files", "find_entity")
    assert not any(ours[name] for name in reading)
