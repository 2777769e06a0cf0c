"""Visitors of a company's page, who may come from any address."""

import pytest
import pytest_asyncio

from builtin_plugins.beta.signup.challenge import PURPOSE, make_challenge, solve
from guildhall_sdk.services.identity import Vault

FORM = {
    "fields": [
        {"name": "email", "type": "email", "label": "E-mail", "required": True},
        {"name": "why", "type": "textarea", "label": "Why", "required": False, "max_length": 300},
        {"name": "size", "type": "select", "label": "Size", "required": False, "options": ["small", "large"]},
        {"name": "site", "type": "url", "label": "Site", "required": False},
        {"name": "terms", "type": "checkbox", "label": "Terms", "required": False},
    ],
    "copy": {"en": {"title": "Join", "subtitle": "", "submit": "Join", "thanks": "Thank you."}},
    "judge_prompt": "We look for bakers.",
}


class Visitors:
    """Whoever comes to one company's page; `address` is where the proxy says that they come from."""

    def __init__(self, hall, company, hostname):
        self.hall, self.company, self.hostname = hall, company, hostname

    def headers(self, address=None):
        return {"Host": self.hostname} | ({"X-Forwarded-For": address} if address else {})

    async def challenge(self, address=None):
        answer = await self.hall.anonymous.get("/api/beta/challenge", headers=self.headers(address))
        assert answer.status_code == 200, answer.text
        return answer.json()

    def easy(self):
        """Returns a solved challenge of the server's own that took no time."""
        key = self.hall.server.service(Vault).derive(PURPOSE)
        return solve(make_challenge(key, 1, self.hall.clock.now_ms()))

    async def sign_up(self, email="ann@example.com", *, address=None, challenge=None, headers=(), **more):
        fields = more.pop("fields", {"email": email})
        body = {"fields": fields, "challenge": challenge or self.easy(), **more}
        sent = {**self.headers(address), **dict(headers)}
        return await self.hall.anonymous.post("/api/beta/signup", body, headers=sent)

    async def prospects(self, query="", by=None):
        answer = await (by or self.company.admin).get(f"/api/beta/prospects{query}")
        assert answer.status_code == 200, answer.text
        return answer.json()["items"]


async def publish_form(client, **changes):
    """Publishes the form as this person's team."""
    for method, path, body in (
        ("PUT", "/api/beta/experience", {**FORM, **changes}),
        ("POST", "/api/beta/experience/publish", None),
    ):
        answer = await client.request(method, path, body)
        assert answer.status_code == 200, answer.text


@pytest.fixture
def form():
    return FORM


@pytest.fixture
def publish():
    return publish_form


@pytest.fixture
def visit():
    """Opens a company's page: `visitors = await visit(hall)`."""

    async def open_page(hall, company=None):
        company = company or hall.acme
        hostname = await hall.give_hostname(company)
        await publish_form(company.admin)
        return Visitors(hall, company, hostname)

    return open_page


@pytest_asyncio.fixture(loop_scope="session")
async def visitors(hall, visit):
    hall.clock.advance(seconds=3600)  # whoever signed up on this server before counts no more
    return await visit(hall)


@pytest_asyncio.fixture(loop_scope="session")
async def proxied(open_hall, visit):
    """Visitors behind a proxy that is trusted."""
    async with open_hall(SERVICE_TRUSTED_PROXIES="127.0.0.1") as hall:
        yield await visit(hall)
