"""Who signs up hears that it came, and who is accepted gets an invitation that works, by mail."""

import asyncio
import re
from email import message_from_bytes
from email.policy import default

import pytest_asyncio
from aiosmtpd.smtp import SMTP

from builtin_plugins.beta.tests.signups.conftest import Visitors, publish_form

HOSTNAME = "acme.example"


class Letters(asyncio.Queue):
    """What a mail server is sent."""

    async def handle_DATA(self, server, session, envelope):
        message = message_from_bytes(envelope.content, policy=default)
        await self.put((envelope.rcpt_tos[0], message["Subject"], message.get_body(["plain"]).get_content()))
        return "250 OK"

    async def next(self):
        async with asyncio.timeout(60):
            return await self.get()


@pytest_asyncio.fixture(loop_scope="session")
async def letters():
    kept = Letters()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(kept, hostname="localhost"), "127.0.0.1", 0)
    kept.port = server.sockets[0].getsockname()[1]
    yield kept
    server.close()


@pytest_asyncio.fixture(loop_scope="session")
async def visitors(open_hall, letters):
    async with open_hall(SERVICE_MAIL_URL=f"smtp://127.0.0.1:{letters.port}") as hall:
        answer = await hall.operator.patch(f"/api/orgs/{hall.acme.org_id}", {"domain": HOSTNAME})
        assert answer.status_code == 200, answer.text
        await publish_form(hall.acme.admin)
        yield Visitors(hall, hall.acme, HOSTNAME)


async def test_a_sign_up_is_answered_by_mail_once_and_accepted_with_an_invitation(visitors, letters):
    hall = visitors.hall
    for _ in range(2):
        assert (await visitors.sign_up("Ann.Baker@example.com", locale="nl")).status_code == 201
    assert (await visitors.sign_up("trap@example.com", website="x")).status_code == 201
    to, subject, _ = await letters.next()
    assert (to, subject) == ("ann.baker@example.com", "Je aanmelding is ontvangen")
    (prospect,) = await visitors.prospects("?q=baker")
    path = f"/api/beta/prospects/{prospect['id']}/decide"
    for _ in range(2):
        assert (await hall.acme.admin.post(path, {"decision": "accept"})).status_code == 200
    to, subject, text = await letters.next()
    assert (to, "uitgenodigd" in subject) == ("ann.baker@example.com", True)
    body = {"token": re.search(r"#token=([\w-]+)", text)[1], "password": "a password that nobody guesses"}
    activated = await hall.anonymous.post("/api/activate", body)
    assert (activated.status_code, activated.json()["user"]["username"]) == (200, "ann.baker")
    members = (await hall.acme.admin.get("/api/members?limit=200")).json()["items"]
    assert [one["role"] for one in members if one["username"] == "ann.baker"] == ["member"]
    assert letters.empty()


async def test_where_no_mail_is_sent_nobody_is_made(open_hall):
    async with open_hall() as hall:
        await hall.operator.patch(f"/api/orgs/{hall.acme.org_id}", {"domain": HOSTNAME})
        await publish_form(hall.acme.admin)
        visitors = Visitors(hall, hall.acme, HOSTNAME)
        await visitors.sign_up("ann@example.com")
        (prospect,) = await visitors.prospects()
        path = f"/api/beta/prospects/{prospect['id']}/decide"
        assert (await hall.acme.admin.post(path, {"decision": "accept"})).json()["status"] == "accepted"
        members = (await hall.acme.admin.get("/api/members?limit=200")).json()["items"]
        assert "ann" not in [one["username"] for one in members]
