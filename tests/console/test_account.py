"""One's own account: language, look, password and sessions."""

import pytest
from playwright.async_api import expect

from guildhall_testing.people import PASSWORD
from tests.console.visitor import PHONE, REFUSED, serious_violations

pytestmark = pytest.mark.hall_databases("sqlite")


@pytest.mark.long_form
async def test_language_and_look_follow_at_once_and_stay(hall, visitor):
    page = await visitor.open(hall.acme.member, "/account", viewport=PHONE)
    await page.get_by_role("button", name="Theme").click()
    await page.get_by_role("option", name="Dark").click()
    await page.get_by_role("button", name="Row height").click()
    await page.get_by_role("option", name="Dense").click()
    assert (
        await page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--row')") == "32px"
    )
    await expect(page.locator("html")).to_have_attribute("data-mode", "dark")
    assert await serious_violations(page) == []
    other = await page.context.new_page()
    await other.goto(hall.base_url + "/notes/new")
    await other.get_by_label("Title").fill("In English")
    await page.get_by_role("button", name="Language").click()
    await page.get_by_role("option", name="Español").click()
    await page.get_by_role("heading", name="Cuenta", level=1).wait_for()
    await expect(other.get_by_label("Título")).to_have_value("In English")
    await expect(page.locator("html")).to_have_attribute("lang", "es")
    await page.reload()
    await page.get_by_role("heading", name="Cuenta", level=1).wait_for()
    await expect(page.locator("html")).to_have_attribute("data-mode", "dark")
    _, who = await hall.acme.member.call("GET", "/api/whoami")
    assert who["user"]["locale"] == "es"


@pytest.mark.long_form
async def test_a_session_that_is_ended_in_another_browser_is_renewed_in_place(hall, visitor):
    other = await visitor.open(
        await hall.with_token(hall.acme.member, kind="session"), "/notes", allowed=[REFUSED]
    )
    await other.get_by_role("heading", name="Notes", level=1).wait_for()
    page = await visitor.open(hall.acme.member, "/account/sessions")
    await page.get_by_text("This session", exact=True).wait_for()
    await page.get_by_role("button", name="End all others").click()
    await page.get_by_text("1 session ended").wait_for()
    await other.get_by_role("link", name="Files").click()
    await other.get_by_text("Your session has ended.").wait_for()
    await other.get_by_label("Password").fill("not the password")
    await other.keyboard.press("Escape")  # loses nothing
    await other.get_by_role("dialog").get_by_role("button", name="Sign in").click()
    await other.get_by_text("Username or password is wrong. If you forgot your password").wait_for()
    await other.get_by_label("Password").fill(PASSWORD)
    await other.keyboard.press("Enter")
    await other.get_by_role("dialog").wait_for(state="hidden")
    # What waited for it goes on.
    await other.get_by_text("Drop files or folders anywhere on this page").wait_for()


@pytest.mark.long_form
async def test_somebody_in_two_teams_goes_from_one_to_the_other(hall, visitor):
    member, second = hall.acme.member, hall.acme.second_team
    joining = {"username": member.username, "team": second.id, "role": "admin"}
    await hall.acme.org_admin.call("POST", "/api/org/members", joining)
    page = await visitor.open(member, "/notes")
    await page.get_by_role("button", name="Switch team:").click()
    await page.get_by_role("menuitem", name="Acme Second").click()
    await page.get_by_text("You are in Acme Second now.").wait_for()
    await page.get_by_role("link", name="Team", exact=True).click()
    await page.get_by_text("Who works in Acme Second, and what they may do.").wait_for()


async def test_tabs_share_a_session_and_its_end_and_who_signs_in_next_sees_nothing_of_it(hall, visitor):
    await hall.acme.member.call(
        "POST", "/api/notes", {"title": "Only mine", "body": "", "visibility": "private"}
    )
    page = await visitor.open(hall.acme.member, "/notes")
    await page.get_by_text("Only mine").wait_for()
    other = await page.context.new_page()
    await other.goto(hall.base_url + "/account")
    await other.get_by_role("button", name="Account:").click()
    await other.get_by_role("menuitem", name="Sign out").click()
    await other.get_by_label("Username").wait_for()
    await other.reload()
    await other.get_by_label("Username").wait_for()

    await page.get_by_label("Username").fill(hall.acme.colleague.person.username)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.evaluate(
        """() => new MutationObserver(() => {
          if (document.body.innerText.includes("Only mine")) document.documentElement.dataset.leaked = "";
        }).observe(document.body, { childList: true, subtree: true, characterData: true })"""
    )
    async with page.expect_response(lambda response: "/api/notes?" in response.url):
        await page.get_by_role("button", name="Sign in").click()
    await page.get_by_role("heading", name="Notes", level=1).wait_for()
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    assert await page.locator("html").get_attribute("data-leaked") is None
    await other.get_by_role("button", name="Account: acme-colleague").wait_for()
