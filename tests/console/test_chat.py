"""Chat: answers that stream, tools and what they make, documents, refusals, hostile answers."""

import json
import re

import pytest
from playwright.async_api import expect

from builtin_plugins.ai.tests.conftest import set_limit
from tests.console.visitor import PHONE, REFUSED, Visitor, serious_violations, visiting, wait_until
from tests.model_servers.aimock import open_aimock, settings_for

pytestmark = pytest.mark.hall_databases("sqlite")

HOSTILE = """# <img src=x onerror=alert(1)>

<script>alert(1)</script> [press](javascript:alert(1)) ![spy](https://spy.example/pixel.png)

\u202eturned round\u202c <iframe src="https://spy.example"></iframe> <a href="data:text/html,x">data</a>

"""


@pytest.fixture
async def modelled(open_hall):
    async with open_hall(with_model=True) as opened:
        yield opened


@pytest.fixture
def modelled_visitor(modelled, open_page):
    return Visitor(modelled, open_page)


def said(*words, **more):
    """The bytes of a stream in which a model says something, without its end."""
    more = {f"{name}_content": value for name, value in more.items()}
    chunks = [{"choices": [{"index": 0, "delta": {"content": word, **more}}]} for word in words]
    return [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks]


# No other task has run between the click and the look.
CLICKED_IS_OPEN = """async (words) => {
  words.click();
  await null;
  return words.closest("details").querySelector("[role=region]") !== null;
}"""


async def ask(page, question):
    field = page.get_by_label("Message")
    await field.fill(question)
    await field.press("Enter")


async def let_use_tools(page, *names):
    """Lets the model use these tools, or any; the choice is closed again, and holds the focus no more."""
    await page.get_by_role("button", name="Tools").click()
    await page.get_by_text("Let it use tools").click()
    for name in names:
        await page.get_by_text(name).click()
    await page.keyboard.press("Escape")
    await page.get_by_role("dialog", name="Tools").wait_for(state="detached")


@pytest.fixture
async def aimock(tmp_path):
    """A model server that is none of ours: its address, and what it is to answer."""
    async with open_aimock(tmp_path) as opened:
        yield opened


async def test_an_answer_streams_is_stopped_and_asked_for_again(open_hall, open_page, aimock):
    url, model = aimock
    async with visiting(open_hall(**settings_for(url)), open_page) as (hall, visitor):
        page = await visitor.open(hall.acme.member, "/chat", allowed=[REFUSED])
        words = {"content": "A **guild** is a union of crafts."}
        await model.answer("What is a guild?", words, hangs_after=8, sequenceIndex=0)
        await ask(page, "What is a guild?")
        answer = page.get_by_role("region", name="Answer")
        await expect(answer.locator("strong")).to_have_text("guild")
        await page.keyboard.press("Escape")
        await expect(answer).to_contain_text("Stopped")
        await model.hang_up()

        await model.answer("What is a guild?", words)
        await page.get_by_role("button", name="Ask again").click()
        await expect(answer).to_contain_text("union of crafts.")
        await expect(answer).to_contain_text(re.compile(r"\d+ tokens"))
        thought = {"content": "Since the Middle Ages.", "reasoning": "They asked for a time."}
        await model.answer("Since when?", thought)
        await ask(page, "Since when?")
        await expect(answer.last).to_contain_text("Middle Ages")
        await expect(page.get_by_text("They asked for a time.")).to_have_count(0)
        await answer.last.get_by_text("Reasoning").click()
        await expect(page.get_by_text("They asked for a time.")).to_be_visible()
        sent = [one["content"] for one in await model.messages()]
        assert sent == ["What is a guild?", words["content"], "Since when?"]

        await page.reload()
        await expect(answer.first).to_contain_text("union of crafts.")
        await page.get_by_role("button", name="More actions: What is a guild?").click()
        await page.get_by_role("menuitem", name="Rename").click()
        await page.get_by_role("textbox", name="Name").fill("Guilds")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="Guilds", level=1)).to_be_visible()
        await page.get_by_role("button", name="More actions: Guilds").click()
        await page.get_by_role("menuitem", name="Delete").click()
        await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        await expect(page.get_by_text("There are no conversations here yet.")).to_be_visible()
        await expect(answer).to_have_count(0)


