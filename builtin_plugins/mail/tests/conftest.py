"""Halls with an SMTP server beside them, in the same loop: it keeps what it is sent, and refuses as told."""

import asyncio
import re
from email import message_from_bytes
from email.policy import default
from types import SimpleNamespace

import pytest
import pytest_asyncio
from aiosmtpd.smtp import SMTP

from builtin_plugins.mail.sending import MailSender


class Post:
    """What a mail server is sent; `refusal` is what it answers to the recipients in `refused`, `*` all."""

    def __init__(self):
        self.messages = []
        self.arrived = asyncio.Event()
        self.refused, self.refusal = set(), "550 5.1.1 No such mailbox"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address in self.refused or "*" in self.refused:
            return self.refusal
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        message = message_from_bytes(envelope.content, policy=default)
        self.messages.append(
            SimpleNamespace(to=list(envelope.rcpt_tos), raw=envelope.content, message=message)
        )
        self.arrived.set()
        return "250 OK"

    def text(self, number=-1):
        return self.messages[number].message.get_body(["plain"]).get_content()

    def html(self, number=-1):
        return self.messages[number].message.get_body(["html"]).get_content()

    def token(self, number=-1):
        """The token behind the `#` of the link in a letter."""
        return re.search(r"#\w+=([\w-]+)", self.text(number))[1]

    def sent_to(self):
        return [one.to[0] for one in self.messages]


@pytest_asyncio.fixture(loop_scope="session")
async def post():
    kept = Post()
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(kept, hostname="localhost", enable_SMTPUTF8=False), "127.0.0.1", 0
    )
    kept.port = server.sockets[0].getsockname()[1]
    yield kept
    server.close()


@pytest.fixture
def by_hand(monkeypatch):
    """What is due is sent when the test says so, and not as it comes."""

    async def rest(self):
        await asyncio.Event().wait()

    monkeypatch.setattr(MailSender, "run", rest)


@pytest_asyncio.fixture(loop_scope="session")
async def hall(open_hall, post, by_hand):
    async with open_hall(SERVICE_MAIL_URL=f"smtp://127.0.0.1:{post.port}") as opened:
        yield opened


@pytest.fixture
def send(hall):
    """`await send()`: does what is due."""
    return lambda: hall.server.host.service(MailSender).work()


@pytest.fixture
def invite(hall):
    """`await invite("grace", "grace@example.com")`: somebody new, as the answer shows them."""

    async def invite(username, email, by=None):
        body = {"username": username, "role": "member", "display_name": "Grace", "email": email}
        answer = await (by or hall.acme.owner).post("/api/members", body)
        assert answer.status_code == 201, answer.text
        return answer.json()["member"]

    return invite
