"""Notes: written, shared, changed by two at once, and never lost."""

import asyncio
import json
import re
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import expect

from guildhall_testing.people import PASSWORD
from tests.console.visitor import PHONE, REFUSED, serious_violations, serious_violations_in_both_modes

pytestmark = pytest.mark.hall_databases("sqlite")

STALE = f"{REFUSED} 412"
ENDED = f"{REFUSED} 401"
GONE = "net::ERR_(INTERNET_DISCONNECTED|NETWORK_CHANGED|CONNECTION_REFUSED)"
HOSTILE = """# <img src=x onerror="window.harmed = 1">

<script>window.harmed = 2</script> <b style="color: red">bold</b> <iframe src="/api/config"></iframe>

[inward](javascript:window.harmed=3) [coded](&#106;avascript:window.harmed=4) [outward](https://elsewhere.example/)
![picture](https://elsewhere.example/who-reads.png) ![own](/api/notes)
![drawn](data:image/svg+xml,<svg/onload=alert(1)>)

| Unbreakablewords | Donaudampfschifffahrt | Incomprehensibilities |
|---|---|---|
| Unbreakablewords | Donaudampfschifffahrt | Incomprehensibilities |

\u202eright to left\u202c العربية
"""


WATCH = """words => {
  window.seen = [];
  const look = () => window.seen.push(...words.filter(word => document.body.innerText.includes(word)));
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""
# One pixel.
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
PASTE = """(text, base64) => {
  const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  const clipboardData = new DataTransfer();
  clipboardData.items.add(new File([bytes], "quay.png", { type: "image/png" }));
  text.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""
LOOK_AGAIN = "window.dispatchEvent(new Event('visibilitychange'))"


def text_of(page):
    return page.get_by_role("textbox", name="Text", exact=True)


def saved(page):
    return page.get_by_role("status").get_by_text("Saved", exact=True)


async def a_note(client, **fields):
    created = await client.post("/api/notes", {"title": "Minutes", "body": "one\ntwo\nthree", **fields})
    return created.json()


async def stored(client, note):
    return (await client.get(f"/api/notes/{note['id']}")).json()


async def add_line(page, line):
    """Types a new last line, as a person does."""
    await text_of(page).press("ControlOrMeta+End")
    await page.keyboard.press("Enter")
    await page.keyboard.type(line)


def lost_on_the_way(page):
    """Waits at its end until a new note that was sent in the block has not come to the server."""
    return page.expect_event("requestfailed", lambda sent: sent.method == "POST", timeout=60_000)


@asynccontextmanager
async def saving_held(page):
    """What the page saves waits until the block ends: somebody else is quicker."""
    over = asyncio.Event()

    async def hold(route):
        if route.request.method == "PUT":
            await over.wait()
        await route.continue_()

    await page.route("**/api/notes/*", hold)
    try:
        yield
    finally:
        over.set()


async def test_a_note_is_written_by_keyboard_and_shared_with_a_colleague_who_writes_in_it(hall, visitor):
    author, colleague = hall.acme.member, hall.acme.colleague
    page = await visitor.open(author, "/notes")
    await page.get_by_role("button", name="New note").first.press("Enter")
    await page.locator("input:focus[aria-label=Title]").wait_for()
    await page.keyboard.type("Harbour plan")
    await text_of(page).focus()
    await page.keyboard.type("# First\nA *calm* start")
    await page.locator(".cm-heading-1", has_text="First").wait_for()
    # Nobody saves it: a pause does.
    await saved(page).wait_for()
    await page.wait_for_url(re.compile("/notes/note_"))
    await page.get_by_role("option", name="Harbour plan").wait_for()

    await page.get_by_role("button", name="Share", exact=True).click()
    await page.get_by_label("Person", exact=True).press_sequentially("colleague")
    await page.get_by_role("option", name=colleague.username).wait_for()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name=re.compile("^View May")).click()
    await page.get_by_role("option", name="Edit").click()
    await page.get_by_role("dialog").get_by_role("button", name="Share", exact=True).click()
    await page.get_by_role("list", name="Shared with 1 person").wait_for()
    assert await serious_violations(page) == []

    theirs = await visitor.open(colleague, "/notes?show=shared", allowed=[REFUSED])
    await theirs.get_by_role("option", name="Harbour plan").click()
    async with theirs.expect_response(lambda answer: answer.request.method == "PUT" and answer.ok):
        await add_line(theirs, "and a second hand")
    await saved(theirs).wait_for()
    assert await theirs.get_by_role("button", name="Share", exact=True).count() == 0

    await page.get_by_role("button", name=f"Stop sharing: {colleague.username}").click()
    await page.get_by_role("button", name="Undo").click()
    await page.get_by_role("list", name="Shared with 1 person").wait_for()
    await page.get_by_role("dialog").press("Escape")
    await page.get_by_role("dialog").wait_for(state="hidden")
    # What somebody else wrote comes by itself, and so does that they write.
    await expect(text_of(page)).to_contain_text("and a second hand")
    await page.get_by_text(f"{colleague.username}\u2069 is writing here").wait_for()

    # Who may not write any more still has what they wrote before them.
    await page.get_by_role("button", name="Share", exact=True).click()
    await page.get_by_role("button", name=re.compile(f"^Edit May: {colleague.username}")).click()
    async with saving_held(theirs):
        await add_line(theirs, "not to be lost")
        await page.get_by_role("option", name="View").click()
        await page.get_by_role("button", name=re.compile(f"^View May: {colleague.username}")).wait_for()
    await theirs.evaluate(LOOK_AGAIN)
    await theirs.get_by_text("you may not change it any more").wait_for()
    await expect(text_of(theirs)).to_contain_text("not to be lost")
    assert await theirs.get_by_role("button", name="Save", exact=True).count() == 0

    # And who may not even see it any more, also after a reload.
    await page.get_by_role("button", name=f"Stop sharing: {colleague.username}").click()
    await page.get_by_text("Not shared with anybody").first.wait_for()
    await theirs.reload()
    left = theirs.get_by_role("region", name="What you typed here and did not save").last
    await left.get_by_text("not to be lost").wait_for()


