"""The repository in a browser: folders, uploads, versions, sharing, and two people in one document."""

import os
import re
from urllib.parse import quote

import pytest
from playwright.async_api import expect

from guildhall_sdk.dimensions import Quotas
from tests.console import sample_files as samples
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

DROP = """files => {
  const data = new DataTransfer();
  for (const [name, text] of files) data.items.add(new File([text], name));
  for (const type of ["dragenter", "dragover", "drop"])
    window.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


GIVE = """(place, [kind, name]) => {
  const data = new DataTransfer();
  data.items.add(new File(["x"], name));
  const given = { dataTransfer: data, clipboardData: data, bubbles: true, cancelable: true };
  if (kind === "paste") place.dispatchEvent(new ClipboardEvent("paste", given));
  else for (const type of ["dragenter", "dragover", "drop"]) place.dispatchEvent(new DragEvent(type, given));
}"""


async def put(client, key, content="bytes", **query):
    response = await client.put(f"/api/repo/{quote(key)}", content=content.encode(), params=query)
    assert response.status_code in (200, 201), response.text
    return response.json()


def picked(name, text):
    return {"name": name, "mimeType": "", "buffer": text.encode()}


def row(page, name):
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))


def refusals(page):
    """Collects what the server refuses this page."""
    found = []
    page.on("response", lambda answer: answer.status >= 400 and found.append((answer.status, answer.url)))
    return found


@pytest.mark.long_form
async def test_a_file_is_uploaded_again_compared_and_restored(hall, visitor):
    page = await visitor.open(hall.acme.member, "/files?prefix=plans%2F")
    upload = page.get_by_label("Upload", exact=True).and_(page.locator("input"))
    await upload.set_input_files([picked("plan.md", "# Plan\n\nSail on Monday.\n")])
    await row(page, "plan.md").wait_for()
    await hall.drain_jobs()
    await row(page, "plan.md").get_by_text("Searchable").wait_for()
    await upload.set_input_files([picked("plan.md", "# Plan\n\nSail on Tuesday.\n")])
    await page.get_by_role("region", name="Uploads").get_by_text("New version 2").wait_for()
    await row(page, "plan.md").get_by_role("link").click()
    await page.get_by_text("Sail on Tuesday.").wait_for()
    await expect(page.get_by_role("region", name="Uploads")).to_have_count(0)
    await page.get_by_role("link", name="Compare versions").click()
    await page.get_by_text("1 line removed, 1 line added").wait_for()
    await page.reload()
    await page.get_by_text("1 line removed, 1 line added").wait_for()
    await page.get_by_role("list", name="Versions").get_by_role("link", name="Version 1").click()
    await page.get_by_text("This is version 1; the newest is 2.").wait_for()
    await page.get_by_role("button", name="Restore this version").click()
    await page.get_by_text("Version 1 is the newest again, as version 3").wait_for()
    await page.get_by_text("Sail on Monday.").wait_for()
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Download").click()
    assert (await download.value).suggested_filename == "plan.md"
    await page.get_by_role("link", name="plans").click()
    await page.get_by_role("heading", name="plans", level=1).wait_for()


@pytest.mark.long_form
async def test_of_several_dropped_files_the_one_without_room_says_so_and_goes_when_there_is(
    hall, visitor, tmp_path
):
    async with hall.server.data.write() as writer:
        quotas = hall.server.service(Quotas)
        await quotas.set_limit(writer, "team", hall.acme.team_id, "storage.bytes", "none", 1000)
    allowed = [REFUSED, "net::ERR_(INTERNET_DISCONNECTED|UPLOAD_FILE_CHANGED)"]
    page = await visitor.open(hall.acme.member, "/files", allowed=allowed)
    await page.get_by_text("Drop files or folders anywhere on this page").wait_for()
    await page.evaluate(DROP, [["a.txt", "a"], ["big.txt", "x" * 2000], ["c.txt", "c"]])
    await row(page, "a.txt").wait_for()
    await row(page, "c.txt").wait_for()
    uploads = page.get_by_role("region", name="Uploads")
    await uploads.get_by_text(
        re.compile(r"No room: your team uses \d B of 1 kB\. Operator can change")
    ).wait_for()
    await uploads.get_by_text("2 files uploaded · 1 refused").wait_for()
    assert await serious_violations(page) == []
    async with hall.server.data.write() as writer:
        await quotas.set_limit(writer, "team", hall.acme.team_id, "storage.bytes", "none", None)
    await uploads.get_by_role("button", name="Try again: big.txt").click()
    await row(page, "big.txt").wait_for()
    # Without a network it waits, and goes when there is one again.
    await page.context.set_offline(True)
    upload = page.get_by_label("Upload", exact=True).and_(page.locator("input"))
    await upload.set_input_files([picked("d.txt", "d")])
    changing = tmp_path / "changing.txt"
    changing.write_text("as it was chosen")
    await upload.set_input_files(changing)
    await page.get_by_text("The server cannot be reached").wait_for()
    await page.keyboard.press("ControlOrMeta+k")
    os.utime(changing, (0, 0))
    await page.context.set_offline(False)
    await row(page, "d.txt").wait_for()
    # What was changed meanwhile is not what was chosen: the file is named, and not the server.
    await uploads.get_by_text("This file cannot be read: it was changed").wait_for()


async def test_several_are_deleted_brought_back_and_deleted_for_good(hall, visitor):
    for name in ("a.txt", "b.txt", "c.txt"):
        await put(hall.acme.member, name)
    page = await visitor.open(hall.acme.member, "/files")
    # By keyboard: the first row is where one begins.
    await row(page, "a.txt").get_by_role("link").focus()
    await page.keyboard.press("x")
    await page.keyboard.press("j")
    await page.keyboard.press("x")
    bar = page.get_by_role("toolbar", name="With the selected files")
    await bar.get_by_text("2 selected").wait_for()
    await bar.get_by_role("button", name="Delete").click()
    await page.get_by_text("Deleted 2 files").wait_for()
    await expect(row(page, "a.txt")).to_have_count(0)
    await page.get_by_role("button", name="Undo").click()
    await row(page, "b.txt").wait_for()
    await row(page, "a.txt").get_by_role("checkbox").check()
    await bar.get_by_role("button", name="Delete").click()
    await page.get_by_text("Deleted a.txt").wait_for()
    await page.get_by_role("link", name="Deleted").click()
    await page.get_by_label("Select a.txt").check()
    await bar.get_by_role("button", name="Delete for good").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("textbox").fill("a.txt")
    await dialog.get_by_role("button", name="Delete for good").click()
    await page.get_by_text("Deleted a.txt for good").wait_for()
    await page.get_by_text("Nothing was deleted.").wait_for()


@pytest.mark.long_form
async def test_what_is_shared_with_a_colleague_stands_under_shared_with_me(hall, visitor):
    made = await put(hall.acme.member, "secret.txt", "for two", visibility="private")
    page = await visitor.open(hall.acme.member, f"/files/{made['id']}")
    await page.get_by_role("button", name="Share", exact=True).first.click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Person or team").click()
    await page.get_by_role("option", name="acme-colleague").click()
    await dialog.get_by_role("button", name="Share", exact=True).click()
    await dialog.get_by_role("list", name="Shared with").get_by_text("acme-colleague").wait_for()
    await page.keyboard.press("Escape")
    theirs = await visitor.open(hall.acme.colleague, "/files")
    refused = refusals(theirs)
    await theirs.get_by_role("link", name="Shared with me").click()
    await row(theirs, "secret.txt").get_by_role("link").click()
    await theirs.get_by_text("for two").wait_for()
    assert await theirs.get_by_role("button", name="Edit").count() == 0
    assert refused == []


@pytest.mark.long_form
async def test_two_people_in_one_document_lose_nothing(hall, visitor):
    made = await put(hall.acme.member, "plan.md", "first\n\nmiddle\n\nlast\n")
    address = f"/files/{made['id']}?edit=1"
    one = await visitor.open(hall.acme.member, address, allowed=[REFUSED])
    other = await visitor.open(hall.acme.colleague, address)
    for page, keys in ((one, "Control+Home"), (other, "Control+End")):
        text = page.get_by_role("textbox", name="Text")
        await text.click()
        await page.keyboard.press(keys)
        await page.keyboard.type("mine " if page is one else "theirs")
    await one.get_by_text("Your draft is kept on this device.").wait_for()
    await other.get_by_role("button", name="Save").click()
    await other.get_by_text("Saved as version 2").wait_for()
    await one.get_by_role("button", name="Save").click()
    await one.get_by_role("heading", name="Somebody changed this while you wrote").wait_for()
    assert await serious_violations(one) == []
    await one.get_by_role("button", name="Join both").click()
    await one.get_by_role("button", name="Save joined text").click()
    await one.get_by_text("Saved as version 3").wait_for()
    content = await hall.acme.member.get(f"/api/repo-obj/{made['id']}/content")
    assert content.text == "mine first\n\nmiddle\n\nlast\ntheirs"

    # A draft from before somebody else saved is joined with what it was typed over.
    await one.get_by_role("textbox", name="Text").press("Control+Home")
    await one.keyboard.type("still ")
    await one.get_by_role("link", name="Notes").click()
    await one.get_by_role("button", name="New note").first.wait_for()
    await put(hall.acme.colleague, "plan.md", "mine first\n\nmiddle\n\nlast\ntheirs too")
    await one.goto(hall.base_url + address)
    await one.get_by_text("This is your draft, kept on this device").wait_for()
    await one.get_by_role("button", name="Save").click()
    await one.get_by_role("button", name="Take theirs").click()
    await one.get_by_role("button", name="Undo").click()
    await one.get_by_role("button", name="Save").click()
    await one.get_by_role("button", name="Join both").click()
    # And a third change meanwhile is not written over.
    await put(hall.acme.colleague, "plan.md", "mine first\n\nMIDDLE\n\nlast\ntheirs too")
    await one.get_by_role("button", name="Save joined text").click()
    await one.get_by_role("button", name="Join both").click()
    await one.get_by_role("button", name="Save joined text").click()
    await one.get_by_text("Saved as version 6").wait_for()
    content = await hall.acme.member.get(f"/api/repo-obj/{made['id']}/content")
    assert content.text == "still mine first\n\nMIDDLE\n\nlast\ntheirs too"


HOSTILE = ["<img src=x onerror=alert(1)>.html", "\u202egnp.exe.txt", "n" * 200 + ".txt", "a'\"&%3C#?.md"]


async def test_whatever_files_are_called_they_run_nothing_and_break_no_layout(hall, visitor):
    for name in HOSTILE:
        await put(hall.acme.owner, name, "<script>alert(1)</script>")
    await put(hall.acme.owner, "deep/er/file.txt")
    await hall.drain_jobs()
    page = await visitor.open(hall.acme.owner, "/files", viewport=PHONE)
    await page.get_by_role("grid").wait_for()
    assert await serious_violations_in_both_modes(page) == []
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for name in ("\ufffdgnp.exe.txt", HOSTILE[0], HOSTILE[2], HOSTILE[3]):
        await row(page, name).get_by_role("link").click()
        await page.get_by_role("heading", name=name, level=1).wait_for()
        await page.get_by_role("list", name="Versions").wait_for()
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await page.go_back()
        await page.get_by_role("grid").wait_for()
    await page.go_forward()
    await page.get_by_role("list", name="Versions").wait_for()
    assert await serious_violations_in_both_modes(page) == []
    await page.get_by_role("link", name="Extracted text").click()
    await page.get_by_text("alert(1)").first.wait_for()


async def put_bytes(client, key, content):
    response = await client.put(f"/api/repo/{quote(key)}", content=content)
    assert response.status_code == 201, response.text
    return response.json()


async def keys_of(client):
    return sorted(item["key"] for item in (await client.get("/api/repo")).json()["items"])


async def test_files_and_folders_are_renamed_and_moved_by_keyboard_and_by_mouse(hall, visitor):
    member = hall.acme.member
    for key in ("apple.txt", "beta.txt", "gamma.txt", "old/one.txt", "old/two.txt"):
        await put(member, key)
    page = await visitor.open(member, "/files", allowed=[REFUSED])
    link = page.get_by_role("grid").get_by_role("link")
    await row(page, "apple.txt").get_by_role("link").focus()
    # What one types leads to a name; F2 gives another, and says what is wrong with one that is taken.
    await page.keyboard.type("be")
    await expect(link.filter(has_text="beta.txt")).to_be_focused()
    await page.keyboard.press("F2")
    name = page.get_by_role("dialog").get_by_label("Name")
    await expect(name).to_have_value("beta.txt")
    await page.keyboard.type("gamma")
    await page.keyboard.press("Enter")
    await page.get_by_text("There is something of this name here already").wait_for()
    await name.fill("delta.txt")
    await page.keyboard.press("Enter")
    await row(page, "delta.txt").wait_for()
    # A new folder, what is cut and pasted into it, and back.
    await page.get_by_role("button", name="New folder").click()
    await page.get_by_role("dialog").get_by_label("Name").fill("new")
    await page.keyboard.press("Enter")
    await row(page, "new").wait_for()
    await row(page, "apple.txt").get_by_role("link").focus()
    await page.keyboard.press("Shift+ArrowDown")
    await page.get_by_text("2 selected").wait_for()
    await page.keyboard.press("ControlOrMeta+x")
    await row(page, "new").get_by_role("link").click()
    await page.get_by_role("heading", name="new", level=1).wait_for()
    await page.keyboard.press("ControlOrMeta+v")
    await row(page, "apple.txt").wait_for()
    await row(page, "delta.txt").wait_for()
    assert "new/apple.txt" in await keys_of(member)
    await page.get_by_role("button", name="Undo").last.click()
    await page.get_by_text("Drop files or folders anywhere on this page").wait_for()
    # Dragged onto a folder, and back up by the path.
    await page.get_by_role("link", name="Files", exact=True).last.click()
    await row(page, "apple.txt").drag_to(row(page, "new"))
    await page.get_by_text("Moved apple.txt to new").wait_for()
    assert "new/apple.txt" in await keys_of(member)
    await row(page, "new").get_by_role("link").click()
    path = page.get_by_role("navigation", name="Folder path").get_by_role("link", name="Files")
    await row(page, "apple.txt").drag_to(path)
    await page.get_by_text("Moved apple.txt to Files").wait_for()
    await path.click()
    await row(page, "apple.txt").wait_for()
    # What comes from the device goes into the folder that it is dropped on; what is pasted, where one is.
    await row(page, "new").evaluate(GIVE, ["drop", "dropped.txt"])
    await page.locator("main").evaluate(GIVE, ["paste", "pasted.txt"])
    await page.get_by_role("region", name="Uploads").get_by_text("2 files uploaded").wait_for()
    await row(page, "pasted.txt").wait_for()
    assert "new/dropped.txt" in await keys_of(member)
    # A folder goes as a job, chosen from the menu under the right button.
    await row(page, "old").click(button="right", position={"x": 400, "y": 20})
    await page.get_by_role("menuitem", name="Move to…").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="new").click()
    assert await serious_violations_in_both_modes(page) == []
    await dialog.get_by_role("button", name="Move to new").click()
    await page.get_by_role("progressbar", name="Moving old/ to new/old/").wait_for()
    await hall.drain_jobs()
    await page.get_by_text("Moved folder old with 2 files").wait_for()
    await expect(row(page, "old")).to_have_count(0)
    assert "new/old/two.txt" in await keys_of(member)
    # All of a folder is deleted at once, and back at once.
    await row(page, "new").get_by_role("link").focus()
    await page.keyboard.press("Delete")
    await page.get_by_text("Deleted 4 files").wait_for()
    await expect(row(page, "new")).to_have_count(0)
    await page.keyboard.press("ControlOrMeta+z")
    await row(page, "new").wait_for()


SOURCE = """<h1 style='color:red'>Fair</h1><style>body{color:red}</style><img src=x onerror=alert(1)>
<script>alert(1)</script>"""


async def test_every_kind_of_file_is_shown_without_leaving_the_list(hall, visitor):
    member = hall.acme.member
    long = "".join(f"line {number}\n" for number in range(60_000)).encode()
    contents = {
        "1.png": samples.picture(),
        "2.pdf": samples.pdf("First page", "Second page"),
        "3.docx": samples.word(),
        "4.xlsx": samples.sheet(),
        "5.pptx": samples.slides(),
        "6.html": SOURCE.encode(),
        "7.wav": samples.sound(),
        "8.py": b"def sail():  # at noon\n    return 7\n",
        "9.log": long,
    }
    for key, content in contents.items():
        await put_bytes(member, key, content)
    page = await visitor.open(member, "/files")
    await page.get_by_role("button", name="Show as tiles").click()
    await page.get_by_role("grid").locator("img").nth(1).wait_for()
    assert await serious_violations_in_both_modes(page) == []
    await page.get_by_role("link", name="1.png").focus()
    await page.keyboard.press("Space")
    look = page.get_by_role("dialog")
    await look.get_by_role("img", name="1.png").wait_for()

    async def on():
        await look.get_by_role("button", name="Next file").press("ArrowRight")

    await on()
    await look.get_by_text("First page", exact=True).wait_for()
    await look.get_by_text("Page 1 of 2").wait_for()
    await on()
    await look.get_by_role("heading", name="Harbour plan", level=2).wait_for()
    await look.locator("strong", has_text="Monday").wait_for()
    await look.get_by_text("2.Cast off").wait_for()
    await look.get_by_role("cell", name="Seven").wait_for()
    assert await serious_violations_in_both_modes(page) == []
    await on()
    for text in ("Quay rent", "Jan 1, 2026", "25.60%"):
        await look.get_by_role("cell", name=text).wait_for()
    await on()
    await look.get_by_text("Opens in May").wait_for()
    await on()
    frame = look.frame_locator("iframe")
    await frame.get_by_role("heading", name="Fair").wait_for()
    assert await frame.locator("script, style, [onerror]").count() == 0
    await on()
    await wait_until(page, "document.querySelector('audio')?.duration > 1.9")
    await page.evaluate("document.querySelector('audio').currentTime = 1.5")
    await wait_until(page, "!document.querySelector('audio').seeking")
    await on()
    await look.locator("span", has_text="# at noon").wait_for()
    await on()
    await look.get_by_text("524 kB of 649 kB are shown").wait_for()
    await look.get_by_role("button", name="Show the next part").click()
    await look.get_by_text("649 kB of 649 kB are shown").wait_for()
    await page.keyboard.press("Escape")
    await expect(look).to_have_count(0)
    # It stays so, and the details are beside the list.
    await page.reload()
    await page.get_by_role("button", name="Details", exact=True).click()
    await page.get_by_role("link", name="2.pdf").focus()
    about = page.get_by_role("complementary", name="About this file")
    await about.get_by_text("application/pdf").wait_for()
    assert await serious_violations_in_both_modes(page) == []


@pytest.mark.long_form
async def test_pdfs_of_pictures_and_of_asian_scripts_are_shown(hall, visitor):
    member = hall.acme.member
    scanned = await put_bytes(member, "1.pdf", samples.scan())
    await put_bytes(member, "2.pdf", samples.chinese_pdf("你好"))
    page = await visitor.open(member, "/files")
    await page.get_by_role("link", name="1.pdf").focus()
    await page.keyboard.press("Space")
    look = page.get_by_role("dialog")
    await look.get_by_text("This PDF is a picture of its pages").wait_for()
    await look.get_by_role("group", name="Page 1").locator("canvas").wait_for()
    assert await serious_violations(page) == []
    await look.get_by_role("button", name="Next file").press("ArrowRight")
    await look.get_by_role("group", name="Page 1").get_by_text("你好").wait_for()
    await expect(look.get_by_text("This PDF is a picture of its pages")).to_have_count(0)
    await hall.drain_jobs()
    await go(page, f"/files/{scanned['id']}?show=text")
    await page.get_by_text("there is no text in it to search or select").wait_for()


@pytest.mark.long_form
async def test_a_folder_that_goes_where_one_of_its_name_is_asks_and_can_go_back(hall, visitor):
    member = hall.acme.member
    before = ["in/plans/", "in/plans/a.txt", "in/plans/same.txt", "plans/", "plans/b.txt", "plans/same.txt"]
    for key in before:
        await put_bytes(member, key, b"" if key.endswith("/") else key.encode())

    async def move(choice):
        await row(page, "plans").get_by_role("link").focus()
        await page.keyboard.press("ControlOrMeta+x")
        await row(page, "in").get_by_role("link").click()
        await row(page, "plans").wait_for()
        await page.keyboard.press("ControlOrMeta+v")
        asked = page.get_by_role("dialog", name="There is a folder plans already")
        await asked.wait_for()
        assert await serious_violations(page) == []
        await asked.get_by_role("button", name=choice).click()
        await expect(asked).to_have_count(0)

    page = await visitor.open(member, "/files")
    await row(page, "plans").wait_for()
    await move("Cancel")
    assert await keys_of(member) == before
    await go(page, "/files")
    await move("Keep both")
    await page.get_by_role("progressbar").wait_for()
    await hall.drain_jobs()
    await page.get_by_text("Moved folder plans with 3 files").wait_for()
    await row(page, "plans (2)").wait_for()
    assert "in/plans (2)/same.txt" in await keys_of(member)
    await page.keyboard.press("ControlOrMeta+z")
    await page.get_by_role("progressbar").wait_for()
    await hall.drain_jobs()
    await expect(row(page, "plans (2)")).to_have_count(0)
    assert await keys_of(member) == before
    await go(page, "/files")
    await row(page, "plans").wait_for()
    await move("Merge")
    await page.get_by_role("progressbar").wait_for()
    await hall.drain_jobs()
    # Of two files of one name each is where it was.
    await page.get_by_text("Merged plans: 1 file moved").wait_for()
    await page.get_by_role("alert").get_by_text("plans/same.txt").wait_for()
    merged = [key for key in before if key != "plans/b.txt"]
    assert await keys_of(member) == sorted([*merged, "in/plans/b.txt"])
    await page.keyboard.press("ControlOrMeta+z")
    await settled(page)
    assert await keys_of(member) == before


@pytest.mark.long_form
async def test_a_team_says_for_how_long_its_bucket_keeps_things(hall, visitor):
    page = await visitor.open(hall.acme.admin, "/s3-keys", allowed=[REFUSED])
    await page.get_by_text("rclone", exact=True).click()
    await page.get_by_role("region", name="rclone").get_by_text("secret_access_key = <secret").wait_for()
    await page.get_by_role("button", name="New rule").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name").fill("tidy")
    await dialog.get_by_label("Days").fill("soon")
    await dialog.get_by_role("button", name="Save rule").click()
    await dialog.get_by_text("Days must be a whole number").wait_for()
    await dialog.get_by_label("Days").fill("30")
    await dialog.get_by_label("Newest old versions to keep").fill("5")
    await dialog.get_by_role("button", name="Save rule").click()
    rules = page.get_by_role("table", name="How long things are kept")
    await rules.get_by_text("Old versions go after 30 days, but for the newest 5.").wait_for()
    await page.get_by_text("These rules hold from").wait_for()
    assert await serious_violations_in_both_modes(page) == []
    await rules.get_by_role("button", name="Delete: tidy").click()
    await page.get_by_text("No rule: nothing is thrown away.").wait_for()
    await page.get_by_role("button", name="Undo").last.click()
    await rules.get_by_text("tidy", exact=True).wait_for()
    stored = (await hall.acme.admin.get("/api/repo-lifecycle")).json()["rules"]
    assert [(rule["id"], rule["old_version_days"]) for rule in stored] == [("tidy", 30)]
