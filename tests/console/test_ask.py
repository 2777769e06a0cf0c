"""Asking about something, what an answer rests on and what it makes, and the models that one chooses from."""

import re

import pytest
from playwright.async_api import expect

from tests.console.test_chat import ask
from tests.console.visitor import serious_violations, settled, visiting

pytestmark = pytest.mark.hall_databases("sqlite")

# Passages are of some hundred words: what is asked for stands in the later ones.
MANY = "Each berth has a number and a keeper who writes down what comes and goes. " * 40
ICE = "In January the northern berths freeze over, and nobody moors there until spring. " * 40
NOTE = f"# Berths\n\n{MANY}\n\n## Winter\n\n{ICE}\n"
MADE = """Here:

```mermaid
graph TD
  Harbour --> Berth
```

| Ship | Fee |
|---|---|
| Anna | 90 |

```html
<p onclick="alert(1)">Hello</p><script>alert(1)</script><img src="https://spy.example/x.png">
```
"""


@pytest.fixture
async def modelled(open_hall, open_page):
    async with visiting(open_hall(with_model=True), open_page) as (hall, visitor):
        yield hall, visitor


async def test_a_note_is_asked_about_and_its_citation_opens_at_the_heading(modelled):
    hall, visitor = modelled
    made = await hall.acme.colleague.post(
        "/api/notes", {"title": "Berths", "body": NOTE, "visibility": "team"}
    )
    await hall.acme.member.post(
        "/api/notes", {"title": "Other", "body": "The northern berths freeze in May."}
    )
    await hall.drain_jobs()
    page = await visitor.open(hall.acme.member, f"/notes/{made.json()['id']}")
    await page.get_by_role("button", name="More actions: Berths").click()
    await page.get_by_role("menuitem", name="Ask about it").click()
    await page.wait_for_url("**/chat?source=note*")
    sources = page.get_by_role("list", name="Sources")
    await expect(sources.get_by_role("listitem")).to_have_text(["Berths"])
    # The first is where one section ends and the other begins.
    hall.model.say("In January the northern berths freeze over [2].")
    await ask(page, "When do the northern berths freeze over?")
    answer = page.get_by_role("region", name="Answer")
    cited = answer.get_by_role("list", name="Sources")
    await expect(cited.get_by_role("listitem")).to_have_count(1)
    await cited.get_by_text("Berths").first.click()
    await expect(cited.locator("blockquote")).to_contain_text("freeze over")
    assert await serious_violations(page) == []
    way = cited.get_by_role("link", name="Open the passage")
    await expect(way).to_have_attribute("href", re.compile("^/notes/.*heading=Winter"))
    await way.click()
    await expect(page.locator("[data-passage]")).to_have_text("Winter")


@pytest.mark.long_form
async def test_a_folder_and_a_file_are_asked_about(modelled):
    hall, visitor = modelled
    member = hall.acme.member
    content = {
        "content": b"fees\nA berth costs ninety guilders.\n",
        "headers": {"Content-Type": "text/plain"},
    }
    stored = (await member.request("PUT", "/api/repo/harbour/fees.txt", **content)).json()
    await hall.drain_jobs()
    page = await visitor.open(member, "/chat?source=folder:harbour/")
    await expect(page.get_by_role("list", name="Sources")).to_have_text("harbour/")
    hall.model.say("A berth costs ninety guilders [1].")
    await ask(page, "What does a berth cost in guilders?")
    cited = page.get_by_role("region", name="Answer").get_by_role("list", name="Sources")
    await cited.get_by_text("fees.txt").first.click()
    await cited.get_by_role("link", name="Open the passage").click()
    await page.wait_for_url(f"**/files/{stored['id']}?version=1*")
    await page.get_by_role("button", name="Ask about it").click()
    await expect(page.get_by_role("list", name="Sources")).to_have_text("harbour/fees.txt")
    await page.get_by_role("button", name="Remove harbour/fees.txt").click()
    await expect(page.get_by_role("list", name="Sources")).to_have_count(0)


async def test_what_an_answer_makes_is_looked_at_beside_it_and_can_do_nothing(modelled):
    hall, visitor = modelled
    # What the frame asks for is refused, which a browser complains of.
    page = await visitor.open(hall.acme.member, "/chat", allowed=["connect-src", "Content Security Policy"])
    hall.model.say(MADE)
    await ask(page, "Draw it")
    made = page.get_by_role("group", name="Made by this answer")
    await expect(made.get_by_role("button")).to_have_text(["Diagram", "Table", "Web page"])
    await made.get_by_role("button", name="Diagram").click()
    panel = page.get_by_role("complementary", name="Diagram")
    drawing = panel.frame_locator("iframe")
    await drawing.locator("svg").wait_for()
    await expect(drawing.locator("svg")).to_contain_text("Berth")
    frame = await (await panel.locator("iframe").element_handle()).content_frame()
    assert await frame.evaluate("self.origin") == "null"
    reached = "fetch('/api/instance').then(() => 'reached', () => 'refused')"
    assert await frame.evaluate(reached) == "refused"
    await made.get_by_role("button", name="Table").click()
    await expect(page.get_by_role("complementary", name="Table").get_by_role("cell")).to_have_text(
        ["Anna", "90"]
    )
    await made.get_by_role("button", name="Web page").click()
    framed = page.get_by_role("complementary", name="Web page").frame_locator("iframe")
    await expect(framed.get_by_text("Hello")).to_be_visible()
    assert await framed.locator("script, [onclick], img[src]").count() == 0
    await page.get_by_role("complementary").get_by_role("button", name="Close").click()
    await expect(page.get_by_role("complementary", name="Web page")).to_have_count(0)


async def test_a_model_is_named_for_members_who_then_choose_it(modelled):
    hall, visitor = modelled
    await hall.acme.org_owner.post("/api/org/executors", {"name": "ours", "mode": "pull"})
    page = await visitor.open(hall.acme.org_owner, "/company/models")
    await page.get_by_role("button", name="Name a model").first.click()
    form = page.get_by_role("dialog")
    await form.get_by_label("Name", exact=True).fill("quick")
    await form.get_by_label("What people see").fill("Quick one")
    await form.get_by_role("button", name="Runs on").click()
    await page.get_by_role("option", name="ours").click()
    await form.get_by_text("Member", exact=True).click()
    await form.get_by_label("Currency").fill("eur")
    await form.get_by_label("A million tokens read").fill("0,5")
    await form.get_by_label("A million tokens written").fill("2")
    await form.get_by_role("button", name="Save").click()
    row = page.get_by_role("row").filter(has_text="Quick one")
    await expect(row).to_contain_text("1 role, team or person")
    await expect(row).to_contain_text("0.5 / 2 EUR")
    assert await serious_violations(page) == []
    [usable] = [
        one for one in (await hall.acme.member.get("/api/models")).json()["items"] if one["name"] == "quick"
    ]
    assert usable["price"] == {"currency": "EUR", "input_per_million": 0.5, "output_per_million": 2}
    names = [one["name"] for one in (await hall.acme.admin.get("/api/models")).json()["items"]]
    assert "quick" not in names
    await row.get_by_role("button", name="Delete: Quick one").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(row).to_have_count(0)
    await settled(page)