@pytest.mark.long_form
async def test_a_text_is_given_its_shape_by_keys_tools_links_and_pictures(hall, visitor):
    author, colleague = hall.acme.member, hall.acme.colleague
    other = await a_note(author, title="Tide [tables]", visibility="team")
    note = await a_note(author, body="", visibility="team")
    page = await visitor.open(author, f"/notes/{note['id']}", allowed=[REFUSED])
    text = text_of(page)
    await text.focus()
    await page.keyboard.type("Plan")
    await page.keyboard.press("Control+Alt+2")
    await page.keyboard.press("End")
    await page.keyboard.type("\nbe ")
    await page.keyboard.press("ControlOrMeta+b")
    await page.keyboard.type("calm")
    await page.get_by_role("button", name="Bold", pressed=True).wait_for()
    await page.keyboard.press("End")
    await page.keyboard.type("\n")
    await page.get_by_role("button", name="Task list").click()
    await page.keyboard.type("ropes\npaint\n\n")
    # Where the caret is not, it looks like what it means.
    await page.get_by_role("checkbox", name="ropes").click()
    await page.locator(".cm-heading-2", has_text=re.compile("^Plan$")).wait_for()
    await expect(text).to_contain_text("be calm")
    # `[[` finds a note by its words.
    await page.keyboard.type("see [[tide")
    links = page.get_by_role("listbox", name="Notes and files to link to")
    await links.get_by_role("option", name="Tide").wait_for()
    assert await serious_violations(page) == []
    await links.get_by_role("option", name="Tide").wait_for()
    await page.keyboard.press("Enter")
    await page.get_by_role("link", name="Tide").wait_for()
    await page.keyboard.press("Enter")
    await text.evaluate(PASTE, PICTURE)
    # It is shown as the small picture of the file, whatever that weighs.
    picture = page.get_by_role("img", name="quay")
    await expect(picture).to_have_attribute("src", re.compile("^data:image/webp;"))
    await saved(page).wait_for()
    # All of it was typed in some minutes: it is one version, behind the one that was made on purpose.
    body = (await stored(author, note))["body"]
    link = f"see [Tide \\[tables\\]](/notes/{other['id']})"
    assert body.startswith(f"## Plan\nbe **calm**\n- [x] ropes\n- [ ] paint\n{link}\n![quay](/api/repo-obj/")
    assert len((await author.get(f"/api/notes/{note['id']}/versions")).json()["items"]) == 1
    assert await serious_violations_in_both_modes(page) == []

    # Who sees the note sees the picture, and who writes; in a list Tab is the text's until Escape.
    theirs = await visitor.open(colleague, f"/notes/{note['id']}", viewport=PHONE, allowed=[REFUSED])
    await theirs.get_by_role("img", name="quay").wait_for()
    await theirs.get_by_text("is writing here").wait_for()
    assert await theirs.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert await serious_violations(theirs) == []
    await theirs.get_by_role("radio", name="Preview").click()
    await theirs.get_by_label("Preview").last.get_by_role("img", name="quay").wait_for()
    await page.keyboard.type("- item")
    await page.keyboard.press("Tab")
    await expect(text).to_be_focused()
    await page.keyboard.press("Escape")
    await page.keyboard.press("Tab")
    await expect(text).not_to_be_focused()
    await saved(page).wait_for()
    assert "\n  - item" in (await stored(author, note))["body"]
    # A click on a link opens it.
    await page.get_by_role("link", name="Tide").click()
    await page.wait_for_url(f"**/notes/{other['id']}")
    await expect(page.get_by_label("Title")).to_have_value("Tide [tables]")


