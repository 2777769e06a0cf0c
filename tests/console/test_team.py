"""A team in the console: its people, what opens it to programs, its switches, and who did what."""

import pytest
from playwright.async_api import expect

from tests.console.visitor import (
    PHONE,
    REFUSED,
    go,
    serious_violations,
    serious_violations_in_both_modes,
    settled,
)

pytestmark = pytest.mark.hall_databases("sqlite")


async def test_a_colleague_is_invited_and_activates_by_a_link_that_works_once(hall, visitor):
    admin = await visitor.open(hall.acme.admin, "/members")
    await admin.get_by_role("button", name="Add a member").click()
    dialog = admin.get_by_role("dialog")
    await dialog.get_by_label("Username").fill("grace")
    await dialog.get_by_label("Display name").fill("Grace Hopper")
    await dialog.get_by_role("button", name="Add a member").click()
    link = await admin.get_by_label("Link to choose a password").input_value()
    assert await serious_violations(admin) == []
    await admin.get_by_role("button", name="Close").last.click()
    await admin.get_by_role("cell", name="Grace Hopper grace").wait_for()

    # Where somebody else is to stay signed in, that it ends is said before it does.
    other = await visitor.open()
    kept = {"token": hall.acme.colleague.token, "expiresAt": None, "kept": True}
    await other.evaluate("kept => sessionStorage.setItem('guildhall.session', JSON.stringify(kept))", kept)
    await other.goto(link)
    await other.get_by_text(f"{hall.acme.colleague.username} is signed in here and was to stay so").wait_for()

    # The language of her browser is hers from the first visit on.
    grace = await visitor.open(locale="nl-BE")
    await grace.goto(link)
    await grace.get_by_text("Welkom, Grace Hopper. Kies een wachtwoord om bij Acme te komen.").wait_for()
    await grace.get_by_label("Nieuw wachtwoord").fill("nanoseconds on a wire")
    assert await serious_violations(grace) == []
    await grace.keyboard.press("Enter")
    await grace.get_by_role("heading", name="Fijn je te zien, Grace Hopper").wait_for()

    again = await visitor.open(allowed=[REFUSED])
    await again.goto(link)
    await again.get_by_role("heading", name="This link does not work any more").wait_for()
    await again.get_by_role("button", name="Sign in").click()
    await again.get_by_label("Username").wait_for()

    await admin.get_by_role("navigation", name="Navigation").get_by_role("link", name="Audit trail").click()
    events = admin.get_by_role("listbox", name="Audit trail")
    await events.get_by_role("option", name="Member added").click()
    await admin.get_by_role("dialog", name="Member added").get_by_text("grace", exact=True).wait_for()


@pytest.mark.long_form
async def test_a_lost_link_is_made_anew_and_a_forgotten_password_set_again(hall, visitor):
    await hall.acme.admin.call("POST", "/api/members", {"username": "heidi", "role": "member"})
    admin = await visitor.open(hall.acme.admin, "/members")
    row = admin.get_by_role("row", name="heidi")
    await row.get_by_text("Invited").wait_for()

    async def made(action):
        await row.get_by_role("button", name=f"{action}: heidi").click()
        await admin.get_by_role("button", name="Make a link").click()
        link = await admin.get_by_label("Link to choose a password").input_value()
        # A slip does not lose what is shown once.
        await admin.keyboard.press("Escape")
        await expect(admin.get_by_label("Link to choose a password")).to_be_visible()
        assert await serious_violations(admin) == []
        await admin.get_by_role("button", name="Close").last.click()
        return link

    lost, link = await made("New link"), await made("New link")
    heidi = await visitor.open(allowed=[REFUSED])
    await heidi.goto(lost)
    await heidi.get_by_label("New password").fill("a quiet place in the alps")
    await heidi.keyboard.press("Enter")
    await heidi.get_by_role("heading", name="This link does not work any more").wait_for()
    heidi = await visitor.open()
    await heidi.goto(link)
    await heidi.get_by_label("New password").fill("a quiet place in the alps")
    await heidi.keyboard.press("Enter")
    await heidi.get_by_role("navigation", name="Navigation").wait_for()

    await admin.reload()
    link = await made("Reset password")
    heidi = await visitor.open()
    await heidi.goto(link)
    await heidi.get_by_label("New password").fill("a louder place in town")
    await heidi.keyboard.press("Enter")
    await heidi.get_by_role("navigation", name="Navigation").wait_for()
    body = {"username": "heidi", "password": "a louder place in town"}
    assert (await hall.anonymous.post("/api/login", body)).status_code == 200


