"""Home: what waits for somebody themselves, each thing once, and what they can begin."""

import pytest
from playwright.async_api import expect

from tests.console.toys import SPEC, Toys
from tests.console.visitor import serious_violations_in_both_modes, settled, visiting

pytestmark = pytest.mark.hall_databases("sqlite")
RUN = f"/api/workflows/{SPEC['slug']}/run"


async def fail(hall, client, word):
    answer = await client.post(RUN, {"input": {"words": [word]}})
    assert answer.status_code == 202, answer.text
    await hall.drain_jobs()


async def test_ones_own_failures_alike_are_one_line_that_is_dismissed_until_it_fails_again(
    open_hall, open_page
):
    toys = Toys()
    toys.fail_at = "never"
    async with visiting(open_hall(toys.plugin()), open_page) as (hall, visitor):
        member, colleague = hall.acme.member, hall.acme.colleague
        assert (await hall.acme.admin.post("/api/workflows", SPEC)).status_code == 201
        for client in (member, colleague, member):
            await fail(hall, client, "never")
        page = await visitor.open(member)
        await settled(page)
        waiting = page.get_by_role("region", name="Waiting for you")
        await expect(waiting.get_by_role("listitem")).to_have_count(1)
        await expect(waiting).to_contain_text("2 runs of say-words failed")
        assert await serious_violations_in_both_modes(page) == []

        dismiss = waiting.get_by_role("button", name="Dismiss: 2 runs of say-words failed")
        await dismiss.click()
        await page.get_by_text("Nothing waits for you.").wait_for()
        await page.get_by_role("button", name="Undo").click()
        await dismiss.click()
        await page.reload()
        await page.get_by_text("Nothing waits for you.").wait_for()
        await settled(page)
        await expect(waiting.get_by_role("listitem")).to_have_count(0)
        hall.clock.advance(seconds=60)
        await fail(hall, member, "never")
        await page.reload()
        await expect(waiting).to_contain_text("A run of say-words failed")


@pytest.mark.long_form
async def test_what_was_uploaded_together_is_one_line_and_work_can_still_be_begun(hall, visitor):
    member = hall.acme.member
    for number in range(6):
        await member.request("PUT", f"/api/repo/in/{number}.txt", content=b"text")
    hall.clock.advance(hours=1)
    for title in ("One", "Two", "Three", "Four"):
        await member.post("/api/notes", {"title": title, "body": "text"})
    page = await visitor.open(member)
    recent = page.get_by_role("region", name="Recent work")
    await expect(recent.get_by_role("listitem")).to_have_count(5)
    await recent.get_by_role("link", name="6 files in in/").click()
    await page.get_by_role("heading", name="in", level=1).wait_for()
    await page.go_back()
    await page.get_by_role("link", name="Write a note").click()
    await page.get_by_label("Title").wait_for()


async def test_why_a_run_failed_is_told_without_pointers_and_deeds_in_a_row_in_one_line(hall, visitor):
    spec = {"slug": "count", "name": "Count", "inputs": {}, "start": "one"}
    spec["steps"] = [
        {"name": "one", "kind": "tool", "tool": "word_count", "with": {"id": "obj_1"}, "end": True}
    ]
    admin = hall.acme.admin
    assert (await admin.post("/api/workflows", spec)).status_code == 201
    assert (await admin.post("/api/workflows/count/run", {"input": {}})).status_code == 202
    await hall.drain_jobs()
    for number in range(12):
        await admin.request("PUT", f"/api/repo/in/{number}.txt", content=b"text")
    page = await visitor.open(admin)
    done = page.get_by_role("region", name="Who did what")
    await expect(done.get_by_text("File added · 12 times")).to_have_count(1)
    await expect(done.get_by_text("File added")).to_have_count(1)
    waiting = page.get_by_role("region", name="Waiting for you")
    await expect(waiting).to_contain_text("Fill in “Text”")
    await expect(waiting).not_to_contain_text("/text")
    await waiting.get_by_role("link").click()
    await page.get_by_text("Fill in “Text”").first.wait_for()
    await expect(page.get_by_text("/text: is required")).to_have_count(0)


async def test_what_was_shared_waits_and_what_others_did_is_news(hall, visitor):
    member, colleague = hall.acme.member, hall.acme.colleague
    await member.call("POST", "/api/notes", {"title": "My own", "body": "text"})
    for title, visibility in (("For you", "private"), ("For all", "team")):
        fields = {"title": title, "body": "text", "visibility": visibility}
        _, note = await colleague.call("POST", "/api/notes", fields)
        if visibility == "private":
            grant = {"user_id": member.user_id, "permission": "notes:read"}
            await colleague.call("POST", f"/api/notes/{note['id']}/share", grant)
    page = await visitor.open(member)
    await settled(page)
    shared = page.get_by_role("region", name="Shared with you")
    await shared.get_by_role("link", name="For you").wait_for()
    await expect(page.get_by_role("region", name="Recent work").get_by_role("listitem")).to_have_count(1)
    await page.get_by_role("region", name="New in the team").get_by_role("link", name="For all").wait_for()
    await shared.get_by_role("button", name="Dismiss: For you").click()
    await page.get_by_text("Nothing waits for you.").wait_for()
