"""The knowledge graph: from a search to the passage and its document, drawn and as a table."""

import pytest
from playwright.async_api import expect

from tests.console.visitor import serious_violations_in_both_modes

pytestmark = pytest.mark.hall_databases("sqlite")

TEXT = "Anna Jansen works for Acme Shipping. Acme Shipping sails from Rotterdam."
#: What a browser without a graphics card says of WebGL.
SOFTWARE = ["GL Driver Message", "WebGL"]


@pytest.fixture
async def harbour(hall):
    """A document of the team that nobody has read yet."""
    fields = {"title": "Harbour", "body": TEXT, "visibility": "team"}
    return (await hall.acme.member.post("/api/documents", fields)).json()


async def test_from_reading_to_the_passage_in_its_document(hall, visitor, harbour):
    page = await visitor.open(hall.acme.member, "/knowledge", allowed=SOFTWARE)
    await page.get_by_text("shows here once they have been read").wait_for()
    await page.get_by_role("button", name="Read from documents").click()
    await hall.drain_jobs()
    await page.get_by_text("1 document read").wait_for()
    # It opens as a drawing of what matters most, without dates; by keyboard alone, from one to the next.
    drawing = page.get_by_role("group", name="The most connected")
    await drawing.get_by_role("link", name="Acme Shipping, Organization, related to 2 others").wait_for()
    first = drawing.locator("a[tabindex='0']")
    await first.focus()
    for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
        await page.keyboard.press(key)
    await expect(drawing.locator("a:focus")).to_have_count(1)
    assert await serious_violations_in_both_modes(page) == []
    await page.get_by_role("button", name="Person").click()
    await expect(drawing.get_by_role("link", name="Anna Jansen")).to_have_count(0)
    await page.get_by_role("button", name="Person").click()
    await page.get_by_role("button", name="As a list").click()
    await expect(page.get_by_role("option").first).to_contain_text("Related to 2")
    await page.get_by_role("button", name="As a drawing").click()
    await drawing.get_by_role("link", name="Anna Jansen").press("Enter")
    await page.get_by_role("heading", name="Anna Jansen", level=1).wait_for()
    await page.go_back()
    await page.get_by_label("Search people, places and things").fill("shipping")
    await page.wait_for_url("**/knowledge?q=shipping")
    await page.get_by_role("option", name="Acme Shipping").click()
    await page.get_by_role("heading", name="Acme Shipping", level=1).wait_for()

    passages = page.get_by_role("region", name="mention")
    await expect(passages).to_contain_text("sails from Rotterdam", use_inner_text=True)
    link = passages.get_by_role("link").first
    await expect(link).to_have_attribute("href", f"/files/{harbour['id']}")

    # One step away there are two; all of them stand in the table, with what relates them.
    await page.goto(page.url.split("?")[0] + "?view=table&depth=2")
    table = page.get_by_role("table", name="Things")
    await table.get_by_role("link", name="Rotterdam").wait_for()
    entity = page.url.split("/knowledge/")[1].split("?")[0]
    graph = (await hall.acme.member.get(f"/api/kg/entities/{entity}/graph?depth=2")).json()
    await expect(table.get_by_role("row")).to_have_count(len(graph["nodes"]) + 1)
    relations = page.get_by_role("region", name="What is around it").get_by_role("table", name="Relations")
    await expect(relations.get_by_role("row")).to_have_count(len(graph["edges"]) + 1)
    await table.get_by_role("link", name="Anna Jansen").click()
    await page.get_by_role("heading", name="Anna Jansen", level=1).wait_for()
    await page.go_back()
    await page.get_by_role("heading", name="Acme Shipping", level=1).wait_for()


@pytest.mark.long_form
async def test_twins_are_merged_and_taken_apart_and_readers_only_read(hall, visitor, harbour):
    text = "Anna Jansen met Acme Shipping Ltd in Rotterdam."
    await hall.acme.member.post("/api/documents", {"title": "Two", "body": text, "visibility": "team"})
    await hall.acme.member.post("/api/kg/extract", {})
    await hall.drain_jobs()
    items = (await hall.acme.member.get("/api/kg/entities?q=acme")).json()["items"]
    kept = next(one for one in items if one["name"] == "Acme Shipping")
    page = await visitor.open(hall.acme.member, f"/knowledge/{kept['id']}?view=table")
    await page.get_by_role("button", name="Merge").click()
    await page.get_by_label("Search people, places and things").fill("Jansen")
    await page.get_by_role("checkbox", name="Anna Jansen").press("Space")
    await page.get_by_role("button", name="Merge 1").click()
    await page.get_by_role("heading", name="Merged here").wait_for()
    await page.get_by_role("button", name="Undo").click()
    await page.get_by_role("heading", name="Merged here").wait_for(state="detached")

    reader = await visitor.open(hall.acme.viewer, "/knowledge?view=list")
    await reader.get_by_role("option", name="Acme Shipping").first.wait_for()
    assert await reader.get_by_role("button", name="Read from documents").count() == 0
    await reader.goto(f"{hall.base_url}/knowledge/{kept['id']}?view=table")
    await reader.get_by_role("heading", level=1).wait_for()
    assert await reader.get_by_role("button", name="Merge").count() == 0
