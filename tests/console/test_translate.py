"""Translating by the team's glossary, and the glossary itself."""

import json
import re

import pytest
from playwright.async_api import expect

from tests.console.visitor import REFUSED, visiting

pytestmark = pytest.mark.hall_databases("sqlite")


async def test_a_text_is_translated_by_a_glossary_that_an_admin_writes(open_hall, open_page):
    async with visiting(open_hall(with_model=True), open_page) as (hall, visitor):
        admin = await visitor.open(hall.acme.admin, "/glossary?target=es", allowed=[REFUSED])
        await admin.get_by_role("button", name="Add term").click()
        dialog = admin.get_by_role("dialog")
        await dialog.get_by_label("Term", exact=True).fill("purchase order")
        await dialog.get_by_label("Translation").fill("pedido")
        await dialog.get_by_label("Note").fill("The document, not the act.")
        await admin.keyboard.press("Tab")
        await dialog.get_by_role("button", name="Add term").click()
        await admin.get_by_role("option", name="purchase order").click()
        await dialog.get_by_label("Translation").fill("orden de compra")
        await admin.keyboard.press("Enter")
        await expect(admin.get_by_role("option")).to_contain_text("orden de compra")

        page = await visitor.open(hall.acme.member, "/translate?to=es")
        answer = {"text": "La orden de compra llega tarde.", "source": "en"}
        hall.model.say(json.dumps(answer))
        await page.get_by_label("Text to translate").fill("The Purchase Order is late.")
        await page.keyboard.press("Control+Enter")
        result = page.get_by_role("region", name="Translation")
        await expect(result).to_have_text("La orden de compra llega tarde.")
        await expect(result.locator("mark")).to_have_text("orden de compra")
        await expect(page.locator("[aria-hidden] mark")).to_have_text("Purchase Order")
        await expect(page.get_by_role("list", name="Glossary")).to_contain_text("orden de compra")
        await page.get_by_role("button", name="Swap languages").click()
        await expect(page.get_by_label("Text to translate")).to_have_value("La orden de compra llega tarde.")
        assert page.url.endswith("?to=en&from=es")
        await page.get_by_role("button", name="Undo").click()
        await expect(page.get_by_label("Text to translate")).to_have_value("The Purchase Order is late.")
        await expect(result).to_have_text("La orden de compra llega tarde.")
        assert page.url.endswith("?to=es")
        await page.get_by_role("button", name="Swap languages").click()
        await page.get_by_role("option", name="The Purchase Order is late.").click()
        await expect(result).to_contain_text("llega tarde")
        kept = page.get_by_role("option", name="The Purchase Order is late.")
        for is_undone in (True, False):
            await page.get_by_role("button", name="More actions: Translation").click()
            await page.get_by_role("menuitem", name="Remove from the history").click()
            await expect(kept).to_have_count(0)
            removed = page.locator("div", has_text=re.compile("^Removed from the history")).last
            await removed.get_by_role("button", name="Undo" if is_undone else "Close").click()
            await expect(kept).to_have_count(int(is_undone))
        await expect(page.get_by_text("What your team translates is listed here")).to_be_visible()
        assert (await hall.acme.member.get("/api/translate")).json()["items"] == []

        await admin.get_by_role("option").click()
        await dialog.get_by_role("button", name="Remove term").click()
        await expect(admin.get_by_text("There are no terms for this language.")).to_be_visible()
        await admin.get_by_role("button", name="Undo").click()
        await expect(admin.get_by_role("option")).to_contain_text("orden de compra")
        await admin.reload()
        await expect(admin.get_by_role("option")).to_contain_text("orden de compra")

        await admin.get_by_role("button", name="Import terms").click()
        table = dialog.get_by_role("textbox", name="Terms")
        await table.fill("quay\tmuelle\tNot the wall.\n\nberth")
        await dialog.get_by_role("button", name="Import 2 terms").click()
        # Half a line stops it there; what stands before it is in.
        await expect(dialog.get_by_role("alert").first).to_contain_text("Stopped at line 2: berth")
        await expect(admin.locator("[role=option]", has_text="muelle")).to_have_count(1)
        await table.fill("quay\tmuelle\nberth\tatraque")
        await dialog.get_by_role("button", name="Import 2 terms").click()
        await expect(admin.get_by_role("option")).to_have_count(3)


@pytest.mark.long_form
async def test_without_a_model_it_is_said_and_what_is_refused_is_not_lost(hall, visitor, tmp_path):
    page = await visitor.open(hall.acme.member, "/translate?from=en&to=nl", allowed=[REFUSED])
    text = page.get_by_label("Text to translate")
    await text.fill("x" * 100_001)
    await expect(page.get_by_text("1 character too many")).to_be_visible()
    await expect(page.get_by_role("button", name="Translate", exact=True)).to_be_disabled()
    await text.fill("<b>The bridge</b> is \u202ekept.")
    await page.get_by_role("button", name="Translate", exact=True).click()
    await expect(page.get_by_text("Without a real model the text stays as it is.")).to_be_visible()
    await expect(page.get_by_role("region", name="Translation")).to_contain_text("<b>The bridge</b>")
    await page.reload()
    await expect(text).to_have_value("<b>The bridge</b> is \u202ekept.")

    await page.get_by_role("link", name="Translate a catalog").click()
    catalog = {"menu": {"open": "Open {name}", "broken": "Open {name"}}
    file = {"name": "menu.en.json", "mimeType": "application/json", "buffer": json.dumps(catalog).encode()}
    await page.get_by_label("Catalog file").set_input_files([{**file, "buffer": b"[]"}])
    await expect(page.get_by_role("alert")).to_have_text("There are no messages by key in this file.")
    await page.get_by_label("Catalog file").set_input_files([file])
    await page.get_by_role("button", name="Translate", exact=True).click()
    await expect(page.get_by_role("row", name="menu.broken")).to_contain_text("no ICU message")
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Download").click()
    saved = await download.value
    await saved.save_as(tmp_path / "saved.json")
    assert saved.suggested_filename == "menu.nl.json"
    assert json.loads((tmp_path / "saved.json").read_text()) == catalog
    await page.go_back()
    await hall.acme.admin.post("/api/features/translate", {"enabled": False})
    await text.fill("Once more.")
    await page.get_by_role("button", name="Translate", exact=True).click()
    await expect(page.get_by_role("alert")).to_contain_text("is off for your team")
    # It is told above what is open, which stays.
    await expect(page.get_by_text("still yours to copy")).to_be_visible()
    await expect(page.get_by_role("link", name="Translate", exact=True)).to_have_count(0)
    await expect(text).to_have_value("Once more.")
    await page.reload()
    await expect(page.get_by_text("Translate is off for your team. An admin")).to_be_visible()
