"""Workflows, runs and triggers at the console: what is run, followed, run again, published and fired."""

import asyncio
import json
import signal
from contextlib import asynccontextmanager

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.console.toys import SPEC, Toys
from tests.console.visitor import PHONE, REFUSED, go, serious_violations, settled, wait_until
from tests.process.conftest import serving
from tests.processes import free_port

pytestmark = pytest.mark.hall_databases("sqlite")
SLUG = SPEC["slug"]
RUN = f"/api/workflows/{SLUG}/run"


@pytest.fixture
def toys():
    return Toys()


@pytest_asyncio.fixture(loop_scope="session")
async def hall(open_hall, toys):
    async with open_hall(toys.plugin()) as opened:
        await opened.acme.admin.call("POST", "/api/workflows", SPEC)
        yield opened


@asynccontextmanager
async def working(hall):
    """Jobs are done as long as the block lasts."""

    async def work():
        while True:
            await hall.drain_jobs()
            await asyncio.sleep(0.01)

    task = asyncio.create_task(work())
    try:
        yield
    finally:
        task.cancel()


async def says(page, state):
    """Until the run that is open has this state."""
    await (
        page.get_by_role("heading", level=1).locator("xpath=../..").get_by_text(state, exact=True).wait_for()
    )


async def test_a_run_is_started_by_its_form_and_followed_to_its_end(hall, visitor, toys):
    toys.hold("two")
    allowed = ["INTERNET_DISCONNECTED", f"{REFUSED} 429"]
    page = await visitor.open(hall.acme.member, "/workflows", allowed=allowed)
    await page.get_by_role("option", name="Say words").click()
    await page.get_by_role("list", name="Steps").get_by_text("For each item").wait_for()
    await page.get_by_role("button", name="Run", exact=True).click()
    await page.get_by_role("button", name="Run", exact=True).click()
    await page.get_by_text("This is required.").wait_for()
    await page.get_by_label("words").fill("one\ntwo\nthree")
    async with working(hall):
        await page.get_by_role("button", name="Run", exact=True).click()
        taken = page.get_by_role("list", name="Steps taken")
        await taken.get_by_text("2 of 3 done").wait_for()
        await says(page, "Running")
        await page.locator(".react-flow__node", has_text="each").get_by_text("2 / 3").wait_for()
        toys.release()
        await says(page, "Succeeded")
    await taken.get_by_text("3 of 3 done").wait_for()
    await page.reload()
    await says(page, "Succeeded")
    await taken.get_by_role("button", name="each").click()
    await page.get_by_role("region", name="Step each").get_by_text('"result": "three"').wait_for()
    assert "step=2" in page.url
    await page.get_by_role("button", name="Run again").click()
    words = page.get_by_label("words")
    await expect(words).to_have_value("one\ntwo\nthree")
    # What is typed stays when what it is about cannot be looked up again.
    await words.fill("four")
    limited = {"title": "", "status": 429, "detail": "", "code": "rate_limited"}
    await page.route(f"**/api/workflows/{SLUG}*", lambda route: route.fulfill(status=429, json=limited))
    await page.context.set_offline(True)
    await page.get_by_text("The server cannot be reached").wait_for()
    async with page.expect_response(f"**/api/workflows/{SLUG}*"):
        await page.context.set_offline(False)
    await settled(page)
    await expect(words).to_have_value("four")


@pytest.mark.long_form
async def test_the_steps_of_a_run_stay_where_they_are_when_its_drawing_comes(hall, visitor):
    """A list that moved under the pointer would lose the click."""
    run = (await hall.acme.member.post(RUN, {"input": {"words": ["one"]}})).json()
    await hall.drain_jobs()
    page = await visitor.open(hall.acme.member, "/workflows")
    held = asyncio.Event()

    async def hold(route):
        await held.wait()
        await route.continue_()

    await page.route(f"**/api/workflows/{SLUG}?version=*", hold)
    await go_at_once(page, f"/runs/{run['id']}")
    taken = page.get_by_role("list", name="Steps taken")
    await taken.get_by_role("button", name="each").wait_for()
    before = await taken.bounding_box()
    held.set()
    await page.locator(".react-flow__node").first.wait_for()
    assert await taken.bounding_box() == before


async def go_at_once(page, path):
    """Goes to a screen as by a link; what it asks for may be held back."""
    await page.evaluate(
        "path => { history.pushState({}, '', path); dispatchEvent(new PopStateEvent('popstate')); }", path
    )


