"""Conversations are kept: made, asked in, listed, searched, branched, forked, exported and deleted."""

import json

import pytest

from builtin_plugins.conversations.conversation import sql
from builtin_plugins.conversations.message import sql as messages
from builtin_plugins.conversations.service import OLD
from builtin_plugins.conversations.tests.conftest import PATH, text
from guildhall_sdk.dimensions import Quotas

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
    hall.clock.advance(seconds=1)
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
    hall.clock.advance(seconds=1)
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
    hall.clock.advance(seconds=1)
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
        rows = await reader.all(
            messages.ids_after, conversation_id=talk.id, org_id=hall.acme.org_id, after="", limit=5
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
        ("/messages", {"prompt": "x", "sources": [{"type": "note"}]}, "/sources/0"),
        ("/messages", {"prompt": "x", "sources": [{"type": "note", "key": "a"}]}, "/sources/0/key"),
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


async def test_what_a_model_says_to_itself_and_why_it_ended_is_kept(hall, begin):
    talk = await begin()
    delta = {"reasoning_content": "They ask.", "content": "Seven."}
    chunks = [{"index": 0, "delta": delta}, {"index": 0, "delta": {}, "finish_reason": "length"}]
    lines = [f"data: {json.dumps({'choices': [chunk]})}\n\n".encode() for chunk in chunks]
    hall.model.send(*lines, b"data: [DONE]\n\n")
    answer = await talk.answered("How many?")
    assert (answer["reasoning"], answer["finish_reason"], text(answer)) == ("They ask.", "length", "Seven.")


async def test_a_refusal_of_a_quota_says_who_can_lift_it(hall, begin):
    talk = await begin()
    async with hall.server.data.write() as writer:
        quotas = hall.server.service(Quotas)
        await quotas.set_limit(writer, "team", hall.acme.id, "ai.requests", "hour", 0)
    error = (await talk.answered())["error"]
    assert (error["code"], error["gate"], error["status"]) == ("quota_exceeded", "quota", 429)
    assert "who" in error


async def test_a_failed_turn_says_why_and_keeps_its_place(hall, begin):
    talk = await begin()
    hall.model.fail(400, "no such thing")
    answer = await talk.answered()
    assert (answer["state"], answer["error"]["code"]) == ("failed", "model_unavailable")
    hall.model.say("Now it works.")
    assert text(await talk.answered("Again")) == "Now it works."


async def test_a_thousand_messages_are_shown_from_their_end_and_read_page_by_page(hall, begin):
    said = [{"role": ("user", "assistant")[place % 2], "text": f"said {place}"} for place in range(1_000)]
    talk = await begin(messages=said)
    found = await talk.read()
    assert (found["message_count"], text(found["messages"][-1])) == (1_000, "said 999")
    assert len(found["messages"]) < 100
    path = f"{talk.path}/messages?limit=200"
    earlier = (await talk.client.get(f"{path}&branch={found['earlier']}")).json()["items"]
    assert int(text(earlier[-1]).split()[1]) + 1 == int(text(found["messages"][0]).split()[1])
    seen, cursor = [], ""
    while cursor is not None:
        page = (await talk.client.get(f"{path}&cursor={cursor}" if cursor else path)).json()
        seen += [text(one) for one in page["items"]]
        cursor = page["next_cursor"]
    assert seen == [one["text"] for one in said]
    markdown = (await talk.client.get(f"{talk.path}/export")).text
    assert markdown.count("\n## ") == 1_000
    hall.model.say("Still here.")
    await talk.ask("And now?")
    await hall.drain_jobs()
    assert text((await talk.read())["messages"][-1]) == "Still here."
    told = hall.model.calls[-1].body["messages"]
    assert (told[-1]["content"], len(told)) == ("And now?", 200)


async def test_what_nobody_writes_in_goes_after_a_while_where_an_operator_says_so(hall, begin):
    old = await begin(messages=[{"role": "user", "text": "Old."}])
    hall.clock.advance(minutes=30)
    before = hall.clock.now_ms()
    hall.clock.advance(minutes=1)
    new = await begin()
    async with hall.server.data.write() as writer:
        assert await OLD.delete_expired(writer, before, 1_000) >= 1
    assert (await old.client.get(old.path)).status_code == 404
    assert (await new.client.get(new.path)).status_code == 200


async def test_conversations_go_along_when_a_team_becomes_part_of_another(hall, begin):
    team = hall.acme.second_team
    talk = await begin(team.admin, title="Ours")
    path = f"/api/org/teams/{team.id}"
    refused = await hall.acme.org_owner.request("DELETE", path)
    assert (refused.status_code, refused.json()["code"]) == (409, "team_not_empty")
    moved = await hall.acme.org_owner.request("DELETE", path, {"move_to": hall.acme.id})
    assert moved.status_code == 204, moved.text
    async with hall.server.data.read() as reader:
        found = await reader.one(
            sql.conversation,
            id=talk.id,
            org_id=hall.acme.org_id,
            user_id=talk.client.user_id,
            my_team=hall.acme.id,
        )
    assert found["team_id"] == hall.acme.id
