"""Tools in a conversation: kept with what they were given and gave; one that writes waits for the person."""

import json

import pytest

from builtin_plugins.conversations.tests.conftest import text

pytestmark = pytest.mark.shared_server


def call(name, arguments=None, call_id="c1"):
    function = {"name": name, "arguments": json.dumps(arguments or {})}
    return {"id": call_id, "type": "function", "function": function}


async def decide(talk, message, number, decision, client=None):
    path = f"{talk.path}/messages/{message['id']}/tools/{number}"
    return await (client or talk.client).post(path, {"decision": decision})


async def test_a_reading_tool_is_called_at_once_and_kept(hall, begin, desk):
    desk.lines.append(("x", "one"))
    talk = await begin()
    hall.model.say("Let me look. ", tool_calls=[call("recall")])
    hall.model.say("There is one line.")
    answer = await talk.answered("How many lines?", tools=["recall"])
    assert answer["tools"] == [
        {
            "name": "recall",
            "arguments": {},
            "result": ["one"],
            "state": "done",
            "after": 1,
        }
    ]
    assert [part["text"] for part in answer["parts"]] == ["Let me look. ", "There is one line."]
    told = hall.model.calls[-1].body["messages"]
    assert [one["role"] for one in told] == ["system", "user", "assistant", "tool"]
    assert told[-1]["content"] == '["one"]'
    trail = (await hall.acme.owner.get("/api/audit")).json()["items"]
    assert any(one["action"] == "tool.called" for one in trail)


async def test_a_writing_tool_waits_until_the_person_confirms_it(hall, begin, desk):
    talk = await begin()
    hall.model.say("", tool_calls=[call("jot", {"line": "hello"})])
    waiting = await talk.answered("Write hello down.", tools=["jot"])
    assert (waiting["state"], waiting["tools"][0]["state"], desk.lines) == ("waiting", "waiting", [])
    assert waiting["tools"][0]["arguments"] == {"line": "hello"}
    hall.model.say("Done.")
    confirmed = await decide(talk, waiting, 0, "once")
    assert confirmed.status_code == 202, confirmed.text
    assert confirmed.json()["job"]["id"] != waiting["job"]["id"]
    await hall.drain_jobs()
    answer = await talk.message(waiting["id"])
    assert (answer["state"], text(answer), answer["tools"][0]["result"]) == ("done", "Done.", {"lines": 1})
    assert desk.lines == [(hall.acme.member.user_id, "hello")]
    repeated = await decide(talk, waiting, 0, "once")
    assert (repeated.status_code, repeated.json()["code"]) == (409, "already_decided")
    hall.model.say("", tool_calls=[call("jot", {"line": "again"})])
    assert (await talk.answered("Once more.", tools=["jot"]))["state"] == "waiting"


async def test_always_allows_the_tool_for_this_conversation_and_no_other(hall, begin, desk):
    talk = await begin()
    two = [call("jot", {"line": "a"}), call("jot", {"line": "b"}, "c2")]
    hall.model.say("", tool_calls=two)
    waiting = await talk.answered("Write two lines.", tools=["jot"])
    assert [one["state"] for one in waiting["tools"]] == ["waiting", "waiting"]
    hall.model.say("Both are there.")
    assert (await decide(talk, waiting, 1, "always")).json()["job"] is not None
    await hall.drain_jobs()
    assert [line for _, line in desk.lines] == ["a", "b"]
    hall.model.say("", tool_calls=[call("jot", {"line": "c"})])
    hall.model.say("There.")
    assert (await talk.answered("And one more.", tools=["jot"]))["state"] == "done"
    assert len(desk.lines) == 3
    other = await begin()
    hall.model.say("", tool_calls=[call("jot", {"line": "d"})])
    assert (await other.answered("Here too.", tools=["jot"]))["state"] == "waiting"


async def test_a_refused_call_is_not_made_and_the_model_is_told(hall, begin, desk):
    talk = await begin()
    hall.model.say("", tool_calls=[call("jot", {"line": "a"}), call("jot", {"line": "b"}, "c2")])
    waiting = await talk.answered("Write two lines.", tools=["jot"])
    first = await decide(talk, waiting, 0, "deny")
    assert (first.json()["job"], first.json()["message"]["state"]) == (None, "waiting")
    hall.model.say("Only one, then.")
    await decide(talk, waiting, 1, "once")
    await hall.drain_jobs()
    answer = await talk.message(waiting["id"])
    assert [one["state"] for one in answer["tools"]] == ["denied", "done"]
    assert [line for _, line in desk.lines] == ["b"]
    assert "denied" in hall.model.calls[-1].body["messages"][-2]["content"]


