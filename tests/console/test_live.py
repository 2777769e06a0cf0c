"""Lists of the console that live by events: what others change is there without a reload."""

import json

import pytest
from playwright.async_api import expect

from tests.console.visitor import go

pytestmark = pytest.mark.hall_databases("sqlite")


async def show(page, path, *lists):
    """Goes to a screen and waits until its lists are followed."""
    async with page.expect_response(
        lambda answer: "/api/ui/events" in answer.url and all(each in answer.url for each in lists)
    ):
        await go(page, path)


async def test_what_others_change_comes_without_a_reload(hall, visitor):
    owner, admin = hall.acme.owner, hall.acme.admin
    page = await visitor.open(owner)
    await show(page, "/files", "repo")
    await hall.acme.member.request("PUT", "/api/repo/plan.md", content=b"# Plan")
    await page.get_by_text("plan.md").first.wait_for()

    await show(page, "/members", "members")
    await admin.call("POST", "/api/members", {"username": "grace", "role": "member"})
    await page.get_by_role("cell", name="grace").first.wait_for()
    _, listed = await admin.call("GET", "/api/members")
    grace = next(one["user_id"] for one in listed["items"] if one["username"] == "grace")
    await admin.call("DELETE", f"/api/members/{grace}")
    await expect(page.get_by_role("cell", name="grace")).to_have_count(0)

    await show(page, "/jobs", "jobs")
    body = {"kind": "x.integrator-demo.lane-report", "payload": {"lane": "one"}}
    _, job = await owner.call("POST", "/api/jobs", body)
    row = page.get_by_role("option").first
    await expect(row).to_contain_text("queued", ignore_case=True)
    await owner.call("POST", f"/api/jobs/{job['id']}/cancel")
    await expect(row).to_contain_text("cancelled", ignore_case=True)

    spec = {"slug": "count", "name": "Count words", "inputs": {}, "start": "one"}
    spec["steps"] = [{"name": "one", "kind": "tool", "tool": "word_count", "with": {"id": "x"}, "end": True}]
    await admin.call("POST", "/api/workflows", spec)
    await show(page, "/runs", "runs")
    await admin.call("POST", "/api/workflows/count/run", {"input": {}})
    row = page.get_by_role("option").first
    await expect(row).to_contain_text("Count words")
    await hall.drain_jobs()
    await expect(row).to_contain_text("failed", ignore_case=True)

    member = hall.acme.member
    _, trigger = await admin.call(
        "POST", "/api/doc-triggers", {"workflow_slug": "count", "match_prefix": "inbox/"}
    )
    await show(page, f"/triggers/{trigger['id']}", "doc-triggers")
    await member.request("PUT", "/api/repo/inbox/one.txt", content=b"words")
    await hall.drain_jobs()
    await page.get_by_role("link", name="inbox/one.txt").wait_for()

    # How far one's own job is comes by its events, until it ends.
    _, job = await owner.call("POST", "/api/jobs", body)
    async with page.expect_response(f"**/api/jobs/{job['id']}/events"):
        await go(page, f"/jobs/{job['id']}")
    await owner.call("POST", f"/api/jobs/{job['id']}/cancel")
    await expect(page.get_by_role("region").get_by_text("cancelled", exact=False).first).to_be_visible()

    # Who comes back to the page sees what was missed meanwhile.
    await show(page, "/notes", "notes")
    hide = (
        "state => { Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });"
    )
    hide += " document.dispatchEvent(new Event('visibilitychange')); }"
    await page.evaluate(hide, "hidden")
    await hall.acme.member.call("POST", "/api/notes", {"title": "While you were away", "visibility": "team"})
    async with page.expect_response(lambda answer: "/api/ui/events" in answer.url):
        await page.evaluate(hide, "visible")
    await page.get_by_text("While you were away").first.wait_for()


@pytest.mark.long_form
async def test_a_folder_that_is_being_moved_is_found_again_by_a_page_that_was_loaded_anew(hall, visitor):
    member = hall.acme.member
    for number in range(3):
        await member.request("PUT", f"/api/repo/old/{number}.txt", content=b"text")
    _, job = await member.call("POST", "/api/repo-folders/move", {"from": "old/", "to": "new/"})
    await hall.drain_jobs()
    # It is over already: what a page is told that looks for it is how it was before.
    page, running = await visitor.open(member, "/notes"), {**job, "state": "running", "progress": 0.5}
    listed = json.dumps({"items": [running], "next_cursor": None})
    await page.route("**/api/jobs?*state=running*", lambda route: answer(route, listed))
    await page.route(f"**/api/jobs/{job['id']}", lambda route: answer(route, json.dumps(running)))
    await go(page, "/files")
    moves = page.get_by_role("list", name="Folders that are being moved")
    await moves.get_by_text("Moving old/ to new/").wait_for()
    await page.unroute(f"**/api/jobs/{job['id']}")
    await page.get_by_text("Moved folder old with 3 files").wait_for()
    await expect(moves).to_have_count(0)


async def answer(route, body):
    await route.fulfill(body=body, content_type="application/json")