@pytest.mark.long_form
async def test_two_who_write_at_once_lose_nothing_and_join_what_they_wrote(hall, visitor):
    one, two = hall.acme.member, hall.acme.colleague
    note = await a_note(one, visibility="team")
    page = await visitor.open(one, f"/notes/{note['id']}", allowed=[STALE])
    async with saving_held(page):
        await add_line(page, "mine")
        await two.put(f"/api/notes/{note['id']}", {"body": "ONE\ntwo\nthree", "title": "Minutes of May"})
    await page.get_by_role("heading", name="Somebody changed this while you wrote").wait_for()
    assert await serious_violations(page) == []
    await page.get_by_role("button", name="Take theirs").click()
    await expect(text_of(page)).to_contain_text("ONE")
    await text_of(page).focus()
    await page.get_by_role("button", name="Undo").press("Enter")
    await page.get_by_text("Not saved yet").wait_for()
    await expect(text_of(page)).to_be_focused()
    await two.put(f"/api/notes/{note['id']}", {"body": "ONE\ntwo\nthree\ntheirs"})
    await page.get_by_role("button", name="Save", exact=True).click()
    await page.get_by_role("button", name="Join both").click()
    joined = page.get_by_role("textbox", name="Joined text")
    # At the first mark, where there is something to decide.
    await expect(joined).to_be_focused()
    await page.keyboard.type("here: ")
    await expect(joined).to_contain_text("here: <<<<<<< Mine")
    await expect(page.get_by_role("button", name="Save joined text")).to_be_disabled()
    await joined.press("ControlOrMeta+a")
    await page.keyboard.type("ONE\ntwo\nthree\nours")
    # What was joined by hand is kept with the draft.
    await page.reload()
    await page.get_by_role("button", name="See the difference").click()
    await expect(joined).to_contain_text("ours")
    await page.get_by_role("button", name="Save joined text").click()
    await saved(page).wait_for()
    assert (await stored(two, note))["body"] == "ONE\ntwo\nthree\nours"


