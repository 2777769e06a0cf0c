"""A company in the console: how it looks, who is in it, and what those see who only read."""

import pytest
from playwright.async_api import expect

from tests.console.visitor import REFUSED, go, serious_violations, wait_until

pytestmark = pytest.mark.hall_databases("sqlite")

SCREENS = tuple(f"/company/{name}" for name in ("teams", "people", "branding", "executors", "usage", "audit"))


@pytest.mark.long_form
async def test_a_new_look_is_judged_while_it_is_picked_and_then_followed(hall, visitor):
    await hall.operator.call("PATCH", "/api/orgs/acme", {"domain": "acme.test"})
    page = await visitor.open(hall.acme.org_admin, "/company/branding")
    accent = page.get_by_label("Accent as hex", exact=True)
    save = page.get_by_role("button", name="Save changes")
    await page.get_by_label("Title").fill("Acme Works")
    await page.get_by_label("Tagline").fill("Everything, delivered")
    await accent.fill("#ffd9ec")
    await page.get_by_text("Some of these colours cannot be read").wait_for()
    await expect(save).to_be_disabled()
    await accent.fill("#7a1f5c")
    await save.click()
    await page.get_by_text("Saved", exact=True).wait_for()
    await wait_until(page, "document.title.endsWith('Acme Works')")
    tokens = "getComputedStyle(document.documentElement).getPropertyValue('--light-accent')"
    await wait_until(page, f"{tokens} === '#7a1f5c'")

    # A hostname on plain http is no origin that a browser trusts, and it says so.
    visit = await visitor.open(allowed=["Cross-Origin-Opener-Policy"])
    await visit.goto(hall.base_url.replace("127.0.0.1", "acme.test") + "/login")
    await visit.get_by_text("Everything, delivered").wait_for()
    await expect(visit).to_have_title("Acme Works")
    await visit.get_by_label("Language").select_option("Nederlands")
    await visit.get_by_role("heading", name="Inloggen").wait_for()
    await expect(visit.locator("html")).to_have_attribute("lang", "nl")

    await page.get_by_role("button", name="Back to the instance").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("textbox").fill("Acme")
    await dialog.get_by_role("button", name="Back to the instance").click()
    await expect(page.get_by_label("Title")).to_have_value("Guildhall")


async def test_somebody_is_given_a_role_in_the_company_suspended_and_let_in_again(hall, visitor):
    colleague = hall.acme.colleague
    page = await visitor.open(hall.acme.org_owner, "/company/people")
    await page.get_by_role("button", name="Role of acme-colleague in the company").click()
    await page.get_by_role("option", name="Company reader").click()
    await page.get_by_text("acme-colleague is now: Company reader").wait_for()
    _, who = await colleague.call("GET", "/api/whoami")
    assert who["org_role"] == "org_reader"

    row = page.get_by_role("row", name="acme-colleague")
    await row.get_by_role("button", name="Suspend: acme-colleague").click()
    await row.get_by_text("Suspended").wait_for()
    assert (await colleague.get("/api/whoami")).status_code == 403
    assert await serious_violations(page) == []
    await page.get_by_role("button", name="Undo").last.click()
    await row.get_by_role("button", name="Suspend: acme-colleague").wait_for()
    assert (await colleague.get("/api/whoami")).status_code == 200


@pytest.mark.long_form
async def test_a_team_is_renamed_and_goes_with_what_is_in_it_to_another(hall, visitor):
    page = await visitor.open(hall.acme.org_owner, "/company/teams", allowed=[REFUSED])
    await page.get_by_role("button", name="Rename: Acme Second").click()
    await page.get_by_label("Team name").fill("Annex")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Delete: Annex").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Delete").click()
    await dialog.get_by_text("There are still people or things in it").wait_for()
    await dialog.get_by_role("button", name="Move all of it to").click()
    await page.get_by_role("option", name="Acme", exact=True).click()
    assert await serious_violations(page) == []
    await dialog.get_by_role("button", name="Delete").click()
    await page.get_by_text("Annex was deleted.").wait_for()
    _, teams = await hall.acme.org_owner.call("GET", "/api/org/teams")
    assert [team["name"] for team in teams["items"]] == ["Acme"]


#: What narrows a list or turns a page of a timeline, whose days are buttons without words.
LOOKING = ("All", "Export as CSV", "Earlier", "Later", "Show as table", "")


@pytest.mark.long_form
async def test_who_only_reads_a_company_is_offered_nothing_to_change(hall, visitor):
    reader = await visitor.open(hall.acme.reader, "/company")
    await reader.get_by_text("You see this company; others change it.").wait_for()
    for path in SCREENS:
        await go(reader, path)
        buttons = await reader.get_by_role("main").get_by_role("button").all_inner_texts()
        assert [name for name in buttons if name not in LOOKING] == [], path
