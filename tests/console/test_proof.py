"""Before what a stolen session must not do the server asks who is there: one dialog, whatever the screen."""

from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect

from builtin_plugins.passkeys.ceremony import Site
from guildhall_testing.people import PASSWORD
from tests.console.test_passkeys import with_authenticator
from tests.console.visitor import REFUSED, Visitor, go, serious_violations

pytestmark = pytest.mark.hall_databases("sqlite")


@pytest.fixture
async def page(hall, open_page, monkeypatch):
    """The console of a company's owner with a passkey, at a name, as browsers bind passkeys to no number."""
    base_url = f"http://localhost:{urlsplit(hall.base_url).port}"
    monkeypatch.setattr(Site, "of", lambda host: Site("localhost", base_url))
    visitor = Visitor(SimpleNamespace(base_url=base_url), open_page)
    page = await visitor.open(hall.acme.org_owner, "/account/passkeys", allowed=[REFUSED])
    await with_authenticator(page)
    await hall.acme.org_owner.post("/api/session/confirm", {"password": PASSWORD})
    await page.get_by_role("button", name="Add a passkey").click()
    await page.get_by_label("Name").fill("My laptop")
    await page.get_by_role("dialog").get_by_role("button", name="Add a passkey").click()
    await page.get_by_text("Signs in without a password").wait_for()
    return page


async def prove(page):
    dialog = page.get_by_role("dialog", name="Is it you?")
    await dialog.get_by_role("button", name="Use a passkey").click()
    await expect(dialog).to_have_count(0)


async def test_whoever_has_a_passkey_proves_it_before_each_dangerous_act_and_goes_on(hall, page):
    owner = hall.acme.org_owner

    hall.clock.advance(minutes=20)
    await go(page, "/company/directory")
    await page.get_by_role("button", name="New directory token").first.click()
    await page.get_by_label("What it is for").fill("Entra")
    await page.get_by_role("button", name="Create token").click()
    await page.get_by_role("dialog", name="Is it you?").wait_for()
    assert await serious_violations(page) == []
    await prove(page)
    token = await page.get_by_label("Token", exact=True).input_value()
    assert (await hall.bearer(token).get("/scim/v2/Users")).status_code == 200
    await page.get_by_text("Close", exact=True).click()
    row = page.get_by_role("row", name="Entra")
    await expect(row).to_contain_text(token[:10])
    await expect(page.locator("body")).not_to_contain_text(token)
    await row.get_by_role("button", name="Revoke").click()
    await page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    await page.get_by_text("No directory has a token yet.").wait_for()
    assert (await hall.bearer(token).get("/scim/v2/Users")).status_code == 401

    hall.clock.advance(minutes=20)
    await go(page, "/company/people")
    await page.get_by_role("button", name="Role of acme-colleague in the company").click()
    await page.get_by_role("option", name="Company owner").click()
    await prove(page)
    await page.get_by_text("acme-colleague is now: Company owner").wait_for()

    hall.clock.advance(minutes=20)
    await go(page, "/company/sign-in")
    await page.get_by_role("button", name="Add a way to sign in").first.click()
    await page.get_by_label("Issuer").fill("https://id.example.invalid")
    await page.get_by_label("Client ID").fill("guildhall")
    await page.get_by_role("button", name="Save").click()
    await prove(page)
    await page.wait_for_url("**/company/sign-in/way_*")

    hall.clock.advance(minutes=20)
    await go(page, "/account/security")
    await page.get_by_role("button", name="Turn on two-factor authentication").click()
    await prove(page)
    await page.get_by_label("Code from the app").wait_for()
    assert (await owner.post("/api/2fa/enable")).status_code == 200
    await page.reload()
    hall.clock.advance(minutes=20)
    await page.get_by_role("button", name="Turn off two-factor authentication").click()
    await page.get_by_role("dialog").get_by_role("button", name="Turn off").click()
    await prove(page)
    await page.get_by_text("Two-factor authentication is off.").wait_for()


async def test_whoever_leaves_the_dialog_has_done_nothing_and_may_give_the_password(hall, page):
    hall.clock.advance(minutes=20)
    await page.get_by_role("button", name="Remove passkey").click()
    remove = page.get_by_role("dialog").get_by_role("button", name="Remove passkey")
    await remove.click()
    dialog = page.get_by_role("dialog", name="Is it you?")
    await dialog.get_by_role("button", name="Cancel").click()
    await expect(dialog).to_have_count(0)
    await page.get_by_text("Enter your password again for this.").wait_for()
    assert (await hall.acme.org_owner.get("/api/passkeys")).json()["items"]
    await remove.click()
    await dialog.get_by_label("Current password").fill("not the password")
    await dialog.get_by_role("button", name="Go on").click()
    await dialog.get_by_text("The current password is wrong.").wait_for()
    await dialog.get_by_label("Current password").fill(PASSWORD)
    await dialog.get_by_role("button", name="Go on").click()
    await page.get_by_text("You have no passkeys yet.").wait_for()