async def test_what_failed_is_run_again_from_its_failed_step_and_what_runs_is_cancelled(hall, visitor, toys):
    toys.fail_at = "bad"
    failed = (await hall.acme.member.post(RUN, {"input": {"words": ["good", "bad"]}})).json()
    await hall.drain_jobs()
    page = await visitor.open(hall.acme.member, "/runs?state=failed")
    bar = page.get_by_role("list", name="What ran when").get_by_role("button")
    await expect(bar).to_have_accessible_name("Say words, Failed")
    await page.get_by_role("option", name="Say words").click()
    # It opens at the step that failed: what it was given, why, and what to do about it.
    step = page.get_by_role("region", name="Step each")
    await step.get_by_text("“bad” is a word that nobody says.").wait_for()
    await step.get_by_text("What to do:").wait_for()
    await step.get_by_role("region", name="Input").get_by_text('"bad"').wait_for()
    assert page.url.endswith(f"/runs/{failed['id']}")
    assert await serious_violations(page) == []
    toys.fail_at, toys.said = None, []
    await page.get_by_role("button", name="Run again").click()
    await page.get_by_role("menuitem", name="From the failed step").click()
    async with working(hall):
        await page.get_by_role("link", name="Repeats an earlier run").wait_for()
        await says(page, "Succeeded")
    assert toys.said == ["bad", "end"]
    toys.hold("slow")
    slow = (await hall.acme.member.post(RUN, {"input": {"words": ["slow"]}})).json()
    await page.goto(f"{hall.base_url}/runs/{slow['id']}")
    await page.get_by_role("button", name="Cancel run").click()
    await says(page, "Cancelled")
    toys.release()


@pytest.mark.long_form
async def test_a_spec_is_published_once_what_is_wrong_with_it_was_shown_at_its_place(hall, visitor):
    page = await visitor.open(hall.acme.admin, f"/workflows/{SLUG}/edit", allowed=[REFUSED])
    source = page.get_by_role("textbox", name="Source")
    wrong = {
        **SPEC,
        "name": "Say <b>words</b>",
        "steps": [{**SPEC["steps"][0], "retries": 2}, *SPEC["steps"][1:]],
    }
    await source.fill("{")
    await page.get_by_role("button", name="Not JSON yet: look at line 1").wait_for()
    await expect(page.get_by_role("button", name="Publish", exact=True)).to_be_disabled()
    text = json.dumps(wrong, indent=1)
    line = text.split("\n").index('   "retries": 2') + 1
    await source.fill(text)
    await page.get_by_role("button", name="Publish", exact=True).click()
    fault = page.get_by_role("alert").get_by_text("/steps/0/retries")
    await fault.wait_for()
    await source.get_by_text("unknown field; remove it").wait_for()
    await page.get_by_role("button", name=f"Line {line}", exact=True).click()
    assert await serious_violations(page) == []
    await page.reload()
    await source.get_by_text('"retries": 2').wait_for()
    await source.fill(json.dumps({**wrong, "steps": SPEC["steps"]}, indent=1))
    await page.get_by_role("button", name="Publish", exact=True).click()
    await page.get_by_role("heading", name="Say <b>words</b>", level=1).wait_for()
    await page.get_by_role("link", name="Versions").click()
    await (
        page.get_by_role("region", name="Compare versions")
        .get_by_text("1 line removed, 1 line added")
        .wait_for()
    )