async def test_nobody_else_confirms_what_is_done_in_somebodys_name(hall, begin, desk):
    talk = await begin()
    owner = hall.acme.owner
    await talk.client.post(
        f"{talk.path}/share",
        {"principal_type": "user", "principal_id": owner.user_id, "capability": "edit"},
    )
    hall.model.say("", tool_calls=[call("jot", {"line": "secret"})])
    waiting = await talk.answered("Write it down.", tools=["jot"])
    assert (await decide(talk, waiting, 0, "once", owner)).status_code == 403
    assert (await decide(talk, waiting, 0, "once", hall.globex.owner)).status_code == 404
    assert (await decide(talk, waiting, 5, "once")).status_code == 404
    shown = await talk.message(waiting["id"], owner)
    assert (shown["tools"][0]["arguments"], shown["tools"][0]["state"]) == (None, "waiting")
    assert desk.lines == []


async def test_a_waiting_answer_is_stopped_without_a_call(hall, begin, desk):
    talk = await begin()
    hall.model.say("", tool_calls=[call("jot", {"line": "a"})])
    waiting = await talk.answered("Write it down.", tools=["jot"])
    stopped = await talk.client.post(f"{talk.path}/messages/{waiting['id']}/stop")
    assert (stopped.status_code, stopped.json()["message"]["state"]) == (202, "stopped")
    assert stopped.json()["message"]["tools"][0]["state"] == "stopped"
    assert (await decide(talk, waiting, 0, "once")).status_code == 409
    assert desk.lines == []


@pytest.mark.any_database
async def test_a_tool_that_was_not_offered_is_not_called(hall, begin, desk):
    talk = await begin()
    hall.model.say("", tool_calls=[call("jot", {"line": "a"})])
    hall.model.say("It was not to be.")
    answer = await talk.answered("Read.", tools=["recall"])
    assert (answer["state"], answer["tools"][0]["error"]["code"]) == ("done", "tool_not_offered")
    assert desk.lines == []


@pytest.mark.any_database
async def test_arguments_that_are_no_json_are_said_to_the_model(hall, begin, desk):
    talk = await begin()
    broken = {"id": "c", "type": "function", "function": {"name": "jot", "arguments": "{"}}
    hall.model.say("", tool_calls=[broken])
    hall.model.say("Oh.")
    answer = await talk.answered("Write.", tools=["jot"])
    assert (answer["state"], answer["tools"][0]["error"]["code"]) == ("done", "invalid_json")


@pytest.mark.any_database
async def test_a_team_without_the_feature_has_no_tools_here(hall, begin):
    talk = await begin()
    await hall.acme.owner.post("/api/features/agent", {"enabled": False})
    refused = await talk.client.post(f"{talk.path}/messages", {"prompt": "x", "tools": ["recall"]})
    assert (refused.status_code, refused.json()["feature"]) == (403, "agent")


async def test_a_call_is_decided_by_who_asked_and_by_nobody_else(hall, begin, desk):
    talk, other = await begin(), await begin()
    hall.model.say("", tool_calls=[call("jot", {"line": "hello"})])
    waiting = await talk.answered("Write hello down.", tools=["jot"])
    acme = hall.acme
    strangers = (hall.globex.member, hall.globex.owner, acme.owner, acme.org_owner, acme.colleague)
    for client in strangers:
        assert (await decide(talk, waiting, 0, "once", client)).status_code == 404
    for permission, status in (("view", 403), ("edit", 403)):
        to = {"principal_type": "user", "principal_id": acme.colleague.user_id}
        share = {**to, "capability": permission}
        shared = await talk.client.post(f"{talk.path}/share", share)
        assert shared.status_code in (200, 201), shared.text
        assert (await decide(talk, waiting, 0, "once", acme.colleague)).status_code == status
    narrowed = await hall.with_token(acme.member, scope=["notes:read"])
    assert (await decide(talk, waiting, 0, "once", narrowed)).status_code == 403
    for place in (1, "x", -1, 10**9):
        assert (await decide(talk, waiting, place, "once")).status_code == 404
    assert (await decide(other, waiting, 0, "once")).status_code == 404
    assert desk.lines == []
    assert (await talk.message(waiting["id"]))["tools"][0]["state"] == "waiting"