@pytest.mark.long_form
async def test_changes_of_different_lines_fit_together(hall, visitor):
    one, two = hall.acme.member, hall.acme.colleague
    note = await a_note(one, visibility="team")
    page = await visitor.open(one, f"/notes/{note['id']}", allowed=[STALE], viewport=PHONE)
    async with saving_held(page):
        await add_line(page, "mine")
        await two.put(f"/api/notes/{note['id']}", {"body": "ONE\ntwo\nthree", "title": "Minutes of May"})
    await page.get_by_role("button", name="Join both").click()
    await page.get_by_text("Both changes fit together").wait_for()
    await page.get_by_role("button", name="Save joined text").click()
    await saved(page).wait_for()
    now = await stored(two, note)
    assert (now["title"], now["body"]) == ("Minutes of May", "ONE\ntwo\nthree\nmine")


@pytest.mark.long_form
async def test_a_session_that_ends_in_mid_sentence_asks_for_the_password_and_goes_on(hall, visitor):
    author = hall.acme.member
    note = await a_note(author)
    page = await visitor.open(author, f"/notes/{note['id']}", allowed=[ENDED, f"{REFUSED} 404"])
    await add_line(page, "half a sen")
    await author.post("/api/logout")
    await page.keyboard.press("ControlOrMeta+s")
    await page.get_by_label("Password").fill(PASSWORD)
    await page.keyboard.press("Enter")
    await saved(page).wait_for()
    # The caret is where it was.
    await page.keyboard.type("tence")
    await page.keyboard.press("ControlOrMeta+s")
    await saved(page).wait_for()
    await page.reload()
    await expect(text_of(page)).to_contain_text("half a sentence")

    # Who would rather not go on leaves nothing behind for whoever signs in next, not for a moment.
    session = json.loads(await page.evaluate("sessionStorage.getItem('guildhall.session')"))
    await author.bearing(session["token"]).post("/api/logout")
    await add_line(page, "and a draft")
    await page.keyboard.press("ControlOrMeta+s")
    await page.get_by_role("button", name="Sign out").click()
    await page.get_by_label("Username").fill(hall.acme.colleague.username)
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.evaluate(WATCH, ["Minutes", "half a sentence", "and a draft"])
    await page.keyboard.press("Enter")
    await page.get_by_text("Notes hold what you want to find again").wait_for()
    assert await page.evaluate("window.seen") == []


async def test_what_is_typed_without_a_network_is_kept_and_saved_when_it_is_back(hall, visitor):
    author = hall.acme.member
    page = await visitor.open(author, "/notes/new", allowed=[GONE])
    await text_of(page).wait_for()
    await page.context.set_offline(True)
    await page.get_by_label("Title").fill("On the train")
    await text_of(page).fill("through a tunnel")
    async with lost_on_the_way(page):
        await page.keyboard.press("ControlOrMeta+s")
    await page.get_by_text("The server cannot be reached").wait_for()
    await add_line(page, "and out again")
    # Leaving loses nothing: the draft is there when one comes back.
    await page.get_by_role("link", name="Home").click()
    await page.get_by_role("link", name="Notes", exact=True).click()
    await page.get_by_role("button", name="New note").first.click()
    await page.get_by_label("Title").fill("A second one")
    # It is sent as it is left: had the network come back before that failed, it would be saved too.
    async with lost_on_the_way(page):
        await (
            page.get_by_role("region", name="Unfinished notes")
            .get_by_role("link", name="On the train")
            .click()
        )
    await page.get_by_text("This is your draft").wait_for()
    await expect(text_of(page)).to_contain_text("and out again")
    async with lost_on_the_way(page):
        await page.keyboard.press("ControlOrMeta+s")
    await page.get_by_text("The server cannot be reached").wait_for()
    await page.context.set_offline(False)
    await saved(page).wait_for()
    # What is begun in two tabs are two notes, also at one address, before either is saved.
    await page.context.route("**/api/notes", lambda route: asyncio.Event().wait())
    await page.reload()  # a route holds nothing that a page from before it sends to outlive itself
    await page.get_by_role("link", name="A second one").click()
    await page.get_by_text("This is your draft").wait_for()
    other = await page.context.new_page()
    await other.goto(page.url)
    await other.get_by_text("This is your draft").wait_for()
    await other.get_by_label("Title").fill("A third one")
    await page.get_by_label("Title").fill("The second one")
    await page.get_by_role("link", name="A third one").wait_for()
    await other.get_by_role("link", name="The second one").wait_for()
    await other.get_by_role("button", name="Discard draft: The second one").click()
    await other.get_by_role("button", name="Undo").click()
    await other.get_by_role("link", name="The second one").wait_for()
    await expect(other.get_by_label("Title")).to_have_value("A third one")
    notes = (await author.get("/api/notes")).json()["items"]
    saved_notes = [(note["title"], note["body"]) for note in notes]
    assert saved_notes == [("On the train", "through a tunnel\nand out again")]


