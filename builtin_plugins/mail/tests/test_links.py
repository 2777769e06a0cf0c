"""Links by mail: invitations, and forgotten passwords."""

import asyncio

import pytest

from guildhall_sdk.services.notifications import AccountLinks

FORGOT, RESET = "/api/password/forgot", "/api/password/reset"
NEW = "a password that nobody guesses"


async def forget(hall, **named):
    answer = await hall.anonymous.post(FORGOT, named)
    assert (answer.status_code, answer.json()) == (202, {}), answer.text


async def states(hall):
    items = (await hall.operator.get("/api/admin/mails")).json()["items"]
    return [(one["name"], one["state"]) for one in items]


async def test_somebody_new_is_invited_by_mail_and_sets_a_password(hall, post, send, invite):
    await invite("grace", "Grace@example.com")
    await send()
    (mail,) = post.messages
    assert (mail.to, mail.message["To"]) == (["Grace@example.com"], "Grace@example.com")
    assert f"{hall.server.host.settings.base_url}/activate#token=" in post.text()
    assert "Choose a password" in post.html() and "grace" in post.text()
    answer = await hall.anonymous.post("/api/activate", {"token": post.token(), "password": NEW})
    assert answer.status_code == 200, answer.text
    again = await hall.anonymous.post("/api/activate", {"token": post.token(), "password": NEW})
    assert again.json()["code"] == "activation_invalid"
    assert await states(hall) == [("companies.invitation", "sent")]


async def test_a_forgotten_password_is_set_anew_once_within_half_an_hour(hall, post, send, invite):
    person = await invite("grace", "grace@example.com")
    await send()
    await hall.anonymous.post("/api/activate", {"token": post.token(), "password": NEW})
    for named in ({"username": "GRACE"}, {"email": "GRACE@example.com"}):
        await forget(hall, **named)
        await send()
    first, second = post.token(1), post.token(2)
    body = {"password": f"{NEW} again"}
    lost = await hall.anonymous.post(RESET, {"token": first, **body})
    assert lost.json()["code"] == "activation_invalid"
    done = await hall.anonymous.post(RESET, {"token": second, **body})
    assert (done.status_code, done.json()["user"]["id"]) == (200, person["user_id"])
    login = await hall.anonymous.post("/api/login", {"username": "grace", **body})
    assert login.status_code == 200
    await forget(hall, username="grace")
    await send()
    hall.clock.advance(minutes=30)
    late = await hall.anonymous.post(RESET, {"token": post.token(), **body})
    assert late.json()["code"] == "activation_invalid"


@pytest.mark.any_database
async def test_who_is_unknown_or_has_no_proven_address_gets_the_same_answer_and_no_mail(hall, post, send):
    acme = hall.acme
    for named in (
        {"username": "nobody-at-all"},
        {"email": "nobody@example.com"},
        {"username": acme.member.username},
        {"username": "x\r\nBcc: y"},
    ):
        await forget(hall, **named)
    await send()
    assert post.messages == []
    for body in ({}, {"username": "a", "email": "a@example.com"}, {"name": "a"}):
        assert (await hall.anonymous.post(FORGOT, body)).status_code == 400


async def test_who_was_suspended_or_removed_gets_no_link(hall, post, send, invite):
    acme = hall.acme
    first, second = (
        await invite("first-one", "one@example.com"),
        await invite("second-one", "two@example.com"),
    )
    await send()
    await acme.org_owner.post(f"/api/org/members/{first['user_id']}/suspend")
    await acme.org_owner.delete(f"/api/org/members/{second['user_id']}")
    for email in ("one@example.com", "two@example.com"):
        await forget(hall, email=email)
    await send()
    assert len(post.messages) == 2


@pytest.mark.any_database
async def test_a_link_leads_to_this_place_whatever_host_was_asked(hall, post, send, invite):
    await invite("grace", "grace@example.com")
    headers = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"}
    await hall.anonymous.post(FORGOT, {"username": "grace"}, headers=headers)
    await send()
    assert len(post.messages) == 2
    assert all(b"evil.example" not in one.raw for one in post.messages)


@pytest.mark.any_database
async def test_nobody_is_flooded(hall, post, send, invite):
    await invite("grace", "grace@example.com")
    for _ in range(9):
        hall.clock.advance(minutes=1)
        await forget(hall, username="grace")
    await send()
    assert len([one for one in await states(hall) if one == ("companies.reset", "sent")]) == 5
    assert ("companies.reset", "held_back") in await states(hall)
    hall.clock.advance(hours=1)
    await forget(hall, username="grace")
    await send()
    assert len(post.messages) == 7


@pytest.mark.any_database
async def test_a_link_that_an_admin_makes_is_shown_and_mailed(hall, post, send, invite):
    person = await invite("grace", "grace@example.com")
    answer = await hall.acme.owner.post(f"/api/members/{person['user_id']}/invitation")
    assert answer.json()["mailed"] is True
    await send()
    assert answer.json()["url"].endswith(f"#token={post.token()}")
    other = await hall.acme.owner.post(f"/api/members/{hall.acme.viewer.user_id}/password-reset")
    assert (other.status_code, other.json()["mailed"]) == (201, False)


@pytest.mark.any_database
async def test_without_a_server_links_are_shown_and_nothing_is_mailed(open_hall, post):
    async with open_hall() as hall:
        body = {"username": "grace", "role": "member", "email": "grace@example.com"}
        added = await hall.acme.owner.post("/api/members", body)
        user_id = added.json()["member"]["user_id"]
        link = (await hall.acme.owner.post(f"/api/members/{user_id}/invitation")).json()
        assert (link["mailed"], "/activate#token=" in link["url"]) == (False, True)
        await forget(hall, username="grace")
        listed = (await hall.operator.get("/api/admin/mails")).json()
        assert (listed["items"], listed["is_set_up"]) == ([], False)


async def test_mail_goes_out_as_it_comes(open_hall, post):
    async with open_hall(SERVICE_MAIL_URL=f"smtp://127.0.0.1:{post.port}") as hall:
        body = {"username": "grace", "role": "member", "email": "grace@example.com"}
        await hall.acme.owner.post("/api/members", body)
        async with asyncio.timeout(60):
            await post.arrived.wait()
        assert post.sent_to() == ["grace@example.com"]


@pytest.mark.every_database
async def test_one_request_that_cannot_be_answered_keeps_no_other_waiting(
    hall, post, send, invite, monkeypatch
):
    await invite("grace", "grace@example.com")
    await invite("linus", "linus@example.com")
    await send()
    links = hall.server.host.service(AccountLinks)
    mail_reset = links.mail_reset

    async def fail_for_grace(writer, user, address):
        if user.username == "grace":
            raise ZeroDivisionError
        return await mail_reset(writer, user, address)

    monkeypatch.setattr(links, "mail_reset", fail_for_grace)
    for username in ("grace", "linus"):
        await forget(hall, username=username)
    await send()
    assert post.sent_to() == ["grace@example.com", "linus@example.com", "linus@example.com"]
