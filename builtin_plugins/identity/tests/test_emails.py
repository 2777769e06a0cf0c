"""A person's address: given, changed, confirmed."""

import pytest

from guildhall_sdk.services.notifications import Emails
from guildhall_testing.people import PASSWORD

pytestmark = pytest.mark.any_database


async def email_of(client):
    profile = (await client.get("/api/profile")).json()
    return profile["email"], profile["email_proven"], profile["email_pending"]


@pytest.mark.every_database
async def test_where_no_mail_is_sent_an_address_holds_at_once_and_is_not_proven(hall):
    member = hall.acme.member
    answer = await member.post("/api/profile", {"email": "ada@example.com"})
    assert (answer.status_code, answer.json()["email"]) == (200, "ada@example.com")
    assert await email_of(member) == ("ada@example.com", False, None)
    await member.post("/api/profile", {"email": None})
    assert await email_of(member) == (None, False, None)


async def test_what_is_no_address_is_refused(hall):
    for email in ("ada", "ada@", "a@b\r\nBcc: x@y.z", "@example.com", "ada@exa mple.com", "ada@127.1", 5):
        answer = await hall.acme.member.post("/api/profile", {"email": email})
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/email"), email


async def test_who_adds_somebody_gives_their_address(hall):
    body = {"username": "grace", "role": "member", "email": "grace@example.com", "password": PASSWORD}
    added = await hall.acme.owner.post("/api/members", body)
    assert await email_of(hall.anonymous.bearing(added.json()["token"])) == ("grace@example.com", True, None)
    team = {"username": "linus", "role": "member", "team": hall.acme.team_id, "email": "linus@example.com"}
    added = await hall.acme.org_owner.post("/api/org/members", team)
    assert await email_of(hall.anonymous.bearing(added.json()["token"])) == ("linus@example.com", True, None)
    # A colleague who joins keeps their own.
    again = {**body, "email": "other@example.com"}
    joined = await hall.acme.second_team.owner.post("/api/members", again)
    assert joined.status_code == 201
    async with hall.server.data.read() as reader:
        found = await hall.server.host.service(Emails).of(reader, joined.json()["member"]["user_id"])
    assert found.address == "grace@example.com"
