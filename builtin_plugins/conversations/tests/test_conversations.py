"""Conversations are kept: made, asked in, listed, searched, branched, forked, exported and deleted."""

import pytest

from builtin_plugins.conversations.tests.conftest import PATH, text

pytestmark = pytest.mark.shared_server


async def test_a_question_is_answered_in_the_background_and_kept(hall, begin):
    hall.model.say("A guild is a company of craftsmen.")
    talk = await begin()
    asked = await hall.acme.member.post(f"{talk.path}/messages", {"prompt": "What is a guild?"})
    assert asked.status_code == 202
    message = asked.json()["message"]
    assert (message["role"], message["state"], message["parts"]) == ("assistant", "queued", [])
    assert asked.json()["job"]["id"].startswith("job_")
    await hall.drain_jobs()
    found = await talk.read()
    question, answer = found["messages"]
    assert (question["role"], text(question), question["parent_id"]) == ("user", "What is a guild?", None)
    assert (answer["id"], answer["parent_id"], answer["state"]) == (message["id"], question["id"], "done")
    assert (text(answer), answer["model"]) == ("A guild is a company of craftsmen.", "default")
    assert answer["usage"]["total_tokens"] > 0
    assert (answer["tools"], answer["citations"], answer["error"]) == ([], [], None)
    assert (found["title"], found["message_count"]) == ("What is a guild?", 2)
    job = (await hall.acme.member.get(f"/api/jobs/{asked.json()['job']['id']}")).json()
    assert (job["state"], job["kind"]) == ("succeeded", "conversations.turn")


async def test_the_model_is_told_what_was_said_in_the_branch_alone(hall, begin):
    talk = await begin(system="Be short.")
    hall.model.say("One.")
    first = await talk.answered("Say one.")
    hall.model.say("Two.")
    await talk.answered("And two.")
    hall.model.say("Three.")
    await talk.answered("And three.", parent_id=first["id"])
    told = [(one["role"], one["content"]) for one in hall.model.calls[-1].body["messages"]]
    assert told == [
        ("system", "Be short."),
        ("user", "Say one."),
        ("assistant", "One."),
        ("user", "And three."),
    ]


async def test_both_branches_of_an_edited_question_are_kept(hall, begin):
    talk = await begin()
    hall.model.say("First.")
    first = await talk.answered("A question")
    hall.model.say("Second.")
    second = await talk.answered("Another question", parent_id=None)
    shown = [text(one) for one in (await talk.read())["messages"]]
    assert shown == ["Another question", "Second."]
    questions = (await talk.read())["messages"][0]["siblings"]
    assert len(questions) == 2
    changed = await hall.acme.member.patch(talk.path, {"current_id": first["parent_id"]})
    assert changed.status_code == 200, changed.text
    assert [text(one) for one in changed.json()["messages"]] == ["A question", "First."]
    everything = (await hall.acme.member.get(f"{talk.path}/messages")).json()["items"]
    assert [text(one) for one in everything] == ["A question", "First.", "Another question", "Second."]
    assert (await talk.message(second["id"]))["siblings"] == [second["id"]]


async def test_an_answer_is_written_once_more_beside_the_first(hall, begin):
    talk = await begin()
    hall.model.say("First.")
    first = await talk.answered()
    hall.model.say("Second.")
    again = await hall.acme.member.post(f"{talk.path}/messages/{first['id']}/regenerate", {})
    assert again.status_code == 202, again.text
    await hall.drain_jobs()
    answer = (await talk.read())["messages"][-1]
    assert (text(answer), answer["siblings"]) == ("Second.", [first["id"], answer["id"]])
    assert answer["parent_id"] == first["parent_id"]


async def test_a_branch_is_forked_into_a_conversation_of_ones_own(hall, begin):
    talk = await begin(title="Berths")
    hall.model.say("First.")
    first = await talk.answered("One")
    hall.model.say("Second.")
    await talk.answered("Two")
    answer = await hall.acme.member.post(f"{talk.path}/fork", {"message_id": first["id"]})
    assert answer.status_code == 201, answer.text
    forked = answer.json()
    assert forked["id"] != talk.id
    assert (forked["title"], [text(one) for one in forked["messages"]]) == ("Berths", ["One", "First."])
    assert forked["messages"][1]["parent_id"] == forked["messages"][0]["id"]
    assert len((await talk.read())["messages"]) == 4


