"""What is sent looks right, is tried again, given up, and shown to operators without what it says."""

import asyncio
from types import SimpleNamespace

import pytest
import pytest_asyncio
from aiosmtpd.smtp import SMTP, AuthResult

from builtin_plugins.mail.mailbox import OLD_MAILS, sql
from builtin_plugins.mail.sending import LEASE_MS, MailSender
from builtin_plugins.mail.settings import mail_url, sender
from guildhall_sdk.services.notifications import Letter, Mailer
from libs.names.emails import email_fault


async def listed(hall, query=""):
    answer = await hall.operator.get(f"/api/admin/mails{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()["items"]


async def test_while_the_server_is_away_a_letter_waits_and_is_tried_again(hall, post, send, invite):
    post.refused, post.refusal = {"*"}, "451 4.3.0 Come back later"
    await invite("grace", "grace@example.com")
    await send()
    (waiting,) = await listed(hall)
    assert (waiting["state"], waiting["attempts"], "451" in waiting["error"]) == ("waiting", 1, True)
    post.refused = set()
    await send()
    assert post.messages == []
    hall.clock.advance(minutes=1)
    await send()
    (sent,) = await listed(hall, "?state=sent")
    assert (sent["attempts"], sent["to"], sent["next_attempt_at"]) == (2, "grace@example.com", None)
    assert len(post.messages) == 1


async def test_an_address_that_refuses_is_noted_and_gets_no_more_notifications(hall, post, send, invite):
    post.refused = {"grace@example.com"}
    person = await invite("grace", "grace@example.com")
    await send()
    (refused,) = await listed(hall)
    assert (refused["state"], refused["user"]["username"]) == ("refused", "grace")
    assert "550 5.1.1 No such mailbox" in refused["error"]
    post.refused = set()
    letter = Letter(
        name="x.y", words="mail.notice", to="grace@example.com", locale="en", org_id=hall.acme.org_id
    )
    async with hall.server.data.write() as writer:
        await hall.server.host.service(Mailer).send(writer, letter)
    await send()
    assert (await listed(hall))[0]["state"] == "held_back"
    await hall.acme.owner.post(f"/api/members/{person['user_id']}/invitation")
    await send()
    assert post.sent_to() == ["grace@example.com"]


async def test_a_letter_that_comes_too_late_is_not_sent(hall, post, send, invite):
    await invite("grace", "grace@example.com")
    await hall.anonymous.post("/api/password/forgot", {"username": "grace"})
    await send()
    post.refused, post.refusal = {"*"}, "451 Later"
    await hall.anonymous.post("/api/password/forgot", {"username": "grace"})
    await send()
    post.refused = set()
    hall.clock.advance(minutes=31)
    await send()
    assert len(post.messages) == 2
    assert (await listed(hall))[0]["state"] == "expired"


async def test_what_is_being_sent_where_a_process_dies_is_sent_by_another_once(hall, post, send, invite):
    await invite("grace", "grace@example.com")
    now = hall.clock.now_ms()
    async with hall.server.data.write() as writer:
        claimed = await writer.all(sql.claim, now=now, until=now + LEASE_MS, limit=20)
    assert len(claimed) == 1
    await send()
    assert post.messages == []
    hall.clock.advance(milliseconds=LEASE_MS)
    await send()
    await send()
    assert len(post.messages) == 1
    assert post.messages[0].message["Message-ID"].startswith(f"<{claimed[0]['id']}@")


async def test_what_a_letter_says_is_shown_to_nobody_and_gone_once_it_is_sent(hall, post, send, invite):
    await invite("grace", "grace@example.com")
    async with hall.server.data.read() as reader:
        assert await reader.value(sql.count_waiting) == 1
    await send()
    text = (await hall.operator.get("/api/admin/mails")).text
    assert post.token() not in text and "activate" not in text
    assert (await hall.acme.org_owner.get("/api/admin/mails")).status_code == 403
    hall.clock.advance(days=1)
    async with hall.server.data.write() as writer:
        assert await OLD_MAILS.count(writer, hall.clock.now_ms()) == 1
        assert await OLD_MAILS.delete_expired(writer, hall.clock.now_ms(), 10) == 1


@pytest.mark.any_database
async def test_a_name_begins_no_header_and_no_element(hall, post, send):
    await hall.acme.owner.post("/api/profile", {"display_name": "<b>Ada</b>"})
    evil = "x\r\nBcc: victim@example.com"
    for email in (
        f"grace@example.com{evil[1:]}",
        "a@b\r\nX: y",
        "a b@example.com",
        "a@b@c",
        "<a@b.c>",
        "å@b.c",
    ):
        refused = await hall.acme.owner.post(
            "/api/members", {"username": "g", "role": "member", "email": email}
        )
        assert refused.status_code == 400, email
        assert refused.json()["errors"][0]["pointer"] == "/email"
    letter = Letter(
        name="x.y",
        words="companies.mail_invitation",
        to="grace@example.com",
        locale="en",
        org_id=hall.acme.org_id,
        params={"org": evil, "by": "<script>", "name": "Grace", "username": "grace"},
        link="/activate#token=x",
    )
    async with hall.server.data.write() as writer:
        await hall.server.host.service(Mailer).send(writer, letter)
    await send()
    (mail,) = post.messages
    assert mail.message["Bcc"] is None and mail.to == ["grace@example.com"]
    assert mail.message["Subject"] == "You are invited to x Bcc: victim@example.com"
    assert "<script>" not in post.html() and "&lt;script&gt;" in post.html()


@pytest.mark.any_database
async def test_it_is_written_in_the_readers_language_and_their_companys_look(hall, post, send, invite):
    body = {"username": "grace", "role": "member", "locale": "nl", "email": "grace@example.com"}
    assert (await hall.acme.owner.post("/api/members", body)).status_code == 201
    await send()
    mail = post.messages[0].message
    assert mail["Subject"].startswith("Je bent uitgenodigd bij")
    assert '<html lang="nl" dir="ltr">' in post.html()
    assert mail["From"].endswith(">") and "no-reply@" in mail["From"]
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["List-Unsubscribe"] is None


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("given", "parsed"),
    [
        ("smtp://127.0.0.1:2525", ("127.0.0.1", 2525, "smtp", None, None)),
        ("smtps://u%40x:p%3Aw@mail.example.com", ("mail.example.com", 465, "smtps", "u@x", "p:w")),
        ("smtp+starttls://a:b@h", ("h", 587, "smtp+starttls", "a", "b")),
    ],
)
def test_a_server_is_named_by_its_address(given, parsed):
    assert tuple(mail_url(given)) == parsed


