"""Every screen for every role: one heading, nothing refused, nothing amiss, in both modes and on a phone.

The places are read from the page, and so are the screens of each, so that a new one is walked through as
soon as it stands there. This is the one walk: other journeys look at what is special to them.
Its long form judges each screen, the short one a third of them.
"""

import pytest
import pytest_asyncio

from tests.console.toys import SPEC, Toys
from tests.console.visitor import (
    DESK,
    PHONE,
    go,
    serious_violations,
    serious_violations_in_both_modes,
    settled,
)

pytestmark = pytest.mark.hall_databases("sqlite")

#: Who looks, and where a screen is judged by axe: each by one of them, as it looks the same for all.
ROLES = {
    "viewer": (),
    "member": (),
    "admin": ("/",),
    "reader": (),
    "org_owner": ("/company",),
    "operator": ("/instance", "/localize"),
}
#: Whoever operates the instance owns a company too.
IN_SHORT = {"admin": ("/",), "operator": ("/instance", "/localize", "/company")}
#: Walks through what an admin does not see: the rest is the same, and was seen in the walk of one.
BEYOND_ADMIN = {("operator", "short")}
#: Where nothing is offered that a role may not do.
AUTOMATION = ("/workflows", "/runs", "/schedules", "/triggers")
CHANGES = ("New workflow", "Edit", "New schedule", "New trigger", "Delete", "Run now")
NOT_OFFERED = {"viewer": ("Run", "Run again", *CHANGES), "member": CHANGES}
NOT_SHOWN = {
    "viewer": ("/chat", "/glossary", "/tokens", "/beta-program", "/company", "/instance"),
    "member": ("/tokens", "/beta-program", "/company", "/instance"),
    "admin": ("/company", "/instance"),
}
SLUG = SPEC["slug"]
WRITTEN = ("/notes/new", f"/workflows/{SLUG}/edit", "/triggers/new")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hall(hall_sites, hall_watch, hall_database):
    """One hall for all, with something on every screen. Nobody changes it."""
    from guildhall_testing.hall import open_hall

    async with open_hall(hall_sites, hall_database, hall_watch, [Toys().plugin()]) as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def details(hall):
    """The addresses of what stands in the lists, by who is shown them."""
    admin = hall.acme.admin

    async def made(path, fields):
        answer = await admin.post(path, fields)
        assert answer.status_code in (200, 201, 202), answer.text
        return answer.json()

    note = await made("/api/notes", {"title": "Minutes", "body": "# One\n\ntwo", "visibility": "team"})
    text = "Anna Jansen works for Acme Shipping. Acme Shipping sails from Rotterdam."
    document = await made("/api/documents", {"title": "Harbour", "body": text, "visibility": "team"})
    await made("/api/workflows", SPEC)
    run = await made(f"/api/workflows/{SLUG}/run", {"input": {"words": ["a"]}})
    trigger = await made("/api/doc-triggers", {"workflow_slug": SLUG, "input": {"words": ["a"]}})
    schedule = await made(
        "/api/schedules", {"workflow_slug": SLUG, "cron": "0 8 * * MON", "input": {"words": ["a"]}}
    )
    term = {"target": "es", "term": "order", "translation": "pedido", "note": "<i>" + "n" * 200}
    await made("/api/glossary", term)
    await made("/api/translate", {"text": "An order.", "target": "es"})
    await made("/api/ai/echo", {"text": "hello"})
    await made("/api/kg/extract", {})
    await hall.drain_jobs()
    thing = (await admin.get("/api/kg/entities")).json()["items"][0]
    localizer = await hall.join(hall.acme, "localizer")
    for body in ({}, {"locale": "fr"}):
        assert (await localizer.post("/api/l10n/import", body)).status_code == 200
    everybodys = (
        f"/notes/{note['id']}",
        f"/files/{document['id']}",
        f"/workflows/{SLUG}/steps",
        f"/runs/{run['id']}?step=2",
        f"/schedules/{schedule['id']}",
        f"/triggers/{trigger['id']}",
        f"/knowledge/{thing['id']}?view=table&depth=2",
    )
    company = f"/instance/companies/{hall.acme.slug}"
    return {
        **dict.fromkeys(("viewer", "member", "reader"), everybodys),
        "admin": (
            *everybodys,
            "/notes/new",
            f"/workflows/{SLUG}/edit",
            "/schedules/new",
            "/triggers/new",
            "/usage?by=user",
            "/translate/catalog",
        ),
        "org_owner": (),
        "operator": ("/instance/companies/new", company, "/instance/plugins/integrator-demo"),
    }


