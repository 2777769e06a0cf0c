"""The operator's screens: companies made, limited and suspended, and what the instance is made of."""

import json
from pathlib import Path

import pytest
from playwright.async_api import expect

from builtin_plugins.installing.tests.test_approvals import shelf
from builtin_plugins.mcp.tests.conftest import Plan, Servers
from builtin_plugins.oop.tests.folders import Programs, until
from guildhall_sdk.dimensions import Quotas
from guildhall_testing.people import PASSWORD
from tests.console.visitor import REFUSED, go, serious_violations_in_both_modes, visiting

pytestmark = pytest.mark.hall_databases("sqlite")
SHIPPED = Path(__file__).parents[2] / "plugins"


@pytest.mark.long_form
async def test_a_company_is_made_with_its_owner_and_limited(hall, visitor):
    page = await visitor.open(hall.operator, "/instance/companies", allowed=[REFUSED])
    await page.get_by_role("button", name="New company").click()
    await page.get_by_label("Company name").fill("Analytical Engines")
    await page.get_by_label("Username").fill(hall.acme.owner.username)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_label("Hostname").fill("not a hostname")
    await page.get_by_role("button", name="Create company").click()
    # The fault stands at its field, and nothing that was typed is lost.
    await expect(page.get_by_label("Hostname")).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_label("Company name")).to_have_value("Analytical Engines")
    await page.get_by_label("Hostname").fill("engines.example")
    await page.get_by_label("Username").fill("ada.lovelace")
    # Without a password the owner chooses it by the link.
    await page.get_by_label("Password").fill("")
    await page.get_by_label("Password").press("Enter")
    await page.get_by_role("heading", name="Analytical Engines created").wait_for()
    link = await page.get_by_label("Link to choose a password").input_value()
    visit = await visitor.open(path=link.removeprefix(hall.base_url))
    await visit.get_by_text("Welcome, ada.lovelace").wait_for()
    await page.get_by_role("button", name="Open company").click()

    await page.get_by_role("heading", name="Analytical Engines", level=1).wait_for()
    await page.get_by_role("button", name="Edit: AI requests, a day").click()
    await page.get_by_role("textbox", name="Limit").fill("12")
    await page.get_by_role("button", name="Set limit").click()
    row = page.get_by_role("row", name="AI requests a day")
    await expect(row).to_contain_text("12")
    await page.get_by_role("button", name="Plan").click()
    await page.get_by_role("option", name="Free").click()
    await page.get_by_role("button", name="Save changes").click()
    await expect(row).to_contain_text("200")
    (made,) = [
        one
        for one in (await hall.operator.get("/api/orgs")).json()["items"]
        if one["slug"] == "analytical-engines"
    ]
    assert (made["plan"], made["domain"]) == ("free", "engines.example")

    await go(page, "/usage")
    await page.get_by_role("button", name="Edit: AI requests, a day").click()
    await page.get_by_role("textbox", name="Limit").fill("40")
    await page.get_by_role("button", name="Set limit").click()
    team = page.get_by_role("region", name="This team")
    await expect(team.get_by_role("meter", name="AI requests")).to_have_count(1)
    await expect(team).to_contain_text("0 of 40 a day")


async def test_a_company_is_suspended_while_somebody_writes_and_nothing_is_lost(hall, visitor):
    editor = await visitor.open(hall.acme.member, "/notes/new", allowed=[REFUSED])
    operator = await visitor.open(hall.operator, f"/instance/companies/{hall.acme.slug}")
    await operator.get_by_role("button", name="Suspend").click()
    dialog = operator.get_by_role("dialog")
    suspend = dialog.get_by_role("button", name="Suspend")
    await expect(suspend).to_be_disabled()
    await dialog.get_by_label("Type “Acme” to confirm").fill("Acme")
    await suspend.click()
    await operator.get_by_role("button", name="Resume").wait_for()

    await editor.get_by_label("Title").fill("Half a thought")
    await editor.keyboard.press("Control+s")
    await expect(editor.locator("main")).to_contain_text("suspended")
    await expect(editor.get_by_label("Title")).to_have_value("Half a thought")
    await operator.get_by_role("button", name="Resume").click()
    await operator.get_by_role("button", name="Suspend").wait_for()
    await editor.get_by_label("Title").press("Control+s")
    await editor.wait_for_url("**/notes/note_*")
    notes = (await hall.acme.member.get("/api/notes")).json()["items"]
    assert [note["title"] for note in notes] == ["Half a thought"]


async def test_a_plugin_is_switched_for_the_team_and_what_is_broken_says_why(open_hall, open_page, tmp_path):
    broken = tmp_path / "broken"
    broken.mkdir()
    manifest = {"id": "broken", "name": "Broken", "version": "1", "description": "Is.", "entry": "plugin.py"}
    (broken / "plugin.json").write_text(json.dumps(manifest))
    (broken / "plugin.py").write_text("raise RuntimeError('out of paper')\n")
    opening = open_hall(SERVICE_PLUGINS=f"{SHIPPED}:{tmp_path}")
    async with visiting(opening, open_page) as (hall, visitor):
        page = await visitor.open(hall.operator, "/instance/plugins")
        await expect(page.get_by_role("row", name="Broken")).to_contain_text("out of paper")
        (broken / "plugin.json").write_text(json.dumps({**manifest, "version": "2"}))
        await page.reload()
        newer = "2 is installed, 1 is running: restart the server"
        await expect(page.get_by_role("row", name="Broken")).to_contain_text(newer)
        switch = page.get_by_role("switch", name="On for this team: Integrator demo")
        await page.get_by_role("row", name="Integrator demo").get_by_role("switch").focus()
        await page.keyboard.press("Space")
        await expect(switch).not_to_be_checked()
        await page.get_by_label("Search").fill("integr")
        await expect(page.get_by_role("row")).to_have_count(2)
        await page.reload()
        await expect(switch).not_to_be_checked()
        await switch.focus()
        await page.keyboard.press("Space")
        await expect(switch).to_be_checked()


