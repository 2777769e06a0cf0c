"""What stands around every screen: navigation, palette, help, and what is said when something is amiss."""

import asyncio

import pytest
from playwright.async_api import expect

from tests.console.keyboard import Keyboard
from tests.console.visitor import (
    PHONE,
    REFUSED,
    go,
    serious_violations,
    serious_violations_in_both_modes,
    settled,
    wait_until,
)

pytestmark = pytest.mark.hall_databases("sqlite")

AWAY = "net::ERR_(INTERNET_DISCONNECTED|NETWORK_CHANGED|CONNECTION_REFUSED)"


async def heading(page, name):
    await page.get_by_role("heading", name=name, level=1).wait_for()


async def test_the_palette_goes_does_and_finds_by_keyboard_alone(hall, visitor):
    note = await hall.acme.member.post("/api/notes", {"title": "Harbour dues", "body": "Paid at noon"})
    page = await visitor.open(hall.acme.member)
    await heading(page, "Good to see you")
    await page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Command palette")
    field = palette.get_by_role("combobox", name="Command palette")
    await field.wait_for()
    assert await serious_violations_in_both_modes(page) == []
    await page.keyboard.type("glos")
    await palette.get_by_role("option", name="Glossary").wait_for()
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/glossary")

    await page.keyboard.press("Meta+k")
    await field.wait_for()
    await page.keyboard.type("harbour")
    await palette.get_by_role("option", name="Harbour dues").wait_for()
    await page.keyboard.press("ArrowUp")  # from the first to the last, and back
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.wait_for_url(f"**/notes/{note.json()['id']}")

    await page.goto(hall.base_url + "/")
    await heading(page, "Good to see you")
    await page.keyboard.press("Control+k")
    await field.wait_for()
    await page.keyboard.type("dark")
    await palette.get_by_role("option", name="Switch to dark colours").wait_for()
    await page.keyboard.press("Enter")
    await palette.wait_for(state="detached")
    await expect(page.locator("html")).to_have_attribute("data-mode", "dark")
    assert await serious_violations(page) == []


# Enter follows the last letter at once: nothing has been drawn, and no timer has run, between the two.
TYPE_AND_ENTER = """async (field, text) => {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, text);
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  await null;
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
}"""


async def test_the_palette_takes_what_was_typed_whatever_the_search_finds_later(hall, visitor):
    await hall.acme.member.post("/api/notes", {"title": "Light harbour", "body": "No dark"})
    page = await visitor.open(hall.acme.member)
    await heading(page, "Good to see you")
    palette = page.get_by_role("dialog", name="Command palette")
    await page.keyboard.press("Control+k")
    await palette.get_by_role("combobox").evaluate(TYPE_AND_ENTER, "dark")
    await palette.wait_for(state="detached")
    await expect(page.locator("html")).to_have_attribute("data-mode", "dark")

    # What comes later does not take the place of what is selected.
    answering = asyncio.Event()

    async def hold(route):
        await answering.wait()
        await route.continue_()

    await page.route("**/api/search?*", hold)
    await page.keyboard.press("Control+k")
    await palette.get_by_role("combobox").fill("light")
    selected = palette.get_by_role("option", selected=True)
    await selected.get_by_text("Switch to light colours").wait_for()
    answering.set()
    await palette.get_by_role("option", name="Light harbour").wait_for()
    await expect(selected).to_have_count(1)
    await page.keyboard.press("Enter")
    await palette.wait_for(state="detached")
    await expect(page.locator("html")).to_have_attribute("data-mode", "light")


@pytest.mark.long_form
async def test_places_are_a_g_and_a_letter_away_and_the_help_says_so(hall, visitor):
    page = await visitor.open(hall.acme.member)
    await heading(page, "Good to see you")
    await page.keyboard.press("?")
    help_page = page.get_by_role("dialog", name="Keyboard shortcuts")
    await help_page.get_by_text("Knowledge graph").wait_for()
    assert await serious_violations_in_both_modes(page) == []
    await page.keyboard.press("Escape")
    await help_page.wait_for(state="detached")
    await page.keyboard.press("g")
    await page.keyboard.press("n")
    await heading(page, "Notes")
    await wait_until(page, "document.activeElement.tagName === 'H1'")
    await expect(page).to_have_title("Notes · Guildhall")


@pytest.mark.long_form
async def test_a_narrow_navigation_stays_narrow_and_still_has_names(hall, visitor):
    page = await visitor.open(hall.acme.member)
    await page.get_by_role("button", name="Collapse navigation").click()
    await page.reload()
    await page.get_by_role("button", name="Expand navigation").wait_for()
    assert (await page.locator("aside").bounding_box())["width"] == 56
    await page.get_by_role("link", name="Notes").click()
    await heading(page, "Notes")