async def test_an_answer_goes_on_without_the_page_and_is_taken_up_again(modelled, modelled_visitor):
    page = await modelled_visitor.open(modelled.acme.member, "/chat", allowed=[REFUSED])
    modelled.model.hang(*said("half of "))
    await ask(page, "What is a guild?")
    answer = page.get_by_role("region", name="Answer")
    await expect(answer).to_contain_text("half of")
    await page.reload()
    await expect(answer).to_contain_text("half of")
    await expect(answer.get_by_role("status")).to_be_visible()
    await expect(page.get_by_text("cannot be reached")).to_have_count(0)
    assert not modelled.model.calls[0].left.is_set()
    await page.get_by_role("button", name="Stop").click()
    await expect(answer).to_contain_text("Stopped")

    # What is said while nobody looks is there for whoever comes back.
    modelled.model.say("The whole of it.")
    async with page.expect_response("**/regenerate") as asked:
        await page.get_by_role("button", name="Ask again").click()
    job = (await (await asked.value).json())["job"]["id"]
    where = page.url
    await page.goto(modelled.base_url + "/theme.css")
    await modelled.acme.member.get(f"/api/jobs/{job}?wait=30")
    await page.goto(where)
    await expect(answer).to_contain_text("The whole of it.")
    await expect(answer).to_contain_text(re.compile(r"\d+ tokens"))
    assert len(modelled.model.calls) == 2


@pytest.mark.long_form
async def test_a_tool_is_shown_as_a_card_whose_artifact_opens(modelled, modelled_visitor):
    member = modelled.acme.member
    content = {
        "content": b"The bridge is kept by the guild.",
        "headers": {"Content-Type": "text/markdown"},
    }
    stored = (await member.request("PUT", "/api/repo/bridge.md", **content)).json()
    await modelled.drain_jobs()
    given = json.dumps({"object": stored["id"]})
    call = {"id": "a", "type": "function", "function": {"name": "doc_text", "arguments": given}}
    modelled.model.say("", tool_calls=[call])
    modelled.model.say("The guild keeps it.")
    page = await modelled_visitor.open(member, "/chat")
    await let_use_tools(page, "doc_text")
    await ask(page, "Read the document")
    card = page.get_by_text("Used doc_text")
    await page.get_by_role("button", name="Ask again").wait_for()
    # With the click itself: an answer that becomes whole right behind a click draws the card anew.
    assert await card.evaluate(CLICKED_IS_OPEN)
    await expect(page.get_by_role("region", name="Given")).to_contain_text(stored["id"])
    await expect(page.get_by_role("region", name="Result")).to_contain_text("kept by the guild")
    await expect(page.get_by_role("region", name="Answer")).to_contain_text("The guild keeps it.")
    assert await serious_violations(page) == []
    await page.get_by_role("link", name="Open: bridge.md").click()
    await page.wait_for_url(f"**/files/{stored['id']}")


@pytest.mark.long_form
async def test_a_document_is_attached_and_asked_about(hall, visitor):
    member = hall.acme.member
    for name, text in (("bridge.md", "Ours keeps the bridge."), ("other.md", "Nothing.")):
        content = {"content": text.encode(), "headers": {"Content-Type": "text/markdown"}}
        await member.request("PUT", f"/api/repo/{name}", **content)
    await hall.drain_jobs()
    page = await visitor.open(member, "/chat")
    await expect(page.get_by_role("note")).to_contain_text("simulated model")
    await page.get_by_role("button", name="Attach a document").click()
    await page.get_by_label("Search documents").fill("bridge")
    await page.get_by_role("dialog").get_by_text("bridge.md").click()
    await page.keyboard.press("Enter")
    await ask(page, "Who keeps the bridge?")
    await expect(page.get_by_role("region", name="Question").get_by_role("link")).to_have_text("bridge.md")
    await expect(page.get_by_role("region", name="Answer")).to_contain_text("Ours keeps the bridge.")


