"""The inbox: what somebody was told, what they have read of it, and nobody else's."""

import pytest

from builtin_plugins.notifications.service import sql

pytestmark = pytest.mark.shared_server


async def test_what_is_shared_with_somebody_is_in_their_inbox_until_they_read_it(hall, share, inbox):
    acme = hall.acme
    note = await share(acme.member, acme.colleague, "The plan")
    told = await inbox(acme.colleague, "?unread=1")
    (item,) = told["items"]
    name = (await acme.member.get("/api/whoami")).json()["user"]["display_name"]
    assert item["text"] == f"{name} shared the note “The plan” with you."
    assert (item["kind"], item["link"], item["read_at"]) == ("notes.shared", f"/notes/{note['id']}", None)
    assert item["team"] == {"id": acme.team_id, "name": item["team"]["name"]}
    assert (told["unread"], told["next_cursor"]) == (1, None)
    answer = await acme.colleague.post("/api/notifications/read", {"ids": [item["id"]]})
    assert answer.json() == {"unread": 0}
    assert (await inbox(acme.colleague, "?unread=1"))["items"] == []
    (read,) = (await inbox(acme.colleague))["items"]
    assert read["read_at"] is not None and {**read, "read_at": None} == item
    assert (await inbox(acme.member))["items"] == []


async def test_all_are_read_at_once_and_somebody_elses_never(hall, share, inbox):
    acme = hall.acme
    for title in ("one", "two", "three"):
        await share(acme.member, acme.colleague, title)
    await share(acme.member, acme.viewer, "theirs")
    (theirs,) = (await inbox(acme.viewer))["items"]
    for client in (acme.colleague, hall.globex.owner):
        answer = await client.post("/api/notifications/read", {"ids": [theirs["id"], "ntf_none"]})
        assert answer.status_code == 200
    assert (await inbox(acme.viewer))["unread"] == 1
    assert (await acme.colleague.post("/api/notifications/read", {"all": True})).json() == {"unread": 0}
    assert (await inbox(acme.viewer))["unread"] == 1


async def test_an_inbox_has_pages_newest_first(hall, share, inbox):
    acme = hall.acme
    for number in range(5):
        await share(acme.member, acme.colleague, f"note {number}")
    first = await inbox(acme.colleague, "?limit=3")
    rest = await inbox(acme.colleague, f"?limit=3&cursor={first['next_cursor']}")
    titles = [item["params"]["title"] for item in first["items"] + rest["items"]]
    assert titles == [f"note {number}" for number in (4, 3, 2, 1, 0)]
    assert rest["next_cursor"] is None


@pytest.mark.any_database
@pytest.mark.parametrize(
    "body",
    [{}, {"ids": []}, {"all": False}, {"ids": ["ntf_x"], "all": True}, {"ids": "all"}, {"everything": 1}],
)
async def test_what_is_to_be_read_is_said_in_one_way(hall, body):
    answer = await hall.acme.member.post("/api/notifications/read", body)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


async def test_a_token_sees_those_of_its_own_team_alone(hall, share, inbox):
    acme = hall.acme
    await share(acme.member, acme.colleague)
    elsewhere = acme.second_team.owner
    await elsewhere.post("/api/members", {"username": acme.colleague.username, "role": "member"})
    joined = (await inbox(acme.colleague))["items"][0]
    assert (joined["kind"], joined["team"]["id"]) == ("identity.joined", acme.second_team.id)
    assert joined["text"] == f"{elsewhere.username} added you to the team {joined['team']['name']}."
    token = await hall.with_token(acme.colleague)
    kinds = [item["kind"] for item in (await inbox(token))["items"]]
    assert kinds == ["notes.shared"]
    assert (await inbox(token))["unread"] == 1


async def test_what_a_team_told_goes_with_the_membership(hall, share, inbox):
    person = await hall.join(hall.acme, "member")
    await share(hall.acme.member, person)
    assert (await inbox(person))["unread"] == 1
    elsewhere = hall.acme.second_team.owner
    await elsewhere.post("/api/members", {"username": person.username, "role": "viewer"})
    await hall.acme.owner.delete(f"/api/members/{person.user_id}")
    async with hall.server.data.read() as reader:
        found = await reader.all(
            sql.page,
            user_id=person.user_id,
            org_id=hall.acme.org_id,
            team_id="",
            every_team=1,
            before="ntf_~",
            limit=9,
        )
    assert [row["kind"] for row in found] == ["identity.joined"]


@pytest.mark.any_database
async def test_it_is_told_in_the_readers_language(hall, share, texts):
    reader = await hall.join(hall.acme, "member")
    assert (await reader.post("/api/profile", {"locale": "nl"})).status_code == 200
    await share(hall.acme.member, reader, "Het plan")
    (text,) = await texts(reader)
    assert "heeft de notitie ‘Het plan’ met je gedeeld" in text
