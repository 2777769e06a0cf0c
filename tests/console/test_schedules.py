"""Schedules at the console: made in plain words, turned on and off, run by hand, stopped and deleted."""

from types import SimpleNamespace

import pytest
import pytest_asyncio
from playwright.async_api import expect

from guildhall_sdk import Plugin, hookimpl
from guildhall_sdk.services.workflows import ReadySchedule
from tests.console.test_workflows import says, working
from tests.console.toys import SPEC, Toys
from tests.console.visitor import (
    PHONE,
    REFUSED,
    go,
    serious_violations,
    serious_violations_in_both_modes,
    settled,
)

pytestmark = pytest.mark.hall_databases("sqlite")
SLUG = SPEC["slug"]
READY = ReadySchedule(name="nightly", workflow_slug=SLUG, cron="0 3 * * *", input={"words": ["night"]})
SHIPPING = SimpleNamespace(
    PLUGIN=Plugin("shipping", "Shipping", "1.0", "Ships.", requires=("schedules",)),
    declare_schedules=hookimpl(lambda: [READY]),
)


@pytest_asyncio.fixture(loop_scope="session")
async def hall(open_hall):
    async with open_hall(Toys().plugin(), SHIPPING) as opened:
        await opened.acme.admin.call("POST", "/api/workflows", SPEC)
        yield opened


