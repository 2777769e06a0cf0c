"""Localization: texts are translated by the keyboard, reviewed by another, and served."""

import pytest
from playwright.async_api import expect

from tests.console.visitor import go, settled

pytestmark = pytest.mark.hall_databases("sqlite")


@pytest.fixture
async def french(hall):
    """A localization manager who has opened French, in which everything is missing."""
    localizer = await hall.join(hall.acme, "localizer")
    for body in ({}, {"locale": "fr"}):
        assert (await localizer.post("/api/l10n/import", body)).status_code == 200
    return localizer


async def try_tabs(page, role):
    await page.get_by_role("heading", name="French").wait_for()
    await expect(page.get_by_role("link", name="Review")).to_have_count(int(role != "translator"))
    await expect(page.get_by_role("button", name="Import from files")).to_have_count(int(role == "localizer"))
    for tab in await page.locator("main nav a").all():
        await tab.click()
        await settled(page)


async def test_a_translation_is_submitted_by_the_keyboard_and_approved_by_another(hall, visitor, french):
    translator, reviewer = await hall.join(hall.acme, "translator"), await hall.join(hall.acme, "reviewer")
    page = await visitor.open(translator, "/localize")
    await try_tabs(page, "translator")
    await go(page, "/localize/translate?locale=fr&status=missing&ns=nav")
    await page.get_by_role("button", name="Start translating").press("Enter")
    await page.get_by_role("region", name="nav.account").wait_for()
    await page.keyboard.type("Compte")
    await page.keyboard.press("Control+Enter")
    # The next one is there to be typed in at once.
    await page.wait_for_url(lambda url: "key=nav.account" not in url)
    field = page.get_by_label("Translation", exact=True)
    await page.get_by_text("Submitted: nav.account").wait_for()
    await page.keyboard.type("Journal d’audi")
    await page.reload()
    await field.wait_for()
    await expect(field).to_have_value("Journal d’audi")
    await page.get_by_text("Your draft is kept on this device.").wait_for()

    review = await visitor.open(reviewer, "/localize/review")
    await review.get_by_role("option", name="Compte").click()
    await review.get_by_text("Nothing is served in this language yet.").wait_for()
    await review.keyboard.press("Control+Enter")
    await review.get_by_text("Nothing waits for your review.").wait_for()
    messages = (await french.get("/api/l10n/messages?locale=fr&status=approved")).json()["items"]
    assert [(one["key"], one["text"], one["reviewed_by"]) for one in messages] == [
        ("nav.account", "Compte", reviewer.user_id)
    ]


@pytest.mark.long_form
async def test_faults_show_while_typing_and_nothing_typed_is_lost_to_another(hall, visitor, french):
    translator, other = await hall.join(hall.acme, "translator"), await hall.join(hall.acme, "reviewer")
    allowed = [r"status of (400|412)"]
    page = await visitor.open(translator, "/localize/translate?locale=fr&key=files.count", allowed=allowed)
    field = page.get_by_label("Translation", exact=True)
    await field.fill("{n} fichiers")
    await page.get_by_text("{count} is missing").wait_for()
    await page.get_by_text("{n} is not in the English").wait_for()
    await field.fill("{count, plural, one {# fichier} other {# fichiers}}")
    await page.get_by_text("Placeholders fit").wait_for()
    await page.get_by_text("1 fichier", exact=True).wait_for()

    theirs = "{count, plural, one {# document} other {# documents}}"
    (message,) = (await other.get("/api/l10n/messages?locale=fr&q=files.count")).json()["items"]
    assert (await other.put(f"/api/l10n/messages/{message['id']}", {"text": theirs})).status_code == 200
    await field.press("Control+Enter")
    await page.get_by_text("Somebody changed this text while you wrote.").wait_for()
    await page.get_by_role("button", name="Keep mine").click()
    await field.press("Control+Enter")
    await page.get_by_text("Submitted: files.count").wait_for()

    # Whoever wrote the text is told that somebody else decides.
    mine = await visitor.open(french, "/localize/translate?locale=fr&key=nav.home")
    await mine.get_by_label("Translation", exact=True).fill("Accueil")
    await mine.keyboard.press("Control+Enter")
    await mine.get_by_text("Submitted: nav.home").wait_for()
    await mine.get_by_role("link", name="Review").click()
    await mine.get_by_role("option", name="Accueil").click()
    await mine.get_by_text("somebody else has to review it").wait_for()
    assert await mine.get_by_role("button", name="Approve").count() == 0


@pytest.mark.long_form
@pytest.mark.parametrize("role", ["reviewer", "localizer"])
async def test_everybody_is_shown_what_they_may_do_and_asks_for_nothing_that_is_refused(
    hall, visitor, french, role
):
    await try_tabs(await visitor.open(await hall.join(hall.acme, role), "/localize"), role)


@pytest.mark.long_form
async def test_an_operator_sets_the_policy_and_a_draft_comes_with_its_progress(hall, visitor, french):
    page = await visitor.open(hall.operator, "/localize/languages")
    await page.get_by_role("switch", name="People may choose their language").press("Space")
    await page.get_by_text("Saved", exact=True).wait_for()
    config = (await hall.anonymous.get("/api/config")).json()
    assert config["localization"]["switching"] is False
    await page.get_by_label("Language tag").fill("pt-br")
    await page.keyboard.press("Enter")
    await page.get_by_role("cell", name="pt-BR").wait_for()

    await page.get_by_role("link", name="Coverage").click()
    await page.get_by_role("button", name="More actions: French").click()
    await page.get_by_role("menuitem", name="Draft what is missing").click()
    await page.get_by_role("progressbar").wait_for()
    await page.get_by_role("button", name="Stop").click()
    await hall.drain_jobs()
    await page.reload()
    await page.get_by_role("link", name="20 Machine draft").wait_for()