@pytest.mark.long_form
async def test_an_executor_is_added_and_retired(hall, visitor):
    page = await visitor.open(hall.operator, "/instance/executors")
    await page.get_by_role("button", name="New executor").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name").fill("gpu-1")
    await dialog.get_by_role("button", name="Mode").click()
    await page.get_by_role("option", name="Workers").click()
    await dialog.get_by_role("button", name="Create executor").click()
    await expect(dialog).to_contain_text("ghw_")
    await dialog.get_by_role("button", name="Close").click()
    row = page.get_by_role("row", name="gpu-1")
    await row.get_by_role("button", name="More actions: gpu-1").click()
    await page.get_by_role("menuitem", name="Retire").click()
    await page.get_by_label("Type “gpu-1” to confirm").fill("gpu-1")
    await page.get_by_role("dialog").get_by_role("button", name="Retire").click()
    await expect(row).to_have_count(0)


@pytest.mark.long_form
async def test_what_waits_for_an_operator_is_allowed(open_hall, open_page, tmp_path):
    servers = tmp_path / "mcp.json"
    servers.write_text(json.dumps({"mcpServers": {"rough": Plan(tmp_path / "plan.json").entry()}}))
    programs = Programs(tmp_path / "programs").add("reader")
    opening = open_hall(SERVICE_MCP=str(servers), SERVICE_OOP=str(programs.root), SERVICE_DEMO="on")
    async with visiting(opening, open_page) as (hall, visitor):
        await Servers(hall).until("rough", lambda item: item["status"] == "needs_approval")
        page = await visitor.open(hall.operator, "/instance/mcp")
        await page.get_by_role("button", name="Approve: mcp__rough__echo").click()
        await page.get_by_role("region", name="rough", exact=True).get_by_text("Connected").wait_for()

        await until(hall, lambda items: items["reader"]["status"] == "connected")
        await go(page, "/instance/sandboxed")
        await page.get_by_role("checkbox", name="notes:read").focus()
        await page.keyboard.press("Space")
        await page.get_by_role("button", name="Grant").click()
        await page.get_by_text("Saved").wait_for()
        await until(hall, lambda items: items["reader"]["granted"] == ["notes:read"])

        await go(page, "/instance/companies")
        await page.get_by_role("button", name="Add demo companies").click()
        people = page.get_by_role("dialog").get_by_role("row")
        await expect(people.filter(has_text="Juniper Street Bakery")).not_to_have_count(0)
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("option").filter(has_text="demo-")).to_have_count(2)


async def test_what_a_newer_version_adds_is_approved_and_a_refusal_says_why(
    open_again, open_page, monkeypatch
):
    monkeypatch.setattr("builtin_plugins.installing.approvals._is_source", lambda plugin_id: False)
    async with open_again(shelf("1.0")):
        pass
    async with visiting(open_again(shelf("2.0", more=True)), open_page) as (hall, visitor):
        for _ in range(2):
            assert (await hall.acme.member.get("/api/x/shelf/items")).status_code == 200
        page = await visitor.open(hall.operator, "/instance/plugins")
        await page.get_by_text("4 new rights wait for approval").wait_for()
        await page.get_by_role("link", name="Shelf", exact=True).click()
        held = page.get_by_role("region", name="Waits for approval")
        rights = [
            "Job kind x.shelf.sort",
            "Permission shelf:write",
            "Route GET /api/shelf/open (public)",
            "Route POST /api/x/shelf/items (shelf:write)",
        ]
        await expect(held.get_by_role("listitem")).to_have_text(rights, use_inner_text=True)
        activity = page.get_by_role("region", name="Since the server’s start")
        await expect(activity.locator("div", has_text="Calls").locator("dd").first).to_have_text("2")
        await held.get_by_role("button", name="Approve all of it").click()
        await expect(held).to_have_count(0)
        assert (await hall.acme.member.post("/api/x/shelf/items")).status_code == 200


async def test_why_something_is_refused_is_shown_gate_by_gate_to_who_may_know(hall, visitor):
    for client, may_know in ((hall.acme.admin, True), (hall.acme.member, False)):
        page = await visitor.open(client, "/notes/new", allowed=[REFUSED])
        await page.get_by_label("Title").fill("One too many")
        async with hall.server.data.write() as writer:
            quotas = hall.server.service(Quotas)
            await quotas.set_limit(writer, "team", hall.acme.team_id, "storage.bytes", "none", 0)
        await page.get_by_label("Title").press("Control+s")
        refusal = page.get_by_role("alert")
        await refusal.get_by_text("Details").wait_for()
        why = refusal.get_by_role("button", name="Why?")
        await expect(why).to_have_count(int(may_know))
        if may_know:
            await why.click()
            gates = page.get_by_role("dialog", name="Why this was refused").get_by_role("listitem")
            await expect(gates).to_have_count(6)
            await expect(gates.last).to_contain_text("Quota")
            await expect(gates.last).to_contain_text("of 0 storage.bytes are used")
            await expect(gates.last).to_contain_text("Who has instance:manage sets limits")
            assert await serious_violations_in_both_modes(page) == []
