"""Mail in the console: a forgotten password, one's address, and what operators see was sent."""

import asyncio
import re

import pytest
from aiosmtpd.smtp import SMTP
from playwright.async_api import expect

from tests.console.visitor import serious_violations_in_both_modes, settled, visiting

pytestmark = pytest.mark.hall_databases("sqlite")


class Letters(asyncio.Queue):
    async def handle_DATA(self, server, session, envelope):
        await self.put(envelope.content.decode())
        return "250 OK"


@pytest.fixture
async def letters():
    kept = Letters()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(kept, hostname="localhost"), "127.0.0.1", 0)
    kept.url = f"smtp://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield kept
    server.close()


async def test_an_address_is_confirmed_and_a_forgotten_password_set_anew(open_hall, open_page, letters):
    async with visiting(open_hall(SERVICE_MAIL_URL=letters.url), open_page) as (hall, visitor):
        body = {"username": "grace", "role": "member", "email": "grace@example.com"}
        assert (await hall.acme.owner.post("/api/members", body)).status_code == 201
        async with asyncio.timeout(60):
            await letters.get()
        page = await visitor.open(None, "/login")
        await page.get_by_role("button", name="Forgot your password?").click()
        await page.get_by_role("textbox", name="Username or e-mail address").fill("grace@example.com")
        await settled(page)
        assert await serious_violations_in_both_modes(page) == []
        await page.get_by_role("button", name="Mail me a link").click()
        await page.get_by_text("a link is on its way").wait_for()
        async with asyncio.timeout(60):
            letter = await letters.get()
        token = re.search(r"#token=([\w-]+)", letter.replace("=\r\n", "").replace("=3D", "="))[1]
        body = {"token": token, "password": "a password that nobody guesses"}
        assert (await hall.anonymous.post("/api/password/reset", body)).status_code == 200

        operator = await visitor.open(hall.operator, "/instance/mails")
        table = operator.get_by_role("table", name="Mails")
        await expect(table.get_by_role("row")).to_have_count(3)
        await settled(operator)
        assert await serious_violations_in_both_modes(operator) == []


async def test_an_address_is_kept_in_the_account(hall, visitor):
    page = await visitor.open(hall.acme.member, "/account")
    field = page.get_by_role("textbox", name="E-mail address")
    await field.fill("ada@example.com")
    form = page.locator("form").filter(has=field)
    await form.get_by_role("button", name="Save").click()
    await page.get_by_text("Saved").first.wait_for()
    assert (await hall.acme.member.get("/api/profile")).json()["email"] == "ada@example.com"
