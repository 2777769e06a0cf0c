"""The way in: signing in by the form, and what everybody sees first."""

import pytest
from playwright.async_api import expect

from guildhall_testing.people import PASSWORD
from tests.console.visitor import REFUSED, serious_violations, visiting

pytestmark = pytest.mark.hall_databases("sqlite")


@pytest.mark.long_form
async def test_somebody_signs_in_and_is_greeted(hall, visitor):
    page = await visitor.open(path="/login")
    await page.get_by_label("Username").fill(hall.acme.member.person.username)
    await page.get_by_label("Password").fill(PASSWORD)
    assert await serious_violations(page) == []
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_role("navigation", name="Navigation").wait_for()
    assert await serious_violations(page) == []
    await page.goto(hall.base_url + "/login")
    await page.wait_for_url(hall.base_url + "/")


@pytest.mark.long_form
async def test_a_link_into_the_console_survives_a_reload(hall, visitor):
    page = await visitor.open(hall.acme.member, "/notes")
    await page.get_by_role("heading", name="Notes", level=1).wait_for()
    await page.reload()
    await page.get_by_role("heading", name="Notes", level=1).wait_for()
    # An address that was cut is answered by the console too.
    await page.goto(hall.base_url + "/notes/%E0%A4%A")
    await page.get_by_role("heading", name="Nothing here", level=1).wait_for()
    await page.get_by_role("main").get_by_role("link", name="Home").click()
    await page.wait_for_url(hall.base_url + "/")


@pytest.mark.long_form
async def test_the_first_person_sets_a_fresh_instance_up(open_hall, open_page):
    async with visiting(open_hall(populated=False), open_page) as (_, visitor):
        page = await visitor.open()
        await page.get_by_role("heading", name="Set up this instance").wait_for()
        await page.get_by_label("Username").fill("ada")
        password = page.get_by_label("Password")
        await password.fill("qwertyuiop12")
        await page.get_by_text("Easy to guess").wait_for()
        await password.fill("looms weave algebraic patterns")
        await page.get_by_text("Strong").wait_for()
        await page.get_by_role("button", name="Show password").click()
        await expect(password).to_have_attribute("type", "text")
        await page.get_by_label("Company name").fill("Analytical Engines")
        assert await serious_violations(page) == []
        await page.get_by_role("button", name="Set up").click()
        await page.get_by_role("heading", name="Good to see you, ada").wait_for()
        await page.get_by_role("link", name="Company").wait_for()


@pytest.mark.long_form
async def test_beside_the_sign_up_page_people_sign_in_and_are_still_in_after_a_reload(open_hall, open_page):
    async with visiting(open_hall(SERVICE_HOME="beta"), open_page) as (hall, visitor):
        page = await visitor.open()
        await page.get_by_role("link", name="Sign in").click()
        await page.wait_for_url(hall.base_url + "/home")
        await page.get_by_label("Username").fill(hall.acme.member.person.username)
        await page.get_by_label("Password").fill(PASSWORD)
        await page.get_by_role("button", name="Sign in").click()
        await page.get_by_role("heading", name="Good to see you").wait_for()
        await page.reload()
        await page.get_by_role("heading", name="Good to see you").wait_for()
        navigation = page.get_by_role("navigation", name="Navigation")
        await navigation.get_by_role("link", name="Notes").click()
        await page.get_by_role("heading", name="Notes", level=1).wait_for()
        home = navigation.get_by_role("link", name="Home")
        await expect(home).to_have_attribute("href", "/home")
        await home.click()
        await page.wait_for_url(hall.base_url + "/home")
        await expect(home).to_have_attribute("aria-current", "page")
        await page.goto(hall.base_url + "/login")
        await page.wait_for_url(hall.base_url + "/home")


async def link_of(person):
    """Returns a token of a session of somebody's, and the link that signs in by it."""
    _, who = await person.call("GET", "/api/whoami")
    _, made = await person.call("POST", "/api/session/team", {"team": who["team"]["id"]})
    return made["token"], f"/login#token={made['token']}"


async def test_a_link_signs_in_once_who_says_so(hall, visitor):
    token, link = await link_of(hall.acme.member)
    page = await visitor.open(path=link)
    await page.get_by_text("Continue as acme-member (acme-member) at Acme?").wait_for()
    assert token not in page.url
    assert token not in await page.evaluate("JSON.stringify({...sessionStorage})")
    assert await serious_violations(page) == []
    await page.get_by_role("button", name="Continue as acme-member").click()
    await page.get_by_role("navigation", name="Navigation").wait_for()
    assert token not in await page.evaluate("JSON.stringify({...sessionStorage})")
    again = await visitor.open(path=link, allowed=[REFUSED])
    await again.get_by_role("heading", name="This link does not work any more").wait_for()


async def test_a_link_of_somebody_else_takes_nobodys_place(hall, visitor):
    token, link = await link_of(hall.globex.member)
    page = await visitor.open(hall.acme.member, "/notes")
    await page.get_by_role("heading", name="Notes", level=1).wait_for()
    await page.goto(hall.base_url + link)
    await page.get_by_text("acme-member of Acme is signed in here.").wait_for()
    await page.get_by_role("button", name="Stay acme-member").click()
    await page.get_by_role("button", name="Account: acme-member").wait_for()
    assert (await hall.bearer(token).get("/api/whoami")).status_code == 401


async def test_whoever_did_not_ask_for_a_link_is_not_signed_in(hall, visitor):
    token, link = await link_of(hall.globex.member)
    page = await visitor.open(path=link)
    await page.get_by_role("button", name="Do not sign in").click()
    await page.get_by_label("Username").wait_for()
    assert (await hall.bearer(token).get("/api/whoami")).status_code == 401