async def schedule_of(client, **fields):
    body = {"workflow_slug": SLUG, "every_seconds": 60, "input": {"words": ["hello"]}, **fields}
    answer = await client.post("/api/schedules", body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def own(client):
    return [one for one in (await client.get("/api/schedules")).json()["items"] if one["source"] is None]


async def test_a_schedule_is_made_in_words_looked_at_run_changed_and_deleted(hall, visitor):
    admin = hall.acme.admin
    page = await visitor.open(admin, "/schedules", allowed=[REFUSED])
    await page.get_by_text("A schedule starts a workflow at times").wait_for()
    await page.get_by_role("button", name="New schedule").first.click()
    await page.get_by_label("Workflow to start").click()
    await page.get_by_role("option", name="Say words").click()
    times = page.get_by_role("region", name="The next times")
    await times.get_by_text("Monday to Friday, at 8:00 AM").wait_for()
    cron = page.get_by_label("Cron expression")
    await cron.fill("0 0 30 2 *")
    await page.get_by_text("never comes").wait_for()
    await expect(times).to_have_count(0)
    await page.get_by_role("button", name="On Monday, at 9:00 AM").click()
    await expect(cron).to_have_value("0 9 * * MON")
    await times.get_by_text("On Monday, at 9:00 AM").wait_for()
    await expect(times.get_by_role("listitem")).to_have_count(5)
    await page.get_by_label("Time zone").click()
    await page.get_by_role("option", name="Europe/Amsterdam").click()
    await page.get_by_role("button", name="Create schedule").click()
    await page.get_by_text("This is required.").wait_for()
    await page.get_by_role("textbox", name="words").fill("hello")
    assert await serious_violations_in_both_modes(page) == []
    await page.get_by_role("button", name="Create schedule").click()
    await page.get_by_role("heading", name="On Monday, at 9:00 AM", level=1).wait_for()
    (made,) = await own(admin)
    told = {name: made[name] for name in ("cron", "timezone", "input", "missed", "overlap", "enabled")}
    assert told == {
        "cron": "0 9 * * MON",
        "timezone": "Europe/Amsterdam",
        "input": {"words": ["hello"]},
        "missed": "last",
        "overlap": "skip",
        "enabled": True,
    }
    await expect(page.get_by_role("region", name="The next times").get_by_role("listitem")).to_have_count(5)
    assert await serious_violations_in_both_modes(page) == []
    # Every so often instead.
    await page.get_by_role("button", name="Edit").click()
    await page.get_by_role("button", name="When").click()
    await page.get_by_role("option", name="Every so often").click()
    await page.get_by_label("Every", exact=True).fill("1.2")
    await page.get_by_role("button", name="Unit").click()
    await page.get_by_role("option", name="Seconds").click()
    await page.get_by_text("An interval is a whole number of seconds.").wait_for()
    await page.get_by_label("Every", exact=True).fill("90")
    await page.get_by_role("button", name="Save changes").click()
    await page.get_by_role("heading", name="Every 90 seconds", level=1).wait_for()
    async with working(hall):
        await page.get_by_role("button", name="Run now").click()
        await says(page, "Succeeded")
    await page.get_by_role("link", name="Started by a schedule").click()
    await page.get_by_role("heading", name="Every 90 seconds", level=1).wait_for()
    await go(page, "/schedules")
    (made,) = await own(admin)
    await page.get_by_role("cell").locator(f"a[href='/runs/{made['last_run_id']}']").wait_for()
    await page.get_by_role("link", name="Every 90 seconds").click()
    await page.get_by_role("button", name="Delete").click()
    await page.get_by_label(f"Type “{SLUG}” to confirm").fill(SLUG)
    await page.get_by_role("button", name="Delete schedule").click()
    await page.get_by_text("A schedule starts a workflow at times").wait_for()
    assert await own(admin) == []


async def test_one_that_stops_says_why_as_it_happens_and_goes_on_as_whoever_turns_it_on(hall, visitor):
    admin = hall.acme.admin
    issued = (await admin.post("/api/tokens", {"ttl": 600})).json()
    made = await schedule_of(admin.bearing(issued["token"]))
    page = await visitor.open(hall.acme.owner, "/schedules")
    await page.get_by_role("link", name="Every minute").wait_for()
    await settled(page)
    await admin.delete(f"/api/tokens/{issued['id']}")
    hall.clock.advance(seconds=61)
    await hall.drain_jobs()
    await page.get_by_text("The API token that it was made with was revoked.").wait_for()
    switch = page.get_by_role("switch", name=f"{SLUG}: Every minute")
    await expect(switch).not_to_be_checked()
    assert await serious_violations(page) == []
    await switch.press("Space")
    await expect(page.get_by_text("The API token that it was made with was revoked.")).to_have_count(0)
    await settled(page)
    now = (await admin.get(f"/api/schedules/{made['id']}")).json()
    assert (now["stopped"], now["owner"]["id"]) == (None, hall.acme.owner.user_id)
    await switch.press("Space")
    await page.get_by_text("Off", exact=True).first.wait_for()
    await settled(page)
    assert (await admin.get(f"/api/schedules/{made['id']}")).json()["enabled"] is False


async def test_what_a_plugin_ships_is_turned_on_and_stands_with_the_others(hall, visitor):
    page = await visitor.open(hall.acme.admin, "/schedules")
    ready = page.get_by_role("table", name="Ready-made")
    await ready.get_by_role("link", name="nightly").wait_for()
    await ready.get_by_text("Every day, at 3:00 AM").wait_for()
    await ready.get_by_role("switch").press("Space")
    await expect(ready).to_have_count(0)
    table = page.get_by_role("table", name="Schedules")
    await table.get_by_role("link", name="Every day, at 3:00 AM").click()
    await page.get_by_role("button", name="Run now").wait_for()
    await expect(page.get_by_role("button", name="Delete")).to_have_count(0)
    (made,) = (await hall.acme.admin.get("/api/schedules")).json()["items"]
    assert (made["enabled"], made["owner"]["id"]) == (True, hall.acme.admin.user_id)


HEADINGS = {"nl": "Nieuwe planning", "es": "Nueva programación", "is": "Ný tímaáætlun"}


@pytest.mark.parametrize(
    "locale", ["is", *(pytest.param(one, marks=pytest.mark.long_form) for one in ("nl", "es"))]
)
async def test_the_form_and_the_list_speak_the_languages_of_the_console(hall, visitor, locale):
    admin = hall.acme.admin
    await schedule_of(admin)
    await admin.call("POST", "/api/profile", {"locale": locale})
    page = await visitor.open(admin, "/schedules/new", viewport=PHONE)
    await page.get_by_role("heading", name=HEADINGS[locale], level=1).wait_for()
    for path in ("/schedules/new", "/schedules"):
        await go(page, path)
        assert "schedules." not in await page.locator("main").inner_text()
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
