"""Changing one's address where mail is set up: by the link that came there, as the person themself."""

import pytest

from guildhall_testing.people import PASSWORD


async def profile(client):
    return (await client.get("/api/profile")).json()


async def test_an_address_holds_once_its_link_was_opened_by_who_asked(hall, post, send):
    member = hall.acme.member
    asked = await member.post("/api/profile", {"email": "new@example.com", "password": PASSWORD})
    assert (asked.json()["email"], asked.json()["email_pending"]) == (None, "new@example.com")
    await send()
    assert post.sent_to() == ["new@example.com"]
    for other in (hall.acme.owner, hall.globex.owner):
        refused = await other.post("/api/email/confirm", {"token": post.token()})
        assert (refused.status_code, refused.json()["code"]) == (400, "email_token_invalid")
    done = await member.post("/api/email/confirm", {"token": post.token()})
    assert done.json() == {"email": "new@example.com"}
    assert (await member.post("/api/email/confirm", {"token": post.token()})).status_code == 400
    found = await profile(member)
    assert (found["email"], found["email_proven"], found["email_pending"]) == ("new@example.com", True, None)


async def test_the_old_address_hears_of_the_new_one(hall, post, send):
    member = hall.acme.member
    for email in ("old@example.com", "new@example.com"):
        await member.post("/api/profile", {"email": email, "password": PASSWORD})
        await send()
        await member.post("/api/email/confirm", {"token": post.token()})
    await send()
    assert post.sent_to() == ["old@example.com", "new@example.com", "old@example.com"]
    assert "was changed" in post.messages[-1].message["Subject"]


@pytest.mark.any_database
async def test_a_link_is_good_for_a_day(hall, post, send):
    member = hall.acme.member
    await member.post("/api/profile", {"email": "new@example.com", "password": PASSWORD})
    await send()
    hall.clock.advance(days=1)
    assert (await member.post("/api/email/confirm", {"token": post.token()})).status_code == 400
    assert (await profile(member))["email_pending"] is None


@pytest.mark.any_database
async def test_an_older_session_gives_the_password_for_it(hall, post, send):
    member = hall.acme.member
    hall.clock.advance(minutes=16)
    refused = await member.post("/api/profile", {"email": "new@example.com"})
    assert (refused.status_code, refused.json()["code"]) == (403, "reauthentication_required")
    wrong = await member.post("/api/profile", {"email": "new@example.com", "password": "not the right one"})
    assert (wrong.status_code, wrong.json()["code"]) == (403, "wrong_password")
    assert (await member.post("/api/profile", {"display_name": "Ada"})).status_code == 200
    await send()
    assert post.messages == []