async def test_a_trigger_is_made_fires_for_an_upload_and_is_turned_off_and_deleted(hall, visitor):
    page = await visitor.open(hall.acme.admin, "/triggers", allowed=[REFUSED])
    await page.get_by_role("button", name="New trigger").first.click()
    await settled(page)
    await page.get_by_label("Workflow to start").click()
    await page.get_by_role("option", name="Say words").click()
    await page.get_by_label("Keys that begin with").fill("inbox/")
    await page.get_by_label("File types").fill("text/*, nonsense")
    await page.get_by_role("textbox", name="words").fill("hello")
    await page.get_by_role("button", name="Create trigger").click()
    await page.get_by_text("must be a media type such as text/plain").first.wait_for()
    await page.get_by_label("File types").fill("text/*")
    await page.get_by_role("button", name="Create trigger").click()
    await page.get_by_role("heading", name="Trigger for inbox/", level=1).wait_for()
    await page.get_by_text("No file has matched yet.").wait_for()
    await hall.acme.member.put(
        "/api/repo/inbox/a.txt", content=b"one", headers={"Content-Type": "text/plain"}
    )
    await hall.drain_jobs()
    await page.get_by_role("cell", name="inbox/a.txt").wait_for()
    await page.get_by_role("link", name="Started a run").click()
    await says(page, "Succeeded")
    await page.get_by_role("link", name="Started by a trigger").click()
    await page.get_by_role("switch").press("Space")
    await page.get_by_text("Off", exact=True).wait_for()
    await settled(page)
    trigger = (await hall.acme.admin.get("/api/doc-triggers")).json()["items"][0]
    assert trigger["enabled"] is False and trigger["input"] == {"words": ["hello"]}
    await page.get_by_role("button", name="Delete").click()
    await page.get_by_label(f"Type “{SLUG}” to confirm").fill(SLUG)
    await page.get_by_role("button", name="Delete trigger").click()
    await page.get_by_text("A trigger starts a workflow when a file arrives.").wait_for()


@pytest.mark.long_form
async def test_a_long_output_and_hostile_words_neither_hold_the_page_up_nor_break_it(hall, visitor, toys):
    nasty = "<img src=x onerror=alert(1)>\u202e" + "w" * 200
    await hall.acme.admin.call("POST", "/api/workflows", {**SPEC, "name": nasty})
    word = "x" * 900_000
    run = (await hall.acme.member.post(RUN, {"input": {"words": [word, nasty]}})).json()
    await hall.drain_jobs()
    page = await visitor.open(hall.acme.member, f"/runs/{run['id']}?step=2", viewport=PHONE)
    shown = page.get_by_role("region", name="Step each").get_by_role("region", name="Output")
    await shown.wait_for()
    assert len(await shown.inner_text()) < 30_000
    await page.get_by_role("region", name="Step each").get_by_role("button", name="Show more").last.click()
    await wait_until(page, "document.body.textContent.length > 40_000")
    for path in (f"/runs/{run['id']}", "/runs", "/workflows", f"/workflows/{SLUG}/steps"):
        await go(page, path)
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    # However many steps there are, those that are seen first can be read.
    many = [{**SPEC["steps"][0], "name": f"step-{number}"} for number in range(200)]
    await hall.acme.admin.call(
        "POST", "/api/workflows", {"slug": "many", "start": "step-0", "max_steps": 200, "steps": many}
    )
    await go(page, "/workflows/many/steps")
    first = await page.locator(".react-flow__node", has_text="step-0").first.bounding_box()
    assert first["height"] >= 32


PLUGIN = """
import asyncio
from pathlib import Path

from guildhall_sdk import Tool, hookimpl

LEAVE = Path(__file__).with_name("leave")


async def wait(host, principal, arguments):
    while arguments["for"] == "leave" and not LEAVE.exists():
        await asyncio.sleep(0.05)
    return arguments["for"]


@hookimpl
def declare_tools():
    schema = {"type": "object", "properties": {"for": {}}, "additionalProperties": False}
    return [Tool("wait", "Waits for leave.", "workflows:run", hosted=wait, schema=schema)]
"""
MANIFEST = {
    "id": "waiting",
    "name": "Waiting",
    "version": "1.0",
    "description": "Waits.",
    "entry": "plugin.py",
}
WAITS = {
    "slug": "waits",
    "start": "wait",
    "steps": [
        {
            "name": "wait",
            "kind": "map",
            "over": ["nothing", "leave"],
            "tool": "wait",
            "with": {"for": {"$from": "item"}},
        }
    ],
}