async def test_a_note_whose_answer_was_lost_is_no_second_one_to_who_comes_back(hall, visitor):
    page = await visitor.open(hall.acme.member, "/notes/new", allowed=["net::ERR_FAILED"])
    made = asyncio.Event()

    async def lose_the_answer(route):
        if route.request.method == "POST":
            await route.fetch()
            await route.abort()
            made.set()
        else:
            await route.continue_()

    await page.route(re.compile("/api/notes$"), lose_the_answer)
    await page.get_by_label("Title").fill("Once")
    await page.keyboard.press("ControlOrMeta+s")
    await made.wait()
    await page.get_by_role("link", name="Home").click()
    await expect(page).to_have_url(re.compile("/$"))
    await page.unroute(re.compile("/api/notes$"))
    await page.get_by_role("link", name="Notes", exact=True).click()
    await page.get_by_role("region", name="Unfinished notes").get_by_role("link", name="Once").click()
    await text_of(page).fill("typed since")
    await page.keyboard.press("ControlOrMeta+s")
    await saved(page).wait_for()
    await expect(page.get_by_role("option", name="Once")).to_have_count(1)
    notes = (await hall.acme.member.get("/api/notes")).json()["items"]
    assert [(note["title"], note["body"]) for note in notes] == [("Once", "typed since")]


@pytest.mark.long_form
async def test_a_new_note_that_is_left_while_it_is_saved_keeps_what_was_typed_since(hall, visitor):
    page = await visitor.open(hall.acme.member, "/notes/new")
    arrived, let_through = asyncio.Event(), asyncio.Event()

    async def hold(route):
        if route.request.method == "POST":
            arrived.set()
            await let_through.wait()
        await route.continue_()

    await page.route(re.compile("/api/notes$"), hold)
    await page.get_by_label("Title").fill("Slow")
    await text_of(page).focus()
    await page.keyboard.type("one")
    await page.keyboard.press("ControlOrMeta+s")
    await arrived.wait()
    await page.keyboard.type(" two")
    await page.get_by_role("link", name="Files").click()
    async with page.expect_response(re.compile("/api/notes$")):
        let_through.set()
    await page.get_by_role("heading", name="Files", level=1).wait_for()
    # Nobody is brought back to it, and it is there when they come.
    await page.get_by_role("link", name="Notes").click()
    await page.get_by_role("option", name="Slow").click()
    await page.get_by_text("This is your draft").wait_for()
    await expect(text_of(page)).to_contain_text("one two")
    await page.keyboard.press("ControlOrMeta+s")
    await saved(page).wait_for()
    notes = (await hall.acme.member.get("/api/notes")).json()["items"]
    assert [note["body"] for note in notes] == ["one two"]


