"""What others are given to do it with, once more by keyboard alone: no pointer touches a page here."""

import json
import re

import pytest
from playwright.async_api import expect

from builtin_plugins.beta.signup.challenge import solve
from tests.console.keyboard import Keyboard, button
from tests.console.toys import SPEC, Toys
from tests.console.visitor import REFUSED, settled, visiting

pytestmark = pytest.mark.hall_databases("sqlite")
#: What a browser without a graphics card says of WebGL.
SOFTWARE = ["GL Driver Message", "WebGL"]


@pytest.mark.long_form
async def test_a_workflow_is_published_and_run_a_trigger_made_and_the_graph_walked(open_hall, open_page):
    async with visiting(open_hall(Toys().plugin()), open_page) as (hall, visitor):
        await publish_run_and_walk(hall, visitor)


async def publish_run_and_walk(hall, visitor):
    page = await visitor.open(hall.acme.admin, allowed=[REFUSED, *SOFTWARE])
    keys = Keyboard(page)
    await settled(page)
    await keys.go("w", "Workflows")
    await keys.use(button(page, "New workflow").first)
    await keys.reach(page.get_by_role("textbox", name="Source"))
    await keys.press("ControlOrMeta+a")
    await page.keyboard.insert_text(json.dumps({**SPEC, "start": "nowhere"}, indent=1))
    await keys.use(button(page, "Publish"))
    await keys.use(page.get_by_role("button", name=re.compile(r"^Line \d+$")).first)
    await keys.arrived(page.get_by_role("textbox", name="Source"))
    await keys.press("ControlOrMeta+a")
    await page.keyboard.insert_text(json.dumps(SPEC, indent=1))
    await keys.use(button(page, "Publish"))
    await keys.arrived(page.get_by_role("heading", name="Say words", level=1))
    await keys.use(button(page, "Run"))
    await keys.fill(page.get_by_label("words"), "one")
    await keys.use(button(page, "Run"))
    await page.wait_for_url("**/runs/*")
    await keys.check_focus()
    await hall.drain_jobs()
    await keys.use(page.get_by_role("list", name="Steps taken").get_by_role("button", name="each"))
    await page.get_by_role("region", name="Step each").wait_for()
    await keys.use(button(page, "Run again"))
    await keys.check_focus()

    await keys.go("e", "Triggers")
    await keys.use(button(page, "New trigger").first)
    await keys.choose(page.get_by_role("button", name="Workflow to start"), "Say words")
    await keys.fill(page.get_by_label("Keys that begin with"), "inbox/")
    await keys.fill(page.get_by_role("textbox", name="words"), "hello")
    await keys.press("Tab")
    await keys.use(button(page, "Create trigger"))
    await keys.arrived(page.get_by_role("heading", name="Trigger for inbox/", level=1))
    await keys.use(page.get_by_role("switch"), "Space")
    await page.get_by_text("Off", exact=True).wait_for()
    await keys.check_focus()
    await keys.use(button(page, "Delete"))
    await keys.arrived(page.get_by_role("dialog").get_by_role("textbox"))
    await keys.write(SPEC["slug"])
    await keys.press("Enter")
    await page.get_by_text("A trigger starts a workflow when a file arrives.").wait_for()
    await keys.check_focus()

    harbour = "Anna Jansen works for Acme Shipping. Acme Shipping sails from Rotterdam."
    await hall.acme.member.post("/api/documents", {"title": "Harbour", "body": harbour, "visibility": "team"})
    await page.keyboard.press("g")
    await page.keyboard.press("k")
    search = page.get_by_label("Search people, places and things")
    await keys.arrived(search)
    await keys.use(button(page, "Read from documents"))
    await hall.drain_jobs()
    await page.get_by_text("1 document read").wait_for()
    await keys.fill(search, "shipping")
    await page.wait_for_url("**?q=shipping")
    await settled(page)
    await keys.reach(page.get_by_role("listbox"))
    await keys.press("j", "k", "Enter")
    await page.get_by_role("heading", name="Acme Shipping", level=1).wait_for()
    await keys.check_focus()
    if await button(page, "As a table").count():
        await keys.use(button(page, "As a table"))
    table = page.get_by_role("table", name="Things")
    await keys.use(table.get_by_role("link", name="Anna Jansen"))
    await keys.arrived(page.get_by_role("heading", name="Anna Jansen", level=1))
    await keys.use(button(page, "Merge"))
    await keys.arrived(search)
    await keys.write("Rotterdam")
    await keys.use(page.get_by_role("checkbox", name="Rotterdam"), "Space")
    await keys.use(button(page, "Merge 1"))
    await keys.use(page.get_by_role("button", name="Take out again: Rotterdam"))
    await page.get_by_role("heading", name="Merged here").wait_for(state="detached")
    await keys.check_focus()


