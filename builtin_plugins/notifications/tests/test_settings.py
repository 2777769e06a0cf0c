"""What people choose to hear of, and how."""

import pytest

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]

PATH = "/api/notification-settings"


@pytest.mark.every_database
async def test_a_person_chooses_by_kind_and_for_themself_alone(hall):
    member = hall.acme.member
    before = (await member.get(PATH)).json()
    assert before["notes.shared"] == {"mail": "daily", "push": False}
    chosen = {"notes.shared": {"mail": "at_once", "push": True}, "repo.shared": {"mail": "never"}}
    answer = await member.put(PATH, chosen)
    assert answer.status_code == 200, answer.text
    after = (await member.get(PATH)).json()
    assert answer.json() == after
    assert after["notes.shared"] == {"mail": "at_once", "push": True}
    assert after["repo.shared"] == {"mail": "never", "push": before["repo.shared"]["push"]}
    assert {**after, "notes.shared": 0, "repo.shared": 0} == {**before, "notes.shared": 0, "repo.shared": 0}
    assert (await member.put(PATH, after)).json() == after
    assert (await hall.acme.colleague.get(PATH)).json() == before


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"notes.shared": {"mail": "hourly"}}, "/notes.shared/mail"),
        ({"notes.shared": {"fax": True}}, "/notes.shared/fax"),
        ({"no/kind": {}}, "/no~1kind"),
    ],
)
async def test_what_is_wrong_is_refused_at_its_place(hall, body, pointer):
    answer = await hall.acme.member.put(PATH, body)
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, pointer)


async def test_each_kind_has_a_name_in_the_readers_language(hall):
    kinds = {
        kind["name"]: kind for kind in (await hall.acme.member.get("/api/notification-kinds")).json()["items"]
    }
    assert kinds.keys() == (await hall.acme.member.get(PATH)).json().keys()
    assert kinds["notes.shared"]["title"] == "A note is shared with me"
    assert [kind["title"] for kind in kinds.values() if "notice" in kind["title"]] == []
    assert {"identity.joined", "quotas.reached", "repo.shared", "workflows.failed"} <= kinds.keys()


async def test_a_token_with_a_scope_reads_alone(hall):
    token = await hall.with_token(hall.acme.member, scope=["notes:read"])
    assert (await token.get(PATH)).status_code == 200
    assert (await token.put(PATH, {})).status_code == 403
    assert (await token.post("/api/notifications/read", {"all": True})).status_code == 403
