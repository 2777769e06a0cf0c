"""Single sign-on in a browser: set up, tried, and come in by; and the word why not."""

import pytest
from playwright.async_api import expect

from builtin_plugins.oidc.tests.provider import Provider
from tests.console.visitor import REFUSED, serious_violations, settled, visiting

pytestmark = pytest.mark.hall_databases("sqlite")


@pytest.fixture
async def provider():
    made = Provider()
    await made.start()
    yield made
    await made.stop()


async def test_a_company_sets_up_single_sign_on_and_comes_in_by_it(open_hall, open_page, provider):
    opening = open_hall(SERVICE_ORG_PRIVATE_ENDPOINTS="on")
    async with visiting(opening, open_page) as (hall, visitor):
        provider.now_s = lambda: hall.clock.now_ms() // 1000
        page = await visitor.open(hall.acme.org_owner, "/company/sign-in")
        await page.get_by_role("button", name="Add a way to sign in").first.click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Name", exact=True).fill("Acme")
        await dialog.get_by_label("Issuer").fill(provider.issuer)
        await dialog.get_by_label("Client ID").fill("guildhall")
        await dialog.get_by_label("Client secret").fill(provider.secret)
        await dialog.get_by_label("E-mail domains").fill("acme.test")
        await dialog.get_by_label("Rules").fill("groups = admins → admin")
        assert await serious_violations(page) == []
        await dialog.get_by_role("button", name="Save").click()

        await page.get_by_role("heading", name="Acme", level=2).wait_for()
        await page.get_by_role("button", name="Test").click()
        await expect(page.get_by_text("to a code that is none")).to_be_visible()
        await expect(page.get_by_text("first (RSA)")).to_be_visible()
        await page.get_by_label("Claims").fill('{"email": "eve@other.test"}')
        await page.get_by_role("button", name="What would happen?").click()
        await expect(page.get_by_role("status").get_by_text("would not come in")).to_be_visible()
        assert await serious_violations(page) == []

        provider.person |= {"groups": ["admins"]}
        page = await visitor.open(path="/login")
        await page.get_by_label("Username").fill("ada@acme.test")
        await page.get_by_role("button", name="Sign in with Acme").click()
        await page.get_by_role("button", name="Account: Ada").wait_for()
        assert "token" not in page.url

        # Who is here already proves both, once.
        login = {"username": "grace", "role": "member", "password": hall.password}
        await hall.acme.owner.post("/api/members", login)
        provider.person = {"sub": "2", "preferred_username": "grace", "email": "grace@acme.test"}
        page = await visitor.open(path="/login", allowed=[REFUSED])
        await page.get_by_label("Username").fill("grace@acme.test")
        await page.get_by_role("button", name="Sign in with Acme").click()
        await page.get_by_text("You have an account here already.").wait_for()
        assert await serious_violations(page) == []
        await page.get_by_label("Username").fill("grace")
        await page.get_by_label("Password").fill(hall.password)
        await page.get_by_role("button", name="Sign in", exact=True).click()
        await page.get_by_role("button", name="Account: grace").wait_for()
        page = await visitor.open(path="/login")
        await page.get_by_label("Username").fill("grace@acme.test")
        await page.get_by_role("button", name="Sign in with Acme").click()
        await page.get_by_role("button", name="Account: grace").wait_for()


async def test_the_word_why_nobody_was_signed_in(visitor):
    page = await visitor.open(path="/login#error=sso_unavailable")
    await settled(page)
    await expect(page.get_by_role("alert")).to_contain_text("The sign-in server cannot be reached")
    assert "error" not in page.url
