"""Single sign-on in a browser: set up, tried, and come in by; and the word why not."""

import pytest
from playwright.async_api import expect

from builtin_plugins.oidc.tests.provider import Provider
from tests.console.visitor import REFUSED, serious_violations, settled, visiting

pytestmark = pytest.mark.hall_databases("sqlite")


@pytest.fixture
async def provider():
    made = Provider()
    await made.start()
    yield made
    await made.stop()


async def test_a_company_sets_up_single_sign_on_and_comes_in_by_it(open_hall, open_page, provider):
    opening = open_hall(SERVICE_ORG_PRIVATE_ENDPOINTS="on")
    async with visiting(opening, open_page) as (hall, visitor):
        provider.now_s = lambda: hall.clock.now_ms() // 1000
        page = await visitor.open(hall.acme.org_owner, "/company/sign-in")
        await page.get_by_role("button", name="Add a way to sign in").first.click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Name", exact=True).fill("Acme")
        await dialog.get_by_label("Issuer").fill(provider.issuer)
        await dialog.get_by_label("Client ID").fill("guildhall")
        await dialog.get_by_label("Client secret").fill(provider.secret)
        await dialog.get_by_label("E-mail domains").fill("acme.test")
        await dialog.get_by_label("Rules").fill("groups = admins → admin")
        assert await serious_violations(page) == []
        await dialog.get_by_role("button", name="Save").click()

        await page.get_by_role("heading", name="Acme", level=2).wait_for()
        await page.get_by_role("button", name="Test").click()
        await expect(page.get_by_text("to a code that is none")).to_be_visible()
        await expect(page.get_by_text("first (RSA)")).to_be_visible()
        await page.get_by_label("Claims").fill('{"email": "eve@other.test"}')
        await page.get_by_role("button", name="What would happen?").click()
        await expect(page.get_by_role("status").get_by_text("would not come in")).to_be_visible()
        assert await serious_violations(page) == []

        provider.person |= {"groups": ["admins"]}
        page = await visitor.open(path="/login")
        await page.get_by_label("Username").fill("ada@acme.test")
        await page.get_by_role("button", name="Sign in with Acme").click()
        await page.get_by_role("button", name="Account: Ada").wait_for()
        assert "token" not in page.url

        # Who is here already proves both, once.
        login = {"username": "grace", "role": "member", "password": hall.password}
        await hall.acme.owner.post("/api/members", login)
        provider.person = {"sub": "2", "preferred_username": "grace", "email": "grace@acme.test"}
        page = await visitor.open(path="/login", allowed=[REFUSED])
        await page.get_by_label("Username").fill("grace@acme.test")
        await page.get_by_role("button", name="Sign in with Acme").click()
        await page.get_by_text("You have an account here already.").wait_for()
        assert await serious_violations(page) == []
        await page.get_by_label("Username").fill("grace")
        await page.get_by_label("Password").fill(hall.password)
        await page.get_by_role("button", name="Sign in", exact=True).click()
        await page.get_by_role("button", name="Account: grace").wait_for()
        page = await visitor.open(path="/login")
        await page.get_by_label("Username").fill("grace@acme.test")
        await page.get_by_role("button", name="Sign in with Acme").click()
        await page.get_by_role("button", name="Account: grace").wait_for()


async def test_only_who_went_there_from_this_tab_comes_in_unasked(open_hall, open_page, provider):
    opening = open_hall(SERVICE_ORG_PRIVATE_ENDPOINTS="on")
    async with visiting(opening, open_page) as (hall, visitor):
        provider.now_s = lambda: hall.clock.now_ms() // 1000
        ways = {}
        for company, domain in ((hall.acme, "acme.test"), (hall.globex, "globex.test")):
            way = {"kind": "oidc", "label": domain, "issuer": provider.issuer, "client_id": "guildhall"}
            secret = {"client_secret": provider.secret, "domains": [domain] if company is hall.acme else []}
            answer = await company.org_owner.post("/api/org/sign-in", {**way, **secret})
            ways[domain] = f"{hall.base_url}/api/auth/oidc/{answer.json()['id']}/start"

        async def departed():
            """Opens a tab that the page has sent away to sign in at Acme's, and that is held up there."""
            page = await visitor.open(path="/login")
            await page.route(ways["acme.test"], lambda route: route.fulfill(body="held up"))
            await page.get_by_label("Username").fill("ada@acme.test")
            await page.get_by_role("button", name="Sign in with acme.test").click()
            await page.get_by_text("held up").wait_for()
            await page.unroute(ways["acme.test"])
            return page

        # Sent by another page to a server that signs in whom it likes.
        page = await visitor.open(path="/login")
        await page.goto(ways["globex.test"])
        await page.get_by_text("Continue as Ada (").wait_for()
        # As somebody waits for their own company's, too.
        page = await departed()
        await page.goto(ways["globex.test"])
        await page.get_by_text("Continue as Ada (").wait_for()
        # Or given a token that the other side has fetched for itself.
        page = await departed()
        await page.goto(f"{hall.base_url}/login#token={hall.globex.member.token}")
        await page.get_by_text("Continue as globex-member (globex-member) at Globex?").wait_for()
        await page.get_by_role("button", name="Continue as globex-member").click()
        await page.get_by_role("button", name="Account: globex-member").wait_for()
        # What one began and nobody touched goes on by itself.
        page = await departed()
        await page.goto(ways["acme.test"])
        await page.get_by_role("button", name="Account: Ada").wait_for()


