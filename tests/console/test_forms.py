"""Every form of the console: refused once, mended and sent again; and sent empty, it says what is missing.

A new form stands in `forms.py` too, or the first test fails.
"""

import asyncio
import json
import re

import pytest
import pytest_asyncio
from playwright.async_api import expect

from guildhall_testing.hall import open_hall as open_a_hall
from tests.console.forms import FORMS, NEW_PASSWORD, FormCase, forms_of_their_own, names_in_sources
from tests.console.toys import Toys
from tests.console.visitor import REFUSED, Visitor, go, serious_violations, settled, visiting, wait_until

pytestmark = pytest.mark.hall_databases("sqlite")
TYPED = "input:is([type=text], [type=password], [type=search], [type=url], :not([type])), textarea"
ENTERED = f":is({TYPED}):not([readonly], [disabled], [hidden], [role=combobox])"
IN_FIRST_MARKED = """(() => {
  const marked = document.querySelector("[data-invalid]");
  const first = marked?.querySelector("input:not([type=hidden]), textarea")
    ?? marked?.querySelector("button") ?? null;
  return first !== null && document.activeElement === first;
})()"""
# All are made of one kit, and those fields that the others have too. Here are, by who sends them, one of each
# sort, and those that are guarded, local, sent in a dialog over another screen, or in a screen of a plugin.
IN_SHORT = {
    "admin": ("add-member", "trigger"),
    "colleague": ("change-password",),
    "member": ("attach", "contributed", "new-job", "share-note"),
    "member whose session ends": ("renewal",),
    "operator": ("confirm",),
}
REFUSAL = "must have at least 99 characters"


def test_every_form_is_tried_here_and_made_of_the_kit():
    names = names_in_sources()
    assert sorted(names) == sorted({*FORMS, "set-up"}), "each form has a name, and a way in forms.py"
    assert forms_of_their_own() == []


class Answers:
    """What a page asks to be changed; the next request of that kind is refused where one is to be."""

    def __init__(self, page):
        self.page, self.changes, self.refuses, self.errors = page, [], False, []

    async def watch(self):
        await self.page.route("**/api/**", self._route)

    async def _route(self, route):
        request = route.request
        if request.method == "GET":
            await route.continue_()
            return
        self.changes.append(request.url)
        if not self.refuses:
            await route.continue_()
            return
        self.refuses = False
        self.errors = [{"pointer": one, "message": REFUSAL} for one in pointers(request.post_data_json or {})]
        body = {"title": "Bad Request", "status": 400, "detail": "", "code": "invalid_request"}
        body |= {"request_id": "req_one", "errors": self.errors}
        await route.fulfill(status=400, content_type="application/problem+json", body=json.dumps(body))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def common_hall(hall_sites, hall_watch, hall_database):
    """One hall for the forms of the short run, which do not meet in it."""
    async with open_a_hall(hall_sites, hall_database, hall_watch, [Toys().plugin()]) as opened:
        yield opened


class OnePageVisitor(Visitor):
    """Goes from one screen to the next in the page that there is."""

    async def open(self, client=None, path="/", **options):
        if not self._pages:
            return await super().open(client, path, **options)
        await go(self._pages[0], path)
        return self._pages[0]


def pointers(value, before=""):
    """Yields a pointer to each field that was sent, and to those of the objects in it."""
    for name, below in value.items():
        if isinstance(below, dict) and below:
            yield from pointers(below, f"{before}/{name}")
        else:
            yield f"{before}/{name}"


async def choose(page, form, case: FormCase):
    for label, name in case.choose.items():
        typed = form.get_by_role("combobox", name=label, exact=True)
        if await typed.count():
            await typed.fill(name)
        else:
            await form.get_by_role("button", name=label).first.click()
        await page.get_by_role("option", name=name).first.click()


async def enter(form, case: FormCase):
    for label, text in case.fill.items():
        await form.get_by_label(label, exact=True).and_(form.locator(ENTERED)).fill(text)


async def try_empty(page, form, answers):
    for field in await form.locator(f"{ENTERED}[aria-required=true]").all():
        await field.fill("")
    required = await form.locator(
        "[aria-required=true]:visible, [data-required]:has(> button[aria-haspopup=listbox]):visible"
    ).count()
    if required == 0:
        return
    await form.locator("[type=submit]").click()
    await expect(form.get_by_text("Fill in “")).to_have_count(required)
    await wait_until(page, IN_FIRST_MARKED)
    await form.locator("[type=submit]").click()
    await wait_until(page, IN_FIRST_MARKED)
    assert answers.changes == []