def person(hall, role):
    return hall.operator if role == "operator" else hall.acme[role]


async def addresses(links):
    return await links.evaluate_all("all => all.map(one => one.getAttribute('href'))")


# What a member and a company's reader are shown is between what a viewer and an admin are, and what its owner
# is shown the operator is too.
WALKS = [
    *((role, "short") for role in IN_SHORT),
    *(pytest.param(role, "long", marks=pytest.mark.long_form) for role in ROLES),
]


@pytest.mark.parametrize(("role", "walk"), WALKS)
async def test_every_screen_of_a_role_is_sound_and_asks_for_nothing_that_is_refused(
    hall, visitor, details, role, walk
):
    refused, found, judged = [], {}, (ROLES if walk == "long" else IN_SHORT)[role]
    page = await visitor.open(person(hall, role))
    page.on("response", lambda answer: refused.append(answer.url) if answer.status >= 400 else None)
    await settled(page)
    navigation = page.get_by_role("navigation", name="Navigation").get_by_role("link")
    places = await addresses(navigation)
    to_see, seen, looked_at = [*places, "/account", *details[role]], set(), set()
    while to_see:
        path = to_see.pop(0)
        if path in seen or ((role, walk) in BEYOND_ADMIN and not path.startswith(judged)):
            continue
        await go(page, path)
        seen |= {path, await page.evaluate("location.pathname + location.search")}
        to_see += await addresses(page.locator("main nav a[href^='/']"))
        # That of the administration is another one than that of work.
        places = await addresses(navigation)
        assert [path for path in places if path in NOT_SHOWN.get(role, ())] == []
        to_see += places
        one = await page.locator("main h1:visible").count() == 1
        amiss = [] if one else ["not one heading of the first level"]
        if path.startswith(AUTOMATION):
            for name in NOT_OFFERED.get(role, ()):
                assert await page.get_by_role("button", name=name, exact=True).count() == 0, (path, name)
        # Another view of what was judged already is opened, and not judged again.
        screen = path if path in details[role] else path.split("?")[0]
        if path.startswith(judged) and screen not in looked_at:
            # What stands around all screens is judged with the first.
            within = "main" if looked_at else "html"
            amiss += await (violations_of if walk == "long" else violations_by_turns)(
                page, within, len(looked_at)
            )
            looked_at.add(screen)
        if amiss:
            found[path] = amiss
    assert found == {}
    assert refused == []


async def violations_of(page, within, _number):
    """What is wrong with a screen for those who see little of its colours, or of the screen."""
    amiss = await serious_violations_in_both_modes(page, within)
    return amiss + await too_wide(page)


async def violations_by_turns(page, within, number):
    """As `violations_of`, of one screen in three, in light or in dark: but for colours they are the same."""
    if number % 3:
        return []
    await page.emulate_media(color_scheme="dark" if number % 2 else "light")
    return await serious_violations(page, within=within) + await too_wide(page)


async def too_wide(page):
    await page.set_viewport_size(PHONE)
    await settled(page)
    is_wider = await page.evaluate("document.documentElement.scrollWidth > innerWidth")
    await page.set_viewport_size(DESK)
    return ["wider than a phone"] if is_wider else []


async def test_an_address_that_is_not_for_somebody_says_so(hall, visitor):
    page = await visitor.open(hall.acme.viewer, "/instance")
    await page.get_by_text("This does not exist, or you may not see it.").wait_for()
    await go(page, "/chat")
    await page.get_by_text("You may not do this. An owner or admin of your team can").wait_for()