@pytest.mark.long_form
async def test_a_company_claims_a_domain_and_the_operator_decides_where_it_is_in_doubt(hall, visitor):
    body = {"username": "g.else", "role": "member", "email": "g@engines.test"}
    assert (await hall.globex.owner.post("/api/members", body)).is_success
    way = {"kind": "oidc", "label": "Tower", "issuer": "https://id.example.invalid", "client_id": "guildhall"}
    page = await visitor.open(hall.acme.org_owner, "/company/domains", allowed=[REFUSED])
    await page.get_by_text("Set up single sign-on first").wait_for()
    await hall.acme.org_owner.post("/api/org/sign-in", way)
    await page.reload()
    await page.get_by_text("No domain is claimed yet.").wait_for()

    for domain, state in (("looms.test", "Leads here"), ("engines.test", "waits for the operator")):
        await page.get_by_role("button", name="Claim a domain").first.click()
        dialog = page.get_by_role("dialog")
        field = dialog.get_by_label("Domain", exact=True)
        await field.fill("no domain")
        await dialog.get_by_role("button", name="Claim a domain").click()
        await dialog.get_by_text("is no domain such as example.com").first.wait_for()
        await field.fill(domain)
        assert await serious_violations(page) == []
        await dialog.get_by_role("button", name="Claim a domain").click()
        await expect(page.get_by_role("row", name=domain)).to_contain_text(state)
    assert await serious_violations(page) == []

    # Another company is told whose word it takes.
    await hall.globex.org_owner.post("/api/org/sign-in", way)
    other = await visitor.open(hall.globex.org_owner, "/company/domains", allowed=[REFUSED])
    await other.get_by_role("button", name="Claim a domain").first.click()
    await other.get_by_role("dialog").get_by_label("Domain", exact=True).fill("looms.test")
    await other.get_by_role("dialog").get_by_role("button", name="Claim a domain").click()
    await other.get_by_text("Ask the operator.").wait_for()

    operators = await visitor.open(hall.operator, "/instance/domains")
    row = operators.get_by_role("row", name="engines.test")
    await expect(row).to_contain_text("Acme")
    await expect(row).to_contain_text("waits for the operator")
    assert await serious_violations(operators) == []
    await row.get_by_role("button", name="Confirm: engines.test").click()
    await operators.get_by_role("dialog").get_by_role("button", name="Confirm").click()
    await expect(row).to_contain_text("Confirmed by the operator")
    await expect(row.get_by_role("button", name="Confirm")).to_have_count(0)
    await operators.get_by_role("button", name="Release: looms.test").click()
    await operators.get_by_role("dialog").get_by_role("button", name="Release").click()
    await expect(operators.get_by_role("row", name="looms.test")).to_have_count(0)

    await page.reload()
    await expect(page.get_by_role("row", name="engines.test")).to_contain_text("Confirmed by the operator")
    await expect(page.get_by_role("row", name="looms.test")).to_contain_text("Taken by the operator")
    for domain in ("looms.test", "engines.test"):
        await page.get_by_role("button", name=f"Release: {domain}").click()
        await page.get_by_role("dialog").get_by_role("button", name="Release").click()
        await expect(page.get_by_role("row", name=domain)).to_have_count(0)
    await page.get_by_text("No domain is claimed yet.").wait_for()


async def test_the_word_why_nobody_was_signed_in(visitor):
    page = await visitor.open(path="/login#error=sso_unavailable")
    await settled(page)
    await expect(page.get_by_role("alert")).to_contain_text("The sign-in server cannot be reached")
    assert "error" not in page.url
