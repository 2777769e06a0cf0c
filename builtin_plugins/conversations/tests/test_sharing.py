"""Who may read a conversation, go on with it, and what they are not shown."""

import pytest

from builtin_plugins.conversations.tests.conftest import PATH, text

pytestmark = pytest.mark.shared_server


def to(client, capability="view", **more):
    return {
        "principal_type": "user",
        "principal_id": client.user_id,
        "capability": capability,
        **more,
    }


async def test_a_conversation_is_its_owners_alone_until_it_is_shared(hall, begin):
    talk, owner = await begin(title="Mine"), hall.acme.owner
    for client in (owner, hall.globex.owner):
        for method, path, body in (
            ("GET", "", None),
            ("PATCH", "", {"title": "x"}),
            ("DELETE", "", None),
            ("GET", "/messages", None),
            ("POST", "/messages", {"prompt": "x"}),
            ("GET", "/events", None),
            ("GET", "/export", None),
            ("GET", "/grants", None),
            ("POST", "/share", to(owner)),
            ("POST", "/fork", {"message_id": "msg_x"}),
        ):
            answer = await client.request(method, f"{talk.path}{path}", body)
            assert answer.status_code == 404, (method, path)
        assert (await client.get(f"{PATH}?shared=1")).json()["items"] == []


async def test_who_was_given_view_reads_and_who_was_given_edit_goes_on(hall, begin):
    talk, owner = await begin(title="Ours"), hall.acme.owner
    hall.model.say("First.")
    await talk.answered("One")
    shared = await talk.client.post(f"{talk.path}/share", to(owner))
    assert shared.status_code == 200, shared.text
    assert [one["capability"] for one in shared.json()["items"]] == ["view"]
    found = await talk.read(owner)
    assert (found["permissions"], [text(one) for one in found["messages"]]) == (["view"], ["One", "First."])
    refused = await owner.post(f"{talk.path}/messages", {"prompt": "x"})
    assert (refused.status_code, refused.json()["permission"]) == (403, "edit")
    assert (await owner.patch(talk.path, {"title": "x"})).status_code == 403
    assert (await owner.get(f"{talk.path}/grants")).status_code == 403
    listed = (await owner.get(f"{PATH}?shared=1")).json()["items"]
    assert [one["id"] for one in listed] == [talk.id]
    assert (await owner.get(PATH)).json()["items"] == []
    await talk.client.post(f"{talk.path}/share", to(owner, "edit"))
    hall.model.say("Second.")
    message = await talk.ask("Two", owner)
    await hall.drain_jobs()
    answer = await talk.message(message["id"])
    assert (text(answer), answer["author"]["id"]) == ("Second.", owner.user_id)
    assert (await owner.patch(talk.path, {"pinned": True})).status_code == 403
    await talk.client.post(f"{talk.path}/unshare", {"principal_type": "user", "principal_id": owner.user_id})
    assert (await owner.get(talk.path)).status_code == 404


async def test_a_team_and_an_end_and_somebody_of_another_company(hall, begin):
    talk, viewer = await begin(), hall.acme.owner
    path = f"{talk.path}/share"
    team = {"principal_type": "team", "principal_id": hall.acme.id, "capability": "view"}
    assert (await talk.client.post(path, team)).status_code == 200
    assert (await talk.read(viewer))["id"] == talk.id
    await talk.client.post(f"{talk.path}/unshare", {"principal_type": "team", "principal_id": hall.acme.id})
    assert (await viewer.get(talk.path)).status_code == 404
    refused = await talk.client.post(path, to(hall.globex.owner))
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "/principal_id")
    refused = await talk.client.post(path, to(viewer, expires_at="2000-01-01T00:00:00Z"))
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "/expires_at")


async def test_a_grant_that_has_lapsed_shows_nothing(hall, begin):
    from guildhall_sdk import rfc3339

    talk, viewer = await begin(), hall.acme.owner
    ends = rfc3339(hall.clock.now_ms() + 60_000)
    assert (await talk.client.post(f"{talk.path}/share", to(viewer, expires_at=ends))).status_code == 200
    assert (await viewer.get(talk.path)).status_code == 200
    hall.clock.advance(seconds=61)
    assert (await viewer.get(talk.path)).status_code == 404
    assert (await viewer.get(f"{PATH}?shared=1")).json()["items"] == []
    grants = (await talk.client.get(f"{talk.path}/grants")).json()["items"]
    assert [one["expired"] for one in grants] == [True]


async def test_a_question_of_somebody_whose_grant_was_taken_back_is_not_answered(hall, begin, limit_jobs):
    talk, owner = await begin(), hall.acme.owner
    await talk.client.post(f"{talk.path}/share", to(owner, "edit"))
    await limit_jobs(0)
    message = await talk.ask("Two", owner)
    await talk.client.post(f"{talk.path}/unshare", {"principal_type": "user", "principal_id": owner.user_id})
    await limit_jobs(5)
    await hall.drain_jobs()
    answer = await talk.message(message["id"])
    assert (answer["state"], answer["parts"]) == ("failed", [])
    assert hall.model.calls == []


@pytest.mark.any_database
async def test_without_the_permission_or_the_feature_there_is_nothing(hall, begin):
    talk = await begin()
    scoped = await hall.with_token(talk.client, scope=["notes:read"])
    assert (await scoped.get(talk.path)).status_code == 403
    allowed = await hall.with_token(talk.client, scope=["chat:use"])
    assert (await allowed.get(talk.path)).status_code == 200
    await hall.acme.owner.post("/api/features/chat", {"enabled": False})
    refused = await talk.client.get(talk.path)
    assert (refused.status_code, refused.json()["feature"]) == (403, "chat")