@pytest.mark.long_form
async def test_a_server_that_is_killed_under_an_open_run_goes_on_with_it_and_so_does_the_page(
    hall_sites, hall_database, open_page, tmp_path
):
    waiting = tmp_path / "waiting"
    waiting.mkdir()
    (waiting / "plugin.py").write_text(PLUGIN)
    (waiting / "plugin.json").write_text(json.dumps(MANIFEST))
    at = f"127.0.0.1:{free_port()}"
    base_url = f"http://{at}"
    settings = {"SERVICE_BIND": at, "SERVICE_BASE_URL": base_url, "SERVICE_PLUGINS": str(tmp_path)}
    async with hall_sites.lease(hall_database) as site:
        owner = site.people.acme.team.people["owner"]
        async with serving(site, **settings) as mortal:
            headers = {"Authorization": f"Bearer {owner.token}"}
            async with httpx.AsyncClient(base_url=base_url, headers=headers, trust_env=False) as http:
                assert (await http.post("/api/workflows", json=WAITS)).status_code == 201
                run = (await http.post("/api/workflows/waits/run", json={})).json()
            page = await signed_in(open_page, base_url, owner, f"/runs/{run['id']}")
            await page.get_by_text("1 of 2 done").wait_for()
            mortal.signal(signal.SIGKILL)
            await mortal.exit_code()
        (waiting / "leave").touch()
        async with serving(site, **settings):
            await says(page, "Succeeded")
            await page.get_by_text("2 of 2 done").wait_for()
            await page.close()


async def signed_in(open_page, base_url, person, path):
    """Opens a page of a server that is no hall; that it is gone for a while is told on the console."""
    page = await open_page(allowed=["Failed to load resource", "ERR_"], locale="en-GB")
    session = json.dumps({"token": person.token, "expiresAt": None, "kept": False})
    await page.add_init_script(f"sessionStorage.setItem('guildhall.session', {json.dumps(session)})")
    await page.goto(base_url + path)
    return page


async def test_what_waits_for_a_decision_stands_on_home_and_is_decided_on_a_phone(hall, visitor):
    form = {"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]}
    ask = {"name": "ask", "kind": "approve", "role": "admin", "title": "Pay the bill?", "body": "Of **May**."}
    steps = [{**ask, "form": form}]
    await hall.acme.owner.call("POST", "/api/workflows", {"slug": "ask", "start": "ask", "steps": steps})
    run = (await hall.acme.member.post("/api/workflows/ask/run", {})).json()
    await hall.drain_jobs()
    page = await visitor.open(hall.acme.admin, "/", viewport=PHONE)
    await page.get_by_role("link", name="Pay the bill?").click()
    await page.wait_for_url("**/approvals/apr_*")
    await page.get_by_text("Of May.").wait_for()
    assert await serious_violations(page) == []
    await page.get_by_role("button", name="Approve").click()
    await page.get_by_text("This is required.").wait_for()
    await page.get_by_label("amount").fill("5")
    await page.get_by_label("Comment").fill("Fine.")
    await page.get_by_role("button", name="Approve").click()
    await page.get_by_text("Nothing waits for your decision.").wait_for()
    ended = (await hall.acme.member.get(f"/api/runs/{run['id']}")).json()
    result = ended["output"]["result"]
    assert (result["decision"], result["comment"], result["form"]) == ("approve", "Fine.", {"amount": 5})


async def test_a_workflow_is_drawn_from_a_palette_and_its_json_is_always_equal(hall, visitor):
    page = await visitor.open(hall.acme.admin, "/workflows/new")
    palette = page.get_by_role("group", name="Add a step")
    await palette.get_by_label("Kind of step").click()
    await page.get_by_role("option", name="Makes JSON of JSON").click()
    await palette.get_by_role("button", name="Add a step").click()
    form = page.get_by_role("region", name="Step transform")
    await form.get_by_label("expression", exact=True).fill("words[")
    # What is wrong is said at its place, while one draws.
    await form.get_by_text("is no JMESPath", exact=False).wait_for()
    await form.get_by_label("expression", exact=True).fill("length(@)")
    await form.get_by_label("Take with from").click()
    await page.get_by_role("option", name="input.message").click()
    await form.get_by_label("Name of the step").fill("measure")
    await page.get_by_label("Steps", exact=True).click()
    await page.get_by_role("option", name="count").click()
    await page.get_by_role("button", name="Remove this step").click()
    await page.get_by_text("It can be published as it is.").wait_for()
    assert await serious_violations(page) == []
    written = json.loads("".join(await page.locator(".cm-line").all_text_contents()))
    step = {"name": "measure", "kind": "transform", "expression": "length(@)"}
    assert written["steps"] == [{**step, "with": {"$from": "input.message"}}]
    assert written["start"] == "measure"
    await page.get_by_role("button", name="Publish", exact=True).click()
    await page.wait_for_url("**/workflows/my-workflow/steps")
    published = (await hall.acme.admin.get("/api/workflows/my-workflow")).json()["spec"]
    assert {**published, "version": None} == {**written, "version": None}
