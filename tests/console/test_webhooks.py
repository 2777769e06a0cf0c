"""Webhooks and secrets at the console: made, shown once, tried, looked at, sent again and deleted."""

import asyncio
import json

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.console.toys import SPEC, Toys
from tests.console.visitor import REFUSED, go, serious_violations_in_both_modes
from tests.told_server import ToldServer

pytestmark = pytest.mark.hall_databases("sqlite")
SLUG = SPEC["slug"]


@pytest_asyncio.fixture(loop_scope="session")
async def hall(open_hall):
    async with open_hall(Toys().plugin(), SERVICE_ORG_PRIVATE_ENDPOINTS="on") as opened:
        await opened.acme.admin.call("POST", "/api/workflows", SPEC)
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def receiver():
    told = ToldServer()
    await told.start()
    yield told
    await told.stop()


async def test_events_are_sent_to_an_address_and_each_delivery_is_seen(hall, visitor, receiver):
    admin = hall.acme.admin
    page = await visitor.open(admin, "/webhooks")
    await page.get_by_text("No webhooks yet.").wait_for()
    await page.get_by_role("button", name="Add webhook").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Address").fill(f"{receiver.url}/in")
    await dialog.get_by_text("note.changed", exact=True).click()
    assert await serious_violations_in_both_modes(page) == []
    await dialog.get_by_role("button", name="Add webhook").click()
    secret = await dialog.get_by_label("Secret").input_value()
    assert secret.startswith("whsec_")
    await dialog.get_by_role("button", name="Close").click()
    await page.get_by_role("link", name=f"{receiver.url}/in").click()
    await page.get_by_role("heading", name=f"{receiver.url}/in", level=1).wait_for()
    await page.get_by_role("button", name="Send a test").click()
    await page.get_by_text("A test is on its way").wait_for()
    await hall.drain_jobs()
    await page.get_by_role("button", name="Refresh").click()
    await page.get_by_text("Delivered").first.wait_for()
    await page.get_by_role("button", name="webhook.test", exact=True).click()
    await page.get_by_role("region", name="Sent").get_by_text('"type":"webhook.test"').wait_for()
    assert await serious_violations_in_both_modes(page) == []
    await page.get_by_role("button", name="Send again").first.click()
    async with asyncio.timeout(60):
        while len(receiver.requests) < 2:
            await hall.drain_jobs()
    assert receiver.requests[0][1]["webhook-id"] == receiver.requests[1][1]["webhook-id"]
    await page.get_by_role("button", name="Delete").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await page.get_by_text("No webhooks yet.").wait_for()


@pytest.mark.long_form
async def test_messages_start_a_workflow_and_what_came_in_runs_again(hall, visitor):
    admin = hall.acme.admin
    page = await visitor.open(admin, "/webhooks")
    await page.get_by_role("button", name="Add address").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Workflow").click()
    await page.get_by_role("option", name="Say words").click()
    await dialog.get_by_label("Signed by").click()
    await page.get_by_role("option", name="Nobody").click()
    await dialog.get_by_role("button", name="Add address").click()
    url = await dialog.get_by_label("Address").input_value()
    await dialog.get_by_role("button", name="Close").click()
    path = "/hooks/" + url.rpartition("/hooks/")[2]
    sent = await hall.anonymous.post(path, {"words": ["tar"]})
    assert sent.status_code == 202, sent.text
    await page.get_by_role("link", name=SLUG).first.click()
    await page.get_by_role("heading", name=SLUG, level=1).wait_for()
    await page.get_by_text("Started").first.wait_for()
    assert await serious_violations_in_both_modes(page) == []
    await page.get_by_role("button", name="Open").first.click()
    await page.get_by_role("region", name="Sent").get_by_text('"tar"').wait_for()
    await page.get_by_role("button", name="Run again").click()
    await expect(page.get_by_text("Started")).to_have_count(2)
    (hook,) = (await admin.get("/api/hooks-in")).json()["items"]
    items = (await admin.get(f"/api/hooks-in/{hook['id']}/deliveries")).json()["items"]
    first, again = sorted(items, key=lambda one: one["replay_of"] is not None)
    assert (first["replay_of"], again["replay_of"]) == (None, first["id"])
    assert json.loads(again["body"]) == {"words": ["tar"]}


async def test_a_secret_is_stored_replaced_and_deleted_and_never_shown(hall, visitor):
    admin = hall.acme.admin
    page = await visitor.open(admin, "/secrets", allowed=[REFUSED])
    await page.get_by_role("button", name="Add secret").first.click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name").fill("no good name")
    await dialog.get_by_label("Value").fill("sk-very-secret")
    await dialog.get_by_role("button", name="Save").click()
    await dialog.get_by_text("takes 1 to 64 letters").first.wait_for()
    await dialog.get_by_label("Name").fill("weather-key")
    assert await serious_violations_in_both_modes(page) == []
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog).to_have_count(0)
    await page.get_by_text("weather-key").first.wait_for()
    assert "sk-very-secret" not in await page.content()
    await page.get_by_role("button", name="Replace: weather-key").click()
    await dialog.get_by_label("Value").fill("another")
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog).to_have_count(0)
    await page.get_by_role("button", name="Delete: weather-key").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await page.get_by_text("No secrets yet.").wait_for()
    await go(page, "/webhooks")
    assert (await admin.get("/api/team-secrets")).json()["items"] == []
