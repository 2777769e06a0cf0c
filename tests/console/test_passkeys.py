"""Passkeys with Chromium's virtual authenticator: added in one's account, and asked for at the door."""

from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from builtin_plugins.passkeys.ceremony import Site
from guildhall_testing.people import PASSWORD
from tests.console.visitor import REFUSED, Visitor, serious_violations

pytestmark = pytest.mark.hall_databases("sqlite")

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def named(hall, monkeypatch):
    """The hall by a name, as browsers bind passkeys to none that is a number."""
    base_url = f"http://localhost:{urlsplit(hall.base_url).port}"
    monkeypatch.setattr(Site, "of", lambda host: Site("localhost", base_url))
    return SimpleNamespace(base_url=base_url)


async def with_authenticator(page):
    devtools = await page.context.new_cdp_session(page)
    await devtools.send("WebAuthn.enable")
    await devtools.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})


async def test_a_passkey_is_added_and_asked_for_at_the_door(hall, named, open_page):
    made = await hall.acme.owner.post(
        "/api/members", {"username": "keyholder", "role": "member", "password": PASSWORD}
    )
    person = hall.bearer(made.json()["token"])
    page = await Visitor(named, open_page).open(person, "/account/passkeys", allowed=[REFUSED])
    await with_authenticator(page)
    await page.get_by_text("You have no passkeys yet.").wait_for()
    await page.get_by_role("button", name="Add a passkey").click()
    await page.get_by_label("Name").fill("My laptop")
    await page.get_by_role("dialog").get_by_role("button", name="Add a passkey").click()
    await page.get_by_text("Signs in without a password").wait_for()
    assert await serious_violations(page) == []

    # What was begun a while ago asks once more who is there; the passkey says it.
    hall.clock.advance(minutes=20)
    await page.get_by_role("button", name="Remove passkey").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove passkey").click()
    await page.get_by_role("button", name="Use a passkey").click()
    await page.get_by_text("You have no passkeys yet.").wait_for()
    await page.get_by_role("button", name="Add a passkey").click()
    await page.get_by_label("Name").fill("My laptop again")
    await page.get_by_role("dialog").get_by_role("button", name="Add a passkey").click()
    await page.get_by_text("Signs in without a password").wait_for()

    assert (await person.post("/api/2fa/enable")).status_code == 200
    await page.get_by_role("button", name="Account:").click()
    await page.get_by_role("menuitem", name="Sign out").click()
    await page.get_by_label("Username").fill("keyholder")
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in", exact=True).click()
    await page.get_by_role("button", name="Use a passkey").click()
    await page.get_by_role("button", name="Account: keyholder").wait_for()
