"""Notifications by mail: at once, once a day, and ended by one click."""

import re

import pytest

from guildhall_testing.people import PASSWORD

DAY = {"days": 1}


@pytest.fixture
async def reader(hall, post, send):
    """A member with a proven address."""
    person = hall.acme.colleague
    await person.post("/api/profile", {"email": "reader@example.com", "password": PASSWORD})
    await send()
    answer = await person.post("/api/email/confirm", {"token": post.token()})
    assert answer.status_code == 200, answer.text
    post.messages.clear()
    return person


@pytest.fixture
def share(hall, reader):
    async def share(title):
        note = (await hall.acme.member.post("/api/notes", {"title": title})).json()
        body = {"user_id": reader.user_id, "permission": "notes:read"}
        assert (await hall.acme.member.post(f"/api/notes/{note['id']}/share", body)).status_code == 200

    return share


async def choose(client, mail):
    answer = await client.put("/api/notification-settings", {"notes.shared": {"mail": mail}})
    assert answer.status_code == 200, answer.text


async def test_who_wants_it_is_mailed_at_once(hall, post, send, reader, share):
    await choose(reader, "at_once")
    await share("The plan")
    await send()
    (mail,) = post.messages
    assert (mail.to, mail.message["Subject"]) == (["reader@example.com"], "Something is in your inbox")
    assert "shared the note “The plan” with you." in post.text()
    assert re.search(r"/notes/note_\w+", post.html())


async def test_once_a_day_there_is_one_letter_with_what_is_unread(hall, post, send, reader, share):
    await choose(reader, "daily")
    for title in ("one", "two", "three"):
        await share(title)
    read = (await reader.get("/api/notifications")).json()["items"][0]
    await reader.post("/api/notifications/read", {"ids": [read["id"]]})
    await send()
    assert post.messages == []
    hall.clock.advance(**DAY)
    await send()
    (mail,) = post.messages
    assert mail.message["Subject"] == "2 things in your inbox"
    assert [title in post.text() for title in ("“one”", "“two”", "“three”")] == [True, True, False]
    hall.clock.advance(**DAY)
    await send()
    assert len(post.messages) == 1


async def test_who_wants_none_or_has_no_proven_address_gets_none(hall, post, send, reader, share):
    await choose(reader, "never")
    await share("The plan")
    note = (await hall.acme.member.post("/api/notes", {"title": "x"})).json()
    await choose(hall.acme.viewer, "at_once")
    body = {"user_id": hall.acme.viewer.user_id, "permission": "notes:read"}
    await hall.acme.member.post(f"/api/notes/{note['id']}/share", body)
    hall.clock.advance(**DAY)
    await send()
    assert post.messages == []


async def test_who_is_suspended_is_mailed_nothing_until_they_may_come_in_again(
    hall, post, send, reader, share
):
    person = f"/api/org/members/{reader.user_id}"
    for wanted, title in (("daily", "before"), ("at_once", "meanwhile")):
        await choose(reader, wanted)
        if title == "meanwhile":
            assert (await hall.acme.org_owner.post(f"{person}/suspend")).status_code in (200, 204)
        await share(title)
    await send()
    hall.clock.advance(**DAY)
    await send()
    assert post.messages == []
    assert (await hall.acme.org_owner.post(f"{person}/resume")).status_code in (200, 204)
    await share("afterwards")
    await send()
    assert len(post.messages) == 1
    assert "“afterwards”" in post.text()


async def test_one_click_ends_mails_of_a_kind_and_opening_the_page_does_not(hall, post, send, reader, share):
    await choose(reader, "at_once")
    await share("The plan")
    await send()
    headers = post.messages[0].message
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    url = headers["List-Unsubscribe"].strip("<>")
    base_url = hall.server.host.settings.base_url
    assert url.startswith(f"{base_url}/api/mail/unsubscribe?token=")
    assert url in post.text()
    path = url.removeprefix(base_url)
    page = await hall.anonymous.get(path)
    assert (page.status_code, '<form method="post">' in page.text) == (200, True)
    settings = "/api/notification-settings"
    assert (await reader.get(settings)).json()["notes.shared"]["mail"] == "at_once"
    done = await hall.anonymous.request("POST", path, content=b"List-Unsubscribe=One-Click")
    assert done.status_code == 200, done.text
    assert (await reader.get(settings)).json()["notes.shared"]["mail"] == "never"
    await share("Another plan")
    await send()
    assert len(post.messages) == 1
    kinds = [one["kind"] for one in (await reader.get("/api/notifications")).json()["items"]]
    assert kinds.count("notes.shared") == 2


@pytest.mark.any_database
async def test_one_click_in_the_daily_letter_ends_them_all(hall, post, send, reader, share):
    await choose(reader, "daily")
    await share("The plan")
    hall.clock.advance(**DAY)
    await send()
    url = post.messages[0].message["List-Unsubscribe"].strip("<>")
    path = url.removeprefix(hall.server.host.settings.base_url)
    assert (
        await hall.anonymous.request("POST", path, content=b"List-Unsubscribe=One-Click")
    ).status_code == 200
    chosen = (await reader.get("/api/notification-settings")).json()
    assert {one["mail"] for one in chosen.values()} == {"never"}
    others = (await hall.acme.viewer.get("/api/notification-settings")).json()
    assert others["notes.shared"]["mail"] == "daily"


@pytest.mark.any_database
async def test_a_token_of_another_make_ends_nothing(hall):
    for method in ("GET", "POST"):
        answer = await hall.anonymous.request(method, "/api/mail/unsubscribe?token=x")
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


async def test_a_sign_in_from_a_new_place_is_mailed_and_from_a_known_one_not(hall, post, send, reader):
    body = {"username": reader.username, "password": PASSWORD}
    for agent in ("first", "first", "second", "second"):
        answer = await hall.anonymous.post("/api/login", body, headers={"User-Agent": agent})
        assert answer.status_code == 200, answer.text
    await send()
    assert len(post.messages) == 1
    assert "second" in post.text() and "new place" in post.text()