@pytest.mark.long_form
async def test_a_member_is_added_changed_and_removed(hall, visitor):
    page = await visitor.open(hall.acme.owner)
    keys = Keyboard(page)
    await settled(page)
    dialog = page.get_by_role("dialog")
    await keys.go("m", "Members")
    await keys.use(button(page, "Add a member"))
    await keys.arrived(dialog.get_by_label("Username"))
    await keys.write("grace")
    await keys.press("Enter")
    await page.get_by_label("Link to choose a password").wait_for()
    await keys.use(button(dialog, "Close").last)
    await keys.arrived(button(page, "Add a member"))
    await keys.choose(page.get_by_role("button", name="Role of grace"), "Viewer")
    await page.get_by_text("grace is now").wait_for()
    await keys.check_focus()
    await keys.use(button(page, "Remove: grace"))
    await keys.arrived(dialog.get_by_role("textbox"))
    await keys.write("grace")
    await keys.press("Enter")
    await page.get_by_role("cell", name="grace", exact=True).wait_for(state="detached")
    await keys.check_focus()


@pytest.mark.long_form
async def test_what_opens_a_team_to_programs_and_its_switches_are_used(hall, visitor):
    page = await visitor.open(hall.acme.owner)
    keys = Keyboard(page)
    await settled(page)
    dialog = page.get_by_role("dialog")
    await keys.command("API tokens")
    await keys.use(button(page, "New token").first)
    await keys.arrived(dialog.get_by_label("What it is for"))
    await keys.write("nightly export")
    await keys.use(dialog.get_by_role("checkbox", name="Everything you may"), "Space")
    await keys.use(dialog.get_by_role("checkbox", name="Read notes"), "Space")
    await keys.use(button(dialog, "Create token"))
    await page.get_by_label("Token", exact=True).wait_for()
    await keys.use(button(dialog, "Close"))
    await keys.use(button(page, "Revoke: nightly export"))
    await keys.use(button(dialog, "Revoke"))
    await page.get_by_text("No token yet.").wait_for()
    await keys.check_focus()

    await keys.command("S3 keys")
    await keys.use(button(page, "New access key").first)
    await keys.use(button(dialog, "Create access key"))
    await page.get_by_label("Secret").first.wait_for()
    await keys.check_focus()
    await keys.use(button(dialog, "Close").last)
    await keys.check_focus()
    await keys.use(page.get_by_role("button", name=re.compile("^Revoke: ")))
    await keys.use(button(dialog, "Revoke"))
    await page.get_by_role("button", name=re.compile("^Revoke: ")).wait_for(state="detached")
    await keys.check_focus()

    await keys.command("Features")
    await keys.use(page.get_by_role("switch", name="Chat", exact=True), "Space")
    await page.get_by_text("Turned off by").wait_for()
    await keys.check_focus()


@pytest.mark.long_form
async def test_a_company_is_run(hall, visitor):
    page = await visitor.open(hall.acme.org_owner)
    keys = Keyboard(page)
    await settled(page)
    dialog = page.get_by_role("dialog")
    await page.keyboard.press("g")
    await page.keyboard.press("o")
    await keys.use(page.get_by_role("link", name="Teams", exact=True))
    await keys.use(button(page, "New team"))
    await keys.arrived(dialog.get_by_label("Team name"))
    await keys.write("Harbour")
    await keys.press("Enter")
    await page.get_by_role("cell", name="Harbour", exact=True).wait_for()
    await keys.arrived(button(page, "New team"))
    await keys.use(page.get_by_role("link", name="People", exact=True))
    await keys.choose(
        page.get_by_role("button", name="Role of acme-colleague in the company"), "Company reader"
    )
    await page.get_by_text("acme-colleague is now: Company reader").wait_for()
    await keys.check_focus()
    await keys.use(page.get_by_role("link", name="Branding", exact=True))
    await keys.fill(page.get_by_label("Title"), "Acme Works")
    await keys.use(page.get_by_role("radio", name="Light"), "ArrowRight")
    await keys.press("ArrowLeft")
    await keys.fill(page.get_by_label("Accent as hex", exact=True), "#7a1f5c")
    await keys.reach(page.get_by_role("slider"))
    await keys.press("ArrowRight")
    await keys.use(button(page, "Save changes"))
    await page.get_by_text("Saved", exact=True).wait_for()
    await keys.check_focus()
    await keys.use(page.get_by_role("button", name="Back to the instance"))
    await keys.arrived(dialog.get_by_role("textbox"))
    await keys.write("Acme")
    await keys.press("Enter")
    await expect(page.get_by_label("Title")).to_have_value("Guildhall")
    await keys.check_focus()


