"""The inbox in the console, the bell on every screen, and forms of plugins' preferences."""

import pytest
from playwright.async_api import expect

from guildhall_sdk import Plugin, Preference, hookimpl
from guildhall_sdk.schema import integer, obj
from tests.console.visitor import serious_violations_in_both_modes, settled, visiting

pytestmark = pytest.mark.hall_databases("sqlite")


async def share(hall, title):
    note = (await hall.acme.member.post("/api/notes", {"title": title})).json()
    body = {"user_id": hall.acme.colleague.user_id, "permission": "notes:read"}
    answer = await hall.acme.member.post(f"/api/notes/{note['id']}/share", body)
    assert answer.status_code == 200, answer.text


async def test_the_bell_rings_and_what_it_rang_for_is_opened_and_read(hall, visitor):
    page = await visitor.open(hall.acme.colleague)
    await page.get_by_role("link", name="Inbox, nothing unread").wait_for()
    await share(hall, "The plan")
    await share(hall, "The other plan")
    await page.get_by_role("link", name="Inbox, 2 unread").click()
    rows = page.get_by_role("grid", name="Inbox").get_by_role("row")
    await expect(rows).to_have_count(2)
    await settled(page)
    assert await serious_violations_in_both_modes(page) == []
    await rows.filter(has_text="The other plan").click()
    await page.wait_for_url("**/notes/**")
    bell = page.get_by_role("link", name="Inbox, 1 unread")
    await bell.click()
    await page.get_by_role("button", name="Mark all as read").click()
    await page.get_by_role("link", name="Inbox, nothing unread").wait_for()


async def test_somebody_chooses_what_they_hear_by_mail(hall, visitor):
    member = hall.acme.member
    page = await visitor.open(member, "/inbox")
    await page.get_by_role("button", name="Mail: A note is shared with me").click()
    await page.get_by_role("option", name="At once").click()
    await expect(page.get_by_role("button", name="At once Mail: A note is shared with me")).to_be_visible()
    chosen = (await member.get("/api/notification-settings")).json()["notes.shared"]
    assert chosen["mail"] == "at_once"


class Tides:
    """A plugin with a preference and nothing else."""

    PLUGIN = Plugin("tides", "Tides", "1.0", "Warns.")

    @hookimpl
    def declare_preferences(self):
        schema = obj({"centimetres": integer(0, 500, title="Below")}, required=["centimetres"])
        return [
            Preference(
                name="warning",
                title="Low water",
                help="when your team is warned",
                schema=schema,
                default={"centimetres": 40},
                write_permission="settings:manage",
            )
        ]


async def test_a_preference_of_a_plugin_has_a_form_by_its_declaration(open_hall, open_page):
    async with visiting(open_hall(Tides()), open_page) as (hall, visitor):
        page = await visitor.open(hall.acme.admin, "/preferences")
        field = page.get_by_role("textbox", name="Below")
        await expect(field).to_have_value("40")
        await settled(page)
        assert await serious_violations_in_both_modes(page) == []
        await field.fill("60")
        form = page.locator("form")
        await form.get_by_role("button", name="Save").click()
        await page.get_by_role("button", name="Back to the default").click()
        await expect(page.get_by_role("textbox", name="Below")).to_have_value("40")
