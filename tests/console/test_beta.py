"""The beta program: a page is edited and published; who signs up is accepted and lets themself in."""

import asyncio

import pytest
from playwright.async_api import expect

from tests.console.visitor import REFUSED

pytestmark = pytest.mark.hall_databases("sqlite")


async def test_a_page_is_edited_beside_its_preview_and_published(hall, visitor):
    page = await visitor.open(hall.operator, "/beta-program/page", allowed=[REFUSED])
    preview = page.frame_locator("iframe[title='Preview']")
    await preview.get_by_role("heading", name="Everything your team knows, in one place").wait_for()
    await page.get_by_label("Title", exact=True).fill("Ships on time")
    await page.get_by_text("As last saved").wait_for()
    await page.reload()
    await expect(page.get_by_label("Title", exact=True)).to_have_value("Ships on time")

    await page.get_by_role("button", name="Remove English").click()
    await expect(page.get_by_label("Title", exact=True)).not_to_have_value("Ships on time")
    await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_label("Title", exact=True)).to_have_value("Ships on time")

    # What is wrong is said at its field, and nothing is lost.
    first = page.get_by_role("group", name="Your name")
    await first.get_by_label("Name in the data").fill("Not a name")
    await page.get_by_role("button", name="Save draft").click()
    await page.get_by_role("alert").wait_for()
    await expect(first.get_by_label("Name in the data")).to_have_attribute("aria-invalid", "true")
    await first.get_by_label("Name in the data").fill("who")
    # What is typed while it is saved stays, and so does a template that is switched off and on.
    title, saving = page.get_by_label("Title", exact=True), asyncio.Event()

    async def hold(route):
        if route.request.method == "PUT":
            await title.fill("Ships, and more")
            saving.set()
        await route.continue_()

    await page.route("**/api/beta/experience", hold)
    await page.keyboard.press("Control+s")
    await saving.wait()
    await preview.get_by_role("heading", name="Ships on time").wait_for()
    await page.unroute("**/api/beta/experience")
    await expect(title).to_have_value("Ships, and more")
    await expect(page.get_by_text("There are changes that are not saved.")).to_be_visible()
    await title.fill("Ships on time")
    own = page.get_by_role("switch", name="Use your own HTML")
    template = page.get_by_role("textbox", name="Own template")
    await own.click()
    await template.press("Control+Home")
    await template.press_sequentially("ours")
    await own.click()
    await own.click()
    await expect(template).to_contain_text("ours<!doctype html>")
    await own.click()
    assert "Ships on time" not in (await hall.anonymous.get("/beta/template")).text
    # Nobody publishes what somebody else saved without having seen it.
    draft = (await hall.operator.get("/api/beta/experience")).json()
    kept = {name: draft[name] for name in ("fields", "copy", "theme", "judge_prompt", "template", "assets")}
    (await hall.operator.put("/api/beta/experience", json=kept)).raise_for_status()
    await page.get_by_role("button", name="Publish").click()
    await page.get_by_role("button", name="Take theirs").click()
    await expect(page.get_by_role("button", name="Take theirs")).to_have_count(0)
    await page.get_by_role("button", name="Publish").click()
    await page.get_by_text("Published as version 1").wait_for()
    assert "Ships on time" in (await hall.anonymous.get("/beta/template")).text
    await page.get_by_role("link", name="Versions").click()
    await page.get_by_text("Visitors see this").wait_for()
    await page.get_by_role("button", name="Make it the draft: version 1").click()
    await page.get_by_role("heading", name="Beta page").wait_for()


async def test_somebody_signs_up_is_accepted_and_lets_themself_in(hall, visitor):
    visit = await visitor.open(path="/beta/template?locale=en")
    await visit.get_by_label("Your name").fill("Ann Baker")
    await visit.get_by_label("Work e-mail").fill("ann.baker@example.com")
    await visit.get_by_label("How many are you?").select_option(index=2)
    await visit.get_by_role("button", name="Ask for early access").click()
    await visit.locator("#thanks").wait_for()

    page = await visitor.open(hall.operator, "/beta-program?status=captured")
    await page.get_by_label("Search answers").fill("baker")
    await page.get_by_role("option", name="Ann Baker").click()
    await page.get_by_label("Note on the decision").fill("For the second group.")
    await page.get_by_role("button", name="Accept").click()
    await expect(page.get_by_label("Username")).to_have_value("ann.baker")
    await page.get_by_role("dialog").get_by_role("button", name="Invite to this team").click()
    link = await page.get_by_label("Link to choose a password").input_value()
    await page.get_by_role("dialog").get_by_role("button", name="Close").last.click()

    invited = await visitor.open(path=link.removeprefix(hall.base_url))
    await invited.get_by_label("New password").fill("a long enough phrase of hers")
    await invited.get_by_role("button", name="Save password").click()
    await invited.get_by_role("navigation", name="Navigation").wait_for()

    await page.reload()
    await page.get_by_role("button", name="Erase").click()
    await page.get_by_label("Type “ann.baker@example.com” to confirm").fill("ann.baker@example.com")
    await page.keyboard.press("Enter")
    await page.get_by_text("Nobody has signed up yet").wait_for()
    assert (await hall.operator.get("/api/beta/prospects")).json()["items"] == []


@pytest.mark.long_form
async def test_the_page_that_a_plugin_offers_is_made_the_draft(hall, visitor):
    page = await visitor.open(hall.operator, "/beta-program/versions")
    offered = page.get_by_role("region", name="Offered by plugins")
    await offered.get_by_role("button", name="Make it the draft: beta-onboarding").click()
    await page.wait_for_url("**/beta-program/page")
    await page.get_by_text("The page of beta-onboarding is the draft now").wait_for()
    assert (await hall.operator.get("/api/beta/experience")).json()["version"] == 1