@pytest.mark.long_form
async def test_a_token_is_shown_once_and_a_switch_moves_back_when_it_is_refused(hall, visitor):
    page = await visitor.open(hall.acme.admin, "/tokens", allowed=[REFUSED])
    await page.get_by_role("button", name="New token").first.click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("What it is for").fill("nightly export")
    await dialog.get_by_text("Everything you may").click()
    await dialog.get_by_text("Read notes").click()
    await dialog.get_by_role("button", name="Create token").click()
    program = hall.bearer(await page.get_by_label("Token", exact=True).input_value())
    status, who = await program.call("GET", "/api/whoami")
    assert status == 200 and who["credential"]["scope"] == ["notes:read"]
    await page.get_by_role("button", name="Close").last.click()
    await page.get_by_role("button", name="Revoke: nightly export").click()
    await page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    await page.get_by_text("No token yet.").wait_for()
    status, _ = await program.call("GET", "/api/whoami")
    assert status == 401

    # A switch says who moved it.
    await go(page, "/features")
    chat = page.get_by_role("switch", name="Chat", exact=True)
    await chat.focus()
    await page.keyboard.press("Space")
    await page.get_by_text("Turned off by acme-admin").wait_for()
    await expect(chat).not_to_be_checked()
    await hall.suspend(hall.acme)
    await chat.focus()
    await page.keyboard.press("Space")
    await page.get_by_role("alert").get_by_text("Your company is suspended").wait_for()
    await expect(chat).not_to_be_checked()

    # Home says it too, to whoever comes.
    await page.goto(hall.base_url)
    await page.get_by_text("Your company is suspended").wait_for()
    assert await serious_violations(page) == []


@pytest.mark.long_form
async def test_jobs_are_asked_for_filtered_by_the_address_and_cancelled(hall, visitor):
    page = await visitor.open(hall.acme.member, "/jobs?state=queued")
    await page.get_by_role("button", name="New job").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Kind").click()
    await page.get_by_role("option", name="x.integrator-demo.lane-report").click()
    await dialog.get_by_label("What goes in").fill('{"lane": ')
    await dialog.get_by_role("button", name="Start job").click()
    await dialog.get_by_text("Not JSON yet: look at line 1").wait_for()
    await dialog.get_by_label("What goes in").fill('{"lane": "hamburg-shanghai"}')
    await dialog.get_by_role("button", name="Priority").click()
    await page.get_by_role("option", name="Before others of the team").click()
    await dialog.get_by_label("Not before").fill("2100-01-31T12:00")
    await dialog.get_by_role("button", name="Start job").click()
    await page.get_by_role("region", name="Report on a shipping lane").get_by_text("hamburg").wait_for()
    await page.get_by_role("button", name="Close").click()
    [job] = (await hall.acme.member.get("/api/jobs")).json()["items"]
    assert job["run_at"].startswith("2100-01-31")
    # What ran when stands above the list, each bar with its words.
    bar = page.get_by_role("list", name="What ran when").get_by_role("button")
    await expect(bar).to_have_accessible_name("Report on a shipping lane, Queued")
    assert await serious_violations_in_both_modes(page) == []
    jobs = page.get_by_role("listbox", name="Jobs")
    await jobs.focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Cancel job").click()
    await page.get_by_text("Nothing matches these filters.").wait_for()
    await page.get_by_role("button", name="Clear filters").click()
    await page.get_by_role("option").get_by_text("Cancelled").wait_for()