@pytest.mark.long_form
async def test_everybody_sees_what_they_may_and_no_request_is_refused(hall, visitor):
    note = await a_note(hall.acme.member, visibility="team")
    for client in (hall.acme.viewer, hall.acme.reader, hall.acme.admin):
        page = await visitor.open(client, "/notes")
        await page.get_by_role("option", name="Minutes").click()
        await page.get_by_text("three").first.wait_for()
        may_write = client is hall.acme.admin
        if may_write:
            await text_of(page).wait_for()
        await expect(text_of(page)).to_have_count(int(may_write))
        for name in ("New note", "Save", "Share"):
            await expect(page.get_by_role("button", name=name, exact=True)).to_have_count(int(may_write))
        if not may_write:
            await page.goto(f"{hall.base_url}/theme.css")
    await page.get_by_role("button", name="More actions: Minutes").click()
    await page.get_by_role("menuitem", name="Delete").click()
    await page.get_by_text("Notes hold what you want to find again").wait_for()
    assert (await hall.acme.member.get(f"/api/notes/{note['id']}")).status_code == 404


async def test_a_deleted_note_comes_back_by_undo_and_out_of_the_bin(hall, visitor):
    member = hall.acme.member
    note = await a_note(member)
    page = await visitor.open(member, f"/notes/{note['id']}", allowed=[REFUSED])
    more = page.get_by_role("button", name="More actions: Minutes")
    await more.click()
    await page.get_by_role("menuitem", name="Delete").click()
    await page.get_by_text("Note deleted").wait_for()
    await page.get_by_role("button", name="Undo").click()
    await more.wait_for()
    assert (await member.get(f"/api/notes/{note['id']}")).status_code == 200

    await more.click()
    await page.get_by_role("menuitem", name="Delete").click()
    await page.get_by_text("Notes hold what you want to find again").wait_for()
    await page.get_by_role("button", name="Filter").click()
    await page.get_by_role("option", name="Bin").click()
    await page.get_by_role("button", name="Restore: Minutes").wait_for()
    assert await serious_violations(page) == []
    await page.get_by_role("button", name="Restore: Minutes").click()
    await text_of(page).wait_for()
    assert (await member.get(f"/api/notes/{note['id']}")).status_code == 200

    await member.delete(f"/api/notes/{note['id']}")
    page = await visitor.open(member, "/notes?show=bin")
    await page.get_by_role("button", name="Delete for good: Minutes").click()
    await page.get_by_label("Type “Minutes” to confirm").fill("Minutes")
    await page.keyboard.press("Enter")
    await page.get_by_text("The bin is empty.").wait_for()


@pytest.mark.long_form
async def test_an_older_version_of_a_note_is_compared_and_restored(hall, visitor):
    member = hall.acme.member
    note = await a_note(member)
    await member.put(f"/api/notes/{note['id']}", {"body": "quite another text"})
    page = await visitor.open(member, f"/notes/{note['id']}")
    await page.get_by_role("button", name="More actions: Minutes").click()
    await page.get_by_role("menuitem", name="Versions").click()
    dialog = page.get_by_role("dialog", name="Versions")
    await dialog.get_by_role("button", name="Version 1").click()
    await dialog.get_by_role("table").get_by_text("quite another text").wait_for()
    assert await serious_violations(page) == []
    await dialog.get_by_role("button", name="Restore this version").click()
    await page.get_by_text("Version 1 is the text again.").wait_for()
    assert (await member.get(f"/api/notes/{note['id']}")).json()["body"] == note["body"]