async def test_a_phone_has_a_drawer_that_keeps_the_focus_and_gives_it_back(hall, visitor):
    page = await visitor.open(hall.acme.member, viewport=PHONE)
    opener = page.get_by_role("button", name="Expand navigation")
    await opener.click()
    drawer = page.get_by_role("dialog", name="Navigation")
    await drawer.get_by_role("link", name="Notes").wait_for()
    assert await serious_violations(page) == []
    for _ in range(30):
        await page.keyboard.press("Tab")
        assert await drawer.evaluate("(drawer) => drawer.contains(document.activeElement)")
    await page.keyboard.press("Escape")
    await drawer.wait_for(state="detached")
    await expect(opener).to_be_focused()
    await opener.click()
    await drawer.get_by_role("link", name="Notes").click()
    await heading(page, "Notes")
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.long_form
async def test_a_server_that_is_away_is_said_and_work_goes_on_when_it_is_back(hall, visitor):
    page = await visitor.open(hall.acme.member, allowed=[AWAY])
    await heading(page, "Good to see you")
    await page.context.set_offline(True)
    away = page.get_by_text("The server cannot be reached")
    await away.wait_for()
    await page.context.set_offline(False)
    await page.get_by_text("Connected again").wait_for()
    await away.wait_for(state="detached")


@pytest.mark.long_form
async def test_back_finds_the_place_in_a_long_list_again(hall, visitor):
    for number in range(60):
        await hall.acme.member.post("/api/notes", {"title": f"Note {number}"})
    page = await visitor.open(hall.acme.member, viewport={"width": 1000, "height": 600}, allowed=[REFUSED])
    await settled(page)
    refused = []

    async def refuse(route):
        refused.append(route.request.url)
        await route.fulfill(
            status=429, json={"title": "", "status": 429, "detail": "", "code": "rate_limited"}
        )

    await page.route("**/api/notes?*cursor=*", refuse)
    await page.get_by_role("link", name="Notes").click()
    await page.get_by_text("Note 59", exact=True).wait_for()
    await page.evaluate("scrollTo(0, 1e6)")
    # A page that is refused is asked for once, and again when somebody wants it; what came before stays.
    again = page.get_by_role("alert").get_by_role("button")
    await again.wait_for()
    await settled(page)
    assert len(refused) == 1
    await page.unroute("**/api/notes?*cursor=*")
    await again.click()
    await again.wait_for(state="detached")
    await page.evaluate("scrollTo(0, 1200)")
    seen = (
        "document.elementFromPoint(500, 300)?.closest('[role=option], [role=row]')"
        "?.textContent.match(/Note \\d+/)?.[0]"
    )
    await wait_until(page, f"{seen} !== undefined")
    row = page.get_by_text(await page.evaluate(seen), exact=True)
    await row.click()
    await page.wait_for_url("**/notes/note_*")
    await page.go_back()
    await wait_until(page, "Math.abs(scrollY - 1200) < 80")  # to the row, where the address names it
    await row.wait_for()
    # The place is in the address: whoever opens it finds the row, pages before it and all.
    await wait_until(page, "/^#row=\\d+$/.test(location.hash)")
    await page.evaluate("scrollTo(0, 1e6)")
    await wait_until(page, "Number(location.hash.slice(5)) > 40")
    place = await page.evaluate("location.hash")
    await page.reload()
    await page.get_by_text("Note 0", exact=True).wait_for()
    linked = await visitor.open(
        hall.acme.member, path=f"/notes{place}", viewport={"width": 1000, "height": 600}
    )
    await linked.get_by_text("Note 0", exact=True).wait_for()
    await page.go_forward()
    await page.wait_for_url("**/notes/note_*")


async def test_every_list_has_its_keys_from_arrival_on(hall, visitor):
    owner = hall.acme.org_owner
    for title in ("Older", "Newer"):
        await owner.call("POST", "/api/notes", {"title": title, "body": "text"})
    page = await visitor.open(owner, "/notes")
    keys = Keyboard(page)
    await page.get_by_role("option", name="Newer").wait_for()
    await page.get_by_role("heading", name="Notes", level=1).wait_for()
    # Nothing has the focus: the first j goes into the list, and the next one on.
    await keys.press("j", "j", "Enter")
    await expect(page.get_by_label("Title")).to_have_value("Older")
    await keys.press("c")
    await page.wait_for_url("**/notes/new*")
    await keys.arrived(page.get_by_label("Title"))
    await page.keyboard.press("Tab")

    # A table, and short lists, have the same keys.
    await go(page, "/company/teams")
    rows = page.get_by_role("table", name="Teams").get_by_role("row")
    await keys.press("j", "j", "k")
    await expect(rows.nth(1)).to_be_focused()
    await keys.press("e")
    await page.get_by_role("dialog", name="Rename").get_by_label("Name").wait_for()
    await keys.press("Escape")
    await keys.press("c")
    await page.get_by_role("dialog", name="New team").wait_for()
    await keys.press("Escape")
    await page.get_by_role("dialog").wait_for(state="detached")
    await go(page, "/")
    await keys.arrived(page.get_by_role("heading", name="Good to see you"))
    recent = page.get_by_role("region", name="Recent work")
    await keys.press("j")
    await expect(recent.get_by_role("link", name="Newer")).to_be_focused()
    await keys.press("j", "Enter")
    await expect(page.get_by_label("Title")).to_have_value("Older")

    # The palette has what the menus of the screen have.
    await page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Command palette")
    await palette.get_by_role("option", name="Delete: Older").wait_for()
    await page.keyboard.type("edit tags")
    await palette.get_by_role("option", name="Edit tags: Older", selected=True).wait_for()
    await page.keyboard.press("Enter")
    await page.get_by_role("dialog").get_by_label("Tags").wait_for()