@pytest.mark.any_database
@pytest.mark.parametrize(
    "given", ["http://x", "smtp://", "smtp://h:x", "smtp://h/path", "smtp://user@h", "mail.example.com"]
)
def test_what_names_no_server_is_refused(given):
    with pytest.raises(ValueError, match="takes"):
        mail_url(given)


@pytest.mark.any_database
def test_whom_mail_is_from_is_one_address():
    assert sender("Guildhall <hall@example.com>") == "Guildhall <hall@example.com>"
    for given in ("nobody", "a@b\nX: y", "Guildhall <>"):
        with pytest.raises(ValueError, match="takes an address"):
            sender(given)
    assert email_fault("ada@example.com") is None


@pytest.mark.any_database
async def test_a_server_that_is_not_there_keeps_nobody_waiting(open_hall, by_hand):
    async with open_hall(SERVICE_MAIL_URL="smtp://127.0.0.1:1") as hall:
        body = {"username": "grace", "role": "member", "email": "grace@example.com"}
        assert (await hall.acme.owner.post("/api/members", body)).status_code == 201
        await hall.server.host.service(MailSender).work()
        (waiting,) = await listed(hall)
        assert (waiting["state"], waiting["error"].startswith("the server is away")) == ("waiting", True)


@pytest_asyncio.fixture(loop_scope="session")
async def guarded():
    """The port of a server that wants a user and a password, and those that it was given."""
    given, right = [], asyncio.Event()

    def admit(server, session, envelope, mechanism, data):
        given.append((data.login, data.password))
        return AuthResult(success=right.is_set(), handled=False)

    class Taking:
        taken = 0

        async def handle_DATA(self, server, session, envelope):
            self.taken += 1
            return "250 OK"

    taking = Taking()
    options = {"authenticator": admit, "auth_required": True, "auth_require_tls": False}
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(taking, hostname="localhost", **options), "127.0.0.1", 0
    )
    yield SimpleNamespace(port=server.sockets[0].getsockname()[1], given=given, right=right, taking=taking)
    server.close()


@pytest.mark.any_database
async def test_a_wrong_password_of_the_server_is_the_operators_to_mend_and_said_nowhere(
    open_hall, by_hand, guarded
):
    url = f"smtp://hall:s%40cret-of-mail@127.0.0.1:{guarded.port}"
    async with open_hall(SERVICE_MAIL_URL=url) as hall:
        body = {"username": "grace", "role": "member", "email": "grace@example.com"}
        assert (await hall.acme.owner.post("/api/members", body)).status_code == 201
        sender = hall.server.host.service(MailSender)
        await sender.work()
        (waiting,) = await listed(hall)
        assert (waiting["state"], "refused the sign-in" in waiting["error"]) == ("waiting", True)
        assert "cret-of-mail" not in str(waiting)
        guarded.right.set()
        hall.clock.advance(minutes=1)
        await sender.work()
        assert guarded.taking.taken == 1
        assert set(guarded.given) == {(b"hall", b"s@cret-of-mail")}