@pytest.mark.long_form
async def test_a_company_is_made_limited_suspended_and_let_in_again(hall, visitor):
    page = await visitor.open(hall.operator, allowed=[REFUSED])
    keys = Keyboard(page)
    await settled(page)
    dialog = page.get_by_role("dialog")
    await page.keyboard.press("g")
    await page.keyboard.press("i")
    await keys.use(page.get_by_role("link", name="Companies", exact=True))
    await settled(page)
    await keys.use(button(page, "New company"))
    await keys.arrived(page.get_by_label("Company name"))
    await keys.write("Analytical Engines")
    await keys.fill(page.get_by_label("Username"), "ada.lovelace")
    await keys.press("Enter")
    await page.get_by_role("heading", name="Analytical Engines created").wait_for()
    await keys.check_focus()
    await keys.use(button(page, "Open company"))
    await keys.arrived(page.get_by_role("heading", name="Analytical Engines", level=1))
    await keys.use(button(page, "Edit: AI requests, a day"))
    await keys.arrived(dialog.get_by_role("textbox", name="Limit"))
    await keys.rewrite("12")
    await keys.press("Enter")
    await dialog.wait_for(state="detached")
    await keys.check_focus()
    await keys.use(button(page, "Suspend"))
    await keys.arrived(dialog.get_by_role("textbox"))
    await keys.write("Analytical Engines")
    await keys.press("Enter")
    await dialog.wait_for(state="detached")
    await keys.check_focus()
    await keys.use(button(page, "Resume"))
    await button(page, "Suspend").wait_for()
    await keys.check_focus()


@pytest.mark.long_form
async def test_plugins_and_their_pages_are_used(hall, visitor):
    page = await visitor.open(hall.operator, allowed=[REFUSED])
    keys = Keyboard(page)
    await settled(page)
    await page.keyboard.press("g")
    await page.keyboard.press("i")
    await keys.use(page.get_by_role("link", name="Plugins", exact=True))
    switch = page.get_by_role("row", name="Integrator demo").get_by_role("switch")
    await keys.use(switch, "Space")
    await expect(switch).not_to_be_checked()
    await keys.press("Space")
    await expect(switch).to_be_checked()

    await keys.command("Shipping lanes")
    estimate = page.get_by_role("region", name="Estimate a shipment")
    await keys.fill(estimate.get_by_label("Lane"), "hamburg-shanghai")
    await keys.press("Enter")
    await expect(estimate.get_by_role("status")).to_contain_text("32")
    await keys.check_focus()
    await keys.command("Example tools")
    frame = page.frame_locator("iframe")
    # In a frame that has nothing yet, Tab leads past it.
    await frame.locator("button, input, textarea").first.wait_for()
    await keys.reach(page.locator("iframe"))
    await page.keyboard.press("Tab")
    await expect(frame.locator(":focus")).to_have_count(1)


async def sign_up(hall, email):
    """Signs somebody up by whatever the form asks."""
    answers = {}
    for field in (await hall.operator.get("/api/beta/experience")).json()["fields"]:
        answers[field["name"]] = field["options"][0] if field["type"] == "select" else email
    challenge = (await hall.anonymous.get("/api/beta/challenge")).json()
    signup = {"fields": answers, "challenge": solve(challenge)}
    assert (await hall.anonymous.post("/api/beta/signup", signup)).status_code == 201


@pytest.mark.long_form
async def test_a_beta_page_is_changed_and_somebody_accepted_and_erased(hall, visitor):
    page = await visitor.open(hall.operator)
    keys = Keyboard(page)
    await settled(page)
    await keys.command("Beta program")
    await keys.use(page.get_by_role("link", name="Beta page", exact=True))
    title = page.get_by_label("Title", exact=True)
    await keys.fill(title, "Ships on time")
    await keys.use(button(page, "Add field"))
    await keys.check_focus()
    up = page.get_by_role("button", name="Move New question up")
    await keys.use(up)
    await keys.arrived(up)
    await keys.press("Enter")
    await keys.arrived(up)
    await keys.use(button(page, "Remove New question"))
    await up.wait_for(state="detached")
    await keys.check_focus()
    await keys.press("ControlOrMeta+s")
    await page.get_by_text("Saved", exact=True).wait_for()
    await keys.use(button(page, "Publish"))
    await page.get_by_text("Published as version 1").wait_for()
    await keys.check_focus()
    await sign_up(hall, "ann.baker@example.com")
    await keys.reach(page.get_by_role("link", name="Prospects", exact=True), "Shift+Tab")
    await keys.press("Enter")
    await keys.use(page.get_by_role("listbox"))
    await keys.use(button(page, "Accept"))
    dialog = page.get_by_role("dialog")
    await keys.arrived(dialog.get_by_label("Username"))
    await keys.press("Escape")
    await dialog.wait_for(state="detached")
    await keys.check_focus()
    await keys.use(button(page, "Erase"))
    await keys.arrived(dialog.get_by_role("textbox"))
    await keys.write("ann.baker@example.com")
    await keys.press("Enter")
    await page.get_by_text("Nobody has signed up yet").wait_for()
    await keys.check_focus()
