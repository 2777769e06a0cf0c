"""`oidc-provider` of npm: in through a browser, by one key and the next, and out again."""

import pytest

from tests.console.visitor import REFUSED, visiting
from tests.identity_providers.running import SECRET, catch_up, register, running_oidc_provider

pytestmark = pytest.mark.hall_databases("sqlite")
TOKEN = "JSON.parse(sessionStorage.getItem('guildhall.session')).token"


async def set_up(hall, issuer):
    body = {
        "kind": "oidc",
        "label": "Acme",
        "issuer": issuer,
        "client_id": "guildhall",
        "client_secret": SECRET,
        "scopes": ["openid", "email", "profile"],
        "domains": ["acme.test"],
        "rules": [{"claim": "groups", "contains": "engines", "role": "admin"}],
    }
    answer = await hall.acme.org_owner.post("/api/org/sign-in", body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def sign_in(hall, page):
    """Comes in through the provider; returns the session's client."""
    catch_up(hall)
    await page.get_by_label("Username").fill("ada@acme.test")
    await page.get_by_role("button", name="Sign in with Acme").click()
    await page.get_by_role("button", name="Account: Ada Lovelace").wait_for()
    session = hall.bearer(await page.evaluate(TOKEN))
    who = (await session.get("/api/whoami")).json()
    assert (who["user"]["username"], who["team"]["role"]) == ("ada", "admin")
    return session


async def test_a_person_comes_in_by_either_key_and_leaves_on_both_sides(open_hall, open_page):
    async with visiting(open_hall(SERVICE_ORG_PRIVATE_ENDPOINTS="on"), open_page) as (hall, visitor):
        async with running_oidc_provider("first") as issuer:
            catch_up(hall)
            way = await set_up(hall, issuer)
            await register(issuer, way, hall.base_url)
            tested = (await hall.acme.org_owner.post(f"/api/org/sign-in/{way['id']}/test")).json()
            assert tested["ok"], tested

            page = await visitor.open(path="/login", allowed=[REFUSED])
            session = await sign_in(hall, page)
            # Whoever signs out here is led to leave there too, and comes back.
            await page.get_by_role("button", name="Account:").click()
            await page.get_by_role("menuitem", name="Sign out").click()
            await page.get_by_role("button", name="Leave").click()
            await page.get_by_label("Username").wait_for()
            assert page.url.startswith(hall.base_url)
            assert (await session.get("/api/whoami")).status_code == 401

            # Whoever leaves there is out here too, and nobody else.
            page = await visitor.open(path="/login", allowed=[REFUSED])
            session = await sign_in(hall, page)
            other = await sign_in(hall, await visitor.open(path="/login", allowed=[REFUSED]))
            await page.goto(f"{issuer}/session/end")
            await page.get_by_role("button", name="Leave").click()
            await page.get_by_role("heading", name="You have left").wait_for()
            assert (await session.get("/api/whoami")).status_code == 401
            assert (await other.get("/api/whoami")).status_code == 200

        # It begins anew with another key, which is asked for when something is signed with it.
        async with running_oidc_provider("second", port=issuer.rpartition(":")[2]) as issuer:
            await register(issuer, way, hall.base_url)
            page = await visitor.open(path="/login", allowed=[REFUSED])
            await sign_in(hall, page)