async def test_a_refusal_says_which_gate_and_who_lifts_it_and_the_question_stays(modelled, open_page):
    visitor, member = Visitor(modelled, open_page), modelled.acme.member
    page = await visitor.open(member, "/chat", allowed=[REFUSED])
    await set_limit(modelled, modelled.acme, "ai.requests", 0, "day")
    await ask(page, "Is anybody there?")
    answer = page.get_by_role("region", name="Answer")
    await expect(answer.get_by_role("alert")).to_contain_text("AI requests: 0 of 0 are used.")
    await expect(answer).to_contain_text("the operator of this instance can raise the limit.")
    await expect(answer).to_contain_text("There is room again in")
    await page.get_by_role("button", name="Edit the question").click()
    await expect(page.get_by_label("Message")).to_have_value("Is anybody there?")

    await set_limit(modelled, modelled.acme, "ai.requests", None, "day")
    modelled.model.send(*said("half of "), b"data: {nonsense\n\n")
    await page.get_by_role("button", name="Send").click()
    await expect(answer.get_by_role("alert")).to_be_visible()
    await expect(answer).to_contain_text("half of")
    modelled.model.say("The whole of it.")
    await page.get_by_role("button", name="Try again").click()
    await expect(answer).to_contain_text("The whole of it.")
    await expect(answer.get_by_role("alert")).to_have_count(0)


@pytest.mark.long_form
async def test_answers_are_asked_for_with_instructions_and_as_json(modelled, modelled_visitor):
    page = await modelled_visitor.open(modelled.acme.member, "/chat", viewport=PHONE)
    await page.get_by_role("button", name="Answer settings").click()
    settings = page.get_by_role("dialog", name="Answer settings")
    await settings.get_by_label("Instructions").fill("Be brief.")
    await settings.get_by_label("Temperature").fill("3")
    await settings.get_by_text("Type a number from 0 to 2.").wait_for()
    await settings.get_by_label("Temperature").fill("0.5")
    await settings.get_by_role("button", name=re.compile("Format of the answer")).click()
    await page.get_by_role("option", name="JSON").click()
    await settings.get_by_label("JSON Schema").wait_for()
    assert await serious_violations(page) == []
    await page.keyboard.press("Escape")
    modelled.model.say('{"crafts": 3}')
    await ask(page, "How many?")
    answer = page.get_by_role("region", name="Answer").first
    await answer.locator("pre", has_text='{"crafts": 3}').wait_for()
    sent = modelled.model.calls[0].body
    assert sent["temperature"] == 0.5 and sent["response_format"] == {"type": "json_object"}
    assert "Be brief." in json.dumps(sent["messages"])
    # What follows in this conversation is asked for in the same way, until somebody says otherwise.
    await page.get_by_role("button", name="Answer settings: 3 settings").click()
    await settings.get_by_role("button", name="Back to the usual").click()
    await page.keyboard.press("Escape")
    modelled.model.say("Three.")
    await ask(page, "In words?")
    await page.get_by_text("Three.", exact=True).wait_for()
    assert "response_format" not in modelled.model.calls[1].body


@pytest.mark.long_form
async def test_a_question_is_asked_in_other_words_and_both_are_kept(modelled, modelled_visitor):
    page = await modelled_visitor.open(modelled.acme.member, "/chat")
    modelled.model.say("First.")
    await ask(page, "One way")
    answer = page.get_by_role("region", name="Answer")
    await expect(answer).to_contain_text("First.")
    await page.get_by_role("button", name="Edit the question").click()
    await expect(page.get_by_label("Message")).to_have_value("One way")
    modelled.clock.advance(seconds=1)
    modelled.model.say("Second.")
    await ask(page, "Another way")
    await expect(answer).to_contain_text("Second.")
    assert await serious_violations(page) == []
    await page.get_by_role("button", name="Previous version: Question").click()
    await expect(answer).to_contain_text("First.")
    await expect(page.get_by_role("region", name="Question")).to_contain_text("One way")


async def test_a_tool_that_writes_asks_first_and_another_tab_is_told(modelled, modelled_visitor):
    member = modelled.acme.member
    given = json.dumps({"object": "obj_x", "template": "x", "data": {}})
    call = {"id": "a", "type": "function", "function": {"name": "doc_render", "arguments": given}}
    modelled.model.say("", tool_calls=[call])
    page = await modelled_visitor.open(member, "/chat")
    await let_use_tools(page, "doc_render")
    await ask(page, "Fill in the form")
    asked = page.get_by_role("group", name="May doc_render do this in your name?")
    await asked.wait_for()
    assert await serious_violations(page) == []
    other = await modelled_visitor.open(member, page.url.removeprefix(modelled.base_url))
    await other.get_by_role("group", name="May doc_render do this in your name?").wait_for()
    modelled.model.say("As you wish.")
    await asked.get_by_role("button", name="Do not allow").click()
    for tab in (page, other):
        await expect(tab.get_by_role("region", name="Answer")).to_contain_text("As you wish.")