async def test_a_list_has_pinned_ones_first_and_folders_and_search(hall, begin):
    member = hall.acme.member
    folder = (await member.post("/api/conversation-folders", {"name": "Harbour"})).json()
    one = await begin(title="Tides")
    hall.clock.advance(seconds=1)
    two = await begin(title="Berths", folder_id=folder["id"])
    hall.clock.advance(seconds=1)
    three = await begin(messages=[{"role": "user", "text": "Wo liegt das Ölfaß?"}])

    async def listed(query="", client=member):
        return [item["id"] for item in (await client.get(f"{PATH}{query}")).json()["items"]]

    assert await listed() == [three.id, two.id, one.id]
    await member.patch(one.path, {"pinned": True})
    assert await listed() == [one.id, three.id, two.id]
    assert await listed(f"?folder={folder['id']}") == [two.id]
    assert await listed("?q=tide") == [one.id]
    assert await listed("?q=ÖLFASS") == [three.id]
    assert await listed("?q=%25") == []
    first = (await member.get(f"{PATH}?limit=2")).json()
    rest = (await member.get(f"{PATH}?limit=2&cursor={first['next_cursor']}")).json()
    assert [item["id"] for item in first["items"] + rest["items"]] == [one.id, three.id, two.id]
    assert rest["next_cursor"] is None
    assert (await member.delete(f"/api/conversation-folders/{folder['id']}")).status_code == 204
    assert (await two.read())["folder_id"] is None
    assert await listed(client=hall.acme.owner) == []


async def test_a_conversation_is_exported_whole_and_as_it_is_shown(hall, begin):
    talk = await begin(title="Berths")
    hall.model.say("First.")
    await talk.answered("One")
    hall.model.say("Other.")
    await talk.answered("Two", parent_id=None)
    markdown = await hall.acme.member.get(f"{talk.path}/export")
    assert markdown.text.startswith("# Berths\n")
    assert "Other." in markdown.text
    assert "First." not in markdown.text
    assert "attachment" in markdown.headers["content-disposition"]
    whole = (await hall.acme.member.get(f"{talk.path}/export?format=json")).json()
    assert [text(one) for one in whole["messages"]] == ["One", "First.", "Two", "Other."]


async def test_a_deleted_conversation_is_gone_with_its_messages(hall, begin):
    talk = await begin()
    hall.model.say("First.")
    await talk.answered()
    assert (await hall.acme.member.delete(talk.path)).status_code == 204
    assert (await hall.acme.member.get(talk.path)).status_code == 404
    async with hall.server.data.read() as reader:
        from builtin_plugins.conversations.message import sql

        rows = await reader.all(
            sql.ids_after, conversation_id=talk.id, org_id=hall.acme.org_id, after="", limit=5
        )
    assert list(rows) == []


async def test_what_was_said_elsewhere_is_taken_over(hall, begin):
    said = [{"role": "user", "text": "Hello?"}, {"role": "assistant", "text": "Hello."}]
    talk = await begin(messages=said)
    hall.model.say("Still here.")
    await talk.answered("And now?")
    found = await talk.read()
    assert [text(one) for one in found["messages"]] == ["Hello?", "Hello.", "And now?", "Still here."]
    assert found["title"] == "Hello?"
    assert [one["content"] for one in hall.model.calls[-1].body["messages"]] == [
        "Hello?",
        "Hello.",
        "And now?",
    ]


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        ("", {"folder_id": "cfold_none"}, "/folder_id"),
        ("", {"title": "x" * 201}, "/title"),
        ("/messages", {"prompt": ""}, "/prompt"),
        ("/messages", {"prompt": "x", "parent_id": "msg_none"}, "/parent_id"),
        ("/messages", {"prompt": [{"type": "object", "object_id": "obj_no"}]}, "/prompt/0/object_id"),
        ("/messages", {"prompt": "x", "tools": ["nobody"]}, "/tools/0"),
        ("/messages", {"prompt": "x", "sources": "everything"}, "/sources"),
        ("/fork", {"message_id": "msg_none"}, "/message_id"),
    ],
)
async def test_what_is_wrong_is_refused_at_its_place(hall, begin, path, body, pointer):
    talk = await begin()
    answer = await hall.acme.member.post(f"{talk.path}{path}" if path else PATH, body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["errors"][0]["pointer"] == pointer
    assert (await talk.read())["message_count"] == 0


@pytest.mark.any_database
async def test_a_model_that_is_not_there_is_said_so(hall, begin):
    talk = await begin()
    for answer in (
        await hall.acme.member.post(f"{talk.path}/messages", {"prompt": "x", "model": "none"}),
        await hall.acme.member.patch(talk.path, {"model": "none"}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_model")


async def test_two_tabs_that_ask_at_once_have_one_answer_written_first(hall, begin):
    talk = await begin()
    first = await talk.ask("One")
    second = await hall.acme.member.post(f"{talk.path}/messages", {"prompt": "Two"})
    assert (second.status_code, second.json()["code"]) == (409, "turn_running")
    await hall.drain_jobs()
    assert (await talk.message(first["id"]))["state"] == "done"
    assert (await talk.answered("Two"))["state"] == "done"


async def test_a_failed_turn_says_why_and_keeps_its_place(hall, begin):
    talk = await begin()
    hall.model.fail(400, "no such thing")
    answer = await talk.answered()
    assert (answer["state"], answer["error"]["code"]) == ("failed", "model_unavailable")
    hall.model.say("Now it works.")
    assert text(await talk.answered("Again")) == "Now it works."