async def try_refused(page, form, answers):
    answers.refuses = True
    await form.locator("[type=submit]").click()
    said = form.get_by_text(REFUSAL).or_(form.get_by_role("alert")).first
    await said.wait_for()
    await expect(form.get_by_text(REFUSAL)).to_have_count(len(answers.errors))
    for pointer in (error["pointer"] for error in answers.errors):
        for shown in await form.get_by_text(pointer).all():
            assert not await shown.is_visible(), f"{pointer} is a program's word"
    assert await serious_violations(page, within="form") == []
    marked = form.locator("[data-invalid]").locator(ENTERED)
    for left in range(await marked.count(), 0, -1):
        field = await marked.first.element_handle()
        await field.press("x")
        await expect(marked).to_have_count(left - 1)
        await field.press("Backspace")


async def try_form(page, name, case: FormCase):
    form = page.locator(f"form[data-form='{name}']").first
    await form.wait_for()
    answers = Answers(page)
    await answers.watch()
    if case.is_guarded:
        await expect(form.locator("[type=submit]")).to_be_disabled()
    else:
        await try_empty(page, form, answers)
    await choose(page, form, case)
    await enter(form, case)
    if not case.is_local:
        await try_refused(page, form, answers)
        await enter(form, case)
        async with page.expect_response(lambda answer: answer.request.method != "GET") as sent:
            await form.locator("[type=submit]").click()
        answer = await sent.value
        assert case.is_refused or answer.status < 300, await answer.text()
        return
    await form.locator("[type=submit]").click()
    await expect(form.get_by_text("Fill in “")).to_have_count(0)
    assert answers.changes == []


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(names, id=who, marks=() if who in ("member", "admin") else pytest.mark.long_form)
        for who, names in IN_SHORT.items()
    ],
)
async def test_forms_say_what_is_missing_and_are_sent_again_after_a_refusal(names, common_hall, open_page):
    visitor = OnePageVisitor(common_hall, open_page)
    for name in names:
        page = await FORMS[name].open(common_hall, visitor)
        await try_form(page, name, FORMS[name])
        await settled(page)  # what is on its way as a route is taken away is never answered
        await page.unroute_all()
    await common_hall.resume(common_hall.acme)  # one of them suspends it


@pytest.mark.long_form
@pytest.mark.parametrize("name", sorted({*FORMS}.difference(*IN_SHORT.values())))
async def test_a_form_says_what_is_missing_and_is_sent_again_after_a_refusal(name, open_hall, open_page):
    async with visiting(open_hall(Toys().plugin()), open_page) as (hall, visitor):
        page = await FORMS[name].open(hall, visitor)
        await try_form(page, name, FORMS[name])


@pytest.mark.long_form
async def test_a_short_password_is_mended_at_the_first_set_up(open_hall, open_page):
    async with visiting(open_hall(populated=False), open_page) as (_, visitor):
        page = await visitor.open(allowed=[REFUSED])
        await settled(page)
        answer = asyncio.Event()

        async def wait(route):
            await answer.wait()
            await route.continue_()

        # A refusal that comes late takes nobody out of the field they write in.
        await page.route("**/api/bootstrap", wait)
        await page.get_by_label("Username").fill("ada")
        await page.get_by_label("Password").fill("short")
        await page.keyboard.press("Enter")
        await page.get_by_label("Company name").click()
        await page.keyboard.type("Loo")
        answer.set()
        await page.get_by_text("Password must have at least 10 characters").wait_for()
        await page.keyboard.type("ms")
        await expect(page.get_by_label("Company name")).to_have_value("Looms")
        await page.unroute_all()

        await page.get_by_role("button", name="Set up").click()
        await page.get_by_text("Password must have at least 10 characters").wait_for()
        await wait_until(page, "document.activeElement.name === 'new-password'")
        assert not re.search(r"/password|req_", await page.locator("main").inner_text())
        case = FormCase(None, fill={"Username": "ada", "Password": NEW_PASSWORD})
        await try_form(page, "set-up", case)
        await page.get_by_role("heading", name="Good to see you, ada").wait_for()


async def test_who_types_after_two_empty_tries_stays_in_their_field(common_hall, open_page):
    page = await Visitor(common_hall, open_page).open(None, "/login")
    await settled(page)
    for _ in range(2):
        await page.get_by_role("button", name="Sign in").click()
        await page.get_by_text("Fill in “Password”").wait_for()
    await page.get_by_label("Password", exact=True).click()
    await page.keyboard.type("secret")
    await expect(page.get_by_label("Password", exact=True)).to_have_value("secret")
    await expect(page.get_by_label("Username")).to_have_value("")