async def test_members_can_be_acted_on_and_what_is_written_in_a_dialog_is_not_lost_by_a_slip(hall, visitor):
    member = {"username": "long", "display_name": "W" * 100, "role": "member"}
    await hall.acme.admin.call("POST", "/api/members", member)
    page = await visitor.open(hall.acme.admin, "/members")
    # All that can be done with somebody is seen, also beside a long name.
    remove = page.get_by_role("button", name="Remove: WWW")
    await remove.wait_for()
    table = page.get_by_role("table", name="Members").locator("xpath=..")
    seen, whole = await remove.bounding_box(), await table.bounding_box()
    assert seen["x"] + seen["width"] <= whole["x"] + whole["width"]

    # A double click opens one dialog.
    await page.get_by_role("button", name="Add a member").dblclick()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Username").fill("grace")
    for _ in range(2):
        await page.keyboard.press("Escape")
        await dialog.get_by_text("What you wrote here is not sent yet.").wait_for()
        assert await serious_violations(page) == []
        # Focus is on keeping it, and Esc again does the same.
        await expect(dialog.get_by_role("button", name="Keep writing")).to_be_focused()
        await page.keyboard.press("Escape")
        await expect(dialog.get_by_label("Username")).to_have_value("grace")
        await expect(dialog.get_by_text("What you wrote here is not sent yet.")).to_have_count(0)
    await page.keyboard.press("Escape")
    await dialog.get_by_role("button", name="Discard").click()
    await expect(dialog).to_have_count(0)
    # With nothing written it goes at once.
    await page.get_by_role("button", name="Add a member").click()
    await dialog.get_by_label("Username").wait_for()
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)


@pytest.mark.long_form
async def test_a_change_is_found_in_the_trail_by_its_day_words_and_person_with_before_and_after(
    hall, visitor
):
    await hall.acme.admin.call("POST", "/api/features/agent", {"enabled": False})
    hall.clock.advance(days=3)
    person = hall.acme.colleague
    await hall.acme.owner.call("PATCH", f"/api/members/{person.user_id}", {"role": "viewer"})
    page = await visitor.open(hall.acme.admin, "/audit")
    await page.clock.set_fixed_time(hall.clock.now_ms() / 1000)
    await page.reload()
    # A day is a bar, and a press on it shows that day alone; arrows go from bar to bar.
    bars = page.get_by_role("list", name="Day by day").get_by_role("button")
    await bars.last.focus()
    await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Enter")
    await expect(bars.last).to_have_attribute("aria-pressed", "true")
    events = page.get_by_role("listbox", name="Audit trail")
    await expect(events.get_by_role("option")).to_have_count(1)
    row = events.get_by_role("option", name="Role of a member changed")
    await expect(row).to_contain_text("member → viewer")
    await row.click()
    dialog = page.get_by_role("dialog", name="Role of a member changed")
    await expect(dialog.get_by_role("table", name="What changed").get_by_role("row").last).to_contain_text(
        "viewer"
    )
    assert await serious_violations_in_both_modes(page) == []
    await dialog.get_by_role("button", name="All that was done to it").click()
    await page.get_by_text("Only what was done to").wait_for()
    await page.get_by_role("button", name="Clear filters").click()
    await page.get_by_role("searchbox", name="Search the trail").fill("agent feature")
    await events.get_by_role("option", name="Feature turned on or off").wait_for()
    await expect(events.get_by_role("option")).to_have_count(1)
    await page.get_by_role("button", name="Show as table").click()
    await page.get_by_role("table", name="Day by day").get_by_text("1 event", exact=True).first.wait_for()
    await page.set_viewport_size(PHONE)
    await settled(page)
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.long_form
async def test_usage_shows_each_person_day_by_day_with_the_limit_as_a_line_and_what_happens_there(
    hall, visitor
):
    operator = await hall.join(hall.acme, "owner", operator=True)
    for person in (hall.acme.member, hall.acme.admin):
        await person.call("POST", "/api/ai/chat", {"prompt": "one two"})
    await operator.call("POST", "/api/quota", {"dimension": "ai.tokens.total", "limit": 100, "window": "day"})
    page = await visitor.open(operator, "/usage?by=user")
    await page.clock.set_fixed_time(hall.clock.now_ms() / 1000)
    await page.reload()
    await page.get_by_text("At the limit chats and other requests are refused").first.wait_for()
    chart = page.get_by_role("region", name="Day by day")
    await chart.get_by_text("At most 100 tokens a day.").wait_for()
    await chart.get_by_text("Limit", exact=False).first.wait_for()
    await (
        page.get_by_role("table", name="By person")
        .get_by_role("button", name=hall.acme.member.person.username)
        .click()
    )
    await page.get_by_text("What ").first.wait_for()
    await chart.get_by_role("button", name="Show as table").click()
    await expect(chart.get_by_role("row").nth(1)).to_contain_text("1")
    assert await serious_violations_in_both_modes(page) == []
    await page.get_by_role("button", name="Show everybody").click()
    await expect(chart.get_by_role("row").nth(1)).to_contain_text("2")