async def test_notes_are_found_by_their_tags_and_one_that_is_refused_is_told_at_its_field(hall, visitor):
    member = hall.acme.member
    note = await a_note(member)
    await member.post("/api/notes", {"title": "Without any"})
    page = await visitor.open(member, f"/notes/{note['id']}", allowed=[f"{REFUSED} 400"])
    await page.get_by_role("button", name="More actions: Minutes").click()
    await page.get_by_role("menuitem", name="Edit tags").click()
    dialog = page.get_by_role("dialog")
    field = dialog.get_by_role("textbox", name="Tags")
    await field.fill("board, " + "x" * 41)
    await page.keyboard.press("Enter")
    await dialog.get_by_text(f"“{'x' * 41}” must have at most 40 characters").wait_for()
    await expect(field).to_have_attribute("aria-invalid", "true")
    await expect(dialog.get_by_role("alert")).to_have_count(0)
    await field.fill("board, Q3")
    await page.get_by_role("button", name="Save tags").click()
    await page.get_by_role("link", name="board").click()
    await page.get_by_text("Notes with the tag board").wait_for()
    await page.get_by_role("option", name="Minutes").wait_for()
    await expect(page.get_by_role("option", name="Without any")).to_have_count(0)
    await page.get_by_role("button", name="Show all notes").click()
    await page.get_by_role("option", name="Without any").wait_for()


async def test_hostile_notes_run_nothing_leak_nothing_and_break_no_layout(hall, visitor):
    author = hall.acme.member
    title = "<script>window.harmed = 5</script>\u202e" + "W" * 250
    note = await a_note(author, title=title, body=HOSTILE, visibility="team")
    long = await a_note(author, title="Long", body="x" * 100_000 + "\n" + "> " * 49_000, visibility="team")
    # CodeMirror's own word for a line of a hundred thousand characters on a busy machine.
    strained = "Measure loop restarted"
    page = await visitor.open(author, f"/notes/{note['id']}", viewport=PHONE, allowed=[strained])
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    await text_of(page).wait_for()
    await page.get_by_role("radio", name="Preview").click()
    preview = page.get_by_label("Preview").last
    outward = preview.get_by_role("link", name="outward")
    await outward.wait_for()
    await expect(outward).to_have_attribute("rel", "noopener noreferrer")
    assert await preview.locator("img, iframe, script, [style], [href^=javascript]").count() == 0
    # A table that is too wide scrolls, by keyboard too, and breaks no word.
    table = preview.get_by_role("table")
    await expect(table).to_have_attribute("tabindex", "0")
    assert await table.evaluate("one => one.scrollWidth > one.clientWidth")
    assert await table.locator("td").first.evaluate("one => one.clientHeight") < 40
    for path in ("", f"/{long['id']}"):
        await page.goto(f"{hall.base_url}/notes{path}")
        words = "xxxx" if path else "window.harmed = 5"
        await page.get_by_text(words).locator("visible=true").first.wait_for()
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert await page.evaluate("window.harmed") is None
    assert not [url for url in asked if not url.startswith(hall.base_url)]
    # A text that nobody can draw whole is still written in.
    await page.get_by_role("radio", name="Write").click()
    await add_line(page, "the end")
    await page.keyboard.press("ControlOrMeta+s")
    await saved(page).wait_for()
    assert (await stored(author, long))["body"].endswith("the end")
    # Left while the editor still waits with what was typed, it is saved all the same.
    await add_line(page, "and after it")
    await page.keyboard.press("Escape")
    await page.get_by_role("option", name="Long").wait_for()
    while not (await stored(author, long))["body"].endswith("and after it"):
        await page.evaluate("null")


@pytest.mark.long_form
async def test_a_long_bin_shows_more(hall, visitor):
    for number in range(60):
        made = (await hall.acme.member.post("/api/notes", {"title": f"Note {number}", "body": "one"})).json()
        await hall.acme.member.delete(f"/api/notes/{made['id']}")
    page = await visitor.open(hall.acme.member, "/notes?show=bin")
    lying = page.get_by_role("list", name="Bin").get_by_role("listitem")
    await expect(lying).to_have_count(50)
    await page.get_by_role("button", name="Show more").click()
    await expect(lying).to_have_count(60)
