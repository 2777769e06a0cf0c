"""Screens that a stranger's wheel ships: loaded, translated, themed, switched off, contained as ours are."""

import json
import re

import pytest

from tests.console.visitor import serious_violations_in_both_modes

DESK = {"width": 1440, "height": 900}
_SIGN_IN = "sessionStorage.setItem('guildhall.session', %s)"
_COUNT = "window.awaited = 0"


@pytest.fixture
def visit(served, open_page):
    """`page = await visit("acme.member", "/loans")`: the console of the server that the wheels run."""

    async def visit(person, path, **options):
        page = await open_page(viewport=DESK, reduced_motion="reduce", **{"locale": "en-GB", **options})
        session = json.dumps({"token": served.tokens[person], "expiresAt": None, "kept": False})
        await page.add_init_script(f"{_COUNT}; {_SIGN_IN % json.dumps(session)}")
        await page.goto(served.base_url + path)
        return page

    return visit


async def test_a_list_a_detail_page_a_form_an_upload_and_a_chart(served, visit):
    page = await visit("acme.member", "/")
    async with page.expect_response(lambda answer: "/api/ui/events" in answer.url):
        await page.get_by_role("link", name="Loans").click()
    await page.get_by_role("heading", name="Loans", level=1).wait_for()
    await page.get_by_label("What it is").fill("Ladder of seven steps")
    await page.get_by_role("button", name="Add", exact=True).click()
    await page.get_by_text("Added: Ladder of seven steps").wait_for()
    await page.get_by_role("img", name="What comes back when").wait_for()
    # What somebody else adds meanwhile comes by itself.
    headers = {"Authorization": f"Bearer {served.tokens['acme.member']}"}
    await page.request.post(f"{served.base_url}/api/loans", headers=headers, data={"label": "Tent"})
    await page.get_by_role("main").get_by_text("Tent").first.wait_for()
    async with page.expect_file_chooser() as chooser:
        await page.get_by_role("button", name="Upload").click()
    await (await chooser.value).set_files({"name": "rope.txt", "mimeType": "text/plain", "buffer": b"a rope"})
    await page.get_by_text("rope.txt is here, 6 B").wait_for()
    assert await serious_violations_in_both_modes(page) == []

    await page.get_by_role("main").get_by_text("Ladder of seven steps").click()
    await page.get_by_role("heading", name="Ladder of seven steps", level=1).wait_for()
    await page.get_by_label("Borrower").fill("Grace")
    await page.get_by_role("button", name="Lend").click()
    await page.get_by_role("dialog").get_by_role("button", name="Lend").click()
    await page.locator("dd", has_text="Grace").wait_for()
    await page.go_back()
    await page.get_by_role("heading", name="Loans", level=1).wait_for()

    # What it adds to home, the keys and the palette is loaded as that of ours is.
    await page.goto(served.base_url + "/")
    waiting = page.get_by_role("region", name="Lent out")
    await waiting.get_by_role("link", name="Ladder of seven steps").wait_for()
    await page.get_by_role("link", name="Something new").wait_for()
    await page.keyboard.press("g")
    await page.keyboard.press("b")
    await page.get_by_role("heading", name="Loans", level=1).wait_for()


async def test_it_speaks_the_readers_language_and_is_found_by_the_palette(served, visit):
    served.call("acme.owner", "POST", "/api/loans", {"label": "Spotlight of the theatre"})
    served.call("acme.owner", "POST", "/api/profile", {"locale": "es"})
    page = await visit("acme.owner", "/loans")
    await page.get_by_role("heading", name="Préstamos", level=1).wait_for()
    await page.get_by_role("link", name="Préstamos").wait_for()
    await page.keyboard.press("Control+k")
    await page.get_by_role("combobox").fill("spotlight")
    palette = page.get_by_role("dialog")
    await palette.get_by_role("option", name=re.compile("Spotlight of the theatre")).click()
    await page.get_by_role("heading", name="Spotlight of the theatre", level=1).wait_for()


async def test_what_breaks_is_contained_and_named(visit):
    page = await visit("acme.member", "/loans-out-of-order", allowed=["out of order"])
    alert = page.get_by_role("alert")
    await alert.get_by_text("This screen belongs to the plugin loans.").wait_for()
    await page.get_by_role("link", name="Notes").click()
    await page.get_by_role("heading", name="Notes", level=1).wait_for()


async def test_switched_off_it_leaves_no_trace(served, visit):
    switch = served.call("globex.owner", "POST", "/api/plugins/loans", {"enabled": False})
    assert switch.status_code == 200, switch.text
    page = await visit("globex.owner", "/")
    await page.get_by_role("link", name="Notes").wait_for()
    assert await page.get_by_role("link", name="Loans").count() == 0
    await page.goto(served.base_url + "/loans")
    await page.get_by_text("Loans is off for your team.").wait_for()


def test_a_module_is_kept_for_ever_at_an_address_of_its_content(served):
    screens = served.call("acme.member", "GET", "/api/ui").json()["screens"]
    (loans,) = (screen for screen in screens if screen["name"] == "loans")
    assert re.fullmatch(r"/ui/loans/[0-9a-f]{32}/index\.js", loans["module"])
    with served.bearing(None) as nobody:
        module = nobody.get(loans["module"])
        assert module.headers["content-type"].startswith("text/javascript")
        assert module.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert 'from"@guildhall/console"' in module.text.replace(" ", "")
        assert nobody.get(re.sub(r"[0-9a-f]{32}", "0" * 32, loans["module"])).status_code == 404
        policy = nobody.get("/").headers["content-security-policy"]
    assert re.search(r"script-src 'self' 'sha256-[A-Za-z0-9+/]{43}='; ", policy)