async def test_a_conversation_is_filed_shared_and_read_by_a_colleague(modelled, modelled_visitor):
    member, owner = modelled.acme.member, modelled.acme.owner
    page = await modelled_visitor.open(member, "/chat")
    modelled.model.say("Seven.")
    await ask(page, "How many berths?")
    await expect(page.get_by_role("region", name="Answer")).to_contain_text("Seven.")
    await page.get_by_role("button", name="New folder").click()
    await page.get_by_role("textbox", name="Name").fill("Harbour")
    await page.keyboard.press("Enter")
    await page.get_by_text("There are no conversations here yet.").wait_for()
    await page.get_by_role("button", name="Share").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name=re.compile(r"\bWith\b")).click()
    await page.get_by_role("option", name=re.compile("^Everybody in")).click()
    await dialog.get_by_role("button", name="Share", exact=True).click()
    await dialog.get_by_role("list", name="Shared with").wait_for()
    assert await serious_violations(page) == []
    reader = await modelled_visitor.open(owner, page.url.removeprefix(modelled.base_url))
    await expect(reader.get_by_role("region", name="Answer")).to_contain_text("Seven.")
    await expect(reader.get_by_text("You may read this conversation.")).to_be_visible()


@pytest.mark.long_form
async def test_what_a_device_alone_has_is_taken_over_once_with_consent(modelled, modelled_visitor):
    member = modelled.acme.member
    page = await modelled_visitor.open(member, "/chat")
    turns = [{"prompt": "Since when?", "parts": [{"kind": "text", "text": "Since 1300."}]}]
    kept = json.dumps({"id": "a", "title": "Guilds of old", "at": "2026-01-01", "turns": turns})
    key = f"guildhall.chat.{member.user_id}.{modelled.acme.id}.a"
    await page.evaluate("([key, kept]) => localStorage.setItem(key, kept)", [key, kept])
    await page.reload()
    await page.get_by_text("1 conversation is on this device alone.").wait_for()
    await page.get_by_role("button", name="Take them over").click()
    await page.get_by_role("link", name="Guilds of old").click()
    await expect(page.get_by_role("region", name="Answer")).to_contain_text("Since 1300.")
    await wait_until(page, f"localStorage.getItem({json.dumps(key)}) === null")
    await page.reload()
    await expect(page.get_by_role("region", name="Answer")).to_contain_text("Since 1300.")
    await expect(page.get_by_text("on this device alone")).to_have_count(0)


async def test_a_hostile_answer_runs_nothing_and_breaks_no_layout(modelled, modelled_visitor):
    page = await modelled_visitor.open(modelled.acme.member, "/chat", viewport={"width": 390, "height": 844})
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    given = {"id": "a", "type": "function", "function": {"name": "word_count"}}
    given["function"]["arguments"] = json.dumps({"text": HOSTILE + "z" * 5_000})
    modelled.model.say("", tool_calls=[given])
    modelled.model.say(f"{HOSTILE}{'x' * 1_000_000}\n\n| a | b |\n|---|---|\n| {'y' * 400} | z |\n")
    await let_use_tools(page)
    await ask(page, "<img src=x onerror=alert(1)>" + "\u202e" + "w" * 300)
    await page.get_by_text("Used word_count").click()
    await expect(page.get_by_role("region", name="Given")).to_contain_text("\\u202eturned round")
    answer = page.get_by_role("region", name="Answer")
    await page.get_by_role("button", name="Ask again").wait_for()
    await expect(answer.get_by_role("heading")).to_contain_text("<img src=x onerror=alert(1)>")
    assert await answer.locator("script, iframe, img, [onerror]").count() == 0
    links = [await link.get_attribute("href") for link in await answer.get_by_role("link").all()]
    assert set(links) <= {"https://spy.example/pixel.png"}
    assert not [url for url in asked if "spy.example" in url]
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert await page.evaluate("document.querySelector('[role=log]').scrollWidth <= window.innerWidth")