async def test_work_and_administration_are_two_tiers_and_the_way_up_is_true(hall, visitor):
    page = await visitor.open(hall.operator, viewport={"width": 1280, "height": 700})
    navigation = page.get_by_role("navigation", name="Navigation")
    doors = navigation.get_by_role("region", name="Administration")
    for name in ("Team", "Company", "Instance"):
        # In sight without scrolling, however much there is to work with.
        await expect(doors.get_by_role("link", name=name, exact=True)).to_be_in_viewport()
    await expect(navigation.get_by_role("link", name="Members")).to_have_count(0)
    await doors.get_by_role("link", name="Team").click()
    await heading(page, "Members")
    await navigation.get_by_role("link", name="Usage").wait_for()
    await expect(navigation.get_by_role("link", name="Notes")).to_have_count(0)
    crumbs = page.get_by_role("navigation", name="Where you are")
    await expect(crumbs).to_have_text("TeamMembers")
    await go(page, "/instance/plugins/console")
    await expect(crumbs).to_have_text("InstancePlugins")
    await crumbs.get_by_role("link", name="Plugins").click()
    await page.wait_for_url("**/instance/plugins")
    await navigation.get_by_role("link", name="Back to work").click()
    await heading(page, "Good to see you")
    # What the operator alone decides is no switch of a team.
    await go(page, "/features")
    switches = page.get_by_role("region", name="Plugins").get_by_role("switch")
    await switches.first.wait_for()
    names = await switches.evaluate_all("all => all.map(one => one.ariaLabel)")
    assert "Notes" in names and not {"Console", "Backup", "PostgreSQL", "S3 store"} & {*names}


async def test_from_right_to_left_all_of_it_is_turned_around(hall, visitor):
    folder = hall.server.settings.data / "locales"
    folder.mkdir()
    (folder / "he.json").write_text('{"nav.notes": "\u05e4\u05ea\u05e7\u05d9\u05dd"}', "utf-8")
    for switching in (False, True):  # a change is what the files are read again at
        _, policy = await hall.operator.call("PUT", "/api/i18n", {"switching": switching})
    assert policy["locales"][-1]["code"] == "he"
    await hall.acme.member.call("POST", "/api/profile", {"locale": "he"})
    page = await visitor.open(hall.acme.member, locale="he-IL")
    await heading(page, "Good to see you")
    await expect(page.locator("html")).to_have_attribute("dir", "rtl")
    side = await page.locator("aside").bounding_box()
    assert side["x"] > 1000
    for path in ("/notes", "/files", "/members"):
        await go(page, path)
        assert not await page.evaluate("document.documentElement.scrollWidth > innerWidth")
    await page.get_by_role("button", name="Account:").click()
    await page.get_by_role("menuitem").first.wait_for()
    assert await serious_violations(page) == []


async def test_what_was_seen_is_read_without_a_server_and_gone_with_the_session(hall, visitor):
    member = hall.acme.member
    await member.call("POST", "/api/notes", {"title": "Only mine", "body": "text", "visibility": "private"})
    page = await visitor.open(member, works_offline=True, allowed=[AWAY, REFUSED, "Failed to fetch"])
    await heading(page, "Good to see you")
    manifest = await page.evaluate("fetch('/manifest.webmanifest').then(answer => answer.json())")
    assert (manifest["name"], manifest["display"]) == ("Guildhall", "standalone")
    for icon in manifest["icons"]:
        assert (await hall.anonymous.get(icon["src"])).status_code == 200
    await page.keyboard.press("Tab")
    await wait_until(page, "navigator.serviceWorker.controller !== null")
    await page.get_by_role("link", name="Notes").click()
    await page.get_by_role("option", name="Only mine").wait_for()
    await settled(page)
    seen = "caches.keys().then(names => names.filter(name => name.startsWith('guildhall.seen.')).length)"
    await page.context.set_offline(True)
    await page.reload()
    await page.get_by_role("option", name="Only mine").wait_for()
    await page.get_by_text("The server cannot be reached").wait_for()
    await page.context.set_offline(False)
    await page.get_by_text("Connected again").wait_for()
    await page.get_by_text("The server cannot be reached").wait_for(state="detached")
    assert await page.evaluate(seen) == 1
    await page.get_by_role("button", name="Account:").click()
    await page.get_by_role("menuitem", name="Sign out").click()
    await page.get_by_label("Username").wait_for()
    await page.evaluate(
        """async () => { while ((await caches.keys()).some(name => name.startsWith("guildhall.seen."))); }"""
    )
    assert await page.evaluate(seen) == 0
